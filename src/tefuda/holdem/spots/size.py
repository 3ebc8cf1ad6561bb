"""The size of a spot, before its arrays are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tefuda.errors import SizeError, check_choice, check_range
from tefuda.holdem.betting import FLOP, RIVER, STREETS
from tefuda.holdem.spots.contexts import Context, list_contexts
from tefuda.holdem.spots.spot import Spot
from tefuda.holdem.spots.tree import StreetCount, StreetTree, count_tree
from tefuda.words import count

_NANOSECONDS, _IN_CACHE = 3.0, 2.0  # per stored number and iteration: later boards, and one board in the cache
# Iterations to 1 % of the pot by pots behind, measured with full ranges on a turn; a river takes a quarter less.
_POTS_BEHIND, _ITERATIONS, _RIVER_SHARE = (2.0, 9.5, 19.5), (40, 100, 125), 0.75
MEMORY = 8e9  # default limit in bytes
_SHALLOW = 6  # pots in a stack


class Numbers(NamedTuple):
    """Types of numbers: of traversals, of stored regrets and of stored averages.

    Integers are in units of a scale of each node.
    """

    work: str
    regrets: str
    sums: str

    @property
    def scaled(self) -> bool:
        """True if stored numbers are in units of a scale."""
        return self.regrets != self.work


#: Types of numbers by precision.
PRECISIONS = {
    "half": Numbers("float32", "int16", "uint16"),
    "single": Numbers("float32", "float32", "float32"),
    "double": Numbers("float64", "float64", "float64"),
}


@dataclass(frozen=True)
class SpotSize:
    """Counts of a spot.

    Attributes:
        boards: number of boards that are solved.
        all_boards: number of boards that they represent.
        decisions: number of decision nodes on all boards that are solved.
        stored: number of regrets, and of averages.
        hands: number of hands of each player at the root.
    """

    boards: int
    all_boards: int
    decisions: int
    stored: int
    hands: tuple[int, int]

    def bytes(self, precision: str = "single") -> int:
        """Return the memory of regrets and averages in bytes, without predictions (half as much again)."""
        numbers = PRECISIONS[precision]
        stored = self.stored * (np.dtype(numbers.regrets).itemsize + np.dtype(numbers.sums).itemsize)
        return stored + (2 * self.decisions * np.dtype(numbers.work).itemsize if numbers.scaled else 0)

    @property
    def seconds(self) -> float:
        """Rough time of an iteration on one core."""
        return self.stored * (_IN_CACHE if self.boards == 1 else _NANOSECONDS) * 1e-9


class Prediction(NamedTuple):
    """The predicted cost of solving a spot to about 1 % of the pot.

    Attributes:
        iterations: number of iterations.
        seconds: seconds of one core.
        bytes: memory of regrets and averages in bytes.
    """

    iterations: int
    seconds: float
    bytes: int


def predict(spot: Spot, precision: str = "single") -> Prediction:
    """Return the predicted iterations, seconds and memory of solving a spot to about 1 % of the pot.

    The iterations depend on the stack in pots, so results that use them are the same on every machine.

    Args:
        spot: spot to solve.
        precision: type of stored numbers, one of `PRECISIONS`.

    Returns:
        The prediction, after some milliseconds of counting; nothing is compiled.

    Raises:
        SizeError: the betting tree has too many nodes.
    """
    check_choice("precision", precision, PRECISIONS)
    size, pots = size_of(spot), spot.betting.stack / spot.betting.pot
    share = _RIVER_SHARE if spot.street == RIVER else 1.0
    iterations = round(share * float(np.interp(np.log(max(pots, 1e-9)), np.log(_POTS_BEHIND), _ITERATIONS)))
    return Prediction(iterations, iterations * size.seconds, size.bytes(precision))


def default_sizes(street: int, pot: int, stack: int) -> dict[str, str]:
    """Return sizes that fit into memory for a spot from a street on (0: flop), for `make_spot`.

    A flop has one size, or two where the stack is below 6 pots, as after two raises before the flop; solve it in half
    precision.
    """
    bets, raises = "33%,75%,125%", "60%,a"
    if street == FLOP:
        bets, raises = "33%,75%" if stack < _SHALLOW * pot else "66%", "a"
    sizes = {f"{name}_{kind}": text for name in STREETS[street:] for kind, text in (("bet", bets), ("raise", raises))}
    return sizes if street == FLOP else sizes | {"river_bet": f"{bets},a"}


def require_room(size: SpotSize, precision: str, memory: float = MEMORY) -> None:
    """Raise SizeError if a spot exceeds a memory limit in bytes."""
    check_range("memory", memory, 0, whole=False)
    wanted = size.bytes(precision)
    if wanted > memory:
        raise SizeError(
            f"the spot takes {wanted / 1e9:.2f} GB ({count(size.decisions, 'decision nodes')} on "
            f"{count(size.boards, 'boards')}), more than the limit of {memory / 1e9:.2f} GB. Give fewer sizes or a "
            f"later street, or raise the limit: memory={1.1 * wanted:.0g}."
        )


def size_of(spot: Spot, isomorphism: bool = True) -> SpotSize:
    """Return the size of a spot before it is compiled.

    Args:
        spot: spot to measure.
        isomorphism: whether isomorphic boards are merged.

    Returns:
        Numbers of boards, decision nodes, regrets and hands.

    Raises:
        SizeError: the betting tree has too many nodes.
    """
    contexts, multiplicities = list_contexts(spot, isomorphism), list[int]()
    for context in contexts:
        multiplicities.append(len(context.ways) * (multiplicities[context.parent] if context.parent >= 0 else 1))
    first, second = contexts[0].hands
    counts = stored_numbers(contexts, count_tree(spot.betting, spot.street))
    return SpotSize(len(contexts), sum(multiplicities), *counts, (len(first), len(second)))


def stored_numbers(contexts: Sequence[Context], streets: Sequence[StreetCount | StreetTree]) -> tuple[int, int]:
    """Return the numbers of decision nodes on all boards and of regrets."""
    decisions = stored = 0
    for context in contexts:
        street = streets[len(context.board) - len(contexts[0].board)]
        decisions += street.decisions
        stored += sum(count * len(hands) for count, hands in zip(street.actions, context.hands, strict=True))
    return decisions, stored
