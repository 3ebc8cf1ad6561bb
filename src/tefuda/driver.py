"""The one loop around every solver: stop rules, progress, curve, checkpoints, interruption."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tefuda.errors import RunError, check_range
from tefuda.profile import Profile
from tefuda.response import Judgement, judge
from tefuda.solution import Point, Solution, Solver, refuse_existing, write_checkpoint, write_run
from tefuda.words import count

_PIECE = 0.1  # seconds between looks at the clock, the keyboard and the progress display
_GROWTH = 1.2  # the curve's points grow by this factor
_FINE_GROWTH = 1.05  # and by this one if NashConv decides when to stop


@dataclass(frozen=True)
class Goal:
    """When to stop: at the first of these that holds.

    iterations: how many in all, those before a resume included. until: a NashConv, judged about every 5 % of the
    iterations. seconds: of solving. nodes: histories visited in all, by methods that count them.
    """

    iterations: int | None = None
    until: float | None = None
    seconds: float | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        if self.iterations is not None:
            check_range("iterations", self.iterations, 1)
        if self.until is not None:
            check_range("until", self.until, 0, whole=False)
        if self.seconds is not None:
            check_range("seconds", self.seconds, 0, whole=False)
        if self.nodes is not None:
            check_range("nodes", self.nodes, 1)


@dataclass(frozen=True)
class Progress:
    """What a progress callback is told: the goal, iterations and seconds so far, and the last judged point."""

    goal: Goal
    iterations: int
    seconds: float
    point: Point | None


@dataclass(frozen=True)
class Record:
    """Where and how often to keep a run: a folder, and seconds between checkpoints."""

    folder: Path
    every: float = 30.0

    def __post_init__(self) -> None:
        check_range("checkpoint_seconds", self.every, 0, whole=False)


@dataclass(frozen=True)
class Past:
    """What a resumed run has behind it: its curve, and the seconds it took."""

    curve: list[Point] = field(default_factory=list)
    seconds: float = 0.0


@dataclass
class _Run:
    """The state of one drive."""

    solver: Solver
    seed: int
    goal: Goal
    record: Record | None
    curve: list[Point]
    seconds: float
    rate: float = 0.0  # iterations a second, measured on the last pieces
    kept: float = field(default_factory=time.monotonic)
    judged: dict[str, tuple[Profile, Judgement]] = field(default_factory=dict)
    judged_at: int = -1

    @property
    def delay(self) -> int:
        """Until when the average is empty."""
        return getattr(self.solver.method, "delay", 0)

    @property
    def nodes(self) -> int:
        """How many histories the solver has visited, if it counts them."""
        return getattr(self.solver, "nodes", 0)

    def next_point(self) -> int:
        """The iteration at which the curve gets its next point: it depends on the iterations and nodes alone."""
        growth = _GROWTH if self.goal.until is None else _FINE_GROWTH
        target = self.delay + 1
        while target <= self.solver.iterations:
            target = max(target + 1, int(target * growth))
        if self.goal.nodes is not None and self.curve:
            last = self.curve[-1]  # not the iteration reached: the goal must not depend on how the run was split
            missing = (self.goal.nodes - last.nodes) * last.iteration / last.nodes
            target = min(target, last.iteration + max(1, int(missing)))
        return min(target, self.goal.iterations or target)

    def advance(self, target: int) -> None:
        """Run towards `target` for about one piece of time."""
        count = min(target - self.solver.iterations, max(1, int(self.rate * _PIECE)))
        start = time.perf_counter()
        self.solver.advance(count)
        spent = time.perf_counter() - start
        self.seconds += spent
        # The first piece may include loading kernels; grow carefully from it.
        self.rate = min(count / max(spent, 1e-9), max(10.0, 20 * self.rate))

    def judge(self) -> None:
        """Judge the last iterate and, once there is one, the average."""
        profiles = {"current": self.solver.current()}
        if self.solver.iterations > self.delay:
            profiles["average"] = self.solver.average()
        self.judged = {name: (profile, judge(self.solver.tree, profile)) for name, profile in profiles.items()}
        self.judged_at = self.solver.iterations

    def add_point(self) -> None:
        """Judge, and add a point to the curve."""
        self.judge()
        average, current = (self.judged[name][1].nash_conv for name in ("average", "current"))
        self.curve.append(Point(self.solver.iterations, self.seconds, average, current, self.nodes))

    def stop_reason(self) -> str:
        """Why to stop now, or an empty string."""
        goal = self.goal
        last = self.curve[-1] if self.curve else None
        if goal.until is not None and last and min(last.nash_conv, last.current_nash_conv) <= goal.until:
            return f"NashConv reached {goal.until:g}"
        if goal.iterations is not None and self.solver.iterations >= goal.iterations:
            return count(goal.iterations, "iterations")
        if goal.nodes is not None and last and last.nodes >= goal.nodes:
            return f"{goal.nodes:,} nodes"
        if goal.seconds is not None and self.seconds >= goal.seconds:
            return f"{goal.seconds:g} seconds"
        return ""

    def solution(self, status: str, stop: str) -> Solution:
        """The better of the average and the last iterate, with everything that belongs to it."""
        if self.judged_at != self.solver.iterations:
            self.judge()  # no point: the clock or the keyboard chose this iteration, and the curve may go on
        iterate = min(self.judged, key=lambda name: self.judged[name][1].nash_conv)
        profile, judgement = self.judged[iterate]
        settings: dict[str, Any] = {"goal": asdict(self.goal)}
        if self.record:
            settings["checkpoint_seconds"] = self.record.every
        return Solution(
            tree=self.solver.tree,
            method=self.solver.method.parameters(),
            seed=self.seed,
            profile=profile,
            iterate=iterate,
            iterations=self.solver.iterations,
            nash_conv=judgement.nash_conv,
            values=tuple(judgement.values.tolist()),
            seconds=self.seconds,
            curve=tuple(self.curve),
            status=status,
            stop=stop,
            settings=settings,
            nodes=self.nodes,
        )

    def open(self) -> None:
        """Write all files of the run once before any work, so that a place that cannot be written fails now."""
        if self.record is not None:
            folder = self.record.folder
            write_checkpoint(folder, self.solver, self.curve, self.seconds)
            write_run(folder, self.solution("running", ""))

    def keep(self, status: str, stop: str) -> Solution:
        """Write checkpoint and run; without a folder just return the solution.

        If writing fails, the last good checkpoint stays, the run goes on, and the solution says that it is unsaved.
        """
        solution = self.solution(status, stop)
        if self.record is None:
            return solution
        self.kept = time.monotonic()
        try:
            write_checkpoint(self.record.folder, self.solver, self.curve, self.seconds)
            return write_run(self.record.folder, solution)
        except RunError as error:
            warnings.warn(f"the run was not saved: {error}", RuntimeWarning, stacklevel=3)
            return replace(solution, settings={**solution.settings, "unsaved": str(error)})


def drive(
    solver: Solver,
    goal: Goal,
    *,
    seed: int = 0,
    record: Record | None = None,
    progress: Callable[[Progress], None] | None = None,
    past: Past | None = None,
) -> Solution:
    """Run a solver until its goal is reached or the user interrupts; judge it along the way.

    Args:
        solver: where to go on from.
        goal: when to stop.
        seed: recorded with the solution.
        record: where to keep the run; checkpoints are written there now and then and at the end.
        progress: told how far the run is, about ten times a second.
        past: what a resumed run has behind it.

    Raises:
        RunError: the record's folder holds a run already, or cannot be written.
    """
    if record is not None and past is None:
        refuse_existing(record.folder)
    past = past or Past()
    run = _Run(solver, seed, goal, record, list(past.curve), past.seconds)
    if not past.curve:
        run.open()
    with _interruption() as interrupted, closing(solver):
        while True:
            if stop := run.stop_reason():
                return run.keep("finished", stop)
            if interrupted:
                return run.keep("interrupted", "interrupted")
            if record is not None and time.monotonic() - run.kept >= record.every:
                run.keep("running", "")
            target = run.next_point()
            run.advance(target)
            if solver.iterations == target:
                run.add_point()
            if progress is not None:
                progress(Progress(goal, solver.iterations, run.seconds, run.curve[-1] if run.curve else None))


@contextmanager
def closing(solver: Solver) -> Iterator[None]:
    """Stop the workers of a solver that has any, whatever happens; it starts new ones if it is used again."""
    try:
        yield
    finally:
        getattr(solver, "close", lambda: None)()


@contextmanager
def _interruption() -> Iterator[list[int]]:
    """Collect SIGINT and SIGTERM instead of stopping at once; the second one stops at once."""
    caught: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield caught
        return

    def catch(number: int, frame: Any) -> None:
        if caught:
            raise KeyboardInterrupt
        caught.append(number)

    before = {number: signal.signal(number, catch) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
