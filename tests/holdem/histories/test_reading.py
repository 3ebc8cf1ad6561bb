"""Amounts, times, archives, aliases, and lines that the sample files do not have."""

import re
import zipfile
from datetime import UTC, datetime

import pytest

import tefuda as td
from tefuda.holdem import read_histories
from tefuda.holdem.cards import cards_text
from tefuda.holdem.histories import money
from tefuda.holdem.histories.draft import level
from tefuda.holdem.histories.reading import is_history, read_text
from tests.holdem.histories.samples import FILES, TEXTS

SPOT = """PokerStars Hand #7: Hold'em No Limit ($0.05/$0.10 USD) - 2026/04/12 9:03:00 ET
Table 'X' 6-max Seat #4 is the button
Seat 1: Ash ($12.09 in chips)
Seat 2: Elm ($5 in chips)
Seat 4: Cedar ($8.30 in chips)
Ash: posts small blind $0.05
Elm: posts big blind $0.10
*** HOLE CARDS ***
Cedar: folds
Ash: folds
Uncalled bet ($0.05) returned to Elm
Elm collected $0.10 from pot
*** SUMMARY ***
Total pot $0.10 | Rake $0
"""


def changed(*pairs):
    text = SPOT
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return read_text(text)


@pytest.mark.parametrize(
    "text, digits, found",
    [
        ("$1,050.25", 2, 105025), ("1 204,50 $", 2, 120450), ("3.180 $", 2, 318000), ("1'000", 0, 1000),
        ("€0.5", 2, 50), ("412.5", 2, 41250), ("0,05€", 2, 5), ("1,200", 0, 1200), ("12.850", 0, 12850),
        ("0.125", 4, 1250), ("$0.0025", 4, 25), ("1,000,000", 0, 10**6), ("1.050,25", 2, 105025), ("7", 2, 700),
        ("1,050.255", 4, 10502550), ("0.0500", 2, 5),
    ],
)  # fmt: skip
def test_amounts(text, digits, found):
    assert money.units(text, digits) == found


def test_amounts_that_are_finer_or_no_amounts():
    for text, digits in (("0.125", 2), ("1.5", 0), ("0.00001", 4)):
        with pytest.raises(money.FinerAmountError):
            money.units(text, digits)
    with pytest.raises(money.FinerAmountError):
        money.exact_units("0.001", 2)
    for number in ("1e3", "10.50"):
        assert money.exact_units(number, 2) == round(float(number) * 100)
    for number in ("nan", "Infinity", "1e99", "x"):
        with pytest.raises(ValueError, match="no amount"):
            money.exact_units(number, 2)
    with pytest.raises(ValueError, match="no amount"):
        money.units("9" * 30, 2)


@pytest.mark.parametrize(
    "text, zone, hour",
    [
        ("2026/07/02 19:05:09", "ET", 23), ("2026/01/02 19:05:09", "ET", 0), ("2026/03/08 1:59:59", "ET", 6),
        ("2026/03/08 3:00:00", "ET", 7), ("2026/11/01 1:59:59", "ET", 5), ("2026/11/01 2:00:00", "ET", 7),
        ("2006/04/01 12:00:00", "ET", 17), ("2006/10/28 12:00:00", "ET", 16), ("2006/11/02 12:00:00", "ET", 17),
        ("2026/07/02 12:00:00", "MESZ", 10), ("2026/07/02 12:00:00", "EDT", 16),
    ],
)  # fmt: skip
def test_times(text, zone, hour):
    """Eastern time in both seasons, on the days of the change, and by the rules before 2007."""
    assert money.in_utc(money.moment(text), zone).hour == hour


def test_times_without_a_zone(tmp_path):
    hands = read_histories(FILES, time_zone="+02:00")
    by_number = {hand.number: hand.start for hand in hands}
    assert by_number["HD900000501"] == datetime(2026, 5, 2, 19, 10, 44, tzinfo=UTC)
    assert by_number["900000000101"] == datetime(2026, 3, 14, 19, 15, 2, tzinfo=UTC)
    assert money.in_utc(datetime(2026, 1, 1), "XYZ").tzinfo is None and money.moment("2026/02/30 1:00:00") is None
    for zone in ("Nowhere/City", "+99:99", "../etc"):
        with pytest.raises(td.errors.ParameterError, match="time zone"):
            read_histories(FILES, time_zone=zone)


