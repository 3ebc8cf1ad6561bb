"""Strengths of poker hands: five to seven cards as a set of 64 bits, 16 of them for each suit.

A strength is a number: the category (0..8) in bits 26 and up, then two sets of ranks of 13 bits each: the ranks of the
category, and the kickers. Sets with the same number of ranks compare like the ranks, highest first. So a larger number
is better, and equal numbers tie. All tables together take 90 kB.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count
from tefuda._kernels.jit import inlined, kernel

HIGH, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH = range(9)
CATEGORY_SHIFT = 26
CATEGORIES = 9
_ALL, _LANE = np.uint64(0x1FFF), np.uint64(16)


def _highest(number: int) -> np.ndarray:
    """Return `[8192]` the highest `number` ranks of each set of ranks."""
    sets, highest = np.arange(1 << 13, dtype=np.uint16), np.zeros(1 << 13, dtype=np.uint16)
    for rank in range(12, -1, -1):
        bit = np.uint16(1 << rank)
        few = np.bitwise_count(highest) < number
        highest |= np.where(few, sets & bit, 0).astype(np.uint16)
    return highest


def _straights() -> np.ndarray:
    """Return `[8192]` the highest rank of the best straight in each set of ranks, as a set; 0 without one."""
    sets, best = np.arange(1 << 13), np.zeros(1 << 13, dtype=np.uint16)
    wheel = 1 << 12 | 0b1111
    for top in range(3, 13):
        needed = wheel if top == 3 else 0b11111 << (top - 4)
        best[sets & needed == needed] = 1 << top
    return best


_ONE, _TWO, _THREE, _FIVE, _STRAIGHT = (*map(_highest, (1, 2, 3, 5)), _straights())


@inlined
def strength(category, made, rest):
    """Return the strength of a category with its ranks and the kickers."""
    return np.int32((category << CATEGORY_SHIFT) | (np.int64(made) << 13) | np.int64(rest))


@inlined
def unpaired(ranks, flush):
    """Return the strength of cards without a pair; a flush of fewer than five ranks is none."""
    if count(flush) >= 5:
        if _STRAIGHT[flush]:
            return strength(STRAIGHT_FLUSH, _STRAIGHT[flush], 0)
        return strength(FLUSH, _FIVE[flush], 0)
    if _STRAIGHT[ranks]:
        return strength(STRAIGHT, _STRAIGHT[ranks], 0)
    return strength(HIGH, _FIVE[ranks], 0)


@inlined
def evaluate(cards):
    """Return the strength of the best five of five to seven cards."""
    flush = np.uint64(0)
    for suit in (cards, cards >> _LANE, cards >> np.uint64(32), cards >> np.uint64(48)):
        if count(suit & _ALL) >= 5:
            flush = suit & _ALL
    return evaluate_ranks(cards, flush)


@inlined
def evaluate_ranks(cards, flush):
    """Return the strength of cards whose suits do not count.

    `flush` is a set of five ranks or more of one suit, or 0. There is no full house beside a flush of seven cards.
    """
    a, b = cards & _ALL, (cards >> _LANE) & _ALL
    c, d = (cards >> np.uint64(32)) & _ALL, (cards >> np.uint64(48)) & _ALL
    ranks = a | b | c | d
    if count(ranks) == count(cards):
        return unpaired(ranks, flush)
    four = a & b & c & d
    trip = (a & b & (c | d)) | (c & d & (a | b))
    pair = ranks & ~(a ^ b ^ c ^ d)
    if four:
        return strength(FOUR, four, _ONE[ranks & ~four])
    if trip and (pair | (trip & (trip - np.uint64(1)))):
        best = np.uint64(_ONE[trip])
        return strength(FULL_HOUSE, best, _ONE[(trip | pair) & ~best])
    if flush or _STRAIGHT[ranks]:
        return unpaired(ranks, flush)
    if trip:
        return strength(THREE, trip, _TWO[ranks & ~trip])
    two = np.uint64(_TWO[pair])
    if two & (two - np.uint64(1)):
        return strength(TWO_PAIR, two, _ONE[ranks & ~two])
    return strength(PAIR, pair, _THREE[ranks & ~pair])


@kernel
def evaluate_all(sets, out):
    """Set out[i] to the strength of the i-th set of cards."""
    for i in range(sets.shape[0]):
        out[i] = evaluate(sets[i])


@kernel
def count_all(cards, number, categories, occurring):
    """Count all sets of `number` cards by category; `occurring` gets a bit for each strength that occurs."""
    chosen, partial_sets = np.zeros(8, dtype=np.int64), np.zeros(9, dtype=np.uint64)
    depth = 0
    chosen[0] = -1
    total = cards.shape[0]
    while depth >= 0:
        chosen[depth] += 1
        if chosen[depth] > total - number + depth:
            depth -= 1
        elif depth < number - 2:
            partial_sets[depth + 1] = partial_sets[depth] | cards[chosen[depth]]
            chosen[depth + 1] = chosen[depth]
            depth += 1
        else:
            cards_but_last = partial_sets[depth] | cards[chosen[depth]]
            for last in range(chosen[depth] + 1, total):
                value = evaluate(cards_but_last | cards[last])
                categories[value >> CATEGORY_SHIFT] += 1
                occurring[value >> 6] |= np.uint64(1) << np.uint64(value & 63)
