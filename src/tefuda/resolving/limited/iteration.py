"""Regret minimisation over a lookahead: what is below the cut is asked anew in every iteration.

The methods are those of the CFR family, as values; their kernels pass over the trunk, and counterfactual values of the
seats at the cut are added at its leaves. With equilibria of the subgames this is CFR-D (Burch, Johanson, Bowling 2014),
with a network DeepStack's look ahead (Moravcik et al. 2017).

Dimension letters: Q sequences of the form, A seats of a player at the cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from tefuda._kernels import cfr as kernels
from tefuda._kernels.passes import gather, realise
from tefuda.errors import ParameterError
from tefuda.forms.region import Region
from tefuda.resolving.limited.equilibria import Equilibria, behaviour_of, realised, seat_values
from tefuda.resolving.limited.lookahead import Lookahead
from tefuda.resolving.limited.trunk import Trunk
from tefuda.solvers.exact.cfr import CFR_PLUS, Method
from tefuda.solvers.protocol import require_average

#: Ranges of both players at the cut `[A]`, or counterfactual values of both.
Seats = tuple[np.ndarray, np.ndarray]


def joined(parts: Sequence[tuple[np.ndarray, ...]]) -> Seats:
    """Values of both players' seats, subgame by subgame, in a row."""
    nothing = np.zeros(0)
    return np.concatenate([nothing, *(own for own, _ in parts)]), np.concatenate([nothing, *(own for _, own in parts)])


class ValueFunction(Protocol):
    """What is known of a game below a cut.

    >>> [name for name in dir(ValueFunction) if not name.startswith("_")]
    ['values']
    """

    def values(self, trunk: Trunk, ranges: Seats) -> Seats:
        """`[A]` of both players the counterfactual values of their seats at the cut, payoffs less their mean."""


class ExactValues:
    """Equilibria of the subgames at the ranges asked for, by linear programs.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.depth_limited(tree, 1, td.ValuedLeaves(td.ExactValues(), 50)).nash_conv < 0.1
    True
    """

    def __init__(self) -> None:
        self._solved = dict[Region, Equilibria]()

    def values(self, trunk: Trunk, ranges: Seats) -> Seats:
        """See `ValueFunction`."""
        reaches = zip(*(trunk.parted(player, ranges[player]) for player in range(2)), strict=True)
        found = [self._values(region, reach) for region, reach in zip(trunk.below, reaches, strict=True)]
        return joined(found)

    def _values(self, region: Region, reach: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        if region not in self._solved:
            self._solved[region] = Equilibria(region)
        sums = [float(own.sum()) for own in reach]
        ranges = tuple(
            own / total if total > 0 else np.full(len(own), 1 / len(own))
            for own, total in zip(reach, sums, strict=True)
        )
        worth = seat_values(region, self._solved[region].plans(ranges))
        return worth[0] * sums[1], worth[1] * sums[0]


class Iteration:
    """Minimises regret over a lookahead.

    Args:
        ahead: what is looked at.
        leaves: asked for what is below the cut.
        method: a member of the CFR family in which both minimise regret.

    Raises:
        ParameterError: a method in which one side replies best.
    """

    def __init__(self, ahead: Lookahead, leaves: ValueFunction, method: Method = CFR_PLUS) -> None:
        if method.opponent != "regret":
            raise ParameterError(f"{method.name} trains against a best response, which nobody knows below a cut.")
        self.ahead, self.leaves, self.method, self.iterations = ahead, leaves, method, 0
        count = ahead.form.sequences
        self._regret, self._expected, self._average = np.zeros((3, count))
        self._behaviour = behaviour_of(ahead.form, self._average)
        self._plans = realised(ahead.form, self._average, ahead.ranges)
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

    def _ask(self, plans: np.ndarray) -> Seats:
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
        """Give a player its next strategy; the one before enters the average, or this one if it is late."""
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

    def plans(self) -> np.ndarray:
        """`[Q]` the average plans of both players.

        Raises:
            SolverError: no iteration has entered the average yet.
        """
        require_average(self.iterations, self.method.delay)
        return realised(self.ahead.form, self._average, self.ahead.ranges)

    def worth(self) -> Seats:
        """`[A]` of both players what their seats at the cut were worth on average, counterfactual.

        Raises:
            SolverError: no iteration has entered the average yet.
        """
        require_average(self.iterations, self.method.delay)
        return self._worth[0] / self._weight, self._worth[1] / self._weight
