"""Points of curves, and what files of earlier versions lack of them."""

import math

import pytest

import tefuda as td
from tefuda.solvers.runs.points import EstimatedPoint, Point


@pytest.mark.parametrize("answer, figure", [("average", 0.5), ("current", 0.2), ("better", 0.2)])
def test_the_figure_is_that_of_the_answer(answer, figure):
    point = Point.judged(answer, 7, 1.5, 0.5, 0.2, 40)
    assert point == Point(7, 1.5, figure, 0.5, 0.2, 40)
    assert point.figure == point.low == point.high == figure
    assert Point.judged("better", 7, 1.5, 0.1, 0.2).nash_conv == 0.1


def test_points_of_format_1_lack_the_answers_figure():
    """iteration, seconds, average, current, and nodes or not; those written now have all six."""
    assert Point.of([7, 1.5, 0.5, 0.2], "average") == Point(7, 1.5, 0.5, 0.5, 0.2, 0)
    assert Point.of([7, 1.5, 0.5, 0.2, 40], "better") == Point(7, 1.5, 0.2, 0.5, 0.2, 40)
    whole = Point(7, 1.5, 0.2, 0.5, 0.2, 40)
    assert Point.of(list(whole), "average") == whole  # what was kept is not chosen anew


def test_estimated_points_have_no_nash_conv():
    point = EstimatedPoint.of([7, 1.5, 0.5, 0.4, 0.6, 40], "average")
    assert point == EstimatedPoint(7, 1.5, 0.5, 0.4, 0.6, 40) and isinstance(point.iteration, int)
    assert math.isnan(EstimatedPoint.of([7, 1.5, math.nan, math.nan, math.nan, 0], "average").figure)
    for name in ("nash_conv", "average_nash_conv", "current_nash_conv"):
        with pytest.raises(td.SolverError, match="a figure, between low and high"):
            getattr(point, name)
