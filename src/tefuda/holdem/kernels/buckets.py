"""Boards by number, strengths of hands on them and on later boards, and buckets of hands made from these.

A board is a set of cards in any order. Boards that differ only by names of suits have one number; the hands on
them are renamed likewise. Letters: B boards, H 1,326 hands, L levels of strength, N points, K centres.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels.equity import live_hands, renamed

LEVELS = 256
_ONE = np.uint64(1)
_OPPONENTS = 990  # hands of two of the 45 cards that are neither on the board nor in the hand


def _choose() -> np.ndarray:
    """Return `[52, 6]` the number of sets of 0 to 5 cards below each card."""
    found = np.zeros((52, 6), dtype=np.int64)
    found[:, 0] = 1
    for card in range(1, 52):
        for size in range(1, 6):
            found[card, size] = found[card - 1, size] + found[card - 1, size - 1]
    return found


_CHOOSE = _choose()


class Boards(NamedTuple):
    """All boards of a size by rank: their numbers, and the permutations of suits to the board with that number."""

    number: np.ndarray  # [B] int32
    turn: np.ndarray  # [B] uint8


@inlined
def rank_of(board):
    """Return the place of a board among all boards of as many cards."""
    rank, place = np.int64(0), 1
    while board:
        bit = np.int64(lowest(board))
        rank += _CHOOSE[bit - 3 * (bit >> 4), place]
        board &= board - _ONE
        place += 1
    return rank


@kernel
def number_boards(deck, size, permutations, boards, alike):
    """Fill in `boards`; `alike` gets the board of each number. Return how many numbers there are.

    deck: `[52]` sets of one card, rising as numbers. Ranks rise with the highest card, then the next.
    """
    chosen = np.arange(size)
    found = 0
    for rank in range(boards.number.shape[0]):
        board = np.uint64(0)
        for i in range(size):
            board |= deck[chosen[i]]
        best, turn = rank, 0
        for p in range(permutations.shape[0]):
            other = rank_of(renamed(board, permutations[p]))
            if other < best:
                best, turn = other, p
        if best == rank:
            alike[found], boards.number[rank] = board, found
            found += 1
        else:
            boards.number[rank] = boards.number[best]
        boards.turn[rank] = turn
        place = 0
        while place < size - 1 and chosen[place] + 1 == chosen[place + 1]:
            chosen[place] = place
            place += 1
        chosen[place] += 1
    return found


@kernel
def rate(sets, cards, boards, first, levels):
    """Rate each hand on complete boards against any hand, ties counting half.

    levels: `[., H]` uint8, rows from `first` on are filled: 0..255, 0 for hands that the board blocks.
    """
    size = sets.shape[0]
    live, strengths = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    of_card = np.empty((2, 52), dtype=np.int64)
    for b in range(boards.shape[0]):
        number = live_hands(sets, boards[b], live, strengths)
        row = levels[first + b]
        row[:] = 0
        of_card[:] = 0
        start = 0
        while start < number:
            stop = start
            while stop < number and strengths[stop] == strengths[start]:
                of_card[1, cards[live[stop], 0]] += 1
                of_card[1, cards[live[stop], 1]] += 1
                stop += 1
            for i in range(start, stop):
                one, two = cards[live[i], 0], cards[live[i], 1]
                below = start - of_card[0, one] - of_card[0, two]
                upto = stop - of_card[1, one] - of_card[1, two] + 1  # the hand itself, subtracted with each card
                row[live[i]] = min(np.int64(LEVELS - 1), (below + upto) * LEVELS // (2 * _OPPONENTS))
            for i in range(start, stop):
                for place in range(2):
                    of_card[0, cards[live[i], place]] = of_card[1, cards[live[i], place]]
            start = stop


@inlined
def shift_to(bins):
    """Return the shift that turns levels into bins, a power of 2."""
    shift = 0
    while LEVELS >> shift > bins:
        shift += 1
    return shift


@inlined
def note(row, sets, board, rivers, moved, levels, counts, shift):
    """Add the levels of all hands on one complete board to `counts`."""
    rank = rank_of(row)
    strengths, renaming = levels[rivers.number[rank]], moved[rivers.turn[rank]]
    for hand in range(sets.shape[0]):
        if not sets[hand] & row:
            counts[hand, strengths[renaming[hand]] >> shift] += 1


@kernel
def futures(board, deck, sets, rivers, moved, levels, counts):
    """Count the strengths of each hand on complete boards: fill `counts` `[H, bins]` int32, bins a power of 2.

    board: three or four cards. levels: as `rate` fills them, by the number of a complete board.
    """
    shift = shift_to(counts.shape[1])
    counts[:] = 0
    for one in range(deck.shape[0]):
        if deck[one] & board:
            continue
        if count(board) == 4:
            note(board | deck[one], sets, board, rivers, moved, levels, counts, shift)
            continue
        for two in range(one + 1, deck.shape[0]):
            if not deck[two] & board:
                note(board | deck[one] | deck[two], sets, board, rivers, moved, levels, counts, shift)


@inlined
def shape(counts, hand, point):
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
def shapes(counts, points):
    """Fill `points` `[H, bins - 1]` float32 with the cumulative histograms of all hands."""
    for hand in range(counts.shape[0]):
        shape(counts, hand, points[hand])


@inlined
def nearest(point, height, centres, heights):
    """Return the nearest of centres in rising order of heights, the sums of their numbers; the first of equals.

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
    up, down = low, low - 1
    while up < size or down >= 0:
        above = heights[up] - height if up < size else np.float32(np.inf)
        under = height - heights[down] if down >= 0 else np.float32(np.inf)
        gap, at = (above, up) if above <= under else (under, down)
        if gap * gap > least * bins:
            break
        if above <= under:
            up += 1
        else:
            down -= 1
        distance = np.float32(0.0)
        for b in range(bins):
            step = point[b] - centres[at, b]
            distance += step * step
        if distance < least or (distance == least and at < best):
            best, least = at, distance
    return best


