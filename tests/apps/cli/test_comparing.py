"""Comparisons on the command line: tables, files, runs that are not repeated."""

import csv
import json

import pytest

from tests.apps.conftest import last_json

WORDS = ("compare", "kuhn", "--methods", "external,cfr+", "--seeds", "2", "--iterations", "2e3", "--out", "kept")


def test_runs_of_a_comparison_are_not_repeated(tefuda, tmp_path, in_threads):
    found = last_json(tefuda(*WORDS, "--json"))
    assert found["folder"] == "kept"
    assert [(group["game"], group["method"], len(group["runs"])) for group in found["groups"]] == [
        ("kuhn", "external", 2), ("kuhn", "cfr+", 2),
    ]  # fmt: skip
    assert found["groups"][1]["deviation"] == 0.0
    assert [run["seed"] for run in found["groups"][0]["runs"]] == [1, 2]
    assert "medians of 2 runs" in tefuda(*WORDS).stdout
    assert last_json(tefuda(*WORDS, "--json")) == found
    (alone,) = last_json(tefuda(*WORDS[:4], "--seeds", "2,", *WORDS[6:], "--json"))["groups"][0]["runs"]
    assert alone == found["groups"][0]["runs"][1]


def test_files_of_a_comparison(tefuda, tmp_path, in_threads):
    """The CSV has all points, the LaTeX table a row and the picture a line for each game and method."""
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    games = ("kuhn", "kuhn(players=3)")
    options = ("--methods", "cfr+,external", "--until", "1e-3", "--seconds", "0.1")
    files = ("--csv", "a.csv", "--latex", "a.tex", "--png", "a.svg")
    tefuda("compare", *games, *options, *files, "--nodes", "10", code=2)
    assert not list(tmp_path.iterdir())
    result = tefuda("compare", *games, *options, *files, "--json")
    groups = json.loads(result.stdout)["groups"]
    with (tmp_path / "a.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    points = [
        {"game": group["game"], "method": group["method"], "seed": run["seed"], **point}
        for group in groups
        for run in group["runs"]
        for point in run["curve"]
    ]
    assert rows == [{name: str(value) for name, value in point.items()} for point in points]
    lines = (tmp_path / "a.tex").read_text().splitlines()
    assert lines[0].startswith(r"\begin{tabular}{llr") and lines[-1] == r"\end{tabular}"
    assert lines[1].startswith("game & method & to 1e-3 & iterations & seconds") and lines[2] == r"\hline"
    assert [line.split(" & ")[:2] for line in lines[3:-1]] == [
        [game, method] for game in games for method in ("cfr+", "external")
    ]
    assert "kuhn(players=3) external" in (tmp_path / "a.svg").read_text()
    assert len(list((tmp_path / "runs" / "compare-kuhn-kuhn_players_3-1").glob("*/run.json"))) == 4


@pytest.mark.parametrize("method", ["lp", "sdo", "psro", "double-oracle"])
def test_methods_that_cannot_solve_a_game_are_refused_before_any_run(tefuda, tmp_path, in_threads, method):
    refused = tefuda("compare", "kuhn", "--players", "3", "--methods", f"external,{method}", "--iterations", 9, code=2)
    assert "two players" in refused.stderr and not list(tmp_path.rglob("run.json"))
