"""Budget of a decision: the richest sizes of which a street is solved in time.

A predicted number of iterations makes decisions the same on every machine; the clock stops late ones only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from tefuda.errors import SizeError, check_range
from tefuda.holdem.betting import TURN, Street, read_sizes
from tefuda.holdem.spots.size import predict
from tefuda.holdem.spots.spot import Spot

_MEMORY = 5e8  # bytes of regrets and averages; a decision takes about twice as much
_MORE = 2  # times the predicted iterations at most, where they fit the budget


class StreetSizes(NamedTuple):
    """Bet sizes on turn and river."""

    turn: Street
    river: Street


def _sizes(turn: tuple[str, str], river: tuple[str, str]) -> StreetSizes:
    turn_, river_ = (Street(read_sizes(bets, "bets", False), read_sizes(raises)) for bets, raises in (turn, river))
    return StreetSizes(turn_, river_)


#: Sizes of bets and of raises on turn and river, the richest first. All-in alone would be more exploitable than a
#: blueprint that bets the pot; where no sizes fit, the blueprint plays.
TURN_SIZES = (
    _sizes(("33,75,150,a", "50,100,a"), ("50,100,a", "100,a")),
    _sizes(("50,100,a", "100,a"), ("50,100,a", "100,a")),
    _sizes(("50,100,a", "100,a"), ("100,a", "100,a")),
    _sizes(("50,100,a", "a"), ("50,100,a", "a")),
    _sizes(("100,a", "100,a"), ("100,a", "100,a")),
    _sizes(("100,a", "a"), ("100,a", "a")),
)
#: Sizes on rivers, which take milliseconds.
RIVER_SIZES = tuple(
    _sizes(river, river)
    for river in (
        ("25,50,75,100,150,250,a", "50,100,a"),
        ("33,75,150,a", "50,100,a"),
        ("50,100,a", "100,a"),
        ("100,a", "a"),
    )
)


@dataclass(frozen=True)
class Budget:
    """Budget of a decision.

    Args:
        seconds: predicted seconds of a decision on one core; 0: the blueprint plays.
        memory: bytes of regrets and averages.
        patience: the clock stops a decision after this many times its seconds; inf: never.

    Raises:
        ParameterError: a number is negative.
    """

    seconds: float = 3.0
    memory: float = _MEMORY
    patience: float = 2.0

    def __post_init__(self) -> None:
        for name in ("seconds", "memory"):
            check_range(name, getattr(self, name), 0, whole=False)
        if self.patience != inf:
            check_range("patience", self.patience, 0, whole=False)

    def choose(self, make: Callable[[StreetSizes], Spot], first: Sequence[StreetSizes] = ()) -> StreetSizes | None:
        """Return the first sizes whose spot fits; None if none does.

        Args:
            make: function that returns the spot with these sizes.
            first: sizes to try before those of the module.
        """
        street = make(RIVER_SIZES[-1]).street
        for sizes in (*first, *(TURN_SIZES if street == TURN else RIVER_SIZES)):
            try:
                expected = predict(make(sizes))
            except SizeError:
                continue
            if expected.seconds <= self.seconds and expected.bytes <= self.memory:
                return sizes
        return None

    def iterations(self, spot: Spot) -> int:
        """Return the number of iterations of a spot: those predicted, and more where they fit."""
        expected = predict(spot)
        more = self.seconds / max(expected.seconds, 1e-9)
        return int(expected.iterations * min(max(more, 1.0), _MORE))

    def clock(self) -> Callable[[], bool]:
        """Return a function that says whether a decision that starts now is late."""
        end = time.perf_counter() + self.patience * self.seconds
        return lambda: time.perf_counter() > end
