"""Equilibria of regions for given ranges, by linear programs that start from their last solution.

Dimension letters: Q sequences of a region, S augmented infosets of a player at its roots.

The value of a region, V(r_0, r_1), is proportional to each range, concave in r_0 and convex in r_1. Against a player's
equilibrium plan no range of the opponent has a higher value than `region_response_values` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tefuda.evaluating.regret import match_regrets
from tefuda.forms.programs import gathered, realised, responded
from tefuda.forms.sequence import SequenceForm
from tefuda.resolving.limited.region import Region
from tefuda.solvers.exact.lp import Program, open_highs, plan_program, run_opened

TOLERANCES = dict.fromkeys(("primal_feasibility_tolerance", "dual_feasibility_tolerance"), 1e-10)
MIN_REACH = 1e-12  # smaller reaches are round-off


class EquilibriumSolver:
    """A solver of a region that finds equilibria for one pair of ranges after another."""

    def __init__(self, region: Region) -> None:
        self.region = region
        ones = np.ones(region.starts(0)), np.ones(region.starts(1))
        self._program = plan_program(region, ranges=ones)
        # Presolving takes longer than it saves on programs that start from a solution.
        self._highs = open_highs(self._program, presolve="off", **TOLERANCES)

    def plans(self, reaches: tuple[np.ndarray, ...]) -> np.ndarray:
        """Return `[Q]` realization plans of an equilibrium for the ranges of both players' reaches `[S]`."""
        highs, plan, ranges = self._highs, self._program.plan, tuple(map(normalized, reaches))
        for infoset, reach in enumerate(ranges[0].tolist()):
            highs.changeRowBounds(infoset, reach, reach)
        prices = np.arange(plan, plan + len(ranges[1]), dtype=np.int32)
        highs.changeColsCost(len(prices), prices, -ranges[1])
        run_opened(highs)
        return realization_plans(self.region, plan_weights(self._program, highs), ranges)


def plan_weights(program: Program, highs: Any) -> np.ndarray:
    """Return `[Q]` the plans of both players at the optimum of a plan program."""
    solution = highs.getSolution()
    return np.append(solution.col_value[: program.plan], -np.array(solution.row_dual[program.constraints :]))


def normalized(reach: np.ndarray) -> np.ndarray:
    """Return a reach divided by its sum; uniform where the sum is zero."""
    total = reach.sum()
    return reach / total if total > MIN_REACH else np.full(len(reach), 1 / len(reach))


def realization_plans(form: SequenceForm, weights: np.ndarray, ranges: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return `[Q]` the realization plans of the behaviour strategy in proportion to weights `[Q]`."""
    return realised(form, behaviour_strategy(form, weights), ranges)


def behaviour_strategy(form: SequenceForm, weights: np.ndarray) -> np.ndarray:
    """Return `[Q]` positive weights divided by their sum at each infoset; uniform where the sum is zero."""
    behaviour = np.maximum(weights, 0.0)
    for player in range(form.players):
        for _, actions in form.groups_of(player):
            actions += int(form.span[player])
            behaviour[actions] = match_regrets(behaviour[actions], axis=0)
    return behaviour


def region_response_values(region: Region, plans: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return for each player `[S]` counterfactual best-response values against plans `[Q]`."""
    values = []
    for player in range(region.players):
        utility, first = responded(region, player, gathered(region, player, plans))[0], int(region.span[player])
        values.append(utility[first : first + region.starts(player)])
    return tuple(values)
