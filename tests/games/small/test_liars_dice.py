"""Liar's dice by hand."""

from fractions import Fraction

import pytest

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
