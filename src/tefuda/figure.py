"""Pictures as data, for whoever draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Curve:
    """One method's line in a picture: its figures by number of iterations, with a band from `low` to `high`.

    label: name in the legend. iterations, seconds, middle, low, high: `[K]` numbers. band: meaning of the band; "" if
    there is none.
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

    errors: half the height of a bar at each point of a line. ticks: what stands at x = 0, 1, 2, ...: then there are
    points side by side, no lines. scales: of x and y, ``"log"`` or ``"linear"``. covers: values that
    the axis of y shows at least.
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
