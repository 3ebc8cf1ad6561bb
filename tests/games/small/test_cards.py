"""Names of cards, and draws of several cards from a deck."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest

from tefuda.games.small.cards import card_words, draw_cards, rank_names


def test_ranks_end_in_the_king_and_are_numbers_beyond_twelve():
    assert rank_names(1) == ("K",) and rank_names(12) == tuple("23456789TJQK")
    assert rank_names(13) == tuple(map(str, range(1, 14))) and len(set(rank_names(40))) == 40


@pytest.mark.parametrize(
    "card, words", [("A", "the ace"), ("Th", "the ten of hearts"), ("9d", "the nine of diamonds"), ("13", "the 13")]
)
def test_cards_in_words(card, words):
    assert card_words(card) == words


@pytest.mark.parametrize("deck, count", [("KKQQ", 2), ("AAAB", 3), ("JQK", 3), ("KKQ", 1)])
def test_drawn_cards_have_the_probability_of_all_ways_to_draw_them(deck, count):
    """Probabilities agree with the list of all orders of the deck; every uniform number gives a draw."""
    ways = Counter(permutations(deck, count))
    numbers = [0.0, 0.3, 0.6, 0.999999]
    for points in permutations(numbers, count):
        cards, probability = draw_cards(deck, count, iter(points).__next__)
        assert probability == Fraction(ways[cards], sum(ways.values()))
    assert draw_cards("JQK", 3, iter((0.99, 0.0, 0.5)).__next__) == (("K", "J", "Q"), Fraction(1, 6))
