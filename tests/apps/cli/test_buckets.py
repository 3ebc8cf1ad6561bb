"""Limit hold'em on the command line: solved, saved, resumed, evaluated, played against."""

import signal
from contextlib import contextmanager
from functools import partial

import pytest

import tefuda as td
from tefuda.apps.cli import jobs
from tefuda.apps.cli.shared import runs
from tefuda.apps.cli.shared.interruption import interruption_requested
from tefuda.holdem.buckets import aivat
from tefuda.holdem.buckets import clusters as page
from tefuda.holdem.buckets.size import betting_size
from tefuda.holdem.hands.sizing import read_menu
from tefuda.holdem.kernels import local
from tests.apps.conftest import last_json
from tests.holdem.limits import flat

TABLE = ("--cap", 2, "--buckets", 1)


@pytest.fixture(autouse=True)
def hands_alike(monkeypatch):
    """Make buckets quickly: after the flop all hands are in one bucket."""
    monkeypatch.setattr(page, "_cache_by_seed", {0: flat()})


def learn(tefuda, *options, code=0):
    return tefuda("solve", "holdem", "--limit", *TABLE, "--iterations", 150, *options, code=code)


def test_a_run_is_solved_and_resumed(tefuda):
    found = last_json(learn(tefuda, "--deals", 20, "--json"))
    assert (
        found["run"] == "runs/holdem-external-buckets-1"
        and found["iterations"] == 150
        and found["form"]["representation"] == "buckets"
    )
    assert found["form"]["counts"] == [169, 1, 1, 1] and found["game_parameters"]["cap"] == 2
    assert found["evaluator"] == {"name": "local-response", "deals": 20, "seed": 0}
    assert found["figure"]["lower_is_better"]
    shown = tefuda("solve", "--resume", "runs/holdem-external-buckets-1", "--iterations", 200).stdout
    assert "200 iterations of external-buckets" in shown and "a lower bound" in shown
    assert "tefuda play runs/holdem-external-buckets-1" in shown
    assert "200 iterations of external-buckets" in tefuda("show", "runs/holdem-external-buckets-1").stdout
    found = last_json(learn(tefuda, "--buckets", "8,1,1,1", "--evaluator", "none", "--json"))
    assert found["form"]["counts"] == [8, 1, 1, 1] and found["evaluator"] == {"name": "none"}


def test_no_limit_is_evaluated_with_all_menus(tefuda):
    """The largest value and its menu are shown; those of the curve have the sizes of the tree."""
    options = ("--stack", 60, "--bets", "100%,a", "--buckets", 1, "--iterations", 150, "--deals", 4, "--out", "run")
    found = last_json(tefuda("solve", "holdem", *options, "--json"))
    assert found["evaluator"]["name"] == "local-response" and found["figure"]["value"] is not None
    found = last_json(tefuda("evaluate", "run", "--deals", 6, "--json"))
    values = {menu: figures["value"] for menu, figures in found["menus"].items()}
    assert len(values) == 10 and found["value"] == max(values.values()) == values[found["menu"]]
    shown = tefuda("evaluate", "run", "--deals", 6).stdout
    assert found["menu"] in shown and "fcma/fcma/fcma/fcma" in shown


@pytest.mark.parametrize("seconds, spent, left", [(60, 40, 20), (30, 40, 0.01), (0.5, 0.25, 0.25)])
def test_preparing_counts_in_the_seconds(tefuda, monkeypatch, seconds, spent, left):
    clock, goals, start = iter((100.0, 100.0 + spent)), [], jobs.start_run

    def record(context, job, *given):
        goals.append(job.goal.seconds)
        return start(context, job, *given)

    monkeypatch.setattr(jobs, "monotonic", lambda: next(clock))
    monkeypatch.setattr(jobs, "start_run", record)
    found = last_json(learn(tefuda, "--evaluator", "none", "--seconds", seconds, "--json"))
    assert goals == [left] and found["iterations"] > 0


def test_the_time_of_preparing_is_estimated(monkeypatch, tmp_path):
    """Hands in memory take no time, a cached file less than computing them."""
    assert page.preparation_seconds(0) == 0
    monkeypatch.setattr(page, "cache_path", lambda seed: tmp_path / "cells.npz")
    computing = page.preparation_seconds(1)
    (tmp_path / "cells.npz").write_bytes(b"")
    assert 0 < page.preparation_seconds(1) < computing


