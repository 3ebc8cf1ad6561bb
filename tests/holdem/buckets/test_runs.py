"""Runs of limit hold'em in buckets: saved, resumed with the same bits, read, played; errors."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError, RunError, SizeError
from tefuda.files import read_json, write_json
from tefuda.holdem.buckets import clusters as page
from tefuda.holdem.buckets import solver as bucket_solver
from tefuda.holdem.buckets.clusters import Buckets
from tefuda.holdem.buckets.node import BucketNode
from tefuda.holdem.buckets.size import smaller_menus
from tefuda.holdem.buckets.solver import BucketMethod, HoldemBuckets, LocalResponseEvaluator, in_buckets
from tefuda.holdem.cards import hand_number
from tests.holdem import limits

METHOD, BUCKETS = BucketMethod(every=50), Buckets((4, 1, 1, 1))


@pytest.fixture(autouse=True)
def merged_hands(monkeypatch):
    """Put all hands after the flop into one cell, which is quick to build."""
    monkeypatch.setattr(page, "_cache_by_seed", {0: limits.flat()})


def game(**options):
    return td.load_game("holdem", **{"limit": True, "cap": 2, **options})


def run(folder, **options):
    return td.solve(in_buckets(game(), BUCKETS), METHOD, **{"iterations": 130, "checkpoint": folder, **options})


def test_resumed_runs_have_the_same_bits(tmp_path):
    evaluator = LocalResponseEvaluator(20)
    whole = run(tmp_path / "whole", iterations=300, evaluator=evaluator)
    part = run(tmp_path / "part", evaluator=evaluator)
    assert part.status == "finished" and part.strategy.sigma.shape == whole.strategy.sigma.shape
    again = td.resume(tmp_path / "part", iterations=300)
    assert np.array_equal(again.strategy.sigma, whole.strategy.sigma)
    assert again.evaluation[2:5] == whole.evaluation[2:5] and again.evaluator == evaluator
    assert [point.iteration for point in again.curve] == [130, 300]
    assert [point.iteration for point in whole.curve] == [300]  # so short a run is evaluated only at its end
    assert np.array_equal(td.load(tmp_path / "part").strategy.sigma, whole.strategy.sigma)
    same = td.resume(tmp_path / "part")
    assert same.iterations == 300 and same.evaluation.figure == whole.evaluation.figure
    saved = td.load(tmp_path / "part")
    assert (
        saved.evaluation.figure == whole.evaluation.figure
        and saved.form.representation == "buckets"
        and saved.evaluator.name == evaluator.name
    )


def test_evaluators_by_default_and_given(tmp_path):
    assert (
        run(tmp_path / "two", interrupted=lambda: True).evaluator == LocalResponseEvaluator()
    )  # of an unlearned strategy
    three = td.solve(in_buckets(game(players=3), BUCKETS), METHOD, iterations=10, checkpoint=tmp_path / "three")
    assert (
        three.evaluator == td.NoEvaluation()
        and td.resume(tmp_path / "three", iterations=20).evaluator == td.NoEvaluation()
    )
    against = td.HeadToHead(td.RandomAgent(), deals=2)
    run(tmp_path / "against", evaluator=against, iterations=10)
    assert td.resume(tmp_path / "against", evaluator=against, iterations=20).evaluator == against
    with pytest.raises(ParameterError, match="evaluator="):
        td.resume(tmp_path / "against", iterations=30)
    with pytest.raises(ParameterError, match="evaluator"):
        td.resume(tmp_path / "two", evaluator=LocalResponseEvaluator(7))
    assert td.load(tmp_path / "three").strategy.game.graph.rules.players == 3


def test_a_run_loads_before_its_first_iteration(tmp_path):
    stopped = run(tmp_path / "run", evaluator=td.NoEvaluation(), interrupted=lambda: True)
    assert stopped.status == "interrupted" and stopped.iterations == 0
    assert td.load(tmp_path / "run").iterations == 0
    assert td.resume(tmp_path / "run").iterations == 130


def test_a_run_plays_at_its_table(tmp_path):
    run(tmp_path / "mine", evaluator=td.NoEvaluation())
    policy = td.load(tmp_path / "mine").strategy
    rich = game(stack=5000)
    seated = td.named_agents(rich, [str(tmp_path / "mine"), "caller"])
    assert seated[0].name == "mine" and np.array_equal(seated[0].policy.sigma, policy.sigma)
    assert td.duplicate_match(rich, seated, deals=5).mean.sum() == pytest.approx(0)
    others = [{"players": 3}, {"limit": False}, {"blinds": (10, 20)}, {"cap": 3}, {"stack": 50}]
    for other in others:
        with pytest.raises(ParameterError, match="not of holdem"):
            td.named_agents(game(**{"cap": 2 if other != {"limit": False} else -1, **other}), [str(tmp_path / "mine")])
    td.solve(td.load_game("kuhn"), "cfr", iterations=2, checkpoint=tmp_path / "kuhn")
    with pytest.raises(ParameterError, match="tree"):
        td.named_agents(rich, [str(tmp_path / "kuhn")])


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return a run that no test changes."""
    folder = tmp_path_factory.mktemp("kept") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "_cache_by_seed", {0: limits.flat()})
        run(folder, evaluator=td.NoEvaluation(), iterations=10)
    return folder


