"""Methods by name, with changed options, and wrong methods."""

import dataclasses
import json

import pytest

import tefuda as td
from tefuda.games import size
from tefuda.solvers.runs.methods import DEFAULT, recorded_method
from tests.conftest import refused


def test_names_are_those_of_the_values():
    """The table contains the default, and each name is that of its method."""
    assert all(name == method.name for name, method in td.METHODS.items()) and DEFAULT in td.METHODS
    for method in td.METHODS.values():
        kept = json.loads(json.dumps(method.parameters()))
        assert recorded_method(kept, td.METHODS) == method
        assert recorded_method({**kept, "name": "my own"}, td.METHODS).name == "my own"


def test_fields_are_changed_by_name_and_checked():
    assert td.find_method("cfr+", {"delay": 10}) == dataclasses.replace(td.METHODS["cfr+"], delay=10)
    assert td.find_method("nfsp", {"eta": 1}).eta == 1  # a whole number is a number
    with refused(td.errors.UnknownNameError, key="option of method cfr+", value="delays", nearest="delay"):
        td.find_method("cfr+", {"delays": 10})
    with refused(td.errors.UnknownNameError, key="method", value="cfr++"):
        td.find_method("cfr++")
    for name, value in (("delay", 1.5), ("delay", True), ("delay", "10"), ("averaging", 1e301), ("order", 1)):
        with pytest.raises(td.errors.ParameterError, match=f"{name}.+must be of type"):
            td.find_method("cfr+", {name: value})
    for wrong in (None, 3, td.METHODS["cfr"].solver):
        with pytest.raises(td.errors.ParameterError, match="method"):
            td.find_method(wrong)


def test_objects_that_are_not_games_are_refused_by_name():
    for game in (None, "kuhn", td.Profile):
        with pytest.raises(td.InputError):
            td.solve(game)
    with refused(td.errors.ParameterError, key="seed", value=-1):
        td.make_solver(td.load_game("kuhn"), seed=-1)


@pytest.fixture
def no_memory(monkeypatch):
    """A machine on which only trees of small card games fit, whose size is not estimated."""
    monkeypatch.setattr(size, "free_memory", lambda: 0.0)


@pytest.mark.parametrize("name", ["external", "outcome", "oos", None])
def test_rules_that_do_not_fit_are_sampled(no_memory, name, tmp_path):
    """The choice is reported, saved and resumed; it gives the bits of the rules themselves."""
    game = td.load_game("goofspiel", cards=3)
    with pytest.warns(RuntimeWarning, match="too large to compile") as notices:
        solution = td.solve(game, name, iterations=40, seed=5, checkpoint=tmp_path / "run")
    assert [notice.filename for notice in notices] == [__file__]
    assert solution.form.representation == "rules" and solution.method["name"] == (name or "external")
    assert solution.form.reason and solution.summary()["form"]["reason"] == solution.form.reason
    forced = td.solve(td.RulesForm(game), name, iterations=40, seed=5)
    assert not forced.form.reason and forced.strategy.weights == solution.strategy.weights
    assert [point[2:5] for point in forced.curve] == [point[2:5] for point in solution.curve]
    assert 0 <= solution.evaluation.low <= solution.evaluation.figure <= solution.evaluation.high
    more, saved = td.resume(tmp_path / "run", iterations=60), td.load(tmp_path / "run")
    whole = td.solve(td.RulesForm(game), name, iterations=60, seed=5)
    assert more.strategy.weights == saved.strategy.weights == whole.strategy.weights
    assert more.evaluation[2:5] == saved.evaluation[2:5] == whole.evaluation[2:5]
    assert more.form.reason == saved.form.reason == solution.form.reason
    wider = td.resume(tmp_path / "run", game=td.RulesForm(game, memory=1e9), iterations=70)
    assert (wider.form.memory, wider.form.reason) == (1e9, solution.form.reason)


@pytest.mark.parametrize("name", ["cfr+", "lp", "nfsp", "mccfr+", "robust"])
def test_methods_that_need_a_tree_name_those_that_do_not(no_memory, name):
    """The error has the estimate as data, and its message the methods for rules."""
    with pytest.raises(td.errors.SizeError, match="external, outcome, oos") as error:
        td.solve(td.load_game("goofspiel"), name, iterations=10)
    assert error.value.key == "memory" and error.value.value.histories == 1077
    with pytest.raises(td.errors.SizeError):
        td.make_solver(td.load_game("goofspiel"), dataclasses.replace(td.METHODS["external"], batch=5))


def test_wrong_arguments_are_refused_before_a_form_is_chosen(no_memory):
    game = td.load_game("leduc")
    for options in ({"workers": 2}, {"seed": -1}, {"nodes": 10}, {"iterations": 0}):
        with pytest.raises(td.errors.ParameterError):
            td.solve(game, "cfr+", **options)


def test_a_tree_that_fits_is_compiled():
    assert td.solve(td.load_game("kuhn"), "external", iterations=5).form.representation == "tree"
