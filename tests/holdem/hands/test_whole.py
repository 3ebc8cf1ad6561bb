"""Whole hands as a game: deals, views, legal actions, and invalid input."""

import random

import numpy as np
import pytest

import tefuda as td
from tefuda.games.plays import play
from tefuda.games.protocol import Observation
from tefuda.holdem.hands import hand
from tefuda.holdem.hands.hand import HIDDEN
from tefuda.holdem.hands.rules import TableRules
from tefuda.holdem.hands.sizing import Menu, read_menu
from tefuda.holdem.hands.whole import Holdem, holdem
from tests.conftest import refused
from tests.holdem.tables import after, random_game

PLURIBUS = Holdem(TableRules((10_000,) * 6, (50, 100, 0, 0, 0, 0)), read_menu("50%,100%,a", ""))
HOLES = "Tc Qc 8s 4c 9c 3d Ah 4h Th 5s 6c 7s"


def test_a_hand_of_pluribus():
    """The first hand of the dataset that the page of formats cites: views, and chips."""
    state = after(PLURIBUS, f"{HOLES} f r210 f f c f 7d 5h 9d c c 7c c c Qh")
    assert PLURIBUS.player(state) == 0 and PLURIBUS.actions(state) == ("c", "50%", "100%", "a")
    assert PLURIBUS.amounts(state) == {"50%": 260, "100%": 520, "a": 9790}
    state = after(PLURIBUS, f"{HOLES} f r210 f f c f 7d 5h 9d c c 7c c c Qh r230 f")
    assert PLURIBUS.view(state, 3) == "Ah4h|9d7d5h7cQh|fr210ffcf/cc/cc/r230f"
    assert [10_000 + chips for chips in PLURIBUS.payoffs(state)] == [10310, 9900, 10000, 9790, 10000, 10000]
    assert PLURIBUS.shown(state) == (False,) * 6 and PLURIBUS.player(state) == td.TERMINAL
    assert PLURIBUS.describe(state) == "TcQc 8s4c 9c3d Ah4h Th5s 6c7s|9d7d5h7cQh|fr210ffcf/cc/cc/r230f"


def test_folded_cards_stay_hidden():
    state = after(PLURIBUS, f"{HOLES} f c f f c c 7d 5h 9d c c r100 f c 7c c c Qh c c")
    assert PLURIBUS.shown(state) == (False, True, False, True, False, False)
    assert PLURIBUS.payoffs(state) == (-100, -200, 0, 300, 0, 0)  # sevens with an ace beat sevens


@pytest.mark.parametrize("seed", range(6))
def test_random_tables_are_games(seed):
    """check_game finds no fault, and each view has the betting and the player's own cards only."""
    game, rng = random_game(random.Random(seed)), np.random.default_rng(seed)
    assert td.check_game(game, limit=100, samples=10).ok
    for _ in range(10):
        steps, end = play(game, rng)
        for step in steps:
            if step.player < 0:
                continue
            state, seat = step.state, step.player
            known = game.read_view(game.view(state, seat), seat)
            assert (known.wagers, sorted(known.hole(seat))) == (state.wagers, sorted(state.hole(seat)))
            assert known.holes.count(HIDDEN) == 2 * game.players - 2 and game.actions(known) == game.actions(state)
            other = (seat + 1) % game.players
            assert not {*game.read_view(game.view(state, other), other).holes} & {*state.hole(seat)}
        assert sum(game.payoffs(end)) == 0


def test_limit_raises_are_of_one_size():
    game = holdem(players=3, limit=True)
    state = after(game, "2c 3c 4c 5c 6c 7c r r r")
    assert game.actions(state) == ("f", "c") and max(state.wagers.bets) == 40  # the cap is four
    assert game.view(state, 2) == "7c6c||rrr" and game.action_labels == ("f", "c", "r")
    state = after(game, "2c 3c 4c 5c 6c 7c c c c Ts Td Th c c c 9d r")
    assert max(state.wagers.bets) == 20


MENUS = [
    ("50%,100%,a", "", "", {"50%": 20, "100%": 30, "a": 1000}),  # 5 in, 5 to call: the pot after it is 20
    ("50%", "2.5x,3c,a", "", {"2.5x": 25, "a": 1000}),  # 13 is raised to the minimum of 20, and 3x is below ...
    ("50%", "1%,2%", "", {"2%": 20}),  # both are the minimum raise: the last one is used
    ("50%", "9000%,a", "", {"a": 1000}),
    ("2e,a", "", "", {"2e": 100, "a": 1000}),
    ("50%", "12c", "", {"12c": 22}),
    ("50%", "2e", "r100", {"2e": 316}),  # a pot of 200 with 900 behind grows by the root of 10: 100 + 2.162 * 100
    ("50%,100%,a", "2x", "c c Ts Td Th", {"50%": 10, "100%": 20, "a": 990}),  # bets on the flop
]


@pytest.mark.parametrize("bets, raises, done, amounts", MENUS)
def test_sizes_in_chips(bets, raises, done, amounts):
    game = holdem(bets=bets, raises=raises)
    found = game.amounts(after(game, f"2c 3c 4c 5c {done}"))
    assert {label: amount for label, amount in found.items() if label in amounts} == amounts
    assert len(set(found.values())) == len(found)


