"""Exact trunks: both players' programs over the trunk, bounded by planes below the cut.

Dimension letters: Q sequences of a form, S subgames at the cut, A seats of a player in all of them.

The value of a subgame, V(r, q), is concave in one player's range, convex in the other's, and proportional to each. So a
plan of the opponent with the range q bounds the player everywhere: if v(a) is the best-response value of its seat a,
then V(r, q) <= v' r for every r, and V(r, q_1 + q_2) <= v_1' r + v_2' r. Each player's program chooses a plan of the
trunk and, for each seat b of the opponent at the cut, a value w(b), as high as all known planes allow: q' w <= v' r.
Its optimum is never too low, and its multipliers mix the opponent's plans behind the planes into one that bounds the
player by it. The optima of both players enclose the game's value.

Both programs are optimistic. At the ranges of their two plans the bounds of the subgames differ by no less than the
optima, and an equilibrium there makes both bounds exact, so every round gains.

Kelley 1960 (cutting planes); Burch, Johanson, Bowling 2014 (subgames by ranges and values); Brown, Sandholm, Amos 2018
(the opponent chooses among plans below the cut).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tefuda.resolving.limited.equilibria import TOLERANCES, EquilibriumSolver, realization_plans, seat_values
from tefuda.resolving.limited.trunk import Lookahead
from tefuda.solvers.exact.lp import PlanParts, Program, highs_model, open_highs, plan_parts, run_opened

_NOTHING = 1e-12  # in parts of the largest payoff: the least gain that makes a plane news


class Enclosure(NamedTuple):
    """Plans of both players above and below a cut, and the bounds that they prove.

    lower: value that player 0's plans guarantee. upper: value that player 1's allow. Both less the mean of the payoffs.
    plans: `[Q]` of the trunk. below: S, `[Q]` of each subgame.
    """

    lower: float
    upper: float
    plans: np.ndarray  # [Q]
    below: tuple[np.ndarray, ...]
    rounds: int


def enclose(
    ahead: Lookahead,
    *,
    tolerance: float = 1e-10,
    seconds: float | None = None,
    progress: Callable[[int, float, float], None] | None = None,
) -> Enclosure:
    """Solve a trunk exactly to the end of the game, looking at one subgame at a time.

    tolerance: gap between the bounds at which to stop, in parts of the largest payoff. seconds: time limit, after which
    the bounds are those proved by then. progress: called with the round and the bounds.
    """
    started, trunk, rounds = time.perf_counter(), ahead.trunk, 0
    sides = tuple(_Side(ahead, player) for player in range(2))
    for number, region in enumerate(trunk.below):
        for seat in range(max(region.starts(0), region.starts(1))):  # uniform plans of single seats bound all ranges
            ranges = tuple(np.eye(size)[min(seat, size - 1)] for size in map(region.starts, range(2)))
            _add(sides, number, realization_plans(region, np.zeros(region.sequences), ranges))
    solved = tuple(map(EquilibriumSolver, trunk.below))
    while True:
        upper, lower = sides[0].solve(), -sides[1].solve()
        if progress is not None:
            progress(rounds, lower, upper)
        late = seconds is not None and time.perf_counter() - started >= seconds
        if late or upper - lower <= tolerance * ahead.form.scale or not _look(sides, solved):
            return _enclosure(ahead, sides, lower, upper, rounds)
        rounds += 1


def _look(sides: tuple[_Side, ...], solved: tuple[EquilibriumSolver, ...]) -> bool:
    """Add equilibria at the ranges of both sides' plans; return whether any was news."""
    reaches = zip(*(side.reaches() for side in sides), strict=True)
    plans = [equilibria.plans(reach) for equilibria, reach in zip(solved, reaches, strict=True)]
    news = [_add(sides, number, plan) for number, plan in enumerate(plans)]
    return any(news)


def _add(sides: tuple[_Side, ...], subgame: int, plans: np.ndarray) -> bool:
    """Add plans `[Q]` of a subgame to both sides; return whether they were news to either."""
    region = sides[0].ahead.trunk.below[subgame]
    values = seat_values(region, plans)
    news = [side.bound(subgame, plans[region.own(1 - side.player)], values[side.player]) for side in sides]
    return any(news)


