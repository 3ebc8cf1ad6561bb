"""Pictures drawn by matplotlib (extra ``plot``): curves of solutions, and panels."""

from __future__ import annotations

import importlib.util
import io
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from tefuda.errors import MissingExtraError, ParameterError, wrong_type
from tefuda.figure import Curve, Panel
from tefuda.solvers.runs.evaluators import Evaluator
from tefuda.solvers.runs.methods import unit_of
from tefuda.solvers.runs.points import AnyPoint, Point
from tefuda.solvers.runs.solution import Solution
from tefuda.solvers.runs.sweep import Group

_ACROSS = 3  # panels in a row
_SMALLEST = 1e-16  # of figures that fall to 0: a logarithmic axis has no place for less
_LEAST_SECONDS = 1e-6
_SOLUTIONS = "a solution, a list of them, a mapping from names to them, or the groups of a sweep"
_OVER_RUNS = "median; band: smallest to largest"


def require_matplotlib(path: str | Path | None = None) -> None:
    """Raise unless a picture can be drawn, and written to the file if there is one; call it before the work.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: matplotlib does not write files of this ending, or the folder does not exist.
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
        raise ParameterError(f"{path.parent} is not a folder; make it first, or write the picture elsewhere.")


#: Arguments of `plot`: solutions by name, or grouped by their methods.
Plotted = Solution | Group | Sequence[Solution | Group] | Mapping[str, Solution | Sequence[Solution]]


def plot(results: Plotted, path: str | Path | None = None, *, title: str = "") -> Any:
    """Draw the curves of solutions over iterations and over seconds, side by side (extra ``plot``).

    Several solutions of one method, such as the seeds of a sweep, are one line: their median at the iterations of all
    of them, with a band from the smallest to the largest. A figure that is known within an interval has a band as well.
    Figures that fall to 0 have a logarithmic axis, where those below 1e-16 are drawn at 1e-16.

    Args:
        results: a solution; several; groups of a sweep; or a mapping from names to a solution or several.
        path: file for the picture, .png, .svg or .pdf.
        title: title of the picture; the default is the name of the game.

    Returns:
        A figure of matplotlib, which a notebook shows.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: results of different evaluators or without figures, or a file that cannot be written.

    >>> solutions = [td.solve(td.load_game("kuhn"), method, iterations=100) for method in ("cfr", "cfr+")]
    >>> figure = td.plot(solutions, "kuhn.png")
    """
    require_matplotlib(path)
    runs = _by_name(results)
    evaluator = _one_evaluator(runs)
    curves = [curve_of(name, [solution.curve for solution in solutions], evaluator) for name, solutions in runs.items()]
    every = [solution for solutions in runs.values() for solution in solutions]
    figure = _figure_class()(figsize=(11, 4.5), layout="constrained")
    for axes, x_name in zip(figure.subplots(1, 2, sharey=True).tolist(), ("iterations", "seconds"), strict=True):
        _lines(axes, curves, x_name, evaluator.lower_is_better)
    left, right = figure.axes
    units = dict.fromkeys(unit_of(solution.method) for solution in every)
    left.set(xlabel=" or ".join(units), ylabel=f"{evaluator.title} ({evaluator.unit.removeprefix('the ')})")
    right.set(xlabel="seconds of solving")
    bands = dict.fromkeys(curve.band for curve in curves if curve.band)
    left.legend(fontsize="small", title="; ".join(bands) or None, title_fontsize="small")
    figure.suptitle(title or ", ".join(dict.fromkeys(solution.game.name for solution in every)))
    if path is not None:
        _save(figure, path)
    return figure


def curve_of(name: str, runs: Sequence[Sequence[AnyPoint]], evaluator: Evaluator) -> Curve:
    """Return the line of a method at the iterations at which all runs have a figure."""
    known = [{point.iteration: point for point in run if math.isfinite(point.figure)} for run in runs]
    shared = sorted(set.intersection(*map(set, known))) if known else []
    if not shared:
        raise ParameterError(
            f"{name} has no figures to draw: there must be an iteration at which every run was evaluated. Solve with "
            f"another evaluator than {evaluator.name!r}, or draw the runs one by one."
        )
    points = [[run[iteration] for run in known] for iteration in shared]
    figures = [sorted(point.figure for point in here) for here in points]
    seconds = [median(point.seconds for point in here) for here in points]
    middle = [median(here) for here in figures]
    if len(runs) > 1:
        low, high = [here[0] for here in figures], [here[-1] for here in figures]
        return Curve(f"{name} ({len(runs)} runs)", shared, seconds, middle, low, high, _OVER_RUNS)
    low, high = [here[0].low for here in points], [here[0].high for here in points]
    return Curve(
        name, shared, seconds, middle, low, high, "" if evaluator.point_type is Point else "band: confidence interval"
    )


def _by_name(results: Plotted) -> dict[str, list[Solution]]:
    """Return the runs of each line, by its name."""
    named = results.items() if isinstance(results, Mapping) else [("", results)]
    groups: dict[str, list[Solution]] = {}
    for name, value in named:
        for result in _listed(value):
            for solution in result.solutions if isinstance(result, Group) else [result]:
                if not isinstance(solution, Solution):
                    raise wrong_type(_SOLUTIONS, solution)
                groups.setdefault(name or str(solution.method["name"]), []).append(solution)
    if not groups:
        raise wrong_type(_SOLUTIONS, results)
    return groups


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else [value]


def _one_evaluator(runs: Mapping[str, Sequence[Solution]]) -> Evaluator:
    """Return the evaluator of all runs; refuse several."""
    evaluators = {
        (solution.evaluator.title, solution.evaluator.unit): solution.evaluator
        for solutions in runs.values()
        for solution in solutions
    }
    if len(evaluators) > 1:
        titles = " and ".join(f"{title!r} in {unit}" for title, unit in evaluators)
        raise ParameterError(f"one picture has one axis, but the curves show {titles}. Draw one picture for each.")
    return next(iter(evaluators.values()))


def _lines(axes: Any, curves: Sequence[Curve], x_name: str, lower_is_better: bool) -> None:
    axes.set(xscale="log", yscale="log" if lower_is_better else "linear")
    for curve in curves:
        x = [max(number, _LEAST_SECONDS) for number in getattr(curve, x_name)]
        middle, low, high = (
            [max(figure, _SMALLEST) if lower_is_better else figure for figure in figures]
            for figures in (curve.middle, curve.low, curve.high)
        )
        marker = "o" if max(x) < 1.2 * min(x) else ""  # a line without length is not seen
        (line,) = axes.plot(x, middle, label=curve.label, linewidth=1.4, marker=marker, markersize=4)
        if curve.band:
            axes.fill_between(x, low, high, color=line.get_color(), alpha=0.25, linewidth=0)
    axes.grid(True, which="major", alpha=0.3)


@cache
def _figure_class() -> type[Any]:
    """Return the class of figures, which notebooks show without ``%matplotlib inline``."""
    from matplotlib.figure import Figure

    class Picture(Figure):
        """A figure of matplotlib that a notebook shows by itself."""

        def _repr_png_(self) -> bytes:
            written = io.BytesIO()
            self.savefig(written, format="png", dpi=100)
            return written.getvalue()

    return Picture


def plot_panels(panels: Sequence[Panel], path: str | Path, *, title: str = "") -> None:
    """Draw pictures side by side, three in a row, to a file whose ending is the format.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: an ending that matplotlib does not write, or a file that cannot be written.
    """
    require_matplotlib(path)
    from matplotlib.figure import Figure

    columns = min(len(panels), _ACROSS)
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(6.5 * columns, 4.6 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for axes, panel in zip(grid, panels, strict=False):
        _draw(axes, panel)
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    figure.suptitle(title)
    _save(figure, path)


def _draw(axes: Any, panel: Panel) -> None:
    """Draw one panel: lines, or points side by side so that none hides another."""
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
    axes.set(xscale=panel.scales[0], yscale=panel.scales[1], title=panel.title, xlabel=panel.x_label)
    axes.set_ylabel(panel.y_label)
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