def test_times_before_the_first_year(tmp_path):
    """A hand whose time has no UTC is skipped, or has no start; the others are read."""
    first = SPOT.replace("#7", "#8").replace("2026/04/12 9:03:00 ET", "0001/01/01 0:00:00 CET")
    assert read_text(first + SPOT).reasons == {"unreadable line": 1}
    (tmp_path / "x.txt").write_text(first.replace(" CET", "") + SPOT)
    assert read_histories(tmp_path, time_zone="+14:00").reasons == {"unreadable line": 1}
    start = 'year = 1\nmonth = 1\nday = 1\ntime = 00:00:00\ntime_zone = "Asia/Tokyo"\n'
    text = re.sub(r"(?m)^(year|month|day|time).*\n", "", read_text(SPOT).hands[0].export()) + start
    assert [hand.start for hand in read_text(text, "x.phh")] == [None]


def test_levels():
    assert [level(text) for text in ("14", "IX", "XIV", "XL", "III")] == [14, 9, 14, 40, 3]


def test_aliases_name_no_player():
    hands = read_histories(FILES, alias=True)
    assert len(hands) == 18 and not any(
        name in repr(hands) for name in ("Ash", "Birch", "Sample V", "a1b2c3d4", ".txt")
    )
    assert {hand.start.minute for hand in hands} == {0}
    pokerstars = [hand for hand in hands if hand.room == "PokerStars"]
    named = [{*hand.net} for hand in read_histories(FILES) if hand.room == "PokerStars"]
    shared = [len({*one.net} & {*pokerstars[0].net}) for one in pokerstars]
    assert shared == [len(one & named[0]) for one in named]  # the same player has the same alias


