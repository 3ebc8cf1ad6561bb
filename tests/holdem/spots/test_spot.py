"""Spots from text and files, errors, and sizes."""

from math import inf

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.betting import Street, read_sizes
from tefuda.holdem.spots.contexts import list_contexts
from tefuda.holdem.spots.size import default_sizes, predict, size_of
from tefuda.holdem.spots.spot import make_spot, read_spot
from tests.holdem.known_spots import needs_data, result_of, spot_of, tiny

GIVEN = {"board": "Qs Jh 2h 8d 3c", "pot": 100, "stack": 400, "oop": "QQ,AKs", "ip": "KK,JTs:0.5"}


@needs_data
@pytest.mark.parametrize("name", ["river_std", "river_std_rake", "river_any", "turn_std"])
def test_files_of_other_programs(name):
    spot, given = spot_of(name), result_of(name)
    assert spot.pairs == given["total_matchup_weight"]
    assert [int((w > 0).sum()) for w in spot.weights] == given["n_hands"]
    assert (spot.rake_rate, float(spot.rake(100.0)), float(spot.rake(500.0))) == (
        (0.05, 10, 30) if "rake" in name else (0, 0, 0)
    )
    size = size_of(spot)
    assert size.decisions == given["decision_nodes"] and list(size.hands) == given["n_hands"]
    assert (
        size.bytes()
        == {"river": {292: 137_360, 1081: 276_736}, "turn": {299: 15_631_280}}[name.split("_")[0]][size.hands[0]]
    )  # the page's formula, exact


@pytest.mark.parametrize(
    "oop, ip, pairs", [("AA", "AA", 6), ("AA", "AKs", 12), ("AsAh,KK:0.5", "AsAh:0.5,KsKh", 1 + 1.5 + 0.5)]
)
def test_pairs_that_can_meet(oop, ip, pairs):
    """AA meets one AA each, AKs of the two other suits; KK:0.5 meets AsAh:0.5 six times and KsKh once."""
    assert make_spot("Qs Jh 2h 8d 3c", 100, 400, oop, ip).pairs == pytest.approx(pairs, abs=1e-12)


@pytest.mark.parametrize("pot, rake", [(40, 2.0), (200, 10.0), (1000, 12.0)])
def test_rakes_are_of_the_pot_and_capped(pot, rake):
    assert float(make_spot(**GIVEN, rake_rate=0.05, rake_cap=12).rake(pot / 2)) == rake


def test_texts_rebuild_a_spot():
    spot = make_spot(**GIVEN, river_raise="2.5x,a", river_donk="10%", cap=3, rake_rate=0.1, rake_cap=4, merging=0.1)
    again = make_spot(**{k: v for k, v in spot.texts().items() if k != "more"}, **spot.texts()["more"])
    assert again.texts() == spot.texts() and again.betting.streets[2] == spot.betting.streets[2]
    assert (again.rake_rate, again.rake_cap, again.betting.cap) == (0.1, 4, 3)
    start = make_spot(**GIVEN, river_donk="10%", aggressor="ip")
    assert (
        make_spot(**GIVEN, **{"river_donk": "10%", "aggressor": start.texts()["more"]["aggressor"]}).betting
        == start.betting
    )
    assert tiny().texts()["more"]["deck"] == "2c 3c 4c 5c 2d 3d 4d 2h 3h 4h"


WIDE = {
    "oop": "22-99,A2s-AJs,K5s-KJs,Q7s-QTs,J7s+,T7s+,96s+,86s+,75s+,64s+,54s,A8o-AJo,KTo-KJo,QTo+,JTo,T9o",
    "ip": "22+,A2s+,K4s+,Q6s+,J7s+,T7s+,97s+,86s+,76s,65s,54s,A4o+,K9o+,Q9o+,J9o+,T9o",
}  # fmt: skip


