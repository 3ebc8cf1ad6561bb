"""Messages of both ranges at a table of a solved spot, as the public actions leave them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tefuda.apps.web.messages.message import Message
from tefuda.holdem.cards import CLASS_OF, CLASSES, hand_number, read_cards
from tefuda.holdem.spots.grid import class_means, free_hands
from tefuda.holdem.spots.practice import SpotCoach

_DIGITS = 3


class RangesMessage(Message):
    """Both ranges by class of hands, in the order of the 13x13 grid.

    Attributes:
        classes: names of the classes.
        hand: number of the class of the person's hand.
        own: how often the person holds a class, from 0 to 1; likewise `opponent`.
        shares: share of each action by class, ``[action][class]``, with advice only; else empty.
        line: line of the decision.
    """

    classes: Sequence[str]
    hand: int
    own: Sequence[float]
    opponent: Sequence[float]
    shares: Sequence[Sequence[float]]
    line: str


def ranges_message(coach: SpotCoach, view: str, seat: int, advised: bool) -> RangesMessage:
    """Return the ranges under the coach's strategy at a decision of a player."""
    cards, _, line = str(view).partition("|")
    board, reach = coach.strategy.board(line), coach.strategy.reach(line)
    own, opponent = reach[seat], reach[1 - seat]
    held = read_cards(cards)
    probabilities = coach.strategy.probabilities(line).values() if advised else ()
    return RangesMessage(
        classes=CLASSES,
        hand=int(CLASS_OF[hand_number(*held)]),
        own=_means(free_hands(board), own),
        opponent=_means(free_hands((*board, *held)), opponent),
        shares=[_means(own, share) for share in probabilities],
        line=line,
    )


def _means(weights: np.ndarray, figures: np.ndarray) -> list[float]:
    """Return the weighted mean of figures of hands by class; 0 without weight."""
    return list(np.round(np.nan_to_num(class_means(weights, figures)), _DIGITS).tolist())
