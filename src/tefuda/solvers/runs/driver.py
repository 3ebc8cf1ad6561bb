"""The loop around every solver: stop rules, progress, curve, checkpoints and interruption.

KeyboardInterrupt leaves the loop at once and marks the run as interrupted in its folder. Pass `interrupted` to `drive`
to get the partial solution instead.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tefuda.errors import RunError, SizeError, check_choice, error_text
from tefuda.files import check_writable
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

_PIECE = 0.1  # seconds of solving between checks of the stop rules and reports of progress


@dataclass(frozen=True)
class Goal(Validated):
    """The rules that stop a run. It stops at the first that holds; None: no rule.

    Attributes:
        iterations: total number of iterations, including those before a resume.
        until: NashConv, or another figure of the evaluator, to reach.
        seconds: time of solving.
        nodes: total number of histories visited, for methods that count them.

    >>> td.Goal(iterations=100, until=1e-3)
    Goal(iterations=100, until=0.001, seconds=None, nodes=None)
    """

    iterations: int | None = option(None, 1, float("inf"))
    until: float | None = option(None, -1e300, 1e300)
    seconds: float | None = option(None, 0, float("inf"))
    nodes: int | None = option(None, 1, float("inf"))


@dataclass(frozen=True)
class Progress:
    """The argument of a progress callback.

    Attributes:
        goal: the rules that stop the run.
        iterations: number of iterations so far.
        seconds: time of solving so far.
        point: the last point of the curve, or None.
        evaluator: the evaluator of the run.
        values: values of the players `[P]` at the last evaluation, if the evaluator computes them.

    >>> reports = []
    >>> solution = td.solve(td.load_game("kuhn"), "cfr", iterations=10, progress=reports.append)
    >>> reports[-1].goal.iterations
    10
    """

    goal: Goal
    iterations: int
    seconds: float
    point: AnyPoint | None
    evaluator: Evaluator = field(default_factory=NashConv)
    values: tuple[float, ...] = ()


@dataclass(frozen=True)
class Record(Validated):
    """The folder of a run, and the seconds between checkpoints."""

    folder: Path
    seconds: float = option(30.0, 0, float("inf"), name="checkpoint_seconds")

    @property
    def file(self) -> Path:
        """The main file of the run; the process that locks it owns the run."""
        return self.folder / "run.json"


def make_record(folder: str | Path | None, seconds: float) -> Record | None:
    """Return the record of a new run; None without a folder.

    Raises:
        RunError: the folder cannot be written, or contains a run.
    """
    if folder is None:
        return None
    record = Record(Path(folder), seconds)
    check_writable(record.file)
    if os.path.isdir(folder):
        with locked(record.file):
            refuse_existing(record.folder)
    return record


@dataclass
class _Run:
    """The state of a run in progress."""

    solver: Solver
    evaluator: Evaluator
    seed: int
    goal: Goal
    record: Record | None
    interrupted: Callable[[], bool]
    observer: Callable[[Solver], None] | None = None
    curve: list[AnyPoint] = field(default_factory=list)
    log: list[dict[str, float]] = field(default_factory=list)
    seconds: float = 0.0
    memory_error: str = ""  # the message of a solver whose memory is full
    rate: float = 0.0  # iterations a second in the last pieces
    saved_at: float = field(default_factory=time.monotonic)
    evaluation: Evaluation | None = None
    evaluated_at: tuple[int, float, int] = (-1, 0.0, 0)  # iterations, seconds, nodes

    @property
    def progress(self) -> tuple[int, float, int]:
        """Iterations, seconds and nodes so far."""
        return self.solver.iterations, self.seconds, self.solver.nodes

    @property
    def last_point(self) -> int:
        """The iteration of the last point of the curve; 0 without one."""
        return self.curve[-1].iteration if self.curve else 0

    def next_point(self) -> int:
        """Return the iteration of the next point of the curve.

        It depends on iterations and nodes, not on time. If the evaluation at the current iteration was interrupted, it
        is the current iteration.
        """
        growth = max(self.evaluator.growth[self.goal.until is not None], self.solver.method.growth)
        growth = 1.0 if self.solver.method.rounds else growth
        target = self.solver.method.delay + self.evaluator.first
        while target < self.solver.iterations or target == self.last_point:
            target = max(target + self.evaluator.step, int(target * growth))
        if self.goal.nodes is not None and self.curve:
            last = self.curve[-1]  # not the current iteration: the goal must not depend on interruptions
            missing = (self.goal.nodes - last.nodes) * last.iteration / last.nodes
            target = min(target, last.iteration + max(1, int(missing)))
        return min(target, self.goal.iterations or target)

    def add_due_point(self) -> bool:
        """Append a point to the curve if one is due; return False if its evaluation was interrupted."""
        if self.last_point < self.solver.iterations == self.next_point():
            if (evaluation := self.evaluate()) is None:
                return False
            self.curve.append(self.evaluator.point(evaluation, *self.evaluated_at))
            if self.observer is not None:
                self.observer(self.solver)
        return True

    def advance(self, target: int) -> None:
        """Run towards the iteration `target` for about `_PIECE` seconds."""
        count = min(target - self.solver.iterations, max(1, int(self.rate * _PIECE)))
        if self.goal.seconds is not None:
            self.solver.limit = max(self.goal.seconds - self.seconds, 0.0)
        start = time.perf_counter()
        try:
            self.solver.advance(count)
        except SizeError as error:  # the iterations before it are complete
            self.memory_error = str(error)
        spent = time.perf_counter() - start
        self.seconds += spent
        # The first piece may include loading kernels, so the rate grows in steps.
        self.rate = min(count / max(spent, 1e-9), max(10.0, 20 * self.rate))

    def evaluate(self) -> Evaluation | None:
        """Return the evaluation at the current iteration; None if it was interrupted. It is cached."""
        if self.evaluation is None or self.evaluated_at[0] != self.solver.iterations:
            if (evaluation := self.evaluator.evaluate_interruptible(self.solver, self.interrupted)) is None:
                return None
            self.evaluation, self.evaluated_at = evaluation, self.progress
        return self.evaluation

    def stop_reason(self) -> str:
        """Return the reason to stop now, or an empty string."""
        goal, done = self.goal, self.solver.iterations
        last = self.curve[-1] if self.curve else None
        if goal.until is not None and last and self.evaluator.reached(last, goal.until):
            return self.evaluator.reason(goal.until)
        if self.memory_error:
            return self.memory_error
        if goal.iterations is not None and done >= goal.iterations:
            more = f"; the run already had {done:,}" if done > goal.iterations else ""
            return count(goal.iterations, "iterations") + more
        if goal.nodes is not None and last and last.nodes >= goal.nodes:
            return f"{goal.nodes:,} nodes"
        if goal.seconds is not None and self.seconds >= goal.seconds:
            return f"{goal.seconds:g} seconds"
        if goal.iterations is None and self.solver.finished:
            return "further iterations change nothing"
        return ""

    def solution(self, status: str, stop: str) -> Solution:
        """Return the reported strategy with its figures; during the run, as of the last evaluation.

        If the evaluation is interrupted, the strategy is returned without figures.
        """
        evaluation = self.evaluate() if status != "running" or self.evaluation is None else self.evaluation
        method, curve = self.solver.method, tuple(self.curve)
        iterations, seconds, nodes = self.evaluated_at
        if evaluation is None:
            evaluation, status, stop = NoEvaluation().evaluate(self.solver), "interrupted", "interrupted"
            iterations, seconds, nodes = self.progress
        elif iterations > int(method.delay) and self.last_point < iterations:
            # Not a point of self.curve: a resumed run must get the same curve as an uninterrupted one.
            curve += (self.evaluator.point(evaluation, iterations, seconds, nodes),)
        settings: dict[str, Any] = {"goal": asdict(self.goal)}
        if self.record:
            settings["checkpoint_seconds"] = self.record.seconds
        return Solution(
            self.solver.form, method.parameters(), self.seed, evaluation, iterations, seconds, curve, self.evaluator,
            status, stop, settings=settings, nodes=nodes, reported=method.reported,
        )  # fmt: skip

    def open(self, resumed: bool) -> None:
        """Read the checkpoint of a run, or write all files of a new run.

        A new run is written before any work, so that errors occur now. The checkpoint is first: a process that is
        killed before it writes run.json leaves no run.
        """
        if self.record is None:
            return
        folder = self.record.folder
        if resumed:
            self.curve, self.seconds = read_checkpoint(folder, self.solver, self.evaluator)
            self.log = read_log(folder, self.solver.iterations)
        else:
            refuse_existing(folder)
        if not self.curve:
            write_form(folder, self.solver.form)
            write_checkpoint(folder, self.solver, self.evaluator, self.curve, self.seconds)
            self.solution("running", "").write(folder)

    def save(self, status: str, stop: str) -> Solution:
        """Return the solution; write the checkpoint and the run if there is a folder.

        If writing fails, the last good checkpoint remains, the run continues, and the solution's settings contain the
        error as ``"unsaved"``.
        """
        solution = self.solution(status, stop)
        if self.record is None:
            return solution
        self.saved_at = time.monotonic()
        try:
            write_log(self.record.folder, [*self.log, *self.solver.log()])
            write_checkpoint(self.record.folder, self.solver, self.evaluator, self.curve, self.seconds)
            return solution.write(self.record.folder)
        except (RunError, OSError, MemoryError) as error:
            reason = str(error) or error_text(error)
            warnings.warn(f"the run was not saved: {reason}", RuntimeWarning, stacklevel=3)
            return replace(solution, settings={**solution.settings, "unsaved": reason})

    def loop(self, progress: Callable[[Progress], None] | None) -> Solution:
        """Run in pieces until there is a reason to stop."""
        evaluated = self.add_due_point()  # a resumed run lacks the point whose evaluation was interrupted
        while True:
            if evaluated and (stop := self.stop_reason()):
                return self.save("finished", stop)
            if not evaluated or self.interrupted():
                return self.save("interrupted", "interrupted")
            if self.record is not None and time.monotonic() - self.saved_at >= self.record.seconds:
                self.save("running", "")
            self.advance(self.next_point())
            evaluated = self.add_due_point()
            if progress is not None:
                last = self.curve[-1] if self.curve else None
                values = self.evaluation.values if self.evaluation else ()
                progress(Progress(self.goal, self.solver.iterations, self.seconds, last, self.evaluator, values))


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
    observer: Callable[[Solver], None] | None = None,
) -> Solution:
    """Run a solver until its goal is reached, and evaluate it along the way.

    Args:
        solver: a new solver.
        goal: the rules that stop the run.
        evaluator: see `solve`.
        seed: see `solve`.
        record: folder of the run for checkpoints, or None.
        resumed: whether to continue the run in the record from its checkpoint.
        progress: see `solve`.
        interrupted: see `solve`.
        observer: see `solve`.

    Raises:
        ParameterError: the evaluator cannot evaluate this solver, or the goal cannot be reached.
        RunError: the record cannot be written, already contains a run, or has no intact checkpoint to resume.
        KeyboardInterrupt: raised at once; the files remain as last written, with the status ``"interrupted"``.
    """
    evaluator = require_evaluator(evaluator) or solver.method.default_evaluator(solver.form)
    check_choice("reported", solver.method.reported, REPORTED)
    evaluator.check(solver, goal.until)
    solver = evaluator.recording(solver)
    with locked(None if record is None else record.file):
        run = _Run(solver, evaluator, seed, goal, record, interrupted, observer)
        run.open(resumed)
        try:
            with closing(solver):
                return run.loop(progress)
        except KeyboardInterrupt:
            if record is not None:
                mark_interrupted(record.folder)
            raise
