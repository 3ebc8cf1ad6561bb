"""Ratings and rankings: published figures, and twins by other routes."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ndtr

import tefuda as td
from tefuda.evaluating.rankings import alpha_rank, fit_elo, nash_average, online_gaussian, stationary
from tests.rated import HAN, HAN_SHARES, ROCK_TWICE, SEXES, SHARES, THREE, TRANSITIVE, WINS


def test_elo_of_two_and_of_a_cycle():
    rating, covariance, virtual = fit_elo(np.array([[0.0, 60], [40, 0]]))
    half = 1.959964 * np.sqrt(np.array([1, -1]) @ covariance @ [1, -1])
    ends = rating[0] - rating[1] + half * np.array([-1, 0, 1])
    assert ends == pytest.approx([0.94, 70.44, 139.94], abs=0.005) and not virtual
    assert np.diff(fit_elo(np.array([[0.0, 3], [1, 0]]))[0])[0] == pytest.approx(-190.85, abs=0.005)
    assert fit_elo(WINS)[0] == pytest.approx([0, 0, 91.73, -91.73], abs=0.005)


def test_elo_is_the_maximum_of_the_likelihood():
    """Also with games of some pairs only; the likelihood has virtual draws if one player always wins."""
    rng = np.random.default_rng(3)
    for certain in (False, True):
        wins = rng.integers(1, 9, (5, 5)) * ~np.eye(5, dtype=bool)
        wins[0, 2] = wins[2, 0] = 0
        wins[1:, 0] *= not certain
        rating, _, virtual = fit_elo(wins.astype(float))
        assert virtual == certain

        def loss(own, wins=wins, prior=certain):
            gaps = own[:, None] - own
            return (wins * np.logaddexp(0, -gaps)).sum() + prior * (np.logaddexp(0, own) - own / 2).sum()

        best = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-9}).x * 400 / np.log(10)
        assert rating == pytest.approx(best if certain else best - best.mean(), abs=1e-2)


def test_alpha_rank_prints_published_shares():
    assert alpha_rank(ROCK_TWICE) == pytest.approx([0.2, 0.2, 0.4, 0.2], abs=1e-12)
    for alpha, shares in SHARES.items():
        assert alpha_rank(THREE, alpha) == pytest.approx(shares, abs=5e-9)
    assert alpha_rank(HAN, 0.1, 20, local=False) == pytest.approx(HAN_SHARES, abs=5e-9)


def chain_of(payoffs, alpha, m):
    """The chain of two populations, entry by entry from the definition."""
    rows, columns = payoffs.shape[1:]
    chain = np.zeros((rows * columns,) * 2)
    for i in range(rows):
        for j in range(columns):
            others = [(a, j, 0) for a in range(rows) if a != i] + [(i, b, 1) for b in range(columns) if b != j]
            for a, b, player in others:
                u = alpha * (payoffs[player, a, b] - payoffs[player, i, j])
                fixed = 1 / sum(np.exp(-u * count) for count in range(m))
                chain[i * columns + j, a * columns + b] = fixed / (rows + columns - 2)
    return chain + np.diag(1 - chain.sum(axis=1))


def test_alpha_rank_of_two_populations_is_stationary():
    payoffs = np.random.default_rng(5).normal(size=(2, 2, 3))
    shares = alpha_rank(payoffs, 0.7, 9)
    chain = chain_of(payoffs, 0.7, 9)
    assert shares.shape == (2, 3) and shares.ravel() @ chain == pytest.approx(shares.ravel(), abs=1e-14)


def test_reducible_chains_are_refused_with_their_components():
    assert alpha_rank(SEXES, 0.1).sum() == pytest.approx(1)
    with pytest.raises(td.errors.ParameterError) as caught:
        alpha_rank(SEXES, 100)
    assert caught.value.value == ((0,), (3,))
    assert alpha_rank(TRANSITIVE, 1e4).tolist() == [0, 0, 1]  # transient members are no second component


def test_rare_states_have_exact_shares():
    """States are left upwards far less often than downwards; products leave the range of numbers."""
    step, states = 1e-97, 6
    rates = np.diag(np.full(states - 1, step), 1) + np.diag(np.ones(states - 1), -1)
    for chain, order in ((rates, 1), (rates[::-1, ::-1].copy(), -1)):
        shares = stationary(chain[..., None])[::order, 0]
        assert shares[:4] == pytest.approx(step ** np.arange(4.0), rel=1e-12) and np.isfinite(shares).all()


def test_nash_average_is_the_equilibrium_of_maximal_entropy():
    assert nash_average(ROCK_TWICE) == pytest.approx(np.array([1, 1, 2, 2]) / 6, abs=1e-7)
    assert nash_average(TRANSITIVE) == pytest.approx([0, 0, 1], abs=1e-12)
    assert TRANSITIVE @ nash_average(TRANSITIVE) == pytest.approx([-1, -1, 0], abs=1e-12)
    assert nash_average(np.zeros((3, 3))) == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("seed", range(4))
def test_no_equilibrium_has_more_entropy(seed):
    """Integer tables have many equilibria; a general solver of the primal program finds no more entropy."""
    table = np.triu(np.random.default_rng(seed).integers(-1, 2, (7, 7)), 1).astype(float)
    table -= table.T
    plan = nash_average(table)
    assert (table @ plan).max() < 1e-7 and plan.sum() == pytest.approx(1)
    rules = [{"type": "eq", "fun": lambda p: p.sum() - 1}, {"type": "ineq", "fun": lambda p: -table @ p}]

    def loss(p):
        return float((p * np.log(np.maximum(p, 1e-12))).sum())

    other = minimize(loss, np.full(7, 1 / 7), bounds=[(0, 1)] * 7, constraints=rules, method="SLSQP").fun
    assert loss(plan) < other + 1e-5


def test_online_gaussian():
    """One win gives TrueSkill's well-known 4.205 and 7.194; a draw of equals moves no mean."""
    scores = np.full((2, 2, 1), np.nan)
    scores[0, 1], scores[1, 0] = 1, 0
    mean, deviation = online_gaussian(scores)
    assert mean == pytest.approx([4.2052, -4.2052], abs=1e-4) and deviation == pytest.approx([7.19448] * 2, abs=1e-5)
    scores[[0, 1], [1, 0]] = 0.5
    mean, drawn = online_gaussian(scores)
    assert mean == pytest.approx([0, 0], abs=1e-12) and drawn == pytest.approx(deviation)


