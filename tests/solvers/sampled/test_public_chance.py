"""Public chance sampling: exact expectations over the boards, CFR without boards, state, convergence."""

import numpy as np
import pytest

import tefuda as td
from tefuda._kernels.programs import WEIGHT
from tefuda.solvers.sampled.boards import boards
from tefuda.solvers.sampled.public_chance import BoardIteration, PublicSampling
from tests.conftest import compiled
from tests.small_games import ForgetfulKuhn
from tests.spread import bar


@pytest.mark.parametrize("name, parameters", [("kuhn", {}), ("kuhn", {"players": 3}), ("goofspiel", {"cards": 3})])
def test_without_public_chance_it_is_cfr(name, parameters):
    tree = compiled(name, **parameters)
    ours, cfr = td.make_solver(tree, PublicSampling()), td.make_solver(tree, "cfr")
    for solver in (ours, cfr):
        solver.advance(50)
    assert ours.average().probabilities == pytest.approx(cfr.average().probabilities, abs=1e-9)
    assert ours.arrays()["regret"] == pytest.approx(cfr.arrays()["regret"], abs=1e-9)


@pytest.mark.parametrize("parameters", [{}, {"distinct_suits": True}, {"players": 3, "ranks": 2}])
def test_expected_regrets_are_those_of_cfr(parameters):
    """The first player's regrets after one iteration, summed over the boards with their probabilities."""
    tree = compiled("leduc", **parameters)
    cfr, found = td.make_solver(tree, "cfr"), boards(tree)
    start = td.make_solver(tree, PublicSampling()).tables
    cfr.advance(1)
    mean = np.zeros(tree.rows)
    for board in found.complete.tolist():
        tables = start.copy()
        BoardIteration(tree, board).run(tables, PublicSampling().schedule(1, 1))
        mean += found.probability[board] * tables[0, :-1]
    first = tree.player_of_row == 0
    assert mean[first] == pytest.approx(cfr.arrays()["regret"][first], abs=1e-12)


def test_boards_are_drawn_by_their_probabilities():
    """The average counts an infoset below a board as often as the board is drawn."""
    tree = compiled("leduc", distinct_suits=True)
    solver = td.make_solver(tree, PublicSampling(), seed=3)
    solver.advance(3000)
    found, drawn = boards(tree), np.array([solver.board(iteration) for iteration in range(1, 3001)])
    share = (drawn[:, None] == found.complete).mean(axis=0)
    assert (drawn[:1000] != drawn[1024:2024]).any()
    assert np.abs(share - 1 / 6).max() < 4 * np.sqrt(5 / 36 / 3000)


def test_results_do_not_depend_on_pauses():
    tree = compiled("leduc")
    whole, parts = (td.make_solver(tree, PublicSampling(), seed=5) for _ in range(2))
    whole.advance(2100)
    parts.advance(7)
    state = parts.state()
    resumed = td.make_solver(tree, PublicSampling(), seed=5)
    resumed.restore(state)
    for count in (1000, 1093):
        resumed.advance(count)
    for name, array in whole.state().items():
        assert array.tobytes() == resumed.state()[name].tobytes(), name


def test_a_changed_state_is_refused():
    solver = td.make_solver(compiled("leduc"), PublicSampling())
    state = solver.state()
    state["strategy"][0] += 0.5
    with pytest.raises(td.TefudaError):
        solver.restore(state)


def test_imperfect_recall_is_refused():
    with pytest.raises(td.errors.GameError, match="recall"):
        td.make_solver(td.compile_game(ForgetfulKuhn()), PublicSampling())


@pytest.mark.parametrize("delay, exponent", [(0, 0.0), (3, 1.0)])
def test_weights_of_the_average(delay, exponent):
    method = td.solvers.PublicSampling("weighted", averaging=exponent, delay=delay)
    weights = method.schedule(1, 6)[:, WEIGHT]
    assert weights.tolist() == [(t - delay) ** exponent if t > delay else 0 for t in range(1, 7)]


@pytest.mark.learner
def test_converges_on_leduc():
    """Five seeds after 20,000 iterations: the bar is from 42 seeds."""
    tree = compiled("leduc", distinct_suits=True)
    figures = [td.solve(tree, PublicSampling(), iterations=20_000, seed=seed).nash_conv for seed in range(5)]
    assert np.mean(figures) < bar(0.0355, 0.0071, 5)
