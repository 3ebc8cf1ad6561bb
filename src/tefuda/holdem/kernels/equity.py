"""All-in equities of two ranges on many boards, in one pass by strength over the hands of a board.

Letters: H hands, B boards. Sets of cards are the 64 bits of `holdem.kernels.rank`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import kernel
from tefuda.holdem.kernels.rank import evaluate

_GAPS = (701, 301, 132, 57, 23, 10, 4, 1)  # of shell sort: Ciura, 2001
_LANE_BITS = np.uint64(0xFFFF)


class Hands(NamedTuple):
    """The hands of two ranges: `[H]` sets of two cards, `[H, 2]` cards, `[2, H]` weights."""

    sets: np.ndarray
    cards: np.ndarray
    weights: np.ndarray


class Sums(NamedTuple):
    """`[2, H]` sums over boards of the opposing weight that each hand beats, ties with and meets."""

    won: np.ndarray
    tied: np.ndarray
    met: np.ndarray


@kernel
def permute_suits(cards, permutation):
    """Return a set of cards with permuted suits."""
    permuted = np.uint64(0)
    for suit in range(4):
        permuted |= ((cards >> np.uint64(16 * suit)) & _LANE_BITS) << np.uint64(16 * permutation[suit])
    return permuted


@kernel
def next_choice(chosen, number, size):
    """Replace a rising choice of `number` numbers below `size` by the next; return False after the last."""
    position = number - 1
    while position >= 0 and chosen[position] == size - number + position:
        position -= 1
    if position < 0:
        return False
    chosen[position] += 1
    for i in range(position + 1, number):
        chosen[i] = chosen[i - 1] + 1
    return True


@kernel
def list_boards(given, deck, number, permutations, boards, times):
    """List the boards of `given` and `number` more cards, one for each class under the permutations.

    `boards[i]` represents `times[i]` boards. Return the number of boards listed.
    """
    chosen = np.arange(number + 1)
    listed, size = 0, permutations.shape[0]
    while True:
        board = given
        for i in range(number):
            board |= deck[chosen[i]]
        is_least, symmetries = True, 0
        for p in range(size):
            permuted = permute_suits(board, permutations[p])
            is_least &= permuted >= board
            symmetries += permuted == board
        if is_least:
            boards[listed], times[listed] = board, size // symmetries
            listed += 1
        if not next_choice(chosen, number, deck.shape[0]):
            return listed


@kernel
def live_hands(sets, board, live, strengths):
    """List the hands that share no card with a board, by strength; return their number.

    `strengths[i]` belongs to `live[i]`. The list is sorted by shell sort, as numba takes a second of CPU to compile
    `np.argsort`.
    """
    number = 0
    for hand in range(sets.shape[0]):
        if not sets[hand] & board:
            live[number], strengths[number] = hand, evaluate(sets[hand] | board)
            number += 1
    for gap in _GAPS:
        for start in range(gap, number):
            hand, strength, position = live[start], strengths[start], start
            while position >= gap and strengths[position - gap] > strength:
                live[position], strengths[position] = live[position - gap], strengths[position - gap]
                position -= gap
            live[position], strengths[position] = hand, strength
    return number


@kernel
def compare(hands, boards, times, sums, shares):
    """Compare both ranges on boards and add the results to `sums`.

    `shares[b]` gets the weight of the pairs that the first range wins, ties half, and of all pairs.
    """
    size = hands.sets.shape[0]
    live, strengths = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    below, by_card = np.empty(2), np.empty((2, 52))
    beaten = np.empty((2, size))
    for b in range(boards.shape[0]):
        number = live_hands(hands.sets, boards[b], live, strengths)
        below[:] = 0.0
        by_card[:] = 0.0
        shares[b] = 0.0
        start = 0
        while start < number:
            stop = start + 1
            while stop < number and strengths[stop] == strengths[start]:
                stop += 1
            for i in range(start, stop):
                one, two = hands.cards[live[i], 0], hands.cards[live[i], 1]
                for player in range(2):
                    beaten[player, i] = below[1 - player] - by_card[1 - player, one] - by_card[1 - player, two]
            for i in range(start, stop):
                for player in range(2):
                    weight = hands.weights[player, live[i]]
                    below[player] += weight
                    by_card[player, hands.cards[live[i], 0]] += weight
                    by_card[player, hands.cards[live[i], 1]] += weight
            for i in range(start, stop):
                one, two = hands.cards[live[i], 0], hands.cards[live[i], 1]
                for player in range(2):
                    same_hand = hands.weights[1 - player, live[i]]  # subtracted twice, once with each card
                    upto = below[1 - player] - by_card[1 - player, one] - by_card[1 - player, two] + same_hand
                    sums.won[player, live[i]] += times[b] * beaten[player, i]
                    sums.tied[player, live[i]] += times[b] * (upto - beaten[player, i])
                    if player == 0:
                        shares[b, 0] += hands.weights[0, live[i]] * (beaten[0, i] + upto) / 2
            start = stop
        for i in range(number):
            hand = live[i]
            one, two = hands.cards[hand, 0], hands.cards[hand, 1]
            for player in range(2):
                opponent = 1 - player
                met = below[opponent] - by_card[opponent, one] - by_card[opponent, two] + hands.weights[opponent, hand]
                sums.met[player, hand] += times[b] * met
                if player == 0:
                    shares[b, 1] += hands.weights[0, hand] * met
