"""Correlation gaps on the command line."""

import numpy as np
import pytest

import tefuda as td
from tests.apps.conftest import last_json


def test_devices_of_runs(tefuda):
    """Solved to a goal, resumed, and evaluated by all concepts and both conventions."""
    given = ("kuhn", "--players", 3, "--method", "cfr", "--order", "simultaneous", "--out", "run")
    first = last_json(tefuda("solve", *given, "--evaluator", "efce-gap", "--until", 0.1, "--json"))
    assert first["figure"]["title"] == "EFCE gap (total)" and first["figure"]["value"] <= 0.1
    assert "EFCE gap (total)" in tefuda("solve", "--resume", "run", "--until", 0.05).stdout
    found = last_json(tefuda("evaluate", "run", "--correlation", "--json"))
    assert found["device"] == "iterates" and found["efce"]["total"] <= 0.05
    assert found["efce"]["largest"] < found["nfcce"]["total"] <= found["efcce"]["total"] <= found["efce"]["total"]
    assert all(
        name in tefuda("evaluate", "run", "--correlation").stdout for name in ("NFCCE", "EFCCE", "EFCE", "margin")
    )
    with pytest.raises(td.errors.ParameterError, match="evaluator"):
        td.resume("run", iterations=900, evaluator=td.NashConv())


def test_strategies_are_devices_of_one_profile(tefuda):
    tefuda("solve", "kuhn", "--iterations", 9, "--out", "run")
    for target in (("run",), ("kuhn", "--profile", "uniform")):
        found = last_json(tefuda("evaluate", *target, "--correlation", "--json"))
        conv = last_json(tefuda("evaluate", *target, "--json"))["nash_conv"]
        assert found["device"] == "strategy"
        assert [found[concept]["total"] for concept in ("nfcce", "efcce", "efce")] == pytest.approx([conv] * 3)


def test_wrong_options_say_what_to_do(tefuda):
    assert "efce-gap" in tefuda("solve", "kuhn", "--evaluator", "efce-gap:sum", code=2).stderr
    assert "has no effect with --deals" in tefuda("evaluate", "run", "--correlation", "--deals", 5, code=2).stderr
    assert "efce or efcce" in tefuda("solve", "kuhn", "--method", "triggers", "--concept", "nfcce", code=2).stderr
    tefuda("solve", "kuhn", "--evaluator", "nfcce-gap:largest", "--iterations", 9, "--out", "run")
    file = td.load("run").run + "/checkpoint.npz"
    with open(file, "rb+") as changed:
        changed.seek(-50, 2)
        changed.write(np.zeros(50, np.uint8).tobytes())
    assert "checkpoint.npz" in tefuda("evaluate", "run", "--correlation", code=2).stderr


def test_optimal_devices(tefuda):
    """In fractions without a run, or as a run with a device; a bound is never a run."""
    found = last_json(tefuda("solve", "sheriff", "--exact", "--method", "correlated", "--concept", "nfcce", "--json"))
    assert found["exact"] == ["3/4", "3/8"] and found["objective"] == 1.125 and not found["relaxed"]
    text = tefuda("solve", "sheriff", "--exact", "--method", "correlated", "--maximise", "1,0.5").stdout
    assert "value to player 0: 3/4" in text and "objective" in text
    given = ("sheriff", "--exact", "--method", "commitment", "--leader", 1, "--signals", "false", "--json")
    found = last_json(tefuda("solve", *given))
    assert found["exact"] == ["3/4", "15/7"] and found["bound"] == pytest.approx(2.25)
    run = last_json(tefuda("solve", "sheriff", "--method", "correlated", "--out", "run", "--json"))
    assert run["values"] == pytest.approx([0.75, 0.0], abs=1e-9) and run["figure"]["value"] < 1e-9
    assert last_json(tefuda("evaluate", "run", "--correlation", "--json"))["efce"]["total"] < 1e-9


def test_bounds_and_wrong_objectives_say_so(tefuda):
    error = tefuda("solve", "signalling", "--method", "correlated", code=2).stderr
    assert all(name in error for name in ("0: good|", "0: bad|", "1: -|X", "1: -|Y", "--exact --bound"))
    given = ("solve", "signalling", "--exact", "--method", "correlated", "--bound", "true")
    assert "upper bound of the objective: 10" in tefuda(*given).stdout
    assert last_json(tefuda(*given, "--json"))["relaxed"] is True
    for method in ("cfr", "lp"):
        assert "correlated" in tefuda("solve", "kuhn", "--exact", "--method", method, code=2).stderr
    assert "maximise" in tefuda("solve", "sheriff", "--method", "correlated", "--maximise", "0,0", code=2).stderr
    assert "two players" in tefuda("solve", "kuhn", "--players", 3, "--method", "commitment", code=2).stderr
