"""`tefuda hands` on hand histories: the report of a player, its groups, filters and files."""

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tefuda.apps.cli.shared.common import app
from tefuda.holdem import read_histories

FOLDER = Path(__file__).parents[2] / "data" / "hands44"
EXPECTED = json.loads((FOLDER / "statistics.json").read_text(encoding="utf-8"))


def run(*words):
    return CliRunner().invoke(app, ["hands", str(FOLDER), *words])


def data(*words):
    return json.loads(run(*words, "--json").stdout)["report"]


def test_report_as_data():
    report = data("--player", "Ash", "--by", "position")
    total = report["total"]
    assert [total["counts"]["vpip"][name] for name in ("made", "opportunities")] == EXPECTED["vpip"]
    assert round(total["adjusted_bb"], 4) == EXPECTED["all_in_adjusted_bb"]
    assert [group["name"] for group in report["groups"]] == ["HJ", "CO", "BTN", "SB", "BB"]
    assert sum(group["net_bb"] for group in report["groups"]) == pytest.approx(EXPECTED["net_bb"])


def test_report_in_words():
    text = run("--player", "Ash", "--by", "pot", "--show", "2").stdout
    assert "13 cash hands: +231.86 bb, all-in adjusted +217.58; without showdown -1.00, with showdown +232.86" in text
    assert "WTSD with run-outs" in text and "shares in percent" in text and "9000000901" in text
    assert "hero: 18 hands" in run("--report").stdout


def test_conditions():
    report = data("--player", "Ash", "--where", "position=BTN pot=3bet", "--show", "9")
    assert report["total"]["hands"] == 4 and report["where"] == "position=BTN pot=3bet"
    assert report["largest"][0]["number"] == "9000001101"
    assert "no hand meets the conditions" in run("--where", "result>100000").stdout
    assert run("--where", "position=BTN colour=red").exit_code == 2


def test_files(tmp_path):
    table, picture = tmp_path / "hands.csv", tmp_path / "graph.svg"
    assert run("--player", "Ash", "--csv", str(table), "--png", str(picture)).exit_code == 0
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 15 and sum(float(row["net_bb"]) for row in rows) == pytest.approx(231.86 - 2.125 + 7.375)
    assert "all-in adjusted" in picture.read_text(encoding="utf-8")


def test_without_an_option_winnings_are_reported():
    assert "report" not in json.loads(run("--json").stdout)


@pytest.mark.parametrize(
    "words",
    [
        ("--player", "Nobody"), ("--by", "colour"), ("--show", "-1"), ("--over", "days"),
        ("--over", "weeks", "--png", "x.svg"),
    ],
)  # fmt: skip
def test_wrong_options(words):
    assert run(*words).exit_code == 2


def test_options_of_other_games(tmp_path):
    file = tmp_path / "hands.jsonl"
    assert CliRunner().invoke(
        app, ["match", "kuhn", "--agents", "uniform,uniform", "--deals", "2", "--record", str(file)]
    )
    shown = CliRunner().invoke(app, ["hands", "kuhn", str(file), "--report"])
    assert shown.exit_code == 2 and "--report" in shown.stderr


def hands(*words):
    return CliRunner().invoke(app, ["hands", *map(str, words)])


def test_a_store(tmp_path):
    """Imported once, reported without files; exports obey the conditions."""
    done = json.loads(hands(FOLDER, "--store", tmp_path / "s", "--json").stdout)
    assert done["import"] == {"added": 18, "repeated": 0, "known_files": 0} and done["hands"] == 18
    again = hands(FOLDER, "--store", tmp_path / "s").stdout
    assert "0 added" in again and "14 files were read before" in again
    assert {hands("--store", tmp_path / "s", option).exit_code for option in ("--strict", "--time-zone=CET")} == {2}
    report = json.loads(hands("--store", tmp_path / "s", "--player", "Ash", "--json").stdout)["report"]
    assert report == data("--player", "Ash") | {"where": ""} and report["variance"]["sessions"] == 9
    out = hands("--store", tmp_path / "s", "--export", tmp_path / "some.txt", "--where", "pot=3bet", "--player", "Ash")
    assert f"{len(read_histories(tmp_path / 'some.txt'))} hands written" in out.stdout
    assert "Ash" not in (tmp_path / "some.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words",
    [
        ("--store", "none"), (), ("--store", "none", "nothing.txt"), (FOLDER, "--export", "hands.csv"),
        (FOLDER, "--names"), ("kuhn", "--store", "none"), ("gone.txt",), ("gone", "away"), ("gone", FOLDER),
    ],
)  # fmt: skip
def test_wrong_uses_of_stores_and_exports(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = hands(*words)
    assert shown.exit_code == 2 and not (tmp_path / "none").exists()
    assert "unknown game" not in shown.stderr
