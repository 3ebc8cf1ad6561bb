"""A model of an opponent from its public actions, near an equilibrium (Ganzfried and Sandholm 2011).

No hidden cards are needed. At each public state n the opponent's action frequencies alpha(n) are estimated, with those
of the equilibrium as prior. From the root on, the model is the strategy nearest to the equilibrium with these
frequencies, where pi(b | n) is the probability of private state b after the opponent's earlier actions:

    minimise   sum over b of pi(b | n) |s(b) - sigma(b, n)|_1   subject to   sum over b of pi(b | n) s(b) = alpha(n)
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tefuda.errors import check_range
from tefuda.evaluating.profile import Profile, check_player
from tefuda.evaluating.values import reach
from tefuda.exploiting.models import explanations
from tefuda.forms.public import public_groups
from tefuda.forms.sequence import last_rows
from tefuda.playing.agents import ObservedHand


@dataclass
class DeviationModel:
    """Model that matches an opponent's public action frequencies, as near to the equilibrium as possible.

    Args:
        equilibrium: the equilibrium.
        player: the opponent.
        strength: weight of the equilibrium at each public state, in fictitious plays.

    Attributes:
        counts: `[S, A]` counts of actions in the opponent's public states.
    """

    equilibrium: Profile
    player: int
    strength: float = 5.0
    counts: np.ndarray = field(init=False, repr=False)  # [S, A]

    def __post_init__(self) -> None:
        check_range("strength", self.strength, 0, whole=False)
        tree = self.equilibrium.tree
        check_player(tree, self.player)
        groups, self._group = public_groups(tree, self.player), np.full(tree.infosets, -1)
        for number, group in enumerate(groups):
            self._group[group] = number
        widest = tree.action_counts[tree.infosets_of(self.player)].max(initial=0)
        self.counts = np.zeros((len(groups), int(widest)))

    def observe_hand(self, hand: ObservedHand) -> None:
        """See `OpponentModel`; all explanations of a hand have the same public states."""
        tree = self.equilibrium.tree
        for row in explanations(tree, hand.seat, hand.moves)[0].rows.tolist():
            infoset = int(tree.infoset_of_row[row])
            if (group := self._group[infoset]) >= 0:
                self.counts[group, row - int(tree.first_row[infoset])] += 1

    def mean(self) -> Profile:
        """See `OpponentModel`."""
        return deviate(self.equilibrium, self.player, self.counts, self.strength)


def deviate(equilibrium: Profile, player: int, counts: np.ndarray, strength: float) -> Profile:
    """Return the profile nearest to an equilibrium with a player's observed public action frequencies.

    Args:
        equilibrium: the equilibrium.
        player: the player.
        counts: `[S, A]` counts of actions in the player's public states, see `public_groups`.
        strength: weight of the equilibrium in each state, in fictitious plays.
    """
    tree = equilibrium.tree
    nodes = np.flatnonzero(tree.player == player)
    dealt = np.bincount(tree.infoset[nodes], reach(equilibrium).chance[nodes], minlength=tree.infosets)
    parent, probabilities = last_rows(tree)[1], equilibrium.probabilities.copy()
    own = np.ones(tree.rows + 1)  # reach by the player's actions up to a row; 1 at row -1
    for observed, members in zip(counts, public_groups(tree, player), strict=True):
        actions = int(tree.action_counts[members[0]])
        rows = tree.first_row[members][:, None] + np.arange(actions)
        share = dealt[members] * own[parent[members]]
        share = share / share.sum() if share.sum() > 0 else dealt[members] / dealt[members].sum()
        expected = share @ equilibrium.probabilities[rows]
        observed = observed[:actions]
        total = strength + observed.sum()
        wanted = (strength * expected + observed) / total if total > 0 else expected
        probabilities[rows] = closest(equilibrium.probabilities[rows], share, wanted)
        own[rows] = own[parent[members]][:, None] * probabilities[rows]
    return equilibrium.replace(player, Profile.from_weights(tree, probabilities))


def closest(strategies: np.ndarray, share: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the nearest strategies `[B, A]` with mean `wanted` `[A]`, by the sum of absolute differences.

    The mean is weighted by `share` `[B]`, which sums to 1. All strategies reduce a too frequent action by the same
    factor, and distribute the rest over the too rare actions, in proportion to the missing probabilities. This is
    optimal: the distance equals that of the means.
    """
    mean = share @ strategies
    factor = np.where(mean > 0, np.minimum(1.0, wanted / np.where(mean > 0, mean, 1.0)), 1.0)
    lacking = np.maximum(wanted - mean, 0.0)
    if lacking.sum() <= 0:
        return strategies
    freed = strategies @ (1 - factor)
    return np.asarray(strategies * factor + np.outer(freed, lacking / lacking.sum()))
