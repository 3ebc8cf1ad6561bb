"""Pictures drawn by matplotlib (extra ``plot``): curves of solutions, and panels."""

from __future__ import annotations

import importlib.util
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from tefuda.errors import MissingExtraError, ParameterError, wrong_type
from tefuda.figure import COLOURS, DASHES, GRID, QUIET, Curve, Panel, axis_label, spread
from tefuda.solvers.runs.evaluators import Evaluator
from tefuda.solvers.runs.methods import unit_of
from tefuda.solvers.runs.points import AnyPoint, Point
from tefuda.solvers.runs.solution import Solution
from tefuda.solvers.runs.sweep import Group

_ACROSS = 3  # panels in a row
_MOST_NAMES = 8  # names beside lines; with more lines there is a legend
_SIZE = 9.0  # points, of names beside lines
_DOTS = 200  # per inch: two pixels for each of a screen
_SMALLEST = 1e-16  # on logarithmic axes of evaluations that converge to 0
_LEAST_SECONDS = 1e-6
_SOLUTIONS = "a solution, a list of them, a mapping from names to them, or the groups of a sweep"
_OVER_RUNS = "median; band: smallest to largest"


def require_matplotlib(path: str | Path | None = None) -> None:
    """Raise unless a picture can be drawn, and written to the file; to call before the work.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: matplotlib has no format of this ending, or the folder does not exist.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("plot", "drawing a picture")
    if path is None:
        return
    from matplotlib.backend_bases import FigureCanvasBase

    path, endings = Path(path), FigureCanvasBase.get_supported_filetypes()
    if path.suffix[1:].lower() not in endings:
        raise ParameterError(f"a picture's file must end in .png, .svg or .pdf, got {str(path)!r}.")
    if not path.parent.is_dir():
        raise ParameterError(f"{path.parent} is not a folder; make it, or write the picture to another folder.")


#: Arguments of `plot`: solutions by name, or grouped by their methods.
Plotted = Solution | Group | Sequence[Solution | Group] | Mapping[str, Solution | Sequence[Solution]]


def plot(results: Plotted, path: str | Path | None = None, *, title: str = "") -> Any:
    """Draw the curves of solutions over iterations and over seconds, side by side (extra ``plot``).

    Several solutions of one method, such as the seeds of a sweep, are one line for each game: their median at the
    iterations of all of them, with a band from the smallest to the largest. Evaluations with an interval have a band,
    too. Evaluations that converge to 0 have a logarithmic axis; values below 1e-16 are drawn at 1e-16.

    Args:
        results: a solution; several; groups of a sweep; or a mapping from names to a solution or several.
        path: file for the picture, .png, .svg or .pdf.
        title: title of the picture; default: the game and the evaluation.

    Returns:
        A figure of matplotlib, which a notebook shows.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: the results have several evaluators or no evaluations, or the file cannot be written.

    >>> solutions = [td.solve(td.load_game("kuhn"), method, iterations=100) for method in ("cfr", "cfr+")]
    >>> figure = td.plot(solutions, "kuhn.png")
    """
    require_matplotlib(path)
    runs = _by_name(results)
    evaluator = _one_evaluator(runs)
    curves = median_curves(runs)
    every = [solution for solutions in runs.values() for solution in solutions]
    games = ", ".join(dict.fromkeys(solution.form.name for solution in every))
    units = dict.fromkeys(unit_of(solution.method) for solution in every)
    bands = dict.fromkeys(curve.band for curve in curves if curve.band)
    with house_style():
        figure = _figure_class()(figsize=(11, 4.5), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True).tolist()
        _lines(left, curves, "iterations", evaluator.lower_is_better)
        lines = _lines(right, curves, "seconds", evaluator.lower_is_better)
        left.set(xlabel=" or ".join(units), ylabel=axis_label(evaluator.title, evaluator.unit))
        left.set_title("; ".join(bands), loc="left", fontsize=_SIZE, color=QUIET)
        right.set(xlabel="seconds of solving")
        better = ", lower is better" if evaluator.lower_is_better else ""
        figure.suptitle(title or f"{games}: {evaluator.title}{better}")
        name_lines(right, lines)
        if path is not None:
            _save(figure, path)
    return figure


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the style of all pictures: colours, dashes, sizes, and no frame above and on the right."""
    import matplotlib as mpl
    from cycler import cycler

    strokes = ["-" if not dashes else (0, dashes) for dashes in DASHES]
    style: dict[Any, Any] = {
        "axes.prop_cycle": cycler(color=COLOURS) + cycler(linestyle=strokes), "lines.scale_dashes": False,
        "lines.linewidth": 1.6, "lines.markersize": 4, "font.size": 10, "axes.titlesize": 11, "axes.labelsize": 10,
        "figure.titlesize": 12, "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
        "axes.grid": True, "axes.grid.which": "major", "grid.color": GRID, "svg.fonttype": "none",
        "svg.hashsalt": "tefuda", "figure.constrained_layout.use": True,
    }  # fmt: skip
    with mpl.rc_context(style):
        yield


