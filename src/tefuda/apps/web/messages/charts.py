"""Messages of charts: lines as points, which the page scales and draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Row = Sequence[float]


class Line(NamedTuple):
    """A line of a chart.

    Attributes:
        name: name of the line.
        points: x and y of each point, and the ends of its interval if it has one.
        marks: draw a dot at each point.
    """

    name: str
    points: Sequence[Row]
    marks: bool = False


def chart_message(
    lines: Sequence[Line],
    labels: Sequence[Sequence[str]],
    scales: Sequence[str] = ("log", "log"),
    levels: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Return a chart with logarithmic or linear axes.

    Args:
        lines: lines; points without a place on the axes, such as 0 on a logarithmic one, are not drawn.
        labels: labels of x and y: words of the page, which it translates.
        scales: ``"log"`` or ``"linear"``, for x and y.
        levels: y of horizontal lines, by name.
    """
    return {
        "labels": labels,
        "scales": list(scales),
        "levels": [[name, value] for name, value in (levels or {}).items() if math.isfinite(value)],
        "lines": [{"name": line.name, "points": _points(line), "marks": line.marks} for line in lines],
    }


def _points(line: Line) -> list[Row]:
    """Return the points of a line; their intervals are left out where none has a width."""
    band = any(row[2] != row[3] for row in line.points if len(row) > 2)
    return [row if band else row[:2] for row in line.points]
