"""Regions solved for given ranges: by linear programs that start from their last solution.

Dimension letters: Q sequences of a region, S seats of a player.

What a region is worth, V(r_0, r_1), rises in proportion to each range, is concave in r_0 and convex in r_1. The plans
of an equilibrium give all that others want to know: against a player's plan no range of the other's is worth more than
`seat_values` says.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.passes import fold_best, gather, realise
from tefuda.forms.region import Region
from tefuda.forms.sequence import SequenceForm
from tefuda.solvers.exact.lp import open_highs, plan_program, run_opened

_TOLERANCES = dict.fromkeys(("primal_feasibility_tolerance", "dual_feasibility_tolerance"), 1e-10)


class Equilibria:
    """Equilibria of a region, one after the other."""

    def __init__(self, region: Region) -> None:
        self.region = region
        ones = np.ones(region.starts(0)), np.ones(region.starts(1))
        self._program = plan_program(region, ranges=ones)
        # Presolving costs more than it saves on programs that start from a solution.
        self._highs = open_highs(self._program, presolve="off", **_TOLERANCES)

    def plans(self, ranges: tuple[np.ndarray, ...]) -> np.ndarray:
        """`[Q]` plans of both players in an equilibrium, for ranges `[S]` of each that sum to 1."""
        highs, plan = self._highs, self._program.plan
        for seat, reach in enumerate(ranges[0].tolist()):
            highs.changeRowBounds(seat, reach, reach)
        prices = np.arange(plan, plan + len(ranges[1]), dtype=np.int32)
        highs.changeColsCost(len(prices), prices, -ranges[1])
        run_opened(highs)
        found = highs.getSolution()
        weights = np.concatenate([found.col_value[:plan], -np.array(found.row_dual[self._program.constraints :])])
        return realised(self.region, weights, ranges)


def realised(form: SequenceForm, weights: np.ndarray, ranges: tuple[np.ndarray, ...]) -> np.ndarray:
    """`[Q]` the plans of behaviour in proportion to weights `[Q]`, none below 0 counting; uniform where they are 0."""
    behaviour, plans = behaviour_of(form, weights), np.zeros(form.sequences)
    for player, own in enumerate(ranges):
        plans[int(form.span[player]) :][: len(own)] = own
        realise(form.arrays, player, behaviour, plans)
    return plans


def behaviour_of(form: SequenceForm, weights: np.ndarray) -> np.ndarray:
    """`[Q]` weights divided by their sum at each infoset, none below 0 counting; uniform where all are 0."""
    behaviour = np.maximum(weights, 0.0)
    for player in range(form.players):
        for _, actions in form.blocks(player):
            actions += int(form.span[player])
            total = behaviour[actions].sum(axis=0)
            shares = behaviour[actions] / np.where(total > 0, total, 1.0)
            behaviour[actions] = np.where(total > 0, shares, 1 / len(actions))
    return behaviour


def seat_values(region: Region, plans: np.ndarray) -> tuple[np.ndarray, ...]:
    """For each player `[S]` the counterfactual values of its seats if it replies best to the others' plans `[Q]`."""
    return tuple(_values_of(region, player, plans) for player in range(region.players))


def _values_of(region: Region, player: int, plans: np.ndarray) -> np.ndarray:
    utility, first = np.zeros(region.sequences), int(region.span[player])
    gather(region.arrays, player, plans, np.empty(len(region.pairs)), utility)
    fold_best(region.arrays, player, utility, np.empty(region.sequences))
    return utility[first : first + region.starts(player)]
