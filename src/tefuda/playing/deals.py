"""What is dealt: the luck of each deal, the tasks a match is made of, and what came out of them.

A deal's luck is drawn in a fixed order from streams of its own: numbers for what chance does, and for each seat numbers
for its mixed choices. So every seating of a deal sees the same cards, whoever plays, in any order and process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tefuda.playing.agents import Agent

Seating = tuple[int, ...]  # the agent in each seat
#: What the seatings of a deal share: cards and the luck of mixed actions, cards, or nothing.
SHARED = ("luck", "cards", "nothing")


class Hand(NamedTuple):
    """One hand: its deal, the agent in each seat, all labels from the root, and payoffs by seat."""

    deal: int
    seating: Seating
    labels: tuple[object, ...]
    payoffs: tuple[float, ...]


@dataclass(frozen=True)
class Dealing:
    """How many deals are played, and from what luck.

    deals: K. seed: of cards and luck. shared: one of `SHARED`. keep: whether hands are kept.
    """

    deals: int
    seed: int = 0
    shared: str = "luck"
    keep: bool = False

    def cards(self, deal: int, seating: int) -> np.random.Generator:
        """The stream of what chance does."""
        return self._stream(deal, self._own(seating) if self.shared == "nothing" else 0)

    def luck(self, deal: int, seating: int, seat: int = 0) -> np.random.Generator:
        """The stream of mixed choices: of all seats in a row, seat 0, or of one that is numbered from 1 on."""
        return self._stream(deal, 1 if self.shared == "luck" else self._own(seating) + (1 << 32), seat)

    @staticmethod
    def _own(seating: int) -> int:
        return 2 + seating  # streams of a deal: 0 and 1 are for all seatings

    def _stream(self, deal: int, number: int, seat: int = 0) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=[self.seed, deal], counter=[0, 0, seat, number]))


class Task(NamedTuple):
    """Some deals in one seating.

    game: a tree, rules, or a table. seating: the agent in each seat. number: of the seating. first: the first deal.
    """

    game: Any
    agents: Sequence[Agent]
    seating: Seating
    dealing: Dealing
    number: int = 0
    first: int = 0


class Played(NamedTuple):
    """Of K deals in a seating: payoffs, the histories they ended at, the hands if they are kept.

    ends: -1 where there is no tree.
    """

    payoffs: np.ndarray  # [K, A]
    ends: np.ndarray  # [K]
    hands: list[Hand]
