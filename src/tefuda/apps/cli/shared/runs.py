"""Starting, resuming and loading runs on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from typer import Context

from tefuda.apps.cli.shared.common import given_options, make_next_folder
from tefuda.apps.cli.shared.interruption import interruption_requested, on_interruption
from tefuda.apps.cli.shared.reading import (
    build_tree,
    check_same_game,
    is_run,
    read_options,
    whole_number,
)
from tefuda.errors import ParameterError


def goal_of(context: Context) -> Any:
    """Return the goal on the command line."""
    from tefuda.solvers.runs.driver import Goal

    params = context.params
    counts = {
        name: whole_number(name, params[name]) for name in ("iterations", "nodes") if params.get(name) is not None
    }
    return Goal(until=params.get("until"), seconds=params.get("seconds"), **counts)


def new_record(context: Context, name: str) -> Any:
    """Return the record of a new run in --out, or in a folder for the name, which must not contain a run."""
    from tefuda.solvers.runs.driver import make_record

    return make_record(
        context.params["out"] or make_next_folder(Path("runs"), name), context.params["checkpoint_seconds"]
    )


def start_run(context: Context, job: Any, record: Any, name: str) -> Any:
    """Run a job by the options of the command, and save the run; return the solution.

    name: shown with the progress.
    """
    with _progress(record.folder, name, job.method.unit) as (report, interrupted):
        return job.run(record, workers=context.params["workers"], progress=report, interrupted=interrupted)


def resume_run(context: Context, run: Path, rules: Any = None) -> Any:
    """Resume a run by the options of the command; return the solution.

    rules: rules of its game, if `load_game` does not know the game.
    """
    from tefuda.apps.display.progress import building
    from tefuda.exploiting.named import read_job_with_form
    from tefuda.solvers.runs.job import NO_GOAL
    from tefuda.solvers.runs.run import read_run

    params, content, method = context.params, read_run(run), user_method(context.params)
    game = build_tree(rules, True) if rules is not None and params["force"] else rules
    with building(content["game"]) as progress:
        job = read_job_with_form(run, game=game, method=method, evaluator=params["evaluator"], building=progress)
        progress("loading the run")
    goal = goal_of(context)
    every = params["checkpoint_seconds"] if "checkpoint_seconds" in given_options(context) else None
    with _progress(run, str(run), "iterations") as (report, interrupted):
        return job.resume(
            run, None if goal == NO_GOAL else goal, workers=context.params["workers"], checkpoint_seconds=every,
            progress=report, interrupted=interrupted,
        )  # fmt: skip


def load_run(folder: Path, game: str = "", force: bool = False, context: Context | None = None) -> Any:
    """Load the solution of a run; undeclared options must be parameters of its game."""
    from tefuda.apps.display.progress import building
    from tefuda.solvers.runs.job import Job
    from tefuda.solvers.runs.run import read_run
    from tefuda.solvers.runs.saved import load

    content = read_run(folder)
    if context is not None:
        check_same_game(folder, content, read_options(context.args), context)
    rules: Any = Job.read(folder, game=game or None).game if game or force else None
    with building(content["game"]) as progress:
        return load(folder, build_tree(rules, True) if force else rules, building=progress)


def load_holdem_run(run: Path, *kinds: str) -> Any:
    """Load a run of hold'em; its form must be one of `kinds`."""
    from tefuda.solvers.runs.run import read_run
    from tefuda.solvers.runs.saved import load

    if read_run(run)["form"]["representation"] not in kinds:
        raise ParameterError(f"{run} is not a run of {' or '.join(kinds)} of hold'em; show it with tefuda show {run}.")
    return load(run)


def user_method(params: dict[str, Any]) -> str | None:
    """Return the option --method if it names a method of the user."""
    return params["method"] if ":" in params.get("method", "") else None


@contextmanager
def _progress(folder: Path, name: str, unit: str) -> Iterator[tuple[Any, Callable[[], bool]]]:
    """Show progress; yield its callback, and a function that returns True after an interruption.

    The first interruption saves the run; a second one ends the command at once.
    """
    from tefuda.apps.display.progress import solving

    def consequence() -> str:
        saved = f"resume with: tefuda solve --resume {folder}"
        return saved if is_run(str(folder)) else "nothing is saved yet; repeat the command to start again"

    with on_interruption(consequence), solving(name, unit) as report, interruption_requested() as interrupted:
        yield report, interrupted
