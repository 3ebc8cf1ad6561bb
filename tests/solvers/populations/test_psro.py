"""PSRO: known curves, meta-solvers against their definitions, three players, runs."""

from itertools import product

import numpy as np
import pytest

import tefuda as td
from tefuda.solvers.populations.meta import META_SOLVERS, project, projected_replicator, ranked
from tests.conftest import compiled, refused

ROCK = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])


@pytest.mark.parametrize(
    "cards, early, late", [(3, (0.48, 0.52), (0.061667, 0.061667)), (13, (0.392, 0.395), (0.0485, 0.0486))]
)
def test_uniform_mixtures_are_fictitious_play_in_plans(cards, early, late):
    """NashConv in rounds 10 and 100, computed by two other programs: two numbers where they differ."""
    curve = td.solve(compiled("kuhn", cards=cards), td.solvers.PSRO(meta="uniform"), iterations=100).curve
    for round_, (low, high), digits in ((10, early, 3), (100, late, 6 if cards == 3 else 4)):
        assert low <= round(curve[round_ - 1].figure, digits) <= high


@pytest.mark.parametrize("meta", META_SOLVERS)
def test_mixtures_of_rock_paper_scissors_are_uniform(meta):
    mix = META_SOLVERS[meta]([ROCK, -ROCK])
    assert mix.sum() == pytest.approx(1) and mix.sum(axis=1) == pytest.approx(np.full(3, 1 / 3), abs=1e-3)
    solution = td.solve(compiled("kuhn"), td.solvers.PSRO(meta=meta), iterations=20)
    assert solution.nash_conv < 0.5 and min(point.figure for point in solution.curve) < 0.3


def test_projections_are_the_nearest_points():
    """Against a grid of the truncated simplex; clipped and renormalised points are farther."""
    rng, least = np.random.default_rng(0), 0.1
    grid = np.array([(a, b, 1 - a - b) for a, b in product(np.linspace(least, 1, 91), repeat=2) if a + b <= 1 - least])
    for point in rng.normal(0.4, 0.5, (30, 3)):
        found = project(point, least)
        assert found.min() >= least - 1e-12 and found.sum() == pytest.approx(1)
        assert np.linalg.norm(found - point) <= np.linalg.norm(grid - point, axis=1).min() + 1e-12
    dominated = [np.array([[1.0, 1.0], [0.0, 0.0]]), np.zeros((2, 2))]
    assert projected_replicator(dominated).sum(axis=1)[1] == pytest.approx(0.01 / 3, abs=0.02)


def test_alpha_rank_is_stationary():
    """Against the power of the chain, of payoffs so close that it mixes."""
    rng = np.random.default_rng(1)
    payoffs = [np.eye(3)[:, :2] * 50 + rng.random((3, 2)), rng.random((3, 2))]
    found, shape = ranked(payoffs).ravel(), (3, 2)
    cells = list(product(*map(range, shape)))
    chain = np.zeros((6, 6))
    for (i, one), (j, two) in product(enumerate(cells), repeat=2):
        changed = [axis for axis in range(2) if one[axis] != two[axis]]
        if len(changed) == 1:
            table = payoffs[changed[0]]
            gain = 10 / np.ptp(table) * (table[two] - table[one])
            chain[i, j] = (np.expm1(-gain) / np.expm1(-20 * gain) if gain else 1 / 20) / 3
    chain += np.diag(1 - chain.sum(axis=1))
    assert found @ chain == pytest.approx(found, abs=1e-12) and found.sum() == pytest.approx(1)
    assert ranked([1000 * payoffs[0] + 5, payoffs[1] / 7]).ravel() == pytest.approx(found, rel=1e-6, abs=0)  # any unit
    assert ranked([np.array([0.0, 1.0])]) == pytest.approx([0, 1])  # one player


def test_three_players_have_exact_payoffs():
    tree = compiled("kuhn", players=3)
    solver = td.make_solver(tree, td.solvers.PSRO(meta="regret-matching"))
    solver.advance(4)
    form, population = td.forms.sequence_form(tree), solver.population
    for cell in product(*(range(len(own)) for own in population.plans)):
        plans = np.concatenate([own[k] for own, k in zip(population.plans, cell, strict=True)])
        values = td.values(td.Profile.from_weights(tree, plans[form.sequence])).tolist()
        assert [table[cell] for table in population.payoffs] == pytest.approx(values, abs=1e-12)
    again = td.make_solver(tree, solver.method)
    again.restore(solver.state())
    for one in (solver, again):
        one.advance(3)
    assert np.array_equal(again.average().probabilities, solver.average().probabilities)


def test_bad_input():
    with refused(td.errors.ParameterError, key="meta"):
        td.solvers.PSRO(meta="elo")
    for name, parameters in (("kuhn", {"players": 3}), ("sheriff", {})):
        with pytest.raises(td.errors.GameError, match="prd"):
            td.make_solver(compiled(name, **parameters), "psro")
    with pytest.raises(td.errors.SizeError):
        ranked([np.zeros((51, 50))] * 2)
