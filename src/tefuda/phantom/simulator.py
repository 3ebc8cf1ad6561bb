"""Many phantom games at once, as arrays of stones and tries.

Dimension letters: G games, C cells, F features.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from tefuda.errors import RunError
from tefuda.files import ArraySpec, check_arrays
from tefuda.forms.simulate import ViewSimulator, require_steppable
from tefuda.games.protocol import TERMINAL
from tefuda.phantom.rules import PhantomGame, require_phantom

NONE = -1  # no try yet; else a try is 2 cell + (whether the cell was taken)


class BoardSimulator(ViewSimulator):
    """Phantom games stepped in parallel.

    Units are the cells. Inputs have perfect recall: for each own try in order its cell `[C]` and whether it was taken
    `[2]`, then for each cell whether it is an own stone, a known stone of the opponent, or unknown `[3]`.

    Args:
        game: the rules.

    >>> import numpy as np
    >>> simulator = td.phantom.BoardSimulator(td.load_game("dark_hex"))
    >>> simulator.observe(simulator.deal(2, np.random.default_rng(0))).shape
    (2, 126)
    """

    players = 2

    def __init__(self, game: PhantomGame) -> None:
        require_phantom(game)
        self.game, self.units = game, len(game.action_labels)
        self.features = self.units * (self.units + 5)
        fields = [("stones", int, 2), ("tries", "i1", (2, self.units)), ("order", "i1", 2 * self.units), ("mover", int)]
        self._type = np.dtype(fields)

    def deal(self, count: int, rng: np.random.Generator) -> np.ndarray:
        games = np.zeros(count, dtype=self._type)
        games["tries"] = games["order"] = NONE
        return games

    def player(self, games: np.ndarray) -> np.ndarray:
        return np.array(games["mover"])

    def legal(self, games: np.ndarray) -> np.ndarray:
        return self.untried(_of_mover(games))

    def untried(self, tries: np.ndarray) -> np.ndarray:
        """Return `[G, C]` bool, the cells that no try `[G, C]` names."""
        legal = np.ones((len(tries), self.units + 1), dtype=bool)
        legal[np.arange(len(tries))[:, None], np.where(tries < 0, self.units, tries >> 1)] = False
        return legal[:, :-1]

    def observe(self, games: np.ndarray) -> np.ndarray:
        return self.inputs(_of_mover(games))

    def observe_all(self, games: np.ndarray) -> np.ndarray:
        return np.concatenate([self.inputs(games["tries"][:, player]) for player in (0, 1)], axis=1)

    def inputs(self, tries: np.ndarray) -> np.ndarray:
        """Return `[G, F]` float32, the inputs of tries `[G, C]` in order."""
        cells, row = self.units, np.zeros((len(tries), self.features), dtype=np.float32)
        board = row[:, cells * (cells + 2) :]
        board[:, 2::3] = 1
        game, number = np.nonzero(tries >= 0)
        cell, taken = np.divmod(tries[game, number].astype(int), 2)
        row[game, number * (cells + 2) + cell] = 1
        row[game, number * (cells + 2) + cells + taken] = 1
        board[game, 3 * cell + 2], board[game, 3 * cell + taken] = 0, 1
        return row

    def step(self, games: np.ndarray, units: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        require_steppable(self, games, units)
        after, place, mover = games.copy(), np.arange(len(games)), games["mover"]
        stones, tries, order = after["stones"], after["tries"], after["order"]
        taken = stones[place, 1 - mover] >> units & 1
        stones[place, mover] |= (1 - taken) << units
        tries[place, mover, (tries[place, mover] >= 0).sum(axis=1)] = 2 * units + taken
        order[place, (order >= 0).sum(axis=1)] = units
        full = stones[:, 0] | stones[:, 1] == (1 << self.units) - 1
        turn = np.where((taken == 1) & (not self.game.abrupt), mover, 1 - mover)
        after["mover"] = np.where(self.game.wins[mover, stones[place, mover]] | full, TERMINAL, turn)
        return after

    def payoffs(self, games: np.ndarray) -> np.ndarray:
        won = [self.game.wins[player, games["stones"][:, player]].astype(float) for player in (0, 1)]
        return np.stack([won[0] - won[1], won[1] - won[0]], axis=1)

    def save_games(self, games: np.ndarray) -> np.ndarray:
        """See `Simulator`: for each game the cells of all tries in order, then -1s, `[2 C]` int8."""
        return games["order"].ravel()

    def load_games(self, saved: np.ndarray, count: int) -> np.ndarray:
        cells = ArraySpec("int8", (count * 2 * self.units,), NONE, self.units - 1)
        check_arrays("the state", {"order": saved}, {"order": cells})
        rng = np.random.default_rng(0)
        games = self.deal(count, rng)
        for units in saved.reshape(count, 2 * self.units).T:
            rows = np.flatnonzero((units >= 0) & (games["mover"] >= 0))
            rows = rows[self.legal(games[rows])[np.arange(len(rows)), units[rows]]]
            games[rows] = self.step(games[rows], units[rows], rng)
        if (self.save_games(games) != saved).any() or (games["mover"] < 0).any():
            raise RunError("the state is damaged: it has games that cannot be played.")
        return games

    def encode(self, view: Hashable, row: np.ndarray) -> None:
        tries = np.full((1, self.units), NONE, dtype=np.int8)
        codes = [2 * cell + taken for cell, taken in self.game.tries(view)]
        tries[0, : len(codes)] = codes
        row[:] = self.inputs(tries)[0]

    def unit_of(self, label: Hashable) -> int:
        return self.game.action_labels.index(str(label))


def _of_mover(games: np.ndarray) -> np.ndarray:
    """Return the tries of the players to move; of player 0 in games that have ended."""
    return np.asarray(games["tries"][np.arange(len(games)), np.maximum(games["mover"], 0)])
