"""Ratings from wins, and rankings from payoffs: Elo, online Gaussian, alpha-rank, Nash averaging.

Dimension letters: K strategies, P populations.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, check_range, shortened

SCALE = 400 / math.log(10)  # points of Elo in a unit of log odds
_STEPS = 200  # steps of Newton's method at most
_LONGEST = 2.0  # longest step, in log odds
_SMALLEST = 1e-100  # probabilities of transitions below are 0: their ratios are hardly numbers
_LARGE = 1e100  # unnormalised shares are divided beyond


def numbers(name: str, values: Any) -> np.ndarray:
    """Return values as an array of floats, or raise ParameterError."""
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a table of numbers, got {shortened(values)}.", key=name) from None


def fit_elo(wins: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return the likeliest Elo ratings, their covariance, and whether they needed virtual draws.

    The model is that of Bradley and Terry (1952). A maximum exists only if each set of players has a win against the
    others (Ford 1957); else each player has a virtual draw with a player of rating 0.

    Args:
        wins: `[K, K]` wins of the row's player against the column's; a draw is half a win of both.
    """
    from scipy.special import expit

    games, prior = wins + wins.T, float(len(components(wins > 0)) > 1)
    theta = np.zeros(len(wins))
    for _ in range(_STEPS):
        score, drawn = expit(theta[:, None] - theta), expit(theta)
        slope = (wins - games * score).sum(axis=1) + prior * (0.5 - drawn)
        weight = games * score * (1 - score)
        curvature = np.diag(weight.sum(axis=1) + prior * drawn * (1 - drawn)) - weight
        step = np.linalg.lstsq(curvature, slope, rcond=None)[0]
        theta += step / max(1.0, np.abs(step).max() / _LONGEST)
        if np.abs(step).max() < 1e-13 * max(1.0, np.abs(theta).max()):
            break
    covariance = np.linalg.pinv(curvature, hermitian=True)  # without virtual draws, that of ratings of sum 0
    return SCALE * (theta if prior else theta - theta.mean()), SCALE**2 * covariance, prior > 0


def online_gaussian(
    scores: np.ndarray, deviation: float = 25 / 3, noise: float = 25 / 6
) -> tuple[np.ndarray, np.ndarray]:
    """Return `[K]` means and `[K]` standard deviations of skills, updated game by game from mean 0.

    Performances are normal around skills, and the better one wins (Herbrich, Minka and Graepel 2006, without draws). A
    draw moves the skills by the mean of a win's and a loss's move.

    Args:
        scores: `[K, K, games]` scores of the row's player against the column's in order: 1, 1/2, 0 or nan.
        deviation: standard deviation of skills at the start.
        noise: standard deviation of a performance.
    """
    from scipy.special import log_ndtr

    mean, variance = [0.0] * len(scores), [deviation**2] * len(scores)
    pairs = [pair.tolist() for pair in np.triu_indices(len(scores), 1)]
    for one, two, score in (
        (*at, won) for row in scores[*pairs].T.tolist() for *at, won in zip(*pairs, row, strict=True)
    ):
        c = math.sqrt(2 * noise**2 + variance[one] + variance[two])
        moved = shrunk = 0.0
        for sign, share in ((1, score), (-1, 1 - score)):
            if share > 0:
                t = sign * (mean[one] - mean[two]) / c
                v = math.exp(-t * t / 2 - math.log(2 * math.pi) / 2 - float(log_ndtr(t)))
                moved, shrunk = moved + share * sign * v, shrunk + share * v * (v + t)
        mean[one] += variance[one] / c * moved
        mean[two] -= variance[two] / c * moved
        for player in (one, two):
            variance[player] *= 1 - variance[player] / c**2 * shrunk
    return np.array(mean), np.sqrt(variance)


def alpha_rank(payoffs: Any, alpha: float = 1.0, population: int = 50, *, local: bool = True) -> np.ndarray:
    """Return the shares of alpha-rank (Omidshafiei et al. 2019): `[K]`, or one entry a profile.

    Args:
        payoffs: `[K, K]` of the row's strategy in one population; or `[P, K0, K1, ...]`, the payoffs of P populations.
        alpha: intensity of selection, above 0, per unit of payoffs.
        population: number of individuals in a population, 2 or more.
        local: whether a strategy is compared in a game with its rival; False: with all individuals (one population).

    Raises:
        ParameterError: invalid payoffs, or a chain with several closed components: the ranking depends on the start.

    >>> rps = [[0, 0, -1, 1], [0, 0, -1, 1], [1, 1, 0, -1], [-1, -1, 1, 0]]  # rock twice
    >>> td.evaluating.alpha_rank(rps).round(6).tolist()
    [0.2, 0.2, 0.4, 0.2]
    """
    check_range("alpha", alpha, 0, whole=False)
    check_range("population", population, 2)
    table = numbers("payoffs", payoffs)
    with np.errstate(over="ignore"):
        table = alpha * table
    one = table.ndim == 2 and table.shape[0] == table.shape[1]
    several = table.ndim > 2 and table.shape[0] == table.ndim - 1
    if not (one or several) or not table.size or not (np.abs(table) < _LARGE).all():
        raise ParameterError(
            f"payoffs must be numbers [K, K] or [P, K0, K1, ...], below {_LARGE:g} times alpha; got the shape "
            f"{table.shape}."
        )
    chain = _single(table, population, local) if one else _several(table, population)
    found = _ranked(chain)
    return found if one else found.reshape(table.shape[1:])


