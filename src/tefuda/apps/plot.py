"""Curves as PNG or SVG files (extra ``plot``)."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tefuda.errors import MissingExtraError, ParameterError
from tefuda.figure import Panel
from tefuda.solvers.judges import Judge, NashConv
from tefuda.solvers.points import AnyPoint

_ACROSS = 3  # panels in a row


def require_matplotlib() -> None:
    """Raise MissingExtraError unless matplotlib is installed; ask before the work whose result is to be drawn."""
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("plot", "drawing a picture")


def plot_curves(
    curves: Mapping[str, Sequence[AnyPoint]],
    path: str | Path,
    *,
    title: str = "",
    unit: str = "iterations",
    judge: Judge | None = None,
) -> None:
    """Draw a judge's figures of methods' answers over iterations and over seconds, side by side, on logarithmic axes.

    Args:
        curves: the points of each method, by its name.
        path: where to write; the ending says the format (.png, .svg, .pdf).
        title: stands above.
        unit: what iterations are called.
        judge: of the curves; NashConv unless given. Figures that do not fall to 0 stand on a linear axis.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: an ending matplotlib does not write, or a place that cannot be written.
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    judge = judge or NashConv()
    figure = Figure(figsize=(11, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for name, points in curves.items():
        figures = [point.figure for point in points]
        _line(left, name, [point.iteration for point in points], figures)
        _line(right, name, [max(point.seconds, 1e-6) for point in points], figures)
    if not judge.falls:
        left.set_yscale("linear")
    left.set(xlabel=unit, ylabel=f"{judge.title} ({judge.unit.removeprefix('the ')})")
    right.set(xlabel="seconds of solving")
    left.legend(fontsize="small")
    figure.suptitle(title)
    _save(figure, path)


def plot_panels(panels: Sequence[Panel], path: str | Path, *, title: str = "") -> None:
    """Draw pictures side by side, three in a row.

    Args:
        panels: what to draw.
        path: where to write; the ending says the format.
        title: stands above.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: an ending matplotlib does not write, or a place that cannot be written.
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    across = min(len(panels), _ACROSS)
    down = -(-len(panels) // across)
    figure = Figure(figsize=(6.5 * across, 4.6 * down), layout="constrained")
    places = figure.subplots(down, across, squeeze=False).ravel().tolist()
    for axes, panel in zip(places, panels, strict=False):
        _draw(axes, panel)
    for axes in places[len(panels) :]:
        axes.set_axis_off()
    figure.suptitle(title)
    _save(figure, path)


def _draw(axes: Any, panel: Panel) -> None:
    """One panel: lines, or points side by side so that none hides another."""
    for number, (name, points) in enumerate(panel.lines.items()):
        x, y = map(list, zip(*points, strict=True))
        bars = panel.errors.get(name)
        style: dict[str, Any] = {"linewidth": 1.4, "marker": "o" if len(points) <= 12 else "", "markersize": 4}
        if panel.ticks:
            x = [one + (number - (len(panel.lines) - 1) / 2) * 0.6 / len(panel.lines) for one in x]
            style = {"linestyle": "", "marker": "osD^vP*"[number % 7], "markersize": 6}
        axes.errorbar(x, y, yerr=bars, label=name, capsize=3, **style)
    for number, (name, level) in enumerate(panel.levels.items()):
        style = {"linewidth": 1.0, "linestyle": ("--", ":", "-.", (0, (1, 3)))[number % 4], "color": "0.35"}
        axes.axhline(level, label=name, **style)
    axes.set(xscale=panel.scales[0], yscale=panel.scales[1], title=panel.title, xlabel=panel.across)
    axes.set_ylabel(panel.upwards)
    if panel.covers:
        axes.update_datalim([(axes.dataLim.x0, y) for y in panel.covers], updatex=False)
        axes.autoscale_view()
    if panel.scales[0] == "linear" and all(float(x).is_integer() for line in panel.lines.values() for x, _ in line):
        axes.xaxis.get_major_locator().set_params(integer=True)
    if panel.ticks:
        axes.set_xticks(range(len(panel.ticks)), panel.ticks)
    axes.grid(True, which="major", alpha=0.3)
    if len(panel.lines) + len(panel.levels) > 1:
        axes.legend(fontsize="x-small")


def _save(figure: Any, path: str | Path) -> None:
    try:
        figure.savefig(path, dpi=150)
    except (ValueError, OSError) as error:
        raise ParameterError(f"cannot write a picture to {path}: {error}. Try a name that ends in .png.") from None


def _line(axes: Any, name: str, x: list[float], y: list[float]) -> None:
    axes.loglog(x, y, label=name, linewidth=1.4)
    axes.grid(True, which="major", alpha=0.3)
