"""Equilibria of regions at given ranges, by linear programs that start from their last solution.

Dimension letters: Q sequences of a region, S seats of a player.

The value of a region, V(r_0, r_1), is proportional to each range, concave in r_0 and convex in r_1. Against a player's
equilibrium plan no range of the other player is worth more than `seat_values` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tefuda._kernels.traversal import fold_best, gather, realise
from tefuda.evaluating.regret import match_regrets
from tefuda.forms.region import Region
from tefuda.forms.sequence import SequenceForm
from tefuda.solvers.exact.lp import Program, open_highs, plan_program, run_opened

TOLERANCES = dict.fromkeys(("primal_feasibility_tolerance", "dual_feasibility_tolerance"), 1e-10)
MIN_REACH = 1e-12  # a reach that cannot be told from round-off


class EquilibriumSolver:
    """Equilibria of a region, one after the other."""

    def __init__(self, region: Region) -> None:
        self.region = region
        ones = np.ones(region.starts(0)), np.ones(region.starts(1))
        self._program = plan_program(region, ranges=ones)
        # Presolving costs more than it saves on programs that start from a solution.
        self._highs = open_highs(self._program, presolve="off", **TOLERANCES)

    def plans(self, reaches: tuple[np.ndarray, ...]) -> np.ndarray:
        """Return `[Q]` plans of both players in an equilibrium at the ranges `[S]` that reaches are proportional to."""
        highs, plan, ranges = self._highs, self._program.plan, tuple(map(normalized, reaches))
        for seat, reach in enumerate(ranges[0].tolist()):
            highs.changeRowBounds(seat, reach, reach)
        prices = np.arange(plan, plan + len(ranges[1]), dtype=np.int32)
        highs.changeColsCost(len(prices), prices, -ranges[1])
        run_opened(highs)
        return realization_plans(self.region, plan_weights(self._program, highs), ranges)


def plan_weights(program: Program, highs: Any) -> np.ndarray:
    """Return `[Q]` the plans of both players at the optimum of a plan program."""
    found = highs.getSolution()
    return np.append(found.col_value[: program.plan], -np.array(found.row_dual[program.constraints :]))


def normalized(reach: np.ndarray) -> np.ndarray:
    """Return a reach divided by its sum; uniform where the sum is zero."""
    total = reach.sum()
    return reach / total if total > MIN_REACH else np.full(len(reach), 1 / len(reach))


def realization_plans(form: SequenceForm, weights: np.ndarray, ranges: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return `[Q]` the plans of the behaviour that weights `[Q]` give."""
    behaviour, plans = behaviour_strategy(form, weights), np.zeros(form.sequences)
    for player, own in enumerate(ranges):
        plans[int(form.span[player]) :][: len(own)] = own
        realise(form.arrays, player, behaviour, plans)
    return plans


def behaviour_strategy(form: SequenceForm, weights: np.ndarray) -> np.ndarray:
    """Return `[Q]` positive weights divided by their sum at each infoset; uniform where there are none."""
    behaviour = np.maximum(weights, 0.0)
    for player in range(form.players):
        for _, actions in form.blocks(player):
            actions += int(form.span[player])
            behaviour[actions] = match_regrets(behaviour[actions], axis=0)
    return behaviour


def seat_values(region: Region, plans: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return for each player `[S]` the counterfactual best-response values of its seats against plans `[Q]`."""
    found = []
    for player in range(region.players):
        utility, first = np.zeros(region.sequences), int(region.span[player])
        gather(region.arrays, player, plans, np.empty(len(region.pairs)), utility)
        fold_best(region.arrays, player, utility, np.empty(region.sequences))
        found.append(utility[first : first + region.starts(player)])
    return tuple(found)
