"""``tefuda holdem``: equities, ranges, push or fold, many boards."""

import pytest

from tefuda.holdem.cards import read_cards
from tefuda.holdem.equities import equity
from tests.apps.conftest import last_json
from tests.holdem.known_spots import TOY
from tests.holdem.preflop.small_deck import small_deals


def test_equities(tefuda):
    found = last_json(tefuda("holdem", "equity", "AA", "KK", "--json"))
    assert found["equity"] == pytest.approx([0.81946050, 0.18053950], abs=1e-8) and found["total"] == 61_642_944
    options = ("AsKs", "QhQd", "--board", "Js Ts 2c")
    assert "56.0606 %" in tefuda("holdem", "equity", *options).stdout
    drawn = last_json(tefuda("holdem", "equity", *options, "--samples", "1e2", "--seed", 1, "--json"))
    assert abs(drawn["equity"][0] - 37 / 66) < 2 * drawn["half_width"] and 0 < drawn["total"] <= 100
    refused = tefuda("holdem", "equity", "AA", "KK,KX", code=2)
    assert refused.stderr.splitlines()[-2:] == ["  KK,KX", "     ^^"]
    assert (
        "--seed has no effect without --samples" in tefuda("holdem", "equity", "AA", "KK", "--seed", 1, code=2).stderr
    )


def test_ranges(tefuda):
    shown = tefuda("holdem", "range", "22+,A2s+,KQo:0.5,AsKh").stdout
    assert "133 hands, 10.03 % of all hands: 22+,A2s+,AsKh,KQo:0.5" in shown and " 50% " in shown and " 8% " in shown
    found = last_json(tefuda("holdem", "range", "KQo:0.5,AsKh", "--json"))
    assert found["hands"] == 7 and found["classes"]["KQo"] == 0.5 and found["classes"]["AKs"] == 0


def test_push_or_fold(tefuda):
    found = last_json(tefuda("holdem", "pushfold", "--stack", 10, "--json"))
    assert found["value"] == pytest.approx(-0.045371, abs=1e-6) and found["nash_conv"] < 1e-9
    assert found["push_percent"] == pytest.approx(58.28, abs=0.01) and found["call"].startswith("22+")
    shown = tefuda("holdem", "pushfold", "--stack", 10).stdout
    assert "small blind: all-in, 58.28 %" in shown and "71%" in shown and "-0.045371" in shown
    assert "stack is 0.5" in tefuda("holdem", "pushfold", "--stack", 0.5, code=2).stderr


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


def test_values_of_stacks(tefuda):
    table = ("holdem", "icm", "--stacks", "4000,3000,2000,1000", "--payouts", "50,30,20")
    found = last_json(tefuda(*table, "--json"))
    assert found["values"] == pytest.approx([2117 / 63, 2477 / 84, 1486 / 63, 373 / 28])
    assert found["bubble_factors"][2][0] == pytest.approx(1486 / 631) and found["bubble_factors"][1][1] is None
    exact = last_json(tefuda(*table, "--exact", "--json"))
    assert exact["values"][0] == "2117/63" and exact["bubble_factors"][0][2] == "631/481"
    shown = tefuda(*table).stdout
    assert "33.6032" in shown and "2.3550" in shown and "40.00 %" in shown
    out = last_json(tefuda("holdem", "icm", "--stacks", "5,0,3", "--payouts", "5,3,2", "--exact", "--json"))
    assert out["players"] == [1, 3] and out["values"] == ["17/4", "2", "15/4"]
    many = ("holdem", "icm", "--stacks", ",".join(["10"] * 30), "--payouts", "5,3,2", "--samples", 100)
    sampled = last_json(tefuda(*many, "--json"))
    assert sampled["bubble_factors"] == [] and max(sampled["half_widths"]) > 0 and "±" in tefuda(*many).stdout
    for options in (("--payouts", "50,x"), ("--payouts", "30,50"), ("--samples", 100), ("--stacks", "1,-2,3,4")):
        assert options[0] in tefuda(*table, *options, code=2).stderr


def test_stacks_of_two_players(tefuda):
    stacks = ("--stacks", "3000,2000", "--blinds", "100,200", "--payouts", "65,35")
    found = last_json(tefuda("holdem", "pushfold", *stacks, "--json"))
    assert found["stack"] == 10 and found["value"] == pytest.approx(-0.045371, abs=1e-6)
    assert found["values"] == pytest.approx([52.9456, 47.0544], abs=1e-4)
    assert "52.9456" in tefuda("holdem", "pushfold", *stacks).stdout
    refused = (("--stack", 9, "--stacks", "9,9"), (), ("--stack", 9, "--blinds", "1,2"), ("--stacks", "9,9,9,9"))
    for options in refused:
        assert "stack" in tefuda("holdem", "pushfold", *options, code=2).stderr


def test_three_players(tefuda, monkeypatch):
    """The command with twelve cards; of the whole deck it takes minutes."""
    monkeypatch.setattr("tefuda.holdem.preflop.pushfold.all_deals", lambda notify: small_deals())
    found = last_json(tefuda("holdem", "pushfold", "--stacks", "5,5,5", "--json"))
    assert found["values"] == pytest.approx([871 / 2520, -7 / 36, -127 / 840], abs=1e-3)
    assert found["nash_conv"] < 2e-5 and found["decisions"][1]["range"] == "AA"
    shown = tefuda("holdem", "pushfold", "--stacks", "5,5,5", "--payouts", "50,30,20").stdout
    assert "BB calls BTN and SB" in shown and "BTN 34.21" in shown and "NashConv" in shown


def test_limps_and_raises(tefuda):
    found = last_json(tefuda("holdem", "preflop", "--stack", 10, "--raise", 2, "--json"))
    assert found["value"] == pytest.approx(-0.044747, abs=1e-6)
    assert found["decisions"][0]["percent"]["Raise(2)"] == pytest.approx(2.88, abs=0.01)
    assert [one["line"] for one in found["decisions"]] == ["", "Raise(2)", "Raise(2)/AllIn", "AllIn"]
    shown = tefuda("holdem", "preflop", "--stack", 10, "--limp").stdout
    assert "Limp 24.48 %" in shown and "-0.025673" in shown and "checked down" in shown
    assert "--stack" in tefuda("holdem", "preflop", "--stack", 16, code=2).stderr
    assert "--raise" in tefuda("holdem", "preflop", "--stack", 10, "--raise", 1.5, code=2).stderr
