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