def forge(folder, **changes):
    write_json(folder / "run.json", {**read_json(folder / "run.json"), **changes})


@pytest.mark.parametrize(
    "changes, error",
    [
        ({"form": {"representation": "buckets", "counts": [4, 1, 1, 2], "seed": 0, "textures": [1, 1]}}, RunError),
        ({"form": {"representation": "buckets", "counts": "abcd", "seed": 0, "textures": [1, 1]}}, ParameterError),
        ({"form": {"representation": "buckets", "colours": "red"}}, RunError),
        ({"method_parameters": {"name": "external-buckets", "every": 51, "tremble": 0.0}}, RunError),
        ({"method_parameters": {"name": "x", "colour": "red"}}, ParameterError),
        ({"game": "kuhn", "game_parameters": {}}, RunError),
        ({"game": "file.py:Game"}, RunError),
        ({"form": {"representation": "hands"}}, RunError),
        ({"evaluator": {"name": "local-response", "deals": "7", "seed": 0}}, RunError),
        ({"evaluator": {"name": "local-response", "deals": 1, "seed": 0}}, RunError),
        ({"evaluator": {"name": "learned"}}, ParameterError),
    ],
)
def test_forged_runs_are_refused(saved, tmp_path, changes, error):
    shutil.copytree(saved, tmp_path / "run")
    assert read_json(tmp_path / "run" / "run.json")["form"]["representation"] == "buckets"
    forge(tmp_path / "run", **changes)
    with pytest.raises(error):
        td.resume(tmp_path / "run")


def test_runs_of_other_rules_are_refused(saved, tmp_path):
    shutil.copytree(saved, tmp_path / "run")
    forge(tmp_path / "run", game_parameters={"players": 2, "limit": True, "cap": 3})
    with pytest.raises(RunError, match="parameters"):
        td.resume(tmp_path / "run")


def test_size_before_the_hands_are_sorted():
    """The size needs no buckets, and equals that of the form."""
    form = in_buckets(game(), BUCKETS)
    size = type(form).size_of(form.game, form.saved().fields)
    table = td.make_solver(form).state()["regret"]
    assert size.numbers["rows"] == table.size and size.bytes == 2 * table.nbytes


def test_impossible_settings_are_refused_before_sorting(monkeypatch):
    monkeypatch.setattr(bucket_solver, "cells", lambda *_: pytest.fail("sorted"))
    with pytest.raises(SizeError, match="the limit is"):
        in_buckets(game(), BUCKETS, memory=1e3)
    with pytest.raises(ParameterError, match="menu"):
        in_buckets(game(limit=False, cap=-1, bets="any"))


def test_putting_hands_into_buckets_shows_progress(saved, monkeypatch):
    """Runs are read while cells are not cached."""

    def absent(path):
        raise RunError(f"{path} is not there.")

    def made(seed, notify):
        notify("strengths on rivers")
        return limits.flat()

    shown = []
    monkeypatch.setattr(page, "_cache_by_seed", {})
    monkeypatch.setattr(page, "read_cells", absent)
    monkeypatch.setattr(page, "make_cells", made)
    monkeypatch.setattr(page, "write_arrays", lambda *arguments: None)
    td.load(saved, building=shown.append)
    assert shown[-1] == "strengths on rivers"


def test_hands_in_other_buckets_are_refused(saved, monkeypatch):
    other = limits.flat()
    other.flop[0, 0] = 1
    monkeypatch.setattr(page, "_cache_by_seed", {0: other})
    with pytest.raises(RunError, match="buckets"):
        td.resume(saved, iterations=20)


NO_LIMIT = {"limit": False, "cap": -1, "stack": 200, "opens": "2x,a", "bets": "100%,a"}


