"""Linear programs of any shape: optima in floats, and in fractions with a certificate."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tefuda.errors import SolverError
from tefuda.solvers.exact.lp import Program, basic_numbers, highs_model, open_highs, run_opened
from tefuda.solvers.exact.pivots import Numbers, Row, solve_sparse
from tefuda.solvers.exact.rational import simple_fraction

#: Algorithms of HiGHS; `pdlp` finds no basis, so that its optima have no fractions.
ALGORITHMS = ("simplex", "ipm", "pdlp")


@dataclass(frozen=True, eq=False)
class Maximum:
    """A linear program: maximise profit' z with matrix z = right, in the last rows <= right.

    profit: `[n]` coefficients of the objective.
    free: `[n]` whether a variable has no sign; all others are at least 0.
    matrix: `[m, n]` csc_array.
    right: `[m]` right-hand sides.
    equations: number of equations.
    """

    profit: np.ndarray  # [n]
    free: np.ndarray  # [n]
    matrix: Any
    right: np.ndarray  # [m]
    equations: int

    def solve(
        self, algorithm: str = "simplex", seconds: float | None = None, exact: bool = True
    ) -> tuple[np.ndarray, Numbers | None] | None:
        """Return an optimum `[n]`, and its fractions or None; None if no z is feasible.

        Fractions are certified, or absent; variables that they leave out are 0.

        Raises:
            SolverError: HiGHS found neither an optimum nor that no z is feasible, or the time limit passed.
        """
        import highspy

        status = highspy.HighsModelStatus
        lower = np.where(np.arange(len(self.right)) < self.equations, self.right, -np.inf)
        bounds, limit = np.where(self.free, -np.inf, 0.0), np.inf if seconds is None else float(seconds)
        model = highs_model(-self.profit, bounds, (lower, self.right), self.matrix)
        highs = open_highs(Program(model, len(bounds), len(lower), 1.0), solver=algorithm, time_limit=limit)
        try:
            run_opened(highs)
        except SolverError:
            if highs.getModelStatus() in (status.kInfeasible, status.kUnboundedOrInfeasible):
                return None
            raise
        values, basis, fractions = np.array(highs.getSolution().col_value), highs.getBasis(), None
        if exact and basis.valid:
            with suppress(SolverError):
                fractions = self.certified(*map(basic_numbers, (basis.col_status, basis.row_status)))
                values = np.array([float(fractions.get(j, 0)) for j in range(len(values))])
        return values, fractions

    def certified(self, basic: list[int], loose: list[int]) -> Numbers:
        """Return the optimum of a basis in fractions; variables and prices are feasible.

        Coefficients count as simple fractions where they are close to them.

        Args:
            basic: basic variables.
            loose: rows that are not tight.

        Raises:
            SolverError: the basis is not optimal in exact arithmetic.
        """
        matrix, (m, n) = self.matrix.tocoo(), self.matrix.shape
        rows: list[Row] = [{} for _ in range(m)]
        columns: list[Row] = [{} for _ in range(n)]
        for i, j, value in zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True):
            rows[i][j] = columns[j][i] = simple_fraction(value)
        right, profit = (list(map(simple_fraction, each.tolist())) for each in (self.right, self.profit))
        kept, tight = set(basic), set(range(m)) - set(loose)
        values = solve_sparse([_part(rows[i], kept) for i in tight], [right[i] for i in tight])
        prices = solve_sparse([_part(columns[j], tight) for j in basic], [profit[j] for j in basic])
        slack = [limit - _product(row, values) for limit, row in zip(right, rows, strict=True)]
        spare = [_product(column, prices) - gain for gain, column in zip(profit, columns, strict=True)]
        signed = [values[j] for j in basic if not self.free[j]] + [prices[i] for i in tight if i >= self.equations]
        fixed = [*slack[: self.equations], *(spare[j] for j in np.flatnonzero(self.free).tolist())]
        if any(fixed) or min([*slack, *spare, *signed]) < 0:
            raise SolverError("the basis that floats found is not optimal in exact arithmetic.")
        return values


def _part(row: Row, kept: set[int]) -> Row:
    return {j: value for j, value in row.items() if j in kept}


def _product(row: Row, values: Numbers) -> Fraction:
    return sum((value * values[j] for j, value in row.items() if j in values), Fraction(0))
