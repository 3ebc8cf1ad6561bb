"""Detection of chance outcomes that change payoffs but appear in no view."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import NamedTuple

_PRIME, _BASE = 2**61 - 1, 1_000_003  # a polynomial modulo a prime: digest of a sequence of payoffs


class WalkDigest(NamedTuple):
    """Counts and digests of a depth-first traversal so far.

    Attributes:
        decisions: number of decisions.
        views: digest of the views at decisions, in any order.
        ends: number of terminal histories.
        payoffs: digest of their payoffs, in order.
    """

    decisions: int = 0
    views: int = 0
    ends: int = 0
    payoffs: int = 0


class UnseenChance:
    """Search for chance outcomes that change payoffs, but not the views at later decisions.

    An example is a card dealt to a player whose views never show it.

    Attributes:
        digest: the traversal so far.

    >>> unseen = UnseenChance()
    >>> first = unseen.digest
    >>> unseen.add_decision(0, "my turn"), unseen.add_end((1, -1))
    (None, None)
    >>> second = unseen.digest
    >>> unseen.add_decision(0, "my turn"), unseen.add_end((-1, 1))
    (None, None)
    >>> unseen.pair([first, second, unseen.digest])
    (0, 1)
    """

    def __init__(self) -> None:
        self.digest = WalkDigest()

    def add_decision(self, player: int, view: Hashable) -> None:
        """Add a decision; the order does not matter."""
        before = self.digest
        self.digest = before._replace(decisions=before.decisions + 1, views=before.views + hash((player, view)))

    def add_end(self, payoffs: Sequence[float]) -> None:
        """Add a terminal history; the order matters."""
        before, digest = self.digest, hash(tuple(payoffs))
        total = (before.payoffs + digest * pow(_BASE, before.ends, _PRIME)) % _PRIME
        self.digest = before._replace(ends=before.ends + 1, payoffs=total)

    def pair(self, digests: Sequence[WalkDigest]) -> tuple[int, int] | None:
        """Return the indices of two outcomes with equal views and different payoffs; None if there are none.

        Args:
            digests: digest before the first outcome of a chance history, and after each outcome.
        """
        first_of = dict[tuple[int, int], tuple[int, int]]()
        for index, (before, after) in enumerate(pairwise(digests)):
            views = after.decisions - before.decisions, after.views - before.views
            payoffs = (after.payoffs - before.payoffs) * pow(_BASE, -before.ends, _PRIME) % _PRIME
            first, paid = first_of.setdefault(views, (index, payoffs))
            if views[0] and paid != payoffs:
                return first, index
        return None
