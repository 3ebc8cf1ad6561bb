"""Leaf values of lookaheads: exact, or from a value function in every iteration of CFR.

Continuation strategies are in continuations.py. With equilibria of the subgames as value function, regret minimisation
is CFR-D (Burch, Johanson, Bowling 2014); with a network it is DeepStack's lookahead (Moravcik et al. 2017). Letters:
Q sequences of a form, A augmented infosets of a player at the cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from tefuda._kernels.programs import DECAY, WEIGHT
from tefuda.errors import ParameterError, check_range
from tefuda.forms.programs import Instruction, Workspace, program
from tefuda.playing.searching import advance_within
from tefuda.resolving.limited.equilibria import (
    EquilibriumSolver,
    behaviour_strategy,
    realization_plans,
    region_response_values,
)
from tefuda.resolving.limited.planes import enclose
from tefuda.resolving.limited.region import Region
from tefuda.resolving.limited.trunk import Lookahead, Trunk
from tefuda.solvers.exact.cfr import CFR_PLUS, CFRMethod
from tefuda.solvers.protocol import require_average

#: Ranges of both players at the cut `[A]`, or counterfactual values of both.
PlayerVectors = tuple[np.ndarray, np.ndarray]


class LookaheadSolution(NamedTuple):
    """The solution of a lookahead.

    plans: `[Q]` realization plans of both players. values: for each player `[A]` counterfactual values of its augmented
    infosets at the cut against the opponent's plan. optimal_for_both: whether both plans are optimal, or only that of
    the player for whom the lookahead was solved.
    """

    plans: np.ndarray  # [Q]
    values: PlayerVectors
    optimal_for_both: bool = True


class LeafEvaluator(Protocol):
    """A way to value the subgames below a cut."""

    name: str

    def solve_lookahead(self, lookahead: Lookahead, player: int, seconds: float | None = None) -> LookaheadSolution:
        """Return a solution with an optimal plan of a player, within a time limit if given."""


class ValueFunction(Protocol):
    """Values below a cut as a function of the ranges there."""

    def values(self, trunk: Trunk, ranges: PlayerVectors) -> PlayerVectors:
        """Return for each player `[A]` counterfactual values of payoffs less both players' mean."""


@dataclass(frozen=True)
class ExactLeaves:
    """Exact solutions by linear programs with cutting planes below the cut (planes.py).

    Args:
        tolerance: gap between the bounds at which to stop, as a share of the largest payoff.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> round(td.depth_limited(tree, 1, td.resolving.ExactLeaves(1e-12)).nash_conv, 9)
    0.0
    """

    tolerance: float = 1e-10
    name = "exact"

    def __post_init__(self) -> None:
        check_range("tolerance", self.tolerance, 0, 1, whole=False)

    def solve_lookahead(self, lookahead: Lookahead, player: int, seconds: float | None = None) -> LookaheadSolution:
        enclosure = enclose(lookahead, tolerance=self.tolerance, seconds=seconds)
        values = list(map(region_response_values, lookahead.trunk.below, enclosure.below))
        return LookaheadSolution(enclosure.plans, _concatenate(values))


class ExactValues:
    """The value function of equilibria, which linear programs find for the given ranges.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.depth_limited(tree, 1, td.resolving.ValuedLeaves(td.resolving.ExactValues(), 50)).nash_conv < 0.1
    True
    """

    def __init__(self) -> None:
        self._solvers = dict[Region, EquilibriumSolver]()

    def values(self, trunk: Trunk, ranges: PlayerVectors) -> PlayerVectors:
        parts = []
        for region, *reach in zip(trunk.below, *map(trunk.split, (0, 1), ranges), strict=True):
            if region not in self._solvers:
                self._solvers[region] = EquilibriumSolver(region)
            values = region_response_values(region, self._solvers[region].plans((reach[0], reach[1])))
            parts.append((values[0] * reach[1].sum(), values[1] * reach[0].sum()))
        return _concatenate(parts)


def _concatenate(parts: Sequence[tuple[np.ndarray, ...]]) -> PlayerVectors:
    """Return each player's values in one array, given subgame by subgame."""
    nothing = np.zeros(0)
    return np.concatenate([nothing, *(own for own, _ in parts)]), np.concatenate([nothing, *(own for _, own in parts)])