@kernel
def nearest_all(points, centres, heights, places):
    """places[i] = the nearest centre of the i-th point."""
    for i in range(points.shape[0]):
        height = np.float32(0.0)
        for b in range(points.shape[1]):
            height += points[i, b]
        places[i] = nearest(points[i], height, centres, heights)


@kernel
def cells_of(boards, deck, sets, rivers, moved, levels, centres, heights, places, masses):
    """Fill `places` `[B, H]` uint16 with the nearest centre of each hand on each board, 0 for hands that it blocks.

    masses: `[K]` int64, the number of hands nearest to each centre is added.
    """
    bins = centres.shape[1] + 1
    counts, point = np.empty((sets.shape[0], bins), dtype=np.int32), np.empty(bins - 1, dtype=np.float32)
    for b in range(boards.shape[0]):
        futures(boards[b], deck, sets, rivers, moved, levels, counts)
        for hand in range(sets.shape[0]):
            places[b, hand] = 0
            if not sets[hand] & boards[b]:
                height = shape(counts, hand, point)
                places[b, hand] = nearest(point, height, centres, heights)
                masses[places[b, hand]] += 1


@kernel
def shifts(boards, deck, sets, parts, later, moved, levels, points, known):
    """Count for each next card the strengths with it, by the part that hands were in before.

    parts: `[B, H]` uint8 by the number of a board of three or four cards. later: the boards with one card more, levels:
    `[., H]` uint8 of these. points: `[B, 64, Q, bins - 1]` float32 cumulative histograms, by the card's place in a set;
    known: `[B, 64]` bool which cards may come.
    """
    bins = points.shape[3] + 1
    shift, counts = shift_to(bins), np.empty((points.shape[2], bins), dtype=np.int64)
    for b in range(boards.shape[0]):
        for card in deck:
            if card & boards[b]:
                continue
            full, place = boards[b] | card, np.int64(lowest(card))
            rank = rank_of(full)
            row, renaming = levels[later.number[rank]], moved[later.turn[rank]]
            counts[:] = 0
            for hand in range(sets.shape[0]):
                if not sets[hand] & full:
                    counts[parts[b, hand], row[renaming[hand]] >> shift] += 1
            for q in range(counts.shape[0]):
                shape(counts, q, points[b, place, q])
            known[b, place] = True


class Textures(NamedTuple):
    """Kinds of turns and rivers by the board before and the place of the card in a set."""

    turn: np.ndarray  # [B, 64] uint8
    river: np.ndarray  # [B, 64] uint8
    hands: np.ndarray  # [4] buckets of hands in each kind
    suits: np.ndarray  # [24, 4] the permutations of suits


class Sorted(NamedTuple):
    """The buckets of every hand on every board: boards by rank, cells of the hands on them, buckets of cells."""

    flops: Boards
    turns: Boards
    rivers: Boards
    moved: np.ndarray  # [24, H] hands with suits replaced
    class_of: np.ndarray  # [H]
    flop: np.ndarray  # [B, H] cells
    turn: np.ndarray
    river: np.ndarray
    buckets: np.ndarray  # [4, C] of classes, then of cells, in each texture
    textures: Textures


@inlined
def kind_of(boards, kinds, suits, before, board):
    """Return the kind of the card that came to a board."""
    rank, place = rank_of(before), np.int64(lowest(board & ~before))
    return np.int64(kinds[boards.number[rank], 16 * suits[boards.turn[rank], place >> 4] + (place & 15)])


@inlined
def first_of(sorted_, street, before, board):
    """Return the first bucket of the texture of a street's board. before: the board of the street before."""
    textures = sorted_.textures
    if street == 2:
        return kind_of(sorted_.flops, textures.turn, textures.suits, before, board) * textures.hands[2]
    if street == 3:
        return kind_of(sorted_.turns, textures.river, textures.suits, before, board) * textures.hands[3]
    return np.int64(0)


@inlined
def bucket_on(boards, moved, cells, buckets, board, hand):
    """Return the bucket of a hand on a board in its texture."""
    rank = rank_of(board)
    return np.int64(buckets[cells[boards.number[rank], moved[boards.turn[rank], hand]]])


@inlined
def bucket_of(sorted_, street, board, hand):
    """Return the bucket of a hand in its texture: street 0 is before the flop, with no board, 3 the river."""
    if street == 0:
        return np.int64(sorted_.buckets[0, sorted_.class_of[hand]])
    if street == 1:
        return bucket_on(sorted_.flops, sorted_.moved, sorted_.flop, sorted_.buckets[1], board, hand)
    if street == 2:
        return bucket_on(sorted_.turns, sorted_.moved, sorted_.turn, sorted_.buckets[2], board, hand)
    return bucket_on(sorted_.rivers, sorted_.moved, sorted_.river, sorted_.buckets[3], board, hand)


@kernel
def buckets_of(sorted_, street, before, board, sets, found):
    """found[h] = the bucket of each hand on a board; -1 for hands that it blocks. before: the board a street before."""
    first = first_of(sorted_, street, before, board)
    for hand in range(sets.shape[0]):
        found[hand] = -1 if sets[hand] & board else first + bucket_of(sorted_, street, board, hand)


@kernel
def bucket_of_one(sorted_, street, before, board, hand):
    """Return the bucket of a hand on a board."""
    return first_of(sorted_, street, before, board) + bucket_of(sorted_, street, board, hand)
