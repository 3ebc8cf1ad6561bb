"""Phantom games: dark hex and phantom tic-tac-toe, in which only a referee sees both players' stones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tefuda.errors import ParameterError, check_range, shortened
from tefuda.games.phrases import between, phrases
from tefuda.games.protocol import TERMINAL, Observation, move_text
from tefuda.phantom.boards import hex_wins, line_wins

_MOST = 16  # cells of a board: a table has each set of them
REFEREED = 9  # cells of the largest board that a referee numbers; smaller ones are trees too
_TAKEN = ":taken"  # after the cell of a failed try in a view


class PhantomGame:
    """The common rules of phantom games.

    Players name cells in turn, each cell at most once. An empty cell gets a stone of the player. On an opponent's
    stone the try fails, and the player learns that the cell is taken. Then it tries again; in the abrupt game the turn
    passes. Opponents learn nothing. A full board is a draw, unless a player has won.

    A state is (stones as bits, views, player to move). A view is ``"b2 a1:taken c3"``, the own tries in order, nothing
    else.
    """

    players, constant_sum = 2, 0
    kit = "tefuda.phantom.kit:PhantomKit"
    name: str
    rows: int
    columns: int
    abrupt: bool

    @cached_property
    def action_labels(self) -> tuple[str, ...]:
        """All cells: column a, b, ... and row 1, 2, ..., as in ``"b1"``."""
        return tuple(f"{chr(ord('a') + column)}{row + 1}" for row in range(self.rows) for column in range(self.columns))

    @property
    def wins(self) -> np.ndarray:
        """Winning sets of stones `[2, 2^cells]` bool of each player."""
        raise NotImplementedError

    def root(self):
        return ((0, 0), ("", ""), 0)

    def player(self, state):
        return state[2]

    def actions(self, state):
        _, views, mover = state
        view = views[mover]
        return tuple([label for label in self.action_labels if label not in view])

    def chances(self, state):
        return ()

    def child(self, state, action):
        stones, views, mover = state
        cell, stones, views = self.action_labels.index(action), [*stones], [*views]
        taken = stones[1 - mover] >> cell & 1
        stones[mover] |= (1 - taken) << cell
        views[mover] = f"{views[mover]} {action}{_TAKEN * taken}".lstrip()
        over = self.wins[mover, stones[mover]] or stones[0] | stones[1] == (1 << len(self.action_labels)) - 1
        turn = TERMINAL if over else mover if taken and not self.abrupt else 1 - mover
        return (tuple(stones), tuple(views), turn)

    def payoffs(self, state):
        result = int(self.wins[0, state[0][0]]) - int(self.wins[1, state[0][1]])
        return (result, -result)

    def view(self, state, player):
        return state[1][player]

    def view_of(self, tries):
        """Return the view of tries in order, each 2 cell + (whether it was taken); negative ones are left out."""
        return " ".join(f"{self.action_labels[code >> 1]}{_TAKEN * (code & 1)}" for code in tries if code >= 0)

    def tries(self, view):
        """Return the tries of a view, pairs of a cell's number and whether it was taken.

        Raises:
            ParameterError: the text is not a view of this game.
        """
        parts = [(part.removesuffix(_TAKEN), part.endswith(_TAKEN)) for part in str(view).split()]
        names = [name for name, _ in parts]
        if not {*names} <= {*self.action_labels} or len({*names}) < len(names):
            raise ParameterError(f"a view of {self.name} lists cells such as 'a1 b2:taken', got {view!r}.")
        return [(self.action_labels.index(name), taken) for name, taken in parts]

    def observe(self, view, player, language="en"):
        words, separator = phrases("phantom", language), between(language)
        moves, stones = [], []
        for cell, taken in self.tries(view):
            name = self.action_labels[cell]
            moves.append(move_text(player, player, words["try"].format(name), language))
            if taken:
                moves[-1] = words["taken"].format(moves[-1])
            else:
                stones.append(name)
        hand = words["stones"].format(separator.join(stones)) if stones else words["no stones"]
        return Observation(hand, separator.join(moves))


def require_phantom(game):
    """Raise ParameterError unless `game` is a phantom game."""
    if not isinstance(game, PhantomGame):
        raise ParameterError(f"game must be a phantom game, such as load_game('dark_hex'); got {shortened(game)}.")


@dataclass(frozen=True)
class DarkHex(PhantomGame):
    """Dark hex: players join opposite sides with stones that only a referee sees.

    Player 0 joins top and bottom, player 1 left and right. See `PhantomGame`; a full board always has a winner.

    Args:
        rows: number of rows, 2 or more.
        columns: number of columns, 2 or more; at most 16 cells.
        abrupt: whether the turn passes after a failed try.
    """

    rows: int = 3
    columns: int = 3
    abrupt: bool = False
    name = "dark_hex"

    def __post_init__(self) -> None:
        for side in ("rows", "columns"):
            check_range(side, getattr(self, side), 2, _MOST // 2)
        check_range("number of cells, rows * columns,", self.rows * self.columns, 4, _MOST)

    @property
    def wins(self) -> np.ndarray:
        return hex_wins(self.rows, self.columns)


@dataclass(frozen=True)
class PhantomTicTacToe(PhantomGame):
    """Phantom tic-tac-toe: three in a line win, on a board that only a referee sees; see `PhantomGame`.

    Args:
        abrupt: whether the turn passes after a failed try.
    """

    abrupt: bool = False
    name = "phantom_ttt"
    rows = columns = 3

    @property
    def wins(self) -> np.ndarray:
        return line_wins(3)