def test_online_gaussian_matches_moments():
    """After a win, an upset: mean and deviation are those of the posterior, integrated on a grid."""
    scores = np.full((2, 2, 2), np.nan)
    scores[0, 1] = 1, 0
    (mean, _), (deviation, _) = online_gaussian(scores)
    (one, two), (before, _) = online_gaussian(scores[..., :1])
    skill = np.linspace(one - 12 * before, one + 12 * before, 20_001)
    upset = ndtr((two - skill) / np.sqrt(2 * (25 / 6) ** 2 + before**2))
    posterior = np.exp(-(((skill - one) / before) ** 2) / 2) * upset
    posterior /= posterior.sum()
    assert mean == pytest.approx(posterior @ skill, abs=1e-9)
    assert deviation == pytest.approx(np.sqrt(posterior @ (skill - mean) ** 2), abs=1e-9)


@pytest.mark.parametrize(
    "call",
    [
        lambda: alpha_rank([[0, 1]]),
        lambda: alpha_rank([[0, np.nan], [1, 0]]),
        lambda: alpha_rank([[0, 1], [1, 0]], float("inf")),
        lambda: alpha_rank([[0, 1e300], [1, 0]], 1e300),
        lambda: alpha_rank([[0, 1], [1, 0]], 1, 1),
        lambda: nash_average([[0, 1], [1, 0]]),
        lambda: alpha_rank([[0, 1], [1]]),
        lambda: nash_average([]),
        lambda: nash_average([["a"]]),
        lambda: nash_average([[0, 1, 2]]),
    ],
)
def test_bad_tables(call):
    with pytest.raises(td.errors.ParameterError):
        call()
