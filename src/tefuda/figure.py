"""Figures as data, independent of the drawing library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Curve:
    """A method's line in a figure, with an optional band.

    Attributes:
        label: name in the legend.
        iterations: `[K]` iterations of each point.
        seconds: `[K]` seconds of each point.
        middle: `[K]` values.
        low: `[K]` lower ends of the band.
        high: `[K]` upper ends of the band.
        band: meaning of the band; "" for no band.
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
