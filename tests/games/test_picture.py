"""Pictures: functions of the view alone, with the chips, cards and actions of the state."""

import random

import pytest

import tefuda as td
from tefuda.games.kit import kit_of
from tefuda.games.protocol import CHANCE, TERMINAL
from tests.conftest import rules

GAMES = (
    ("kuhn", {}),
    ("kuhn", {"players": 3}),
    ("leduc", {}),
    ("leduc", {"players": 3}),
    ("leduc", {"distinct_suits": True}),
    ("nolimit_leduc", {}),
    ("liars_dice", {}),
    ("rhode_island", {}),
    ("royal_holdem", {}),
    ("liars_dice", {"dice": 2, "players": 3}),
    ("goofspiel", {}),
    ("goofspiel", {"hidden": False, "order": "random"}),
    ("holdem", {}),
    ("holdem", {"players": 3, "limit": True}),
    ("koikoi", {}),
    ("mini8", {}),
    ("mini8", {"merged": True}),
    ("spot", {}),
    ("spot", {"board": "2c 2d 2h", "oop": "AA,KK,QQ", "ip": "JJ,TT", "bets": "50%,a"}),
)


def states_of(game, seed):
    """Return the states of a random hand after the deal."""
    draw, state, states = random.Random(seed), game.root(), []
    while (mover := game.player(state)) != TERMINAL:
        if mover == CHANCE:
            own = getattr(game, "draw", None)
            label = own(state, draw.random)[0] if own else draw.choice(game.chances(state))[0]
        else:
            states.append(state)
            label = draw.choice(game.actions(state))
        state = game.child(state, label)
    return [*states, state]


@pytest.mark.parametrize("name, parameters", GAMES, ids=str)
def test_pictures_have_the_actions_and_cards_of_each_state(name, parameters):
    game = rules(name, **parameters)
    for seed in range(20):
        for state in states_of(game, seed):
            for player in range(game.players):
                view = game.view(state, player)
                picture = td.games.kit_of(game).picture(view, player)
                assert picture.hidden[player] == 0 and len(picture.hidden) == game.players
                secret = name == "goofspiel" and game.player(state) != TERMINAL  # bids are simultaneous
                assert bool(picture.actions) == (secret or game.player(state) == player)
                if game.player(state) == player:
                    assert tuple(picture.actions) == tuple(game.actions(state))
                    words = kit_of(game).observe(view, player).actions
                    assert not words or words.keys() == picture.actions.keys()
                assert all(event.player == player for event in picture.actions.values())


@pytest.mark.parametrize("name, start", [("kuhn", 0), ("leduc", 0), ("nolimit_leduc", 5), ("holdem", 1000)])
def test_chips_are_those_of_the_payoffs(name, start):
    """At the end the loser has lost the chips that left its stack: half the pot at a showdown."""
    game = rules(name)
    for seed in range(30):
        state = states_of(game, seed)[-1]
        won, picture = game.payoffs(state), td.games.kit_of(game).picture(game.view(state, 0), 0)
        loser = won.index(min(won))
        if start and won[loser]:
            assert picture.stacks[loser] - start == won[loser]
        if not any(picture.folded) and won[loser]:
            assert won[1 - loser] * 2 == picture.pot
        if any(picture.folded):
            assert picture.folded.index(True) == loser


def test_a_picture_in_numbers():
    picture = td.games.kit_of(td.load_game("leduc")).picture("KQ|crc/r", 1)
    assert (picture.hand, picture.table, picture.pot, picture.bets) == (("K",), ("Q",), 10, (4, 0))
    assert [tuple(event) for event in picture.events] == [
        ("check", 0, None, ()),
        ("bet", 1, 2, ()),
        ("call", 0, 2, ()),
        ("deal", CHANCE, None, ("Q",)),
        ("bet", 0, 4, ()),
    ]
    assert {label: (event.verb, event.amount) for label, event in picture.actions.items()} == {
        "f": ("fold", None),
        "c": ("call", 4),
        "r": ("raise", 8),
    }
    hand = td.games.kit_of(td.load_game("holdem")).picture("AhKd|9d7d5h|cc/", 0)
    assert hand.hand == ("Ah", "Kd") and hand.table == ("9d", "7d", "5h") and hand.pot == 20
    assert hand.stacks == (990, 990) and hand.events[-1].cards == ("9d", "7d", "5h")
    assert hand.actions["a"].verb == "all-in" and hand.actions["a"].amount == 990


def test_games_without_pictures_show_their_observation():
    game = td.load_game("rps")
    assert td.games.kit_of(game).picture("", 0).text == kit_of(game).observe("", 0).hand