def test_any_amount():
    game = holdem(bets="any", stack=40)
    state = after(game, "2c 3c 4c 5c")
    assert game.actions(state) == ("f", "c", *(f"r{amount}" for amount in range(20, 41)))
    assert game.action_labels is None and Menu(any_amount=True).sizes == ()
    assert game.view(game.child(state, "r31"), 0) == "3c2c||r31"


REFUSED = [
    ("r19", "r20 to r1000"),
    ("r1001", "r1001.*legal"),
    ("rx", "f, c, r20"),
    ("r" + "9" * 5000, "legal"),
    ("3%", "'3%'"),
]


@pytest.mark.parametrize("label, told", REFUSED)
def test_other_actions_are_refused(label, told):
    with pytest.raises(td.errors.ParameterError, match=told):
        holdem().child(after(holdem(), "2c 3c 4c 5c"), label)


@pytest.mark.parametrize(
    "view", ["AhKd", "AhKd||x", "AhAh||", "AhKd||/", "AhKd|2c|", "AhKd||r19", "AhKd||fc", "AhKd|AhTsTd|cc/", 7]
)
def test_no_views_are_refused(view):
    with pytest.raises(td.errors.ParameterError, match="holdem"):
        holdem().read_view(view, 0)


@pytest.mark.parametrize(
    "done, token", [("f", "/"), ("f", "c"), ("f", "f"), ("", "/"), ("cc", "c"), ("cc", "f"), ("", "r1001"), ("", "r19")]
)
def test_illegal_histories_are_refused(done, token):
    """No street after a fold, no action between streets, no raise beyond all-in."""
    rules = holdem().rules
    wagers = rules.root()
    for one in done:
        wagers = hand.after(rules, wagers, one)
    with pytest.raises(td.errors.ParameterError, match="legal action"):
        hand.after(rules, wagers, token)


def test_cards_are_dealt_once():
    with refused(td.errors.ParameterError, key="label", value="Ts"):
        after(holdem(), "2c 3c 4c 5c c c Ts Ts")
    with refused(td.errors.ParameterError, key="label", value="2c"):
        after(holdem(), "2c 2c")
    chances = holdem().chances(after(holdem(), "2c 3c"))
    assert len(chances) == 50 and sum(chance for _, chance in chances) == pytest.approx(1)
    drawn = {holdem().draw(after(holdem(), "2c"), lambda point=point: (point + 0.5) / 51)[0] for point in range(51)}
    assert drawn == {card for card, _ in holdem().chances(after(holdem(), "2c"))}


def test_words():
    game = holdem(players=3)
    state = after(game, "As Ks 7h 2c Jd Td r30 f c 9h 8c 2d c")
    assert game.observe(game.view(state, 2), 2) == Observation(
        "Jd Td",
        "pot 65, board 9h 8c 2d: you raise to 30, player 0 folds, player 1 calls, flop, player 1 checks",
        {"c": "check", "50%": "bet 33", "100%": "bet 65", "a": "all-in 970"},
    )
    state = game.child(state, "50%")
    assert game.observe(game.view(state, 1), 1).actions["f"] == "fold"
    assert game.observe(game.view(state, 1), 1).actions["c"] == "call 33"
    limit = holdem(limit=True)
    assert limit.observe(limit.view(after(limit, "As Ks 7h 2c r"), 0), 0).table == "pot 30: player 1 raises to 20"


def test_rebuilt_from_its_parameters():
    game = td.load_game("holdem", players=3, stacks=[100, 200, 300], blinds=[1, 2], ante=1, bets="75%")
    assert td.load_game(game.name, **game.parameters) == game and game.rules.stacks == (100, 200, 300)
    caps = {(True, -1): 4, (True, 0): 0, (False, -1): 0, (False, 3): 3}
    assert all(holdem(limit=limit, cap=cap).rules.cap == most for (limit, cap), most in caps.items())
    assert hash(game) == hash(td.load_game(game.name, **game.parameters)) and "75%" in repr(game)


@pytest.mark.parametrize(
    "other, same", [({}, True), ({"bets": "75%"}, False), ({"raises": "2x"}, False), ({"ante": 1}, False)]
)
def test_tables_with_the_same_play_list_the_same_sizes(other, same):
    game = td.load_game("holdem", bets="50%,a")
    assert td.games.kit_of(game).same_play(td.load_game("holdem", **{"bets": "50%,a", **other})) == same


BAD = [
    (dict(players=11), "players is 11"),
    (dict(limit=True, bets="50%"), "bets"),
    (dict(bets="50%,7y"), "'7y' is no size"),
    (dict(bets="any", raises="50%"), "raises"),
    (dict(blinds=5), "blinds .*the int 5"),
    (dict(stacks=[5, 5.5]), "2 whole numbers"),
    (dict(stack=0), "stack is 0"),
    (dict(cap=-2), "cap is -2"),
]


@pytest.mark.parametrize("given, told", BAD)
def test_impossible_hands_are_refused(given, told):
    with pytest.raises(td.errors.ParameterError, match=told):
        td.load_game("holdem", **given)
