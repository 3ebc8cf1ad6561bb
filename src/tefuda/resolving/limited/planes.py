"""Exact solutions of trunks by both players' linear programs, bounded by planes below the cut.

Dimension letters: Q sequences of a form, S subgames at the cut, A augmented infosets of a player in all of them.

The value of a subgame, V(r, q), is concave in one player's range r, convex in the opponent's range q, and proportional
to each. So an opponent's plan with the range q bounds the player for all ranges. If v(a) is the player's best-response
value at its augmented infoset a, then V(r, q) <= v' r for every r, and V(r, q_1 + q_2) <= v_1' r + v_2' r. Each
player's program chooses a plan of the trunk and, for each augmented infoset b of the opponent at the cut, a value w(b),
as high as all known planes allow: q' w <= v' r. Its optimum is never too low. Its multipliers mix the opponent's plans
behind the planes into one plan that bounds the player by the optimum. The optima of both players enclose the game's
value.

Both programs are optimistic. For the ranges of their two plans the bounds of the subgames differ by at least as much as
the optima, and an equilibrium there makes both bounds exact, so every round narrows the gap.

Sources: Kelley 1960 (cutting planes); Burch, Johanson, Bowling 2014 (subgames by ranges and values); Brown, Sandholm,
Amos 2018 (the opponent chooses among plans below the cut).
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from tefuda.resolving.limited.equilibria import TOLERANCES, EquilibriumSolver, realization_plans, region_response_values
from tefuda.resolving.limited.trunk import Lookahead
from tefuda.solvers.exact.lp import open_highs, plan_parts, plan_program, run_opened

_MIN_GAIN = 1e-12  # share of the largest payoff: planes that gain less are not added


class Enclosure(NamedTuple):
    """Realization plans of both players above and below a cut, and the bounds that they prove.

    lower: value that player 0's plans guarantee. upper: value that player 1's plans allow. Both are less the mean of
    the payoffs. plans: `[Q]` of the trunk. below: S arrays, `[Q]` of each subgame.
    """

    lower: float
    upper: float
    plans: np.ndarray  # [Q]
    below: tuple[np.ndarray, ...]


def enclose(lookahead: Lookahead, *, tolerance: float = 1e-10, seconds: float | None = None) -> Enclosure:
    """Solve a trunk exactly to the end of the game, one subgame at a time.

    tolerance: gap between the bounds at which to stop, as a share of the largest payoff. seconds: time limit, after
    which the bounds proved so far are returned.
    """
    started, trunk = time.perf_counter(), lookahead.trunk
    programs = tuple(_PlayerProgram(lookahead, player) for player in range(2))
    for number, region in enumerate(trunk.below):
        # Uniform plans of single infosets bound all ranges.
        for infoset in range(max(region.starts(0), region.starts(1))):
            ranges = tuple(np.eye(size)[min(infoset, size - 1)] for size in map(region.starts, range(2)))
            _add(programs, number, realization_plans(region, np.zeros(region.sequences), ranges))
    solvers = tuple(map(EquilibriumSolver, trunk.below))
    while True:
        upper, lower = programs[0].solve(), -programs[1].solve()
        out_of_time = seconds is not None and time.perf_counter() - started >= seconds
        if out_of_time or upper - lower <= tolerance * lookahead.form.scale or not _add_equilibria(programs, solvers):
            return _enclosure(lookahead, programs, lower, upper)


def _add_equilibria(programs: tuple[_PlayerProgram, ...], solvers: tuple[EquilibriumSolver, ...]) -> bool:
    """Add equilibria for the ranges of both players' plans; return whether any added a plane."""
    reaches = zip(*(program.reaches() for program in programs), strict=True)
    plans = [solver.plans(reach) for solver, reach in zip(solvers, reaches, strict=True)]
    added = [_add(programs, number, plan) for number, plan in enumerate(plans)]
    return any(added)


def _add(programs: tuple[_PlayerProgram, ...], subgame: int, plans: np.ndarray) -> bool:
    """Add plans `[Q]` of a subgame to both programs; return whether either gained a plane."""
    region = programs[0].lookahead.trunk.below[subgame]
    values = region_response_values(region, plans)
    added = [
        program.add_plane(subgame, plans[region.own(1 - program.player)], values[program.player])
        for program in programs
    ]
    return any(added)


