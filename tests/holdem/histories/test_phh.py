"""Hand histories: reading, writing, errors with positions; PokerKit reads the written files."""

import random
import warnings
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

import tefuda as td
from tefuda.games.plays import play
from tefuda.holdem.cards import read_cards
from tefuda.holdem.hands.hand import HIDDEN
from tefuda.holdem.hands.sizing import Menu, read_menu
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.histories.collection import winnings
from tefuda.holdem.histories.phh import read_hands, read_phh
from tefuda.holdem.histories.phh_text import hand_text, write_phh
from tefuda.holdem.histories.record import HandHistory, record_of
from tests.holdem.tables import random_game, random_rules

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
    assert record.hand.line == "fr210ffcf/cc/cc/r230f" and record.names[5] == "Pluribus"
    assert record.actions == read_hands(hand_text(record))[0].actions and record.unit == 1
    assert record.actions[-3:] == ("d db Qh", "p1 cbr 230", "p4 f")


def test_heads_up_in_cents():
    """Forced bets are reversed, amounts counted in cents, hidden cards shown at the end."""
    (record,) = read_hands(CENTS)
    assert record.unit == Decimal("0.01") and record.rules.blinds == (50, 25) and record.rules.stacks == (5000, 1275)
    assert record.payoffs == (-1275, 1275) and record.shown == ((1, tuple(read_cards("5s6s"))), (0, ()))
    assert record.actions[1] == "d dh p2 5s6s" and record.actions[7] == "p1 cc" and record.actions[6] == "p2 cbr 11.50"
    hidden = read_hands(CENTS.replace(', "p2 sm 5s6s", "p1 sm"', ""))[0]
    assert hidden.payoffs is None and hidden.hand.hole(1) == (HIDDEN, HIDDEN)
    assert hidden.actions[1] == "d dh p2 ????"


def test_winnings_by_name():
    """Sums have the file's unit; undecided hands are skipped; hands without names go by seats."""
    hands = [*read_hands(PLURIBUS), *read_hands(PLURIBUS), *read_hands(CENTS)]
    hands += read_hands(CENTS.replace(', "p2 sm 5s6s", "p1 sm"', ""))
    hands += read_hands(PLURIBUS.replace('"MrBlue", ', "1, "))
    won = winnings(hands)[""]
    assert won["MrBlue"] == (2, 620) and won["MrPink"] == (2, -420) and won["Pluribus"] == (2, 0)
    assert won["p1"] == (2, Decimal("297.25")) and won["p2"] == (2, Decimal("-87.25")) and won["p6"] == (1, 0)


@pytest.mark.parametrize("seed", range(12))
def test_written_hands_are_read(seed, tmp_path):
    """Random hands, one or several in a file, are equal after reading; PokerKit has the same payoffs."""
    game, rng = random_game(random.Random(seed)), np.random.default_rng(seed)
    records = [record_of(game, play(game, rng)[1], names=["ä", '"b"'], hand=place) for place in range(3)]
    write_phh(tmp_path / "all.phhs", records)
    write_phh(tmp_path / "one.phh", records[:1])
    again = read_phh(tmp_path / "all.phhs")
    for one, other in zip(records, again, strict=True):
        assert (one.hand, one.shown, one.payoffs, one.fields) == (other.hand, other.shown, other.payoffs, other.fields)
        assert other.rules.stacks == game.rules.stacks and other.actions == one.actions
    assert read_phh(tmp_path / "one.phh")[0].hand == records[0].hand


