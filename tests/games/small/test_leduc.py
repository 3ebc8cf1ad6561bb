"""Leduc hold'em by hand (Southey et al. 2005): the winner of each pot."""

from fractions import Fraction

import pytest

import tefuda as td
from tests.conftest import rules
from tests.small_games import end_of

ENDS = [  # cards, moves, board, moves, payoff of player 0. Ante 1, raises of 2, then of 4, two a round.
    (("K", "Q"), "cc", "J", "cc", 1),  # the higher rank
    (("K", "Q"), "cc", "Q", "cc", -1),  # a pair beats it
    (("Q", "Q"), "cc", "K", "cc", 0),  # a tie
    (("J", "K"), "rc", "J", "rrc", 1 + 2 + 8),  # the maximum before the pair is shown: 11
    (("J", "K"), "rrc", "Q", "rrc", -(1 + 4 + 8)),  # the largest possible loss: 13
]


@pytest.mark.parametrize("cards, first, board, second, won", ENDS)
def test_winnings_by_hand(cards, first, board, second, won):
    assert end_of(rules("leduc"), cards, *first, board, *second) == (won, -won)


def test_folds_pay_the_bets():
    """The last player wins the others' bets without showing cards."""
    assert end_of(rules("leduc"), ("J", "K"), "r", "f") == (1, -1)
    assert end_of(rules("leduc"), ("K", "J"), "r", "r", "f") == (-3, 3)
    assert end_of(rules("leduc", players=3), ("J", "K", "Q"), "r", "f", "f") == (2, -1, -1)


def test_betting_goes_round_to_the_raiser_and_the_cap_ends_it():
    """After check, bet, fold player 0 must answer, and after its call the board is dealt."""
    game = rules("leduc", players=3)
    state, movers = game.child(game.root(), ("T", "J", "Q")), []
    for letter in "crfc":
        movers.append(game.player(state))
        state = game.child(state, letter)
    assert movers == [0, 1, 2, 0] and game.player(state) == td.CHANCE
    assert game.player(game.child(state, "K")) == 0  # player 2 has folded; the first remaining player begins
    state = game.child(game.child(game.child(game.root(), ("T", "J", "Q")), "r"), "r")
    assert game.actions(state) == ("f", "c")  # two raises a round at most


def test_pots_that_cannot_be_halved_are_split_exactly():
    """Two of three players tie for a pot of 3 after a fold: 3/2 each, less their bets."""
    game = rules("leduc", players=3, ante=1)
    won = end_of(game, ("Q", "Q", "J"), "c", "c", "c", "K", "c", "c", "c")
    assert won == (Fraction(1, 2), Fraction(1, 2), -1) and sum(won) == 0


WRONG = [{"players": 1}, {"ranks": 1, "suits": 1}, {"raises": [2]}, {"raises": [0, 4]}, {"cap": -1}]


@pytest.mark.parametrize("wrong", WRONG)
def test_parameters_out_of_range(wrong):
    with pytest.raises(td.errors.ParameterError):
        td.load_game("leduc", **wrong)
