"""How large a spot is, before its arrays are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tefuda.errors import SizeError, check_range
from tefuda.holdem.spots.contexts import list_contexts
from tefuda.holdem.spots.spot import Spot
from tefuda.holdem.spots.tree import count_tree
from tefuda.words import count

_NANOSECONDS = 4.0  # of an iteration for each number stored: 2 (a river, in the cache) to 5 on a core of 2023
MEMORY = 8e9  # bytes a spot may take unless told otherwise


class Numbers(NamedTuple):
    """The types of numbers: those that walks reckon in, those that regrets and averages are stored in.

    Integers count a scale that each decision node has.
    """

    work: str
    regrets: str
    sums: str

    @property
    def scaled(self) -> bool:
        """Whether they count scales."""
        return self.regrets != self.work


#: By name of the precision.
PRECISIONS = {
    "half": Numbers("float32", "int16", "uint16"),
    "single": Numbers("float32", "float32", "float32"),
    "double": Numbers("float64", "float64", "float64"),
}


@dataclass(frozen=True)
class SpotSize:
    """Counts of a spot.

    boards: those that are solved. all_boards: those they stand for. decisions: decision nodes on all boards that are
    solved. stored: numbers of regrets, and as many of averages. hands: of each player at the root.
    """

    boards: int
    all_boards: int
    decisions: int
    stored: int
    hands: tuple[int, int]

    def bytes(self, precision: str = "single") -> int:
        """What regrets and averages take."""
        kept = PRECISIONS[precision]
        numbers = self.stored * (np.dtype(kept.regrets).itemsize + np.dtype(kept.sums).itemsize)
        return numbers + (2 * self.decisions * np.dtype(kept.work).itemsize if kept.scaled else 0)

    @property
    def seconds(self) -> float:
        """What an iteration takes on one core, roughly."""
        return self.stored * _NANOSECONDS * 1e-9


def require_room(size: SpotSize, precision: str, memory: float = MEMORY) -> None:
    """Raise SizeError if a spot takes more memory than it may."""
    check_range("memory", memory, 0, whole=False)
    wanted = size.bytes(precision)
    if wanted > memory:
        raise SizeError(
            f"the spot takes {wanted / 1e9:.2f} GB ({count(size.decisions, 'decision nodes')} on "
            f"{count(size.boards, 'boards')}); {memory / 1e9:.2f} GB are allowed. Give fewer sizes or a later street, "
            f"or allow more: memory={1.1 * wanted:.0g}."
        )


def size_of(spot: Spot, isomorphism: bool = True) -> SpotSize:
    """Count a spot.

    Args:
        spot: what is to be solved.
        isomorphism: whether boards that differ by names of suits only are one.

    Raises:
        SizeError: the betting tree has too many nodes.
    """
    streets, contexts = count_tree(spot.betting, spot.street), list_contexts(spot, isomorphism)
    street = np.array([len(one.board) - len(spot.board) for one in contexts])
    sizes = np.array([[len(hands) for hands in one.hands] for one in contexts])
    actions = np.array([one.actions for one in streets])[street]
    decisions = np.array([one.decisions for one in streets])[street]
    stands = np.ones(len(contexts), dtype=int)
    for number, one in enumerate(contexts):
        if one.parent >= 0:
            stands[number] = stands[one.parent] * len(one.ways)
    return SpotSize(
        len(contexts), int(stands.sum()), int(decisions.sum()), int((actions * sizes).sum()),
        (int(sizes[0, 0]), int(sizes[0, 1])),
    )  # fmt: skip
