"""Many phantom games at once, as arrays of stones and tries.

Dimension letters: G games, C cells, F features.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from tefuda.errors import ParameterError, RunError
from tefuda.forms.simulate import ViewSimulator, require_steppable
from tefuda.games.protocol import TERMINAL
from tefuda.phantom.rules import PhantomGame

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
        if not isinstance(game, PhantomGame):
            raise ParameterError(f"game must be a phantom game, such as load_game('dark_hex'); got {game!r}.")
        self.game, self.units = game, len(game.action_labels)
        self.features = self.units * (self.units + 5)
        self._type = np.dtype(
            [("stones", int, 2), ("tries", np.int8, (2, self.units)), ("length", int, 2), ("mover", int)]
        )

    def deal(self, count: int, rng: np.random.Generator) -> np.ndarray:
        games = np.zeros(count, dtype=self._type)
        games["tries"] = NONE
        return games

    def player(self, games: np.ndarray) -> np.ndarray:
        return np.array(games["mover"])

    def legal(self, games: np.ndarray) -> np.ndarray:
        return self.untried(_of_mover(games, "tries"))

    def untried(self, tries: np.ndarray) -> np.ndarray:
        """Return `[G, C]` bool, the cells that no try `[G, C]` names."""
        legal = np.ones((len(tries), self.units + 1), dtype=bool)
        legal[np.arange(len(tries))[:, None], np.where(tries < 0, self.units, tries >> 1)] = False
        return legal[:, :-1]

    def observe(self, games: np.ndarray) -> np.ndarray:
        return self.inputs(_of_mover(games, "tries"))

    def observe_all(self, games: np.ndarray) -> np.ndarray:
        return np.concatenate([self.inputs(games["tries"][:, player]) for player in (0, 1)], axis=1)

    def inputs(self, tries: np.ndarray) -> np.ndarray:
        """Return `[G, F]` float32, the inputs of tries `[G, C]` in order."""
        cells, row = self.units, np.zeros((len(tries), self.features), dtype=np.float32)
        order, board = np.split(row, [cells * (cells + 2)], axis=1)
        order, board = order.reshape(-1, cells, cells + 2), board.reshape(-1, cells, 3)
        board[:, :, 2] = 1
        game, number = np.nonzero(tries >= 0)
        cell, taken = tries[game, number] >> 1, tries[game, number] & 1
        row[game, number * (cells + 2) + cell] = 1
        row[game, number * (cells + 2) + cells + taken] = 1
        first = cells * (cells + 2) + 3 * cell.astype(int)
        row[:, cells * (cells + 2) + 2 :: 3] = 1
        row[game, first + 2], row[game, first + taken] = 0, 1
        return row

    def step(self, games: np.ndarray, units: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        require_steppable(self, games, units)
        after, place, mover = games.copy(), np.arange(len(games)), games["mover"]
        stones, bit = after["stones"], 1 << np.asarray(units)
        taken = stones[place, 1 - mover] & bit > 0
        stones[place, mover] |= np.where(taken, 0, bit)
        after["tries"][place, mover, after["length"][place, mover]] = 2 * np.asarray(units) + taken
        after["length"][place, mover] += 1
        full = stones[:, 0] | stones[:, 1] == (1 << self.units) - 1
        over = self.game.wins[mover, stones[place, mover]] | full
        turn = np.where(taken & (not self.game.abrupt), mover, 1 - mover)
        after["mover"] = np.where(over, TERMINAL, turn)
        return after

    def payoffs(self, games: np.ndarray) -> np.ndarray:
        won = [self.game.wins[player, games["stones"][:, player]].astype(float) for player in (0, 1)]
        return np.stack([won[0] - won[1], won[1] - won[0]], axis=1)

    def save_games(self, games: np.ndarray) -> np.ndarray:
        """See `Simulator`: for each game the tries of both players `[2, C]`, and the player to move `[C]`."""
        mover = np.broadcast_to(games["mover"][:, None, None], (len(games), 1, self.units))
        return np.concatenate([games["tries"], mover.astype(np.int8)], axis=1).ravel()

    def load_games(self, saved: np.ndarray, count: int) -> np.ndarray:
        games = self.deal(count, np.random.default_rng(0))
        numbers = np.asarray(saved)
        if numbers.size != count * 3 * self.units or numbers.dtype != np.int8:
            raise RunError("the saved state has another number of games than the simulator.")
        numbers = numbers.reshape(count, 3, self.units)
        tries, mover = numbers[:, :2], numbers[:, 2, 0].astype(int)
        length = (tries >= 0).sum(axis=2)
        placed = (tries >= 0) & (tries & 1 == 0)
        stones = np.where(placed, 1 << (tries >> 1).astype(int), 0).sum(axis=2)
        games["stones"], games["tries"], games["length"], games["mover"] = stones, tries, length, mover
        if not self._consistent(games):
            raise RunError("the state is damaged: it has games that cannot be played.")
        return games

    def _consistent(self, games: np.ndarray) -> bool:
        """Return whether games have distinct tries of cells and disjoint stones, and have not ended."""
        tries, stones = games["tries"], games["stones"]
        in_order = (np.diff((tries >= 0).astype(int), axis=2) <= 0).all() and (tries >= NONE).all()
        if not in_order or (tries >= 2 * self.units).any() or not np.isin(games["mover"], (0, 1)).all():
            return False
        distinct = all(
            (self.untried(tries[:, player]).sum(axis=1) == self.units - games["length"][:, player]).all()
            for player in (0, 1)
        )
        open_ = not any(self.game.wins[player, stones[:, player]].any() for player in (0, 1))
        return bool(distinct and open_ and not (stones[:, 0] & stones[:, 1]).any())

    def encode(self, view: Hashable, row: np.ndarray) -> None:
        tries = np.full((1, self.units), NONE, dtype=np.int8)
        for number, (cell, taken) in enumerate(self.game.tries(view)):
            tries[0, number] = 2 * cell + taken
        row[:] = self.inputs(tries)[0]

    def unit_of(self, label: Hashable) -> int:
        return self.game.action_labels.index(str(label))


def _of_mover(games: np.ndarray, name: str) -> np.ndarray:
    """Return a field of the players to move; of player 0 in games that have ended."""
    return np.asarray(games[name][np.arange(len(games)), np.maximum(games["mover"], 0)])
