"""The referee's walk over both players' timed stones.

A history is the order of both players' tries. Given which stone each player placed at which of its turns, the tries of
the players are independent: the failed ones name opponent's stones that lay there already. So the walk visits pairs of
timed stones, and each player has a list of its own orders that fit. A failed try of the abrupt game is a turn without a
stone.

A sequence is a number, 0 the empty one. An entry is 2 sequence + (whether the cell was taken), and a list has entries
with the tried cells, ``entry << 16 | cells``. The infoset after an entry is known by its first sequence: the actions of
an infoset have consecutive numbers, in the order of the untried cells. Infosets are numbered in the order of the walk,
parents before children.
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
    """

    child: np.ndarray
    parent: np.ndarray
    actions: np.ndarray


class Stack(NamedTuple):
    """The path of the walk.

    frames: `[D, COLUMNS]` int64; the first two rows have the lists of the root.
    infosets: `[M]` int64, ``first sequence << 16 | tried cells`` of the player to move, frame after frame.
    entries: `[M]` int64, the lists of the frames' children.
    sums: `[D, 2]` float64 at a frame: the opponent's realisation weights, and the utility of its list.
    """

    frames: np.ndarray
    infosets: np.ndarray
    entries: np.ndarray
    sums: np.ndarray


@inlined
def rank(tried, cell):
    """Return the place of a cell among the untried ones."""
    below = (_ONE << np.uint64(cell)) - _ONE
    return np.int64(count(~np.uint64(tried) & below))


@inlined
def start(stack, board, first):
    """Put the root's frame on an empty stack: all first cells, or one."""
    stack.frames[:3] = 0
    stack.entries[0] = stack.entries[1] = 0
    stack.frames[0, LIST], stack.frames[1, LIST] = 1, 2
    stack.frames[2, LEFT] = (1 << board.cells) - 1 if first < 0 else 1 << first


@inlined
def list_of(stack, row):
    """Return the bounds of the list that the child of a frame has."""
    return (stack.frames[row - 1, LIST] if row else 0), stack.frames[row, LIST]


@inlined
def add_failed(board, child, stack, row, taken):
    """Append the infosets after failed tries on opponent's stones, again and again, to those of a frame."""
    end, place = stack.frames[row, INFOSETS], stack.frames[row - 1, INFOSETS]
    while place < end:
        first, tried = stack.infosets[place] >> 16, stack.infosets[place] & _CELLS
        left = np.uint64(taken & ~tried)
        while left:
            cell = np.int64(lowest(left))
            left &= left - _ONE
            after = np.int64(child[2 * (first + rank(tried, cell)) + 1])
            stack.infosets[end] = after << 16 | tried | 1 << cell
            end += 1
        place += 1
    stack.frames[row, INFOSETS] = end


@inlined
def enter(board, child, stack, row):
    """Fill a frame with the infosets of the player to move."""
    end = stack.frames[row - 1, INFOSETS]
    first, last = list_of(stack, row - 2)
    for place in range(first, last):
        entry = stack.entries[place]
        stack.infosets[end] = np.int64(child[entry >> 16]) << 16 | entry & _CELLS
        end += 1
    stack.frames[row, INFOSETS] = end
    if not board.abrupt:
        add_failed(board, child, stack, row, stack.frames[row, STONES + 1 - row % 2])


@inlined
def is_over(board, stack, row, cell):
    """Return whether a stone on an empty cell ends the game, and whether its player wins."""
    mover = row % 2
    own = stack.frames[row, STONES + mover] | 1 << cell
    won = board.wins[mover, own]
    return won or own | stack.frames[row, STONES + 1 - mover] == (1 << board.cells) - 1, won


