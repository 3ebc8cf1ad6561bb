"""Random numbers of the kernels: uniform, and independent between streams."""

import numpy as np
import pytest

import tefuda as td
from tefuda._kernels import draw
from tests.sampling import inclusion_successive, inclusion_systematic


def test_inclusion_probabilities_by_hand():
    """The inclusion probability of action 0 is .5 + .3 * .5 / .7 + .2 * .5 / .8, and so on."""
    p, rho, sets = np.array([0.5, 0.3, 0.2]), np.zeros((1, 3)), np.zeros((2, 8))
    draw.inclusion_probabilities(p, 3, 2, rho, 0, sets)
    assert rho[0] == pytest.approx([0.8392857, 0.675, 0.4857143], abs=5e-8)
    rng = np.random.default_rng(0)
    for n in (4, 7, 12):
        p = rng.dirichlet(np.ones(n))
        for k in range(1, min(n, 5)):
            rho, sets = np.zeros((1, n)), np.zeros((2, 1 << n))
            draw.inclusion_probabilities(p, n, k, rho, 0, sets)
            assert rho.sum() == pytest.approx(k, abs=1e-12)
            if n < 12:
                assert rho[0] == pytest.approx(inclusion_successive(p.tolist(), k), abs=1e-12)
            assert sum(inclusion_systematic(p.tolist(), k)) == pytest.approx(k, abs=1e-12)


#: Regret weights of iterations 1 to 3, whether regrets are clipped, average weights of iterations 1 to 3.
SCHEDULES = {
    "rm": ((1, 1, 1), 0, (1, 1, 1)),
    "rm+": ((1, 1, 1), 1, (1, 2, 3)),  # Tammelin 2014
    "linear": ((1, 2, 3), 0, (1, 2, 3)),  # Brown and Sandholm 2019: both by t
    "discounted": ((1, 1, 1), 0, (1, 4, 9)),  # the same: DCFR(1.5, 0, 2)
}


@pytest.mark.parametrize("rule", SCHEDULES)
def test_weights_of_rules(rule):
    """Each rule has the weights of its paper, unless another exponent or a delay is given."""
    gains, clip, sums = SCHEDULES[rule]
    found = td.solvers.Sampling("rule", rule=rule).schedule(1, 3)
    assert np.array_equal(found, np.stack([gains, sums, [clip] * 3], axis=1))
    late = td.solvers.Sampling("rule", rule=rule, averaging=2, delay=1).schedule(2, 3)
    assert late[:, 1].tolist() == [1, 4, 9] and late[:, 0].tolist() == [t ** (rule == "linear") for t in (2, 3, 4)]
    assert td.solvers.Sampling("rule", rule=rule, averaging=0, delay=2).schedule(1, 4)[:, 1].tolist() == [0, 0, 1, 1]


def test_streams_of_seeds_are_independent(kuhn):
    """The mean sampled value of the game over 30 seeds is within 3 standard errors of its value, -1/18."""
    found = []
    for seed in range(30):
        solver = td.make_solver(kuhn, "external", seed=seed)
        solver.advance(20_000)
        found.append(td.values(solver.average())[0])
    assert len(set(found)) == 30
    assert abs(np.mean(found) + 1 / 18) <= 3 * np.std(found) / np.sqrt(30) + 1e-4


def first_number(key, walk):
    return draw.uniform(np.uint64(draw.step(np.uint64(draw.stream(key, 1, 1, walk)))))


def test_random_numbers_are_uniform():
    """Check first numbers: means, variances, and correlations of adjacent traversals, players and seeds."""
    keys = [np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] for seed in range(200)]
    table = np.array([[first_number(key, walk) for walk in range(200)] for key in keys])
    assert abs(table.mean() - 0.5) < 5 / np.sqrt(12 * table.size)
    assert abs(table.var() - 1 / 12) < 5 / np.sqrt(180 * table.size)
    for one, other in ((table[1:], table[:-1]), (table[:, 1:], table[:, :-1])):
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 5 / np.sqrt(one.size)
