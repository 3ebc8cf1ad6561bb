"""Goofspiel by hand."""

from fractions import Fraction

from tests.conftest import rules
from tests.small_games import end_of


def test_goofspiel_by_hand():
    game = rules("goofspiel", cards=3)
    # Prizes 3, 2, 1. Player 0 bids 3, 1 and is left with 2; player 1 bids 1, 3 and is left with 2: 3 against 2.
    assert end_of(game, 3, 1, 1, 3) == (1, -1)
    assert end_of(game, 3, 3, 2, 2) == (0, 0)
    points = rules("goofspiel", cards=3, payoff="point_difference")
    assert end_of(points, 3, 1, 1, 3) == (Fraction(1, 2), Fraction(-1, 2))
    assert rules("goofspiel", cards=3, order="ascending").root()[0] == (1,)


def test_views_of_goofspiel():
    """With hidden bids both players see the winner of a round; with open bids they see the bids."""
    state = rules("goofspiel", cards=4).root()
    hidden, shown = rules("goofspiel", cards=4), rules("goofspiel", cards=4, hidden=False)
    views = {
        (game.hidden, bids): game.view(game.child(game.child(state, bids[0]), bids[1]), 0)
        for game in (hidden, shown)
        for bids in ((4, 1), (4, 2))
    }
    assert views[True, (4, 1)] == views[True, (4, 2)] == "4.3| 4| 0"
    assert views[False, (4, 1)] != views[False, (4, 2)]
