"""Hand histories: reading, writing, errors with positions; PokerKit reads the written files."""

import random
from decimal import Decimal

import numpy as np
import pytest

import tefuda as td
from tefuda.games.playthrough import play
from tefuda.holdem.hands.hand import HIDDEN
from tefuda.holdem.hands.phh import Record, hand_text, read_hands, read_phh, record_of, winnings, write_phh
from tests.holdem.tables import random_game

#: The first hand of Pluribus in uoftcprg/phh-dataset, and its payoffs.
PLURIBUS = """
variant = "NT"
ante_trimming_status = true
antes = [0, 0, 0, 0, 0, 0]
blinds_or_straddles = [50, 100, 0, 0, 0, 0]
min_bet = 100
starting_stacks = [10000, 10000, 10000, 10000, 10000, 10000]
actions = ["d dh p1 TcQc", "d dh p2 8s4c", "d dh p3 9c3d", "d dh p4 Ah4h", "d dh p5 Th5s", "d dh p6 6c7s", "p3 f",
  "p4 cbr 210", "p5 f", "p6 f", "p1 cc", "p2 f", "d db 7d5h9d", "p1 cc", "p4 cc", "d db 7c", "p1 cc", "p4 cc",
  "d db Qh", "p1 cbr 230", "p4 f"]
hand = 0
players = ["MrBlue", "MrBlonde", "MrWhite", "MrPink", "MrBrown", "Pluribus"]
finishing_stacks = [10310, 9900, 10000, 9790, 10000, 10000]
"""
CENTS = """
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [0.25, 0.50]
min_bet = 0.50
starting_stacks = [50, 12.75]
actions = ["d dh p1 AcKd", "d dh p2 ????", "p2 cbr 1.25 # a raise", "p1 cc", "d db 2c3c4h", "p1 cc", "p2 cbr 11.50",
  "p1 cc", "d db Ts", "d db Td", "p2 sm 5s6s", "p1 sm"]
"""


def test_a_hand_of_pluribus():
    (record,) = read_hands(PLURIBUS)
    assert [10_000 + chips for chips in record.payoffs] == record.fields["finishing_stacks"]
    assert record.hand.line == "fr210ffcf/cc/cc/r230f" and record.fields["players"][5] == "Pluribus"
    assert record.actions == read_hands(hand_text(record))[0].actions and record.unit == 1
    assert record.actions[-3:] == ("d db Qh", "p1 cbr 230", "p4 f")


def test_heads_up_in_cents():
    """Forced bets are reversed, amounts counted in cents, hidden cards shown at the end."""
    (record,) = read_hands(CENTS)
    assert record.unit == Decimal("0.01") and record.rules.blinds == (50, 25) and record.rules.stacks == (5000, 1275)
    assert record.payoffs == (-1275, 1275) and record.shown == ((1, True), (0, False))
    assert record.actions[1] == "d dh p2 5s6s" and record.actions[7] == "p1 cc" and record.actions[6] == "p2 cbr 11.50"
    hidden = read_hands(CENTS.replace(', "p2 sm 5s6s", "p1 sm"', ""))[0]
    assert hidden.payoffs is None and hidden.hand.hole(1) == (HIDDEN, HIDDEN)
    assert hidden.actions[1] == "d dh p2 ????"


def test_winnings_by_name():
    """Sums have the file's unit; undecided hands are skipped; hands without names go by seats."""
    hands = [*read_hands(PLURIBUS), *read_hands(PLURIBUS), *read_hands(CENTS)]
    hands += read_hands(CENTS.replace(', "p2 sm 5s6s", "p1 sm"', ""))
    hands += read_hands(PLURIBUS.replace('"MrBlue", ', "1, "))
    won = winnings(hands)
    assert won["MrBlue"] == (2, 620) and won["MrPink"] == (2, -420) and won["Pluribus"] == (2, 0)
    assert won["p1"] == (2, Decimal("297.25")) and won["p2"] == (2, Decimal("-87.25")) and won["p6"] == (1, 0)


@pytest.mark.parametrize("seed", range(12))
def test_written_hands_are_read(seed, tmp_path):
    """Random hands, one or several in a file, are equal after reading; PokerKit has the same payoffs."""
    game, rng = random_game(random.Random(seed)), np.random.default_rng(seed)
    records = [record_of(game, play(game, rng)[1], hand=place, players=["ä", '"b"']) for place in range(3)]
    write_phh(tmp_path / "all.phhs", records)
    write_phh(tmp_path / "one.phh", records[:1])
    again = read_phh(tmp_path / "all.phhs")
    for one, other in zip(records, again, strict=True):
        assert (one.hand, one.shown, one.payoffs, one.fields) == (other.hand, other.shown, other.payoffs, other.fields)
        assert other.rules.stacks == game.rules.stacks and other.actions == one.actions
    assert read_phh(tmp_path / "one.phh")[0].hand == records[0].hand


