"""Deals: the luck of each deal, the tasks of a match, and their results.

A deal's luck comes from streams of its own, in a fixed order: one for chance, and for each seat one for its mixed
choices. So every seating of a deal sees the same cards, with any agents, in any order and process.
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


def rotated_seating(players: int, hand: int) -> Seating:
    """Return the agent in each seat of a hand, counted from 0, if all agents move on by a seat after each hand."""
    return tuple((seat - hand) % players for seat in range(players))


class Hand(NamedTuple):
    """A hand: its deal, the agent in each seat, all labels from the root, and payoffs by seat."""

    deal: int
    seating: Seating
    labels: tuple[object, ...]
    payoffs: tuple[float, ...]


@dataclass(frozen=True)
class DealSource:
    """The number of deals, and their luck. shared: one of `SHARED`. record: whether to record the hands."""

    deals: int
    seed: int = 0
    shared: str = "luck"
    record: bool = False

    def cards(self, deal: int, seating: int) -> np.random.Generator:
        """Return the stream of chance."""
        return self._stream(deal, self._own(seating) if self.shared == "nothing" else 0)

    def luck(self, deal: int, seating: int, seat: int = 0) -> np.random.Generator:
        """Return the stream of mixed choices: of all seats in a row (0), or of one seat, numbered from 1."""
        return self._stream(deal, 1 if self.shared == "luck" else self._own(seating) + (1 << 32), seat)

    @staticmethod
    def _own(seating: int) -> int:
        return 2 + seating  # streams of a deal: 0 and 1 are for all seatings

    def _stream(self, deal: int, number: int, seat: int = 0) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=[self.seed, deal], counter=[0, 0, seat, number]))


class Task(NamedTuple):
    """Some deals in one seating, which has a number, on a tree, rules or a table. first: the first deal."""

    game: Any
    agents: Sequence[Agent]
    seating: Seating
    dealing: DealSource
    number: int = 0
    first: int = 0


class TaskResult(NamedTuple):
    """The results of K deals in a seating: payoffs, the histories at the ends (-1 without a tree), the hands kept."""

    payoffs: np.ndarray  # [K, A]
    ends: np.ndarray  # [K]
    hands: list[Hand]