@pytest.mark.parametrize(
    "board, pot, gigabytes",
    [("Qs7h2d4cJh", 55, 0.00038), ("Qs7h2d4c", 55, 0.197), ("Qs7h2d", 55, 0.803), ("Qs7h2d", 165, 3.981)],
)
def test_default_sizes_fit_into_memory(board, pot, gigabytes):
    """The memory is that of the table of docs/holdem.md; two sizes where the stack is below 6 pots."""
    street = len(board) // 2 - 3
    spot = make_spot(board, pot, 975, **WIDE, **default_sizes(street, pot, 975))
    assert size_of(spot).bytes() == pytest.approx(1e9 * gigabytes, rel=0.01)
    assert len(spot.betting.streets[street].bets) == {(2, 55): 4, (1, 55): 3, (0, 55): 1, (0, 165): 2}[street, pot]


def test_sizes_of_one_player():
    """``oop_`` and ``ip_`` precede the sizes of both; a bare ``e`` has as many parts as streets are left."""
    spot = make_spot(
        **{**GIVEN, "board": "Qs Jh 2h"}, bets="e", raises="50%", ip_turn_bet="a", oop_river_bet="30%", turn_donk="20%"
    )
    flop, turn, river = spot.betting.streets
    assert (flop.bets, flop.ip) == (read_sizes("3e"), None)
    assert (turn.bets, turn.donks) == (read_sizes("2e"), read_sizes("20%"))
    assert turn.ip == Street(read_sizes("a"), read_sizes("50%"))
    assert (river.bets, river.ip.bets) == (read_sizes("30%"), read_sizes("1e"))
    texts = spot.texts()
    again = make_spot(**{k: v for k, v in texts.items() if k != "more"}, **texts["more"])
    assert again.betting == spot.betting and again.texts() == texts
    same = make_spot(**GIVEN, oop_river_bet="50%", ip_river_bet="50%", river_bet="70%", bets="", raises="")
    assert same.betting.streets[2] == Street(read_sizes("50%"))
    with pytest.raises(td.errors.ParameterError) as caught:
        make_spot(**GIVEN, oop_river_bet="50%", ip_river_bet="50%", river_bet="70q")
    assert caught.value.key == "river_bet"


def test_isomorphic_boards_are_one():
    def size(board, ranges="22+,A2+", **more):
        return size_of(make_spot(board, 100, 100, ranges, ranges, "a", "a", **more))

    monotone, rainbow = size("Qs Js 2s"), size("Qs Jh 2d")
    assert monotone.all_boards == rainbow.all_boards == 1 + 49 + 49 * 48
    # Cards beside Qs Js 2s up to renaming the other suits: 10 spades and 13 ranks; below a spade 9 + 13, else 10
    # spades, 12 ranks of that suit, 13 of the other two.
    assert monotone.boards == 1 + 23 + 10 * 22 + 13 * (10 + 12 + 13) and rainbow.boards == rainbow.all_boards
    assert size("Qs Js 2s", "22+,A2+,KsKh:0.5").boards > monotone.boards
    whole = tiny(
        oop="44,43", ip="33,32", deck="2c3c4c5c2d3d4d5d2h3h4h"
    )  # 5d has no counterpart: suits are not isomorphic
    assert size_of(whole).boards == 1 + 8 + 8 * 7 and size_of(tiny(oop="44,43", ip="33,32")).boards < 1 + 7 + 7 * 6
    spot = make_spot("Qs Js 2s", 100, 100, "22+", "22+", "a", "a")
    assert len(list_contexts(spot, isomorphism=False)) == size_of(spot, False).boards == 1 + 49 + 49 * 48


@pytest.mark.parametrize(
    "changes, key",
    [
        ({"board": "Qs Jh"}, "board"),
        ({"board": "Qs Jh 2h 8d 3c 4c"}, "board"),
        ({"board": "Qs Jh Xh"}, "board"),
        ({"oop": "QsQh,QsQd"}, "oop"),
        ({"ip": "AsAh", "oop": "AsAh,AsAd"}, "ip"),
        (
            {"oop": "AsKh", "ip": "AsQd:0.2,AsTs:0.94,KhQd:0.37,KhTs:0.11,AsTd:0.63,Kh7c:0.93"},
            "ip",
        ),  # to rounding
        ({"stack": -5}, "stack"),
        ({"pot": 0}, "pot"),
        ({"river_bet": "70q"}, "river_bet"),
        ({"river_bets": "70"}, "key of a spot"),
        ({"oop": "QQ,KX"}, "oop"),
        ({"rake_rate": 1.5}, "rake_rate"),
        ({"deck": "As Ah Ad"}, "board"),
        ({"deck": "Qs Jh 2h 8d 3c Qc Qd Ks"}, "deck"),
    ],
)
def test_refused(changes, key):
    with pytest.raises(td.InputError) as caught:
        make_spot(**{**GIVEN, **changes})
    assert caught.value.key == key