@pytest.mark.slow
def test_pokerkit_reads_written_hands():
    kit = pytest.importorskip("pokerkit")
    for seed in range(200):
        game = random_game(random.Random(seed))
        if game.rules.limit or len({*game.rules.antes}) > 1:
            continue
        record = record_of(game, play(game, np.random.default_rng(seed))[1])
        text = hand_text(record) + "ante_trimming_status = true\n"
        *_, state = kit.HandHistory.loads(text)
        assert sum(abs(a - b) for a, b in zip(state.payoffs, record.payoffs, strict=True)) <= 8  # odd chips


BAD = [
    ("hello", "is no TOML"),
    ("a = 1\nb = [1,\n", "is no TOML"),
    ("", "empty"),
    (PLURIBUS.replace('"NT"', '"PO"'), "variant .* 'PO'"),
    (PLURIBUS.replace("min_bet = 100", ""), "min_bet must .* NoneType None"),
    (PLURIBUS.replace("[10000, 10000,", "[-1, 10000,"), "starting_stacks must"),
    (PLURIBUS.replace("[10000, 10000,", "[inf, 10000,"), "starting_stacks must"),
    (PLURIBUS.replace("[10000, 10000,", "[1e99999, 10000,"), "starting_stacks must"),
    (PLURIBUS.replace("[10000, 10000,", "[0.123456, 10000,"), "6"),
    (PLURIBUS.replace("antes = [0,", "antes = [nan,"), "antes must"),
    (PLURIBUS.replace("antes = [0,", "antes = [-nan,"), "antes must"),
    (PLURIBUS.replace("min_bet = 100", "min_bet = 1e-99999999999999"), "min_bet must"),
    (PLURIBUS.replace("min_bet = 100", "min_bet = 1e9999999999999999999999"), "is no TOML"),
    (PLURIBUS.replace("min_bet = 100", "min_bet = 0x" + "f" * 9000), "min_bet must"),
    (PLURIBUS.replace("min_bet = 100", "min_bet = " + "9" * 4400), "is no TOML"),
    (PLURIBUS.replace("p4 cbr 210", "p4 cbr " + "9" * 4400), "from 200 to 10000"),
    (PLURIBUS.replace('"NT"', "{}"), "variant .* dict"),
    (PLURIBUS.replace('"NT"', '["NT"]'), "variant .* list"),
    (PLURIBUS.replace("antes = [0,", "antes = ["), "antes must"),
    (PLURIBUS.replace('"d dh p6 6c7s",', ""), "two cards"),
    (
        PLURIBUS.replace("6c7s", "6c8s"),
        "action 6: '6c8s' has a card that is already dealt.\n  d dh p6 6c8s\n          ^^^^",
    ),
    (PLURIBUS.replace("6c7s", "6cXs"), "are no cards"),
    (
        PLURIBUS.replace("p4 cbr 210", "p4 cbr 110"),
        "'110' is impossible; raises must be from 200 to 10000.\n  p4 cbr 110\n         ^^^",
    ),
    (PLURIBUS.replace("p4 cbr 210", "p4 cbr 2x"), "is no amount"),
    (PLURIBUS.replace("p4 cbr 210", "p4 bets 210"), "cannot be read"),
    (PLURIBUS.replace('"p3 f"', '"p4 f"'), "'p4' is not to act; p3 is"),
    (PLURIBUS.replace('"p3 f"', '"p9 f"'), "is no player"),
    (PLURIBUS.replace('"p3 f"', '"d db 2c2d2h"'), "impossible"),
    (PLURIBUS.replace("d db 7d5h9d", "d db 7d5h"), "must be 3 cards"),
    (PLURIBUS.replace("d db 7d5h9d", "d db 7d5h??"), "unknown cards"),
    (PLURIBUS.replace('"p4 f"]', '"p4 f", "p1 cc"]'), "no player is"),
    (PLURIBUS.replace('"p4 f"]', '"p4 f", "p4 sm"]'), "has folded"),
    (PLURIBUS.replace('"p4 f"]', '"p4 f", "p1 sm TcQd"]'), "differs"),
    (PLURIBUS.replace('"p4 f"]', '"p4"]'), "no action"),
    (PLURIBUS.replace('"p4 f"]', "7]"), "actions must"),
]


@pytest.mark.parametrize("text, told", BAD)
def test_bad_files_are_refused(text, told, tmp_path):
    (tmp_path / "bad.phh").write_text(text)
    with pytest.raises(td.RunError, match=told.replace("^", "\\^")) as refused:
        read_phh(tmp_path / "bad.phh")
    assert "bad.phh" in str(refused.value)


def test_places_are_refused(tmp_path):
    record = read_hands(PLURIBUS)[0]
    with pytest.raises(td.RunError, match="read"):
        read_phh(tmp_path / "none.phh")
    (tmp_path / "bytes.phh").write_bytes(b"\xff\xfe")
    with pytest.raises(td.RunError, match="UTF-8"):
        read_phh(tmp_path / "bytes.phh")
    for name, records in (("x.txt", [record]), ("x.phh", [record, record]), ("x.phh", [])):
        with pytest.raises(td.ParameterError):
            write_phh(tmp_path / name, records)
    assert isinstance(record, Record) and record.game.players == 6
