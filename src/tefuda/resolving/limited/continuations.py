"""Multi-valued leaves: at the cut the opponent chooses among a few continuation strategies.

Brown, Sandholm, Amos 2018, "Depth-limited solving for imperfect-information games". The player itself plays on as its
blueprint, or chooses too.

Dimension letters: Q sequences, A seats of a player at the cut, K plans of a player, R histories at the cut.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from tefuda._kernels.traversal import gather
from tefuda.errors import ParameterError, check_range
from tefuda.evaluating.profile import Profile, best_response, require_same_game
from tefuda.evaluating.values import history_values
from tefuda.forms.region import InsertedGroup, insert_group
from tefuda.forms.sequence import chance_reach
from tefuda.resolving.limited.depth_limited import DepthLimitedSolver
from tefuda.resolving.limited.equilibria import TOLERANCES, plan_weights, realization_plans
from tefuda.resolving.limited.leaves import LookaheadSolution
from tefuda.resolving.limited.trunk import Cut, Lookahead, Trunk
from tefuda.solvers.exact.lp import plan_program, run_highs
from tefuda.views import short_repr


@dataclass(frozen=True, eq=False)
class Continuations:
    """Continuation strategies below a cut.

    Args:
        profiles: K, the blueprint first; every seat of the opponent chooses one of them, unseen.
        own: number of them that the player itself may choose from; 1: it plays on as the blueprint.

    Raises:
        ParameterError: no profiles, or fewer than `own`.

    >>> tree = td.compile_game(td.load_game("leduc"))
    >>> blueprint = td.solve(tree, "cfr+", iterations=100).strategy
    >>> one, four = td.Continuations([blueprint]), td.Continuations.biased(blueprint, "fcr")
    >>> td.depth_limited(tree, "deal", four).nash_conv < td.depth_limited(tree, "deal", one).nash_conv / 5
    True
    """

    profiles: tuple[Profile, ...]
    own: int = 1
    name = "continuations"

    __repr__ = short_repr

    def __post_init__(self) -> None:
        object.__setattr__(self, "profiles", tuple(self.profiles))
        if not self.profiles:
            raise ParameterError("no profiles are given; give the blueprint and others to choose from.")
        check_range("own", self.own, 1, len(self.profiles))
        for other in self.profiles[1:]:
            require_same_game(self.profiles[0].tree, other)

    @classmethod
    def biased(
        cls, blueprint: Profile, actions: Sequence[Hashable], *, factor: float = 10.0, own: int = 1
    ) -> Continuations:
        """Return the blueprint, and the blueprint biased towards each of some actions.

        Args:
            blueprint: strategies below the cut.
            actions: labels, such as fold, call and raise.
            factor: factor of their probabilities; 10 in Brown, Sandholm, Amos 2018.
            own: see the class.

        Raises:
            ParameterError: no such action, or a number out of range.
        """
        return cls((blueprint, *(_biased(blueprint, action, factor) for action in actions)), own)

    @classmethod
    def best_responses(cls, blueprint: Profile, cut: Cut, count: int, *, own: int = 1) -> Continuations:
        """Return the blueprint and best responses, each to depth-limited solving with those before it.

        Args:
            blueprint: strategies below the cut.
            cut: see `depth_limited`.
            count: number of responses.
            own: see the class.

        Raises:
            ParameterError: no such cut, or a number out of range.
        """
        check_range("count", count, 0)
        profiles, tree = [blueprint], blueprint.tree
        for _ in range(count):
            played = DepthLimitedSolver(tree, cut, cls(tuple(profiles), min(own, len(profiles)))).profile()
            first, second = (best_response(played, player).profile for player in range(2))
            profiles.append(first.replace(1, second))
        return cls(tuple(profiles), own)

    def look(self, ahead: Lookahead, player: int, seconds: float | None = None) -> LookaheadSolution:
        """See `LeafEvaluator`: one linear program over the trunk and the choices, without a time limit."""
        require_same_game(ahead.trunk.tree, self.profiles[0])
        kept = (self.profiles[: self.own], self.profiles)
        choices = _Choices(ahead, kept if player == 0 else kept[::-1])
        program = plan_program(choices.form, ranges=ahead.ranges)
        weights = plan_weights(program, run_highs(program, **TOLERANCES))
        plans = realization_plans(choices.form, weights, ahead.ranges)
        both = self.own == len(self.profiles)
        return LookaheadSolution(plans[choices.kept], (choices.worth(0, plans), choices.worth(1, plans)), both)


class _Choices:
    """A lookahead's form with the choices of both players below it; kept: `[Q]` places of its own sequences."""

    def __init__(self, ahead: Lookahead, profiles: tuple[tuple[Profile, ...], tuple[Profile, ...]]) -> None:
        trunk, form, ends = ahead.trunk, ahead.form, list(ahead.ends)
        self.counts = [len(own) for own in ends], [len(own) for own in profiles]
        self.kept, self.bases = np.arange(form.sequences), [0, 0]
        leaves, values = np.zeros((0, 2), dtype=np.int64), np.zeros(0)
        for player, (seats, plans) in enumerate(zip(*self.counts, strict=True)):
            first = self.bases[player] = int(form.span[player + 1])
            inserted = InsertedGroup(
                player, int(form.group_span[player + 1]), seats, plans, first, seats * plans, first
            )
            if player == 1:  # all sequences have their numbers now
                leaves, values = self._ends(trunk, profiles)
            form = insert_group(form, inserted, ends[player], form.seats, leaves, values)
            self.kept, ends[1] = inserted.renumbered(self.kept), inserted.renumbered(ends[1])
        self.form = form

    def _ends(self, trunk: Trunk, profiles: tuple[tuple[Profile, ...], ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return the leaves, and the value of each history at the cut to player 0 under each two plans."""
        tree = trunk.tree
        roots = np.concatenate([one.roots for one in trunk.subgames])
        places = [
            np.concatenate([one.seats[player] + trunk.first[player, s] for s, one in enumerate(trunk.subgames)])
            for player in range(2)
        ]
        chance, leaves, values = tree.derived(chance_reach)[roots], [], []
        for i, mine in enumerate(profiles[0]):
            for j, others in enumerate(profiles[1]):
                worth = history_values(mine.replace(1, others))[roots]
                values.append(chance * (worth[:, 0] - worth[:, 1]) / 2)
                numbers = [self.bases[p] + k * self.counts[0][p] + places[p] for p, k in ((0, i), (1, j))]
                leaves.append(np.stack(numbers, axis=1))
        return np.concatenate(leaves), np.concatenate(values)

    def worth(self, player: int, plans: np.ndarray) -> np.ndarray:
        """Return `[A]` values of a player's seats with its best choices against the other's plan."""
        utility = np.zeros(self.form.sequences)
        gather(self.form.arrays, player, plans, np.zeros(0), utility)
        seats, count = (counts[player] for counts in self.counts)
        return utility[self.bases[player] :][: seats * count].reshape(count, seats).max(axis=0)


def _biased(profile: Profile, action: Hashable, factor: float) -> Profile:
    """Return a profile with the probability of an action multiplied at all infosets that have it."""
    check_range("factor", factor, 0, 1e9, whole=False)
    tree = profile.tree
    labels = [label for number in range(tree.infosets) for label in tree.labels(number)]
    if action not in labels:
        known = ", ".join(sorted({str(label) for label in labels})[:20])
        raise ParameterError(f"no action of {tree.name} is {action!r}; there are {known}.")
    factors = np.where([label == action for label in labels], factor, 1.0)
    return Profile.from_weights(tree, factors * profile.probabilities)
