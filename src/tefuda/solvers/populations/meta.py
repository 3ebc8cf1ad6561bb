"""Meta-solvers: mixtures of the plans in a population, from the payoffs between them.

A meta-solver takes the payoffs of each player `[K_0, .., K_(P-1)]`, and returns the probabilities of the combinations
of plans in an array of this shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from tefuda.errors import SizeError
from tefuda.evaluating.rankings import alpha_rank
from tefuda.evaluating.regret import matrix_regret_matching
from tefuda.solvers.exact.fictitious import expected_payoffs
from tefuda.solvers.exact.linear_program import equilibrium_plans
from tefuda.solvers.exact.lp import Program, highs_model

Payoffs = Sequence[np.ndarray]

_MATCHINGS = 1000  # iterations of regret matching
_STEPS, _STEP = 2000, 0.1  # of the replicator dynamics; time in which a gain of the payoffs' range grows by e: 1
_EXPLORING = 0.01  # least probabilities of K plans are this, divided by K + 1
_INTENSITY, _INDIVIDUALS = 10.0, 20  # of alpha-rank: selection per range of payoffs, population
_MOST = 2500  # combinations of plans in alpha-rank's chain


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


def uniform(payoffs: Payoffs) -> np.ndarray:
    """Return equal probabilities: fictitious play in plans."""
    return np.full(payoffs[0].shape, 1 / payoffs[0].size)


def regret_matching(payoffs: Payoffs) -> np.ndarray:
    """Return the average strategies of regret matching plus."""
    return _product(matrix_regret_matching(np.stack(payoffs, axis=-1), _MATCHINGS, clip=True, averaging=1.0))


def projected_replicator(payoffs: Payoffs) -> np.ndarray:
    """Return the average of the projected replicator dynamics (Lanctot et al. 2017)."""
    mixtures = [np.full(size, 1 / size) for size in payoffs[0].shape]
    total = [np.zeros(size) for size in payoffs[0].shape]
    rates = [_STEP / (float(np.ptp(table)) or 1.0) for table in payoffs]
    for _ in range(_STEPS):
        gains = [expected_payoffs(table, mixtures, player) for player, table in enumerate(payoffs)]
        mixtures = [
            project(own + rate * own * (gain - own @ gain), _EXPLORING / (len(own) + 1))
            for own, gain, rate in zip(mixtures, gains, rates, strict=True)
        ]
        total = [one + own for one, own in zip(total, mixtures, strict=True)]
    return _product([one / _STEPS for one in total])


def project(point: np.ndarray, least: float) -> np.ndarray:
    """Return the nearest probabilities to a point `[K]` that are all at least `least`.

    >>> from tefuda.solvers.populations.meta import project
    >>> project(np.array([0.9, 0.3, -0.5]), 0.1).round(6).tolist()
    [0.75, 0.15, 0.1]
    """
    above = point - least
    ordered = np.sort(above)[::-1]
    excess = (np.cumsum(ordered) - 1 + least * len(point)) / np.arange(1, len(point) + 1)
    return least + np.maximum(above - excess[ordered > excess][-1], 0.0)


def ranked(payoffs: Payoffs) -> np.ndarray:
    """Return alpha-rank's stationary distribution, in which plans correlate; see `evaluating.alpha_rank`.

    Raises:
        SizeError: more than 2,500 combinations of plans.
    """
    if (size := payoffs[0].size) > _MOST:
        raise SizeError(f"alpha-rank takes at most {_MOST} combinations of plans, got {size}; run fewer iterations.")
    if len(payoffs) == 1:
        best = payoffs[0] == payoffs[0].max()
        return best / best.sum()
    scaled = [_INTENSITY / (float(np.ptp(table)) or 1.0) * table for table in payoffs]
    return alpha_rank(scaled, population=_INDIVIDUALS)


META_SOLVERS: dict[str, Callable[[Payoffs], np.ndarray]] = {
    "nash": nash,
    "uniform": uniform,
    "prd": projected_replicator,
    "alpha-rank": ranked,
    "regret-matching": regret_matching,
}
