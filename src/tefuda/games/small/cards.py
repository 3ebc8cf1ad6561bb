"""Rank names and card draws of the small card games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from tefuda.games.phrases import between, phrases

#: Ranks of a suit, from lowest to highest; the ace is low.
SUIT = "A23456789TJQK"
_SUITS = ("s", "h", "d", "c")


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
    if card[0] in SUIT and card[1:] in _SUITS:
        return "suits"
    return "ranks" if card in SUIT else "numbers"


def card_words(card: str, language: str = "en") -> str:
    """Return a card in words.

    >>> card_words("K"), card_words("Js"), card_words("14"), card_words("Js", "ja")
    ('the king', 'the jack of spades', 'the 14', 'スペードのジャック')
    """
    words = phrases("cards", language)
    rank, suit = (card[0], card[1:]) if card[0] in SUIT and card[1:] in _SUITS else (card, "")
    name = words.get(rank, rank)
    return words["card of suit"].format(name, words[suit]) if suit else words["card"].format(name)


def pot_text(chips: int, moves: Sequence[str], language: str = "en") -> str:
    """Return the pot and the moves so far.

    >>> pot_text(3, ["you check", "player 1 bets"])
    'pot 3: you check, player 1 bets'
    """
    words = phrases("betting", language)
    return words["pot and moves"].format(chips, between(language).join(moves)) if moves else words["pot"].format(chips)


def draw_cards(deck: Sequence[str], count: int, uniform: Callable[[], float]) -> tuple[tuple[str, ...], Fraction]:
    """Draw `count` cards in order; return them and the probability of the ordered draw."""
    left, drawn, ways, all_ways = list(deck), [], 1, 1
    for _ in range(count):
        card = left[int(uniform() * len(left))]
        ways, all_ways = ways * left.count(card), all_ways * len(left)
        left.remove(card)
        drawn.append(card)
    return tuple(drawn), Fraction(ways, all_ways)
