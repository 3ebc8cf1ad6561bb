"""`tefuda hands --review`: the priced decisions, their sums, and refused options."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tefuda.apps.cli.shared.common import app
from tefuda.holdem.reviews import tasks

FOLDER = Path(__file__).parents[2] / "data" / "hands44"


def run(*words, file=""):
    return CliRunner().invoke(app, ["hands", str(FOLDER / file), *words])


@pytest.fixture
def coarse(monkeypatch):
    """Solve to 5 % of the pot only."""
    monkeypatch.setattr(tasks, "goal_of", lambda *_: 5.0)


def test_review_of_a_river(tmp_path, coarse):
    words = "--review", "--memory", "1MB", "--rake", "5%,3", "--out", str(tmp_path)
    review = json.loads(run(*words, "--json", file="02-pokerstars-heads-up-zoom.txt").stdout)["review"]
    check, call = review["decisions"]
    assert (check["action"], call["action"], call["best"], call["cost"]) == ("Check", "Call", "Call", 0)
    assert check["pot"] == 56 and call["line"] == "Check/AllIn(72bb)" and call["pot"] == 128
    assert review["unpriced"] == {"no preflop solution": 1, "memory": 3} and review["share_priced"] == 2 / 6
    text = run(*words, "--show", "1", "--png", str(tmp_path / "a.png"), file="02-pokerstars-heads-up-zoom.txt").stdout
    assert "2 decisions priced, 33.33 % of all" in text and "not priced: memory (3 decisions)" in text
    assert "picture in" in text and (tmp_path / "a.png").stat().st_size > 1000


def test_budget_and_player(tmp_path):
    words = "--review", "--out", str(tmp_path), "--budget", "0", "--json"
    assert json.loads(run(*words).stdout)["review"]["unpriced"]["budget"] > 5
    one = json.loads(run(*words, "--player", "Ash", "--where", "position=BTN").stdout)["review"]
    assert {decision["player"] for decision in one["decisions"]} <= {"Ash"}
    assert run(*words, "--player", "Nobody").exit_code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("--budget", "5m"), ("--review", "--budget", "5 days"), ("--review", "--budget", "-1"),
        ("--review", "--rake", "2"), ("--review", "--rake", ",3"), ("--review", "--by", "position"),
        ("--review", "--report"), ("--review", "--csv", "rows.csv"),
        ("--review", "--memory", "2TB"), ("--review", "--rake", "5%,x"), ("--review", "--ranges", "no such folder"),
    ],
)  # fmt: skip
def test_refused(words, tmp_path):
    result = run(*words, *(["--out", str(tmp_path)] if "--review" in words else []))
    assert result.exit_code in (1, 2) and "Traceback" not in result.output
