"""Remarks on rules without a fault: what is worth a look, found while `check_game` walks a game."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import NamedTuple

_PRIME, _BASE = 2**61 - 1, 1_000_003  # a polynomial modulo a prime tells sequences of payoffs apart


class WalkDigest(NamedTuple):
    """A point of a depth-first walk: the decisions and ends so far, each with a digest of what was met there."""

    decisions: int = 0
    views: int = 0
    ends: int = 0
    payoffs: int = 0


class UnseenChance:
    """Outcomes of chance that change payoffs, while no view at a later decision tells them apart.

    A card that is dealt to a player whose views never show it is such an outcome. mark: the point of the walk.

    >>> unseen = UnseenChance()
    >>> first = unseen.mark
    >>> unseen.decide(0, "my turn"), unseen.end((1, -1))
    (None, None)
    >>> second = unseen.mark
    >>> unseen.decide(0, "my turn"), unseen.end((-1, 1))
    (None, None)
    >>> unseen.pair([first, second, unseen.mark])
    (0, 1)
    """

    def __init__(self) -> None:
        self.mark = WalkDigest()

    def decide(self, player: int, view: Hashable) -> None:
        """Count a decision, in any order."""
        mark = self.mark
        self.mark = mark._replace(decisions=mark.decisions + 1, views=mark.views + hash((player, view)))

    def end(self, payoffs: Sequence[float]) -> None:
        """Count the end of a history; the order counts, for it is that of the moves where views are the same."""
        mark, digest = self.mark, hash(tuple(payoffs))
        whole = (mark.payoffs + digest * pow(_BASE, mark.ends, _PRIME)) % _PRIME
        self.mark = mark._replace(ends=mark.ends + 1, payoffs=whole)

    def pair(self, marks: Sequence[WalkDigest]) -> tuple[int, int] | None:
        """Return the places of two outcomes that payoffs tell apart and views do not; None if there are none.

        Args:
            marks: before the first outcome of a history of chance, and after each.
        """
        met = dict[tuple[int, int], tuple[int, int]]()
        for place, (before, after) in enumerate(pairwise(marks)):
            views = after.decisions - before.decisions, after.views - before.views
            payoffs = (after.payoffs - before.payoffs) * pow(_BASE, -before.ends, _PRIME) % _PRIME
            first, paid = met.setdefault(views, (place, payoffs))
            if views[0] and paid != payoffs:
                return first, place
        return None
