"""Settings of deep methods, which need no PyTorch: ranges, names, and the error without PyTorch."""

import importlib.util

import pytest

import tefuda as td
from tests.conftest import compiled, refused


@pytest.mark.parametrize(
    "changes",
    [
        {"scheme": "chance"},
        {"scheme": "outcome", "epsilon": 0.0},
        {"regrets": "median"},
        {"average": "mode"},
        {"fallback": "none"},
        {"network": "perceptron"},
        {"traversals": 0},
        {"steps": 0},
        {"epsilon": 1.5},
        {"rate": float("nan")},
        {"prediction": True},
        {"clip_regrets": True},
        {"estimates_regrets": True},
        {"estimates_regrets": True, "baseline": True, "scheme": "outcome"},
    ],
)
def test_settings_out_of_range_are_refused(changes):
    with pytest.raises(td.errors.ParameterError):
        td.find_method("deep-cfr", changes)


def test_methods_by_name():
    for name in ("deep-cfr", "sd-cfr", "double-neural", "vr-deep-dcfr+", "vr-deep-pdcfr+", "dream"):
        assert td.find_method(name, {"traversals": 7}).traversals == 7
    with refused(td.errors.ParameterError, key="traversals", value=1.5):
        td.find_method("deep-cfr", {"traversals": 1.5})


def test_missing_pytorch_names_the_extra(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(td.errors.MissingExtraError, match="deep"):
        td.make_solver(compiled("kuhn"), "deep-cfr")


@pytest.mark.parametrize(
    "changes", [{"games": 0}, {"momentum": 1.0}, {"discount": 1.1}, {"kl": -1.0}, {"games": 3, "minibatches": 4}]
)
def test_gradients_out_of_range_are_refused(changes):
    with pytest.raises(td.errors.ParameterError):
        td.solvers.PolicyGradient("mine", **changes)


def test_rates_fall():
    assert td.METHODS["mmd"].decay_factor(1) == 1 and td.METHODS["mmd"].decay_factor(301) == 0.5
    assert td.solvers.PolicyGradient("mine", decay=0.0).decay_factor(10**6) == 1
