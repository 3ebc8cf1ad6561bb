"""Encoders of network inputs: features, or sequences of tokens.

An observation is stored in traversals and memories: an infoset's number (4 bytes) for trees, the input
row itself for rules. n decisions, F features or, for sequences, L tokens (0: padding; 1 + player: the
first).
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
from tefuda.games.plays import play
from tefuda.games.protocol import CHANCE
from tefuda.solvers.learned.memories import Column, Reservoir

_HASHED_WORDS = 1022  # vocabulary of hashed tokens, for rules whose tokens are not known beforehand
_SAMPLED_GAMES = 100  # random games in which the longest view is measured


class Targets(NamedTuple):
    """Targets of network outputs at observations, and the weight of each."""

    observations: np.ndarray  # [n] or [n, F]
    legal: np.ndarray  # [n, U] bool
    target: np.ndarray  # [n, U]
    weight: np.ndarray  # [n, U], 0 where an output may be anything

    @classmethod
    def of(cls, observations: np.ndarray, legal: np.ndarray, target: np.ndarray) -> Targets:
        """Return targets with equal weights at legal units."""
        return cls(observations, legal, target, legal.astype(np.float64))


class TreeEncoder:
    """Encoder of a tree: observations are infoset numbers, and a table has their network inputs.

    width: length of an input row. vocabulary: number of different tokens; 0: rows are features.
    column: type of observations in memories.
    """

    def __init__(self, simulator: TreeSimulator, sequences: bool) -> None:
        self.simulator, tree = simulator, simulator.tree
        self.table: np.ndarray = tree.derived(token_table) if sequences else simulator.infoset_features
        self.width, self.vocabulary = self.table.shape[1], int(self.table.max()) + 1 if sequences else 0
        self.column: Column = ((), np.int32)
        self.history_column: Column = ((), np.int32)
        self.history_width = simulator.observe_all(np.flatnonzero(tree.player >= 0)[:1]).shape[1]

    def observe(self, games: np.ndarray) -> np.ndarray:
        """Return `[n]` int32 infosets of the players to move."""
        return self.simulator.tree.infoset[games].astype(np.int32)

    def inputs(self, observations: np.ndarray) -> np.ndarray:
        """Return `[n, F]` network inputs."""
        return np.asarray(self.table[observations])

    def infosets_of(self, player: int) -> np.ndarray:
        """Return `[n]` int32 the infosets of a player."""
        return np.flatnonzero(self.simulator.tree.infoset_player == player).astype(np.int32)

    def observe_histories(self, games: np.ndarray) -> np.ndarray:
        """Return `[n]` int32 histories."""
        return games.astype(np.int32)

    def history_inputs(self, observations: np.ndarray) -> np.ndarray:
        """Return `[n, P F]` inputs of networks of histories."""
        return self.simulator.observe_all(observations)

    def aggregate(self, rows: Targets, histories: bool = False) -> Targets:
        """Return one target row for each infoset or history: summed weights, mean targets."""
        units = rows.legal.shape[1]
        count = len(self.simulator.tree.player if histories else self.table)
        places = (rows.observations[:, None].astype(np.int64) * units + np.arange(units)).ravel()
        weight = np.bincount(places, rows.weight.ravel(), minlength=count * units).reshape(count, units)
        total = np.bincount(places, (rows.target * rows.weight).ravel(), minlength=count * units).reshape(count, units)
        met = np.flatnonzero(weight.any(axis=1))
        infosets = self.simulator.tree.infoset[met] if histories else met
        weight, total = weight[met], total[met]
        target = np.divide(total, weight, out=np.zeros(total.shape), where=weight > 0)
        return Targets(met.astype(np.int32), self.simulator.infoset_legal[infosets], target, weight)

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """Smallest and largest value of observations and histories in memories."""
        return {"observations": (0, len(self.table) - 1), "history": (0, len(self.simulator.tree.player) - 1)}


class RulesEncoder:
    """Encoder of rules: observations are input rows; see `TreeEncoder`."""

    def __init__(self, simulator: ViewSimulator, sequences: bool) -> None:
        self.simulator, self.sequences = simulator, sequences
        self.width, self.vocabulary = simulator.features, 0
        if sequences:
            self.width, self.vocabulary = _sequence_length(simulator), _HASHED_WORDS + 1 + simulator.players
        self.column: Column = ((self.width,), np.int16 if sequences else np.float32)
        self.history_width = simulator.features * simulator.players
        self.history_column: Column = ((self.history_width,), np.float32)

    def observe(self, games: np.ndarray) -> np.ndarray:
        """`[n, F]` float32 or int16."""
        if not self.sequences:
            return self.simulator.observe(games)
        with calling_rules(self.simulator.game):
            view = self.simulator.game.view
            tokens_of_view = [self._sequence(view_of(view(game.state, game.mover)), game.mover) for game in games]
        return np.array(tokens_of_view, dtype=np.int16).reshape(-1, self.width)

    def inputs(self, observations: np.ndarray) -> np.ndarray:
        """Return the observations, `[n, F]`."""
        return observations

    def observe_histories(self, games: np.ndarray) -> np.ndarray:
        """`[n, P F]` float32."""
        return self.simulator.observe_all(games)

    def history_inputs(self, observations: np.ndarray) -> np.ndarray:
        """Return the observations, `[n, P F]`."""
        return observations

    def aggregate(self, rows: Targets, histories: bool = False) -> Targets:
        """Return the same rows; in large games few rows repeat."""
        return rows

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """Smallest and largest value of observations in memories."""
        return {"observations": (0, self.vocabulary - 1)} if self.sequences else {}

    def encode_view(self, view: Hashable, player: int) -> np.ndarray:
        """Return `[1, F]` the observation of a player with this view.

        Raises:
            SolverError: networks read features of states, which views do not determine.
        """
        if self.sequences:
            return np.array([self._sequence(view, player)], dtype=np.int16)
        if not self.simulator.sees_views:
            raise SolverError(
                f"networks of {self.simulator.name} read features() of states, which views do not determine; "
                "simulate it with RulesSimulator(game, encoded=True)."
            )
        row = np.zeros((1, self.width), dtype=np.float32)
        self.simulator.encode(view, row[0])
        return row

    def _sequence(self, view: Hashable, player: int) -> list[int]:
        """Return a view's tokens; a view that is too long loses its first tokens."""
        first = 1 + self.simulator.players
        tokens_of_view = [first + _hashed_token(token.part) for token in tokens(view)][-(self.width - 1) :]
        return [1 + player, *tokens_of_view, *[0] * (self.width - 1 - len(tokens_of_view))]


