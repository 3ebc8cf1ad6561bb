"""The exact trunk: both players' programs over the trunk, bounded by planes below the cut.

Dimension letters: Q sequences of a form, S subgames at the cut, A seats of a player in all of them.

What a subgame is worth, V(r, q), is concave in one player's range and convex in the other's, and in proportion to each.
So a plan of the opponent that begins with the range q holds the player down everywhere, if v(a) is the most that its
seats a are worth against it: V(r, q) <= v' r for every r, and V(r, q_1 + q_2) <= v_1' r + v_2' r. Each player's program
chooses a plan of the trunk and, for each seat b of the opponent at the cut, a value w(b), as high as all planes known
allow: q' w <= v' r. Its optimum is never too low, and its multipliers mix the opponent's plans behind the planes into
one that holds the player down to it. The optima of both players enclose the game's value.

Where to look next: both programs are optimistic. At the ranges of their two plans the bounds on what the subgames are
worth differ by no less than the optima, and an equilibrium there makes both bounds exact, so every round gains. Leduc
takes 34 rounds to 1e-10, in a second; after a second of CFR-D its NashConv is 0.3.

Sources: Kelley 1960, "The cutting-plane method for solving convex programs"; Burch, Johanson, Bowling 2014, "Solving
imperfect information games using decomposition" (subgames by ranges and values); Brown, Sandholm, Amos 2018 (the
opponent chooses among plans below the cut).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tefuda.forms.region import Region
from tefuda.resolving.limited.equilibria import Equilibria, realised, seat_values
from tefuda.resolving.limited.lookahead import Lookahead
from tefuda.solvers.exact.lp import PlanParts, Program, highs_model, open_highs, plan_parts, run_opened
from tefuda.views import short_repr

_TOLERANCES = dict.fromkeys(("primal_feasibility_tolerance", "dual_feasibility_tolerance"), 1e-10)
_NOTHING = 1e-12  # in parts of the largest payoff: a plane that gains less is none; a range that is smaller, nobody


@dataclass(frozen=True, eq=False)
class Enclosure:
    """Plans of both players above and below a cut, and what they prove.

    lower: what player 0's plans guarantee it. upper: what player 1's leave it. Both less the mean of the payoffs.
    plans: `[Q]` of the trunk. below: S, `[Q]` of each subgame. rounds: how many there were.
    """

    lower: float
    upper: float
    plans: np.ndarray  # [Q]
    below: tuple[np.ndarray, ...]
    rounds: int

    __repr__ = short_repr


def enclose(
    ahead: Lookahead,
    *,
    tolerance: float = 1e-10,
    seconds: float | None = None,
    progress: Callable[[int, float, float], None] | None = None,
) -> Enclosure:
    """Play that is exact to the end of the game, found by looking at the trunk and its subgames one at a time.

    Args:
        ahead: what is looked at.
        tolerance: the gap between the bounds at which to stop, in parts of the largest payoff.
        seconds: stop after so many, with the bounds proved by then; only at the tolerance if left out.
        progress: told the round and the bounds.

    Raises:
        SolverError: HiGHS found no optimum.
    """
    started, trunk = time.perf_counter(), ahead.trunk
    sides = tuple(_Side(ahead, player) for player in range(2))
    for number, region in enumerate(trunk.below):
        for plans in _first_plans(region):
            _add(sides, number, plans)
    solved = tuple(Equilibria(region) for region in trunk.below)
    rounds = 0
    while True:
        upper, lower = sides[0].solve(), -sides[1].solve()
        if progress is not None:
            progress(rounds, lower, upper)
        late = seconds is not None and time.perf_counter() - started >= seconds
        if late or upper - lower <= tolerance * ahead.form.scale or not _look(sides, solved):
            return _enclosure(ahead, sides, lower, upper, rounds)
        rounds += 1


def _look(sides: tuple[_Side, ...], solved: tuple[Equilibria, ...]) -> bool:
    """Find equilibria where both sides would go; return whether any told them something."""
    news, reaches = False, [side.reaches() for side in sides]
    for number, equilibria in enumerate(solved):
        news |= _add(sides, number, equilibria.plans(tuple(_shares(one[number]) for one in reaches)))
    return news


def _shares(reach: np.ndarray) -> np.ndarray:
    """A range in parts of its sum. Where nobody comes all are alike: 5 rounds fewer on Leduc than without a look."""
    total = reach.sum()
    return reach / total if total > _NOTHING else np.full(len(reach), 1 / len(reach))


def _add(sides: tuple[_Side, ...], subgame: int, plans: np.ndarray) -> bool:
    """Tell both sides of plans `[Q]` in a subgame; return whether one of them had not known so much."""
    region = sides[0].ahead.trunk.below[subgame]
    values = seat_values(region, plans)
    found = [side.bound(subgame, plans[region.own(1 - side.player)], values[side.player]) for side in sides]
    return any(found)


def _first_plans(region: Region) -> Iterator[np.ndarray]:
    """Uniform plans that begin at single seats: enough to bound all ranges."""
    most = max(region.starts(0), region.starts(1))
    for seat in range(most):
        ranges = tuple(np.eye(region.starts(player))[min(seat, region.starts(player) - 1)] for player in range(2))
        yield realised(region, np.zeros(region.sequences), ranges)


def _enclosure(ahead: Lookahead, sides: tuple[_Side, ...], lower: float, upper: float, rounds: int) -> Enclosure:
    """The plans that the two sides' multipliers prove for each other."""
    form, trunk = ahead.form, ahead.trunk
    weights, below = np.zeros(form.sequences), [np.zeros(region.sequences) for region in trunk.below]
    for side in sides:
        other = 1 - side.player
        weights[form.own(other)], mixed = side.held_down_by()
        for region, found, plan in zip(trunk.below, below, mixed, strict=True):
            found[region.own(other)] = plan
    plans = realised(form, weights, ahead.ranges)
    reaches = [trunk.parted(player, plans[ahead.ends[player]]) for player in range(2)]
    parts = zip(trunk.below, below, zip(*reaches, strict=True), strict=True)
    return Enclosure(lower, upper, plans, tuple(realised(*part) for part in parts), rounds)


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
        self._seats = ahead.trunk.parted(other, self._plan + prices + np.arange(len(ends)))
        self._own = ahead.trunk.parted(player, ahead.ends[player] - int(form.span[player]))
        self._planes, self._columns = list[tuple[int, np.ndarray]](), np.zeros(0)
        self._highs = open_highs(self._program(parts, ends, prices), presolve="off", **_TOLERANCES)

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
        """Add the plane of an opponent's plan against which the player's seats have these values, if it is news."""
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
        """The most the player could get as far as is known."""
        run_opened(self._highs)
        self._columns = np.array(self._highs.getSolution().col_value)
        return float(-self._highs.getObjectiveValue() * self.ahead.form.scale)

    def reaches(self) -> list[np.ndarray]:
        """The ranges with which the plan that hopes for it comes to each subgame."""
        return [np.maximum(self._columns[own], 0.0) for own in self._own]

    def held_down_by(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """The opponent's plan of the trunk that leaves no more than that, and its plan in each subgame."""
        multipliers = -np.array(self._highs.getSolution().row_dual)
        rows, other = self._constraints + self._replies, 1 - self.player
        regions = self.ahead.trunk.below
        mixed = [np.zeros(int(region.span[other + 1] - region.span[other])) for region in regions]
        for (subgame, plan), share in zip(self._planes, multipliers[rows:].tolist(), strict=True):
            mixed[subgame] += max(share, 0.0) * plan
        return multipliers[self._constraints : rows], mixed