@inlined
def place_stone(board, stack, row, cell):
    """Make the frame and the list after a stone on an empty cell."""
    end, mover = stack.frames[row - 1, LIST], row % 2
    for place in range(stack.frames[row - 1, INFOSETS], stack.frames[row, INFOSETS]):
        first, tried = stack.infosets[place] >> 16, stack.infosets[place] & _CELLS
        stack.entries[end] = 2 * (first + rank(tried, cell)) << 16 | tried | 1 << cell
        end += 1
    descend(board, stack, row, end)
    stack.frames[row + 1, STONES + mover] |= 1 << cell
    stack.frames[row + 1, LEFT] &= ~(1 << cell)


@inlined
def fail(board, stack, row):
    """Make the frame and the list after a failed try of the abrupt game; return whether there are any."""
    begin = end = stack.frames[row - 1, LIST]
    taken = stack.frames[row, STONES + 1 - row % 2]
    for place in range(stack.frames[row - 1, INFOSETS], stack.frames[row, INFOSETS]):
        first, tried = stack.infosets[place] >> 16, stack.infosets[place] & _CELLS
        left = np.uint64(taken & ~tried)
        while left:
            cell = np.int64(lowest(left))
            left &= left - _ONE
            stack.entries[end] = (2 * (first + rank(tried, cell)) + 1) << 16 | tried | 1 << cell
            end += 1
    if end > begin:
        descend(board, stack, row, end)
    return end > begin


@inlined
def descend(board, stack, row, end):
    """Put a frame with the same stones on the stack; the list of its parent ends at `end`."""
    frames = stack.frames
    frames[row, LIST] = end
    frames[row + 1, STONES], frames[row + 1, STONES + 1] = frames[row, STONES], frames[row, STONES + 1]
    empty = ((1 << board.cells) - 1) & ~(frames[row, STONES] | frames[row, STONES + 1])
    frames[row + 1, LEFT] = empty | (1 << board.cells if board.abrupt else 0)


@kernel
def accumulate(board, players, plans, utilities, wanted, stack, first):
    """Add the utilities of all sequences of one or both players to `[S0]` and `[S1]`.

    Args:
        board: the rules.
        players: the infosets of both players.
        plans: realisation plans `[S0]` and `[S1]`.
        utilities: `[S0]` and `[S1]`, to which those of a sequence against the opponent's plan are added.
        wanted: whether the utilities of each player are wanted.
        stack: room for the walk.
        first: the only first cell of player 0; -1: all cells.
    """
    start(stack, board, first)
    row = 2
    enter(board, players[0].child, stack, row)
    stack.sums[row] = -1.0, 0.0
    while row > 1:
        left = np.uint64(stack.frames[row, LEFT])
        if not left:
            if row % 2:
                add_to_list(stack, row, utilities[0], wanted[0])
            else:
                add_to_list(stack, row, utilities[1], wanted[1])
            row -= 1
            continue
        cell = np.int64(lowest(left))
        stack.frames[row, LEFT] = np.int64(left & (left - _ONE))
        if cell == board.cells:
            entered = fail(board, stack, row)
        else:
            over, won = is_over(board, stack, row, cell)
            entered = not over
            if won and row % 2:
                add_win(stack, row, cell, plans[1], plans[0], utilities[1], wanted[1])
            elif won:
                add_win(stack, row, cell, plans[0], plans[1], utilities[0], wanted[0])
            elif entered:
                place_stone(board, stack, row, cell)
        if entered:
            row += 1
            enter(board, players[1].child if row % 2 else players[0].child, stack, row)
            stack.sums[row] = -1.0, 0.0


@inlined
def add_to_list(stack, row, utility, wanted):
    """Add the utility that a frame has collected for the opponent to the sequences of the opponent's list."""
    if wanted and stack.sums[row, 1] != 0.0:
        first, last = list_of(stack, row - 1)
        for place in range(first, last):
            utility[stack.entries[place] >> 17] += stack.sums[row, 1]


@inlined
def add_win(stack, row, cell, own, other, utility, wanted):
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
        if wanted:
            utility[sequence] += weight
        lost += own[sequence]
    stack.sums[row, 1] -= lost