#: Encoders of all kinds of simulators.
Encoder = TreeEncoder | RulesEncoder


def make_encoder(simulator: Simulator, sequences: bool) -> Encoder:
    """Return the encoder of a game; sequences: read views as tokens instead of features."""
    if isinstance(simulator, TreeSimulator):
        return TreeEncoder(simulator, sequences)
    if sequences and not isinstance(simulator, RulesSimulator):
        raise ParameterError(f"networks over tokens need a RulesSimulator; got {shortened(simulator)}.")
    return RulesEncoder(cast(ViewSimulator, simulator), sequences)


def memory_targets(memory: Reservoir) -> Targets:
    """Return all rows of a memory as targets with their weights."""
    rows = memory.filled_rows()
    return Targets(rows["observations"], rows["legal"], rows["target"], rows["legal"] * rows["weight"][:, None])


def distinct_rows(observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the index of the first copy of each distinct row, and the number of each row's copy group."""
    if len(observations) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    rows = observations.reshape(len(observations), -1)
    as_bytes = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))[:, 0]
    _, first, index = np.unique(as_bytes, return_index=True, return_inverse=True)
    return first, index.reshape(-1)


def token_table(tree: Tree) -> np.ndarray:
    """Return `[I, L]` int64 tokens: the infoset's player, then its key.

    Raises:
        GameError: two infosets of a player have the same tokens.
    """
    vocabulary: dict[object, int] = {}
    tokens_of_view = []
    for key, player in zip(tree.keys, tree.infoset_player.tolist(), strict=True):
        row = [vocabulary.setdefault(token.part, 1 + tree.players + len(vocabulary)) for token in tokens(key)]
        tokens_of_view.append([1 + player, *row])
    longest = max(map(len, tokens_of_view))
    rows = np.array([row + [0] * (longest - len(row)) for row in tokens_of_view], dtype=np.int64)
    require_distinct(tree, rows, "views have the same letters and items")
    return rows


def _hashed_token(part: tuple[str, str]) -> int:
    return int.from_bytes(blake2b(repr(part).encode(), digest_size=8).digest(), "little") % _HASHED_WORDS


def _sequence_length(simulator: ViewSimulator) -> int:
    """Return the number of tokens to read: 1.5 times the longest view in some random games."""
    rules, rng, longest = simulator.game, np.random.default_rng(0), 1
    with calling_rules(rules):
        for _ in range(_SAMPLED_GAMES):
            for step in play(rules, rng)[0]:
                if step.player != CHANCE:
                    longest = max(longest, sum(1 for _ in tokens(view_of(rules.view(step.state, step.player)))))
    return 1 + longest * 3 // 2
