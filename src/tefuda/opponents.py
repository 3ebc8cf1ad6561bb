"""What others play, learned from what was seen of them.

Models count actions at keys: infosets, or coarser states a function names. `Likelihood` scores how little an opponent
plays like an equilibrium, and chooses whom to exploit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from tefuda.agents import Sight
from tefuda.errors import check_range
from tefuda.profile import Profile
from tefuda.response import reach
from tefuda.tree import Tree

FLOOR = 1e-6  # the least probability an action is thought to have in a score


def counts_of(tree: Tree, sights: list[Sight], player: int) -> np.ndarray:
    """`[R]` how often a player's rows were seen; hands in which what it knew stayed hidden are left out."""
    counts = np.zeros(tree.rows)
    for sight in sights:
        for move in sight.moves:
            if move.player == player and move.infoset >= 0:
                counts[tree.first_row[move.infoset] + tree.labels(move.infoset).index(move.action)] += 1
    return counts


def frequentist(tree: Tree, counts: np.ndarray, default: Profile, smoothing: float = 0.0) -> Profile:
    """Relative frequencies `[R]`, with `smoothing` fictitious plays of the default an infoset; else the default.

    With a Dirichlet prior of these parameters it is the posterior mean (Southey et al. 2005) of hands seen in full.
    """
    check_range("smoothing", smoothing, 0, whole=False)
    weights = counts + smoothing * default.probabilities
    total = np.add.reduceat(weights, tree.first_row[:-1])[tree.infoset_of_row]
    return Profile.from_weights(tree, np.where(total > 0, weights, default.probabilities))


def posterior_sample(
    tree: Tree, counts: np.ndarray, prior: Profile, strength: float, rng: np.random.Generator
) -> Profile:
    """A profile drawn from independent Dirichlet posteriors: prior of `strength` fictitious plays, and the counts."""
    check_range("strength", strength, 0, whole=False)
    return Profile.from_weights(tree, rng.gamma(np.maximum(counts + strength * prior.probabilities, 1e-12)) + 1e-300)


@dataclass
class Likelihood:
    """How little the others play like an equilibrium: the mean of -log P(action) seen (source 004, eq. 4).

    An equilibrium player's own score tends to the equilibrium's entropy: the baseline below which nobody is weak.

    Args:
        equilibrium: whose probabilities count.
        floor: the least of them.
    """

    equilibrium: Profile
    floor: float = FLOOR
    _sums: dict[int, float] = field(default_factory=dict)
    _squares: dict[int, float] = field(default_factory=dict)
    _seen: dict[int, int] = field(default_factory=dict)

    def see(self, sight: Sight) -> None:
        """Score the moves of a hand whose infosets are known."""
        tree, probabilities = self.equilibrium.tree, self.equilibrium.probabilities
        for player, infoset, action in sight.moves:
            if player != sight.seat and infoset >= 0:
                row = int(tree.first_row[infoset]) + tree.labels(infoset).index(action)
                surprise = -math.log(max(float(probabilities[row]), self.floor))
                self._sums[player] = self._sums.get(player, 0.0) + surprise
                self._squares[player] = self._squares.get(player, 0.0) + surprise * surprise
                self._seen[player] = self._seen.get(player, 0) + 1

    def score(self, player: int) -> float:
        """The mean; 0 before anything was seen."""
        return self._sums.get(player, 0.0) / max(1, self._seen.get(player, 0))

    def error(self, player: int) -> float:
        """The standard error of the mean; infinite before two actions were seen."""
        count = self._seen.get(player, 0)
        if count < 2:
            return math.inf
        variance = self._squares[player] / count - self.score(player) ** 2
        return math.sqrt(max(variance, 0.0) / count)

    def target(self, players: list[int]) -> int:
        """The player with the largest score, the lowest seat of equals."""
        return max(sorted(players), key=self.score)


def entropy(profile: Profile, player: int) -> float:
    """The mean of -log P(action) over the decisions of a player of the profile, everybody playing it."""
    tree = profile.tree
    weights = np.zeros(tree.infosets)
    nodes = np.flatnonzero(tree.player == player)
    np.add.at(weights, tree.infoset[nodes], reach(tree, profile).total[nodes])
    p = profile.probabilities
    terms = np.where(p > 0, -p * np.log(np.where(p > 0, p, 1.0)), 0.0) * weights[tree.infoset_of_row]
    return float(terms.sum() / weights.sum())
