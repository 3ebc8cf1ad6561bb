"""Networks in place of tables, with tiny settings: saved runs, unfinished claims, verdicts by hand."""

from types import SimpleNamespace

import pytest

from tefuda import settings
from tefuda.solvers.runs.sweep import Group
from tefuda_reproductions.catalogue import PAPERS
from tefuda_reproductions.papers import double_neural

NAMES = ["figures", "either alone", "attention", "sizes", "undrawn", "warm start", "costs"]
TINY = {"steps": 2, "average_steps": 2, "hidden": 4, "average_hidden": 4}


def tiny(method):
    return settings.with_options(
        method, {"traversals": min(method.traversals, 20), "warm_start": min(method.warm_start, 1), **TINY}
    )


def ended(*figures, name="x"):
    """Return a group of runs that ended with these figures."""
    return Group("leduc", name, tuple(SimpleNamespace(nash_conv=figure) for figure in figures))


@pytest.fixture
def small(monkeypatch):
    """The experiment on Kuhn and a stack of 2 chips, with networks of four units."""
    games = {"Leduc": ("kuhn", {}), "no-limit Leduc": ("nolimit_leduc", {"stack": 2})}
    monkeypatch.setattr(double_neural, "GAMES", games)
    for name in ("SIZES", "DRAWN", "WARM"):
        found = {key: tiny(method) for key, method in getattr(double_neural, name).items()}
        monkeypatch.setattr(double_neural, name, found)
    for name in ("BOTH", "ALONE", "ENCODERS"):
        monkeypatch.setattr(double_neural, name, tuple(map(tiny, getattr(double_neural, name))))
    monkeypatch.setattr(double_neural, "seconds", lambda simulator, method, iterations: [1.0, 2.0, 1.0])


@pytest.mark.deep
def test_double_neural_in_small(small, tmp_path, in_threads):
    """Every table exists, no claim is evaluated, and saved runs are not repeated."""
    table = PAPERS["double-neural"](iterations=10, seeds=2, folder=str(tmp_path))
    assert [one.name for one in table.tables] == NAMES
    names = ["003-c25", "003-c26", "003-q5", "003-q9", "003-q10"]
    assert [claim.name for claim in table.claims] == names and {claim.met for claim in table.claims} == {None}
    assert table.tables[0].published == ((None, None),) * 3 + ((0.06, None),)
    assert [row[3] for row in table.tables[-1].ours] == [0.75] * 4
    curves = [path for path in tmp_path.glob("*/*/curve.csv") if path.is_file()]
    runs = {path: path.stat().st_mtime_ns for path in curves}
    assert len(runs) == 6 + 3 * 2 + 12 + 4 + 2
    again = PAPERS["double-neural"](iterations=10, seeds=2, folder=str(tmp_path))
    assert [one.ours for one in again.tables] == [one.ours for one in table.tables]
    assert runs == {path: path.stat().st_mtime_ns for path in curves}


GRID = {(100, 8): 0.9, (100, 128): 0.5, (500, 128): 0.3, (2500, 8): 0.4, (2500, 32): 0.2, (2500, 128): 0.1}


def verdicts(both=0.02, attends=0.1, listed=0.9, best=0.1, share=0.9):
    """Return the verdict of each claim, for a whole experiment with these figures."""
    runs = double_neural.RunFolder(None, 100, 5, print)
    main = {game: [ended(0.015), ended(both)] for game in double_neural.GAMES}
    read = [ended(0.2, 0.21, 0.22), ended(0.2), ended(attends, attends + 0.01, attends + 0.02)]
    grid = dict.fromkeys(double_neural.SIZES, 0.5) | GRID | {(2500, 128): best, (2500, 0): 0.09}
    drawn = {(k, "nothing"): listed for k in (1, 2)} | {(k, "share"): 0.2 for k in (1, 2)}
    cost = SimpleNamespace(ours=((1, 1, 1, 0.3),) * 2 + ((1, 1, 1, share),) * 2)
    found = double_neural.Measurements(main, (), read, grid, drawn, ())
    return {one.name or one.published: one.met for one in double_neural.evaluated(runs, found, cost)}


def test_verdicts():
    """Each verdict depends on the figure it names."""
    every = verdicts()
    assert set(every.values()) == {True} and len(every) == 7
    for with_options, claims in (
        ({"both": 0.09}, {"003-c25", "0.02"}), ({"both": 0.025}, set()),
        ({"attends": 0.19}, {"003-c26"}), ({"listed": 0.39}, {"003-q5"}),
        ({"best": 0.15}, {"003-q10"}), ({"best": 0.25}, {"003-q10"}), ({"share": 0.4}, {"003-q9"}),
        ({"both": 0.25}, {"003-c25", "0.02", "0.06"}),
    ):  # fmt: skip
        assert {name for name, met in verdicts(**with_options).items() if not met} == claims, with_options


@pytest.mark.deep
def test_seconds_of_traversals_answers_and_fits():
    """Seconds of a real solver's parts, all of them positive."""
    tree = double_neural.compile_game(double_neural.load_game("kuhn"))
    method = tiny(double_neural.NETWORKS)
    parts = double_neural.seconds(double_neural.TreeSimulator(tree), method, 2)
    assert len(parts) == 3 and min(parts) > 0


def test_short_runs_refute_no_later_figure():
    """Exploitability .045 after 100 iterations decides nothing about .02 after 1,000 iterations."""
    main = {game: [ended(0.01), ended(0.09)] for game in double_neural.GAMES}
    for iterations, met in ((100, [True, None]), (1000, [True, False])):
        runs = double_neural.RunFolder(None, iterations, 5, print)
        assert [one.met for one in double_neural.against_published(runs, main)] == met * 2
