"""Pictures as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Curve:
    """The line of a method in a picture, with a band from `low` to `high` whose meaning is `band`; "": no band.

    Iterations, seconds, middle, low and high are `[K]` numbers; `label` is the name in the legend.
    """

    label: str
    iterations: Sequence[float]
    seconds: Sequence[float]
    middle: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    band: str = ""


@dataclass(frozen=True)
class Panel:
    """One picture: lines of (x, y) by name, and levels across.

    Errors are half the heights of bars at the points of a line. With `ticks`, the labels at x = 0, 1, 2, ..., points
    stand side by side without lines. Scales of x and y are ``"log"`` or ``"linear"``. The axis of y shows all `covers`.
    """

    title: str
    across: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    levels: Mapping[str, float] = field(default_factory=dict)
    upwards: str = "NashConv (game's unit per game)"
    scales: tuple[str, str] = ("log", "log")
    errors: Mapping[str, Sequence[float]] = field(default_factory=dict)
    ticks: Sequence[str] = ()
    covers: Sequence[float] = ()