def test_no_limit_runs(tmp_path):
    """Saved, resumed with the same bits, shown at a line, played at tables with the same stacks and sizes."""
    form = in_buckets(game(**NO_LIMIT), BUCKETS)
    whole = td.solve(form, "external-buckets", iterations=300, evaluator=td.NoEvaluation())
    td.solve(form, "external-buckets", iterations=130, evaluator=td.NoEvaluation(), checkpoint=tmp_path / "run", seed=0)
    resumed = td.resume(tmp_path / "run", iterations=300)
    assert np.array_equal(resumed.strategy.sigma, whole.strategy.sigma) and resumed.form.game.menu == form.game.menu
    policy = td.load(tmp_path / "run").strategy
    for line, names in (
        ("", ("fold", "call", "raise 20", "allin 200")),
        ("r20", ("fold", "call", "raise 40", "allin 200")),
    ):
        node = BucketNode.from_letters(policy, line)
        assert node.words == names and sum(node.frequencies.values()) == pytest.approx(1)
        seen = [float(shares[hand_number(51, 50)]) for shares in node.shares.values()]
        sizes = policy.game.graph.sizes[policy.game.graph.node(line)]
        asked = [label for label in form.game.action_labels if label in sizes]  # in the order of the game
        answer = dict(zip(asked, policy.strategy(node.player, f"AsAh||{line}", asked), strict=True))
        assert seen == pytest.approx([answer[label] for label in sizes], abs=1e-6) and asked != [*sizes]
    later = BucketNode.from_letters(policy, "r20c/r40", "Qs Jh 2h")
    assert later.line == "Raise(20)/Call/Qs/Jh/2h/Bet(40)" and later.bets == {
        "Raise(160)": 1.0,
        "AllIn(180)": 140 / 120,
    }
    assert BucketNode(policy, "AllIn(200)/Call/Qs/Jh/2h/3c/4d").player is None
    seated = td.named_agents(game(**NO_LIMIT), [str(tmp_path / "run"), str(tmp_path / "run") + ";purify=0.2", "caller"])
    assert seated[1].name == "run;purify=0.2" and np.array_equal(seated[1].policy.sigma, policy.purified(0.2).sigma)
    assert td.duplicate_match(game(**NO_LIMIT), seated[:2], deals=20).mean.sum() == pytest.approx(0)
    for other in ({"stack": 300}, {"opens": "3x,a"}):
        with pytest.raises(ParameterError, match="not of holdem"):
            td.named_agents(game(**{**NO_LIMIT, **other}), [str(tmp_path / "run")])
    for below in ("", "2"):
        with pytest.raises(ParameterError, match="purify"):
            td.named_agents(game(**NO_LIMIT), [f"{tmp_path / 'run'};purify={below}"])


@pytest.mark.parametrize(
    "options, why",
    [
        ({"players": 3}, "two players"),
        ({"stack": 5}, "no player has a decision"),
        ({"stack": 2000, "bets": "10,20,30,40,50,60,70,80,90,100,120,150,200,a"}, "Leave out"),
    ],
)
def test_no_limit_tables_are_refused_before_anything_is_built(monkeypatch, options, why):
    monkeypatch.setattr(bucket_solver, "cells", lambda *_: pytest.fail("sorted"))
    monkeypatch.setattr(bucket_solver, "betting_graph", lambda *_, **more: pytest.fail("built"))
    with pytest.raises((ParameterError, SizeError), match=why):
        in_buckets(game(**{"limit": False, "cap": -1, **options}), BUCKETS)


def test_the_size_to_leave_out_is_named():
    """It is the size without which the tree fits and keeps most pairs; each advice is right."""
    table = game(**{**NO_LIMIT, "bets": "33,100,a", "raises": "100,a", "opens": "2x,3x,a"})
    whole = HoldemBuckets.size_of(table, {"counts": (169, 100, 100, 100)})
    without = {name: replace(table, menu=menu) for name, menu in smaller_menus(table.menu)}
    assert {*without} == {"33% of bets", "100% of bets", "a of bets", "100% of raises", "a of raises"} | {
        f"{size} of {name}" for size in ("2x", "3x", "a") for name in ("opens", "reraises")
    }
    sizes = {
        name: HoldemBuckets.size_of(each, {"counts": (169, 100, 100, 100)}).bytes for name, each in without.items()
    }
    for memory in (0.9 * whole.bytes, 0.7 * whole.bytes):
        best = max((name for name in sizes if sizes[name] <= memory), key=sizes.__getitem__)
        with pytest.raises(SizeError, match=f"Leave out {best}"):
            in_buckets(table, Buckets((169, 100, 100, 100)), memory=memory)
    with pytest.raises(SizeError, match="and more"):
        in_buckets(table, Buckets((169, 100, 100, 100)), memory=1)
