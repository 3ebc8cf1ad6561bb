"""Solutions: figures, saving and loading."""

import json

import numpy as np
import pytest

import tefuda as td
from tests.conftest import compiled


def test_figures_are_those_of_the_profile(kuhn):
    found = td.solve(kuhn, "cfr+", iterations=30)
    assert found.nash_conv == td.nash_conv(found.strategy) and found.exploitability == found.nash_conv / 2
    assert found.values == tuple(td.values(found.strategy).tolist()) and found.strategy is found.strategy
    told = found.summary()
    assert json.loads(json.dumps(told)) == told and told["nash_conv"] == found.nash_conv
    assert (told["game"], told["iterations"], told["form"], told["run"]) == (
        "kuhn",
        30,
        {"representation": "tree"},
        None,
    )


def test_unknown_figures_are_errors_with_advice(kuhn):
    """Without an evaluator NashConv and values are missing; the error names the function for them."""
    found = td.solve(kuhn, "cfr+", iterations=30, evaluator=td.NoEvaluation())
    assert "nash_conv" not in found.summary() and "exploitability" not in found.summary()
    with pytest.raises(td.errors.SolverError, match=r"td\.nash_conv\("):
        found.nash_conv  # noqa: B018
    with pytest.raises(td.errors.SolverError, match=r"td\.values\("):
        found.values  # noqa: B018


def test_a_saved_solution_is_loaded_unchanged(kuhn, tmp_path):
    found = td.solve(kuhn, "external", iterations=40, seed=3).save(tmp_path / "run")
    again = td.load(tmp_path / "run", kuhn)
    assert np.array_equal(again.strategy.probabilities, found.strategy.probabilities)
    assert again.curve == found.curve and again.summary() == found.summary() and again.run == str(tmp_path / "run")
    with pytest.raises(td.errors.RunError, match="run"):
        found.save(tmp_path / "run")  # the folder contains a run
    with pytest.raises(td.errors.RunError, match="other rules or parameters"):
        td.load(tmp_path / "run", compiled("kuhn", cards=4))


def test_nash_conv_is_that_of_the_saved_profile(kuhn, tmp_path):
    """A run killed while saving has a newer profile than run.json, so its figure is computed again."""
    td.solve(kuhn, "cfr+", iterations=30).save(tmp_path / "run")
    td.Profile.uniform(kuhn).save(tmp_path / "run" / "profile.npz")
    assert td.load(tmp_path / "run", kuhn).nash_conv == pytest.approx(11 / 12)  # of uniform play, by hand