@pytest.mark.parametrize(
    "changes, text, place",
    [
        ({"board": "Qs Jh 2h 8d 8d"}, "Qs Jh 2h 8d 8d", "            ^^"),
        ({"board": "Qs Jh"}, "board=Qs Jh", "      ^^^^^"),
        ({"oop": "AA,AsQs,KK"}, "AA,AsQs,KK", "   ^^^^"),
        ({"ip": "AA,5c4c,jhjc:0.3"}, "AA,5c4c,jhjc:0.3", "        ^^^^"),
        ({"ip": "AA,[50]10cJh[/50]"}, "AA,[50]10cJh[/50]", "       ^^^^^"),
        ({"oop": ""}, "", "^"),
        ({"oop": "AA:0"}, "AA:0", "^^^^"),
        ({"ip": "QsQh,QsQd"}, "ip=QsQh,QsQd", "   ^^^^^^^^^"),
        ({"oop": "AsAh", "ip": "AsAh,AsAd"}, "ip=AsAh,AsAd", "   ^^^^^^^^^"),
        ({"bets": "50%,70q,a"}, "50%,70q,a", "    ^^^"),
        ({"river_raise": "0.5x"}, "0.5x", "^^^^"),
        ({"stack": -5}, "stack=-5", "      ^^"),
        ({"stack": 1.5}, "stack=1.5", "      ^^^"),
        ({"pot": 16.4, "stack": 91.8}, "pot=16.4", "    ^^^^"),
        ({"stack": "all"}, "stack=all", "      ^^^"),
        ({"pot": 0}, "pot=0", "    ^"),
        ({"cap": -1}, "cap=-1", "    ^^"),
        ({"rake_rate": float("nan")}, "rake_rate=nan", "          ^^^"),
        ({"deck": "As Ah"}, "board=Qs Jh 2h 8d 3c", "      ^^^^^^^^^^^^^^"),
        ({"aggressor": "me"}, "aggressor=me", "          ^^"),
    ],
)
def test_the_place_of_a_fault_is_marked(changes, text, place):
    """Errors on overlapping cards, empty ranges, bad sizes and impossible chips mark the text."""
    with pytest.raises(td.errors.ParameterError) as caught:
        make_spot(**{**GIVEN, **changes})
    start, stop = caught.value.position
    assert caught.value.text == text and (start, max(stop, start + 1)) == (place.count(" "), len(place))


def test_files_name_the_line_and_mark_the_place(tmp_path):
    text = "board=Qs Jh 2h\npot=10\nstack=20\noop=AA,QsQd\nip=KK\n"
    (tmp_path / "spot.txt").write_text(text)
    with pytest.raises(td.errors.ParameterError, match="line") as caught:
        read_spot(tmp_path / "spot.txt")
    assert (caught.value.key, caught.value.value, caught.value.position) == ("oop", "QsQd", (3, 7))
    (tmp_path / "spot.txt").write_text(text.replace("20", "-20").replace(",QsQd", ""))
    with pytest.raises(td.errors.ParameterError, match="line"):
        read_spot(tmp_path / "spot.txt")


