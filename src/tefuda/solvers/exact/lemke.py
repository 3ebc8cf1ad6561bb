"""One equilibrium of a tree of two players, in fractions, by Lemke's method on the sequence form.

Koller, Megiddo, von Stengel 1996, "Efficient computation of equilibria for extensive two-person games": the form is a
linear complementarity problem w = q + M z, z >= 0, w >= 0, z' w = 0. Its variables are both plans and the values of all
infosets, as differences. Lemke's method adds a covering vector times z_0, and pivots until z_0 is 0. Right-hand sides
q + eps^i are the lexicographic rule, so that no basis returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tefuda.errors import SolverError
from tefuda.forms.sequence import SequenceForm
from tefuda.solvers.exact.lp import treeplex_constraints
from tefuda.solvers.exact.pivots import Row, Tableau, sign_of
from tefuda.solvers.exact.polynomials import Polynomial

_MOST = 20_000  # pivots


def lemke_plans(
    form: SequenceForm, payoffs: Mapping[tuple[int, int], tuple[Fraction, Fraction]], until: float = float("inf")
) -> list[Fraction]:
    """Return both players' realisation plans by sequence.

    payoffs: payoffs of both players by the sequences of both players, times chance probability; all negative.

    Raises:
        SolverError: the path ends in a ray, or takes too many pivots or too much time.
    """
    rows, right = _problem(form, payoffs)
    count = len(rows)
    covered = [{**row, count: Fraction(-1)} for row in rows]
    limits = [Polynomial([number, *[0] * i, 1]) for i, number in enumerate(right)]
    tableau = Tableau(covered, limits, count + 1, until=until)
    negative = [i for i in range(count) if sign_of(tableau.right(i)) < 0]
    c, i = tableau.nonbasic.index(count), min(negative, key=lambda i: limits[i])
    for _ in range(_MOST):
        left = tableau.basic[i]
        tableau.pivot(i, c)
        if left == count:
            values = tableau.values()
            return [Polynomial.of(values.get(j, 0)).coefficient(0) for j in range(form.sequences)]
        entering = left - (count + 1) if left > count else left + count + 1  # w and z of one row
        c = tableau.nonbasic.index(entering)
        i = tableau.leaving(c)
    raise SolverError(f"no equilibrium was found in {_MOST:,} pivots.")


def _problem(form: SequenceForm, payoffs: Mapping[tuple[int, int], Any]) -> tuple[list[Row], list[Fraction]]:
    """Return the rows of -M and q. Variables: both plans, then each player's values and their negatives."""
    rows: list[Row] = [{} for _ in range(form.sequences)]
    right = [Fraction(0)] * form.sequences
    for pair, amounts in payoffs.items():
        for player in (0, 1):
            rows[pair[player]][pair[1 - player]] = amounts[player]
    for player in (0, 1):
        matrix, first = treeplex_constraints(form, player), len(rows)
        equations, own = matrix.shape[0], int(form.span[player])
        rows += [{} for _ in range(2 * equations)]
        right += [Fraction(sign * (i == 0)) for sign in (1, -1) for i in range(equations)]
        for i, j, value in zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True):
            for sign, part in ((1, first + i), (-1, first + equations + i)):
                rows[part][own + j] = Fraction(sign * int(value))
                rows[own + j][part] = Fraction(-sign * int(value))
    return rows, right