@dataclass(frozen=True)
class ValuedLeaves:
    """Regret minimisation over the trunk, with values below it from a function: a network, or your own.

    Args:
        function: value function.
        iterations: iterations of each lookahead.
        method: member of the CFR family.

    >>> leaves = td.resolving.ValuedLeaves(td.resolving.ExactValues(), iterations=20)
    >>> td.depth_limited(td.compile_game(td.load_game("kuhn")), 1, leaves).lookaheads
    8
    """

    function: ValueFunction
    iterations: int = 1000
    method: CFRMethod = CFR_PLUS
    name = "values"

    def __post_init__(self) -> None:
        check_range("iterations", self.iterations, 1)

    def solve_lookahead(self, lookahead: Lookahead, player: int, seconds: float | None = None) -> LookaheadSolution:
        """See `LeafEvaluator`; a time limit allows fewer iterations, but at least one."""
        solver = LookaheadSolver(lookahead, self.function, self.method)
        solver.advance(1 + self.method.delay)
        advance_within(solver.advance, max(0, self.iterations - solver.iterations), seconds)
        return solver.solution()


class LookaheadSolver:
    """Regret minimisation over a lookahead, with values at the cut from a function in every iteration.

    The methods are those of the CFR family: their kernels traverse the trunk, and the values at the cut are added at
    its leaves. Raises ParameterError if one player of a method only plays best responses.
    """

    def __init__(self, lookahead: Lookahead, leaves: ValueFunction, method: CFRMethod = CFR_PLUS) -> None:
        if method.opponent != "regret":
            raise ParameterError(f"{method.name} trains against a best response, which is unknown below a cut.")
        if method.precision != "double":
            raise ParameterError(f"{method.name} has single precision; above a cut use precision='double'.")
        self.lookahead, self.leaves, self.method, self.iterations = lookahead, leaves, method, 0
        self._work = work = Workspace(lookahead.form, "regret expected g x average u v faced")
        self._plans, self._average = work["x"], work["average"]
        work["g"][:] = behaviour_strategy(lookahead.form, self._average)
        self._plans[:] = realization_plans(lookahead.form, self._average, lookahead.ranges)
        self._values, self._weight = [np.zeros(len(ends)) for ends in lookahead.ends], 0.0
        self._late = method.convention == "opp" and method.order == "alternating"
        faced = "faced" if method.order == "simultaneous" else "x"
        self._gathers = [program(work.layout.gather(player, faced)) for player in range(2)]
        self._updates = [program(self._update(player)) for player in range(2)]

    def _update(self, player: int) -> list[Instruction]:
        """Return the steps that update a player's strategy and average."""
        layout = self._work.layout
        added, realised = layout.accumulate(player), layout.realise(player)
        return [layout.match(player), *((realised, added) if self._late and player == 0 else (added, realised))]

    def advance(self, iterations: int) -> None:
        """Run a number of iterations; in each, both players are updated once."""
        simultaneous = self.method.order == "simultaneous"
        for rule in self.method.schedule(self.iterations + 1, iterations):
            self._work["faced"][:] = self._plans
            shared = self._leaf_values() if simultaneous else None
            for player in range(2):
                values = (shared or self._leaf_values())[player]
                self._values[player] = self._values[player] * rule[DECAY] + values * rule[WEIGHT]
                self._work.run(self._gathers[player])
                np.add.at(self._work["u"], self.lookahead.ends[player], values)
                self._work.run(self._updates[player], rule[None])
            self._weight = self._weight * rule[DECAY] + rule[WEIGHT]
            self.iterations += 1

    def _leaf_values(self) -> PlayerVectors:
        ends, plans = self.lookahead.ends, self._plans
        values = self.leaves.values(self.lookahead.trunk, (plans[ends[0]], plans[ends[1]]))
        for player in range(2):
            if np.shape(values[player]) != ends[player].shape or not np.isfinite(values[player]).all():
                raise ParameterError(
                    f"a value function must return {len(ends[player])} finite numbers for player {player}, got an "
                    f"array of shape {np.shape(values[player])}."
                )
        return values

    def solution(self) -> LookaheadSolution:
        """Return the average plans and values at the cut; raise SolverError before the first average."""
        require_average(self.iterations, self.method.delay)
        plans = realization_plans(self.lookahead.form, self._average, self.lookahead.ranges)
        return LookaheadSolution(plans, (self._values[0] / self._weight, self._values[1] / self._weight))