@pytest.mark.parametrize("seed", range(3))
def test_edits_at_random_are_read_or_refused(tmp_path, seed):
    """Any text gives a spot whose text rebuilds it, or a library error."""
    rng = np.random.default_rng(seed)
    letters = list("AKQJT98765432cdhso,.:%xa+-* =#\n\0é-10")
    plain = (
        "board=Qs Jh 2h 8d 3c\npot=100\nstack=400\noop=QQ,AKs:0.5,AhKh\nip=22+,JTs\nriver_bet=50%,a\nrake_rate=0.1\n"
    )
    refused = 0
    for _ in range(60):
        text = list(plain)
        for _ in range(rng.integers(1, 4)):
            place = int(rng.integers(len(text)))
            new = [] if rng.random() < 0.3 else [str(rng.choice(letters))]
            text[place : place + int(rng.integers(0, 3))] = new
        (tmp_path / "spot.txt").write_text("".join(text))
        try:
            spot = read_spot(tmp_path / "spot.txt")
            texts = spot.texts()
        except td.InputError:
            refused += 1
        else:
            again = make_spot(**{k: v for k, v in texts.items() if k != "more"}, **texts["more"])
            assert again.texts() == texts and again.pairs == spot.pairs
    assert 10 < refused < 60


@pytest.mark.parametrize(
    "lines, where",
    [
        ("board=Qs Jh 2h\npot=10\nstack=20\noop=AA", "ip="),
        ("board=Qs Jh 2h\npot=x", "line 2"),
        ("board=Qs Jh 2h\nstack=91.8\npot=16.4\noop=AA\nip=KK", "line 3: pot is 16.4.*164.*918"),
        ("board=Qs Jh 2h\nstack=91\npot=16\noop=AA\nip=KK\nflop_bet=0.5", "line 6: flop_bet: '0.5'.*50%"),
        ("board=Qs Jh 2h\nstack=91\npot=16\noop=AA\nip=KK\ncap=1.5", "line 6: cap is 1.5"),
        ("# x\nboards=Qs", "line 2"),
        ("locks=root = Check", "line 1"),
        ("board=Qs Jh 2h\nlock=root", "line 2"),
        ("pot=1\npot=2", "line 2"),
        ("pot", "line 1"),
        ("board=Qs Jh 2h\npot=10\nstack=20\noop=AA\nip=KK\nrake_rate=a", "line 6"),
    ],
)
def test_files_refused(tmp_path, lines, where):
    (tmp_path / "spot.txt").write_text(lines)
    with pytest.raises(td.errors.ParameterError, match=where):
        read_spot(tmp_path / "spot.txt")
    with pytest.raises(td.errors.RunError):
        read_spot(tmp_path / "none.txt")
    (tmp_path / "spot.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(td.errors.RunError, match="spot"):
        read_spot(tmp_path / "spot.txt")


@pytest.mark.parametrize(
    "lines, cap", [("", inf), ("rake_cap=3\n", 3.0), ("rake_cap=0\n", 0.0), ("rake_cap=inf\n", inf)]
)
def test_raked_files_equal_their_texts(tmp_path, lines, cap):
    """A rate without a cap has no largest rake, however often it is saved and loaded; a cap of 0 stays 0."""
    (tmp_path / "spot.txt").write_text(f"board=Qs Jh 2h\npot=10\nstack=20\noop=AA\nip=KK\nrake_rate=0.05\n{lines}")
    spot = read_spot(tmp_path / "spot.txt")
    texts = spot.texts()
    again = make_spot(**{k: v for k, v in texts.items() if k != "more"}, **texts["more"])
    assert (spot.rake_rate, spot.rake_cap) == (again.rake_rate, again.rake_cap) == (0.05, cap)


RAKED = "board=Ts 3h 2h 5c 9s\npot=100\nstack=100\noop=AA,QQ\nip=KK\nriver_bet=a\nriver_raise=a\nrake_rate=0.05\n"


def test_files_without_a_cap_are_raked_as_elsewhere(tmp_path):
    """AA and QQ against KK with a rake of 5 %: `make_spot` gives 69.42 and 21.82 chips."""
    (tmp_path / "spot.txt").write_text(RAKED)
    solution = td.solve(read_spot(tmp_path / "spot.txt"), until=0.05)
    assert solution.values == pytest.approx([69.42, 21.82], abs=0.06)
    (tmp_path / "spot.txt").write_text(f"{RAKED}rake_cap=nan\n")
    with pytest.raises(td.errors.ParameterError) as caught:
        read_spot(tmp_path / "spot.txt")
    assert caught.value.key == "rake_cap"


LOCKED = "board=Qs Jh 2h 8d 3c\npot=100\nstack=100\noop=AA,QQ\nip=KK\nriver_bet=a\n"


@pytest.mark.parametrize(
    "line, place",
    [
        ("Bet(7) = Call", ("Bet(7) = Call *", "^^^^^^")),
        ("Check/Bet(7) = Call", ("Check/Bet(7) = Call *", "      ^^^^^^")),
        ("root = Check AA; Chek QQ", ("root = Check AA; Chek QQ", "                 ^^^^")),
        ("root = Check AA:0.5", ("root = Check AA:0.5", "^^^^^^^^^^^^^^^^^^^")),
        ("root = Check KK", ("root = Check KK", "^^^^^^^^^^^^^^^")),
        ("root = Check QsQh", ("root = Check QsQh", "^^^^^^^^^^^^^^^^^")),
        ("root = AllIn(100) AA", ("root = AllIn(100) AA", "^^^^^^^^^^^^^^^^^^^^")),
    ],
)
def test_locks_in_files_name_the_line_and_mark_the_place(tmp_path, line, place):
    """The error marks the faulty one of several lines."""
    first = "lock=root = Check AA" if "AllIn" in line else "lock=Check = Check"
    (tmp_path / "spot.txt").write_text(f"{LOCKED}{first}\n# a comment\nlock={line}\n")
    with pytest.raises(td.errors.ParameterError, match="line 9") as caught:
        read_spot(tmp_path / "spot.txt")
    text, marks = place
    assert caught.value.text == text and caught.value.position == (marks.count(" "), len(marks))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n"])
def test_files_of_other_editors(tmp_path, ends, encoding):
    """Byte order marks, also of joined files, any line ends, blanks and comments are accepted."""
    text = LOCKED.replace("=", " = ").replace("\n", f"  # so{ends}").replace("pot", "\ufeffpot")
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    (tmp_path / "spot.txt").write_bytes((mark + text).encode(encoding))
    assert read_spot(tmp_path / "spot.txt").texts() == {
        "board": "Qs Jh 2h 8d 3c", "pot": 100, "stack": 100, "oop": "AA,QQ", "ip": "KK", "bets": "", "raises": "",
        "more": {"river_bet": "a", "river_raise": ""},
    }  # fmt: skip


def test_files_as_written(tmp_path):
    text = "# a comment\nboard=Qs Jh 2h 8d 3c\npot=100\nstack=400 # behind\noop=QQ\nip=KK\n"
    (tmp_path / "mine.txt").write_text(text + "river_bet=50%,a\nrake_rate=0.05\n")
    spot = read_spot(tmp_path / "mine.txt")
    assert (
        spot.betting.stack == 400 and spot.name == "mine" and spot.pairs == 18 and float(spot.rake(50.0)) == 5
    )  # no cap by default


@pytest.mark.parametrize(
    "board, big_blinds, sizes, size, most",
    [
        ("Ks 9h 6h 5d", (10, 95), ("50,100,a", "100,a"), (6936, 162e6), 100),
        ("Ks 9h 6h 5d", (40, 80), ("50,100,a", "100,a"), (1740, 37e6), 40),
        ("Ks 9h 6h 5d", (10, 195), ("100,a", "100,a"), (3088, 68e6), 125),
        ("Ks 9h 6h 5d 2c", (20, 90), ("33,75,150,a", "50,100,a"), (48, 1e6), 60),
    ],
)
def test_predictions(board, big_blinds, sizes, size, most):
    """Nodes, memory and iterations to 1 % of the pot, as counted and measured with all hands."""
    spot = make_spot(board, *(100 * amount for amount in big_blinds), "*", "*", *sizes)
    found = predict(spot)
    assert (size_of(spot).decisions, round(found.bytes / 1e6)) == (size[0], pytest.approx(size[1] / 1e6, abs=1))
    assert (
        found.iterations == pytest.approx(most, rel=0.15) and found.seconds == found.iterations * size_of(spot).seconds
    )
    assert predict(spot, "half").bytes < 0.6 * found.bytes
    with pytest.raises(td.errors.ParameterError, match="precision"):
        predict(spot, "quarter")
