"""Exact pivots from any basis of a linear program, in integers (Edmonds 1967, Bareiss 1968).

Right-hand sides and objectives may be polynomials in an infinitely small eps: each power is a column or a row.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tefuda.errors import SolverError
from tefuda.solvers.exact.polynomials import Polynomial

Row = dict[int, Fraction]
#: Numbers by variable: fractions, or polynomials in eps.
Numbers = dict[int, Any]
_MOST = 5_000  # pivots; a basis found in floats needs a few
_STALLED = 20  # pivots that change nothing, after which the smallest variable enters, so that no basis returns
_NONE = 2**63  # in place of a variable


class Tableau:
    """The rows of a linear program, solved for the variables of a basis: z_basic + row' z = right.

    The program is: maximise profit' z subject to rows' z = right for the first rows, <= right for the others. Variable
    `columns + i` is the slack of row i; those of equations are fixed at 0.

    Args:
        rows: coefficients.
        right: right-hand sides, fractions or polynomials in eps.
        columns: number of variables without the slacks.
        free: variables without a sign; all others are at least 0.
        equations: number of equations.
        profit: coefficients of the objective by variable, fractions or polynomials in eps.
        until: time of `time.monotonic` after which pivots raise SolverError.

    Attributes:
        matrix: `[rows + powers, nonbasic + powers]` integers: rows, then objectives; variables, then right-hand sides.
        denominator: positive denominator of all entries.
        basic, nonbasic: variable of each row, and of each column.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        right: Sequence[Any],
        columns: int,
        free: Collection[int] = (),
        equations: int = 0,
        profit: Mapping[int, Any] | None = None,
        until: float = float("inf"),
    ) -> None:
        limits = [Polynomial.of(number).coefficients for number in right]
        self.rows, powers = len(rows), max(1, *map(len, limits))
        self.free, self.fixed, self.until = free, range(columns, columns + equations), until
        self.basic, self.nonbasic = [columns + i for i in range(self.rows)], list(range(columns))
        self.matrix, self.denominator = np.zeros((self.rows, columns + powers), dtype=object), 1
        self.scale = [1] * columns  # a slack counts in units of its row's denominator
        for i, (row, limit) in enumerate(zip(rows, limits, strict=True)):
            self.scale.append(math.lcm(*(number.denominator for number in (*row.values(), *limit))))
            for j, number in (*row.items(), *((columns + power, number) for power, number in enumerate(limit))):
                self.matrix[i, j] = int(number * self.scale[-1])
        self.aim(profit or {})

    def aim(self, profit: Mapping[int, Any]) -> None:
        """Replace the objective; coefficients by variable, slacks excluded."""
        sums = {j: Polynomial.of(number).coefficients for j, number in profit.items()}
        powers, places = max(1, *map(len, [(), *sums.values()])), {j: c for c, j in enumerate(self.nonbasic)}
        self.unit = math.lcm(*(number.denominator for each in sums.values() for number in each))
        aims = np.zeros((powers, self.matrix.shape[1]), dtype=object)
        rows = {j: i for i, j in enumerate(self.basic)}
        for j, numbers in sums.items():
            for power, number in enumerate(numbers):
                if j in places:
                    aims[power, places[j]] -= int(number * self.unit) * self.denominator
                else:
                    aims[power] += int(number * self.unit) * self.matrix[rows[j]]
        self.matrix = np.concatenate([self.matrix[: self.rows], aims])

    def signed(self, variable: int) -> bool:
        """Return whether a variable must be at least 0."""
        return variable not in self.free and variable not in self.fixed

    def copy(self) -> Tableau:
        """Return a copy, which pivots do not share."""
        other = object.__new__(Tableau)
        other.__dict__.update(self.__dict__)
        other.matrix, other.basic, other.nonbasic = self.matrix.copy(), list(self.basic), list(self.nonbasic)
        return other

    def pivot(self, i: int, c: int) -> None:
        """Exchange the basic variable of row i and the nonbasic one of column c."""
        if time.monotonic() > self.until:
            raise SolverError("the time limit passed.")
        matrix, old = self.matrix, self.denominator
        column, row = matrix[:, c].copy(), matrix[i].copy()
        sign = 1 if row[c] > 0 else -1
        self.denominator = sign * row[c]
        # Rows without the variable keep their numbers if the denominator does.
        where = np.flatnonzero(column) if self.denominator == old else slice(None)
        matrix[where] = (matrix[where] * self.denominator - np.multiply.outer(sign * column[where], row)) // old
        matrix[:, c], matrix[i] = -sign * column, sign * row
        matrix[i, c] = sign * old
        self.basic[i], self.nonbasic[c] = self.nonbasic[c], self.basic[i]

    def start(self, basis: Collection[int]) -> None:
        """Pivot to a basis as far as it is one; then free variables enter, and those fixed at 0 leave.

        The next pivot is the entry whose row and column have the fewest entries (Markowitz 1957).
        """
        kept = {*basis, *self.free}
        while True:
            filled = self.matrix[: self.rows, : len(self.nonbasic)] != 0
            open_rows = [i for i, j in enumerate(self.basic) if j not in kept]
            entering = [c for c, j in enumerate(self.nonbasic) if j in kept]
            able = filled[np.ix_(open_rows, entering)]
            if not able.any():
                break
            costs = np.multiply.outer(filled.sum(axis=1)[open_rows] - 1, filled.sum(axis=0)[entering] - 1)
            least = np.where(able, costs, np.inf).argmin()
            self.pivot(open_rows[least // len(entering)], entering[least % len(entering)])
        for c, j in enumerate(self.nonbasic):
            able_rows = [i for i in range(self.rows) if self.matrix[i, c] and self.basic[i] not in self.free]
            if j in self.free and able_rows:
                self.pivot(able_rows[0], c)
        for i, j in enumerate(self.basic):
            if j in self.fixed:
                self.pivot(i, next(c for c, k in enumerate(self.nonbasic) if self.matrix[i, c] and k not in self.fixed))
        left = [c for c, j in enumerate(self.nonbasic) if j not in self.fixed]
        self.matrix = self.matrix[:, [*left, *range(len(self.nonbasic), self.matrix.shape[1])]]
        self.nonbasic = [self.nonbasic[c] for c in left]

    def solve(self) -> None:
        """Pivot until the basis is optimal: the criss-cross method until it is feasible, then simplex.

        Raises:
            SolverError: the program has no optimum, or needs too many pivots or too much time.
        """
        stalled = 0
        for _ in range(_MOST):
            places = {variable: i for i, variable in enumerate(self.basic) if self.signed(variable)}
            bad = [j for j, i in places.items() if sign_of(self.right(i)) < 0]
            better = [c for c in range(len(self.nonbasic)) if sign_of(self.matrix[self.rows :, c]) < 0]
            if not bad and not better:
                return
            if bad:
                i, c = self._criss_cross(min(bad), min((self.nonbasic[c] for c in better), default=_NONE), places)
            else:
                value = (lambda c: self.nonbasic[c]) if stalled > _STALLED else self._reduced
                c = min(better, key=value)
                i = self.leaving(c)
                stalled = 0 if sign_of(self.right(i)) else stalled + 1
            self.pivot(i, c)
        raise SolverError(f"no optimum was found in {_MOST:,} exact pivots; solve by method lp.")

    def right(self, i: int) -> np.ndarray:
        """Return the right-hand side of a row by powers of eps, times the denominator."""
        return self.matrix[i, len(self.nonbasic) :]

    def _reduced(self, c: int) -> tuple[int, ...]:
        return tuple(self.matrix[self.rows :, c])

    def _criss_cross(self, basic: int, entering: int, places: Mapping[int, int]) -> tuple[int, int]:
        """Return the next pivot: the smallest variable that violates feasibility changes (terlaky1985)."""
        if basic < entering:
            row = self.matrix[places[basic]]
            able = [(j, c) for c, j in enumerate(self.nonbasic) if row[c] < 0]
            c = min(able, default=(_NONE, -1))[1]
            i = places[basic]
        else:
            c = self.nonbasic.index(entering)
            i = min(((j, i) for j, i in places.items() if self.matrix[i, c] > 0), default=(_NONE, -1))[1]
        if min(i, c) < 0:
            raise SolverError("the linear program has no optimum in exact arithmetic.")
        return i, c

    def leaving(self, c: int) -> int:
        """Return the row whose variable reaches 0 first when the variable of column c grows.

        Raises:
            SolverError: none does.
        """
        best = -1
        for i in range(self.rows):
            if self.matrix[i, c] > 0 and self.signed(self.basic[i]):
                if best >= 0:
                    gap = self.right(i) * self.matrix[best, c] - self.right(best) * self.matrix[i, c]
                    sign = sign_of(gap)
                if best < 0 or sign < 0 or (sign == 0 and self.basic[i] < self.basic[best]):
                    best = i
        if best < 0:
            raise SolverError("the linear program has no optimum in exact arithmetic.")
        return best

    def values(self) -> Numbers:
        """Return the values of the basic variables; all others are 0."""
        units = {j: self.denominator * self.scale[j] for j in self.basic}
        return {j: _number(self.right(i), units[j]) for i, j in enumerate(self.basic)}

    def prices(self) -> Numbers:
        """Return the coefficients of the nonbasic variables in the objective; those of basic ones are 0."""
        unit = self.denominator * self.unit
        return {j: _number(-self.matrix[self.rows :, c] * self.scale[j], unit) for c, j in enumerate(self.nonbasic)}


def sign_of(numbers: np.ndarray) -> int:
    """Return the sign of the first number that is not 0; 0 if there is none."""
    return next((1 if number > 0 else -1 for number in numbers if number), 0)


def _number(numbers: np.ndarray, unit: int) -> Any:
    """Return integers over a unit: a fraction, or a polynomial if there are several."""
    fractions = [Fraction(number, unit) for number in numbers]
    return fractions[0] if len(fractions) == 1 else Polynomial(fractions)


def solve_sparse(rows: list[Row], right: list[Any]) -> Numbers:
    """Solve a square sparse system exactly; pivot on the shortest row and its rarest column.

    Markowitz 1957.
    """
    rows, right = [dict(row) for row in rows], list(right)
    users: dict[int, set[int]] = defaultdict(set)
    for i, row in enumerate(rows):
        for j in row:
            users[j].add(i)
    open_rows, solved = set(range(len(rows))), []
    while open_rows:
        pivot = min(open_rows, key=lambda i: len(rows[i]))
        if not rows[pivot]:
            raise SolverError("the basis is singular in exact arithmetic.")
        column = min(rows[pivot], key=lambda j: len(users[j]))
        open_rows.discard(pivot)
        _eliminate(rows, right, users, pivot, column)
        solved.append((pivot, column))
    values: Numbers = {}
    for pivot, column in reversed(solved):
        rest = sum((value * values[j] for j, value in rows[pivot].items() if j != column), Fraction(0))
        values[column] = (right[pivot] - rest) / rows[pivot][column]
    return values


def _eliminate(rows: list[Row], right: list[Any], users: dict[int, set[int]], pivot: int, column: int) -> None:
    """Eliminate the pivot's column from all open rows; `users` lists the open rows of each column."""
    source = rows[pivot]
    for j in source:
        users[j].discard(pivot)
    for i in list(users[column]):
        factor = rows[i][column] / source[column]
        right[i] -= factor * right[pivot]
        for j, value in source.items():
            new = rows[i].get(j, 0) - factor * value
            if new and j != column:
                rows[i][j] = new
                users[j].add(i)
            else:
                rows[i].pop(j, None)
                users[j].discard(i)
