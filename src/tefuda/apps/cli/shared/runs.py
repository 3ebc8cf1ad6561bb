"""Starting, resuming and loading runs on the command line."""

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
    read_options,
    whole_number,
)
from tefuda.errors import ParameterError

#: Options allowed with --resume.
RESUME_OPTIONS = ("resume", "iterations", "until", "seconds", "checkpoint_seconds")


def goal_of(context: Context) -> dict[str, Any]:
    """Return the stopping rules on the command line."""
    params = context.params
    counts = {
        name: whole_number(name, params[name]) for name in ("iterations", "nodes") if params.get(name) is not None
    }
    return {"until": params.get("until"), "seconds": params.get("seconds"), **counts}


def new_run_folder(context: Context, name: str) -> Path:
    """Return the folder of a new run: --out, or a folder for the name; it must not contain a run."""
    from tefuda.solvers.runs.driver import make_record

    folder: Path = context.params["out"] or make_next_folder(Path("runs"), name)
    make_record(folder, context.params["checkpoint_seconds"])
    return folder


def start_run(
    context: Context, form: Any, method: Any, folder: Path, name: str, *, evaluator: Any = None, notice: str = ""
) -> Any:
    """Solve a form of a game by the options of the command, and save the run; return the solution.

    Args:
        context: context of the command.
        form: form of the game.
        method: method.
        folder: folder of the run.
        name: name shown with the progress.
        evaluator: evaluator of the curve; None: the form's own.
        notice: text shown until there is progress.
    """
    from tefuda.solvers.runs.methods import solve

    params = context.params
    with _progress(folder, name, method.unit, notice) as (report, interrupted):
        return solve(
            form, method, **goal_of(context), evaluator=evaluator, seed=params.get("seed", 0),
            workers=_workers(params), checkpoint=folder, checkpoint_seconds=params["checkpoint_seconds"],
            progress=report, interrupted=interrupted,
        )  # fmt: skip


def resume_run(context: Context, run: Path, rules: Any = None, only: str = "") -> Any:
    """Resume a run by the options of the command; return the solution.

    Args:
        context: context of the command.
        run: folder of the run.
        rules: rules of its game, if `load_game` does not know the game.
        only: representation that the command can show; "": any.

    Raises:
        ParameterError: the run has another representation.
    """
    from tefuda.apps.display.progress import building
    from tefuda.exploiting.named import evaluator_named, evaluator_to_resume
    from tefuda.solvers.runs.run import read_run
    from tefuda.solvers.runs.saved import form_of_run, resume

    params, content = context.params, read_run(run)
    if only not in ("", representation := content["form"]["representation"]):
        raise ParameterError(
            f"{run} is a run of {content['game']} as {representation}; resume it with tefuda solve --resume {run}."
        )
    game = build_tree(rules, True) if rules is not None and params.get("force") else rules
    with building(content["game"]) as progress:
        form = form_of_run(run, content, game, progress)
    evaluator_name = params.get("evaluator") or evaluator_to_resume(content["evaluator"])
    evaluator = evaluator_named(evaluator_name, form) if evaluator_name else None
    checkpoint_seconds = params["checkpoint_seconds"] if "checkpoint_seconds" in given_options(context) else None
    with _progress(run, str(run), "iterations", "loading the run") as (report, interrupted):
        return resume(
            run, game=form, method=user_method(params), evaluator=evaluator, workers=_workers(params),
            checkpoint_seconds=checkpoint_seconds, progress=report, interrupted=interrupted, **goal_of(context),
        )  # fmt: skip


def load_run(folder: Path, game: str = "", force: bool = False, context: Context | None = None) -> Any:
    """Load the solution of a run; undeclared options must be parameters of its game."""
    from tefuda.apps.display.progress import building
    from tefuda.solvers.runs.run import read_run
    from tefuda.solvers.runs.saved import game_of_run, load

    content = read_run(folder)
    if context is not None:
        check_same_game(folder, content, read_options(context.args), context)
    rules: Any = game_of_run(content, game) if game or force else None
    with building(content["game"]) as progress:
        return load(folder, build_tree(rules, True) if force else rules, building=progress)


def user_method(params: dict[str, Any]) -> str | None:
    """Return the option --method if it names a method of the user."""
    return params["method"] if ":" in params.get("method", "") else None


def _workers(params: dict[str, Any]) -> Any:
    """Return the number of workers: processes, or threads for a spot."""
    return params.get("workers", params.get("threads"))


@contextmanager
def _progress(folder: Path, name: str, unit: str, notice: str) -> Iterator[tuple[Any, Callable[[], bool]]]:
    """Show progress; yield its callback, and a function that returns True after an interruption.

    The first interruption saves the run; a second one ends the command at once.
    """
    from tefuda.apps.display.progress import preparing, solving

    def consequence() -> str:
        saved = f"resume with: tefuda solve --resume {folder}"
        return saved if is_run(str(folder)) else "nothing is saved yet; repeat the command to start again"

    with ExitStack() as stack:
        stack.enter_context(on_interruption(consequence))
        if notice:
            notify, report = stack.enter_context(preparing(name, unit))
            notify(notice)
        else:
            report = stack.enter_context(solving(name, unit))
        yield report, stack.enter_context(interruption_requested())
