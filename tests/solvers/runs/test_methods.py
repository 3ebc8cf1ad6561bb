"""Methods by name, with changed options, and wrong methods."""

import dataclasses
import json

import pytest

import tefuda as td
from tefuda.solvers.runs.methods import DEFAULT
from tefuda.solvers.runs.saved import method_of_run
from tests.conftest import compiled


def test_names_are_those_of_the_values():
    """The table contains the default, and each name is that of its method."""
    assert all(name == method.name for name, method in td.METHODS.items()) and DEFAULT in td.METHODS
    for method in td.METHODS.values():
        kept = json.loads(json.dumps(method.parameters()))
        assert method_of_run({"method_parameters": kept}, compiled("kuhn")) == method
        assert method_of_run({"method_parameters": {**kept, "name": "my own"}}, compiled("kuhn")).name == "my own"


def test_fields_are_changed_by_name_and_checked():
    assert td.find_method("cfr+", {"delay": 10}) == dataclasses.replace(td.CFR_PLUS, delay=10)
    assert td.find_method("nfsp", {"eta": 1}).eta == 1  # a whole number is a number
    with pytest.raises(td.UnknownNameError, match=r"option of method cfr\+ 'delays'.*delay"):
        td.find_method("cfr+", {"delays": 10})
    with pytest.raises(td.UnknownNameError, match=r"unknown method 'cfr\+\+'"):
        td.find_method("cfr++")
    for name, value in (("delay", 1.5), ("delay", True), ("delay", "10"), ("averaging", 1e301), ("order", 1)):
        with pytest.raises(td.ParameterError, match=f"{name}.+must be of type"):
            td.find_method("cfr+", {name: value})
    for wrong in (None, 3, td.CFR.solver):
        with pytest.raises(td.ParameterError, match="method"):
            td.find_method(wrong)


def test_objects_that_are_not_games_are_refused_by_name():
    for game in (None, "kuhn", td.Profile):
        with pytest.raises(td.InputError):
            td.solve(game)
    with pytest.raises(td.ParameterError, match="seed"):
        td.make_solver(td.load_game("kuhn"), seed=-1)
