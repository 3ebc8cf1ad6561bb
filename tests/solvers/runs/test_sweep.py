"""Sweeps of methods and seeds: saved, resumed, and independent of workers."""

import csv
import dataclasses
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tefuda as td
from tefuda import workers
from tefuda.solvers.runs.sweep import sweep, write_curves
from tests.conftest import compiled

SMALL = td.find_method("nfsp-d", {"transitions": 500, "behaviour": 500, "min_rows": 50})


def test_the_curves_of_all_runs_are_in_one_file(tmp_path, in_threads):
    groups = sweep(compiled("kuhn"), ["external", "cfr+"], seeds=[2, 1], iterations=30, folder=tmp_path)
    with (tmp_path / "curves.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    expected = [(group, one.seed, point) for group in groups for one in group.solutions for point in one.curve]
    assert len(rows) == len(expected)
    for row, (group, seed, point) in zip(rows, expected, strict=True):
        assert (row["game"], row["method"], int(row["seed"])) == ("kuhn", group.method, seed)
        assert [float(row[name]) for name in point._fields] == list(point)


def probabilities(groups):
    return [solution.strategy.probabilities for group in groups for solution in group.solutions]


def test_workers_and_interruptions_do_not_change_a_sweep(tmp_path):
    """One process, two processes, and a sweep that is extended and repeated give the same runs."""
    tree, methods = compiled("kuhn"), ["external", SMALL]
    with ThreadPoolExecutor(1) as pool:
        one = sweep(tree, methods, seeds=[1, 2], iterations=700, folder=tmp_path / "a", workers=pool)
    two = sweep(tree, methods, seeds=[1, 2], iterations=700, folder=tmp_path / "b", workers=2)
    with ThreadPoolExecutor(2) as pool:
        sweep(tree, methods[1:], seeds=[2], iterations=300, folder=tmp_path / "c", workers=pool)
        told = []
        three = sweep(
            tree,
            methods,
            seeds=[1, 2],
            iterations=700,
            folder=tmp_path / "c",
            workers=pool,
            progress=told.append,
        )
        before = (tmp_path / "c" / "kuhn-external-1" / "run.json").stat().st_mtime_ns
        sweep(tree, methods, seeds=[1, 2], iterations=700, folder=tmp_path / "c", workers=pool)
    for other in (two, three):
        assert all(np.array_equal(a, b) for a, b in zip(probabilities(one), probabilities(other), strict=True))
    assert told[-1] == "4 of 4 runs, 2,800 iterations"
    assert (
        tmp_path / "c" / "kuhn-external-1" / "run.json"
    ).stat().st_mtime_ns == before  # already finished, not run again
    group = one[0]
    values = [solution.nash_conv for solution in group.solutions]
    assert (group.method, group.mean) == ("external", pytest.approx(np.mean(values)))
    assert group.deviation == pytest.approx(np.std(values, ddof=1))


def test_one_worker_is_this_process(tmp_path, monkeypatch):
    """A script without a main guard cannot start processes."""

    def pool(*_, **__):
        raise AssertionError("a pool was started")

    monkeypatch.setattr(workers, "ProcessPoolExecutor", pool)
    told = []
    found = sweep(compiled("kuhn"), ["cfr"], seeds=[1, 2], iterations=5, folder=tmp_path, progress=told.append)
    assert len(found[0].solutions) == 2 and told[-1] == "2 of 2 runs, 10 iterations"
    assert any(text.startswith("2 of 2 runs, kuhn-cfr-2: 5 iterations, NashConv 0.") for text in told)


def test_wrong_sweeps_are_refused(tmp_path):
    tree = compiled("kuhn")
    with pytest.raises(td.errors.ParameterError, match="different names"):
        sweep(tree, ["cfr", "cfr"], seeds=[1], iterations=10, folder=tmp_path)
    with ThreadPoolExecutor(1) as pool:
        sweep(tree, ["dcfr"], seeds=[1], iterations=10, folder=tmp_path, workers=pool)
        other = dataclasses.replace(td.METHODS["dcfr"], alpha=3.0)
        with pytest.raises(td.errors.RunError, match="another folder"):
            sweep(tree, [other], seeds=[1], iterations=20, folder=tmp_path, workers=pool)
        with pytest.raises(td.errors.RunError, match="run of 10 iterations, more than 5"):
            sweep(tree, ["cfr", "dcfr"], seeds=[1], iterations=5, folder=tmp_path, workers=pool)
        assert not (tmp_path / "kuhn-cfr-1").exists()  # no run was started
    with pytest.raises(td.errors.ParameterError, match="rule to stop"):
        sweep(tree, ["cfr"], seeds=[1], folder=tmp_path)


def test_several_games_and_every_rule_to_stop(tmp_path):
    """Games have names of the caller, and each rule stops every run."""
    games = {"two": compiled("kuhn"), "three (players)": compiled("kuhn", players=3)}
    groups = sweep(games, ["external", "outcome"], seeds=[3], nodes=2000, iterations=10**6, folder=tmp_path)
    names = [("two", "external"), ("two", "outcome"), ("three (players)", "external"), ("three (players)", "outcome")]
    assert [(group.game, group.method) for group in groups] == names
    assert [group.solutions[0].form.players for group in groups] == [2, 2, 3, 3]
    assert all(2000 <= group.solutions[0].nodes < 10_000 for group in groups)
    assert (tmp_path / "three_players-external-3" / "run.json").exists()
    until = sweep(games, ["cfr+"], seeds=[0], until=0.01, folder=tmp_path / "until")
    assert all(max(group.nash_conv) <= 0.01 and group.solutions[0].iterations < 1000 for group in until)
    seconds = sweep(games["two"], ["cfr"], seeds=[0], seconds=0.2, folder=tmp_path / "seconds")
    assert seconds[0].solutions[0].stop == "0.2 seconds"


def test_a_killed_file_of_curves_is_the_old_one(tmp_path, monkeypatch):
    """The table is written in another file, which replaces it."""
    groups = sweep(compiled("kuhn"), ["cfr"], seeds=[1], iterations=5, folder=tmp_path)
    before = (tmp_path / "curves.csv").read_bytes()

    def kill(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", kill)
    with pytest.raises(KeyboardInterrupt):
        write_curves([*groups, *groups], tmp_path / "curves.csv")
    assert (tmp_path / "curves.csv").read_bytes() == before and len(list(tmp_path.iterdir())) == 2
