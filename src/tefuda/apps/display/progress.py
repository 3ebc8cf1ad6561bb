"""Progress bars in a terminal; elsewhere a line every ten seconds."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tefuda._kernels import jit
from tefuda.apps.display.consoles import err
from tefuda.solvers.runs.driver import Goal
from tefuda.solvers.runs.driver import Progress as Report
from tefuda.words import Notify, count, escaped

_EVERY = 10.0  # seconds between lines
_COMPILING = "compiling kernels (once; up to a minute)"
_COMPILING_ALWAYS = (
    "compiling kernels (every time: the cache folder cannot be written; set TEFUDA_CACHE to one that can)"
)


def set_compiling_message(once: str, always: str) -> None:
    """Set the message before kernels are compiled: `once`, or `always` if they cannot be cached."""
    if jit.on_compiling:
        jit.on_compiling[:] = [lambda saved: err.print(once if saved else always)]


jit.on_compiling.append(lambda saved: err.print(_COMPILING if saved else _COMPILING_ALWAYS))


def _column(text: str) -> TextColumn:
    return TextColumn(text, markup=False)


@contextmanager
def building(name: str) -> Iterator[Callable[[int | str], None]]:
    """Show the number of compiled histories, or the current step in words."""
    if not err.is_terminal:
        with notifying(name) as notify:
            yield lambda step: notify(step) if isinstance(step, str) else None
        return
    columns = (_column("compiling {task.description}"), BarColumn(), _column("{task.fields[step]}"))
    with Progress(*columns, TimeElapsedColumn(), console=err, transient=True) as bar:
        task = bar.add_task(name, total=None, step="")
        yield lambda step: bar.update(task, step=step if isinstance(step, str) else f"{step:,} histories")


@contextmanager
def solving(name: str, unit: str) -> Iterator[Callable[[Report], None]]:
    """Show the iteration, the last evaluation and the remaining time."""
    if not err.is_terminal:
        yield _lines(name, unit)
        return
    figures = _column("{task.fields[count]:,} " + unit + "  {task.fields[evaluation]}")
    columns = (_column("{task.description}"), BarColumn(), figures, TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err) as bar:
        task = bar.add_task(name, total=1.0, count=0, evaluation="")

        def show(report: Report) -> None:
            evaluation = report.evaluator.describe(report.point) if report.point else ""
            bar.update(task, completed=progress_share(report), count=report.iterations, evaluation=evaluation)

        yield show
        bar.update(task, completed=1.0)


@contextmanager
def notifying(name: str) -> Iterator[Notify]:
    """Show the current step: a live line in a terminal, elsewhere a line every ten seconds."""
    if err.is_terminal:
        with err.status(name, spinner="line" if err.options.ascii_only else "dots") as status:
            yield lambda text: status.update(f"{name}: {text}")
        return
    lines = _ThrottledLines(name)
    try:
        yield lines.notify
    finally:
        lines.stop()


class _ThrottledLines:
    """Lines of progress at intervals of at least `_EVERY` seconds."""

    def __init__(self, name: str) -> None:
        self._name, self._last, self._text = name, -math.inf, ""
        self._later: threading.Timer | None = None

    def notify(self, text: str) -> None:
        """Print a line when the interval has passed; a later line replaces it."""
        self._text = text
        wait = self._last + _EVERY - time.monotonic()
        if wait <= 0:
            self._show()
        elif self._later is None:
            self._later = threading.Timer(wait, self._show)
            self._later.daemon = True
            self._later.start()

    def _show(self) -> None:
        self.stop()
        self._last = time.monotonic()
        print(escaped(f"{self._name}: {self._text}"), file=sys.stderr, flush=True)

    def stop(self) -> None:
        if self._later is not None:
            self._later.cancel()
            self._later = None


def _lines(name: str, unit: str) -> Callable[[Report], None]:
    last = time.monotonic()

    def show(report: Report) -> None:
        nonlocal last
        if time.monotonic() - last >= _EVERY:
            last = time.monotonic()
            evaluation = f", {report.evaluator.describe(report.point)}" if report.point else ""
            line = f"{name}: {count(report.iterations, unit)}{evaluation}, {progress_share(report):.0%} done"
            print(escaped(line), file=sys.stderr, flush=True)

    return show


def progress_share(report: Report) -> float:
    """Return the share of the goal reached, 0 to 1; evaluations count by their logarithm."""
    goal: Goal = report.goal
    shares = [0.0]
    if goal.iterations:
        shares.append(report.iterations / goal.iterations)
    if goal.seconds:
        shares.append(report.seconds / goal.seconds)
    if goal.nodes and report.point:
        shares.append(report.point.nodes / goal.nodes)
    if report.evaluator.lower_is_better and goal.until and goal.until > 0 and report.point and report.point.figure > 0:
        start = 10 * max(1.0, goal.until)
        shares.append(math.log(start / report.point.figure) / math.log(start / goal.until))
    return min(max(shares), 1.0)
