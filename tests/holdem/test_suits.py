"""Interchangeable suits. Counts: the page's table of canonical hands, by Burnside's lemma."""

from itertools import combinations

import numpy as np
import pytest

from tefuda.holdem.cards import HANDS, hand_number, read_cards
from tefuda.holdem.ranges import Range
from tefuda.holdem.suits import PERMUTATIONS, count_classes, permute_card, permute_hands, symmetries

#: Cards dealt in rounds -> classes.
COUNTS = {
    (2,): 169,
    (2, 3): 1_286_792,
    (2, 3, 1): 55_190_538,
    (2, 3, 1, 1): 2_428_287_420,
    (2, 4): 13_960_050,
    (2, 5): 123_156_254,
    (3,): 1_755,
    (3, 1): 63_193,
    (3, 1, 1): 2_554_656,
    (4,): 16_432,
    (5,): 134_459,
    (7,): 6_009_159,
}


@pytest.mark.parametrize("rounds", COUNTS)
def test_counts(rounds):
    assert count_classes(*rounds) == COUNTS[rounds]


def canonical(cards):
    return min(tuple(sorted(permute_card(card, p) for card in cards)) for p in PERMUTATIONS)


def test_numbers_of_canonical_sets():
    assert len({canonical(hand) for hand in HANDS.tolist()}) == 169
    assert len({canonical(flop) for flop in combinations(range(52), 3)}) == 1_755


def test_hands_move_with_their_cards():
    for permutation in PERMUTATIONS[::5]:
        expected = [hand_number(*(permute_card(card, permutation) for card in hand)) for hand in HANDS.tolist()]
        assert permute_hands(permutation).tolist() == expected


@pytest.mark.parametrize(
    "board, text, count",
    [
        ("Qs Jh 2h", "*", 2),
        ("Qs Js 2s", "*", 6),
        ("Qs Jh 2d", "*", 1),
        ("Qs Qh 2d", "*", 2),
        ("Qs Jh 2h 8d 3c", "*", 1),
        ("Qs Js 2s", "AA,AcKc:0.5", 2),
        ("", "AA,AKs", 24),
        ("", "AsKs", 6),
    ],
)
def test_symmetries(board, text, count):
    found = symmetries(read_cards(board), [Range.read(text).weights, np.ones(1326)])
    assert len(found) == count and found[0] == (0, 1, 2, 3)