def test_archives_and_folders(tmp_path):
    (tmp_path / "deeper").mkdir()
    with zipfile.ZipFile(tmp_path / "deeper" / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in FILES:
            archive.write(file, f"hands/{file.name}")
        archive.writestr("notes.md", "nothing")
    (tmp_path / "notes.txt").write_text("nothing")
    hands = read_histories(tmp_path)
    assert len(hands) == 18 and len(hands.files) == 14 and hands.ignored == (str(tmp_path / "notes.txt"),)
    assert is_history(tmp_path / "deeper" / "all.zip") and not is_history(tmp_path / "notes.txt")
    (tmp_path / "deeper" / "all.zip").write_bytes((tmp_path / "deeper" / "all.zip").read_bytes()[:-30])
    for path in (tmp_path / "notes.txt", tmp_path / "none", tmp_path / "deeper"):
        with pytest.raises(td.errors.RunError):
            read_histories([path])


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damaged_archives(kind, tmp_path):
    """Each changed byte of the content is an error of ours, whichever parser meets it."""
    with zipfile.ZipFile(tmp_path / "all.zip", "w", kind) as archive:
        archive.writestr("hands.txt", TEXTS["01-pokerstars-side-pot.txt"])
    content = (tmp_path / "all.zip").read_bytes()
    for place in range(50, len(content) - 120, 97):
        changed_ = bytearray(content)
        changed_[place] ^= 0xFF
        (tmp_path / "all.zip").write_bytes(changed_)
        with pytest.raises(td.errors.RunError):
            read_histories(tmp_path)


def test_endings_in_any_case(tmp_path):
    (tmp_path / "A.TXT").write_text(SPOT)
    with zipfile.ZipFile(tmp_path / "B.Zip", "w") as archive:
        archive.writestr("C.TXT", SPOT.replace("#7", "#8"))
    (tmp_path / "D.PHH").write_text(read_text(SPOT.replace("#7", "#9")).hands[0].export())
    assert len(read_histories(tmp_path)) == 3 and is_history(tmp_path / "D.PHH")


#: Changes of a hand that keep it readable: flags, dead and missing blinds, added money, caps, copies, chatter.
READ = [
    ((), {"Ash": -5, "Elm": 5}),
    ((("PokerStars Hand", "Fair Cards Hand"),), {"Ash": -5, "Elm": 5}),
    ((("Hand #7", "Home Game Hand #7"), ("#7:", "#7: {Club #12}")), {"Ash": -5, "Elm": 5}),
    ((("USD)", "- $3 Cap -  USD)"),), {"Ash": -5, "Elm": 5}),
    ((("Cedar: folds", 'Elm said, "Ash: folds"\nCedar has timed out\nCedar: folds\nX joins the table at seat #6'),),
     None),
    ((("*** HOLE", "Cedar: posts dead blind $0.05\n*** HOLE"), ("collected $0.10", "collected $0.15"),
      ("pot $0.10", "pot $0.15")), {"Ash": -5, "Elm": 10, "Cedar": -5}),
    ((("*** HOLE", "Cedar: posts small blind $0.05\n*** HOLE"), ("collected $0.10", "collected $0.15"),
      ("pot $0.10", "pot $0.15")), {"Ash": -5, "Elm": 10, "Cedar": -5}),
    ((("*** HOLE", "Cash Drop to Pot : total $1\n*** HOLE"), ("collected $0.10", "collected $1.10"),
      ("pot $0.10", "pot $1.10")), {"Ash": -5, "Elm": 105}),
    ((("Uncalled bet ($0.05) returned to Elm\n", ""),), None),
    ((("Uncalled bet ($0.05) returned to Elm\n", ""), ("collected $0.10", "collected $0.15")), None),
    ((("Seat 4: Cedar", "Seat 3: Cedar"),), None),  # a dead button
]  # fmt: skip


@pytest.mark.parametrize("change, net", READ)
def test_hands_that_are_read(change, net):
    hands = changed(*change)
    assert not hands.skipped
    (hand,) = hands
    assert {name: won for name, won in hand.net.items() if won} == (net or {"Ash": -5, "Elm": 5})
    assert ("copy" in hand.flags) == (hand.room != "PokerStars")
    assert sum(hand.dead) == (5 if "Cedar: posts" in str(change) else 0)


#: Changes of a hand for which it is skipped, with the reason.
REFUSED = [
    (("Hold'em No Limit", "6+ Hold'em No Limit"), "game"),
    (("Hold'em No Limit", "Hold'em Pot Limit"), "game"),
    (("Cedar: folds", "Cedar: dances"), "unreadable line"),
    (("Cedar: folds", "Gum: folds"), "unreadable line"),
    (("Cedar: folds", "Cedar: checks"), "illegal action"),
    (("Cedar: folds", "Cedar: calls $0.20"), "illegal action"),
    (("Cedar: folds", "Cedar: raises $0.05 to $0.15"), "illegal action"),
    (("Cedar: folds\nAsh: folds", "Ash: folds\nCedar: folds"), "illegal action"),
    (("posts big blind $0.10", "posts big blind $9"), "illegal action"),
    (("Cedar: folds", "*** FLOP *** [As Ks Qs]\nCedar: folds"), "illegal action"),
    (("($0.05) returned", "($0.04) returned"), "does not balance"),
    (("pot $0.10", "pot $0.11"), "does not balance"),
    (("Rake $0", "Rake $0.01"), "does not balance"),
    (("Elm collected", "Ash collected"), "does not balance"),
    (("Seat 2: Elm", "Seat 1: Elm"), "unreadable line"),
    (("($5 in chips)", "($5.00001 in chips)"), "unreadable line"),
    (("Total pot", "Total"), "cut off"),
    (("*** HOLE CARDS ***", "Dealt to Ash [As As]"), "unreadable line"),
    (("*** HOLE CARDS ***", "Dealt to Ash [As Xx]"), "unreadable line"),
]


@pytest.mark.parametrize("change, reason", REFUSED)
def test_hands_that_are_skipped(change, reason):
    hands = changed(change)
    assert not hands.hands and [skipped.reason for skipped in hands.skipped] == [reason]
    assert reason in str(hands.skipped[0]) and hands.reasons == {reason: 1}


SHOWDOWN = SPOT.replace(
    "Ash: folds\nUncalled bet ($0.05) returned to Elm\nElm collected $0.10 from pot",
    """Ash: calls $0.05
Elm: checks
*** FLOP *** [Ac 7d 2s]
Ash: checks
Elm: checks
*** TURN *** [Ac 7d 2s] [9h]
Ash: checks
Elm: checks
*** RIVER *** [Ac 7d 2s 9h] [Jc]
Ash: checks
Elm: checks
*** SHOW DOWN ***
{}""",
).replace("pot $0.10 | Rake $0", "pot $0.20 | Rake {}")


@pytest.mark.parametrize(
    "ash, elm, collected, rake, net",
    [
        ("shows [Ah 3d]", "mucks hand", "Ash collected $0.20", 0, {"Ash": 10, "Elm": -10}),
        ("shows [Ah 3d]", "shows [Kh 3c]", "Ash collected $0.19", 1, {"Ash": 9, "Elm": -10}),
        ("shows [Ah 3d]", "shows [Kh 3c]", "Elm collected $0.20", 0, None),
        ("shows [Kd 3d]", "mucks hand", "Elm collected $0.20", 0, {"Ash": -10, "Elm": 10}),  # its cards are unknown
        (
            "shows [Kd 3d]",
            "shows [Kh 3c]",
            "Ash collected $0.10 from pot\nElm collected $0.09",
            1,
            {"Ash": 0, "Elm": -1},
        ),
        ("shows [Kd 3d]", "shows [Kh 3c]", "Ash collected $0.19", 1, None),
        ("shows [Kd 3d]", "shows [Kh 3c]", "Ash collected $0.15 from pot\nElm collected $0.05", 0, None),
        ("mucks hand", "mucks hand", "Cedar collected $0.20", 0, None),
        ("shows [2h 2d]", "shows [Ad Ah]\nElm: shows [Ad As]", "Elm collected $0.20", 0, None),
    ],
)
def test_winners(ash, elm, collected, rake, net):
    text = SHOWDOWN.replace("{}", f"Ash: {ash}\nElm: {elm}\n{collected} from pot", 1).replace("{}", f"$0.0{rake}")
    hands = read_text(text)
    assert [hand.net for hand in hands] == ([net | {"Cedar": 0}] if net else [])
    assert bool(hands.skipped) == (net is None)


#: Lines of other rooms: a late small blind that is live, a muck of the best hand, a total with the uncalled bet.
PARTY = """***** Hand History for Game 5 *****
$0.05/$0.10 USD NL Texas Hold'em - Monday, January 06, 14:25:57 EST 2014
Table X (Real Money)
Seat 3 is the button
Total number of players : 4/9
Seat 1: Ash ( $3 USD )
Seat 2: Elm ( $3.98 USD )
Seat 3: Fern ( $9.90 USD )
Seat 8: Oak ( $3 USD )
Oak posts small blind [$0.05 USD].
Ash posts big blind [$0.10 USD].
Fern posts small blind [$0.05 USD].
** Dealing down cards **
Elm folds
Fern calls [$0.05 USD]
Oak did not respond in time
Oak folds
Ash raises [$0.50 USD]
Fern folds
Ash does not show cards.
Ash wins $0.75 USD
"""
PACIFIC = """***** 888poker Hand History for Game 6 *****
$0.50/$1 Blinds No Limit Holdem - *** 06 01 2014 20:46:21
Table X 6 Max (Real Money)
Seat 1 is the button
Total number of players : 2
Seat 1: Ash ( $1 )
Seat 6: Elm ( $76.84 )
Ash posts small blind [$0.50]
Elm posts big blind [$1]
** Dealing down cards **
Ash calls [$0.50]
** Dealing flop ** [ 5d, Ks, 7c ]
** Dealing turn ** [ Jc ]
** Dealing river ** [ 7d ]
** Summary **
Elm shows [ Ah, 6d ]
Ash mucks [ 4s, 4c ]
Elm collected [ $1.90 ]
"""
WINAMAX = """Winamax Poker - CashGame - HandId: #5-3-1 - Holdem no limit (0.25€/0.50€) - 2013/11/07 03:53:58 UTC
Table: 'X' 5-max (real money) Seat #2 is the button
Seat 1: Ash (99.36€)
Seat 2: Elm UR0 (64.76€)
*** ANTE/BLINDS ***
Elm UR0 posts small blind 0.25€
Ash posts big blind 0.50€
*** PRE-FLOP ***
Elm UR0 raises 1€ to 1.50€
Ash folds
Elm UR0 collected 1.94€ from pot
*** SUMMARY ***
Total pot 1.94€ | Rake 0.06€
Seat 2: Elm UR0 won 1.94€
"""


def test_lines_of_other_rooms():
    (party,), (pacific,), (winamax,) = map(read_text, (PARTY, PACIFIC.replace("888poker", "Skin.com"), WINAMAX))
    assert {name: won for name, won in party.net.items() if won} == {"Oak": -5, "Ash": 15, "Fern": -10}
    assert party.flags == {"house rule"} and sum(party.rules.posts) == 5
    assert pacific.net == {"Elm": 90, "Ash": -100} and pacific.payoffs == (100, -100)
    assert winamax.net == {"Ash": -50, "Elm UR0": 44} and winamax.rake == 6


def test_hands_without_the_option_of_the_big_blind_are_skipped():
    ends = "Ash: shows [Ah 3d]\nElm: mucks hand\nAsh collected $0.20 from pot"
    text = SHOWDOWN.replace("{}", ends, 1).replace("{}", "$0")
    assert len(read_text(text)) == 1
    assert read_text(text.replace("Elm: checks\n", "", 1)).reasons == {"illegal action": 1}


def test_a_river_run_twice():
    """Elm is all-in by the big blind; each player wins one board."""
    text = SHOWDOWN.replace("Elm ($5 in", "Elm ($0.10 in").replace("Ash: checks\n", "").replace("Elm: checks\n", "")
    text = text.replace("*** RIVER *** [Ac 7d 2s 9h] [Jc]", "*** FIRST RIVER *** [Ac 7d 2s 9h] [Jc]\n"
                        "*** SECOND RIVER *** [Ac 7d 2s 9h] [Kc]")  # fmt: skip
    ends = "Ash: shows [Ad 3d]\nElm: shows [Kh Kd]\nAsh collected $0.10 from pot\nElm collected $0.10 from pot"
    (hand,) = read_text(text.replace("{}", ends, 1).replace("{}", "$0"))
    assert [cards_text(board, "") for board in hand.boards] == ["Ac7d2s9hJc", "Ac7d2s9hKc"]
    assert hand.net == {"Ash": 0, "Elm": 0, "Cedar": 0} and hand.payoffs == (0, 0, 0)


def test_too_many_players():
    seats = "".join(f"Seat {seat}: P{seat} ($5 in chips)\n" for seat in range(5, 14))
    folds = "".join(f"P{seat}: folds\n" for seat in range(5, 14))
    hands = changed(("Seat 4", f"{seats}Seat 4"), ("Cedar: folds", f"Cedar: folds\n{folds}"))
    assert hands.reasons == {"players": 1}


def test_finer_amounts():
    """A unit of 0.0001 where an amount needs it."""
    (hand,) = changed(("($12.09 in chips)", "($12.0925 in chips)"))
    assert str(hand.unit) == "0.0001" and hand.net["Elm"] == 500 and hand.seats[0].stack == 120925


def test_caps_limit_bets():
    (hand,) = changed(("USD)", "- $3 Cap -  USD)"))
    assert hand.rules.stacks == (300, 300, 300) and [seat.stack for seat in hand.seats] == [1209, 500, 830]


def test_one_bad_hand_of_a_phh_file(tmp_path):
    """Impossible actions, other variants and broken TOML leave the other hands alone."""
    good = """variant = "NT"
antes = [0, 0]
blinds_or_straddles = [5, 10]
min_bet = 10
starting_stacks = [1000, 1000]
actions = ["d dh p1 AhAs", "d dh p2 2c7d", "p2 f"]
"""
    hands = [good, good.replace("p2 f", "p1 f"), good.replace("NT", "PO"), good.replace("= [5", "= [5,"), good]
    text = "".join(f"[{number}]\n{hand}" for number, hand in enumerate(hands, 1))
    found = read_text(text, "x.phhs")
    assert len(found) == 2 and found.reasons == {"game": 1, "illegal action": 2} and found.hands[1].line == 29


def test_one_bad_line_of_a_log():
    lines = ["STATE:0:f:AhAs|2c7d:50|-50:Ann|Ben", "STATE:1:x:AhAs|2c7d:50|-50:Ann|Ben", "SCORE:50|-50:Ann|Ben"]
    found = read_text("\n".join(lines))
    assert len(found) == 1 and found.reasons == {"unreadable line": 1} and found.skipped[0].line == 2


def test_hidden_stacks_of_open_hand_history():
    text = TEXTS["12-open-hand-history.ohh"].replace('"starting_stack": 10.4', '"starting_stack": null')
    hands = read_text(text)
    assert hands.reasons == {"hidden stacks": 1} and len(hands) == 1


def test_betting_that_any_raise_reopens():
    """After a call, an all-in for less than a raise, the caller raises: a rule of the house."""
    text = SPOT.replace("Ash: folds\nUncalled bet ($0.05) returned to Elm\nElm collected $0.10 from pot", "{}")
    text = text.replace("Elm ($5 in", "Elm ($0.15 in").replace("Cedar: folds", "Cedar: calls $0.10\nAsh: calls $0.05")
    more = """Elm: raises $0.05 to $0.15 and is all-in
Cedar: raises $1 to $1.15
Ash: folds
Uncalled bet ($1) returned to Cedar
*** FLOP *** [As Ks Qs]
*** TURN *** [As Ks Qs] [Js]
*** RIVER *** [As Ks Qs Js] [2c]
*** SHOW DOWN ***
Elm: shows [Ts 2d] (a straight flush)
Cedar: mucks hand
Elm collected $0.40 from pot"""
    hands = read_text(text.replace("{}", more).replace("pot $0.10", "pot $0.40"))
    (hand,) = hands
    assert hand.flags == {"house rule"} and hand.net == {"Ash": -10, "Elm": 25, "Cedar": -15} and hand.rules.reopens
    assert hand.payoffs == (-10, 25, -15) and len([*hand.replay()]) == 8


def test_files_of_other_kinds_are_named(tmp_path):
    (tmp_path / "x.txt").write_text("Full of words")
    for paths in (tmp_path / "x.txt", [FILES[0], tmp_path / "x.txt"]):
        with pytest.raises(td.errors.RunError, match="GGPoker"):
            read_histories(paths)


@pytest.mark.parametrize(
    "room, text",
    [
        ("Ignition", "Ignition Hand #3598529489: Zone Poker ID#1 HOLDEMZonePoker No Limit - 2016-11-05 01:01:01"),
        ("Ignition", "\n\nBovada Hand #3598529489  TBL#5345 HOLDEM No Limit - 2016-11-05 01:01:01"),
        ("Winning", "Hand #12345678 - Holdem (No Limit) - $0.25/$0.50 - 2017/04/05 10:00:00 UTC"),
        ("PokerNow", 'entry,at,order\n"-- starting hand #1 (id: abc)  (No Limit Texas Hold\'em) --",2020,1'),
        ("empty", " \n"),
    ],
)
def test_other_rooms_are_named(room, text, tmp_path):
    """The error of a file names its room; beside a file of hands in a folder it is ignored."""
    (tmp_path / "x.txt").write_text(text)
    with pytest.raises(td.errors.RunError, match=f"x.txt .*{room}"):
        read_histories(tmp_path / "x.txt")
    (tmp_path / "y.txt").write_bytes(FILES[0].read_bytes())
    assert read_histories(tmp_path).ignored == (str(tmp_path / "x.txt"),)
