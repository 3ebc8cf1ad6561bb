"""Meta-solvers: mixtures of the plans in a population, from the payoffs between them.

A meta-solver takes the payoffs of each player `[K_0, .., K_(P-1)]`, and returns the probabilities of the combinations
of plans in an array of this shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from tefuda.solvers.exact.linear_program import equilibrium_plans
from tefuda.solvers.exact.lp import Program, highs_model

Payoffs = Sequence[np.ndarray]


def _product(mixtures: Sequence[np.ndarray]) -> np.ndarray:
    """Return the probabilities of combinations of plans that the players draw independently."""
    return reduce(np.multiply.outer, mixtures)


def nash(payoffs: Payoffs) -> np.ndarray:
    """Return an equilibrium of two players with constant sum, by a linear program.

    >>> from tefuda.solvers.populations.meta import nash
    >>> pennies = np.array([[3.0, -1.0], [-1.0, 1.0]])
    >>> nash([pennies, -pennies]).round(6).tolist()
    [[0.111111, 0.222222], [0.222222, 0.444444]]
    """
    from scipy.sparse import csc_array

    rows, columns = payoffs[0].shape
    matrix = np.ones((1 + columns, rows + 1))
    matrix[0, rows], matrix[1:, :rows] = 0.0, -payoffs[0].T / (np.abs(payoffs[0]).max() or 1.0)
    cost, lower, right = np.append(np.zeros(rows), -1.0), np.append(np.zeros(rows), -np.inf), np.zeros(1 + columns)
    right[0] = 1.0
    left = np.append(1.0, np.full(columns, -np.inf))
    program = Program(highs_model(cost, lower, (left, right), csc_array(matrix)), rows, 1, 1.0)
    return _product([plan / plan.sum() for plan in equilibrium_plans(program)])


META_SOLVERS: dict[str, Callable[[Payoffs], np.ndarray]] = {"nash": nash}
