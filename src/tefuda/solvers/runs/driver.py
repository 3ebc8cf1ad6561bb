"""The one loop around every solver: stop rules, progress, curve, checkpoints, interruption.

KeyboardInterrupt leaves the loop at once, and the run's folder says that it was interrupted. Callers that want the
partial solution instead pass `interrupted` to `drive`.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from tefuda.errors import RunError, SizeError, check_choice
from tefuda.files import check_writable
from tefuda.lazy import load_reference
from tefuda.locks import locked
from tefuda.settings import Validated, option
from tefuda.solvers.protocol import REPORTED, Solver
from tefuda.solvers.runs.evaluators import Evaluation, Evaluator, NashConv, NoEvaluation, require_evaluator
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
class Goal(Validated):
    """The rules that stop a run: it ends at the first that holds.

    iterations: number in all, those before a resume included. until: a NashConv, or another figure of the evaluator.
    seconds: of solving. nodes: histories visited in all, by methods that count them.

    >>> td.Goal(iterations=100, until=1e-3)
    Goal(iterations=100, until=0.001, seconds=None, nodes=None)
    """

    iterations: int | None = option(None, 1, float("inf"))
    until: float | None = option(None, -1e300, 1e300)
    seconds: float | None = option(None, 0, float("inf"))
    nodes: int | None = option(None, 1, float("inf"))


@dataclass(frozen=True)
class Progress:
    """The argument of a progress callback: the goal, iterations and seconds so far, the last point, and the evaluator.

    >>> seen = []
    >>> solution = td.solve(td.load_game("kuhn"), "cfr", iterations=10, progress=seen.append)
    >>> seen[-1].goal.iterations
    10
    """

    goal: Goal
    iterations: int
    seconds: float
    point: AnyPoint | None
    evaluator: Evaluator = field(default_factory=NashConv)


def goal_of_run(content: Mapping[str, Any]) -> Goal:
    """Return the goal of a run from its run.json."""
    return Goal(**{one.name: content["settings"]["goal"][one.name] for one in fields(Goal)})


@dataclass(frozen=True)
class Record(Validated):
    """The folder of a run, and the seconds between its checkpoints."""

    folder: Path
    every: float = option(30.0, 0, float("inf"), name="checkpoint_seconds")

    @property
    def file(self) -> Path:
        """The run's main file; the process that owns it owns the run."""
        return self.folder / "run.json"


def make_record(folder: str | Path | None, every: float) -> Record | None:
    """Return the record of a new run, None without a folder; refuse a folder that cannot be written or holds a run."""
    if folder is None:
        return None
    record = Record(Path(folder), every)
    check_writable(record.file)
    if os.path.isdir(folder):
        with locked(record.file):
            refuse_existing(record.folder)
    return record


