"""Values below a cut: exact ones, or those of a value function that regret minimisation calls in every iteration.

A third way, continuation strategies that the opponent chooses among, is in continuations.py. With equilibria of the
subgames as value function, regret minimisation is CFR-D (Burch, Johanson, Bowling 2014); with a network it is
DeepStack's lookahead (Moravcik et al. 2017). Letters: Q sequences of a form, A seats of a player at the cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from tefuda._kernels import cfr as kernels
from tefuda._kernels.traversal import gather, realise
from tefuda.errors import ParameterError, check_range
from tefuda.forms.region import Region
from tefuda.playing.searching import advance_within
from tefuda.resolving.limited.equilibria import EquilibriumSolver, behaviour_strategy, realization_plans, seat_values
from tefuda.resolving.limited.planes import enclose
from tefuda.resolving.limited.trunk import Lookahead, Trunk
from tefuda.solvers.exact.cfr import CFR_PLUS, Method
from tefuda.solvers.protocol import require_average

#: Ranges of both players at the cut `[A]`, or counterfactual values of both.
PlayerVectors = tuple[np.ndarray, np.ndarray]


class LookaheadSolution(NamedTuple):
    """The solution of a lookahead.

    plans: `[Q]` of both players. worth: of both players `[A]` the counterfactual values of their seats at the cut
    against the other's plan. both: whether both plans are optimal, not only that of the player who asked.
    """

    plans: np.ndarray  # [Q]
    worth: PlayerVectors
    both: bool = True


class LeafEvaluator(Protocol):
    """A way to value what is below a cut."""

    name: str

    def look(self, ahead: Lookahead, player: int, seconds: float | None = None) -> LookaheadSolution:
        """Solve a lookahead for a player, whose plan is wanted, within a time limit if given."""


class ValueFunction(Protocol):
    """Values below a cut as a function of the ranges there."""

    def values(self, trunk: Trunk, ranges: PlayerVectors) -> PlayerVectors:
        """Return `[A]` of both players the counterfactual values of their seats, payoffs less their mean."""


@dataclass(frozen=True)
class ExactLeaves:
    """Exact play: both players' programs, bounded by planes below the cut (planes.py).

    Args:
        tolerance: gap between the bounds at which to stop, in parts of the largest payoff.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> round(td.depth_limited(tree, 1, td.ExactLeaves(1e-12)).nash_conv, 9)
    0.0
    """

    tolerance: float = 1e-10
    name = "exact"

    def __post_init__(self) -> None:
        check_range("tolerance", self.tolerance, 0, 1, whole=False)

    def look(self, ahead: Lookahead, player: int, seconds: float | None = None) -> LookaheadSolution:
        """See `LeafEvaluator`."""
        found = enclose(ahead, tolerance=self.tolerance, seconds=seconds)
        return LookaheadSolution(found.plans, _joined(list(map(seat_values, ahead.trunk.below, found.below))))


class ExactValues:
    """Equilibria of the subgames at given ranges, by linear programs.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.depth_limited(tree, 1, td.ValuedLeaves(td.ExactValues(), 50)).nash_conv < 0.1
    True
    """

    def __init__(self) -> None:
        self._solved = dict[Region, EquilibriumSolver]()

    def values(self, trunk: Trunk, ranges: PlayerVectors) -> PlayerVectors:
        """See `ValueFunction`."""
        found = []
        for region, *reach in zip(trunk.below, *map(trunk.split, (0, 1), ranges), strict=True):
            if region not in self._solved:
                self._solved[region] = EquilibriumSolver(region)
            worth = seat_values(region, self._solved[region].plans((reach[0], reach[1])))
            found.append((worth[0] * reach[1].sum(), worth[1] * reach[0].sum()))
        return _joined(found)


def _joined(parts: Sequence[tuple[np.ndarray, ...]]) -> PlayerVectors:
    """Return values of both players' seats in a row, given subgame by subgame."""
    nothing = np.zeros(0)
    return np.concatenate([nothing, *(own for own, _ in parts)]), np.concatenate([nothing, *(own for _, own in parts)])


