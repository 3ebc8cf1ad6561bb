"""Buckets by percentile of equity in a small deck, against enumeration."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from tefuda.holdem.cards import HANDS, hand_number, read_cards
from tefuda.holdem.rank import strength
from tefuda.holdem.spots.compiled import compile_spot
from tefuda_reproductions.decks.buckets import buckets, cells, equities, small_deck


@cache
def compiled():
    return compile_spot(small_deck(), isomorphism=False)


@pytest.mark.parametrize("hand, board", [("Ks Ts", "Ah Qs Jh"), ("9h 9s", "Ah Qs Jh Qh"), ("As Kh", "Ah Qs Jh Th 9h")])
def test_equities_by_enumeration(hand, board):
    """Each compatible hand meets each complete board once."""
    spot, own, cards = compiled().spot, read_cards(hand), read_cards(board)
    left = [card for card in spot.deck if card not in (*own, *cards)]
    total = number = 0.0
    for others in HANDS[np.isin(HANDS, left).all(axis=1)].tolist():
        rest = [card for card in left if card not in others]
        for more in combinations(rest, 5 - len(cards)):
            one, two = (strength((*hole, *cards, *more)) for hole in (own, others))
            total, number = total + (one > two) + (one == two) / 2, number + 1
    context = next(n for n, c in enumerate(compiled().contexts) if {*c.board} == {*cards})
    assert equities(compiled())[context, hand_number(*own)] == pytest.approx(total / number, abs=1e-12)


def test_buckets_are_equal_shares_in_the_order_of_equity():
    found, known = buckets(compiled(), (0, 6, 2)), equities(compiled())
    for number, context in enumerate(compiled().contexts):
        hands = context.hands[0]
        count = (len(hands), 6, 2)[len(context.board) - 3]
        if len(context.board) == 3:
            assert len({*found[number, hands].tolist()}) == count
            continue
        equity, own = known[number, hands].round(9), found[number, hands]
        assert (np.diff(own[np.argsort(equity, kind="stable")]) >= 0).all() and 0 <= own.min() <= own.max() < count
        assert all(len({*own[equity == one].tolist()}) == 1 for one in equity)
    shares = np.bincount(found[1:10][~np.isnan(known[1:10])])
    assert len(shares) == 6 and shares.min() > 0.5 * shares.mean()


def test_cells_join_hands_of_a_bucket_and_an_action():
    """With one bucket a street, cells are the actions on all lines."""
    streets, none = compiled().betting.streets, np.zeros((82, 1326), dtype=int)
    actions = sum(sum(tree.actions) for tree in streets)
    found = cells(compiled(), none)
    assert len(found) == 215_424 and found.max() + 1 == actions
    block = compiled().block(0, 0, 0)
    assert found[block].reshape(3, 36).tolist() == [[row] * 36 for row in found[block][::36].tolist()]
    by_hand = cells(compiled(), buckets(compiled(), (0, 0, 0)))
    assert by_hand.max() + 1 == 36 * actions and len(np.unique(by_hand[block])) == 3 * 36
