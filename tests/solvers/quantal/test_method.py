"""The method `quantal`: known equilibria, two routes, and runs."""

import numpy as np
import pytest

import tefuda as td
from tefuda.solvers import Quantal, QuantalResidual
from tests.conftest import compiled
from tests.known_responses import ITERATIONS, UNIFORM, converged


@pytest.mark.parametrize("form, step", ITERATIONS)
def test_mirror_descent_needs_the_known_iterations(form, step):
    assert converged(Quantal(rationality=5, form=form, by="mmd", step=step)) == ITERATIONS[form, step]


@pytest.mark.parametrize("form", ["agent", "reduced"])
@pytest.mark.parametrize("name, parameters", [("kuhn", {}), ("sampled", {"players": 2, "seed": 3})])
def test_both_routes_meet(name, parameters, form):
    tree = compiled(name, **parameters)
    one = td.solve(tree, Quantal(rationality=2, form=form))
    two = td.solve(tree, Quantal(rationality=2, form=form, by="mmd"), until=1e-24)
    assert one.evaluation.figure < 1e-24
    assert one.strategy.probabilities == pytest.approx(two.strategy.probabilities, abs=1e-10)


def test_uniform_magnet():
    method = Quantal(rationality=5, form="reduced", by="mmd", magnet="uniform")
    found = td.solve(compiled("kuhn"), method, until=1e-26)
    assert (found.values[0], found.strategy["0: J|"]["b"]) == pytest.approx(UNIFORM, abs=1e-11)


@pytest.mark.parametrize("by", ["path", "mmd"])
def test_runs_resume_with_the_same_bits(tmp_path, by):
    method = Quantal(rationality=20, by=by)
    whole = td.solve(td.load_game("kuhn"), method, iterations=60)
    td.solve(td.load_game("kuhn"), method, iterations=25, checkpoint=tmp_path / "run")
    resumed = td.resume(tmp_path / "run", iterations=60)
    assert np.array_equal(whole.strategy.probabilities, resumed.strategy.probabilities)
    loaded = td.load(tmp_path / "run")
    assert loaded.evaluator == QuantalResidual(20) and loaded.evaluation.figure == whole.evaluation.figure


def test_rationality_zero_is_random_play():
    for by in ("path", "mmd"):
        for form, first in (("agent", 0.5), ("reduced", 1 / 3)):  # passing leaves two plans, betting one
            found = td.solve(compiled("kuhn"), Quantal(rationality=0, form=form, by=by), iterations=3)
            assert found.strategy["0: J|"]["b"] == pytest.approx(first, abs=1e-12)


@pytest.mark.parametrize("scale", [1e-8, 1e12])
def test_mirror_descent_takes_payoffs_of_any_size(scale):
    """Rationality counts in 1 / the unit of payoffs; at 0 one step leads to random play."""
    game = td.load_game("matrix", payoffs=[[(2 * scale, 0), (-scale, 0)], [(-scale, 0), (scale, scale)]])
    for rationality in (0, 1 / scale):
        found = td.solve(game, Quantal(rationality=rationality, by="mmd"), iterations=2000).strategy
        asked = td.solve(game, Quantal(rationality=rationality)).strategy
        assert found.probabilities == pytest.approx(asked.probabilities, abs=1e-9)


def test_bad_options_are_refused():
    for change in (
        {"rationality": -1},
        {"rationality": float("nan")},
        {"form": "normal"},
        {"by": "luck"},
        {"step": -1},
    ):
        with pytest.raises(td.errors.ParameterError):
            Quantal(**change)
