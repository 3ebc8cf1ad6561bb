"""Boards by number, hand strengths on them and on later boards, and buckets made from these.

A board is a set of cards in any order. Boards that differ only by names of suits have one number; the suits of hands on
them are permuted likewise. Letters: B boards, H 1,326 hands, L levels of strength, N points, K centres.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels.equity import live_hands, permute_suits

LEVELS = 256
_ONE = np.uint64(1)
_OPPONENTS = 990  # pairs of the 45 cards that are neither on the board nor in the hand


def _choose() -> np.ndarray:
    """Return `[52, 6]` the number of sets of 0 to 5 cards below each card."""
    choose = np.zeros((52, 6), dtype=np.int64)
    choose[:, 0] = 1
    for card in range(1, 52):
        for size in range(1, 6):
            choose[card, size] = choose[card - 1, size] + choose[card - 1, size - 1]
    return choose


_CHOOSE = _choose()


class Boards(NamedTuple):
    """Numbers of all boards of a size by rank, and permutations of suits to the numbered board."""

    number: np.ndarray  # [B] int32
    turn: np.ndarray  # [B] uint8


@inlined
def rank_of(board):
    """Return the rank of a board among all boards with as many cards."""
    rank, position = np.int64(0), 1
    while board:
        bit = np.int64(lowest(board))
        rank += _CHOOSE[bit - 3 * (bit >> 4), position]
        board &= board - _ONE
        position += 1
    return rank


@kernel
def number_boards(deck, size, permutations, boards, representatives):
    """Fill `boards`, and `representatives` with the board of each number; return the count of numbers.

    deck: `[52]` sets of one card, rising as numbers. Ranks rise with the highest card, then the next.
    """
    chosen = np.arange(size)
    total = 0
    for rank in range(boards.number.shape[0]):
        board = np.uint64(0)
        for i in range(size):
            board |= deck[chosen[i]]
        best, turn = rank, 0
        for p in range(permutations.shape[0]):
            permuted_rank = rank_of(permute_suits(board, permutations[p]))
            if permuted_rank < best:
                best, turn = permuted_rank, p
        if best == rank:
            representatives[total], boards.number[rank] = board, total
            total += 1
        else:
            boards.number[rank] = boards.number[best]
        boards.turn[rank] = turn
        position = 0
        while position < size - 1 and chosen[position] + 1 == chosen[position + 1]:
            chosen[position] = position
            position += 1
        chosen[position] += 1
    return total


@kernel
def rate_hands(sets, cards, boards, first, levels):
    """Rate each hand on complete boards against a random hand, ties counting half.

    levels: `[., H]` uint8; rows from `first` on are filled with 0..255, and 0 for hands that the board blocks.
    """
    size = sets.shape[0]
    live, strengths = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    by_card = np.empty((2, 52), dtype=np.int64)
    for b in range(boards.shape[0]):
        number = live_hands(sets, boards[b], live, strengths)
        row = levels[first + b]
        row[:] = 0
        by_card[:] = 0
        start = 0
        while start < number:
            stop = start
            while stop < number and strengths[stop] == strengths[start]:
                by_card[1, cards[live[stop], 0]] += 1
                by_card[1, cards[live[stop], 1]] += 1
                stop += 1
            for i in range(start, stop):
                one, two = cards[live[i], 0], cards[live[i], 1]
                below = start - by_card[0, one] - by_card[0, two]
                upto = stop - by_card[1, one] - by_card[1, two] + 1  # the hand itself, subtracted with each card
                row[live[i]] = min(np.int64(LEVELS - 1), (below + upto) * LEVELS // (2 * _OPPONENTS))
            for i in range(start, stop):
                for position in range(2):
                    by_card[0, cards[live[i], position]] = by_card[1, cards[live[i], position]]
            start = stop


@inlined
def bin_shift(bins):
    """Return the shift from levels to bins, a power of 2."""
    shift = 0
    while LEVELS >> shift > bins:
        shift += 1
    return shift


@inlined
def count_levels(row, sets, board, rivers, permuted, levels, counts, shift):
    """Add the levels of all hands on one complete board to `counts`."""
    rank = rank_of(row)
    strengths, renaming = levels[rivers.number[rank]], permuted[rivers.turn[rank]]
    for hand in range(sets.shape[0]):
        if not sets[hand] & row:
            counts[hand, strengths[renaming[hand]] >> shift] += 1


@kernel
def count_futures(board, deck, sets, rivers, permuted, levels, counts):
    """Count the strengths of each hand on complete boards into `counts` `[H, bins]` int32.

    board: three or four cards. levels: from `rate_hands`, by the number of a complete board. The number of bins is a
    power of 2.
    """
    shift = bin_shift(counts.shape[1])
    counts[:] = 0
    for i in range(deck.shape[0]):
        if deck[i] & board:
            continue
        if count(board) == 4:
            count_levels(board | deck[i], sets, board, rivers, permuted, levels, counts, shift)
            continue
        for j in range(i + 1, deck.shape[0]):
            if not deck[j] & board:
                count_levels(board | deck[i] | deck[j], sets, board, rivers, permuted, levels, counts, shift)


@inlined
def fill_histogram(counts, hand, point):
    """Fill `point` with the cumulative histogram of a hand, without the last bin; return its sum."""
    total, below, height = 0, 0, np.float32(0.0)
    for b in range(counts.shape[1]):
        total += counts[hand, b]
    for b in range(counts.shape[1] - 1):
        below += counts[hand, b]
        point[b] = np.float32(below) / np.float32(max(total, 1))
        height += point[b]
    return height


@kernel
def fill_histograms(counts, points):
    """Fill `points` `[H, bins - 1]` float32 with the cumulative histograms of all hands."""
    for hand in range(counts.shape[0]):
        fill_histogram(counts, hand, points[hand])


@inlined
def nearest(point, height, centres, heights):
    """Return the nearest of centres in rising order of heights (sums of their numbers); ties: the first.

    Points whose sums differ by d are at least d^2 / bins apart (Cauchy and Schwarz), which bounds the search.
    """
    size, bins = centres.shape[0], centres.shape[1]
    low, high = 0, size
    while low < high:
        middle = (low + high) // 2
        if heights[middle] < height:
            low = middle + 1
        else:
            high = middle
    best, least = 0, np.float32(np.inf)
    upper, lower = low, low - 1
    while upper < size or lower >= 0:
        above = heights[upper] - height if upper < size else np.float32(np.inf)
        under = height - heights[lower] if lower >= 0 else np.float32(np.inf)
        gap, candidate = (above, upper) if above <= under else (under, lower)
        if gap * gap > least * bins:
            break
        if above <= under:
            upper += 1
        else:
            lower -= 1
        distance = np.float32(0.0)
        for b in range(bins):
            step = point[b] - centres[candidate, b]
            distance += step * step
        if distance < least or (distance == least and candidate < best):
            best, least = candidate, distance
    return best


@kernel
def assign_nearest(points, centres, heights, nearest_centres):
    """Set nearest_centres[i] to the nearest centre of the i-th point."""
    for i in range(points.shape[0]):
        height = np.float32(0.0)
        for b in range(points.shape[1]):
            height += points[i, b]
        nearest_centres[i] = nearest(points[i], height, centres, heights)


@kernel
def assign_cells(boards, deck, sets, rivers, permuted, levels, centres, heights, cells, masses):
    """Fill `cells` `[B, H]` uint16 with the nearest centre of each hand on each board; 0 if blocked.

    masses: `[K]` int64; the number of hands nearest to each centre is added.
    """
    bins = centres.shape[1] + 1
    counts, point = np.empty((sets.shape[0], bins), dtype=np.int32), np.empty(bins - 1, dtype=np.float32)
    for b in range(boards.shape[0]):
        count_futures(boards[b], deck, sets, rivers, permuted, levels, counts)
        for hand in range(sets.shape[0]):
            cells[b, hand] = 0
            if not sets[hand] & boards[b]:
                height = fill_histogram(counts, hand, point)
                cells[b, hand] = nearest(point, height, centres, heights)
                masses[cells[b, hand]] += 1


@kernel
def count_next_cards(boards, deck, sets, parts, later, permuted, levels, points, known):
    """Compute for each next card the histograms of strengths, by the hands' part before the card.

    parts: `[B, H]` uint8 by the number of a board of three or four cards. later: the boards with one more card. levels:
    `[., H]` uint8 of these. points: `[B, 64, Q, bins - 1]` float32 cumulative histograms, by the card's bit; known:
    `[B, 64]` bool whether the card may be dealt.
    """
    bins = points.shape[3] + 1
    shift, counts = bin_shift(bins), np.empty((points.shape[2], bins), dtype=np.int64)
    for b in range(boards.shape[0]):
        for card in deck:
            if card & boards[b]:
                continue
            full, position = boards[b] | card, np.int64(lowest(card))
            rank = rank_of(full)
            row, renaming = levels[later.number[rank]], permuted[later.turn[rank]]
            counts[:] = 0
            for hand in range(sets.shape[0]):
                if not sets[hand] & full:
                    counts[parts[b, hand], row[renaming[hand]] >> shift] += 1
            for q in range(counts.shape[0]):
                fill_histogram(counts, q, points[b, position, q])
            known[b, position] = True


class Textures(NamedTuple):
    """Textures of turns and rivers, by the board before and the card's bit."""

    turn: np.ndarray  # [B, 64] uint8
    river: np.ndarray  # [B, 64] uint8
    hands: np.ndarray  # [4] number of hand buckets in each texture
    suits: np.ndarray  # [24, 4] the permutations of suits


