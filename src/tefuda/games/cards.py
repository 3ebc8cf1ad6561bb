"""Names of ranks, shared by the small card games."""

from __future__ import annotations


def rank_names(count: int) -> tuple[str, ...]:
    """Name `count` ranks from lowest to highest: the ranks that end in the king (three: J Q K), numbers beyond twelve.

    >>> rank_names(3), rank_names(4)
    (('J', 'Q', 'K'), ('T', 'J', 'Q', 'K'))
    """
    poker = "23456789TJQK"
    return tuple(poker[-count:]) if count <= len(poker) else tuple(str(rank) for rank in range(1, count + 1))
