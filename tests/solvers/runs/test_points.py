"""Points of curves."""

import math

import pytest

import tefuda as td
from tefuda.solvers.runs.points import EstimatedPoint


def test_estimated_points_have_no_nash_conv():
    point = EstimatedPoint.of([7, 1.5, 0.5, 0.4, 0.6, 40])
    assert point == EstimatedPoint(7, 1.5, 0.5, 0.4, 0.6, 40) and isinstance(point.iteration, int)
    assert math.isnan(EstimatedPoint.of([7, 1.5, math.nan, math.nan, math.nan, 0]).figure)
    for name in ("nash_conv", "average_nash_conv", "current_nash_conv"):
        with pytest.raises(td.SolverError, match="between"):
            getattr(point, name)