@dataclass
class _Run:
    """The state of one drive."""

    solver: Solver
    evaluator: Evaluator
    seed: int
    goal: Goal
    record: Record | None
    interrupted: Callable[[], bool]
    curve: list[AnyPoint] = field(default_factory=list)
    logged: list[dict[str, float]] = field(default_factory=list)
    seconds: float = 0.0
    full: str = ""  # the reason why the solver cannot run further: its memory
    rate: float = 0.0  # iterations a second, measured on the last pieces
    saved: float = field(default_factory=time.monotonic)
    evaluation: Evaluation | None = None
    evaluated_at: tuple[int, float, int] = (-1, 0.0, 0)  # iterations, seconds, nodes

    @property
    def now(self) -> tuple[int, float, int]:
        """Iterations, seconds and nodes so far."""
        return self.solver.iterations, self.seconds, self.solver.nodes

    @property
    def evaluated(self) -> int:
        """The iteration of the last point."""
        return self.curve[-1].iteration if self.curve else 0

    def next_point(self) -> int:
        """Return the iteration of the next point: it depends on iterations and nodes alone, not on time.

        It is the one that was reached if evaluating was interrupted there.
        """
        growth = max(self.evaluator.growth[self.goal.until is not None], self.solver.method.growth)
        target = self.solver.method.delay + self.evaluator.first
        while target < self.solver.iterations or target == self.evaluated:
            target = max(target + self.evaluator.step, int(target * growth))
        if self.goal.nodes is not None and self.curve:
            last = self.curve[-1]  # not the iteration reached: the goal must not depend on how the run was split
            missing = (self.goal.nodes - last.nodes) * last.iteration / last.nodes
            target = min(target, last.iteration + max(1, int(missing)))
        return min(target, self.goal.iterations or target)

    def add_due_point(self) -> bool:
        """Append a point to the curve if one is due; return False if evaluating it was interrupted."""
        if self.evaluated < self.solver.iterations == self.next_point():
            if (evaluation := self.look()) is None:
                return False
            self.curve.append(self.evaluator.point(evaluation, *self.evaluated_at))
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

    def look(self) -> Evaluation | None:
        """Return the evaluator's evaluation, None if evaluating was interrupted; nothing is evaluated twice."""
        if self.evaluation is None or self.evaluated_at[0] != self.solver.iterations:
            if (found := self.evaluator.evaluate_interruptible(self.solver, self.interrupted)) is None:
                return None
            self.evaluation, self.evaluated_at = found, self.now
        return self.evaluation

    def stop_reason(self) -> str:
        """Return the reason to stop now, or an empty string."""
        goal, done = self.goal, self.solver.iterations
        last = self.curve[-1] if self.curve else None
        if goal.until is not None and last and self.evaluator.reached(last, goal.until):
            return f"{self.evaluator.title} reached {goal.until:g}"
        if self.full:
            return self.full
        if goal.iterations is not None and done >= goal.iterations:
            more = f", and the run had {done:,} before" if done > goal.iterations else ""
            return count(goal.iterations, "iterations") + more
        if goal.nodes is not None and last and last.nodes >= goal.nodes:
            return f"{goal.nodes:,} nodes"
        if goal.seconds is not None and self.seconds >= goal.seconds:
            return f"{goal.seconds:g} seconds"
        return ""

    def solution(self, status: str, stop: str) -> Solution:
        """Return the method's answer; while the run goes on, that of when it was last evaluated.

        Where evaluating was interrupted, the answer is returned unevaluated.
        """
        evaluation = self.look() if status != "running" or self.evaluation is None else self.evaluation
        method, curve = self.solver.method, tuple(self.curve)
        iterations, seconds, nodes = self.evaluated_at
        if evaluation is None:
            evaluation, status, stop = NoEvaluation().evaluate(self.solver), "interrupted", "interrupted"
            iterations, seconds, nodes = self.now
        elif iterations > int(method.delay) and self.evaluated < iterations:
            # Only here: the clock or the keyboard chose it, and the run's curve may go on.
            curve += (self.evaluator.point(evaluation, iterations, seconds, nodes),)
        settings: dict[str, Any] = {"goal": asdict(self.goal)}
        if self.record:
            settings["checkpoint_seconds"] = self.record.every
        return Solution(
            self.solver.form, method.parameters(), self.seed, evaluation, iterations, seconds, curve, self.evaluator,
            status, stop, settings=settings, nodes=nodes, reported=method.reported,
        )  # fmt: skip

    def open(self, resumed: bool) -> None:
        """Read the checkpoint of a run, or write all files of a new one before any work, so that a fault shows now.

        The checkpoint is written first: a process that is killed before run.json is written leaves no run.
        """
        if self.record is None:
            return
        folder = self.record.folder
        if resumed:
            self.curve, self.seconds = read_checkpoint(folder, self.solver, self.evaluator)
            self.logged = read_log(folder, self.solver.iterations)
        else:
            refuse_existing(folder)
        if not self.curve:
            write_form(folder, self.solver.form)
            write_checkpoint(folder, self.solver, self.evaluator, self.curve, self.seconds)
            self.solution("running", "").write(folder)

    def save(self, status: str, stop: str) -> Solution:
        """Write checkpoint and run; without a folder only return the solution.

        If writing fails, the last good checkpoint stays, the run goes on, and the solution says that it is unsaved.
        """
        solution = self.solution(status, stop)
        if self.record is None:
            return solution
        self.saved = time.monotonic()
        try:
            write_log(self.record.folder, [*self.logged, *self.solver.log()])
            write_checkpoint(self.record.folder, self.solver, self.evaluator, self.curve, self.seconds)
            return solution.write(self.record.folder)
        except RunError as error:
            warnings.warn(f"the run was not saved: {error}", RuntimeWarning, stacklevel=3)
            return replace(solution, settings={**solution.settings, "unsaved": str(error)})

    def loop(self, progress: Callable[[Progress], None] | None) -> Solution:
        """Run piece by piece until there is a reason to stop."""
        whole = self.add_due_point()  # where evaluating was interrupted the curve lacks a point
        while True:
            if whole and (stop := self.stop_reason()):
                return self.save("finished", stop)
            if not whole or self.interrupted():
                return self.save("interrupted", "interrupted")
            if self.record is not None and time.monotonic() - self.saved >= self.record.every:
                self.save("running", "")
            self.advance(self.next_point())
            whole = self.add_due_point()
            if progress is not None:
                last = self.curve[-1] if self.curve else None
                progress(Progress(self.goal, self.solver.iterations, self.seconds, last, self.evaluator))


def drive(
    solver: Solver,
    goal: Goal,
    *,
    evaluator: Evaluator | None = None,
    seed: int = 0,
    record: Record | None = None,
    resumed: bool = False,
    progress: Callable[[Progress], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Solution:
    """Run a solver until its goal is reached, and evaluate it along the way; see `solve` for the other arguments.

    record: the folder of the run, where checkpoints are written. resumed: continue the run in the record from its
    checkpoint; the solver is a new one of its game and method.

    Raises:
        ParameterError: the evaluator cannot evaluate this solver, or the goal cannot be reached.
        RunError: the record cannot be written, holds a run already, or no intact checkpoint to resume.
        KeyboardInterrupt: by the user; the record stays as last written, with the status ``"interrupted"``.
    """
    evaluator = require_evaluator(evaluator) or load_reference(solver.form.evaluator)()
    check_choice("the method's answer", solver.method.reported, REPORTED)
    evaluator.check(solver, goal.until)
    with locked(None if record is None else record.file):
        run = _Run(solver, evaluator, seed, goal, record, interrupted)
        run.open(resumed)
        try:
            with closing(solver):
                return run.loop(progress)
        except KeyboardInterrupt:
            if record is not None:
                mark_interrupted(record.folder)
            raise