@pytest.mark.parametrize("hands", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_pokerkit_reads_written_hands(hands):
    """Random hands with ties, side pots, mucks, all-ins and hands shown in part pay the same players.

    In every pot a player shows; PokerKit burns others. It joins pots with the same winners, so odd chips may differ.
    """
    kit = pytest.importorskip("pokerkit")
    differ, kinds, showdowns = 0, dict[str, int](), 0
    for seed in range(hands):
        rng, rules = random.Random(seed), random_rules(random.Random(seed), posts=seed % 3 == 0)
        rules = replace(rules, dead_antes=seed % 2 == 0)
        game = Holdem(rules, Menu() if rules.limit else read_menu("50%,a", ""))
        state = play(game, np.random.default_rng(seed))[1]
        record, live = record_of(game, state), state.wagers.live
        if len(live) > 1:
            showdowns += 1
            record = replace(record, shown=_random_showdown(rng, rules, state, kinds))
        (again,) = read_hands(hand_text(record))
        assert (again.payoffs, again.shown) == (record.payoffs, record.shown)
        assert (again.rules.dead_antes, again.rules.posts) == (rules.dead_antes, rules.posts)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            *_, other = kit.HandHistory.loads(hand_text(record))
        difference = [abs(one - two) for one, two in zip(other.payoffs, record.payoffs, strict=True)]
        assert max(difference) <= 1
        differ += any(difference)
    assert differ <= hands / 100 and showdowns > hands / 2 and min(kinds.values()) > hands / 6 and len(kinds) == 4


def _random_showdown(rng, rules, state, kinds):
    """Return a showdown in which the player who contests all pots shows both cards."""
    antes = rules.antes if rules.dead_antes else (0,) * rules.players
    bet = {player: rules.stacks[player] - state.wagers.stacks[player] - antes[player] for player in state.wagers.live}
    shown = {}
    for player in rng.sample([*bet], len(bet)):
        first, second = state.hole(player)
        choices = {"show": (first, second), "muck": (), "hide": (HIDDEN, HIDDEN), "part": (first, HIDDEN)}
        kind = "show" if player == max(bet, key=bet.__getitem__) else rng.choice([*choices])
        kinds[kind], shown[player] = kinds.get(kind, 0) + 1, choices[kind]
    return tuple(shown.items())


#: Three players with aces, kings and no pair, all of whom checked; the showdown follows. The board plays no straight.
SHOWDOWN = """
variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [1000, 1000, 1000]
actions = ["d dh p1 AhAd", "d dh p2 KhKd", "d dh p3 ????", "p3 cc", "p1 cc", "p2 cc", "d db Qs9s4h", "p1 cc", "p2 cc",
  "p3 cc", "d db 3c", "p1 cc", "p2 cc", "p3 cc", "d db 8d", "p1 cc", "p2 cc", "p3 cc" {}]
"""


def showdown(*shown, text=SHOWDOWN):
    return text.replace("{}", "".join(f', "{action}"' for action in shown))


@pytest.mark.parametrize(
    "shown, payoffs",
    [
        (("p1 sm AhAd", "p2 sm", "p3 sm"), (20, -10, -10)),
        (("p1 sm", "p2 sm KhKd", "p3 sm"), (-10, 20, -10)),  # who mucks forfeits, even the best hand
        (("p1 sm", "p2 sm -", "p3 sm"), (-10, 20, -10)),  # a dash shows the cards dealt
        (("p1 sm AdAh", "p2 sm", "p3 sm QhQd"), (-10, -10, 20)),
        (("p1 sm", "p2 sm", "p3 sm 7c2d"), (-10, -10, 20)),
        (("p1 sm ????", "p2 sm KhKd", "p3 sm"), (-10, 20, -10)),  # only shown cards count
        (("p1 sm ??Ad", "p2 sm Kh??", "p3 sm 5c5d"), (-10, -10, 20)),
        (("p1 sm ????", "p1 sm AhAd", "p2 sm -", "p3 sm"), (20, -10, -10)),  # a hand may be shown later
        (("p1 sm", "p3 sm"), (-10, 20, -10)),  # the last player need not show
        (("p1 sm", "p3 sm", "p2 sm"), (-10, 20, -10)),  # the last to muck keeps the pot
        (("p1 sm", "p2 sm", "p3 sm ????"), (-10, -10, 20)),
        (("p1 sm AhAd", "p2 sm"), None),  # unknown cards may be better
        (("p1 sm ????", "p2 sm ????", "p3 sm"), None),
        ((), None),
    ],
)
def test_forms_of_showdowns(shown, payoffs):
    """Values by hand; PokerKit 0.7.7 agrees where all players act at the showdown and one shows its hand."""
    (record,) = read_hands(showdown(*shown))
    assert record.payoffs == payoffs and record.results == payoffs
    (again,) = read_hands(hand_text(record))
    assert (again.payoffs, again.shown) == (payoffs, record.shown)


#: An all-in before the flop; the shorter stack is the first player's.
ALL_IN = """
variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [100, 1000, 1000]
actions = ["d dh p1 AhAd", "d dh p2 KhKd", "d dh p3 QhQd", "p3 cbr 1000", "p1 cc", "p2 cc" {}]
"""


@pytest.mark.parametrize(
    "shown, payoffs",
    [
        (("p1 sm -", "p2 sm -", "p3 sm -"), None),  # the board is missing
        (("p1 sm -", "p2 sm -", "p3 sm -", "d db 2c3c7s", "d db 9d", "d db Jh"), (200, 800, -1000)),
        (("p1 sm", "p2 sm -", "p3 sm -", "d db 2c3c7s", "d db 9d", "d db Jh"), (-100, 1100, -1000)),
        (("p1 sm", "p3 sm"), (-100, 1100, -1000)),  # one player is left
        (("p1 sm -", "p2 sm", "p3 sm", "d db 2c3c7s", "d db 9d", "d db Jh"), (200, -1000, 800)),  # the side pot
    ],
)
def test_showdowns_after_all_in(shown, payoffs):
    (record,) = read_hands(showdown(*shown, text=ALL_IN))
    assert record.payoffs == payoffs == read_hands(hand_text(record))[0].payoffs


def test_unknown_stacks():
    """Stacks `inf` do not limit bets; they are written as they were read."""
    text = PLURIBUS.replace("[10000, 10000, 10000,", "[inf, 10000, inf,").replace("[10310,", "[inf,")
    (record,) = read_hands(text.replace("cbr 230", "cbr 23000"))
    assert record.payoffs == (310, -100, 0, -210, 0, 0) and record.unknown_stacks == {0, 2}
    assert record.recorded is None and record.results == record.payoffs
    assert "starting_stacks = [inf, 10000, inf, 10000," in hand_text(record)
    assert read_hands(hand_text(record)) == [record]
    limits = hand_text(replace(record, fields={"time_limit": Decimal("inf"), "time_banks": [Decimal("nan")]}))
    assert read_hands(limits)[0].fields["time_limit"] == Decimal("inf")


def test_recorded_stacks_decide():
    """Recorded stacks include rake and half chips; they count for finished hands with known stacks."""
    raked = PLURIBUS.replace("[10310, 9900,", "[10297.5, 9900,")
    (record,) = read_hands(raked)
    assert record.unit == 1 and record.payoffs[0] == 310
    assert record.recorded == record.results == (Decimal("297.5"), -100, 0, -210, 0, 0)
    assert winnings([record])[""]["MrBlue"] == (1, Decimal("297.5"))
    (cents,) = read_hands(CENTS + "finishing_stacks = [37.25, 25]")
    assert cents.results == (Decimal("-12.75"), Decimal("12.25")) and cents.payoffs == (-1275, 1275)
    unfinished = read_hands(raked.replace(', "p4 f"]', "]"))[0]
    assert unfinished.recorded is None and unfinished.results is None
    unknown = read_hands(showdown() + "finishing_stacks = [990, 990, 1019]")[0]
    assert unknown.payoffs is None and unknown.results == (-10, -10, 19)


def test_recorded_winnings_decide():
    """Winnings are without rake and uncalled bets: the pot of 520 is raked by 20; 230 come back."""
    text = PLURIBUS.replace(
        "finishing_stacks = [10310, 9900, 10000, 9790, 10000, 10000]", "winnings = [{}, 0, 0, 0, 0, 0]"
    )
    (record,) = read_hands(text.replace("{}", "500"))
    assert record.rules.called(record.hand.wagers) == [210, 100, 0, 210, 0, 0] and record.payoffs[0] == 310
    assert record.results == (290, -100, 0, -210, 0, 0) == read_hands(hand_text(record))[0].results
    for amount in ("0", "520", "750"):  # not given, as the rules pay, with the uncalled bet
        assert read_hands(text.replace("{}", amount))[0].results == record.payoffs
    antes = ALL_IN.replace("antes = [0, 0, 0]", "antes = [0, 10, 0]").replace(
        '"p3 cbr 1000", "p1 cc", "p2 cc" {}', '"p3 f", "p1 f"'
    )
    (walk,) = read_hands(antes + "winnings = [0, 18, 0]")
    assert walk.rules.called(walk.hand.wagers) == [5, 15, 0] and walk.results == (-5, 3, 0)


@pytest.mark.parametrize("trimmed, payoffs", [("true", (10, 5, -15)), ("false", (20, -5, -15)), (None, (20, -5, -15))])
def test_short_antes(trimmed, payoffs):
    """Aces with an ante of 5 against two of 10 win three antes of 5, or 25 (as in PokerKit)."""
    text = """
variant = "NT"
antes = [10, 10, 10]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [5, 15, 100]
actions = ["d dh p1 AhAd", "d dh p2 KhKd", "d dh p3 QhQd", "p3 cc", "d db 2c3c7s", "d db 9d", "d db Jh"]
"""
    (record,) = read_hands(text + (f"ante_trimming_status = {trimmed}" if trimmed else ""))
    assert record.payoffs == payoffs == read_hands(hand_text(record))[0].payoffs


def test_rules_on_request_are_written():
    (record,) = read_hands(PLURIBUS)
    changed = replace(record, rules=replace(record.rules, full_blinds=True, reopens=True), currency="USD")
    assert read_hands(hand_text(changed)) == [changed]


def test_players_without_names():
    won = winnings(read_hands(PLURIBUS.replace('"MrBlue"', '""').replace('"MrBlonde"', '""')))[""]
    assert won["p1"] == (1, 310) and won["p2"] == (1, -100) and won["MrPink"] == (1, -210)


def test_a_byte_order_mark_is_skipped(tmp_path):
    (tmp_path / "mark.phh").write_bytes(b"\xef\xbb\xbf" + PLURIBUS.replace("\n", "\r\n").encode())
    assert read_phh(tmp_path / "mark.phh")[0].payoffs[0] == 310


BAD = [
    (showdown("p1 sm AhAd", "p1 sm"), "'sm' is impossible"),
    (showdown("p1 sm", "p1 sm AhAd"), "'sm' is impossible"),
    (showdown("p3 sm -"), "'-' shows cards that were not dealt"),
    (showdown("p1 sm AhAc"), "'AhAc' differs"),
    (showdown("p1 sm Ac??"), "'Ac..' differs"),
    (showdown("p3 sm AhQd"), "already dealt"),
    (showdown("p3 sm 7c"), "must be 2 cards"),
    (showdown("p3 sm 7c 2d"), "'sm' is impossible"),
    (PLURIBUS.replace('"p4 cbr 210"', '"p4 sm"'), "'sm' is impossible"),
    (PLURIBUS.replace('"d db 7c"', '"p4 sm", "d db 7c"'), "'sm' is impossible"),  # not the end
    ("hello", "is no TOML"),
    ("a = 1\nb = [1,\n", "is no TOML"),
    ("", "empty"),
    (PLURIBUS.replace('"NT"', '"PO"'), "variant .* 'PO'"),
    (PLURIBUS.replace("min_bet = 100", ""), "min_bet must .* NoneType None"),
    (PLURIBUS.replace("[10000, 10000,", "[-1, 10000,"), "starting_stacks must"),
    (PLURIBUS.replace("[10000, 10000,", "[-inf, 10000,"), "starting_stacks must"),
    (PLURIBUS.replace("antes = [0,", "antes = [inf,"), "antes must"),
    (PLURIBUS.replace("[10310,", "[nan,"), "finishing_stacks must"),
    (PLURIBUS.replace("[10310,", "[-5,"), "finishing_stacks must"),
    (PLURIBUS.replace("[10310,", "["), "finishing_stacks must"),
    (PLURIBUS + "winnings = [inf, 0, 0, 0, 0, 0]", "winnings must"),
    (PLURIBUS + "winnings = 520", "winnings must"),
    (PLURIBUS.replace("status = true", "status = 1"), "ante_trimming_status must"),
    (PLURIBUS.replace("status = true", "status = true\n_reopens = 1"), "_reopens must"),
    (PLURIBUS.replace("[10000, 10000,", "[1e99999, 10000,"), "starting_stacks must"),
    (PLURIBUS.replace("[10000, 10000,", "[0.123456, 10000,"), "got 6"),
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
    with pytest.raises(td.errors.RunError, match=told.replace("^", "\\^")) as refused:
        read_phh(tmp_path / "bad.phh")
    assert "bad.phh" in str(refused.value)


def test_places_are_refused(tmp_path):
    record = read_hands(PLURIBUS)[0]
    with pytest.raises(td.errors.RunError, match="read"):
        read_phh(tmp_path / "none.phh")
    (tmp_path / "bytes.phh").write_bytes(b"\xff\xfe")
    with pytest.raises(td.errors.RunError, match="UTF-8"):
        read_phh(tmp_path / "bytes.phh")
    for name, records in (("x.txt", [record]), ("x.phh", [record, record]), ("x.phh", [])):
        with pytest.raises(td.errors.ParameterError):
            write_phh(tmp_path / name, records)
    assert isinstance(record, HandHistory) and record.game.players == 6
