"""Exact pivots from any basis of a linear program: the criss-cross method (terlaky1985) in fractions.

It needs no feasible basis and cannot cycle: of all variables that violate primal or dual feasibility, the one with the
smallest number leaves or enters the basis.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

from tefuda.errors import SolverError

Row = dict[int, Fraction]
_MOST = 5_000  # pivots; a basis found in floats needs a few
_NONE = 2**63  # in place of a variable


class Dictionary:
    """The rows of a linear program, solved for the variables of a basis: z_basic + row' z = right.

    The program is: maximise z[value] subject to rows' z = right for the first rows, <= right for the others. Variable
    `columns + i` is the slack of row i; those of equations are fixed at 0.

    Args:
        rows, right: coefficients and right-hand sides.
        columns: number of variables without the slacks.
        free: variables without a sign; all others are at least 0.
        equations: number of equations.
        value: the variable to maximise, a free one.
    """

    def __init__(
        self, rows: Sequence[Row], right: Sequence[Fraction], columns: int, free: range, equations: int, value: int
    ) -> None:
        self.rows, self.right = [dict(row) for row in rows], list(right)
        self.columns, self.free, self.fixed = columns, free, range(columns, columns + equations)
        self.basic = [columns + i for i in range(len(rows))]
        self.profit: Row = {value: Fraction(1)}

    def signed(self, variable: int) -> bool:
        """Return whether a variable must be at least 0."""
        return variable not in self.free and variable not in self.fixed

    def start(self, basis: Collection[int]) -> None:
        """Pivot to a basis as far as it is one; then free variables enter, and those fixed at 0 leave."""
        kept = {*basis, *self.free}
        for variable in [*basis, *self.free]:
            if variable not in self.basic:
                places = [i for i, row in enumerate(self.rows) if variable in row and self.basic[i] not in self.free]
                i = min(places, key=lambda i: (self.basic[i] in kept, i), default=None)
                if i is not None and (variable in self.free or self.basic[i] not in kept):
                    self.pivot(i, variable)
        for i, row in enumerate(self.rows):
            if self.basic[i] in self.fixed:
                self.pivot(i, min(j for j in row if j not in self.fixed))

    def pivot(self, i: int, entering: int) -> None:
        """Solve row i for another variable, which replaces its basic one."""
        source, factor = self.rows[i], self.rows[i].pop(entering)
        source[self.basic[i]], self.basic[i] = Fraction(1), entering
        self.rows[i] = source = {j: amount / factor for j, amount in source.items()}
        self.right[i] /= factor
        for other, row in enumerate(self.rows):
            if amount := row.pop(entering, None):
                self.right[other] -= amount * self.right[i]
                _subtract(row, source, amount)
        if amount := self.profit.pop(entering, None):
            _subtract(self.profit, source, amount)

    def solve(self) -> None:
        """Pivot until the basis is optimal.

        Raises:
            SolverError: the program has no optimum, or needs too many pivots.
        """
        for _ in range(_MOST):
            places = {variable: i for i, variable in enumerate(self.basic) if self.signed(variable)}
            variable = min(
                *(basic for basic, i in places.items() if self.right[i] < 0),
                *(j for j, amount in self.profit.items() if amount > 0 and self.signed(j)),
                _NONE, _NONE,
            )  # fmt: skip
            if variable == _NONE:
                return
            if variable in places:
                row = self.rows[places[variable]]
                leaving, entering = variable, min((j for j in row if row[j] < 0 and self.signed(j)), default=_NONE)
            else:
                able = (basic for basic, i in places.items() if self.rows[i].get(variable, 0) > 0)
                leaving, entering = min(able, default=_NONE), variable
            if _NONE in (leaving, entering):
                raise SolverError("the linear program has no optimum in exact arithmetic.")
            self.pivot(places[leaving], entering)
        raise SolverError(f"no equilibrium was found in {_MOST:,} exact pivots; solve by method lp.")

    def values(self) -> Row:
        """Return the values of the basic variables; all others are 0."""
        return dict(zip(self.basic, self.right, strict=True))


def _subtract(row: Row, source: Row, factor: Fraction) -> None:
    for j, amount in source.items():
        new = row.get(j, 0) - factor * amount
        if new:
            row[j] = new
        else:
            row.pop(j, None)