def _enclosure(lookahead: Lookahead, programs: tuple[_PlayerProgram, ...], lower: float, upper: float) -> Enclosure:
    """Return the plans of each player by the multipliers of the opponent's program."""
    form, trunk = lookahead.form, lookahead.trunk
    weights, below = np.zeros(form.sequences), [np.zeros(region.sequences) for region in trunk.below]
    for program in programs:
        opponent = 1 - program.player
        weights[form.own(opponent)], mixed = program.opponent_plans()
        for region, plans, plan in zip(trunk.below, below, mixed, strict=True):
            plans[region.own(opponent)] = plan
    plans = realization_plans(form, weights, lookahead.ranges)
    reaches = [trunk.split(player, plans[lookahead.ends[player]]) for player in range(2)]
    parts = zip(trunk.below, below, zip(*reaches, strict=True), strict=True)
    return Enclosure(lower, upper, plans, tuple(realization_plans(*part) for part in parts))


class _PlayerProgram:
    """The linear program of one player.

    Columns: the player's plan, prices of the opponent's infosets, values of the opponent's augmented infosets at the
    cut. Rows: the player's constraints, one row for each sequence of the opponent, planes.
    """

    def __init__(self, lookahead: Lookahead, player: int) -> None:
        form, opponent = lookahead.form, 1 - player
        self.lookahead, self.player = lookahead, player
        parts = form.derived(plan_parts, player)
        (self._constraints, self._plan), (self._replies, prices) = parts.own.shape, parts.chosen.shape
        ends = lookahead.ends[opponent] - int(form.span[opponent])
        self._opponent_columns = lookahead.trunk.split(opponent, self._plan + prices + np.arange(len(ends)))
        self._own_columns = lookahead.trunk.split(player, lookahead.ends[player] - int(form.span[player]))
        self._planes, self._columns = list[tuple[int, np.ndarray]](), np.zeros(0)
        self._highs = open_highs(plan_program(form, player, ranges=lookahead.ranges), presolve="off", **TOLERANCES)
        count, ones, rows = len(ends), np.ones(len(ends)), (self._constraints + ends).astype(np.int32)
        starts = np.arange(count, dtype=np.int32)
        self._highs.addCols(count, 0 * ones, -np.inf * ones, np.inf * ones, count, starts, rows, -ones)

    def add_plane(self, subgame: int, plan: np.ndarray, value: np.ndarray) -> bool:
        """Add the plane of an opponent's plan and the player's values against it, unless it gains nothing."""
        opponent, own = self._opponent_columns[subgame], self._own_columns[subgame]
        columns, index = np.unique(np.append(opponent, own), return_inverse=True)
        entries = np.bincount(index, np.append(plan[: len(opponent)], -value / self.lookahead.form.scale))
        columns, entries = columns[entries != 0], entries[entries != 0]
        if len(self._columns) and not entries @ self._columns[columns] > _MIN_GAIN:
            return False
        self._highs.addRow(-np.inf, 0.0, len(columns), columns.astype(np.int32), entries)
        self._planes.append((subgame, plan))
        return True

    def solve(self) -> float:
        """Return the optimum: an upper bound of the player's value."""
        run_opened(self._highs)
        self._columns = np.array(self._highs.getSolution().col_value)
        return float(-self._highs.getObjectiveValue() * self.lookahead.form.scale)

    def reaches(self) -> list[np.ndarray]:
        """Return the optimal plan's range in each subgame."""
        return [np.maximum(self._columns[own], 0.0) for own in self._own_columns]

    def opponent_plans(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return the opponent's plans of the trunk and of each subgame that bound the player by the optimum."""
        multipliers = -np.array(self._highs.getSolution().row_dual)
        rows, opponent = self._constraints + self._replies, 1 - self.player
        regions = self.lookahead.trunk.below
        mixed = [np.zeros(int(region.span[opponent + 1] - region.span[opponent])) for region in regions]
        for (subgame, plan), share in zip(self._planes, multipliers[rows:].tolist(), strict=True):
            mixed[subgame] += max(share, 0.0) * plan
        return multipliers[self._constraints : rows], mixed
