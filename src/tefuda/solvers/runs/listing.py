"""The runs of a folder: their summaries, titles, and whether a process is writing them."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tefuda.errors import BusyError, ParameterError, RunError
from tefuda.files import write_json
from tefuda.locks import is_locked, locked
from tefuda.solvers.runs.evaluators import curve_evaluator
from tefuda.solvers.runs.points import AnyPoint
from tefuda.solvers.runs.run import TITLE, holds_run, read_curve, read_run


@dataclass(frozen=True)
class RunSummary:
    """Summary of a run in a folder of runs.

    Attributes:
        id: name of the run's folder.
        title: title given by the user, or "".
        game: name of the game; "" for a damaged run, as in all other fields.
        game_parameters: parameters of the game.
        method: name of the method.
        representation: representation of the form, such as ``"tree"``.
        status: ``"running"``, ``"finished"``, ``"interrupted"``, ``"stopped"`` by its user, or ``"damaged"``.
        iterations: number of iterations.
        seconds: time of solving.
        figure: title, unit, direction, value and interval of the evaluation.
        written: time of the last write, in ISO 8601.
        error: message about the damage, or "".
        goal: rules that stop the run.

    >>> td.solvers.RunSummary("leduc-1", error="run.json was changed").status
    'damaged'
    """

    id: str
    title: str = ""
    game: str = ""
    game_parameters: dict[str, Any] = field(default_factory=dict)
    method: str = ""
    representation: str = ""
    status: str = "damaged"
    iterations: int = 0
    seconds: float = 0.0
    figure: dict[str, Any] = field(default_factory=dict)
    written: str = ""
    error: str = ""
    goal: dict[str, Any] = field(default_factory=dict)


def list_runs(folder: str | Path) -> tuple[RunSummary, ...]:
    """Return the runs of a folder, the last written first; damaged runs follow, by name.

    A run is a folder with a run.json. Links are not followed: a linked run is listed as damaged.
    A run that no process writes any more is interrupted, whatever its file says.

    Args:
        folder: folder that contains the folders of runs. A missing folder contains none.

    Raises:
        RunError: the folder cannot be read.

    >>> saved = td.solve(td.load_game("kuhn"), "cfr+", iterations=10).save("runs/kuhn")
    >>> [(run.id, run.method, run.iterations) for run in td.list_runs("runs")]
    [('kuhn', 'cfr+', 10)]
    """
    summaries = [_summary(path) for path in sorted(_run_folders(Path(folder)))]
    intact = sorted((run for run in summaries if not run.error), key=lambda run: run.written, reverse=True)
    return (*intact, *(run for run in summaries if run.error))


def find_run(folder: str | Path, run: str) -> Path:
    """Return the folder of a run by its id. The id is looked up in a listing and never used as a path.

    Raises:
        RunError: there is no such run, or the run has links.
    """
    path = _run_folder(folder, run)
    _refuse_links(path)
    return path


def _run_folder(folder: str | Path, run: str) -> Path:
    for path in _run_folders(Path(folder)):
        if path.name == run:
            return path
    raise RunError(f"{folder} has no run {run!r}; list its runs with tefuda show {folder}.", key="run", value=run)


def run_curve(folder: str | Path) -> tuple[AnyPoint, ...]:
    """Return the curve of a run without loading its solution.

    Raises:
        RunError: the run or its curve is damaged.
    """
    content = read_run(folder)
    return read_curve(Path(folder), curve_evaluator(content), content["iterations"])


def run_status(folder: Path, content: Mapping[str, Any]) -> str:
    """Return the status of a run; a running one that no process writes any more is interrupted."""
    status: str = content["status"]
    return "interrupted" if status == "running" and not is_locked(folder / "run.json") else status


def bin_run(folder: str | Path, run: str) -> Path:
    """Move a run into the bin, the hidden folder ``.bin`` beside it; return its new folder.

    A run in the bin is not listed; `restore_run` moves it back.

    Raises:
        BusyError: a process is writing the run.
        RunError: there is no such run, or it cannot be moved.
    """
    source = _run_folder(folder, run)
    if is_locked(source / "run.json"):
        raise BusyError(source, "another process", None)
    parent = Path(folder, ".bin")
    names = itertools.chain([run], (f"{run}-{number}" for number in itertools.count(2)))
    try:
        parent.mkdir(exist_ok=True)
        return source.rename(next(parent / name for name in names if not os.path.lexists(parent / name)))
    except OSError as error:
        raise RunError(f"cannot move {source} to the bin: {error.strerror}.") from None


def restore_run(folder: str | Path, run: str, binned: str) -> Path:
    """Move a run from the bin back to its place; return its folder.

    Args:
        folder: folder of the runs.
        run: name that it had.
        binned: name of its folder in the bin, as `bin_run` returned it: the same, or followed by a number.

    Raises:
        RunError: the bin has no such run, another run has its name, or it cannot be moved.
    """
    source = _run_folder(Path(folder, ".bin"), binned)
    target = Path(folder, run)
    if binned != run and not re.fullmatch(re.escape(run) + r"-\d+", binned):
        raise RunError(f"{source} was not the run {run!r}.", key="run", value=run)
    if os.path.lexists(target):
        raise RunError(f"{target} exists again; rename it first.", key="run", value=run)
    try:
        return source.rename(target)
    except OSError as error:
        raise RunError(f"cannot move {source} back: {error.strerror}.") from None


def rename_run(folder: str | Path, title: str) -> None:
    """Give a run a title. The folder keeps its name.

    Args:
        folder: folder of the run.
        title: at most 200 printable characters; "" removes the title.

    Raises:
        ParameterError: the title is too long or not printable.
        BusyError: a process is writing the run.
        RunError: the run is damaged or cannot be written.

    >>> saved = td.solve(td.load_game("kuhn"), "cfr+", iterations=10).save("titled/kuhn")
    >>> td.solvers.rename_run("titled/kuhn", "my first run")
    >>> td.list_runs("titled")[0].title
    'my first run'
    """
    if len(title) > TITLE or not title.isprintable():
        raise ParameterError(
            f"a title must have at most {TITLE} printable characters, got {title[:TITLE]!r}.", key="title", value=title
        )
    folder = Path(folder)
    read_run(folder)
    with locked(folder / "run.json"):
        content = {name: value for name, value in read_run(folder).items() if name != "title"}
        write_json(folder / "run.json", content | ({"title": title} if title else {}))


def _run_folders(folder: Path) -> list[Path]:
    """Return the folders of a folder that contain a run; links to them are included."""
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if entry.is_dir() and holds_run(Path(entry.path))]
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
        raise RunError(f"cannot list {folder}: {getattr(error, 'strerror', None) or error}.") from None


def _refuse_links(path: Path) -> None:
    """Raise RunError if the folder of a run or a file in it is a link."""
    links = [path] if path.is_symlink() else [path / entry.name for entry in os.scandir(path) if entry.is_symlink()]
    if links:
        raise RunError(f"{links[0]} is a link; runs are not read through links. Put a copy of the target there.")


def _summary(path: Path) -> RunSummary:
    try:
        _refuse_links(path)
        content = read_run(path)
    except (RunError, OSError) as error:
        return RunSummary(path.name, error=str(error))
    return RunSummary(
        path.name,
        content.get("title", ""),
        content["game"],
        content["game_parameters"],
        content["method_parameters"]["name"],
        content["form"]["representation"],
        run_status(path, content),
        content["iterations"],
        content["seconds"],
        content["figure"],
        content.get("written", ""),
        goal=content["goal"] or {},
    )
