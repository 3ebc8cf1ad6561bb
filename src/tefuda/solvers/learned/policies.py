"""Play of models: profiles of trees, else policies asked view by view; and averages of iterations by own paths.

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

#: Strategies `[n, U]` of a player from what it sees and what is legal.
Answer = Callable[[int, np.ndarray, np.ndarray], np.ndarray]


def by_infoset(simulator: TreeSimulator, answer: Answer, player: int, found: np.ndarray) -> None:
    """Fill in `[I, U]` what a player answers at its infosets."""
    mine = np.flatnonzero(simulator.tree.infoset_player == player)
    found[mine] = answer(player, mine.astype(np.int32), simulator.infoset_legal[mine])


def profile_by_unit(simulator: TreeSimulator, by_unit: np.ndarray) -> Profile:
    """Probabilities of units `[I, U]` as a profile."""
    return Profile.from_weights(simulator.tree, unit_weights(simulator.tree, simulator.infoset_action, by_unit))


class EncodedPolicy:
    """Play of models where there is no tree."""

    def __init__(self, encoder: RulesEncoder, answer: Answer) -> None:
        self.encoder, self.answer = encoder, answer

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """See `Policy`.

        Raises:
            SolverError: the models see features of states, which do not follow from a view.
        """
        simulator = self.encoder.simulator
        seen, legal = self.encoder.of_view(key, player), np.zeros((1, simulator.units), dtype=bool)
        units = [simulator.unit_of(label) for label in actions]
        legal[0, units] = True
        shares = self.answer(player, seen, legal)[0, units].astype(np.float64)
        return list((shares / shares.sum()).tolist())


def played(encoder: Encoder, answer: Answer) -> Profile | Policy:
    """Return the answers of all players: a profile where there is a tree, else a policy."""
    if isinstance(encoder, RulesEncoder):
        return EncodedPolicy(encoder, answer)
    found = np.zeros(encoder.simulator.infoset_legal.shape)
    for player in range(encoder.simulator.players):
        by_infoset(encoder.simulator, answer, player, found)
    return profile_by_unit(encoder.simulator, found)


class Answered:
    """Current strategies, as walks ask for them: over a tree in a table that is renewed when models change."""

    def __init__(self, encoder: Encoder, players: int, answer: Answer) -> None:
        self.encoder, self._answer, self._stale = encoder, answer, [True] * players
        self._table = np.zeros(encoder.simulator.infoset_legal.shape if isinstance(encoder, TreeEncoder) else (0, 0))

    def renew(self, player: int) -> None:
        """Look a player's strategies up anew."""
        self._stale[player] = True

    @property
    def table(self) -> np.ndarray:
        """`[I, U]` over a tree."""
        assert isinstance(self.encoder, TreeEncoder)
        for player, stale in enumerate(self._stale):
            if stale:
                by_infoset(self.encoder.simulator, self._answer, player, self._table)
                self._stale[player] = False
        return self._table

    def strategies(self, player: int, games: np.ndarray, seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """See `waves.Strategies`."""
        if isinstance(self.encoder, TreeEncoder):
            return np.asarray(self.table[seen])
        return self._answer(player, seen, legal)

    def of_players(self, movers: np.ndarray, seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """`[n, U]` strategies of several players at once."""
        if isinstance(self.encoder, TreeEncoder):
            return np.asarray(self.table[seen])
        found = np.zeros(legal.shape)
        for player in np.unique(movers).tolist():
            rows = movers == player
            found[rows] = self._answer(player, seen[rows], legal[rows])
        return found


class IterateAverage:
    """The exact average of iterations' strategies by own reach, over a tree (Steinberger 2019, SD-CFR)."""

    def __init__(self, simulator: TreeSimulator) -> None:
        self.simulator, self.total = simulator, np.zeros(simulator.tree.rows)

    def count(self, player: int, by_unit: np.ndarray, weight: float) -> None:
        """Add a player's strategies `[I, U]`."""
        tree = self.simulator.tree
        profile = profile_by_unit(self.simulator, by_unit)
        own = reach(profile).own[tree.first_history, player][tree.infoset_of_row]
        mine = tree.player_of_row == player
        self.total[mine] += (weight * own * profile.probabilities)[mine]

    def profile(self) -> Profile:
        """The average; uniform where no iteration came."""
        return Profile.from_weights(self.simulator.tree, self.total)
