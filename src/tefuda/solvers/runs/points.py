"""Points of a run's curve: the figures of an evaluator after some iterations."""

from __future__ import annotations

from typing import NamedTuple

from tefuda.errors import SolverError


class Point(NamedTuple):
    """A point with exact figures, in the game's unit.

    Attributes:
        iteration: number of iterations so far.
        seconds: time of solving so far, without evaluation.
        nash_conv: NashConv of the reported strategy.
        average_nash_conv: NashConv of the average.
        current_nash_conv: NashConv of the last iterate.
        nodes: number of histories visited so far, for methods that count them; others leave 0.

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
        """NashConv of the reported strategy."""
        return self.nash_conv

    @property
    def low(self) -> float:
        """The same as `figure`, which is exact."""
        return self.nash_conv

    @property
    def high(self) -> float:
        """The same as `figure`, which is exact."""
        return self.nash_conv


class EstimatedPoint(NamedTuple):
    """A point with an estimated figure and its interval, all nan if nothing was evaluated.

    Attributes:
        iteration: number of iterations so far.
        seconds: time of solving so far, without evaluation.
        figure: the evaluator's estimate for the reported strategy.
        low: lower end of the interval.
        high: upper end of the interval.
        nodes: number of histories visited so far, for methods that count them; others leave 0.

    >>> td.solve(td.load_game("kuhn"), "cfr", iterations=1, evaluator=td.NoEvaluation()).curve[0].figure
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
        """Raise SolverError: an estimated point has no NashConv."""
        raise SolverError("this curve was not evaluated by NashConv; use figure, low and high of its points.")


AnyPoint = Point | EstimatedPoint
