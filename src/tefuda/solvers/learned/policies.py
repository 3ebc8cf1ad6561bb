"""Strategies of networks: profiles of trees or policies of views; exact averages of iterations.

n decisions, I infosets, U units, R rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import reach
from tefuda.forms.features import unit_weights
from tefuda.forms.simulate import TreeSimulator
from tefuda.solvers.learned.encoders import Encoder, RulesEncoder, TreeEncoder
from tefuda.solvers.protocol import Policy

#: Function of player, observations and legal units that returns strategies `[n, U]`.
StrategyFunction = Callable[[int, np.ndarray, np.ndarray], np.ndarray]


def fill_by_infoset(simulator: TreeSimulator, function: StrategyFunction, player: int, by_unit: np.ndarray) -> None:
    """Fill in `[I, U]` a player's strategies at its infosets."""
    infosets = np.flatnonzero(simulator.tree.infoset_player == player)
    by_unit[infosets] = function(player, infosets.astype(np.int32), simulator.infoset_legal[infosets])


def unit_profile(simulator: TreeSimulator, by_unit: np.ndarray) -> Profile:
    """Return probabilities of units `[I, U]` as a profile."""
    return Profile.from_weights(simulator.tree, unit_weights(simulator.tree, simulator.infoset_action, by_unit))


class EncodedPolicy:
    """The policy of networks without a tree."""

    def __init__(self, encoder: RulesEncoder, function: StrategyFunction) -> None:
        self.encoder, self.function = encoder, function

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """See `Policy`.

        Raises:
            SolverError: networks read features of states, which views do not determine.
        """
        simulator = self.encoder.simulator
        observations, legal = self.encoder.encode_view(key, player), np.zeros((1, simulator.units), dtype=bool)
        units = [simulator.unit_of(label) for label in actions]
        legal[0, units] = True
        probabilities = self.function(player, observations, legal)[0, units].astype(np.float64)
        return list((probabilities / probabilities.sum()).tolist())


def make_strategy(encoder: Encoder, function: StrategyFunction) -> Profile | Policy:
    """Return the strategies of all players: a profile if there is a tree, else a policy."""
    if isinstance(encoder, RulesEncoder):
        return EncodedPolicy(encoder, function)
    by_unit = np.zeros(encoder.simulator.infoset_legal.shape)
    for player in range(encoder.simulator.players):
        fill_by_infoset(encoder.simulator, function, player, by_unit)
    return unit_profile(encoder.simulator, by_unit)


class CurrentStrategies:
    """Current strategies for traversals; on trees a table that is updated when networks change."""

    def __init__(self, encoder: Encoder, players: int, function: StrategyFunction) -> None:
        self.encoder, self._function, self._stale = encoder, function, [True] * players
        self._table = np.zeros(encoder.simulator.infoset_legal.shape if isinstance(encoder, TreeEncoder) else (0, 0))

    def invalidate(self, player: int) -> None:
        """Mark a player's strategies as out of date."""
        self._stale[player] = True

    @property
    def table(self) -> np.ndarray:
        """Strategies `[I, U]` over a tree."""
        assert isinstance(self.encoder, TreeEncoder)
        for player, stale in enumerate(self._stale):
            if stale:
                fill_by_infoset(self.encoder.simulator, self._function, player, self._table)
                self._stale[player] = False
        return self._table

    def strategies(self, player: int, games: np.ndarray, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
        if isinstance(self.encoder, TreeEncoder):
            return np.asarray(self.table[observations])
        return self._function(player, observations, legal)

    def of_movers(self, movers: np.ndarray, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """Return `[n, U]` strategies at decisions of several players."""
        if isinstance(self.encoder, TreeEncoder):
            return np.asarray(self.table[observations])
        by_unit = np.zeros(legal.shape)
        for player in np.unique(movers).tolist():
            selected = movers == player
            by_unit[selected] = self._function(player, observations[selected], legal[selected])
        return by_unit


class IterateAverage:
    """The exact average of all iterations' strategies, weighted by own reach (Steinberger 2019, SD-CFR)."""

    def __init__(self, simulator: TreeSimulator) -> None:
        self.simulator, self.total = simulator, np.zeros(simulator.tree.rows)

    def add(self, player: int, by_unit: np.ndarray, weight: float) -> None:
        """Add a player's strategies `[I, U]`."""
        tree = self.simulator.tree
        profile = unit_profile(self.simulator, by_unit)
        own = reach(profile).own[tree.first_history, player][tree.infoset_of_row]
        infosets = tree.player_of_row == player
        self.total[infosets] += (weight * own * profile.probabilities)[infosets]

    def profile(self) -> Profile:
        """Return the average; uniform where the reach is zero."""
        return Profile.from_weights(self.simulator.tree, self.total)
