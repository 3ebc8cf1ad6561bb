"""The method `quantal`: a quantal response equilibrium, by its path or by mirror descent."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import cast

import numpy as np

from tefuda.errors import SolverError
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import values
from tefuda.forms.form import Form
from tefuda.forms.sequence import last_rows, sequence_form
from tefuda.forms.tree import Tree
from tefuda.settings import Validated, option
from tefuda.solvers.protocol import Method, Solver, TreeSolver
from tefuda.solvers.quantal.branch import Branch, System
from tefuda.solvers.quantal.response import FORMS, MAGNETS, response_of
from tefuda.solvers.runs.evaluators import Evaluation, Evaluator, reported_strategy, tree_of_solver

_LARGEST = 1e9  # rationality


@dataclass(frozen=True)
class Quantal(Method):
    """The quantal response equilibrium of one rationality; its figure is the residual, not NashConv.

    In agent form (McKelvey and Palfrey 1998; Gambit's `logit_solve`) players respond at each infoset to the values of
    actions given the infoset. In reduced form (Ling, Fang, Kolter 2018; magnetic mirror descent of Sokota et al. 2023)
    they respond to counterfactual values, with soft maxima at their later infosets.

    Args:
        name: name in tables.
        rationality: factor of the utilities in the logits, in 1 / the game's unit; 0: random play.
        form: ``"agent"`` or ``"reduced"``.
        by: ``"path"``: steps along the path from rationality 0, then Newton's method. ``"mmd"``: magnetic mirror
            descent, which needs less memory and has a guarantee for two players with zero sum.
        magnet: ``"uniform"`` draws responses to uniform actions; in agent form this changes nothing.
        step: step size of mirror descent; 0: 1 / (rationality * L^2) with the largest payoff L, which is safe.

    >>> solution = td.solve(td.load_game("kuhn"), td.solvers.Quantal(rationality=5))
    >>> round(solution.strategy["0: J|"]["b"], 10), solution.evaluation.figure < 1e-12
    (0.1922143025, True)
    """

    name: str = "quantal"
    rationality: float = option(1.0, 0, _LARGEST)
    form: str = option("agent", choices=FORMS)
    by: str = option("path", choices=("path", "mmd"))
    magnet: str = option("none", choices=MAGNETS)
    step: float = option(0.0, 0, _LARGEST)

    reported = "current"
    default_until = 1e-12
    accepts = ("tree",)

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> QuantalSolver:
        return (PathSolver if self.by == "path" else MirrorSolver)(form, self)

    def default_evaluator(self, form: Form) -> QuantalResidual:
        """See `Method`: the residual."""
        return QuantalResidual(self.rationality, self.form, self.magnet)


class QuantalSolver(TreeSolver):
    """The base class of solvers of `Quantal`: they have a current strategy and no average."""

    method: Quantal

    def average(self) -> Profile:
        return self.current()


class PathSolver(QuantalSolver):
    """A solver along the path; an iteration is a step, also one that was too long."""

    def __init__(self, tree: Tree, method: Quantal) -> None:
        self.tree, self.method, self.iterations = tree, method, 0
        self._system = System(tree, method.form, method.magnet)
        self._branch = Branch(self._system)

    def advance(self, iterations: int) -> None:
        """See `Solver`; raise SolverError if the path stalls."""
        branch, goal = self._branch, float(self.method.rationality)
        for _ in range(iterations):
            if not branch.at_end(goal):
                branch.step(goal)
                if branch.at_end(goal) and (point := self._system.at(branch.point, goal)) is not None:
                    branch.point = point
            self.iterations += 1
            if branch.stalled:
                raise SolverError(
                    f"the path stalls at rationality {branch.rationality:g}, before {goal:g}; choose a smaller "
                    "rationality, or by='mmd' (--by mmd)."
                )

    def current(self) -> Profile:
        return self._system.response.profile(self._system.logs(self._branch.point))

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: getattr(self._branch, name) for name in ("point", "tangent", "anchors", "status")}


class MirrorSolver(QuantalSolver):
    """Magnetic mirror descent of all players at once, from uniform play on."""

    def __init__(self, tree: Tree, method: Quantal) -> None:
        self.tree, self.method, self.iterations = tree, method, 0
        self._response = response_of(tree, method.form, method.magnet)
        self._logs = self._response.normalised(np.zeros(tree.rows))
        leaves = np.concatenate([sequence_form(tree).leaves(player).value for player in range(tree.players)])
        largest = np.ptp(tree.payoffs) / 2 if method.form == "agent" else np.abs(leaves).max(initial=0.0)
        self.step = method.step or 1.0 / (max(method.rationality, 1e-300) * (float(largest) or 1.0) ** 2)

    def advance(self, iterations: int) -> None:
        """See `Solver`; an iteration is a step of all players (Sokota et al. 2023, section 4).

        A strategy becomes (strategy * magnet^(s a) * exp(s u))^(1 / (1 + s a)), with the step size s, a = 1 /
        rationality, and the utilities u of the form.
        """
        response, rationality, step = self._response, self.method.rationality, self.step
        kept = rationality / (rationality + step)
        for _ in range(iterations):
            base = kept * self._logs + (1 - kept) * response.base
            self._logs = response.normalised(response.logits(self._logs, kept * step, base))
        self.iterations += iterations

    def current(self) -> Profile:
        return self._response.profile(self._logs)

    def arrays(self) -> dict[str, np.ndarray]:
        return {"logs": self._logs}

    def ranges(self) -> dict[str, tuple[float, float]]:
        return {"logs": (-np.inf, 0)}


@dataclass(frozen=True)
class QuantalResidual(Validated, Evaluator):
    """Distance of a strategy from the quantal response equilibrium of a rationality; 0 exactly there.

    In agent form it is the sum over infosets of their probability times the divergence of the strategy from the logit
    response. In reduced form it is the gap of the game with entropy: the sum of the players' gains, with their entropy
    of weight 1 / rationality, by best responses.

    Args:
        rationality: rationality.
        form: ``"agent"`` or ``"reduced"``.
        magnet: ``"none"`` or ``"uniform"``.

    >>> gap = td.solvers.QuantalResidual(0.0)
    >>> td.solve(td.load_game("kuhn"), "cfr", iterations=1, evaluator=gap).evaluation.figure
    0.0
    """

    rationality: float = option(1.0, 0, _LARGEST)
    form: str = option("agent", choices=FORMS)
    magnet: str = option("none", choices=MAGNETS)

    name = "quantal-residual"
    title = "residual"
    is_gap = True
    growth = (1.2, 1.05)

    def check(self, solver: Solver, until: float | None) -> None:
        """See `Evaluator`; raise GameError for imperfect recall."""
        last_rows(tree_of_solver(solver, self))
        super().check(solver, until)

    def evaluate(self, solver: Solver) -> Evaluation:
        iterate, reported = reported_strategy(solver)
        strategy = cast(Profile, reported)
        response = tree_of_solver(solver, self).derived(response_of, self.form, self.magnet)
        logs = np.log(np.maximum(strategy.probabilities, np.finfo(float).smallest_subnormal))
        figure = response.residual(logs, self.rationality)
        return Evaluation(iterate, strategy, figure, figure, figure, tuple(values(strategy).tolist()))