class BucketTables(NamedTuple):
    """Tables for the bucket of any hand on any board: boards by rank, cells of hands, buckets of cells."""

    flops: Boards
    turns: Boards
    rivers: Boards
    permuted: np.ndarray  # [24, H] hands with suits replaced
    class_of: np.ndarray  # [H]
    flop: np.ndarray  # [B, H] cells
    turn: np.ndarray
    river: np.ndarray
    buckets: np.ndarray  # [4, C] buckets of hand classes, then of cells, in each texture
    textures: Textures


@inlined
def texture_of(boards, textures, suits, before, board):
    """Return the texture of the card dealt after a board."""
    rank, position = rank_of(before), np.int64(lowest(board & ~before))
    return np.int64(textures[boards.number[rank], 16 * suits[boards.turn[rank], position >> 4] + (position & 15)])


@inlined
def first_of(tables, street, before, board):
    """Return the first bucket of the texture of a street's board. before: the board of the street before."""
    textures = tables.textures
    if street == 2:
        return texture_of(tables.flops, textures.turn, textures.suits, before, board) * textures.hands[2]
    if street == 3:
        return texture_of(tables.turns, textures.river, textures.suits, before, board) * textures.hands[3]
    return np.int64(0)


@inlined
def bucket_on(boards, permuted, cells, buckets, board, hand):
    """Return the bucket of a hand on a board in its texture."""
    rank = rank_of(board)
    return np.int64(buckets[cells[boards.number[rank], permuted[boards.turn[rank], hand]]])


@inlined
def bucket_of(tables, street, board, hand):
    """Return the bucket of a hand in its texture; street 0 is before the flop, 3 the river."""
    if street == 0:
        return np.int64(tables.buckets[0, tables.class_of[hand]])
    if street == 1:
        return bucket_on(tables.flops, tables.permuted, tables.flop, tables.buckets[1], board, hand)
    if street == 2:
        return bucket_on(tables.turns, tables.permuted, tables.turn, tables.buckets[2], board, hand)
    return bucket_on(tables.rivers, tables.permuted, tables.river, tables.buckets[3], board, hand)


@kernel
def fill_buckets(tables, street, before, board, sets, buckets):
    """Fill `buckets` with the bucket of each hand on a board; -1 for hands that it blocks.

    before: the board of the street before.
    """
    first = first_of(tables, street, before, board)
    for hand in range(sets.shape[0]):
        buckets[hand] = -1 if sets[hand] & board else first + bucket_of(tables, street, board, hand)


@kernel
def bucket_of_one(tables, street, before, board, hand):
    """Return the bucket of a hand on a board."""
    return first_of(tables, street, before, board) + bucket_of(tables, street, board, hand)
