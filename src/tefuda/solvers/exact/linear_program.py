"""The method `lp`: linear programming for two players, with answers that are sensible off the path."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from tefuda.errors import SolverError
from tefuda.evaluating.off_path import TREMBLE
from tefuda.evaluating.profile import Profile
from tefuda.forms.sequence import sequence_form
from tefuda.forms.tree import Tree
from tefuda.settings import option
from tefuda.solvers.exact.cfr import DCFR, CfrSolver
from tefuda.solvers.exact.lp import Program, plan_program, require_two_player_constant_sum, run_highs
from tefuda.solvers.exact.rational import quasi_perfect_plans, shares_at, simple_payoffs
from tefuda.solvers.protocol import Method, ProgramSolver

OFF_PATH = ("auto", "floors", "any")
_MOST_SEQUENCES = 400  # of a game that "auto" solves in fractions, which takes a second or two
_ITERATIONS = 100_000  # of DCFR with trembles: regrets of 0.0019 at all infosets of Leduc poker, in 1 s


@dataclass(frozen=True)
class LinearProgram(Method):
    """Linear programming in the sequence form, for two players with constant sum.

    Args:
        name: name in tables.
        tolerance: largest violation of a constraint, relative to the largest payoff; at least 1e-10.
        off_path: play after mistakes. ``"auto"``: a quasi-perfect equilibrium, certified in fractions and rounded, for
            at most 400 sequences, if floats find its basis, else ``"any"``. ``"floors"``: DCFR with trembles of
            0.001, which has a larger NashConv. ``"any"``: any equilibrium.

    >>> solution = td.solve(td.load_game("kuhn"), td.solvers.LinearProgram())
    >>> round(solution.values[0] * 18, 9)
    -1.0
    """

    name: str = "lp"
    tolerance: float = 1e-10
    off_path: str = option("auto", choices=OFF_PATH)

    unit = "solves"
    default_iterations = 1

    def require(self, form: Tree) -> None:
        require_two_player_constant_sum(form, "linear programming")

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> LpSolver:
        self.require(form)
        return LpSolver(form, self)


def equilibrium_plans(program: Program, tolerance: float = 1e-10) -> tuple[np.ndarray, np.ndarray]:
    """Return the plans of the program's player and of its opponent in an equilibrium; see `LinearProgram`."""
    highs = run_highs(program, primal_feasibility_tolerance=tolerance, dual_feasibility_tolerance=tolerance)
    solution = highs.getSolution()
    # For a minimisation of -v_0, the multipliers of the rows <= 0 are -y.
    plans = np.array(solution.col_value[: program.plan]), -np.array(solution.row_dual[program.constraints :])
    return np.maximum(plans[0], 0.0), np.maximum(plans[1], 0.0)


class LpSolver(ProgramSolver):
    """The solver of `LinearProgram` on a tree."""

    def __init__(self, tree: Tree, method: LinearProgram) -> None:
        self.tree, self.method, self._form, self.iterations = tree, method, sequence_form(tree), 0
        self._probabilities = Profile.uniform(tree).probabilities.copy()

    def solve(self) -> None:
        """See `ProgramSolver`."""
        self._probabilities[:] = self._solve().probabilities

    def _solve(self) -> Profile:
        if self.method.off_path == "floors":
            solver = CfrSolver(self.tree, replace(DCFR, floor=TREMBLE))
            solver.advance(_ITERATIONS)
            return solver.average()
        if self.method.off_path == "auto" and self._form.sequences <= _MOST_SEQUENCES:
            try:
                return self._quasi_perfect()
            except SolverError:
                pass
        return self._any_equilibrium()

    def _quasi_perfect(self) -> Profile:
        tree, form = self.tree, self._form
        plans, _ = quasi_perfect_plans(form, simple_payoffs(form))
        shares = [float(share) for number in range(tree.infosets) for share in shares_at(tree, form, plans, number)]
        return Profile(tree, np.array(shares))

    def _any_equilibrium(self) -> Profile:
        plans = np.concatenate(equilibrium_plans(plan_program(self._form), self.method.tolerance))
        return Profile.from_weights(self.tree, plans[self._form.sequence])

    def current(self) -> Profile:
        """See `Solver`: the equilibrium; uniform before the first iteration."""
        return Profile(self.tree, self._probabilities.copy())

    def arrays(self) -> dict[str, np.ndarray]:
        return {"probabilities": self._probabilities}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        super().restore(state)
        self.current()  # raises an error unless these are probabilities
