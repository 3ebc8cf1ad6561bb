"""``tefuda show RUN --line LINE`` on spots."""

import re

import pytest

from tests.apps.conftest import last_json
from tests.holdem.known_spots import TOY


def test_nodes_are_shown(tefuda, tmp_path):
    """`show` reads a saved run, finished or not, writes nothing, and agrees with the solution."""
    found = last_json(tefuda("solve", "spot", *TOY, "--iterations", 500, "--out", "run", "--json"))
    before = {one.name: one.read_bytes() for one in (tmp_path / "run").iterdir()}
    root = last_json(tefuda("show", "run", "--line", "root", "--json"))
    assert root["frequencies"] == found["frequencies"] and root["ev"] == pytest.approx(found["ev"])
    assert root["equity"] == pytest.approx([0.5, 0.5]) and found["equity"] == root["equity"]
    assert (root["exploitability_percent"], root["status"]) == (found["exploitability_percent"], "finished")
    facing = last_json(tefuda("show", "run", "--line", "AllIn(100)", "--hands", "--json"))
    assert (facing["pot"], facing["behind"], facing["player"], len(facing["hands"])) == (200, 0, "IP", 6)
    kings = facing["hands"][0]
    assert kings["action_evs"]["Fold"] == 0 and kings["probabilities"]["Call"] == pytest.approx(0.5, abs=0.02)
    shown = tefuda("show", "run", "--line", "AllIn(100)", "--hands", "--csv", "hands.csv").stdout
    assert "any of Fold, Call" in shown and "equity 66." in shown and "not unique" in shown
    assert (tmp_path / "hands.csv").read_text().splitlines()[
        0
    ] == "hand,class,reach,ev,equity,Fold,Call,ev Fold,ev Call"
    chart = tefuda("show", "run", "--line", "root").stdout
    assert "c Check, a AllIn(100)" in chart and " a │" in chart
    assert "60c is Check 60 % of the time" in chart
    assert re.search(r"│ +5\da │", chart), "half of the queens bet: the percent stands before the letter"
    assert "nothing is left to bet" in tefuda("show", "run", "--line", "Check/Check").stdout
    assert "is not an action there" in tefuda("show", "run", "--line", "Bet(7)", code=2).stderr
    assert "no run.json" in tefuda("show", "none", "--line", "root", code=2).stderr
    assert {one.name: one.read_bytes() for one in (tmp_path / "run").iterdir()} == before