def _fixation(u: np.ndarray, m: int) -> np.ndarray:
    """Return (1 - exp(-u)) / (1 - exp(-m u)), and 1 / m at 0."""
    size = np.abs(u)
    ratio = np.divide(np.expm1(-size), np.expm1(-m * size), out=np.full(u.shape, 1 / m), where=size > 0)
    return np.asarray(ratio * np.exp(np.minimum(u, 0) * (m - 1)))


def _single(table: np.ndarray, m: int, local: bool) -> np.ndarray:
    """Return `[K, K]` the rates of transitions of one population, of payoffs times alpha."""
    if local:
        fixed = _fixation(table.T - table, m)
    else:  # the mutants number k in turn, and no individual plays itself
        from scipy.special import logsumexp

        k, own = np.arange(1, m)[:, None, None], np.diag(table)
        mutant = (k - 1) * own + (m - k) * table.T
        resident = (m - k - 1) * own[:, None] + k * table
        odds = np.cumsum((resident - mutant) / (m - 1), axis=0)
        fixed = np.exp(-logsumexp(np.concatenate([np.zeros((1, *table.shape)), odds]), axis=0))
    return fixed


def _several(tables: np.ndarray, m: int) -> np.ndarray:
    """Return `[profiles, profiles]` the rates of transitions of populations, of payoffs times alpha."""
    shape = tables.shape[1:]
    number, chain = np.arange(math.prod(shape)).reshape(shape), np.zeros((math.prod(shape),) * 2)
    for axis, payoff in enumerate(tables):
        for strategy in range(shape[axis]):
            after = np.broadcast_to(np.take(number, [strategy], axis), shape)
            chain[number, after] = _fixation(payoff.ravel()[after] - payoff, m)
    return chain


def _ranked(chain: np.ndarray) -> np.ndarray:
    """Return the stationary distribution of a chain `[K, K]`; ParameterError if there are several."""
    chain[chain < _SMALLEST] = 0
    closed = [part for part in components(chain > 0) if not np.delete(chain[part], part, axis=1).any()]
    if len(closed) > 1:
        parts = tuple(tuple(part.tolist()) for part in closed)
        raise ParameterError(
            f"the ranking must not depend on the start, got a chain with {len(parts)} closed components: "
            f"{', '.join(map(str, parts))}. Choose a smaller alpha or population.",
            key="alpha",
            value=parts,
        )
    found = np.zeros(len(chain))
    found[closed[0]] = stationary(chain[np.ix_(closed[0], closed[0])][..., None])[:, 0]
    return found


def stationary(rates: np.ndarray) -> np.ndarray:
    """Return the stationary distributions `[k, m]` of m Markov chains, by eliminating states.

    No numbers are subtracted, so that small probabilities are exact (Grassmann, Taksar, Heyman 1985).
    rates: `[k, k, m]` positive rates from each state (first axis) to each other one; those to itself do not count.
    """
    rates, states = rates.copy(), len(rates)
    for last in range(states - 1, 0, -1):
        rates[:last, last] /= rates[last, :last].sum(axis=0)
        rates[:last, :last] += rates[:last, last][:, None] * rates[last, :last]
    shares = np.ones(rates.shape[1:])
    for state in range(1, states):
        shares[state] = (shares[:state] * rates[:state, state]).sum(axis=0)
        if shares.max() > _LARGE:
            shares /= shares.max(axis=0)
    return shares / shares.sum(axis=0)


def components(edges: np.ndarray) -> list[np.ndarray]:
    """Return the strongly connected components of a graph `[K, K]`, each as the numbers of its members."""
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(edges, connection="strong")
    return [np.flatnonzero(label == number) for number in range(count)]


def nash_average(payoffs: Any) -> np.ndarray:
    """Return `[K]` the equilibrium of maximal entropy of a symmetric zero-sum game (Balduzzi et al. 2018).

    A linear program finds the strategies of all equilibria, and the dual program the entropy's maximum over them.

    Args:
        payoffs: `[K, K]` antisymmetric.

    Raises:
        ParameterError: not antisymmetric.

    >>> rps = [[0, 0, -1, 1], [0, 0, -1, 1], [1, 1, 0, -1], [-1, -1, 1, 0]]  # rock twice
    >>> (6 * td.evaluating.nash_average(rps)).round(6).tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    from scipy.optimize import linprog, minimize
    from scipy.special import logsumexp, softmax

    table = numbers("payoffs", payoffs)
    square = table.ndim == 2 and table.shape[0] == table.shape[1] > 0
    if not square or not np.isfinite(table).all() or not np.allclose(table, -table.T):
        raise ParameterError(f"payoffs must be finite and antisymmetric, got an array of shape {table.shape}.")
    size = len(table)
    table = table / max(np.abs(table).max(), 1e-300)
    # Plans times any number: each strategy of an equilibrium can have 1 or more, and counts as 1.
    bounds = np.block([[table, np.zeros_like(table)], [-np.eye(size), np.eye(size)]])
    limits = [(0, None)] * size + [(0, 1)] * size
    cost = np.append(np.zeros(size), -np.ones(size))
    used = linprog(cost, bounds, np.zeros(2 * size), bounds=limits, method="highs").x[size:] > 0.5
    inside = table[:, used]

    def dual(prices: np.ndarray) -> tuple[float, np.ndarray]:
        exponents = -prices @ inside
        return float(logsumexp(exponents)), -inside @ softmax(exponents)

    options = {"ftol": 1e-15, "gtol": 1e-12, "maxiter": 2000}
    prices = minimize(dual, np.zeros(size), jac=True, bounds=[(0, None)] * size, method="L-BFGS-B", options=options).x
    found = np.zeros(size)
    found[used] = softmax(-prices @ inside)
    return found
