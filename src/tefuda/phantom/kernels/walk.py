"""The referee's walk over both players' timed stones.

A history is the order of both players' tries. Given which stone each player placed at which of its turns, the tries of
the players are independent: the failed ones name opponent's stones that lay there already. So the walk visits pairs of
timed stones, and each player has a list of its own orders that fit. A failed try of the abrupt game is a turn without a
stone.

A sequence is a number, 0 the empty one. An entry is 2 sequence + (whether the cell was taken), and a list has entries
with the tried cells, ``entry << 16 | cells``. The infoset after an entry is known by its first sequence: the actions of
an infoset have consecutive numbers, in the order of the untried cells. Infosets are numbered in the order of the first
walk, parents before children.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined, kernel

_ONE, _CELLS = np.uint64(1), np.int64(0xFFFF)
#: Columns of a frame: stones of both players, children left, and the ends of its infosets and of its child's list.
STONES, LEFT, INFOSETS, LIST, COLUMNS = 0, 2, 3, 4, 5


class Board(NamedTuple):
    """The rules.

    cells: number of cells.
    wins: `[2, 2^cells]` bool, the winning sets of stones of each player.
    abrupt: whether failed tries pass the turn.
    """

    cells: int
    wins: np.ndarray
    abrupt: bool


class Player(NamedTuple):
    """The infosets of a player.

    child: `[2 S]` int32, the first sequence of the infoset after an entry; 0 if there is none.
    parent: `[I]` int32, the entry before an infoset.
    actions: `[I]` int8, its number of actions.
    counts: `[2]` int64, the numbers of infosets and sequences found, 0 and 1 before the first walk.
    """

    child: np.ndarray
    parent: np.ndarray
    actions: np.ndarray
    counts: np.ndarray


class Stack(NamedTuple):
    """The path of the walk.

    frames: `[D, COLUMNS]` int64; the first two rows have the lists of the root, the third its children.
    infosets: `[M]` int64, ``first sequence << 16 | tried cells`` of the player to move, frame after frame.
    entries: `[M]` int64, the lists of the frames' children; the first two are the empty sequences of the root.
    sums: `[D, 2]` float64 at a frame: the opponent's realisation weights, and the utility of its list.
    """

    frames: np.ndarray
    infosets: np.ndarray
    entries: np.ndarray
    sums: np.ndarray


@kernel
def walk(board, players, plans, utilities, stack):
    """Add the utilities of sequences; return the number of pairs visited.

    Args:
        board: the rules.
        players: the infosets of both players; new ones are numbered.
        plans: realisation plans `[S0]` and `[S1]`.
        utilities: `[S0]` and `[S1]`, to which those of a sequence against the opponent's plan are added; empty where
            they are not wanted. If both are empty, plans are not read.
        stack: the root, and room for the walk.
    """
    row, pairs, entered, wanted = 1, 0, True, utilities[0].size + utilities[1].size > 0
    while True:
        if entered:
            row += 1
            pairs += 1
            enter(board, players[1] if row % 2 else players[0], stack, row)
            stack.sums[row] = -1.0, 0.0
        left = np.uint64(stack.frames[row, LEFT])
        entered = False
        if not left:
            add_to_list(stack, row, utilities[0] if row % 2 else utilities[1])
            row -= 1
            if row < 2:
                return pairs
            continue
        cell = np.int64(lowest(left))
        stack.frames[row, LEFT] = np.int64(left & (left - _ONE))
        if cell == board.cells:
            end = list_tries(stack, row, stack.frames[row - 1, INFOSETS], stack.frames[row, STONES + 1 - row % 2], 1)
            entered = end > stack.frames[row - 1, LIST]
            descend(board, stack, row, 0, end)
            continue
        over, won = is_over(board, stack, row, cell)
        entered = not over
        if entered:
            descend(board, stack, row, 1 << cell, list_tries(stack, row, stack.frames[row - 1, INFOSETS], 1 << cell, 0))
        elif won and wanted and row % 2:
            add_win(stack, row, cell, plans[1], plans[0], utilities[1])
        elif won and wanted:
            add_win(stack, row, cell, plans[0], plans[1], utilities[0])


@inlined
def enter(board, player, stack, row):
    """Fill a frame with infosets of the player to move, unless abrupt also those after failed tries."""
    first, last = list_of(stack, row - 2)
    end = stack.frames[row - 1, INFOSETS]
    while first < last:
        begin = end
        for place in range(first, last):
            entry, tried = stack.entries[place] >> 16, stack.entries[place] & _CELLS
            stack.infosets[end] = reach(board, player, entry, tried) << 16 | tried
            end += 1
        stack.frames[row, INFOSETS] = end
        first = last = stack.frames[row - 1, LIST]
        if not board.abrupt:
            last = list_tries(stack, row, begin, stack.frames[row, STONES + 1 - row % 2], 1)


@inlined
def reach(board, player, entry, tried):
    """Return the first sequence of the infoset after an entry, which is numbered if it is new."""
    if player.child[entry] == 0:
        infoset, first = player.counts[0], player.counts[1]
        actions = board.cells - np.int64(count(np.uint64(tried)))
        player.child[entry] = first
        player.parent[infoset], player.actions[infoset] = entry, actions
        player.counts[0] += 1
        player.counts[1] += actions
    return np.int64(player.child[entry])


@inlined
def list_of(stack, row):
    """Return the bounds of the list that the child of a frame has."""
    return (stack.frames[row - 1, LIST] if row else 0), stack.frames[row, LIST]


@inlined
def list_tries(stack, row, first, cells, taken):
    """Write tries at the infosets of a frame from `first` on as its child's list; return the list's end."""
    end = stack.frames[row - 1, LIST]
    for place in range(first, stack.frames[row, INFOSETS]):
        sequence, tried = stack.infosets[place] >> 16, stack.infosets[place] & _CELLS
        left = np.uint64(cells & ~tried)
        while left:
            cell = np.int64(lowest(left))
            left &= left - _ONE
            stack.entries[end] = (2 * (sequence + rank(tried, cell)) + taken) << 16 | tried | 1 << cell
            end += 1
    return end


@inlined
def rank(tried, cell):
    """Return the place of a cell among the untried ones."""
    below = (_ONE << np.uint64(cell)) - _ONE
    return np.int64(count(~np.uint64(tried) & below))


@inlined
def descend(board, stack, row, stone, end):
    """Put the frame after a stone, or none, on the stack; its list ends at `end`."""
    frames, mover = stack.frames, row % 2
    own, other = frames[row, STONES + mover] | stone, frames[row, STONES + 1 - mover]
    frames[row, LIST] = end
    frames[row + 1, STONES + mover], frames[row + 1, STONES + 1 - mover] = own, other
    passing = 1 << board.cells if board.abrupt else 0
    frames[row + 1, LEFT] = ((1 << board.cells) - 1) & ~(own | other) | passing


@inlined
def is_over(board, stack, row, cell):
    """Return whether a stone on an empty cell ends the game, and whether its player wins."""
    mover = row % 2
    own = stack.frames[row, STONES + mover] | 1 << cell
    won = board.wins[mover, own]
    return won or own | stack.frames[row, STONES + 1 - mover] == (1 << board.cells) - 1, won


@inlined
def add_to_list(stack, row, utility):
    """Add the utility that a frame has collected for the opponent to the sequences of the opponent's list."""
    if utility.size and stack.sums[row, 1] != 0.0:
        first, last = list_of(stack, row - 1)
        for place in range(first, last):
            utility[stack.entries[place] >> 17] += stack.sums[row, 1]


@inlined
def add_win(stack, row, cell, own, other, utility):
    """Add a win by a stone: the opponent's weight to own sequences, the own weight to the loss."""
    if stack.sums[row, 0] < 0.0:
        total = 0.0
        first, last = list_of(stack, row - 1)
        for place in range(first, last):
            total += other[stack.entries[place] >> 17]
        stack.sums[row, 0] = total
    weight, lost = stack.sums[row, 0], 0.0
    for place in range(stack.frames[row - 1, INFOSETS], stack.frames[row, INFOSETS]):
        sequence = (stack.infosets[place] >> 16) + rank(stack.infosets[place] & _CELLS, cell)
        if utility.size:
            utility[sequence] += weight
        lost += own[sequence]
    stack.sums[row, 1] -= lost
