"""The relevant pairs of sequences of two sides, and the rows of their correlation plans."""

from __future__ import annotations

from typing import Any

import numpy as np

from tefuda.correlating.triggers import require_room
from tefuda.forms.arrays import ranges
from tefuda.solvers.exact.lp import Side

_BYTES = 1_000  # of a pair in the rows, here and in HiGHS


class Pairs:
    """The pairs of sequences that end at infosets that some history passes through.

    They are the relevant pairs of von Stengel and Forges (2008).
    Sequences and infosets are numbered by side, the empty one first.

    Args:
        one: the first side.
        two: the second side.

    Attributes:
        sides: both sides.
        connected: `[2, C]` infosets of both sides that a history passes through, in order.
        codes: `[K]` relevant pairs q * sequences of the second side + r, in order.
        size: number of relevant pairs, K.

    Raises:
        SizeError: the free memory is too small.
    """

    def __init__(self, one: Side, two: Side) -> None:
        self.sides, self.connected = (one, two), _connected(one, two)
        counts = [np.bincount(side.infoset) for side in self.sides]
        sizes = [count[infosets] for count, infosets in zip(counts, self.connected, strict=True)]
        total = sizes[0] * sizes[1]
        self.size = int(total.sum())
        require_room(f"{self.size:,} pairs of sequences", self.size * _BYTES)
        number, width = ranges(np.zeros(len(total)), total), np.repeat(sizes[1], total)
        sequences = [
            np.argsort(side.infoset, kind="stable")[np.repeat((np.cumsum(count) - count)[infosets], total) + action]
            for side, count, infosets, action in zip(
                self.sides, counts, self.connected, np.divmod(number, width), strict=True
            )
        ]
        self.codes = np.sort(sequences[0] * two.size + sequences[1])

    def place(self, member: int, own: np.ndarray, other: np.ndarray | int) -> np.ndarray:
        """Return the numbers of relevant pairs, of a side's sequences and the other side's."""
        one, two = (own, other) if member == 0 else (other, own)
        return np.searchsorted(self.codes, np.asarray(one, np.int64) * self.sides[1].size + two)

    def alone(self, member: int) -> np.ndarray:
        """Return the numbers of the pairs of a side's sequences with the empty one, in their order."""
        return np.flatnonzero(np.divmod(self.codes, self.sides[1].size)[1 - member] == 0)

    def consistency(self, member: int) -> Any:
        """Return the rows for which a plan is 0: actions at an infoset sum to the sequence before it."""
        from scipy.sparse import csr_array

        side, pair = self.sides[member], np.divmod(self.codes, self.sides[1].size)
        own, other, width = side.infoset[pair[member]], pair[1 - member], self.sides[1 - member].size
        inner = np.flatnonzero(own)
        keys, row = np.unique(own[inner] * width + other[inner], return_inverse=True)
        place = self.place(member, side.parent[keys // width], keys % width)
        data = np.append(np.ones(len(inner)), -np.ones(len(place)))
        where = np.append(row, np.arange(len(place))), np.append(inner, place)
        return csr_array((data, where), (len(place), self.size))


def _connected(one: Side, two: Side) -> np.ndarray:
    """Return `[2, C]` the pairs of infosets that a history passes through, from its end on."""
    first, second = (side.infoset[side.ends()] for side in (one, two))
    above, width = [side.infoset[side.parent] for side in (one, two)], len(two.parent)
    known, codes = 0, np.unique(first * width + second)
    while known < len(codes):
        known, (first, second) = len(codes), np.divmod(codes, width)
        codes = np.unique(np.concatenate([codes, above[0][first] * width + second, first * width + above[1][second]]))
    return np.stack(np.divmod(codes, width))