def test_evaluated_again(tefuda):
    learn(tefuda, "--evaluator", "none", "--out", "run")
    found = last_json(tefuda("evaluate", "run", "--deals", 30, "--json"))
    assert found["low"] < found["value"] < found["high"] and found["deals"] == 30
    assert sum(found["chips_by_seat"]) / 2 == pytest.approx(found["value"] / 100)
    shown = tefuda("evaluate", "run", "--deals", 30).stdout
    assert f"{found['value']:+.1f}".lstrip("+") in shown and "a lower bound" in shown


def test_shown(tefuda):
    """Print the chart of a node; options of spots have no effect."""
    learn(tefuda, "--evaluator", "none", "--out", "run")
    shown = tefuda("show", "run", "--line", "r").stdout
    assert "f fold, c call" in shown and "preflop, after r: fold" in shown
    found = last_json(tefuda("show", "run", "--line", "rc", "--board", "Qs Jh 2h", "--json"))
    assert found["board"] == "Qs Jh 2h" and sum(found["frequencies"].values()) == pytest.approx(1)
    assert "over" in tefuda("show", "run", "--line", "rf", code=2).stderr
    assert "--hands has no effect" in tefuda("show", "run", "--line", "r", "--hands", code=2).stderr


def test_played_against(tefuda):
    learn(tefuda, "--evaluator", "none", "--out", "run")
    table = ("holdem", "--limit", "--cap", 2)
    met = last_json(tefuda("match", *table, "--agents", "run,caller", "--deals", 5, "--json"))
    assert met["agents"] == ["run", "caller"]
    refused = tefuda("match", "holdem", "--limit", "--agents", "run,caller", "--deals", 2, code=2).stderr
    assert "run is a run of holdem" in refused and "cap=2" in refused


def test_winnings_by_aivat(tefuda, monkeypatch):
    """The mean agrees with the winnings; an agent must be a run, whose strategy is known."""
    monkeypatch.setattr(aivat, "position_values", partial(aivat.position_values, hands=1000))
    learn(tefuda, "--evaluator", "none", "--out", "run")
    match = ("match", "holdem", "--limit", "--cap", 2, "--deals", 100, "--aivat", "--json", "--agents")
    found = last_json(tefuda(*match, "run,caller"))
    (name, (mean, error)), (low, high) = *found["aivat"].items(), found["interval"][0]
    assert name == "run" and low - 4 * error < mean < high + 4 * error
    assert "needs an agent that is a run in buckets" in tefuda(*match, "equity,caller", code=2).stderr


def test_interrupted(tefuda, monkeypatch):
    """The run is saved, with a hint to resume and the exit code of Ctrl-C; also while hands are sorted."""

    @contextmanager
    def at_once():
        yield lambda: True

    monkeypatch.setattr(runs, "interruption_requested", at_once)
    found = learn(tefuda, "--out", "run", "--json", code=130)
    assert "tefuda solve --resume run" in found.stderr and last_json(found)["status"] == "interrupted"
    monkeypatch.setattr(page, "_cache_by_seed", {})
    monkeypatch.setattr(page, "read_cells", lambda path: (_ for _ in ()).throw(page.RunError("none")))
    monkeypatch.setattr(
        page, "make_cells", lambda seed, notify: notify("strengths") or signal.raise_signal(signal.SIGINT)
    )
    monkeypatch.setattr(runs, "interruption_requested", interruption_requested)
    assert "nothing is saved" in learn(tefuda, "--out", "other", code=130).stderr
    monkeypatch.setattr(page, "_cache_by_seed", {0: flat()})
    assert last_json(tefuda("solve", "--resume", "run", "--iterations", 20, "--json"))["iterations"] == 20