def _enclosure(ahead: Lookahead, sides: tuple[_Side, ...], lower: float, upper: float, rounds: int) -> Enclosure:
    """Return the plans that the two sides' multipliers prove for each other."""
    form, trunk = ahead.form, ahead.trunk
    weights, below = np.zeros(form.sequences), [np.zeros(region.sequences) for region in trunk.below]
    for side in sides:
        other = 1 - side.player
        weights[form.own(other)], mixed = side.held_down_by()
        for region, found, plan in zip(trunk.below, below, mixed, strict=True):
            found[region.own(other)] = plan
    plans = realization_plans(form, weights, ahead.ranges)
    reaches = [trunk.split(player, plans[ahead.ends[player]]) for player in range(2)]
    parts = zip(trunk.below, below, zip(*reaches, strict=True), strict=True)
    return Enclosure(lower, upper, plans, tuple(realization_plans(*part) for part in parts), rounds)


class _Side:
    """One player's program. Columns: its plan, prices of the other's infosets, values of the other's seats at the cut.

    Rows: the player's constraints, one for each sequence of the other, planes.
    """

    def __init__(self, ahead: Lookahead, player: int) -> None:
        form, other = ahead.form, 1 - player
        self.ahead, self.player = ahead, player
        parts = form.derived(plan_parts, player)
        (self._constraints, self._plan), (self._replies, prices) = parts.own.shape, parts.chosen.shape
        ends = ahead.ends[other] - int(form.span[other])
        self._seats = ahead.trunk.split(other, self._plan + prices + np.arange(len(ends)))
        self._own = ahead.trunk.split(player, ahead.ends[player] - int(form.span[player]))
        self._planes, self._columns = list[tuple[int, np.ndarray]](), np.zeros(0)
        self._highs = open_highs(self._program(parts, ends, prices), presolve="off", **TOLERANCES)

    def _program(self, parts: PlanParts, ends: np.ndarray, prices: int) -> Program:
        from scipy.sparse import block_array, coo_array

        own, others, count = self.ahead.ranges[self.player], self.ahead.ranges[1 - self.player], len(ends)
        gained = coo_array((np.full(count, -1.0), (ends, np.arange(count))), (self._replies, count))
        blocks = [[parts.own, None, None], [-parts.payoffs, parts.chosen - parts.led_to, gained]]
        cost, right = np.zeros(self._plan + prices + count), np.zeros(self._constraints)
        cost[self._plan : self._plan + len(others)], right[: len(own)] = -others, own
        lower = np.concatenate([np.zeros(self._plan), np.full(prices + count, -np.inf)])
        rows = np.concatenate([right, np.full(self._replies, -np.inf)]), np.append(right, np.zeros(self._replies))
        model = highs_model(cost, lower, rows, block_array(blocks, format="csc"))
        return Program(model, self._plan, self._constraints, self.ahead.form.scale)

    def bound(self, subgame: int, plan: np.ndarray, value: np.ndarray) -> bool:
        """Add the plane of an opponent's plan and the player's values against it; return whether it was news."""
        seats, own = self._seats[subgame], self._own[subgame]
        columns, place = np.unique(np.append(seats, own), return_inverse=True)
        entries = np.bincount(place, np.append(plan[: len(seats)], -value / self.ahead.form.scale))
        columns, entries = columns[entries != 0], entries[entries != 0]
        if len(self._columns) and not entries @ self._columns[columns] > _NOTHING:
            return False
        self._highs.addRow(-np.inf, 0.0, len(columns), columns.astype(np.int32), entries)
        self._planes.append((subgame, plan))
        return True

    def solve(self) -> float:
        """Return the optimum: an upper bound of the player's value."""
        run_opened(self._highs)
        self._columns = np.array(self._highs.getSolution().col_value)
        return float(-self._highs.getObjectiveValue() * self.ahead.form.scale)

    def reaches(self) -> list[np.ndarray]:
        """Return the optimal plan's range in each subgame."""
        return [np.maximum(self._columns[own], 0.0) for own in self._own]

    def held_down_by(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return the opponent's plan of the trunk that bounds the player by the optimum, and that of each subgame."""
        multipliers = -np.array(self._highs.getSolution().row_dual)
        rows, other = self._constraints + self._replies, 1 - self.player
        regions = self.ahead.trunk.below
        mixed = [np.zeros(int(region.span[other + 1] - region.span[other])) for region in regions]
        for (subgame, plan), share in zip(self._planes, multipliers[rows:].tolist(), strict=True):
            mixed[subgame] += max(share, 0.0) * plan
        return multipliers[self._constraints : rows], mixed
