"""Names of ranks, shared by the small card games."""

from __future__ import annotations

_RANKS = dict(zip("23456789TJQK", "two three four five six seven eight nine ten jack queen king".split(), strict=True))
_SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}


def rank_names(count: int) -> tuple[str, ...]:
    """Name `count` ranks from lowest to highest: the ranks that end in the king (three: J Q K), numbers beyond twelve.

    >>> rank_names(3), rank_names(4)
    (('J', 'Q', 'K'), ('T', 'J', 'Q', 'K'))
    """
    poker = "23456789TJQK"
    return tuple(poker[-count:]) if count <= len(poker) else tuple(str(rank) for rank in range(1, count + 1))


def card_words(card: str) -> str:
    """A card as it is called.

    >>> card_words("K"), card_words("Js"), card_words("14")
    ('the king', 'the jack of spades', 'the 14')
    """
    rank, suit = (card[0], card[1:]) if card[0] in _RANKS and card[1:] in _SUITS else (card, "")
    return f"the {_RANKS.get(rank, rank)}" + (f" of {_SUITS[suit]}" if suit else "")
