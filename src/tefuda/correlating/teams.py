"""A team against an adversary: its best device by column generation, with bounds from both sides.

Two members agree on a random joint plan before play, and do not communicate in it (TMECor, Celli and Gatti 2018):

    maximise  min over plans y of the adversary of  sum over k of w_k a_k' y    over weights w of joint pure plans k

a_k are the team's payoffs by the adversary's sequences. A linear program finds the weights of the plans so far, a lower
bound, and the adversary's plan y against them. The best joint plan against y (see `pricing`) is an upper bound, and the
next plan. One pure member is enough for the search, the other one responds to it (arXiv 2009.10061).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from tefuda.correlating.device import Device
from tefuda.correlating.pricing import PRICINGS, TeamGame
from tefuda.errors import ParameterError, SolverError, check_range
from tefuda.evaluating.profile import Profile, check_player
from tefuda.forms.form import Form
from tefuda.forms.tree import Tree
from tefuda.settings import option
from tefuda.solvers.exact.linear_program import equilibrium_plans
from tefuda.solvers.exact.lp import parts_between, plan_of, plan_profile, plan_program, require_constant_sum
from tefuda.solvers.protocol import Method, Solver, TreeSolver
from tefuda.solvers.runs.evaluators import Evaluation, Evaluator

_LEAST = 1e-10  # HiGHS's smallest tolerance
_STARTS = 20  # plans from which local searches start
_BOUNDED = frozenset(4**power for power in range(3, 20))  # iterations with a bound, even if there are better plans


@dataclass(frozen=True)
class Team(Method):
    """Column generation for a team of two members, or of one, against an adversary.

    The answer is the team's device; the reported profile has the members' marginals and the adversary's best plan. An
    iteration adds joint plans. A run stops when the bounds meet, or by its limits, with both bounds.

    Args:
        name: name in tables.
        adversary: the player against the team; -1: the last one; None: all players are the team.
        pricing: search for the best joint plan. ``"plans"``: all plans of a member, exact, at most a million.
            ``"milp"``: integer programs, to 1e-9 of the payoffs. ``"auto"``: the first for at most 100,000 plans.
        seconds: time limit of an integer program; it is doubled each time that it passes in vain.
        tolerance: bounds that differ less are equal, relative to the largest payoff.

    >>> solution = td.solve(td.load_game("kuhn", players=3), td.correlating.Team(adversary=2))
    >>> solution.evaluator.title, round(solution.evaluation.figure * 24, 9)
    ('team value', -1.0)
    """

    name: str = "team"
    adversary: int | None = option(-1, -1, 100)
    pricing: str = option("auto", choices=PRICINGS)
    seconds: float = option(10.0, 0.01, 1e6, name="pricing_seconds")
    tolerance: float = option(1e-10, 1e-12, 1)

    accepts = ("tree",)
    default_until = 0.0
    example = "kuhn --players 3"

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> TeamSolver:
        """See `Method`.

        Raises:
            GameError: the team has more than two members, or there is an adversary and no constant sum.
            ParameterError: the game has no such adversary.
            SizeError: both members have too many plans for ``"plans"``.
        """
        if self.adversary is not None:
            require_constant_sum(
                form, "a team against an adversary", "adversary None (--adversary null) is a team of all players"
            )
        return TeamSolver(form, self)

    def default_evaluator(self, form: Form) -> TeamValue:
        """See `Method`: the bounds of the team's value."""
        return TeamValue()


