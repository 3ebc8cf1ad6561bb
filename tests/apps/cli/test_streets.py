"""Solved spots of hold'em on the command line."""

import re

import pytest

from tefuda.holdem.cards import read_cards
from tefuda.holdem.equities import equity
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


TURN = ("--board", "2c2d2h3c", "--pot", 100, "--stack", 100, "--oop", "AA,QQ", "--ip", "KK", "--bets", "a")


def test_streets_are_re_solved(tefuda):
    """The toy river after an approximate turn, with the same and finer sizes; no gain, no change."""
    tefuda("solve", "spot", *TURN, "--iterations", 3, "--out", "run")
    found = last_json(tefuda("resolve", "run", "--line", "Check/Check/3d", "--json"))
    assert [one["player"] for one in found["players"]] == ["OOP", "IP"] and found["node"]["street"] == "river"
    assert all(one["margin"] >= -1e-12 for one in found["players"]) and found["players"][0]["accepted"]
    options = ("--line", "Check/Check/3d", "--bets", "50,a", "--gadget", "cfr-d", "--at", "Bet(50)")
    shown = tefuda("resolve", "run", *options, "--iterations", 50).stdout
    assert "IP: f Fold, c Call" in shown and "OOP by cfr-d: the opponent's hands lose" in shown
    long = ("--iterations", "1e12", "--at", "Bet(7)")  # refused before solving, which would never end
    assert "is not an action there" in tefuda("resolve", "run", "--line", "Check/Check/3d", *long, code=2).stderr
    assert "no street starts" in tefuda("resolve", "run", "--line", "Check", code=2).stderr
    assert "gadget is 'reach'" in tefuda("resolve", "run", "--line", "x", "--gadget", "reach", code=2).stderr


BATCH = ("--pot", 100, "--stack", 100, "--oop", "AA,QQ", "--ip", "KK,KdKh", "--bets", "a", "--iterations", 200)


def test_many_boards(tefuda, tmp_path):
    """Three boards give the same results as alone; a second call solves nothing.

    Means are weighted by weight times pairs: on Kh 3h 2h 5c 9s three hands of KK are possible,
    otherwise six.
    """
    boards = ("--boards", "Ts3h2h5c9s; Kh 3h 2h 5c 9s; 2c2d2h3c3d:3", "--out", "all")
    found = last_json(tefuda("holdem", "batch", *BATCH, *boards, "--json"))
    alone = last_json(tefuda("solve", "spot", *TOY, "--iterations", 200, "--json"))
    assert [one["board"] for one in found["boards"]] == ["Ts 3h 2h 5c 9s", "Kh 3h 2h 5c 9s", "2c 2d 2h 3c 3d"]
    assert found["boards"][0]["ev"] == alone["ev"] and found["boards"][0]["frequencies"] == alone["frequencies"]
    wanted = sum(one["ev"][0] * weight for one, weight in zip(found["boards"], (2, 1, 6), strict=True)) / 9
    assert found["means"]["ev"][0] == pytest.approx(wanted)
    kept = {one: one.stat().st_mtime_ns for one in (tmp_path / "all").rglob("*.npz")}
    assert len(kept) == 3 * 1 or len(kept) == 3 * 2
    shown = tefuda("holdem", "batch", *BATCH, *boards).stdout
    assert "mean of 3" in shown and "Ts3h2h5c9s" in shown and "expl. %" in shown and "exploitability (" in shown
    assert kept == {one: one.stat().st_mtime_ns for one in (tmp_path / "all").rglob("*.npz")}
    assert (
        last_json(tefuda("show", "all/Ts3h2h5c9s", "--line", "root", "--json"))["frequencies"] == alone["frequencies"]
    )
    assert "another spot" in tefuda("holdem", "batch", *BATCH, "--stack", 50, *boards, code=2).stderr
    refused = tefuda("holdem", "batch", *BATCH, "--boards", "Ts3h2h; KhKdXc", code=2).stderr.splitlines()
    assert refused[-2:] == ["  KhKdXc", "      ^^"]
    (tmp_path / "file").write_text("x")
    place = ("--boards", "Ts3h2h5c9s", "--out", "file")
    assert "cannot write" in tefuda("holdem", "batch", *BATCH, *place, code=2).stderr
    only = tefuda("holdem", "batch", *BATCH, "--boards", "Kh 3h 2h 5c 9s", "--out", "one", code=2)
    assert "'KdKh' is impossible" in only.stderr


