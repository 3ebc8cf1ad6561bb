"""The options and arguments that several commands share, each declared once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from tefuda.errors import out_of_range


def game_names(incomplete: str) -> list[str]:
    """Return the games whose names begin so, for the completion of the shell."""
    from tefuda.games.catalogue import GAMES

    return [name for name in sorted(GAMES) if name.startswith(incomplete)]


def method_names(incomplete: str) -> list[str]:
    """Return the methods whose names begin so, for the completion of the shell; after a comma the next one."""
    from tefuda.solvers.runs.methods import METHODS

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in METHODS if name.startswith(last)]


def figure(text: str) -> float:
    """Return the figure that ``0.5`` or ``0.5%`` names."""
    try:
        return float(text.strip().removesuffix("%"))
    except ValueError:
        raise out_of_range("until", text, "a number, such as 1e-3 or 0.5%") from None


def to_write(path: Path | None) -> Path | None:
    """Refuse a file before any work if it cannot be written."""
    from tefuda.files import check_place

    if path is not None:
        check_place(path)
    return path


def to_write_in(folder: Path | None) -> Path | None:
    """Refuse a folder before any work if no files can be written in it."""
    to_write(None if folder is None else folder / "run.json")
    return folder


def _to_draw(path: Path | None) -> Path | None:
    if to_write(path) is not None:
        from tefuda.apps.plot import require_matplotlib

        require_matplotlib(path)
    return path


Game = Annotated[
    str,
    typer.Argument(
        help="A game's name, file.py:Class, or a run of it. Its parameters are options: --players 3.",
        autocompletion=game_names,
    ),
]
Methods = Annotated[str, typer.Option(help="Names, separated by commas.", autocompletion=method_names)]
RUNS: Any = typer.Option("--out", help="Folder of runs; finished ones are not run again.", callback=to_write_in)
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, finished or not.")]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON object as the last line.")]
Png = Annotated[Path | None, typer.Option(help="Draw a picture to this file (extra plot).", callback=_to_draw)]
Csv = Annotated[Path | None, typer.Option(help="Write all numbers to this file.", callback=to_write)]
Seed = Annotated[int, typer.Option(help="Random seed.")]
Workers = Annotated[int, typer.Option(help="Number of processes.")]
Force = Annotated[bool, typer.Option("--force", help="Compile even if the size estimate exceeds the memory.")]
OwnGame = Annotated[str, typer.Option("--game", help="The run's game as file.py:Class, if it is your own.")]
Blueprint = Annotated[str, typer.Option(help="Of a game: uniform, METHOD:ITERATIONS, or a profile.npz.")]
Language = Annotated[str, typer.Option(help="en or ja; the default is that of the locale.")]
Line = Annotated[str, typer.Option(help='The place to show: "Check/Bet(50)/Call/Ts".')]

Iterations = Annotated[float | None, typer.Option(help="Stop after this number of iterations.")]
Until = Annotated[
    float | None, typer.Option(parser=figure, help="Stop at this figure of the evaluator: NashConv, % of the pot.")
]

#: Type and default of the options of every command that solves and saves a run.
GOAL: dict[str, tuple[Any, Any]] = {
    "iterations": (Iterations, None),
    "until": (Until, None),
    "seconds": (Annotated[float | None, typer.Option(help="Stop after so many seconds of solving.")], None),
    "out": (Annotated[Path | None, typer.Option(help="The folder to save the run in.")], None),
    "checkpoint_seconds": (Annotated[float, typer.Option(help="How often the run is saved.")], 30.0),
    "resume": (Annotated[Path | None, typer.Option(help="Resume the run in this folder.")], None),
}

#: Type and default of the options that describe a spot of hold'em and its method.
SPOT: dict[str, tuple[Any, Any]] = {
    "spot": (Annotated[Path | None, typer.Option(help="A file of a spot (key=value); options override it.")], None),
    "pot": (Annotated[int, typer.Option(help="Chips in the pot at the start.")], 0),
    "stack": (Annotated[int, typer.Option(help="Chips behind of each player.")], 0),
    "oop": (Annotated[str, typer.Option(help="Range of the player to act first on every street.")], ""),
    "ip": (Annotated[str, typer.Option(help="Range of the player to act last.")], ""),
    "bets": (Annotated[str, typer.Option(help="Sizes on all streets: 50,a (% of the pot, all-in), 10c, 2e.")], "50,a"),
    "raises": (Annotated[str, typer.Option(help="Sizes of raises: 50,2.5x,a.")], "50,a"),
    "limit": (Annotated[str, typer.Option(help="Limit hold'em with these blinds: 5/10 (four bets; --set cap=3).")], ""),
    "rake": (Annotated[float, typer.Option(help="Share of the pot taken at the end.")], 0.0),
    "rake_cap": (Annotated[float | None, typer.Option(help="Most chips taken as rake.")], None),
    "change": (Annotated[list[str] | None, typer.Option("--set", help="Any key of a spot's file: turn_bet=33.")], None),
    "method": (Annotated[str, typer.Option(help="dcfr-3, dcfr, cfr, cfr+, cfr+quadratic, lcfr.")], "dcfr-3"),
    "precision": (Annotated[str, typer.Option(help="single; half halves the memory; double is for proofs.")], "single"),
    "memory": (Annotated[float, typer.Option(help="Most bytes to use.")], 8e9),
}  # fmt: skip


def taking(*groups: dict[str, tuple[Any, Any]]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declare groups of options for a command, which reads their values in `context.params`."""

    def declare(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        context, *own = signature.parameters.values()
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for group in groups
            for name, (kind, default) in group.items()
        ]

        @functools.wraps(command)
        def run(**values: Any) -> None:
            command(**{name: values[name] for name in signature.parameters})

        whole = signature.replace(parameters=[context, *added, *own])
        run.__signature__ = whole  # type: ignore[attr-defined]
        return run

    return declare
