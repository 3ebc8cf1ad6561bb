"""Messages of ranges: the hands of a written range with their weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations

import numpy as np

from tefuda.apps.web.messages.message import Message
from tefuda.holdem.cards import CLASSES, hand_number, read_cards
from tefuda.holdem.ranges import Range

SUITS = "shdc"


@dataclass(frozen=True)
class RangeMessage(Message):
    """A range as the page paints it.

    Attributes:
        text: the shortest text.
        cells: weights of each class in the order of the chart: one weight, or one for each hand. Hands are in the order
            of their suits spades, hearts, diamonds, clubs, the suit of the first rank first.
        hands: number of hands.
        share: share of all hands, by weight.
    """

    text: str
    cells: list[list[float]]
    hands: int
    share: float


def range_message(own: Range) -> RangeMessage:
    """Return the message of a range."""
    cells = [own.weights[numbers].tolist() for numbers in _hands()]
    short = [weights[:1] if len(set(weights)) == 1 else weights for weights in cells]
    return RangeMessage(str(own), short, int(np.count_nonzero(own.weights)), float(own.weights.mean()))


@cache
def _hands() -> list[list[int]]:
    """Return the numbers of the hands of each class."""
    return [[hand_number(*read_cards(text)) for text in _hands_of(name)] for name in CLASSES]


def _hands_of(name: str) -> list[str]:
    """Return the hands of a class."""
    first, second, kind = name[0], name[1], name[2:]
    if kind == "s":
        return [first + suit + second + suit for suit in SUITS]
    pairs = permutations(SUITS, 2) if kind else combinations(SUITS, 2)
    return [first + one + second + other for one, other in pairs]