@dataclass(frozen=True)
class ValuedLeaves:
    """Regret minimisation over the trunk, with values below it from a function: a network, or your own.

    Args:
        function: value function.
        iterations: iterations of each lookahead.
        method: member of the CFR family.

    >>> leaves = td.ValuedLeaves(td.ExactValues(), iterations=20)
    >>> td.depth_limited(td.compile_game(td.load_game("kuhn")), 1, leaves).lookaheads
    8
    """

    function: ValueFunction
    iterations: int = 1000
    method: Method = CFR_PLUS
    name = "values"

    def __post_init__(self) -> None:
        check_range("iterations", self.iterations, 1)

    def look(self, ahead: Lookahead, player: int, seconds: float | None = None) -> LookaheadSolution:
        """See `LeafEvaluator`; fewer iterations if the time is over, one at least."""
        search = LookaheadSolver(ahead, self.function, self.method)
        search.advance(1 + self.method.delay)
        advance_within(search.advance, max(0, self.iterations - search.iterations), seconds)
        return search.found()


class LookaheadSolver:
    """Regret minimisation over a lookahead, with values at the cut from a function in every iteration.

    The methods are those of the CFR family, as values: their kernels traverse the trunk, and the values of the seats at
    the cut are added at its leaves. Raises ParameterError if one player of a method only plays best responses.
    """

    def __init__(self, ahead: Lookahead, leaves: ValueFunction, method: Method = CFR_PLUS) -> None:
        if method.opponent != "regret":
            raise ParameterError(f"{method.name} trains against a best response, which nobody knows below a cut.")
        self.ahead, self.leaves, self.method, self.iterations = ahead, leaves, method, 0
        count = ahead.form.sequences
        self._regret, self._expected, self._average = np.zeros((3, count))
        self._behaviour = behaviour_strategy(ahead.form, self._average)
        self._plans = realization_plans(ahead.form, self._average, ahead.ranges)
        self._worth, self._weight = [np.zeros(len(one)) for one in ahead.ends], 0.0
        self._utility, self._pairs, self._means, self._totals = np.zeros(count), np.zeros(0), *np.zeros((2, count))

    def advance(self, iterations: int) -> None:
        """Run some more iterations; in each, both players are updated once."""
        simultaneous, late = self.method.order == "simultaneous", self.method.convention == "opp"
        for rule in self.method.schedule(self.iterations + 1, iterations):
            plans = self._plans.copy() if simultaneous else self._plans
            asked = self._ask(plans) if simultaneous else None
            for player in range(2):
                worth = (asked or self._ask(plans))[player]
                self._worth[player] = self._worth[player] * rule[kernels.DECAY] + worth * rule[kernels.WEIGHT]
                self._update(player, rule, plans, worth, late and player == 0 and not simultaneous)
            self._weight = self._weight * rule[kernels.DECAY] + rule[kernels.WEIGHT]
            self.iterations += 1

    def _ask(self, plans: np.ndarray) -> PlayerVectors:
        ends = self.ahead.ends
        found = self.leaves.values(self.ahead.trunk, (plans[ends[0]], plans[ends[1]]))
        for player in range(2):
            if np.shape(found[player]) != ends[player].shape or not np.isfinite(found[player]).all():
                raise ParameterError(
                    f"the value function gave player {player} an array of shape {np.shape(found[player])}; it must be "
                    f"a finite number for each of {len(ends[player])} seats."
                )
        return found

    def _update(self, player: int, rule: np.ndarray, plans: np.ndarray, worth: np.ndarray, late: bool) -> None:
        """Update a player's strategy; its average takes the one before, or the new one if `late`."""
        form, utility = self.ahead.form.arrays, self._utility
        gather(form, player, plans, self._pairs, utility)
        np.add.at(utility, self.ahead.ends[player], worth)
        state = (self._regret, self._expected, self._behaviour)
        kernels.match(form, player, rule, utility, self._means, self._totals, *state)
        if not late:
            self._take(player, rule)
        realise(form, player, self._behaviour, self._plans)
        if late:
            self._take(player, rule)

    def _take(self, player: int, rule: np.ndarray) -> None:
        own = self.ahead.form.own(player)
        self._average[own] = self._average[own] * rule[kernels.DECAY] + rule[kernels.WEIGHT] * self._plans[own]

    def found(self) -> LookaheadSolution:
        """Return the average plans and values at the cut; raise SolverError while there are none."""
        require_average(self.iterations, self.method.delay)
        plans = realization_plans(self.ahead.form, self._average, self.ahead.ranges)
        return LookaheadSolution(plans, (self._worth[0] / self._weight, self._worth[1] / self._weight))
