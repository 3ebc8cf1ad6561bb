"""Runs on the command line: how they begin, resume and load."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from typer import Context

from tefuda.apps.cli.shared.common import given_options, make_next_folder
from tefuda.apps.cli.shared.interruption import interruption_requested, on_interruption
from tefuda.apps.cli.shared.reading import (
    build_tree,
    check_same_game,
    is_run,
    read_evaluator,
    read_options,
    whole_number,
)
from tefuda.errors import ParameterError

#: Options that go with --resume.
RESUME_OPTIONS = ("resume", "iterations", "until", "seconds", "checkpoint_seconds")


def goal_of(context: Context) -> dict[str, Any]:
    """Return the rules to stop by that a command was given."""
    told = context.params
    counted = {name: whole_number(name, told[name]) for name in ("iterations", "nodes") if told.get(name) is not None}
    return {"until": told.get("until"), "seconds": told.get("seconds"), **counted}


def new_run_folder(context: Context, name: str) -> Path:
    """Return the folder of a new run, by --out or the name; refuse one with a run."""
    from tefuda.solvers.runs.driver import make_record

    folder: Path = context.params["out"] or make_next_folder(Path("runs"), name)
    make_record(folder, context.params["checkpoint_seconds"])
    return folder


def start_run(
    context: Context, form: Any, method: Any, folder: Path, name: str, *, evaluator: Any = None, words: str = ""
) -> Any:
    """Solve a form of a game by the options of the command, saving the run; return the solution.

    `name` is shown beside the progress, and `words` until there is progress.
    """
    from tefuda.solvers.runs.methods import solve

    told = context.params
    with _watched(folder, name, method.unit, words) as (report, interrupted):
        return solve(
            form, method, **goal_of(context), evaluator=evaluator, seed=told.get("seed", 0), workers=_workers(told),
            checkpoint=folder, checkpoint_seconds=told["checkpoint_seconds"], progress=report, interrupted=interrupted,
        )  # fmt: skip


def resume_run(context: Context, run: Path, rules: Any = None, only: str = "") -> Any:
    """Resume a run by the options of the command; return the solution.

    `rules` are those of its game, if `load_game` does not know it; `only` is the representation that the command shows.

    Raises:
        ParameterError: a run of another representation.
    """
    from tefuda.apps.display.progress import building
    from tefuda.solvers.runs.run import read_run
    from tefuda.solvers.runs.saved import form_of_run, resume

    told, content = context.params, read_run(run)
    if only not in ("", held := content["form"]["representation"]):
        raise ParameterError(f"{run} is a run of {content['game']} as {held}: tefuda solve --resume {run} resumes it.")
    game = build_tree(rules, True) if rules is not None and told.get("force") else rules
    with building(content["game"]) as progress:
        form = form_of_run(run, content, game, progress)
    named = told.get("evaluator") or _spelled(content["evaluator"])
    evaluator = read_evaluator(named, form.game) if named else None
    every = told["checkpoint_seconds"] if "checkpoint_seconds" in given_options(context) else None
    with _watched(run, str(run), "iterations", "loading the run") as (report, interrupted):
        return resume(
            run, game=form, method=user_method(told), evaluator=evaluator, workers=_workers(told),
            checkpoint_seconds=every, progress=report, interrupted=interrupted, **goal_of(context),
        )  # fmt: skip


def load_run(folder: Path, game: str = "", force: bool = False, context: Context | None = None) -> Any:
    """Load the solution of a run; the command's other options must be parameters of its game."""
    from tefuda.apps.display.progress import building
    from tefuda.solvers.runs.run import read_run
    from tefuda.solvers.runs.saved import game_of_run, load

    content = read_run(folder)
    if context is not None:
        check_same_game(folder, content, read_options(context.args), context)
    rules: Any = game_of_run(content, game) if game or force else None
    with building(content["game"]) as progress:
        return load(folder, build_tree(rules, True) if force else rules, building=progress)


def user_method(told: dict[str, Any]) -> str | None:
    """Return the method option if it names a method of the user."""
    return told["method"] if ":" in told.get("method", "") else None


def _workers(told: dict[str, Any]) -> Any:
    """Return the number of workers; a spot's are threads."""
    return told.get("workers", told.get("threads"))


def _spelled(evaluator: dict[str, Any]) -> str:
    """Return the spelling of an evaluator that only the command line can rebuild."""
    return {"against": f"against:{evaluator.get('agent')}", "learned": "learned"}.get(evaluator["name"], "")


@contextmanager
def _watched(folder: Path, name: str, unit: str, words: str) -> Iterator[tuple[Any, Callable[[], bool]]]:
    """Show progress; yield its callback, and a function that tells whether to end and save the run.

    A second interruption ends the command at once.
    """
    from tefuda.apps.display.progress import preparing, solving

    def left() -> str:
        held = f"tefuda solve --resume {folder} goes on with what it holds"
        return held if is_run(str(folder)) else "nothing is saved yet, the same command begins again"

    with ExitStack() as entered:
        entered.enter_context(on_interruption(left))
        if words:
            notify, report = entered.enter_context(preparing(name, unit))
            notify(words)
        else:
            report = entered.enter_context(solving(name, unit))
        yield report, entered.enter_context(interruption_requested())