def name_lines(axes: Any, lines: Mapping[str, Any], levels: Mapping[str, float] | None = None) -> None:
    """Write names beside the last points of lines and at the ends of levels, not in a legend.

    Names do not overlap: they are moved up and down as little as possible. More than eight have a legend.

    Args:
        axes: axes with limits and scales as they will be.
        lines: lines of matplotlib by name.
        levels: y values of horizontal lines by name.
    """
    levels = levels or {}
    if len(lines) + len(levels) > _MOST_NAMES:
        axes.legend(fontsize="x-small", ncols=2)
        return
    axes.figure.draw_without_rendering()  # sets the scales
    ends = [(name, line.get_color(), (line.get_xdata()[-1], line.get_ydata()[-1])) for name, line in lines.items()]
    ends += [(name, QUIET, (axes.get_xlim()[1], level)) for name, level in levels.items()]
    pixel = 72 / axes.figure.dpi  # in points
    heights = [float(axes.transData.transform(end)[1]) * pixel for _, _, end in ends]
    for (name, colour, end), height, free in zip(ends, heights, spread(heights, 1.2 * _SIZE), strict=True):
        axes.annotate(
            name, end, (5, free - height), textcoords="offset points", color=colour, fontsize=_SIZE, va="center",
            annotation_clip=False, bbox={"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.6},
        )  # fmt: skip


def median_curves(results: Plotted) -> list[Curve]:
    """Return the lines of results, see `plot`."""
    runs = _by_name(results)
    evaluator = _one_evaluator(runs)
    return [curve_of(name, [run.curve for run in solutions], evaluator) for name, solutions in runs.items()]


def curve_of(name: str, runs: Sequence[Sequence[AnyPoint]], evaluator: Evaluator) -> Curve:
    """Return the line of a method at the iterations at which all runs were evaluated."""
    known = [{point.iteration: point for point in run if math.isfinite(point.figure)} for run in runs]
    shared = sorted(set.intersection(*map(set, known))) if known else []
    if not shared:
        raise ParameterError(
            f"{name} has no figures to draw: the runs have no evaluated iteration in common. Solve with another "
            f"evaluator than {evaluator.name!r}, or draw the runs one by one."
        )
    points = [[run[iteration] for run in known] for iteration in shared]
    figures = [sorted(point.figure for point in column) for column in points]
    seconds = [median(point.seconds for point in column) for column in points]
    middle = [median(column) for column in figures]
    if len(runs) > 1:
        low, high = [column[0] for column in figures], [column[-1] for column in figures]
        return Curve(f"{name} ({len(runs)} runs)", shared, seconds, middle, low, high, _OVER_RUNS)
    low, high = [column[0].low for column in points], [column[0].high for column in points]
    return Curve(
        name, shared, seconds, middle, low, high, "" if evaluator.point_type is Point else "band: confidence interval"
    )


def _by_name(results: Plotted) -> dict[str, list[Solution]]:
    """Return the runs of each line, by its name."""
    named = results.items() if isinstance(results, Mapping) else [("", results)]
    runs = [
        (name, getattr(result, "game", ""), solution)
        for name, value in named
        for result in _listed(value)
        for solution in (result.solutions if isinstance(result, Group) else [result])
    ]
    if wrong := [solution for _, _, solution in runs if not isinstance(solution, Solution)]:
        raise wrong_type(_SOLUTIONS, wrong[0])
    if not runs:
        raise wrong_type(_SOLUTIONS, results)
    several = len({game or run.form.title for _, game, run in runs}) > 1
    lines: dict[str, list[Solution]] = {}
    for name, game, run in runs:
        method = str(run.method["name"])
        lines.setdefault(name or (f"{game or run.form.title} {method}" if several else method), []).append(run)
    return lines


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else [value]


def _one_evaluator(runs: Mapping[str, Sequence[Solution]]) -> Evaluator:
    """Return the evaluator of all runs; they must have the same."""
    evaluators = {
        (solution.evaluator.title, solution.evaluator.unit): solution.evaluator
        for solutions in runs.values()
        for solution in solutions
    }
    if len(evaluators) > 1:
        titles = " and ".join(f"{title!r} in {unit}" for title, unit in evaluators)
        raise ParameterError(f"a picture has one y axis, but the curves show {titles}; draw a picture for each.")
    return next(iter(evaluators.values()))


def _lines(axes: Any, curves: Sequence[Curve], x_name: str, lower_is_better: bool) -> dict[str, Any]:
    """Draw curves over their iterations or seconds; return the lines by name."""
    lines = {}
    from matplotlib.ticker import LogFormatterSciNotation

    axes.set(xscale="log", yscale="log" if lower_is_better else "linear")
    # labels between powers of ten only on axes of less than 0.7 decades, where they do not collide
    axes.xaxis.set_minor_formatter(LogFormatterSciNotation(minor_thresholds=(0.7, 0.3)))
    for curve in curves:
        x = [max(number, _LEAST_SECONDS) for number in getattr(curve, x_name)]
        middle, low, high = (
            [max(figure, _SMALLEST) if lower_is_better else figure for figure in figures]
            for figures in (curve.middle, curve.low, curve.high)
        )
        marker = "o" if max(x) < 1.2 * min(x) else ""  # a line without length is invisible
        (line,) = axes.plot(x, middle, label=curve.label, marker=marker)
        lines[curve.label] = line
        if curve.band:
            axes.fill_between(x, low, high, color=line.get_color(), alpha=0.25, linewidth=0)
    return lines


@cache
def _figure_class() -> type[Any]:
    """Return the class of figures that notebooks show without ``%matplotlib inline``."""
    from matplotlib.figure import Figure

    class Picture(Figure):
        """A figure of matplotlib that a notebook shows."""

        def _repr_png_(self) -> tuple[bytes, dict[str, float]]:
            written = io.BytesIO()
            self.savefig(written, format="png", dpi=_DOTS)
            width, height = self.get_size_inches()
            return written.getvalue(), {"width": _DOTS / 2 * width, "height": _DOTS / 2 * height}

    return Picture


def plot_panels(panels: Sequence[Panel], path: str | Path, *, title: str = "") -> None:
    """Draw panels side by side, three in a row, into a file; its ending is the format.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: matplotlib has no format of this ending, or the file cannot be written.
    """
    require_matplotlib(path)
    from matplotlib.figure import Figure

    columns = min(len(panels), _ACROSS)
    rows = -(-len(panels) // columns)
    with house_style():
        figure = Figure(figsize=(6.5 * columns, 4.6 * rows), layout="constrained")
        figure.suptitle(title)
        grid = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        for axes, panel in zip(grid, panels, strict=False):
            _draw(axes, panel)
        _save(figure, path)


def _draw(axes: Any, panel: Panel) -> None:
    """Draw one panel: lines, or with ticks points side by side."""
    lines = {}
    for number, (name, points) in enumerate(panel.lines.items()):
        x, y = map(list, zip(*points, strict=True))
        bars = panel.errors.get(name)
        again = number // len(COLOURS)  # colours and dashes begin again: lines of a round share a marker
        style: dict[str, Any] = {"marker": "o^sD"[again % 4] if again or len(points) <= 12 else ""}
        if panel.ticks:
            x = [position + (number - (len(panel.lines) - 1) / 2) * 0.6 / len(panel.lines) for position in x]
            style = {"linestyle": "", "marker": "osD^vP*"[number % 7], "markersize": 6}
        lines[name] = axes.errorbar(x, y, yerr=bars, label=name, capsize=3, **style).lines[0]
        if half := panel.bands.get(name):
            low, high = ([middle + sign * part for middle, part in zip(y, half, strict=True)] for sign in (-1, 1))
            axes.fill_between(x, low, high, color=lines[name].get_color(), alpha=0.2, linewidth=0)
    for number, (name, level) in enumerate(panel.levels.items()):
        style = {"linewidth": 1.0, "linestyle": ("--", ":", "-.", (0, (1, 3)))[number % 4], "color": QUIET}
        axes.axhline(level, label=name, **style)
    axes.set(xscale=panel.scales[0], yscale=panel.scales[1], title=panel.title, xlabel=panel.x_label)
    axes.set_ylabel(panel.y_label)
    if panel.covers:
        axes.update_datalim([(axes.dataLim.x0, y) for y in panel.covers], updatex=False)
        axes.autoscale_view()
    if panel.scales[0] == "linear" and all(float(x).is_integer() for line in panel.lines.values() for x, _ in line):
        axes.xaxis.get_major_locator().set_params(integer=True)
    if panel.ticks:
        axes.set_xticks(range(len(panel.ticks)), panel.ticks)
        axes.legend(fontsize="x-small")
    elif len(panel.lines) + len(panel.levels) > 1:
        name_lines(axes, lines, panel.levels)


def _save(figure: Any, path: str | Path) -> None:
    try:
        figure.savefig(path, dpi=_DOTS)
    except (ValueError, OSError) as error:
        raise ParameterError(f"cannot write a picture to {path}: {error}; try a name that ends in .png.") from None
