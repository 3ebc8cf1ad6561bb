"""Messages of the results of a table, and of the place at which a variation begins."""

from __future__ import annotations

from tefuda.apps.web.messages.message import Message


class Interval(Message):
    """A mean with its interval of 95 %."""

    mean: float
    low: float
    high: float


class Dearest(Message):
    """The decision that cost most.

    Attributes:
        hand: number of the hand, from 0.
        decision: number of the decision in the hand, from 0.
        cost: its cost.
    """

    hand: int
    decision: int
    cost: float


class Results(Message):
    """The results of some hands.

    Attributes:
        hands: number of hands.
        won: total payoff of the person.
        decisions: number of decisions of known cost.
        mistakes: number of slips and blunders.
        cost: cost per decision; None without decisions.
        dearest: the slip or blunder that cost most; None if there is none.
        aivat: payoff per hand without luck; None if it is unknown, or for fewer than two hands.
    """

    hands: int
    won: float
    decisions: int
    mistakes: int
    cost: float | None
    dearest: Dearest | None
    aivat: Interval | None


class Statistics(Message):
    """The results of the hands that the person played alone, and of helped hands."""

    own: Results
    helped: Results


class Variation(Message):
    """The place at which a variation begins, as the address of its page."""

    address: str
