"""The one loop around every solver: stop rules, progress, curve, checkpoints, interruption.

Ctrl-C is the caller's: KeyboardInterrupt leaves the loop at once, and a run that is kept says that it was interrupted.
Who would rather have what there is gives `drive` a function to ask.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from tefuda.errors import RunError, SizeError, check_choice, check_range
from tefuda.files import check_place
from tefuda.locks import owned
from tefuda.solvers.protocol import ANSWERS, Solver
from tefuda.solvers.runs.judges import Judge, NashConv, Unjudged, Verdict, default_judge, require_judge
from tefuda.solvers.runs.points import AnyPoint
from tefuda.solvers.runs.run import (
    mark_interrupted,
    read_checkpoint,
    read_log,
    refuse_existing,
    write_checkpoint,
    write_form,
    write_log,
)
from tefuda.solvers.runs.solution import Solution
from tefuda.words import count

_PIECE = 0.1  # seconds between looks at the clock, the keyboard and the progress display


@dataclass(frozen=True)
class Goal:
    """When to stop: at the first of these that holds.

    iterations: how many in all, those before a resume included. until: a NashConv, or what else the judge finds,
    judged about every 5 % of the iterations, by play or learning every 50 %. seconds: of solving. nodes: histories
    visited in all, by methods that count them.

    >>> td.Goal(iterations=100, until=1e-3)
    Goal(iterations=100, until=0.001, seconds=None, nodes=None)
    """

    iterations: int | None = None
    until: float | None = None
    seconds: float | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        if self.iterations is not None:
            check_range("iterations", self.iterations, 1)
        if self.until is not None:
            check_range("until", self.until, -1e300, 1e300, whole=False)
        if self.seconds is not None:
            check_range("seconds", self.seconds, 0, whole=False)
        if self.nodes is not None:
            check_range("nodes", self.nodes, 1)


@dataclass(frozen=True)
class Progress:
    """What a progress callback is told: the goal, iterations and seconds so far, the last judged point, and the judge.

    >>> seen = []
    >>> solution = td.solve(td.load_game("kuhn"), "cfr", iterations=10, progress=seen.append)
    >>> seen[-1].goal.iterations
    10
    """

    goal: Goal
    iterations: int
    seconds: float
    point: AnyPoint | None
    judge: Judge = field(default_factory=NashConv)


def goal_of_run(content: Mapping[str, Any]) -> Goal:
    """The goal of a run, from what `run.read_run` found."""
    return Goal(**{one.name: content["settings"]["goal"][one.name] for one in fields(Goal)})


@dataclass(frozen=True)
class Record:
    """Where and how often to keep a run: a folder, and seconds between checkpoints."""

    folder: Path
    every: float = 30.0

    def __post_init__(self) -> None:
        check_range("checkpoint_seconds", self.every, 0, whole=False)

    @property
    def file(self) -> Path:
        """The run's main file; who owns it owns the run."""
        return self.folder / "run.json"


def new_record(folder: str | Path | None, every: float) -> Record | None:
    """Return where to keep a new run, to be called before work that would be lost; None without a folder.

    Raises:
        RunError: the folder holds a run already, cannot be written, or another process writes a run there.
    """
    if folder is None:
        return None
    record = Record(Path(folder), every)
    check_place(record.file)
    if os.path.isdir(folder):
        with owned(record.file):
            refuse_existing(record.folder)
    return record


