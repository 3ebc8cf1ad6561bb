"""The walk that numbers infosets and sequences; see `walk`."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined, kernel
from tefuda.phantom.kernels.walk import (
    _CELLS,
    _ONE,
    INFOSETS,
    LEFT,
    LIST,
    STONES,
    enter,
    fail,
    is_over,
    list_of,
    place_stone,
    rank,
    start,
)

#: Columns of the counts of a player: infosets, and sequences.
FOUND, SEQUENCES = 0, 1


@inlined
def reach(board, player, counts, entry, tried):
    """Return the first sequence of the infoset after an entry, which is numbered if it is new."""
    if player.child[entry] == 0:
        number, first = counts[FOUND], counts[SEQUENCES]
        actions = board.cells - np.int64(count(np.uint64(tried)))
        player.child[entry] = first
        player.parent[number], player.actions[number] = entry, actions
        player.child[2 * first : 2 * (first + actions)] = 0
        counts[FOUND] += 1
        counts[SEQUENCES] += actions
    return np.int64(player.child[entry])


@inlined
def has_room(board, player, counts, stack, row):
    """Return whether the infosets of a frame fit into the arrays of a player and onto the stack."""
    first, last = list_of(stack, row - 2)
    most = last - first if board.abrupt else (last - first) * _orders(stack.frames[row, STONES + 1 - row % 2])
    return (
        counts[FOUND] + most <= len(player.parent)
        and 2 * (counts[SEQUENCES] + most * board.cells) <= len(player.child)
        and stack.frames[row - 1, INFOSETS] + most <= len(stack.infosets)
        and stack.frames[row - 1, LIST] + most * board.cells <= len(stack.entries)
    )


@inlined
def _orders(stones):
    """Return the number of orders of all sets of some stones: failed tries are made in any order."""
    total, size = 1, np.int64(count(np.uint64(stones)))
    for stone in range(1, size + 1):
        total = total * stone + 1
    return total


@inlined
def number_frame(board, player, counts, stack, row):
    """Number the new infosets of a frame, also those after failed tries."""
    end = stack.frames[row - 1, INFOSETS]
    first, last = list_of(stack, row - 2)
    for place in range(first, last):
        entry, tried = stack.entries[place] >> 16, stack.entries[place] & _CELLS
        stack.infosets[end] = reach(board, player, counts, entry, tried) << 16 | tried
        end += 1
    if board.abrupt:
        return
    taken, place = stack.frames[row, STONES + 1 - row % 2], stack.frames[row - 1, INFOSETS]
    while place < end:
        first, tried = stack.infosets[place] >> 16, stack.infosets[place] & _CELLS
        left = np.uint64(taken & ~tried)
        while left:
            cell = np.int64(lowest(left))
            left &= left - _ONE
            known = tried | 1 << cell
            entry = 2 * (first + rank(tried, cell)) + 1
            stack.infosets[end] = reach(board, player, counts, entry, known) << 16 | known
            end += 1
        place += 1


@kernel
def number(board, players, counts, stack):
    """Number all infosets and sequences; return the number of frames and of their infosets.

    Without room both are -1.

    Args:
        board: the rules.
        players: empty arrays for both players.
        counts: `[2, 2]` int64, filled in; see the columns above.
        stack: room for the walk.
    """
    for player in (0, 1):
        counts[player, FOUND], counts[player, SEQUENCES] = 0, 1
    players[0].child[:2] = 0
    players[1].child[:2] = 0
    start(stack, board, -1)
    row, frames, entries = 1, 0, 0
    entered = True
    while True:
        if entered:
            row += 1
            side = row % 2
            player = players[1] if side else players[0]
            if not has_room(board, player, counts[side], stack, row):
                return -1, -1
            number_frame(board, player, counts[side], stack, row)
            enter(board, player.child, stack, row)
            frames, entries = frames + 1, entries + stack.frames[row, INFOSETS] - stack.frames[row - 1, INFOSETS]
        left = np.uint64(stack.frames[row, LEFT])
        entered = False
        if not left:
            row -= 1
            if row < 2:
                return frames, entries
            continue
        cell = np.int64(lowest(left))
        stack.frames[row, LEFT] = np.int64(left & (left - _ONE))
        if cell == board.cells:
            entered = fail(board, stack, row)
        elif not is_over(board, stack, row, cell)[0]:
            place_stone(board, stack, row, cell)
            entered = True
