"""Saved runs, loaded and resumed, with and without a given game, form, method or evaluator."""

import dataclasses
import shutil

import numpy as np
import pytest

import tefuda as td
from tefuda import files
from tefuda.forms.form import form_class
from tefuda.lazy import load_reference
from tefuda.solvers.runs.run import profile_digest
from tests.conftest import compiled


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Save runs of CFR+ on Kuhn poker, evaluated and not, and of external sampling over its rules."""
    folder, kuhn = tmp_path_factory.mktemp("runs"), compiled("kuhn")
    td.solve(kuhn, "cfr+", iterations=10, checkpoint=folder / "tree", checkpoint_seconds=7.0)
    td.solve(kuhn, "cfr+", iterations=10, checkpoint=folder / "unevaluated", evaluator=td.NoEvaluation())
    rules = td.RulesForm(td.load_game("kuhn"), memory=1e6)
    td.solve(rules, "external", iterations=10, checkpoint=folder / "rules", seed=5)
    td.solve(kuhn, "external", iterations=10, checkpoint=folder / "sampled", seed=5)
    return folder


@pytest.fixture
def again(runs, tmp_path):
    """Copy these runs for tests that change them."""
    return shutil.copytree(runs, tmp_path / "runs")


def test_a_loaded_run_is_evaluated_again_if_its_evaluator_is_exact(runs):
    found = td.load(runs / "tree")
    assert found.evaluator == td.NashConv() and len(found.values) == 2
    assert found.nash_conv == td.nash_conv(found.strategy) and found.curve[-1].nash_conv == found.nash_conv
    assert np.isnan(td.load(runs / "unevaluated").evaluation.figure)


def test_the_figures_of_run_json_are_those_of_its_profile_only(again):
    """Figures are read if run.json has the digest of the saved profile, and computed otherwise."""
    folder, figures = again / "tree", {"value": 9.0, "low": 9.0, "high": 9.0}
    content = files.read_json(folder / "run.json")
    content["figure"] |= figures
    files.write_json(folder / "run.json", content)
    assert td.load(folder).nash_conv == 9.0
    td.Profile.uniform(compiled("kuhn")).save(folder / "profile.npz")
    newer = td.load(folder)
    assert newer.nash_conv == pytest.approx(11 / 12) and newer.values == pytest.approx((1 / 8, -1 / 8))
    content["profile"] = profile_digest(newer.strategy)
    for values in (None, [1.0], [1.0, None], "no", [1.0, float("inf")]):
        files.write_json(folder / "run.json", {**content, "values": values})
        with pytest.raises(td.errors.RunError):
            td.load(folder)
    del content["profile"]
    files.write_json(folder / "run.json", content)
    assert td.load(folder).nash_conv == newer.nash_conv


def test_a_run_is_resumed_with_its_own_settings(again):
    """Goal and checkpoint interval are the defaults; seed and memory limit cannot change."""
    same = td.resume(again / "tree")
    assert (same.iterations, same.settings["checkpoint_seconds"]) == (10, 7.0)
    other = td.resume(again / "tree", iterations=12, checkpoint_seconds=9.0)
    assert (other.iterations, other.settings["checkpoint_seconds"]) == (12, 9.0)
    whole = td.solve(td.RulesForm(td.load_game("kuhn")), "external", iterations=30, seed=5).strategy
    found = td.resume(again / "rules", iterations=30).strategy
    for view in ("J|b", "Q|b", "K|b"):
        assert found.strategy(1, view, ("p", "b")) == whole.strategy(1, view, ("p", "b"))
    assert td.load(again / "rules").form.memory == 1e6


def test_a_sampling_run_is_resumed_with_its_seed(again):
    whole = td.solve(compiled("kuhn"), "external", iterations=30, seed=5)
    found = td.resume(again / "sampled", iterations=30)
    assert np.array_equal(found.strategy.probabilities, whole.strategy.probabilities)


def test_more_memory_may_be_given(again):
    td.resume(again / "rules", game=td.RulesForm(td.load_game("kuhn"), memory=2e6), iterations=20)
    assert td.load(again / "rules").form.memory == 2e6


def test_a_game_may_be_given_in_any_form(runs):
    for game in (td.load_game("kuhn"), td.RulesForm(td.load_game("kuhn")), compiled("kuhn")):
        assert td.load(runs / "tree", game).tree.fingerprint == compiled("kuhn").fingerprint
    for run in ("tree", "rules"):
        with pytest.raises(td.errors.RunError):
            td.load(runs / run, td.load_game("kuhn", players=3))


def test_another_evaluator_or_method_is_refused(again):
    with pytest.raises(td.errors.ParameterError, match="evaluator"):
        td.resume(again / "tree", evaluator=td.NoEvaluation())
    with pytest.raises(td.errors.ParameterError, match="resumed with its method"):
        td.resume(again / "tree", method="cfr")


def halves(regrets, utilities, strategy, iteration):
    return np.full_like(strategy, 1 / len(strategy))


def test_a_user_rule_named_like_a_method_must_be_given(tmp_path):
    rule = td.solvers.UpdateRule("cfr+", halves)
    td.solve(compiled("kuhn"), rule, iterations=3, checkpoint=tmp_path / "run")
    with pytest.raises(td.errors.ParameterError, match="method of the user"):
        td.resume(tmp_path / "run", iterations=4)
    assert td.resume(tmp_path / "run", method=rule, iterations=4).iterations == 4


def test_forms_have_titles_and_defaults():
    assert td.RulesForm(td.load_game("rps")).title == "rps"
    assert "order='random'" in td.RulesForm(td.load_game("goofspiel", order="random")).title
    assert td.solve(compiled("kuhn"), iterations=1).method == td.METHODS["ema"].parameters()
    form = td.Form()
    assert form.game is form.tree is None and dataclasses.asdict(form.saved()) == {"fields": {}, "arrays": {}}
    assert (load_reference(form.evaluator), load_reference(form.methods)) == (td.NoEvaluation, td.METHODS)
    with pytest.raises(td.errors.UnknownNameError):
        form_class("payoffs")
