"""Views in words, in English and Japanese."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError
from tefuda.games.kit import kit_of
from tefuda.games.phrases import LANGUAGES, between, phrases
from tefuda.games.plays import draw_outcome
from tefuda.games.protocol import CHANCE, TERMINAL, Observation

GAMES = [
    ("kuhn", {}), ("kuhn", {"players": 3}), ("leduc", {"distinct_suits": True}), ("leduc", {"players": 3}),
    ("nolimit_leduc", {}), ("liars_dice", {"dice": 2}), ("goofspiel", {}), ("goofspiel", {"hidden": False}),
    ("battleship", {}), ("sheriff", {"rounds": 2}), ("tiny_hanabi", {}), ("trade_comm", {}), ("chsh", {}),
    ("signalling", {}), ("first_price_auction", {}), ("oshi_zumo", {}), ("liars_poker", {}), ("tiny_bridge", {}),
    ("bargaining", {}), ("dark_hex", {}), ("phantom_ttt", {"abrupt": True}), ("repeated", {"rounds": 3}),
    ("rhode_island", {"ranks": 4}), ("royal_holdem", {}), ("coordinated_matching_pennies", {}),
    ("spot", {}), ("holdem", {"players": 3, "stack": 100}), ("holdem", {"limit": True}),
]  # fmt: skip


def seen_views(game, count=20):
    """Yield (view, player) of decisions, and of ends for all players, in random games."""
    rng = np.random.default_rng(5)
    for _ in range(count):
        state = game.root()
        while (player := game.player(state)) != TERMINAL:
            if player == CHANCE:
                state = game.child(state, draw_outcome(game, state, rng.random)[0])
                continue
            yield game.view(state, player), player
            actions = game.actions(state)
            state = game.child(state, actions[int(rng.integers(len(actions)))])
        yield from ((game.view(state, seat), seat) for seat in range(game.players))


@pytest.mark.parametrize("name, parameters", GAMES)
def test_views_say_the_same_in_both_languages(name, parameters):
    """Numbers and labels are equal, and no English word is left in the Japanese text."""
    game = td.load_game(name, **parameters)
    for view, player in seen_views(game):
        english, japanese = (kit_of(game).observe(view, player, language) for language in LANGUAGES)
        assert english == game.observe(view, player) and english.actions.keys() == japanese.actions.keys()
        parts = ((*told[:2], *told.actions.values()) for told in (english, japanese))
        for ours, other in zip(*parts, strict=True):
            assert sorted(re.findall(r"\d+", ours.replace("ten", "10"))) == sorted(re.findall(r"\d+", other))
            assert not re.findall("[a-z]{3}", other)


def test_rules_without_a_language_answer_in_their_own():
    own = SimpleNamespace(observe=lambda view, player: Observation(f"{view} of {player}"))
    assert kit_of(own).observe("view", 1, "ja") == Observation("view of 1")
    assert kit_of(object()).observe("view", 1, "ja") == Observation("view")


def test_unknown_languages_are_refused():
    for ask in (lambda: phrases("betting", "la"), lambda: td.load_game("kuhn").observe("K|", 0, "la")):
        with pytest.raises(ParameterError) as error:
            ask()
        assert "en" in str(error.value)
    assert between("en") == ", "
