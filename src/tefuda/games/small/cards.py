"""Rank names and card draws of the small card games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

#: Ranks of a suit, from lowest to highest; the ace is low.
SUIT = "A23456789TJQK"
_RANKS = dict(zip(SUIT, "ace two three four five six seven eight nine ten jack queen king".split(), strict=True))
_SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}


def rank_names(count: int) -> tuple[str, ...]:
    """Return the names of `count` ranks, lowest first, up to the king; numbers if more than twelve.

    >>> rank_names(3), rank_names(4)
    (('J', 'Q', 'K'), ('T', 'J', 'Q', 'K'))
    """
    return tuple(SUIT[-count:]) if count < len(SUIT) else tuple(str(rank) for rank in range(1, count + 1))


def cards_kind(card: str) -> str:
    """Return the kind of a card for a `Picture`: ``"suits"``, ``"ranks"`` or ``"numbers"``.

    >>> cards_kind("Ks"), cards_kind("K"), cards_kind("14")
    ('suits', 'ranks', 'numbers')
    """
    if card[0] in _RANKS and card[1:] in _SUITS:
        return "suits"
    return "ranks" if card in _RANKS else "numbers"


def card_words(card: str) -> str:
    """Return a card in words.

    >>> card_words("K"), card_words("Js"), card_words("14")
    ('the king', 'the jack of spades', 'the 14')
    """
    rank, suit = (card[0], card[1:]) if card[0] in _RANKS and card[1:] in _SUITS else (card, "")
    return f"the {_RANKS.get(rank, rank)}" + (f" of {_SUITS[suit]}" if suit else "")


def draw_cards(deck: Sequence[str], count: int, uniform: Callable[[], float]) -> tuple[tuple[str, ...], Fraction]:
    """Draw `count` cards in order; return them and the probability of the ordered draw."""
    left, drawn, ways, all_ways = list(deck), [], 1, 1
    for _ in range(count):
        card = left[int(uniform() * len(left))]
        ways, all_ways = ways * left.count(card), all_ways * len(left)
        left.remove(card)
        drawn.append(card)
    return tuple(drawn), Fraction(ways, all_ways)
