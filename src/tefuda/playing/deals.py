"""Deals: random streams, tasks of a match, and their results.

Each deal has its own random streams: one for chance, and one for the mixed choices of each seat. So all seatings of a
deal have the same cards, with any agents, in any order and process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tefuda.playing.agents import Agent

Seating = tuple[int, ...]  # the agent in each seat
#: Random streams shared by the seatings of a deal: cards and mixed choices, cards, or none.
SHARED = ("luck", "cards", "nothing")


def rotated_seating(players: int, hand: int) -> Seating:
    """Return the agent in each seat of a hand (from 0) if agents move by one seat after each hand."""
    return tuple((seat - hand) % players for seat in range(players))


class Hand(NamedTuple):
    """A recorded hand.

    Attributes:
        deal: number of the deal.
        seating: the agent in each seat.
        labels: all labels from the root.
        payoffs: payoffs by seat.
    """

    deal: int
    seating: Seating
    labels: tuple[object, ...]
    payoffs: tuple[float, ...]


@dataclass(frozen=True)
class DealSource:
    """The number of deals, and their random streams.

    Attributes:
        deals: number of deals.
        seed: random seed.
        shared: one of `SHARED`.
        record: whether to record the hands.
    """

    deals: int
    seed: int = 0
    shared: str = "luck"
    record: bool = False

    def cards(self, deal: int, seating: int) -> np.random.Generator:
        """Return the random stream of chance."""
        return self._stream(deal, self._own(seating) if self.shared == "nothing" else 0)

    def luck(self, deal: int, seating: int, seat: int = 0) -> np.random.Generator:
        """Return the random stream of mixed choices: of all seats (0), or of one seat, numbered from 1."""
        return self._stream(deal, 1 if self.shared == "luck" else self._own(seating) + (1 << 32), seat)

    @staticmethod
    def _own(seating: int) -> int:
        return 2 + seating  # streams 0 and 1 of a deal are shared by all seatings

    def _stream(self, deal: int, number: int, seat: int = 0) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=[self.seed, deal], counter=[0, 0, seat, number]))


class Task(NamedTuple):
    """A batch of deals, played in one seat order.

    Attributes:
        game: tree, rules or table.
        agents: agents of the match.
        seating: the agent in each seat.
        dealing: number of deals, and their random streams.
        number: number of the seating.
        first: number of the first deal.
    """

    game: Any
    agents: Sequence[Agent]
    seating: Seating
    dealing: DealSource
    number: int = 0
    first: int = 0


class TaskResult(NamedTuple):
    """The results of K deals in a seating.

    Attributes:
        payoffs: `[K, A]` payoffs.
        ends: `[K]` terminal histories; -1 without a tree.
        hands: recorded hands.
    """

    payoffs: np.ndarray  # [K, A]
    ends: np.ndarray  # [K]
    hands: list[Hand]
