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
from tefuda.solvers.exact import anchored
from tefuda.solvers.exact.anchored import Anchored, Mirror
from tefuda.solvers.protocol import Method, Solver, TreeSolver, WrappedSolver
from tefuda.solvers.quantal.branch import Branch, System
from tefuda.solvers.quantal.response import FORMS, MAGNETS, response_of
from tefuda.solvers.runs.evaluators import Evaluation, Evaluator, reported_strategy, tree_of_solver

_LARGEST, _LEAST = 1e9, 1e-15  # rationality; the same for half the range of payoffs, in divisions
_SCALES = (1e-18, 1e18)  # of steps and magnets in half the range of payoffs


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

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> TreeSolver:
        return (PathSolver if self.by == "path" else MirrorSolver)(form, self)

    def default_evaluator(self, form: Form) -> QuantalResidual:
        """See `Method`: the residual."""
        return QuantalResidual(self.rationality, self.form, self.magnet)


class PathSolver(TreeSolver):
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

    def average(self) -> Profile:
        return self.current()

    def current(self) -> Profile:
        return self._system.response.profile(self._system.logs(self._branch.point))

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: getattr(self._branch, name) for name in ("point", "tangent", "anchors", "status")}


class MirrorSolver(WrappedSolver):
    """Magnetic mirror descent of all players at once (Sokota et al. 2023, section 4).

    It begins at uniform play. A strategy becomes (strategy * magnet^(s a) * exp(s u))^(1 / (1 + s a)), with the step
    size s, a = 1 / rationality, and the utilities u of the form.
    """

    def __init__(self, tree: Tree, method: Quantal) -> None:
        half = float(np.ptp(tree.payoffs, axis=0).max(initial=0.0)) / 2 or 1.0
        pull = 1.0 / max(method.rationality, _LEAST / half)
        leaves = np.concatenate([sequence_form(tree).leaves(player).value for player in range(tree.players)])
        largest = half if method.form == "agent" else float(np.abs(leaves).max(initial=0.0)) or 1.0
        values = "conditional" if method.form == "agent" else "dilated"
        step, magnet = np.clip([(method.step or pull / largest**2) * half, pull / half], *_SCALES).tolist()
        rule = Mirror(step, values=values, bound=_LARGEST)
        never = 0 if method.magnet == "none" else int(_LARGEST)  # the reference is uniform before it moves
        super().__init__(anchored.MirrorSolver(tree, Anchored(method.name, rule, magnet, 0.0, never), rule))
        self.method = method

    def average(self) -> Profile:
        return self.current()


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
