"""Commitment of a leader, with signals to the follower or without.

Bošanský, Brânzei, Hansen, Miltersen, Sørensen 2015; Conitzer, Sandholm 2006.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from tefuda.correlating.evaluator import CorrelationGap
from tefuda.correlating.optimal import CorrelationPlan, PlanMethod, optimal_plan, plan_of, value_program
from tefuda.correlating.optimum import Maximum
from tefuda.correlating.polytope import Polytope
from tefuda.errors import SizeError, SolverError
from tefuda.forms.form import Form
from tefuda.forms.tree import Tree
from tefuda.settings import option
from tefuda.solvers.exact.lp import payoff_matrix, treeplex_constraints

_MOST_PLANS = 10_000  # of the follower, each a linear program
_SAME = 1e-9  # relative to the scale of payoffs


@dataclass(frozen=True)
class Commitment(PlanMethod):
    """The best commitment of a leader, if ties of the follower are broken in the leader's favour.

    Args:
        leader: the player that commits.
        signals: whether the leader commits to a device, which the follower obeys as in EFCE (SEFCE, by one linear
            program); else to a strategy (SSE, by one for each of at most 10,000 plans of the follower).

    See `PlanMethod` for the other options.

    >>> tree = td.compile_game(td.load_game("sheriff"))
    >>> plan = td.correlating.Commitment(leader=1, signals=False).plan(tree)
    >>> [str(value) for value in plan.exact], round(plan.bound, 9)
    (['3/4', '15/7'], 2.25)
    """

    leader: int = option(0, 0, 1)
    signals: bool = option(True)
    name: str = field(default="commitment", kw_only=True)

    def space(self, tree: Tree) -> Polytope:
        """See `PlanMethod`; strategies are plans of any game, so that only signals need one without triangles."""
        return super().space(tree) if self.signals else Polytope(tree)

    def plan(self, tree: Tree, seconds: float | None = None, exact: bool = True) -> CorrelationPlan:
        """See `PlanMethod`; without signals, `bound` is the objective with them.

        Raises:
            SizeError: the follower has more than 10,000 plans; the message has the bound.
            SolverError: the time limit passed; the message has the best value so far and the bound.
        """
        until = np.inf if seconds is None else time.monotonic() + seconds
        space, weights = self.space(tree), (0.0, *np.eye(2)[self.leader])
        upper = optimal_plan(self, space, "efce", (1 - self.leader,), weights, seconds, exact and self.signals)
        if self.signals:
            return upper
        bound, follower = f"with signals, the leader gets {upper.objective:.9g} at most", 1 - self.leader
        programs = _Programs(space, self.leader, bound, _likeliest(upper, follower)[:, None])
        number, value = programs.best(upper.objective, until)
        if value < upper.objective / space.form.scale - _SAME:
            if space.sides[follower].plan_count > _MOST_PLANS:
                raise SizeError(f"the follower has more than {_MOST_PLANS:,} plans to try; {bound}.")
            programs = _Programs(space, self.leader, bound, space.sides[follower].plans.T)
            number, value = programs.best(upper.objective, until)
        found = programs.program(number).solve(exact=exact)
        assert found is not None  # as before
        leads, follows = found[0][3 : 3 + programs.own], programs.plans[:, number]
        pairs = np.multiply.outer(*((follows, leads) if self.leader else (leads, follows))).ravel()
        return plan_of(space, *found, pairs[space.codes], weights, bound=upper.objective)

    def default_evaluator(self, form: Form) -> CorrelationGap:
        """See `Method`: the gain of the follower, which is 0 up to round-off."""
        return CorrelationGap("efce", player=1 - self.leader)


def _likeliest(plan: CorrelationPlan, player: int) -> np.ndarray:
    """Return a player's pure plan with the likeliest recommendation at each infoset, as 0 and 1."""
    form, chances = plan.polytope.form, plan.plan[plan.polytope.alone(player)]
    played = np.eye(len(chances), dtype=bool)[0]
    for parents, actions in form.groups_of(player):
        chosen = np.arange(len(actions))[:, None] == chances[actions].argmax(axis=0)
        played[actions] = chosen & played[parents]
    return played.astype(np.float64)


class _Programs:
    """The linear programs of a leader, one for each plan of the follower that is to be a best response.

    plans: `[sequences of the follower, plans]` 1 where a plan plays a sequence.
    """

    def __init__(self, space: Polytope, leader: int, bound: str, plans: np.ndarray) -> None:
        self.form, self.leader, self.follower, self.bound = space.form, leader, 1 - leader, bound
        self.own, self.plans = space.sides[leader].size, plans.astype(np.float64)
        self._payoffs = {player: payoff_matrix(self.form, player).tocsr() / self.form.scale for player in (0, 1)}
        self._payoffs[self.follower] = self._payoffs[self.follower].T
        self._hopes = space.sides[leader].best_values(self._payoffs[leader] @ self.plans)

    def best(self, most: float, until: float) -> tuple[int, float]:
        """Return the plan with the largest value of the leader, and this value by the form's scale.

        most: an upper bound of the value, at which the search ends.
        """
        hopes, best, value, most = self._hopes, -1, -np.inf, most / self.form.scale
        for done, number in enumerate(np.argsort(-hopes, kind="stable").tolist()):
            if value >= min(hopes[number], most) - _SAME:
                break
            if time.monotonic() > until:
                least = f"the best plan of {done:,} so far gives the leader {value * self.form.scale:.9g}"
                raise SolverError(f"the time limit passed; {least}; {self.bound}.")
            found = self.program(number).solve(exact=False)
            if found is not None and found[0][1 + self.leader] > value:
                best, value = number, found[0][1 + self.leader]
        return best, value

    def program(self, number: int) -> Maximum:
        """Return the program of a plan; its other variables are the values of the follower's responses."""
        from scipy.sparse import coo_array

        own, other = (treeplex_constraints(self.form, player) for player in (self.leader, self.follower))
        payoffs = [self._payoffs[player] @ self.plans[:, number] for player in (0, 1)]
        obeyed = coo_array(([-1.0], ([0], [1 + self.follower])), (1, 3))
        best = coo_array(([1.0], ([0], [0])), (1, other.shape[0]))
        limits = [[None, self._payoffs[self.follower].T, -other.T], [obeyed, None, best]]
        return value_program(payoffs, [[None, own, None]], limits, (0.0, *np.eye(2)[self.leader]))
