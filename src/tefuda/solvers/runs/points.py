"""Points of a run's curve: the evaluator's figures after a number of iterations.

Every kind has `iteration`, `seconds` of solving (without evaluation), `nodes` (histories visited so far by methods
that count them, else 0), and the evaluator's `figure` between `low` and `high`.
"""

from __future__ import annotations

from typing import NamedTuple

from tefuda.errors import SolverError


class Point(NamedTuple):
    """A point evaluated exactly, in the game's unit.

    nash_conv: of the method's answer. average_nash_conv, current_nash_conv: of the average and of the last iterate.

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
        """NashConv: it is exact."""
        return self.nash_conv

    @property
    def high(self) -> float:
        """NashConv: it is exact."""
        return self.nash_conv


class EstimatedPoint(NamedTuple):
    """A point evaluated by play or by learning: a figure and the interval around it, all nan if nothing was evaluated.

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
        """Raise SolverError: it is not known."""
        raise SolverError("this curve was not evaluated by NashConv; its points have a figure, between low and high.")


AnyPoint = Point | EstimatedPoint