class TeamSolver(TreeSolver):
    """The solver of `Team` on a tree.

    >>> tree = td.compile_game(td.load_game("chsh"))
    >>> solver = td.make_solver(tree, td.correlating.Team(adversary=None))
    >>> solver.finish()
    >>> solver.bounds, [weight for weight, _ in solver.joint_plans()]
    ((1.5, 1.5), [1.0])
    """

    def __init__(self, tree: Tree, method: Team) -> None:
        adversary = tree.players - 1 if method.adversary == -1 else method.adversary
        if adversary is not None:
            check_player(tree, adversary)
        self.tree, self.method, self.iterations = tree, method, 0
        self._game = game = TeamGame(tree, adversary, method.pricing)
        self._total = 0.0 if adversary is None else float(tree.payoffs[0].sum())
        one, two, self._answer = game.uniform()
        self._best, table = self._answer, game.table(self._answer)
        # The upper bound, and the time limit of an integer program.
        self._figures = np.array([game.bound(table), method.seconds])
        self._plans, self._weights = np.zeros((0, len(one) + len(two)), dtype=np.uint8), np.zeros(0)
        self._columns = np.zeros((0, game.adversary.size))
        self._append([game.climb(table, one).plans])

    def _append(self, found: list[tuple[np.ndarray, np.ndarray]]) -> None:
        """Add joint plans, and find the weights and the adversary's plan."""
        new = np.unique(np.array([np.concatenate(plans) for plans in found]), axis=0).astype(np.uint8)
        self._plans = np.vstack([self._plans, new])
        self._columns = np.vstack([self._columns, self._columns_of(new)])
        self._mix()

    def _columns_of(self, plans: np.ndarray) -> np.ndarray:
        """Return `[n, S]` the payoffs of the adversary's sequences against joint plans, to the team."""
        return np.array([self._game.column(self._pair(row)) for row in plans.astype(np.float64)])

    def _pair(self, plans: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        size = self._game.sides[0].size
        return plans[:size], plans[size:]

    def _mix(self) -> None:
        """Solve the linear program of the joint plans' weights; its multipliers are the adversary's plan."""
        from scipy.sparse import csr_array

        side = self._game.adversary
        parts = parts_between(csr_array(np.ones((1, len(self._columns)))), csr_array(self._columns.T), side.constraints)
        weights, plan = equilibrium_plans(plan_program(self._game.form, parts=parts), _LEAST)
        self._weights = weights / weights.sum()
        if side.player is not None:
            self._answer = plan_of(plan_profile(self.tree, side.player, plan), side.player)

    def advance(self, iterations: int) -> None:
        """See `Solver`; once the bounds have met, iterations change nothing. Programs end at the limit."""
        until = time.monotonic() + self.limit
        for _ in range(iterations):
            if not self.finished:
                self._price(until)
            self.iterations += 1
            if time.monotonic() > until:
                break

    def finish(self) -> None:
        """Iterate until the bounds meet."""
        while not self.finished:
            self.advance(1)

    def _price(self, until: float) -> None:
        """Find better joint plans by local search; without any, and now and then, the best with a bound."""
        game, table, enough = self._game, self._game.table(self._answer), self.method.tolerance / 2
        value = float((self._columns @ self._answer).max())
        heaviest = np.argsort(-self._weights, kind="stable")[:_STARTS]
        starts = np.unique(self._plans[heaviest, : game.sides[0].size], axis=0).astype(np.float64)
        climbed = [game.climb(table, start) for start in starts]
        better = [found.plans for found in climbed if found.value > value + enough]
        if not better or self.iterations in _BOUNDED:
            seconds = min(float(self._figures[1]), max(until - time.monotonic(), 0.0))
            best = game.best(table, seconds)
            if best.bound < self._figures[0]:
                self._figures[0], self._best = best.bound, self._answer
            if best.value > value + enough:
                better.append(best.plans)
            elif best.bound > best.value and not better:
                self._figures[1] *= 1 + (seconds == self._figures[1])  # in vain, and not cut short
        if better:
            self._append(better)
        elif best.bound <= best.value and not self.finished:
            raise SolverError(f"the bounds {self.bounds} do not meet in floats; raise the tolerance.")

    @property
    def _least(self) -> float:
        return -self._game.adversary.respond(-(self._weights @ self._columns))[0]

    @property
    def finished(self) -> bool:
        """True if the bounds have met."""
        return bool(self._figures[0] - self._least <= self.method.tolerance)

    @property
    def bounds(self) -> tuple[float, float]:
        """The value that the device guarantees the team, and its least upper bound so far."""
        low = self._least * self._game.form.scale + self._total
        return low, low if self.finished else self._total - self.guaranteed

    @property
    def guaranteed(self) -> float:
        """The value that its best plan so far guarantees the adversary, in the game's unit."""
        return -float(self._figures[0]) * self._game.form.scale

    def joint_plans(self) -> list[tuple[float, Profile]]:
        """Return the device's joint plans with their weights; the adversary plays its best plan."""
        pairs = zip(self._weights.tolist(), self._plans, strict=True)
        return [(weight, self._profile(plans)) for weight, plans in pairs if weight > 0]

    @property
    def device(self) -> Device:
        """The device of `joint_plans`."""
        weights, profiles = zip(*self.joint_plans(), strict=True)
        return Device.of(profiles, weights)

    def _profile(self, plans: np.ndarray) -> Profile:
        form, game, weights = self._game.form, self._game, np.zeros(self._game.form.sequences)
        for side, plan in zip((*game.sides, game.adversary), (*self._pair(plans), self._best), strict=True):
            if side.player is not None:
                weights[form.own(side.player)] = plan
        return Profile.from_weights(self.tree, weights[form.sequence])

    def average(self) -> Profile:
        """See `Solver`: the members' marginals, which they cannot play alone, and the best plan."""
        return self._profile(self._weights @ self._plans)

    current = average

    def arrays(self) -> dict[str, np.ndarray]:
        return {
            "plans": self._plans, "weights": self._weights, "answer": self._answer, "best": self._best,
            "figures": self._figures,
        }  # fmt: skip

    def ranges(self) -> dict[str, tuple[float, float]]:
        return dict.fromkeys(("plans", "weights", "answer", "best"), (0, 1))

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        count = max(1, len(np.atleast_1d(state.get("plans", 0))))
        self._plans, self._weights = np.zeros((count, self._plans.shape[1]), np.uint8), np.zeros(count)
        self._answer, self._best = self._answer.copy(), self._best.copy()
        super().restore(state)
        self._columns = self._columns_of(self._plans)


@dataclass(frozen=True)
class TeamValue(Evaluator):
    """The value that a team's device guarantees, with its upper bound; `until` is for their difference.

    >>> solution = td.solve(td.load_game("kuhn", players=3), td.correlating.Team(adversary=0), until=1e-6)
    >>> round(132 * solution.evaluation.low, 6), round(132 * solution.evaluation.high, 6)
    (5.0, 5.0)
    """

    name = "team-value"
    title = "team value"
    lower_is_better = False
    evaluated = "device of the team"
    growth = (1.0, 1.0)

    def check(self, solver: Solver, until: float | None) -> None:
        """See `Evaluator`; raise ParameterError for other methods than `Team`."""
        if not isinstance(solver, TeamSolver):
            raise ParameterError(f"evaluator {self.name!r} needs method team; {solver.method.name} was given.")
        if until is not None:
            check_range("until", until, 0, whole=False)

    def reached(self, point: object, until: float) -> bool:
        return bool(point.high - point.low <= until)  # type: ignore[attr-defined]

    def reason(self, until: float) -> str:
        return f"the bounds of the team value differ by at most {until:g}"

    def evaluate(self, solver: Solver) -> Evaluation:
        assert isinstance(solver, TeamSolver)  # as checked
        low, high = solver.bounds
        return Evaluation("average", solver.average(), low, low, high)
