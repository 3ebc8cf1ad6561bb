"""Curves in the terminal, of braille dots or ASCII characters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from rich.text import Text

from tefuda.apps.display.consoles import out, terminal_width
from tefuda.figure import COLOURS, Axis, axis_label, decade_axis, linear_axis, power_text
from tefuda.solvers.runs.evaluators import Evaluator, NashConv
from tefuda.solvers.runs.points import AnyPoint

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_MARGIN = 9  # characters left of the plot: a label and the axis

Pairs = Sequence[tuple[float, float]]
_NASH_CONV = NashConv()


def curve_plot(
    curves: Mapping[str, Sequence[AnyPoint]], *, unit: str = "iterations", evaluator: Evaluator = _NASH_CONV
) -> Text:
    """Return a plot of evaluations over iterations; an empty text for fewer than two points."""
    if (drawn := scaled_series(curves, evaluator)) is None:
        return Text()
    series, across, up = drawn
    return _plot(plot_title(evaluator), unit, series, across, up)


def plot_title(evaluator: Evaluator) -> str:
    """Return the title of a plot of evaluations: the axis with its unit, and the better direction."""
    return axis_label(evaluator.title, evaluator.unit) + (", lower is better" if evaluator.lower_is_better else "")


def scaled_series(
    curves: Mapping[str, Sequence[AnyPoint]], evaluator: Evaluator = _NASH_CONV
) -> tuple[dict[str, Pairs], Axis, Axis] | None:
    """Return the points of each curve, and both axes; None for fewer than two points.

    Iterations are decimal logarithms; so are evaluations that converge to 0.
    """
    series: dict[str, Pairs] = {
        name: [
            (math.log10(point.iteration), math.log10(point.figure) if evaluator.lower_is_better else point.figure)
            for point in points
            if (point.figure > 0 if evaluator.lower_is_better else math.isfinite(point.figure))
        ]
        for name, points in curves.items()
    }
    flat = [pair for pairs in series.values() for pair in pairs]
    if len(flat) < 2:
        return None
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*flat, strict=True))
    decades = range(math.ceil(left), math.floor(right) + 1)
    across = Axis(left, max(right, left + 1e-9), tuple((decade, power_text(decade)) for decade in decades))
    return series, across, decade_axis(low, high) if evaluator.lower_is_better else linear_axis(low, high)


def frontier_plot(rows: Pairs) -> Text:
    """Return a plot of the gain over the risk."""
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*rows, strict=True))
    title, below = (axis_label(name, "game's unit per game") for name in ("gain from the model", "risk"))
    return _plot(title, below, {"": list(rows)}, linear_axis(left, right), linear_axis(low, high))


def _plot(title: str, below: str, series: Mapping[str, Pairs], across: Axis, up: Axis) -> Text:
    """Return a plot as wide as the terminal; every tick of the y axis has a row."""
    plain, width = out.options.ascii_only, terminal_width() - _MARGIN - 1
    spaces = max(1, len(up.marks) - 1)
    height = spaces * max(1, 14 // spaces) + 1
    cells = _dots(series, across, up, width, height)
    text = Text(f"{title}\n", no_wrap=True, overflow="ignore")
    named = {round((up.high - number) / (up.high - up.low) * (height - 1)): label for number, label in up.marks}
    for row in range(height):
        label = named.get(row, "")
        text.append(f"{label:>7} {'|' if plain else '┤' if label else '│'}")
        for column in range(width):
            dots, letter, number = cells.get((row, column), (0, "", 0))
            if letter:
                text.append(letter, f"bold {COLOURS[number % len(COLOURS)]}")
            elif dots:
                text.append("*" if plain else chr(0x2800 + dots), COLOURS[number % len(COLOURS)])
            else:
                text.append(" ")
        text.append("\n")
    text.append(_horizontal_axis(across, width, plain) + "\n" + " " * _MARGIN + f"{below:^{width}}".rstrip())
    return text.append(_legend(list(series))) if len(series) > 1 else text


def _dots(
    series: Mapping[str, Pairs], across: Axis, up: Axis, width: int, height: int
) -> dict[tuple[int, int], tuple[int, str, int]]:
    """Return the dots, the letter and the number of the curve, by character."""
    cells: dict[tuple[int, int], tuple[int, str, int]] = {}
    lines: dict[tuple[int, int], list[int]] = {}
    for number, pairs in enumerate(series.values()):
        for x, y in _interpolated(list(pairs), across, 2 * width):
            down = (
                round((up.high - y) / (up.high - up.low) * 4 * (height - 1)) + 2
            )  # a tick is in the middle of its row
            right = min(2 * width - 1, round((x - across.low) / (across.high - across.low) * (2 * width - 1)))
            cell = (min(max(down, 0) // 4, height - 1), right // 2)
            dots = cells[cell][0] if cell in cells else 0
            cells[cell] = (dots | _BRAILLE[down % 4][right % 2], "", number)
            if number not in (curves := lines.setdefault(cell, [])):
                curves.append(number)
    if len(series) < 2:
        return cells
    for cell, number in _letter_cells(lines, len(series), 1 if out.options.ascii_only else max(8, width // 5)).items():
        cells[cell] = (cells[cell][0], _LETTERS[number % len(_LETTERS)], number)
    return cells


def _letter_cells(lines: Mapping[tuple[int, int], list[int]], count: int, step: int) -> dict[tuple[int, int], int]:
    """Return the letters of curves by cell: every `step` characters, and at the ends."""
    letters = {}
    for cell, curves in lines.items():
        due = [number for number in curves if (cell[1] - number * step // count) % step == 0]
        if due:
            letters[cell] = due[cell[1] % len(due)]
    ends: dict[tuple[int, int], int] = {}
    for number in range(count):
        own = [cell for cell, curves in lines.items() if number in curves and cell not in ends]
        if own:
            ends[max(own, key=lambda cell: cell[1])] = number
    return letters | ends


def _interpolated(pairs: list[tuple[float, float]], across: Axis, steps: int) -> list[tuple[float, float]]:
    if len(pairs) < 2:
        return pairs
    xs, ys = zip(*pairs, strict=True)
    grid = np.linspace(across.low, across.high, steps)
    grid = grid[(grid >= xs[0]) & (grid <= xs[-1])]
    return [*pairs, *zip(grid.tolist(), np.interp(grid, xs, ys).tolist(), strict=True)]


def _horizontal_axis(across: Axis, width: int, plain: bool) -> str:
    line, labels = ["-" if plain else "─"] * width, [" "] * (width + 8)
    for number, label in across.marks:
        column = round((number - across.low) / (across.high - across.low) * (width - 1))
        line[column] = "+" if plain else "┴"
        start = max(0, column - (len(label) - 1) // 2)
        start = min(start, width - len(label)) if column > 0 else start
        if all(letter == " " for letter in labels[max(0, start - 1) : start + len(label) + 1]):
            labels[start : start + len(label)] = label
    corner = " " * (_MARGIN - 1) + ("+" if plain else "└")
    return f"{corner}{''.join(line)}\n{' ' * _MARGIN}{''.join(labels).rstrip()}"


def _legend(names: Sequence[str]) -> Text:
    text, left = Text(), 0
    for number, name in enumerate(names):
        entry = f"{_LETTERS[number % len(_LETTERS)]} {name}"
        if left < len(entry) + 3:
            text.append("\n" + " " * _MARGIN)
            left = terminal_width() - _MARGIN
        text.append(f"{entry}   ", COLOURS[number % len(COLOURS)])
        left -= len(entry) + 3
    return text
