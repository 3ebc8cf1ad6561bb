"""Estimated shares of the pot against exact ones."""

import pytest

import tefuda as td
from tefuda.holdem.cards import read_cards
from tefuda.holdem.equities import equity
from tefuda.holdem.hands.odds import pot_share

#: Hands, boards, exact shares against a random hand (`equity`).
SPOTS = (("AsAh", ""), ("7h2c", ""), ("JdTd", "9d8d2c"), ("5s5c", "AhKhQhJh"), ("7h2c", "AsKsQsJsTs"))


@pytest.mark.parametrize("hole, board", SPOTS)
def test_shares_are_those_of_all_boards(hole, board):
    exact = equity("AA" if hole == "AsAh" else "72o" if not board else hole, "*", board).first
    found = pot_share(read_cards(hole), read_cards(board), 1, samples=40_000, seed=3)
    assert found == pytest.approx(exact, abs=4 * 0.5 / 200)


def test_more_opponents_leave_less():
    """Aces against 1, 2 and 8 random hands: 85.2, 73.4 and 34.7 % (published tables of odds)."""
    shares = [pot_share(read_cards("AsAh"), (), number, 20_000, seed=1) for number in (1, 2, 8)]
    assert shares == pytest.approx([0.852, 0.734, 0.347], abs=0.015)
    tie = pot_share(read_cards("7h2c"), read_cards("AsKsQsJsTs"), 3, 10)
    assert tie == 0.25


def test_draws_are_by_seed():
    hand = read_cards("KdQc")
    assert (
        pot_share(hand, (), 2, 100, seed=1)
        == pot_share(hand, (), 2, 100, seed=1)
        != pot_share(hand, (), 2, 100, seed=2)
    )
    for wrong in (dict(opponents=0), dict(opponents=23), dict(opponents=1, samples=0), dict(opponents=1, seed=-1)):
        with pytest.raises(td.errors.ParameterError):
            pot_share(hand, (), **wrong)
