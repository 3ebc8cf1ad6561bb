"""Curves drawn with characters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tefuda.solution import Point

_COLOURS = ("cyan", "yellow", "magenta", "green", "red", "blue", "white")


def curve_plot(curves: Mapping[str, Sequence[Point]], *, width: int = 64, height: int = 14) -> str:
    """NashConv against iterations, both on logarithmic axes, drawn with braille dots (2 x 4 a character)."""
    series = {
        name: [(math.log10(point.iteration), math.log10(point.nash_conv)) for point in points if point.nash_conv > 0]
        for name, points in curves.items()
    }
    flat = [pair for pairs in series.values() for pair in pairs]
    if len(flat) < 2:
        return ""
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*flat, strict=True))
    low, high = math.floor(low), max(math.ceil(high), math.floor(low) + 1)
    marks = {(high - decade) / (high - low): f"1e{decade:+03d}" for decade in range(low, high + 1)}
    ends = (f"{10**left:,.0f}", f"{10**right:,.0f} iterations")
    drawn = _dot_plot(series, (left, right, low, high), marks, ends, width=width, height=height)
    if len(series) > 1:
        names = (f"[{_COLOURS[n % len(_COLOURS)]}]━ {name}[/]" for n, name in enumerate(series))
        drawn += "\n" + " " * 8 + "  ".join(names)
    return "NashConv\n" + drawn


def frontier_plot(rows: Sequence[tuple[float, float]], *, width: int = 64, height: int = 14) -> str:
    """What is won, upwards, against what is risked."""
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*rows, strict=True))
    high = max(high, low + 1e-9)
    ends = (f"{left:.2f}", f"{right:.2f} risked")
    marks = {0.0: f"{high:+.2f}", 1.0: f"{low:+.2f}"}
    return "won\n" + _dot_plot({"": rows}, (left, right, low, high), marks, ends, width=width, height=height)


def _dot_plot(
    series: Mapping[str, Sequence[tuple[float, float]]],
    box: tuple[float, float, float, float],
    marks: Mapping[float, str],
    ends: tuple[str, str],
    *,
    width: int,
    height: int,
) -> str:
    """Lines through points, left to right, in braille dots.

    Args:
        series: points of each line, x increasing.
        box: left, right, low, high.
        marks: what stands beside the axis, by the part of the way down.
        ends: what stands below it, left and right.
        width: in characters.
        height: in characters.
    """
    left, right, low, high = box
    right = max(right, left + 1e-9)
    cells = [[(0, 0)] * width for _ in range(height)]
    for number, pairs in enumerate(series.values()):
        for x, y in _dense(list(pairs), left, right, 2 * width):
            row = min(4 * height - 1, round((high - y) / (high - low) * (4 * height - 1)))
            column = min(2 * width - 1, round((x - left) / (right - left) * (2 * width - 1)))
            dots, _ = cells[row // 4][column // 2]
            cells[row // 4][column // 2] = (dots | _BRAILLE[row % 4][column % 2], number)
    named = {round(part * (height - 1)): text for part, text in marks.items()}
    lines = [
        f"{named.get(index, ''):>6} │" + "".join(_cell(dots, number) for dots, number in row)
        for index, row in enumerate(cells)
    ]
    lines.append(" " * 7 + "└" + "─" * width)
    lines.append(" " * 8 + ends[0].ljust(width - len(ends[1])) + ends[1])
    return "\n".join(lines)


_BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def _cell(dots: int, number: int) -> str:
    return f"[{_COLOURS[number % len(_COLOURS)]}]{chr(0x2800 + dots)}[/]" if dots else " "


def _dense(pairs: list[tuple[float, float]], left: float, right: float, steps: int) -> list[tuple[float, float]]:
    """The points and those of the straight lines between them."""
    if len(pairs) < 2:
        return pairs
    xs, ys = zip(*pairs, strict=True)
    grid = np.linspace(left, right, steps)
    grid = grid[(grid >= xs[0]) & (grid <= xs[-1])]
    return [*pairs, *zip(grid.tolist(), np.interp(grid, xs, ys).tolist(), strict=True)]
