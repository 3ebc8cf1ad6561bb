"""Populations on the command line."""

from tests.apps.conftest import last_json


def test_populations_of_runs(tefuda):
    """Solved, resumed, and shown as a table of payoffs or as numbers of sequences."""
    tefuda("solve", "kuhn", "--method", "double-oracle", "--iterations", 4, "--out", "plans")
    done = last_json(tefuda("solve", "--resume", "plans", "--until", 1e-9, "--iterations", 30, "--json"))
    assert done["nash_conv"] <= 1e-9 and round(18 * done["values"][0], 6) == -1
    found = last_json(tefuda("evaluate", "plans", "--population", "--json"))
    rows, columns = map(len, found["weights"])
    assert len(found["payoffs"]) == 2 and all(len(row) == columns for row in found["payoffs"][0])
    assert (
        len(found["payoffs"][1]) == rows and "payoffs to player 0" in tefuda("evaluate", "plans", "--population").stdout
    )
    tefuda("solve", "kuhn", "--method", "xdo", "--over", "sequences", "--iterations", 9, "--out", "part")
    assert last_json(tefuda("evaluate", "part", "--population", "--json")) == {
        "game": "kuhn", "sequences": [12, 12], "of": [13, 13],
    }  # fmt: skip
    assert "sequences used" in tefuda("evaluate", "part", "--population").stdout


def test_wrong_options_say_what_to_do(tefuda):
    assert "sdo" in tefuda("evaluate", "kuhn", "--profile", "uniform", "--population", code=2).stderr
    tefuda("solve", "kuhn", "--iterations", 9, "--out", "run")
    assert "sdo" in tefuda("evaluate", "run", "--population", code=2).stderr
    assert "--correlation" in tefuda("evaluate", "run", "--population", "--correlation", code=2).stderr
    assert "two players" in tefuda("solve", "kuhn", "--players", 3, "--method", "sdo", code=2).stderr
    assert "over" in tefuda("solve", "kuhn", "--method", "xdo", "--over", "plans", code=2).stderr
