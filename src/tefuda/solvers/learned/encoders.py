"""Encoders: flat features, or sequences of tokens; a tree's infosets by number, views of rules as rows.

An observation (*seen*) goes through walks and memories: the number of an infoset (4 bytes), or the row itself.
n decisions, F features or, of sequences, L tokens (0: padding; 1 + player: the first).
"""

from __future__ import annotations

from collections.abc import Hashable
from hashlib import blake2b
from typing import NamedTuple, cast

import numpy as np

from tefuda.errors import ParameterError, SolverError, shortened
from tefuda.forms.features import require_distinct, tokens
from tefuda.forms.rules_simulator import RulesSimulator
from tefuda.forms.simulate import Simulator, TreeSimulator, ViewSimulator
from tefuda.forms.tree import Tree
from tefuda.games.answers import calling_rules, view_of
from tefuda.games.playthrough import play
from tefuda.games.protocol import CHANCE
from tefuda.solvers.learned.memories import Column, Reservoir

_WORDS = 1022  # of rules, whose tokens are not known beforehand: a digest is a token's word
_READ = 100  # random games that are searched for the longest view


class Targets(NamedTuple):
    """Targets of the outputs for rows seen, and the weight of each."""

    seen: np.ndarray  # [n] or [n, F]
    legal: np.ndarray  # [n, U] bool
    target: np.ndarray  # [n, U]
    weight: np.ndarray  # [n, U], 0 where an output may be anything

    @classmethod
    def of(cls, seen: np.ndarray, legal: np.ndarray, target: np.ndarray) -> Targets:
        """Return targets that count alike wherever a unit is legal."""
        return cls(seen, legal, target, legal.astype(np.float64))


class TreeEncoder:
    """Infosets by number, and a table of the networks' inputs there.

    width: of a row. words: number of tokens; 0: rows are features. column: of observations in memories.
    """

    def __init__(self, simulator: TreeSimulator, sequences: bool) -> None:
        self.simulator, tree = simulator, simulator.tree
        self.table: np.ndarray = tree.derived(token_table) if sequences else simulator.infoset_features
        self.width, self.words = self.table.shape[1], int(self.table.max()) + 1 if sequences else 0
        self.column: Column = ((), np.int32)
        self.history_column: Column = ((), np.int32)
        self.history_width = simulator.observe_all(np.flatnonzero(tree.player >= 0)[:1]).shape[1]

    def observe(self, games: np.ndarray) -> np.ndarray:
        """Return `[n]` int32 infosets of the players to move."""
        return self.simulator.tree.infoset[games].astype(np.int32)

    def rows(self, seen: np.ndarray) -> np.ndarray:
        """Return `[n, F]` inputs of networks."""
        return np.asarray(self.table[seen])

    def all_of(self, player: int) -> np.ndarray:
        """Return `[n]` int32 the infosets of a player."""
        return np.flatnonzero(self.simulator.tree.infoset_player == player).astype(np.int32)

    def observe_all(self, games: np.ndarray) -> np.ndarray:
        """Return `[n]` int32 histories."""
        return games.astype(np.int32)

    def history_rows(self, seen: np.ndarray) -> np.ndarray:
        """Return `[n, P F]` inputs of networks of histories."""
        return self.simulator.observe_all(seen)

    def summed(self, rows: Targets, histories: bool = False) -> Targets:
        """Return the targets with a row for each infoset or history: summed weights, mean targets."""
        units = rows.legal.shape[1]
        count = len(self.simulator.tree.player if histories else self.table)
        places = (rows.seen[:, None].astype(np.int64) * units + np.arange(units)).ravel()
        weight = np.bincount(places, rows.weight.ravel(), minlength=count * units).reshape(count, units)
        total = np.bincount(places, (rows.target * rows.weight).ravel(), minlength=count * units).reshape(count, units)
        met = np.flatnonzero(weight.any(axis=1))
        infosets = self.simulator.tree.infoset[met] if histories else met
        weight, total = weight[met], total[met]
        target = np.divide(total, weight, out=np.zeros(total.shape), where=weight > 0)
        return Targets(met.astype(np.int32), self.simulator.infoset_legal[infosets], target, weight)

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Low and high of observations and of histories in memories."""
        return {"seen": (0, len(self.table) - 1), "history": (0, len(self.simulator.tree.player) - 1)}


class RulesEncoder:
    """Rows as networks read them; see `TreeEncoder`."""

    def __init__(self, simulator: ViewSimulator, sequences: bool) -> None:
        self.simulator, self.sequences = simulator, sequences
        self.width, self.words = (
            (_longest(simulator), _WORDS + 1 + simulator.players) if sequences else (simulator.features, 0)
        )
        self.column: Column = ((self.width,), np.int16 if sequences else np.float32)
        self.history_width = simulator.features * simulator.players
        self.history_column: Column = ((self.history_width,), np.float32)

    def observe(self, games: np.ndarray) -> np.ndarray:
        """`[n, F]` float32 or int16."""
        if not self.sequences:
            return self.simulator.observe(games)
        with calling_rules(self.simulator.game.rules):
            view = self.simulator.game.rules.view
            found = [self._sequence(view_of(view(game.state, game.mover)), game.mover) for game in games]
        return np.array(found, dtype=np.int16).reshape(-1, self.width)

    def rows(self, seen: np.ndarray) -> np.ndarray:
        """Return `[n, F]`, the observations."""
        return seen

    def observe_all(self, games: np.ndarray) -> np.ndarray:
        """`[n, P F]` float32."""
        return self.simulator.observe_all(games)

    def history_rows(self, seen: np.ndarray) -> np.ndarray:
        """Return `[n, P F]`, the observations."""
        return seen

    def summed(self, rows: Targets, histories: bool = False) -> Targets:
        """Return the same rows: of large games hardly any comes twice."""
        return rows

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Low and high of observations and of histories in memories."""
        return {"seen": (0, self.words - 1)} if self.sequences else {}

    def of_view(self, view: Hashable, player: int) -> np.ndarray:
        """Return `[1, F]` the observation of a player with this view.

        Raises:
            SolverError: networks see features of states, which do not follow from a view.
        """
        if self.sequences:
            return np.array([self._sequence(view, player)], dtype=np.int16)
        if not self.simulator.sees_views:
            raise SolverError(
                f"networks of {self.simulator.game.name} see features() of states, which no view tells; "
                "simulate it with RulesSimulator(game, encoded=True)."
            )
        row = np.zeros((1, self.width), dtype=np.float32)
        self.simulator.encode(view, row[0])
        return row

    def _sequence(self, view: Hashable, player: int) -> list[int]:
        """Return a view's tokens; of one that is too long the latest."""
        first = 1 + self.simulator.players
        found = [first + _word(token.part) for token in tokens(view)][-(self.width - 1) :]
        return [1 + player, *found, *[0] * (self.width - 1 - len(found))]


