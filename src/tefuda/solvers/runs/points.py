"""Points of a run's curve: what was known after so many iterations, as its judge saw it.

Every kind has `iteration`, `seconds` of solving (judging left out), `nodes` (histories visited so far by methods that
count them, else 0), and the judge's `figure` between `low` and `high`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tefuda.errors import SolverError


class Point(NamedTuple):
    """A point judged exactly; NashConv in the game's unit, seconds of solving (judging left out).

    nash_conv: of the method's answer; average_nash_conv, current_nash_conv: of the average and of the last iterate.
    nodes: histories visited so far by sampling methods, else 0.

    >>> curve = td.solve(td.load_game("kuhn"), "cfr", iterations=10).curve
    >>> curve[0].iteration, round(curve[0].nash_conv, 3)
    (1, 0.5)
    """

    iteration: int
    seconds: float
    nash_conv: float
    average_nash_conv: float
    current_nash_conv: float
    nodes: int = 0

    @property
    def figure(self) -> float:
        """NashConv."""
        return self.nash_conv

    @property
    def low(self) -> float:
        """The same, for it is exact."""
        return self.nash_conv

    @property
    def high(self) -> float:
        """The same, for it is exact."""
        return self.nash_conv

    @classmethod
    def of(cls, numbers: Sequence[Any]) -> Point:
        """A point from the numbers of a file."""
        iteration, seconds, *convs, nodes = map(float, numbers)
        return cls(int(iteration), seconds, convs[0], convs[1], convs[2], int(nodes))


class EstimatedPoint(NamedTuple):
    """A point judged by play or by learning: a figure, and the interval around it; all nan if nobody judged.

    >>> td.solve(td.load_game("kuhn"), "cfr", iterations=1, judge=td.Unjudged()).curve[0].figure
    nan
    """

    iteration: int
    seconds: float
    figure: float
    low: float
    high: float
    nodes: int = 0

    @property
    def nash_conv(self) -> float:
        """Raise SolverError: it is not known."""
        raise SolverError("this curve was not judged by NashConv; its points have a figure, between low and high.")

    @property
    def average_nash_conv(self) -> float:
        """Raise SolverError: it is not known."""
        return self.nash_conv

    @property
    def current_nash_conv(self) -> float:
        """Raise SolverError: it is not known."""
        return self.nash_conv

    @classmethod
    def of(cls, numbers: Sequence[Any]) -> EstimatedPoint:
        """A point from the numbers of a file."""
        iteration, seconds, figure, low, high, nodes = map(float, numbers)
        return cls(int(iteration), seconds, figure, low, high, int(nodes))


AnyPoint = Point | EstimatedPoint