@dataclass
class _Run:
    """The state of one drive."""

    solver: Solver
    judge: Judge
    seed: int
    goal: Goal
    record: Record | None
    curve: list[AnyPoint]
    seconds: float
    full: str = ""  # why the solver cannot go on: its memory
    rate: float = 0.0  # iterations a second, measured on the last pieces
    kept: float = field(default_factory=time.monotonic)
    logged: list[dict[str, float]] = field(default_factory=list)
    verdict: Verdict | None = None
    judged_at: tuple[int, float, int] = (-1, 0.0, 0)  # iterations, seconds, nodes
    interrupted: Callable[[], bool] = lambda: False

    @property
    def now(self) -> tuple[int, float, int]:
        """Iterations, seconds and nodes so far."""
        return self.solver.iterations, self.seconds, self.solver.nodes

    def next_point(self) -> int:
        """The iteration at which the curve gets its next point: it depends on the iterations and nodes alone.

        It is the one that was reached if judging was broken off there.
        """
        reached, judged = self.solver.iterations, self.curve[-1].iteration if self.curve else 0
        growth = max(self.judge.growth[self.goal.until is not None], self.solver.method.growth)
        target = self.solver.method.delay + self.judge.first
        while target < reached or target == judged:
            target = max(target + self.judge.step, int(target * growth))
        if self.goal.nodes is not None and self.curve:
            last = self.curve[-1]  # not the iteration reached: the goal must not depend on how the run was split
            missing = (self.goal.nodes - last.nodes) * last.iteration / last.nodes
            target = min(target, last.iteration + max(1, int(missing)))
        return min(target, self.goal.iterations or target)

    def keep_up(self) -> bool:
        """Give the curve the point that is due, if one is; False if judging it was broken off."""
        reached, judged = self.solver.iterations, self.curve[-1].iteration if self.curve else 0
        if judged < reached == self.next_point():
            if (verdict := self.look()) is None:
                return False
            self.curve.append(self.judge.point(verdict, *self.judged_at))
        return True

    def advance(self, target: int) -> None:
        """Run towards `target` for about one piece of time."""
        count = min(target - self.solver.iterations, max(1, int(self.rate * _PIECE)))
        start = time.perf_counter()
        try:
            self.solver.advance(count)
        except SizeError as error:  # what was learned until then is whole
            self.full = str(error)
        spent = time.perf_counter() - start
        self.seconds += spent
        # The first piece may include loading kernels; grow carefully from it.
        self.rate = min(count / max(spent, 1e-9), max(10.0, 20 * self.rate))

    def look(self) -> Verdict | None:
        """What the judge says of the solver as it stands, None if it was broken off; nothing is judged twice."""
        if self.verdict is None or self.judged_at[0] != self.solver.iterations:
            if (found := self.judge.judge_unless(self.solver, self.interrupted)) is None:
                return None
            self.verdict, self.judged_at = found, self.now
        return self.verdict

    def stop_reason(self) -> str:
        """Why to stop now, or an empty string."""
        goal = self.goal
        last = self.curve[-1] if self.curve else None
        if goal.until is not None and last and self.judge.reached(last, goal.until):
            return f"{self.judge.title} reached {goal.until:g}"
        if self.full:
            return self.full
        if goal.iterations is not None and self.solver.iterations >= goal.iterations:
            done = self.solver.iterations
            more = f", and the run had {done:,} before" if done > goal.iterations else ""
            return count(goal.iterations, "iterations") + more
        if goal.nodes is not None and last and last.nodes >= goal.nodes:
            return f"{goal.nodes:,} nodes"
        if goal.seconds is not None and self.seconds >= goal.seconds:
            return f"{goal.seconds:g} seconds"
        return ""

    def solution(self, status: str, stop: str) -> Solution:
        """The method's answer, with everything that belongs to it; on the way that of when it was last judged.

        Answers are fitted, and judges play or learn: a checkpoint is no reason to. Where judging was broken off it is
        the answer as it stands, unjudged.
        """
        verdict = self.look() if status != "running" or self.verdict is None else self.verdict
        (iterations, seconds, nodes), curve = self.judged_at, tuple(self.curve)
        if verdict is None:
            verdict, status, stop = Unjudged().judge(self.solver), "interrupted", "interrupted"
            iterations, seconds, nodes = self.now
        elif iterations > int(self.solver.method.delay) and (not curve or curve[-1].iteration < iterations):
            # Only here: the clock or the keyboard chose it, and the run's curve may go on.
            curve += (self.judge.point(verdict, iterations, seconds, nodes),)
        settings: dict[str, Any] = {"goal": asdict(self.goal)}
        if self.record:
            settings["checkpoint_seconds"] = self.record.every
        return Solution(
            form=self.solver.form,
            method=self.solver.method.parameters(),
            seed=self.seed,
            verdict=verdict,
            iterations=iterations,
            seconds=seconds,
            curve=curve,
            judge=self.judge,
            status=status,
            stop=stop,
            settings=settings,
            nodes=nodes,
            answer=self.solver.method.answer,
        )

    def open(self) -> None:
        """Write all files of the run once before any work, so that a place that cannot be written fails now.

        The checkpoint comes first: a process that is killed before run.json is written leaves no run.
        """
        if self.record is not None:
            folder = self.record.folder
            write_form(folder, self.solver.form)
            write_checkpoint(folder, self.solver, self.judge, self.curve, self.seconds)
            self.solution("running", "").kept_in(folder)

    def keep(self, status: str, stop: str) -> Solution:
        """Write checkpoint and run; without a folder just return the solution.

        If writing fails, the last good checkpoint stays, the run goes on, and the solution says that it is unsaved.
        The log comes before the checkpoint: a process that is killed between them leaves rows too many, which are
        ignored when the run is resumed, and not too few.
        """
        solution = self.solution(status, stop)
        if self.record is None:
            return solution
        self.kept = time.monotonic()
        try:
            write_log(self.record.folder, [*self.logged, *self.solver.log()])
            write_checkpoint(self.record.folder, self.solver, self.judge, self.curve, self.seconds)
            return solution.kept_in(self.record.folder)
        except RunError as error:
            warnings.warn(f"the run was not saved: {error}", RuntimeWarning, stacklevel=3)
            return replace(solution, settings={**solution.settings, "unsaved": str(error)})