def test_interrupted_while_a_point_is_evaluated(tefuda, monkeypatch):
    """It stops after the current hands; the point is evaluated when the run is resumed."""
    played, play = [], local.play_hands

    def interrupted(*given):
        play(*given)
        played.append(1)
        if len(played) == 3:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(local, "play_hands", interrupted)
    found = learn(tefuda, "--deals", 300, "--out", "run", "--json", code=130)
    assert len(played) == 4 and "tefuda solve --resume run" in found.stderr
    broken = last_json(found)
    assert (broken["status"], broken["iterations"], broken["figure"]["value"]) == ("interrupted", 150, None)
    assert "unevaluated of the average strategies" in tefuda("show", "run").stdout
    whole = learn(tefuda, "--deals", 300, "--out", "whole", "--json")
    again = tefuda("solve", "--resume", "run", "--json")
    assert last_json(again)["figure"] == last_json(whole)["figure"] and last_json(again)["status"] == "finished"


@pytest.mark.parametrize(
    "options, told",
    [
        (("--buckets", 0), "flop is 0"),
        (("--buckets", 257), "river is 257"),
        (("--buckets", "a"), "buckets is 'a'"),
        (("--buckets", "5,5"), "4 numbers"),
        (("--textures", "x"), "textures is 'x'"),
        (("--textures", "1,5"), "multiple"),
        (("--textures", "5"), "2 numbers"),
        (("--tremble", 2), "tremble is 2"),
        (("--iterations", 0), "iterations is 0"),
        (("--iterations", 1e17), "at most 1e+15"),
        (("--iterations", "nan"), "iterations is nan"),
        (("--seconds", -1), "seconds is -1"),
        (("--seed", -1), "seed is -1"),
        (("--deals", 1), "deals is 1"),
        (("--evaluator", "none", "--until", 5), "needs an evaluator"),
        (("--players", 3, "--deals", 5), "players"),
        (("--players", 1), "players is 1"),
        (("--stack", 10), "stacks"),
        (("--memory", 10), "0.00 GB"),
        (("--colour", "red"), "unknown option '--colour'"),
    ],
)
def test_refused(tefuda, tmp_path, options, told):
    assert told in " ".join(learn(tefuda, *options, code=2).stderr.split())
    assert not (tmp_path / "runs").exists()


def test_every_command_takes_the_run(tefuda):
    learn(tefuda, "--evaluator", "none", "--out", "run")
    assert last_json(tefuda("solve", "--resume", "run", "--iterations", 160, "--json"))["iterations"] == 160
    assert last_json(tefuda("evaluate", "run", "--json"))["evaluator"] == {"name": "none"}
    for option in ("--players", "--buckets"):
        refused = tefuda("solve", "--resume", "run", option, 3, code=2)
        assert f"{option} has no effect with --resume" in refused.stderr


def test_other_runs_are_refused(tefuda):
    tefuda("solve", "kuhn", "--iterations", 2, "--out", "kuhn")
    assert "not a run of buckets of hold'em" in tefuda("evaluate", "kuhn", "--deals", 5, code=2).stderr
    assert "contains no run" in tefuda("evaluate", "nowhere", "--deals", 5, code=2).stderr


def test_no_limit(tefuda):
    """Sizes of the table are options; lines have amounts; a table beyond the memory limit is refused."""
    table = ("holdem", "--stack", 200, "--opens", "2x,a", "--bets", "100%,a/100%/a", "--buckets", 1)
    solved = tefuda("solve", *table, "--iterations", 150, "--evaluator", "none", "--out", "run", "--json")
    saved = last_json(solved)
    assert saved["game_parameters"]["opens"] == "2x,a" and saved["method_parameters"]["every"] is None
    rules = td.load_game("holdem", **saved["game_parameters"]).rules
    size = betting_size(rules, read_menu("100%,a/100%/a", opens="2x,a"))
    assert f"{sum(size.nodes)} decisions, {size.rows((169, 1, 1, 1)):,} infoset-action pairs" in solved.stderr
    shown = last_json(tefuda("show", "run", "--line", "r20c/r40", "--board", "Qs Jh 2h", "--json"))
    assert [*shown["frequencies"]] == ["fold", "call", "raise 160", "allin 180"]
    assert "expected one of f, c, r40, r200" in tefuda("show", "run", "--line", "r20r100", code=2).stderr
    assert "Leave out" in tefuda("solve", *table, "--memory", 1e4, code=2).stderr
