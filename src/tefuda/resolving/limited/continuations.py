"""Continuation strategies among which the opponent chooses at the cut (multi-valued states).

Source: Brown, Sandholm, Amos 2018, "Depth-limited solving for imperfect-information games". The player itself plays its
blueprint below the cut, or chooses too.

Dimension letters: Q sequences, A augmented infosets of a player at the cut, K continuation strategies of a player,
R histories at the cut.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.evaluating.profile import Profile, best_response, require_same_game
from tefuda.evaluating.values import history_values
from tefuda.forms.programs import gathered
from tefuda.forms.sequence import chance_reach
from tefuda.resolving.limited.depth_limited import DepthLimitedSolver
from tefuda.resolving.limited.equilibria import TOLERANCES, plan_weights, realization_plans
from tefuda.resolving.limited.leaves import LookaheadSolution
from tefuda.resolving.limited.region import InsertedGroup, insert_group
from tefuda.resolving.limited.trunk import Cut, Lookahead, Trunk
from tefuda.solvers.exact.lp import plan_program, run_highs
from tefuda.views import short_repr


@dataclass(frozen=True, eq=False)
class Continuations:
    """Continuation strategies below a cut.

    Args:
        profiles: K profiles, the blueprint first. At each of its augmented infosets the opponent chooses one of them;
            the player does not see the choice.
        own: number of the profiles that the player itself may choose from; 1: it plays the blueprint.

    Raises:
        ParameterError: no profiles, or fewer than `own`.

    >>> tree = td.compile_game(td.load_game("leduc"))
    >>> blueprint = td.solve(tree, "cfr+", iterations=100).strategy
    >>> one, four = td.resolving.Continuations([blueprint]), td.resolving.Continuations.biased(blueprint, "fcr")
    >>> td.depth_limited(tree, "deal", four).nash_conv < td.depth_limited(tree, "deal", one).nash_conv / 5
    True
    """

    profiles: Sequence[Profile]
    own: int = 1
    name = "continuations"

    __repr__ = short_repr

    def __post_init__(self) -> None:
        object.__setattr__(self, "profiles", tuple(self.profiles))
        if not self.profiles:
            raise ParameterError("profiles must contain the blueprint and other strategies, got none.", key="profiles")
        check_range("own", self.own, 1, len(self.profiles))
        for profile in self.profiles[1:]:
            require_same_game(self.profiles[0].tree, profile)

    @classmethod
    def biased(
        cls, blueprint: Profile, actions: Sequence[Hashable], *, factor: float = 10.0, own: int = 1
    ) -> Continuations:
        """Return the blueprint, and biased strategies: the blueprint with more weight on each of some actions.

        Args:
            blueprint: strategies below the cut.
            actions: labels of actions, such as fold, call and raise.
            factor: factor of their probabilities; Brown, Sandholm, Amos 2018 use 10.
            own: see the class.

        Returns:
            The continuation strategies, one more than actions.

        Raises:
            ParameterError: an unknown action, or a number out of range.
        """
        return cls((blueprint, *(_biased(blueprint, action, factor) for action in actions)), own)

    @classmethod
    def best_responses(cls, blueprint: Profile, cut: Cut, count: int, *, own: int = 1) -> Continuations:
        """Return the blueprint and best responses to depth-limited solving with the strategies so far.

        Args:
            blueprint: strategies below the cut.
            cut: see `depth_limited`.
            count: number of responses.
            own: see the class.

        Returns:
            The continuation strategies, one more than responses.

        Raises:
            ParameterError: an unknown cut, or a number out of range.
        """
        check_range("count", count, 0)
        profiles, tree = [blueprint], blueprint.tree
        for _ in range(count):
            profile = DepthLimitedSolver(tree, cut, cls(tuple(profiles), min(own, len(profiles)))).profile()
            first, second = (best_response(profile, player).profile for player in range(2))
            profiles.append(first.replace(1, second))
        return cls(tuple(profiles), own)

    def solve_lookahead(self, lookahead: Lookahead, player: int, seconds: float | None = None) -> LookaheadSolution:
        """See `LeafEvaluator`: one linear program over the trunk and the choices, without a time limit."""
        require_same_game(lookahead.trunk.tree, self.profiles[0])
        profiles = tuple(self.profiles[: self.own]), tuple(self.profiles)
        game = _ChoiceGame(lookahead, profiles if player == 0 else profiles[::-1])
        program = plan_program(game.form, ranges=lookahead.ranges)
        weights = plan_weights(program, run_highs(program, **TOLERANCES))
        plans = realization_plans(game.form, weights, lookahead.ranges)
        values = game.values(0, plans), game.values(1, plans)
        return LookaheadSolution(plans[game.original], values, self.own == len(self.profiles))


class _ChoiceGame:
    """A lookahead's form with both players' choices below it.

    original: `[Q]` the lookahead's own sequences.
    """

    def __init__(self, lookahead: Lookahead, profiles: tuple[tuple[Profile, ...], tuple[Profile, ...]]) -> None:
        trunk, form, ends = lookahead.trunk, lookahead.form, list(lookahead.ends)
        self.counts = [len(own) for own in ends], [len(own) for own in profiles]
        self.original, self.bases = np.arange(form.sequences), [0, 0]
        leaves, values = np.zeros((0, 2), dtype=np.int64), np.zeros(0)
        for player, (infosets, count) in enumerate(zip(*self.counts, strict=True)):
            first = self.bases[player] = int(form.span[player + 1])
            groups = int(form.group_span[player + 1])
            group = InsertedGroup(player, groups, infosets, count, first, infosets * count, first)
            if player == 1:  # all sequences have their numbers now
                leaves, values = self._ends(trunk, profiles)
            form = insert_group(form, group, ends[player], form.augmented_counts, leaves, values)
            self.original, ends[1] = group.renumbered(self.original), group.renumbered(ends[1])
        self.form = form

    def _ends(self, trunk: Trunk, profiles: tuple[tuple[Profile, ...], ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return the leaves, and player 0's value of each history at the cut for each pair of strategies."""
        tree = trunk.tree
        roots = np.concatenate([sub.roots for sub in trunk.subgames])
        infosets = [
            np.concatenate(
                [sub.augmented_infosets[player] + trunk.first[player, s] for s, sub in enumerate(trunk.subgames)]
            )
            for player in range(2)
        ]
        chance, leaves, values = tree.derived(chance_reach)[roots], [], []
        for i, first in enumerate(profiles[0]):
            for j, second in enumerate(profiles[1]):
                payoffs = history_values(first.replace(1, second))[roots]
                values.append(chance * (payoffs[:, 0] - payoffs[:, 1]) / 2)
                numbers = [self.bases[p] + k * self.counts[0][p] + infosets[p] for p, k in ((0, i), (1, j))]
                leaves.append(np.stack(numbers, axis=1))
        return np.concatenate(leaves), np.concatenate(values)

    def values(self, player: int, plans: np.ndarray) -> np.ndarray:
        """Return `[A]` a player's values at the cut with its best choices against the opponent's plan."""
        utility = gathered(self.form, player, plans)
        infosets, count = (counts[player] for counts in self.counts)
        return utility[self.bases[player] :][: infosets * count].reshape(count, infosets).max(axis=0)


def _biased(profile: Profile, action: Hashable, factor: float) -> Profile:
    """Return a profile with the probability of an action multiplied at all infosets that have it."""
    check_range("factor", factor, 0, 1e9, whole=False)
    tree = profile.tree
    labels = [label for number in range(tree.infosets) for label in tree.labels(number)]
    if action not in labels:
        known = ", ".join(sorted({str(label) for label in labels})[:20])
        raise ParameterError(f"action must be one of {tree.name}: {known}; got {action!r}.", key="action", value=action)
    factors = np.where([label == action for label in labels], factor, 1.0)
    return Profile.from_weights(tree, factors * profile.probabilities)