#: What networks read of a game, however it is simulated.
Encoder = TreeEncoder | RulesEncoder


def encoder_of(simulator: Simulator, sequences: bool) -> Encoder:
    """Return the encoder of a game; sequences: tokens of views in place of features."""
    if isinstance(simulator, TreeSimulator):
        return TreeEncoder(simulator, sequences)
    if sequences and not isinstance(simulator, RulesSimulator):
        raise ParameterError(f"views are read as tokens over RulesSimulator; got {shortened(simulator)}.")
    return RulesEncoder(cast(ViewSimulator, simulator), sequences)


def targets_of(memory: Reservoir) -> Targets:
    """Return all rows of a memory as targets with their weights."""
    rows = memory.held()
    return Targets(rows["seen"], rows["legal"], rows["target"], rows["legal"] * rows["weight"][:, None])


def distinct(seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first of each kind of row, and the kind of each row."""
    if len(seen) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    rows = seen.reshape(len(seen), -1)
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))[:, 0]
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    return first, place.reshape(-1)


def token_table(tree: Tree) -> np.ndarray:
    """Return `[I, L]` int64 the tokens of every infoset's key behind one for its player.

    Raises:
        GameError: two infosets of a player whose keys have the same tokens.
    """
    words: dict[object, int] = {}
    found = []
    for key, player in zip(tree.keys, tree.infoset_player.tolist(), strict=True):
        known = [words.setdefault(token.part, 1 + tree.players + len(words)) for token in tokens(key)]
        found.append([1 + player, *known])
    longest = max(map(len, found))
    rows = np.array([row + [0] * (longest - len(row)) for row in found], dtype=np.int64)
    require_distinct(tree, rows, "views have the same letters and items")
    return rows


def _word(part: tuple[str, str]) -> int:
    return int.from_bytes(blake2b(repr(part).encode(), digest_size=8).digest(), "little") % _WORDS


def _longest(simulator: ViewSimulator) -> int:
    """Return the tokens to read of a view: half as many again as the longest in some random games has."""
    rules, rng, longest = simulator.game.rules, np.random.default_rng(0), 1
    with calling_rules(rules):
        for _ in range(_READ):
            for step in play(rules, rng)[0]:
                if step.player != CHANCE:
                    longest = max(longest, sum(1 for _ in tokens(view_of(rules.view(step.state, step.player)))))
    return 1 + longest * 3 // 2