def drive(
    solver: Solver,
    goal: Goal,
    *,
    judge: Judge | None = None,
    seed: int = 0,
    record: Record | None = None,
    progress: Callable[[Progress], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Solution:
    """Run a solver until its goal is reached; judge it along the way.

    Args:
        solver: where to go on from.
        goal: when to stop.
        judge: the evaluator; the default of the form, unless given.
        seed: recorded with the solution.
        record: where to keep the run; checkpoints are written there now and then and at the end.
        progress: told how far the run is, about ten times a second.
        interrupted: asked about ten times a second, and by judges that take long; once it says so, the run ends, is
            kept, and returned as it is.

    Raises:
        ParameterError: a judge that cannot judge this solver, or a goal it cannot reach.
        RunError: the record's folder holds a run already, cannot be written, or another process writes a run there.
        KeyboardInterrupt: of the user; the record is left as it was last written, with the status ``"interrupted"``.
    """
    judge = require_judge(judge) or default_judge(solver)
    _check(solver, judge, goal)
    with owned(None if record is None else record.file):
        if record is not None:
            refuse_existing(record.folder)
        return _driven(_Run(solver, judge, seed, goal, record, [], 0.0, interrupted=interrupted), progress)


def _check(solver: Solver, judge: Judge, goal: Goal) -> None:
    """Raise ParameterError unless the judge can judge the solver and reach the goal."""
    check_choice("the method's answer", solver.method.answer, ANSWERS)
    judge.check(solver, goal.until)


def _driven(run: _Run, progress: Callable[[Progress], None] | None) -> Solution:
    """Drive a run whose folder, if it has one, this process owns."""
    if not run.curve:
        run.open()
    try:
        with closing(run.solver):
            return _loop(run, progress)
    except KeyboardInterrupt:
        if run.record is not None:
            mark_interrupted(run.record.folder)
        raise


def go_on(
    folder: Path,
    content: Mapping[str, Any],
    solver: Solver,
    judge: Judge,
    *,
    goal: Goal | None = None,
    every: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Solution:
    """Go on with a run that is kept.

    Args:
        folder: of the run.
        content: of its run.json.
        solver: a new one of its game and method.
        judge: the run's.
        goal: a new one, counted from the very start; the run's own unless given.
        every: seconds between checkpoints; as before unless given.
        progress: see `drive`.
        interrupted: see `drive`.

    Raises:
        RunError: the checkpoint is missing, damaged, or of another game, method or judge; or the folder cannot be
            written, or another process writes the run.
    """
    record = Record(folder, content["settings"].get("checkpoint_seconds", 30.0) if every is None else every)
    goal = goal or goal_of_run(content)
    _check(solver, judge, goal)
    with owned(record.file):
        curve, spent = read_checkpoint(folder, solver, judge)
        log = read_log(folder, solver.iterations)
        run = _Run(solver, judge, content["seed"], goal, record, curve, spent, logged=log, interrupted=interrupted)
        return _driven(run, progress)


def _loop(run: _Run, progress: Callable[[Progress], None] | None) -> Solution:
    """Piece by piece, until there is a reason to stop."""
    whole = run.keep_up()  # where judging was broken off the curve lacks a point
    while True:
        if whole and (stop := run.stop_reason()):
            return run.keep("finished", stop)
        if not whole or run.interrupted():
            return run.keep("interrupted", "interrupted")
        if run.record is not None and time.monotonic() - run.kept >= run.record.every:
            run.keep("running", "")
        run.advance(run.next_point())
        whole = run.keep_up()
        if progress is not None:
            last = run.curve[-1] if run.curve else None
            progress(Progress(run.goal, run.solver.iterations, run.seconds, last, run.judge))


@contextmanager
def closing(solver: Solver) -> Iterator[None]:
    """Stop the workers of a solver that has any, whatever happens; it starts new ones if it is used again."""
    try:
        yield
    finally:
        solver.close()
