"""Messages of charts: lines as paths in a square of 1,000 by 1,000, which the page draws as they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tefuda.figure import Axis, decade_axis, linear_axis, spread

_SIZE = 1000  # of the square; y grows downwards
_GAP = 45  # between two names of lines

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


class _Scale(NamedTuple):
    """A scale from values to places from 0 to 1,000."""

    axis: Axis
    logarithmic: bool

    def __call__(self, value: float) -> float:
        inner = math.log10(value) if self.logarithmic else value
        return round(_SIZE * (inner - self.axis.low) / (self.axis.high - self.axis.low), 1)

    def has(self, value: float | None) -> bool:
        return value is not None and math.isfinite(value) and (value > 0 or not self.logarithmic)

    def ticks(self) -> list[tuple[float, str]]:
        width = self.axis.high - self.axis.low
        return [(round(_SIZE * (tick - self.axis.low) / width, 1), text) for tick, text in self.axis.marks]


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
    rows, levels = [row for line in lines for row in line.points], levels or {}
    x = _scale([row[0] for row in rows], scales[0])
    y = _scale([*(value for row in rows for value in row[1:]), *levels.values()], scales[1])
    drawn = [_line(line, x, y) for line in lines]
    named = [line for line in drawn if line["end"]]
    for line, height in zip(named, spread([line["end"][1] for line in named], _GAP), strict=True):
        line["end"] = (line["end"][0], round(height, 1))
    return {
        "labels": labels,
        "ticks": [x.ticks(), [(round(_SIZE - place, 1), text) for place, text in y.ticks()]],
        "levels": [(name, round(_SIZE - y(value), 1), value) for name, value in levels.items() if y.has(value)],
        "lines": drawn,
    }


def _scale(values: Sequence[float | None], kind: str) -> _Scale:
    """Return the scale of an axis that has room for all values."""
    scale = _Scale(linear_axis(0, 1), kind == "log")
    usable = [value for value in values if value is not None and scale.has(value)] or [1.0]
    low, high = min(usable), max(usable)
    if scale.logarithmic:
        return scale._replace(axis=decade_axis(math.log10(low) + 1e-9, math.log10(high) - 1e-9))
    return scale._replace(axis=linear_axis(low, high) if low < high else linear_axis(low - 1, high + 1))


def _line(line: Line, x: _Scale, y: _Scale) -> dict[str, Any]:
    """Return a line with its path, its band, its dots, and the place of its end."""
    usable = [row for row in line.points if x.has(row[0]) and all(map(y.has, row[1:]))]
    band = any(row[2] != row[3] for row in usable if len(row) > 2)
    path = [_place(x(row[0]), y(row[1])) for row in usable]
    outline = (
        [_place(x(row[0]), y(row[2])) for row in usable] + [_place(x(row[0]), y(row[3])) for row in usable[::-1]]
        if band
        else []
    )
    return {
        "name": line.name,
        "points": [row if band else row[:2] for row in line.points],
        "path": _path(path),
        "band": f"{_path(outline)}Z" if band else "",
        "dots": [f"M{place}h0" for place in path] if line.marks or len(path) == 1 else [],
        "end": (x(usable[-1][0]), _SIZE - y(usable[-1][1])) if usable else None,
    }


def _place(x: float, y: float) -> str:
    return f"{x:g} {_SIZE - y:g}"


def _path(places: Sequence[str]) -> str:
    return f"M{'L'.join(places)}" if places else ""
