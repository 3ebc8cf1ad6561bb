"""Options and arguments of several commands."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from tefuda.errors import out_of_range


def game_names(incomplete: str) -> list[str]:
    """Return the games whose names start with a text."""
    from tefuda.games.catalogue import GAMES, paper_games

    return [name for name in sorted([*GAMES, *paper_games()]) if name.startswith(incomplete)]


def method_names(incomplete: str) -> list[str]:
    """Return the methods whose names start with a text, or with its part after the last comma."""
    from tefuda.solvers.runs.methods import METHODS

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in METHODS if name.startswith(last)]


def parse_figure(text: str) -> float:
    """Return the number in ``0.5`` or ``0.5%``."""
    try:
        return float(text.strip().removesuffix("%"))
    except ValueError:
        raise out_of_range("until", text, "a number, such as 1e-3 or 0.5%") from None


def writable_file(path: Path | None) -> Path | None:
    """Return a path, or raise if the file cannot be written."""
    from tefuda.files import check_writable

    if path is not None:
        check_writable(path)
    return path


def writable_folder(folder: Path | None) -> Path | None:
    """Return a folder, or raise if files in it cannot be written."""
    writable_file(None if folder is None else folder / "run.json")
    return folder


def _to_draw(path: Path | None) -> Path | None:
    if writable_file(path) is not None:
        from tefuda.apps.plot import require_matplotlib

        require_matplotlib(path)
    return path


Game = Annotated[
    str,
    Argument(
        help="Name of a game, file.py:Class, or a run folder. Parameters of the game are options: --players 3.",
        autocompletion=game_names,
    ),
]
Methods = Annotated[str, Option(help="Names of methods, separated by commas.", autocompletion=method_names)]
RUNS: Any = Option("--out", help="Folder of the runs; finished runs are not repeated.", callback=writable_folder)
RunFolder = Annotated[Path, Argument(metavar="RUN", help="Folder of a run, finished or not.")]
Json = Annotated[bool, Option("--json", help="Print the result as a JSON object.")]
Png = Annotated[Path | None, Option(help="Draw a picture into this file (extra plot).", callback=_to_draw)]
Csv = Annotated[Path | None, Option(help="Write all numbers into this CSV file.", callback=writable_file)]
Seed = Annotated[int, Option(help="Random seed.")]
Nodes = Annotated[float | None, Option(help="Stop after visiting this many histories.")]
Workers = Annotated[int, Option(help="Number of processes.")]
Force = Annotated[bool, Option("--force", help="Compile even if the estimated size exceeds memory.")]
OwnGame = Annotated[str, Option("--game", help="The game of the run as file.py:Class, if it is your own.")]
Blueprint = Annotated[str, Option(help="Blueprint for a game: uniform, METHOD:ITERATIONS, or a file.")]
Language = Annotated[str, Option(help="Language: en or ja; the default is the locale's.")]

#: Type, default and help of each option, by parameter.
Options = dict[str, tuple[Any, Any, Any]]

#: Stopping rules.
STOP: Options = {
    "iterations": (float | None, None, "Stop after this number of iterations."),
    "until": (float | None, None, Option(parser=parse_figure, help="Stop at this NashConv (spots: % of the pot).")),
}
#: Stopping rules, and options to save and resume a run.
GOAL: Options = {
    **STOP,
    "seconds": (float | None, None, "Stop after this many seconds of solving."),
    "out": (Path | None, None, "Folder for the run."),
    "checkpoint_seconds": (float, 30.0, "Seconds between two checkpoints."),
    "resume": (Path | None, None, "Resume the run in this folder."),
}


def with_options(options: Options) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add options to a command, which reads their values from `context.params`, as all others."""

    def declare(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        context, *own = signature.parameters.values()
        added = []
        for name, (annotation, default, text) in options.items():
            option = Option(help=text) if isinstance(text, str) else text
            kind = inspect.Parameter.KEYWORD_ONLY
            added.append(inspect.Parameter(name, kind, default=default, annotation=Annotated[annotation, option]))

        @functools.wraps(command)
        def run(**values: Any) -> None:
            given = {name: value for name, value in values.items() if name != context.name}
            values[context.name].params.update(given)  # Typer may leave texts there
            command(**{name: values[name] for name in signature.parameters})

        run.__signature__ = signature.replace(parameters=[context, *added, *own])  # type: ignore[attr-defined]
        return run

    return declare