def test_boards_of_a_file_without_a_board(tefuda, tmp_path):
    """``--boards`` names the boards; a rake without a cap is taken on each, 5 % of 100 or 300 chips."""
    text = "pot=100\nstack=100\noop=AA,QQ\nip=KK\nriver_bet=a\nriver_raise=a\nrake_rate=0.05\n"
    (tmp_path / "spot.txt").write_text(text)
    boards = ("--boards", "Ts3h2h5c9s; 2c2d2h3c3d", "--until", 0.5, "--out", "all")
    found = last_json(tefuda("holdem", "batch", "--spot", "spot.txt", *boards, "--json"))
    assert found["boards"][0]["ev"] == pytest.approx([69.42, 21.82], abs=0.5)
    assert "spot.txt" in tefuda("solve", "spot", "--spot", "spot.txt", code=2).stderr
    (tmp_path / "spot.txt").write_text(f"{text}turn_bet=50%\nboard=Ts 3h 2h 5c 9s\n")
    turn = ("--boards", "2c2d2h3c", "--iterations", 1, "--out", "turns", "--json")
    found = last_json(tefuda("holdem", "batch", "--spot", "spot.txt", *turn))
    assert set(found["boards"][0]["frequencies"]) == {"Check", "Bet(50)"}  # sizes before the file's street count


def test_all_flops(tefuda):
    """Flops of 12 cards, for ranges that distinguish suits; the mean equity is that of all boards."""
    deck = "".join(rank + suit for rank in "AKQ" for suit in "shdc")
    spot = ("--pot", 100, "--stack", 100, "--oop", "AsKs", "--ip", "QhQd", "--bets", "", "--set", f"deck={deck}")
    boards = ("--boards", "flops", "--figures-only", "--out", "all", "--iterations", 1)
    found = last_json(tefuda("holdem", "batch", *spot, *boards, "--json"))
    exact = equity("AsKs", "QhQd", deck=read_cards(deck)).first
    assert found["means"]["equity"][0] == pytest.approx(exact)
    assert found["means"]["ev"] == pytest.approx([100 * exact, 100 - 100 * exact])
    assert sum(one["weight"] for one in found["boards"]) == 56 > len(found["boards"])  # flops without these four cards


def test_depth_limited_solving(tefuda, tmp_path):
    text = "board=2c2d2h3c\npot=100\nstack=100\noop=AA,QQ\nip=KK\nturn_bet=a\nriver_bet=a\n"
    (tmp_path / "turn.txt").write_text(text)
    options = ("resolve", "spot", "--cut", "deal", "--spot", "turn.txt", "--iterations", 150, "--below", 150)
    solved, rough = (last_json(tefuda(*options, "--leaves", one, "--json")) for one in ("solved", "checked-down"))
    assert solved["exploitability_percent"] < rough["exploitability_percent"] and solved["node"]["street"] == "turn"
    assert "exploitability of the strategy" in tefuda(*options, "--leaves", "checked-down").stdout
    assert "is not an action there" in tefuda(*options, "--at", "Bet(3)", code=2).stderr
    assert "--below has no effect" in tefuda(*options, "--leaves", "net", code=2).stderr
    assert "cut is '1'" in tefuda(*options, "--cut", "1", code=2).stderr
    rough = ("--leaves", "checked-down")
    assert "--each has no effect with" in tefuda(*options, *rough, "--each", 3, code=2).stderr
    assert "gadget is 'cfr-d'" in tefuda(*options, "--gadget", "cfr-d", code=2).stderr
    (tmp_path / "turn.txt").write_text(text + "rake_rate=0.1\nrake_cap=5\nlock=root = Check AA\n")
    assert "--gadget unsafe" in tefuda(*options, code=2).stderr
    found = last_json(tefuda(*options, *rough, "--gadget", "unsafe", "--json"))
    assert 93 < sum(found["ev"]) < 95 and found["node"]["frequencies"]["Check"] >= 0.5  # AA has half of the weight
