"""Methods by name, changed by fields, and what is no method."""

import dataclasses

import pytest

import tefuda as tf
from tefuda.solvers.learned import nfsp
from tefuda.solvers.runs.methods import DEFAULT


def test_names_are_those_of_the_values():
    """The default is among them, those of earlier versions lead to one, and every method is what its fields say."""
    assert all(name == method.name for name, method in tf.METHODS.items()) and DEFAULT in tf.METHODS
    for former, name in nfsp.FORMER.items():
        assert former not in tf.METHODS and tf.find_method(former) is tf.METHODS[name]
    for method in tf.METHODS.values():
        fields = {field.name: getattr(method, field.name) for field in dataclasses.fields(method) if field.init}
        assert type(method)(**fields) == method


def test_fields_are_changed_by_name_and_checked():
    assert tf.find_method("cfr+", {"delay": 10}) == dataclasses.replace(tf.CFR_PLUS, delay=10)
    assert tf.find_method("nfsp", {"eta": 1}).eta == 1  # a whole number is a number
    with pytest.raises(tf.UnknownNameError, match=r"option of method cfr\+ 'delays'.*delay"):
        tf.find_method("cfr+", {"delays": 10})
    with pytest.raises(tf.UnknownNameError, match=r"unknown method 'cfr\+\+'"):
        tf.find_method("cfr++")
    for name, value in (("delay", 1.5), ("delay", True), ("delay", "10"), ("averaging", 1e301), ("order", 1)):
        with pytest.raises(tf.ParameterError, match=f"{name} of cfr.+must be of type"):
            tf.find_method("cfr+", {name: value})
    for wrong in (None, 3, tf.CFR.solver):
        with pytest.raises(tf.ParameterError, match="a method, or its name, is wanted"):
            tf.find_method(wrong)


def test_what_cannot_be_solved_is_refused_by_name():
    for game in (None, "kuhn", tf.Profile):
        with pytest.raises(tf.InputError):
            tf.solve(game)
    with pytest.raises(tf.ParameterError, match="seed is -1"):
        tf.make_solver(tf.load_game("kuhn"), seed=-1)
