"""Saved runs: resume a run, or load its solution."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import closing
from pathlib import Path
from typing import Any

from tefuda.errors import ParameterError, RunError
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import evaluate as evaluate_profile
from tefuda.forms.arrays import finite_numbers
from tefuda.forms.builder import BuildProgress
from tefuda.forms.form import Form
from tefuda.solvers.protocol import Method, Solver
from tefuda.solvers.runs.driver import Goal, Progress
from tefuda.solvers.runs.evaluators import Evaluation, Evaluator, NashConv, recorded_evaluator, reported_strategy
from tefuda.solvers.runs.job import NO_GOAL, Job, Solvable
from tefuda.solvers.runs.run import check_same_game, naming, profile_digest, read_checkpoint, read_curve, read_run
from tefuda.solvers.runs.solution import Solution


def resume(
    folder: str | Path,
    *,
    game: Solvable | None = None,
    method: str | Method | None = None,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    evaluator: Evaluator | None = None,
    workers: int | Executor | None = None,
    checkpoint_seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    building: BuildProgress | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Solution:
    """Resume a run that was interrupted or finished.

    Args:
        folder: folder of the run.
        game: the game or form of the run. Needed if `load_game` does not know the game, or if the form is not the
            method's default.
        method: the method. Needed if the user defined it: nothing in a run is ever executed.
        iterations: new goal, counted from the start of the run. Default: the goal of the run.
        until: see `iterations` and `solve`.
        seconds: see `iterations` and `solve`.
        nodes: see `iterations` and `solve`.
        evaluator: the run's evaluator. Needed if it is neither the default of the form nor `NoEvaluation`.
        workers: see `make_solver`; it may differ from the start of the run.
        checkpoint_seconds: seconds between checkpoints. Default: those of the run.
        progress: see `solve`.
        building: called with the number of histories compiled.
        interrupted: see `solve`.

    Returns:
        The solution of the whole run.

    Raises:
        RunError: the run is damaged, belongs to another game, or was written by another version.

    >>> solution = td.solve(td.load_game("kuhn"), "cfr+", iterations=10, checkpoint="kuhn-run")
    >>> td.resume("kuhn-run", iterations=20).iterations
    20
    """
    goal, folder = Goal(iterations, until, seconds, nodes), Path(folder)
    job = Job.read(folder, game=game, method=method, evaluator=evaluator)
    with naming(folder):
        _, job = job.form(building=building)
    return job.resume(
        folder, goal if goal != NO_GOAL else None, workers=workers, checkpoint_seconds=checkpoint_seconds,
        progress=progress, interrupted=interrupted,
    )  # fmt: skip


def load(
    folder: str | Path,
    game: Solvable | None = None,
    *,
    method: str | Method | None = None,
    building: BuildProgress | None = None,
) -> Solution:
    """Load the solution of a saved run, finished or not, without iterating or writing files.

    Args:
        folder: folder of the run.
        game: see `resume`.
        method: see `resume`.
        building: called with the number of histories compiled.

    Returns:
        The solution. An exact evaluator evaluates it again; otherwise it has the saved figure.

    Raises:
        RunError: the run is missing or damaged, or belongs to another version or game.

    >>> saved = td.solve(td.load_game("kuhn"), "cfr+", iterations=10).save("run")
    >>> td.load("run").iterations
    10
    """
    folder, content = Path(folder), read_run(folder)
    job = Job.read(folder, game=game, method=method)
    with naming(folder):
        form, job = job.form(building=building)
        check_same_game(folder, content, form)
        evaluator = recorded_evaluator(content, form)
        evaluation, done = _evaluation(folder, content, job, evaluator)
    return Solution(
        form=form,
        method=content["method_parameters"],
        evaluation=evaluation,
        curve=read_curve(folder, evaluator, done["iterations"]),
        evaluator=evaluator,
        run=str(folder),
        settings={name: content[name] for name in ("goal", "checkpoint_seconds") if name in content},
        **{name: content[name] for name in ("seed", "status", "stop", "reported")},
        **done,
    )


def load_solver(solution: Solution) -> Solver:
    """Return the solver of a saved run, as its checkpoint left it.

    Args:
        solution: solution of `load`, or of a solve with a checkpoint.

    Raises:
        RunError: the solution is not of a saved run, or the run has no checkpoint or a damaged one.

    >>> solution = td.solve(td.load_game("kuhn"), "sdo", until=1e-9, checkpoint="sdo-run")
    >>> td.solvers.load_solver(solution).used
    (12, 12)
    """
    if not solution.run:
        raise RunError("the solution is not of a saved run; solve with checkpoint=FOLDER, and load it.", key="run")
    folder = Path(solution.run)
    solver = solution.evaluator.recording(Job.read(folder, game=solution.form).solver())
    with naming(folder):
        read_checkpoint(folder, solver, solution.evaluator)
    return solver


def _evaluation(
    folder: Path, content: dict[str, Any], job: Job, evaluator: Evaluator
) -> tuple[Evaluation, dict[str, Any]]:
    """Return the evaluation of a run, and its iterations, seconds and nodes.

    An exact figure is computed unless run.json has that of the saved strategy: a run that was killed while it was
    saved has a newer strategy.
    """
    done, form = {name: content[name] for name in ("iterations", "seconds", "nodes")}, job.form()[0]
    if form.tree is not None:
        profile = Profile.load(folder / "profile.npz", form.tree)
        if not isinstance(evaluator, NashConv):
            values = _saved_values(content, form) if content.get("values") else ()
            return Evaluation(content["iterate"], profile, *_saved_figures(content), values), done
        if content.get("profile") == profile_digest(profile):
            return Evaluation(content["iterate"], profile, *_saved_figures(content), _saved_values(content, form)), done
        exact = evaluate_profile(profile)
        conv = exact.nash_conv
        return Evaluation(content["iterate"], profile, conv, conv, conv, tuple(exact.values.tolist())), done
    with closing(job.solver()) as solver:
        _, seconds = read_checkpoint(folder, solver, evaluator)
        if not evaluator.exact:
            name, strategy = reported_strategy(solver)
            if content["iterate"] == "current" != name:  # the better of two strategies
                name, strategy = "current", solver.current()
            return Evaluation(name, strategy, *_saved_figures(content)), done
        done = {"iterations": solver.iterations, "seconds": seconds, "nodes": solver.nodes}
        return evaluator.evaluate(solver), done


def _saved_figures(content: dict[str, Any]) -> tuple[float, float, float]:
    """Return the figure of a run and its interval; nan for null in run.json."""
    saved = content["figure"]
    figure, low, high = (math.nan if saved[key] is None else float(saved[key]) for key in ("value", "low", "high"))
    return figure, low, high


def _saved_values(content: dict[str, Any], form: Form) -> tuple[float, ...]:
    """Return the values of the players in run.json."""
    try:
        return tuple(finite_numbers("values", content.get("values"), form.players).tolist())
    except ParameterError as error:
        raise RunError(f"run.json is damaged: {error} Use an intact copy.") from None
