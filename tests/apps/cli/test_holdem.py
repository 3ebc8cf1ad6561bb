"""``tefuda holdem``: equities, ranges, push or fold, many boards."""

import pytest

from tefuda.holdem.cards import read_cards
from tefuda.holdem.equities import equity
from tests.apps.conftest import last_json
from tests.holdem.known_spots import TOY


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
