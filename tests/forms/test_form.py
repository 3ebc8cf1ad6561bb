"""Forms of games, and a user-defined form."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.form import form_class
from tests.conftest import compiled, refused

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def own():
    """Return the module of the example."""
    spec = importlib.util.spec_from_file_location("own_form", ROOT / "examples" / "own_form.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCISSORS = [[0, -1, 2], [1, 0, -2], [-2, 2, 0]]


def test_a_form_of_the_user_is_solved_resumed_and_loaded(own, tmp_path):
    form, method = own.Matrix(SCISSORS), own.Hedge()
    whole = td.solve(form, method, iterations=20_000)
    td.solve(form, method, iterations=300, checkpoint=tmp_path / "run")
    found = td.resume(tmp_path / "run", game=form, method=method, iterations=20_000)
    for solution in (whole, found, td.load(tmp_path / "run", form, method=method)):
        assert solution.iterations == 20_000 and solution.evaluator == td.NoEvaluation() and solution.form is form
        assert solution.strategy.strategy(0, "", ()) == whole.strategy.strategy(0, "", ())
    assert whole.strategy.strategy(0, "", ()) == pytest.approx([0.4, 0.4, 0.2], abs=0.02)
    with pytest.raises(td.errors.ParameterError, match="resumed with its form"):
        td.resume(tmp_path / "run", game=own.Matrix(np.transpose(SCISSORS)), method=method)


def test_a_form_that_a_method_does_not_accept_is_refused(own):
    with pytest.raises(
        td.errors.ParameterError, match=r"cfr\+ solves games as tree or partition, got payoffs as payoffs"
    ):
        td.solve(own.Matrix(SCISSORS), td.METHODS["cfr+"])
    with pytest.raises(td.errors.ParameterError, match="hedge solves games as payoffs, got kuhn"):
        td.make_solver(compiled("kuhn"), own.Hedge())
    with refused(td.errors.UnknownNameError, key="representation", value="payoffs"):
        form_class("payoffs")


@pytest.mark.parametrize("name", td.forms.REPRESENTATIONS)
def test_representations_name_their_classes(name):
    assert issubclass(form_class(name), td.Form) and form_class(name).representation == name
