"""Figures as data, and the style of all figures, independent of the drawing library."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tefuda.words import significant

#: Colours of lines that colour-blind readers can distinguish (the palette of Okabe and Ito).
BLUE, RED, GREEN, PURPLE, ORANGE, SKY, GREY = "#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #666666".split()
#: The same in the order of lines.
COLOURS = (BLUE, RED, GREEN, PURPLE, ORANGE, SKY, GREY)
#: Lengths of strokes and gaps in points, in the order of lines: a second cue beside colour. () is a solid line.
DASHES: tuple[tuple[int, ...], ...] = ((), (6, 3), (2, 3), (8, 3, 2, 3), (12, 4), (4, 2, 1, 2), (1, 4))
#: Pale colours of areas behind dark text.
SHADES = ("#8ecae6", "#ffd27f", "#8fd9b6", "#f4a582", "#e7b3d1", "#c9d3dd")
INK, QUIET, LINE, GRID = "#1b1d21", "#5b5f66", "#8a8578", "#e3e1da"  # of text, secondary text, edges and grid lines
#: Fills of actions; larger bets are darker, also in grey print.
ACTION_COLOURS = {
    "fold": "#a9b2bd", "check": "#6cc0f0", "call": "#0a5d8f", "small bet": "#fde9a9", "bet": "#f5ad45",
    "large bet": "#cf5b17", "all-in": "#6e1610",
}  # fmt: skip

WHITE = "#ffffff"
PAPER = "#fbfaf7"  # of cards
CARD_EDGE, CARD_BACK, CARD_STRIPES = "#8a8578", "#33506b", "#8fa8bf"
#: Colours of suits on `PAPER`, and of the kinds of hanafuda cards: bright, animal, ribbon, chaff.
SUIT_COLOURS = {"s": "#1c1c1c", "h": "#c8102e", "d": "#0a5d8f", "c": "#1b6e3c"}
KIND_COLOURS = {"B": "#8a5a00", "A": "#0a5d8f", "R": "#b3261e", "C": "#5b5f66"}
_WHITE_ON = ("call", "all-in")  # dark fills
_BETS = ("small bet", "bet", "large bet")
_KINDS = {"fold": "fold", "check": "check", "call": "call", "bet": "bet", "raise": "bet"}  # by the first word
#: Number of colours of actions without a kind.
ORDERS = 6
_SMALL_BET, _MIDDLE_BET = 0.4, 0.8  # largest parts of the pot of a small and of a usual bet


def action_colours(names: Sequence[str]) -> tuple[str, ...]:
    """Return the fill of each action of a decision.

    Folds, checks, calls and all-ins have their own fills, and bets and raises are darker the larger they are. Actions
    of other games take the fills in order.

    >>> action_colours(["Check", "Bet(50)", "AllIn(400)"]) == action_colours(["check", "bet 50", "all-in 400"])
    True
    """
    kinds = [name.lower().replace("allin", "all-in").replace("move ", "") for name in names]
    kinds = [re.match("[a-z-]*", kind)[0].replace("raise", "bet") for kind in kinds]  # type: ignore[index]
    fills = list(ACTION_COLOURS.values())
    if not all(kind in ACTION_COLOURS for kind in kinds):
        return tuple(fills[number % len(fills)] for number in range(len(kinds)))
    bets, number = kinds.count("bet"), 0
    for index, kind in enumerate(kinds):
        if kind == "bet":
            kinds[index] = _BETS[(2 * number + 1) * len(_BETS) // (2 * bets)]
            number += 1
    return tuple(ACTION_COLOURS[kind] for kind in kinds)


def ink_on(fill: str) -> str:
    """Return the colour of text on the fill of an action: black or white."""
    return WHITE if fill in [ACTION_COLOURS[name] for name in _WHITE_ON] else "#000000"


def bet_kind(part: float) -> str:
    """Return the name in `ACTION_COLOURS` of a bet or raise of this part of the pot."""
    return "small bet" if part <= _SMALL_BET else "bet" if part <= _MIDDLE_BET else "large bet"


def action_kind(name: str, index: int) -> str:
    """Return the kind of an action, which has a colour: by its English name, or else by its place."""
    return _KINDS.get(name.partition(" ")[0], f"order {index % ORDERS}")


def axis_label(title: str, unit: str) -> str:
    """Return the label of an axis: ``NashConv (game's unit per game)``."""
    return f"{title} ({unit.removeprefix('the ')})"


def spread(positions: Sequence[float], gap: float) -> list[float]:
    """Return positions at least `gap` apart, in their order and moved as little as possible.

    >>> spread([0, 1, 10], 4)
    [-1.5, 2.5, 10.0]
    """
    order = sorted(range(len(positions)), key=positions.__getitem__)
    blocks = list[tuple[float, int]]()  # sum and number of positions less rank times gap: least squares, increasing
    for rank, index in enumerate(order):
        total, size = positions[index] - rank * gap, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / size:
            before, count = blocks.pop()
            total, size = total + before, size + count
        blocks.append((total, size))
    starts = [total / size for total, size in blocks for _ in range(size)]
    moved = dict(zip(order, (start + rank * gap for rank, start in enumerate(starts)), strict=True))
    return [moved[index] for index in range(len(positions))]


class Axis(NamedTuple):
    """The range of an axis, and its ticks as numbers with labels."""

    low: float
    high: float
    marks: tuple[tuple[float, str], ...]


def decade_axis(low: float, high: float) -> Axis:
    """Return a logarithmic axis of whole decades; `low` and `high` are decimal logarithms.

    >>> decade_axis(-0.5, 0.3).marks
    ((-1, '0.1'), (0, '1'), (1, '10'))
    """
    low, high = math.floor(low), max(math.ceil(high), math.floor(low) + 1)
    return Axis(low, high, tuple((decade, power_text(decade)) for decade in range(low, high + 1)))


def power_text(decade: int) -> str:
    """Return a power of ten as the label of a tick."""
    return f"{10**decade:,}" if 0 <= decade <= 3 else f"{10.0**decade:g}" if -2 <= decade < 0 else f"1e{decade}"


def linear_axis(low: float, high: float) -> Axis:
    """Return an axis with five to ten round ticks."""
    high = max(high, low + 1e-9)
    step = 10.0 ** math.floor(math.log10((high - low) / 2))
    step *= next(times for times in (1, 2, 5) if (high - low) / (step * times) <= 8 or times == 5)
    marks = [step * number for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
    return Axis(low, high, tuple((mark, significant(mark)) for mark in marks))


@dataclass(frozen=True)
class Curve:
    """A method's line in a figure, with an optional band.

    Attributes:
        label: name of the line.
        iterations: `[K]` iterations of each point.
        seconds: `[K]` seconds of each point.
        middle: `[K]` values.
        low: `[K]` lower ends of the band.
        high: `[K]` upper ends of the band.
        band: meaning of the band; "" for no band.
    """

    label: str
    iterations: Sequence[int]
    seconds: Sequence[float]
    middle: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    band: str = ""


@dataclass(frozen=True)
class Panel:
    """One plot of a figure.

    Attributes:
        title: title of the plot.
        x_label: label of the x axis.
        lines: points (x, y) by name of the line.
        levels: y values of horizontal lines, by name.
        y_label: label of the y axis.
        scales: scales of x and y, ``"log"`` or ``"linear"``.
        errors: half the heights of the error bars at the points of a line, by its name.
        ticks: labels at x = 0, 1, 2, ...; if given, points are drawn without lines.
        covers: values that the y axis includes.
        bands: half the heights of a band around a line at its points, by the name of the line.
    """

    title: str
    x_label: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    levels: Mapping[str, float] = field(default_factory=dict)
    y_label: str = "NashConv (game's unit per game)"
    scales: tuple[str, str] = ("log", "log")
    errors: Mapping[str, Sequence[float]] = field(default_factory=dict)
    ticks: Sequence[str] = ()
    covers: Sequence[float] = ()
    bands: Mapping[str, Sequence[float]] = field(default_factory=dict)
