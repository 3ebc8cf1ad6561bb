"""Phantom games on the command line: evaluated, solved and refused without a tree."""

import pytest

from tests.apps.conftest import last_json


def test_uniform_play_is_evaluated(tefuda):
    """Uniform dark hex is worth 1/3."""
    found = last_json(tefuda("evaluate", "dark_hex", "--profile", "uniform", "--json"))
    assert found["values"] == pytest.approx([1 / 3, -1 / 3], abs=1e-12)
    assert found["exploitability"] == pytest.approx((2 / 3 + 1.166137566) / 2, abs=1e-9)


def test_methods_of_rules_are_found(tefuda, tmp_path):
    options = ("--method", "outcome", "--iterations", 100, "--evaluator", "none", "--out", tmp_path / "run")
    tefuda("solve", "dark_hex", *options)
    assert "pcfr+" in tefuda("solve", "dark_hex", "--method", "crf", code=2).stderr
    assert "td.solve(game)" in tefuda("solve", "dark_hex", "--as", "tree", code=2).stderr
