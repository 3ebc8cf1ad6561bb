"""Liar's dice by hand."""

from fractions import Fraction

import pytest

import tefuda as td
from tests.conftest import rules
from tests.small_games import end_of


@pytest.mark.parametrize(
    "hands, bids, payoffs",
    [
        (("3", "5"), ("1-3",), (1, -1)),  # one three exists: the caller, player 1, was wrong
        (("3", "5"), ("1-4",), (-1, 1)),
        (("6", "5"), ("1-4",), (1, -1)),  # the six is wild
        (("6", "5"), ("1-4", "2-5"), (-1, 1)),  # five and wild six: two fives
        (("5", "5"), ("1-6",), (-1, 1)),  # a bid of sixes counts only sixes
        (("6", "6"), ("2-1",), (1, -1)),
    ],
)
def test_liars_dice_by_hand(hands, bids, payoffs):
    assert end_of(rules("liars_dice"), hands, *bids, "liar") == payoffs


def test_three_liars():
    """The caller and the last bidder settle; the third player pays nothing."""
    game = rules("liars_dice", players=3, sides=3)
    assert end_of(game, ("1", "2", "1"), "1-1", "2-1", "liar") == (0, 1, -1)
    assert end_of(game, ("1", "2", "1"), "1-1", "1-2", "3-2", "liar") == (1, 0, -1)


def test_rolls_are_multinomial():
    game = rules("liars_dice", dice=2, sides=3)
    chances = dict(game.chances(game.root()))
    assert chances["12", "33"] == Fraction(2, 9) * Fraction(1, 9) and sum(chances.values()) == 1


def test_players_with_different_numbers_of_dice():
    """Two dice against one: bids up to three dice, rolls and views of each player's own dice."""
    game = rules("liars_dice", dice=(2, 1), sides=3)
    chances = dict(game.chances(game.root()))
    assert chances["12", "3"] == Fraction(2, 9) * Fraction(1, 3) and sum(chances.values()) == 1
    draws = iter([0.9, 0.1, 0.5])
    assert game.draw(game.root(), lambda: next(draws)) == (("13", "2"), Fraction(2, 27))
    state = game.child(game.root(), ("13", "2"))
    assert [game.view(state, player) for player in (0, 1)] == ["13|", "2|"]
    assert game.actions(state)[-1] == "3-3" and len(game.actions(state)) == 9
    assert end_of(game, ("13", "2"), "2-2", "liar") == (1, -1)  # a two and a wild three
    assert end_of(game, ("13", "2"), "2-3", "liar") == (-1, 1)
    assert game.picture(game.view(state, 1), 1).hidden == (2, 0)
    assert len({len(game.features(state, player)) for player in (0, 1)}) == 1
    assert td.check_game(game).ok


def test_equal_numbers_of_dice_are_one_number():
    assert rules("liars_dice", dice=[2, 2]) == rules("liars_dice", dice=2)


@pytest.mark.parametrize("dice", [0, 6, 1.5, True, "2", (1,), (1, 2, 1), (1, 0), (1, 1.0)])
def test_other_numbers_of_dice_are_refused(dice):
    with pytest.raises(td.errors.ParameterError):
        rules("liars_dice", dice=dice)
