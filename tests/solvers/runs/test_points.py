"""Points of curves."""

import pytest

import tefuda as td
from tefuda.solvers.runs.points import EstimatedPoint


def test_estimated_points_have_no_nash_conv():
    with pytest.raises(td.errors.SolverError):
        _ = EstimatedPoint(7, 1.5, 0.5, 0.4, 0.6, 40).nash_conv
