"""Messages of ranges: the hands of a written range with their weights."""

from __future__ import annotations

from functools import cache

import numpy as np

from tefuda.apps.web.messages.message import Message
from tefuda.holdem.cards import CLASS_OF, CLASSES, hand_text
from tefuda.holdem.ranges import Range

_SUITS = "shdc"


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
    """Return the numbers of the hands of each class in their order."""

    def suits(hand: int) -> list[int]:
        return [_SUITS.index(suit) for suit in hand_text(hand)[1::2]]

    return [sorted(np.flatnonzero(number == CLASS_OF).tolist(), key=suits) for number in range(len(CLASSES))]
