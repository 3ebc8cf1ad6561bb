"""Rhode Island hold'em by hand."""

from itertools import pairwise

import numpy as np
import pytest

import tefuda as td
from tefuda.games.plays import play
from tefuda.games.small.rhode_island import strength
from tests.conftest import refused, rules
from tests.small_games import end_of

# from the weakest to the strongest: each kind, and the cards that decide between two of a kind
ORDER = [
    "5s3h2d", "AsKhJd", "2s2hKd", "2s2hAd", "3s3h2d", "5s3s2s", "AsKsJs", "As2h3d", "2s3h4d", "AsKhQd",
    "2s2h2d", "AsAhAd", "As2s3s", "2s3s4s", "AsKsQs",
]  # fmt: skip


def test_kinds_of_three_cards():
    """Three of a kind beats a straight, which beats a flush; A23 is the lowest straight."""
    strengths = [strength(cards) for cards in ORDER]
    assert all(one < other for one, other in pairwise(strengths))
    assert strength("KhAsJd") == strength("JhKsAd")


def test_a_hand():
    """Ante 5, bets of 10, 20 and 20: a pair beats the ace."""
    game = rules("rhode_island")
    end = ("rc", "Kh", "rc", "3d", "rrc")
    moves = [move for part in end for move in (part if part[0] in "rc" else [part])]
    assert end_of(game, ("Ks", "As"), *moves) == (75, -75)
    assert end_of(game, ("Ks", "As"), "r", "f") == (5, -5)
    state = game.root()
    for move in (("Ks", "As"), *moves):
        state = game.child(state, move)
    assert game.view(state, 0) == "KsKh3d|rc/rc/rrc"
    picture = td.games.kit_of(game).picture(game.view(state, 0), 0)
    assert (picture.table, picture.pot) == (("Kh", "3d"), 150)


def test_the_size_of_the_game():
    """52 x 51 deals, then 50 and 49 public cards."""
    game, state = rules("rhode_island"), (("Ks", "As"), "", "cc")
    assert len(game.chances(game.root())) == 2_652 and len(game.chances(state)) == 50
    assert len(game.chances(game.child(game.child(game.child(state, "Kh"), "c"), "c"))) == 49


def test_a_small_deck_is_compiled_for_all_deals_at_once():
    game = rules("rhode_island", ranks=3, suits=2, cap=1)
    assert td.check_game(game).ok
    assert abs(td.solve(game, "lp").nash_conv) < 1e-9


def test_decks_that_are_too_small():
    with refused(td.errors.ParameterError, key="ranks"):
        rules("rhode_island", ranks=1, suits=3)
    with pytest.raises(td.errors.ParameterError):
        rules("rhode_island", raises=(10, 20))


def test_royal_holdem_is_dealt_from_twenty_cards():
    game = rules("royal_holdem")
    assert len(game.chances(game.root())) == 20 and game.chances(game.root())[0][0] == "Tc"
    assert td.check_game(game, limit=2_000, samples=50).ok
    steps, end = play(game, np.random.default_rng(0))
    assert sum(game.payoffs(end)) == 0 and steps
    assert td.load_game("royal_holdem", **game.parameters) == game
