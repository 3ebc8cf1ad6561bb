"""The files of a run, written atomically and checked when read.

run.json         game with parameters, form, method with every parameter, evaluator, seed, versions, times, figures
curve.csv        the points of the curve: iteration, seconds, the evaluator's figures of the answer, nodes
training.csv     the log of a solver that learns
profile.npz      the profile, if the game was compiled
form.npz         the arrays of the form, if it has any: the classes of a partition
checkpoint.npz   the solver's state and the curve so far

The tables end with an empty column, whose name is the SHA-256 of the table without it. A resume needs run.json and
checkpoint.npz. The log is written before the checkpoint, everything else after it, and run.json last, so that a process
may be killed between any two of them.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np

from tefuda import __version__
from tefuda.errors import InputError, ProfileError, RunError, shortened
from tefuda.evaluating.profile import Profile
from tefuda.files import (
    COUNT,
    OBJECT,
    SECONDS,
    TEXT,
    WHOLE,
    ArraySpec,
    FieldSpec,
    check_arrays,
    check_fields,
    csv_text,
    read_arrays,
    read_bytes,
    read_json,
    write_arrays,
    write_bytes,
    write_json,
)
from tefuda.forms.form import Form, Saved
from tefuda.solvers.protocol import REPORTED, Solver
from tefuda.solvers.runs.evaluators import Evaluator
from tefuda.solvers.runs.points import AnyPoint, EstimatedPoint

FORMAT = 1

# The fields of the JSON objects of a run.
_NUMBER = FieldSpec((int, float, NoneType), -1e300, 1e300)
_COUNT = FieldSpec((int, NoneType), *COUNT)
_GOAL = {"iterations": _COUNT, "until": _NUMBER, "seconds": FieldSpec((int, float, NoneType), 0), "nodes": _COUNT}
_FIGURE = {
    **dict.fromkeys(("title", "unit"), TEXT),
    "lower_is_better": FieldSpec((bool,)),
    **dict.fromkeys(("value", "low", "high"), _NUMBER),
}
_PARTS = {
    "method_parameters": {"name": TEXT},
    "settings": {"goal": OBJECT, "checkpoint_seconds": FieldSpec((int, float), 0, needed=False)},
    "form": {"representation": TEXT},
    "evaluator": {"name": TEXT},
    "figure": _FIGURE,
}
_RUN = {
    **dict.fromkeys(("fingerprint", "game", "status", "stop"), TEXT),
    **dict.fromkeys(("game_parameters", *_PARTS), OBJECT),
    **dict.fromkeys(("iterations", "nodes"), WHOLE),
    "seconds": SECONDS,
    "seed": FieldSpec((int,), 0),
    "iterate": FieldSpec((str,), choices=("average", "current", "uniform")),
    "reported": FieldSpec((str,), choices=REPORTED),
}
_CHECKPOINT = {"fingerprint": TEXT, "method": OBJECT, "seconds": SECONDS, "evaluator": OBJECT}


def holds_run(folder: Path) -> bool:
    """Return True if a folder holds a run; False if it cannot be read."""
    return os.path.isfile(folder / "run.json")


def refuse_existing(folder: Path) -> None:
    """Raise RunError if a folder holds a run: none is ever overwritten."""
    if holds_run(folder):
        raise RunError(f"{folder} already holds a run. Choose another folder, or go on with it: --resume {folder}.")


def write_run(
    folder: Path, about: Mapping[str, Any], evaluator: Evaluator, curve: Sequence[AnyPoint], profile: Profile | None
) -> None:
    """Write or refresh a run folder, each file atomically, `run.json` last.

    about: content of run.json without versions and times. profile: the strategy of a compiled game.
    """
    if profile is not None:
        profile.save(folder / "profile.npz")
    _write_table(folder / "curve.csv", evaluator.point_type._fields, curve)
    content = {
        "format": FORMAT,
        "tefuda": __version__,
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        **about,
    }
    write_json(folder / "run.json", content)


def write_form(folder: Path, form: Form) -> None:
    """Write the arrays of a form to a run folder; delete those of an earlier run."""
    if arrays := form.saved().arrays:
        write_arrays(folder / "form.npz", arrays, {"fingerprint": form.game.fingerprint})
    else:
        (folder / "form.npz").unlink(missing_ok=True)


def read_form(folder: Path, content: Mapping[str, Any]) -> tuple[str, Saved]:
    """Return the representation of a run's form and its saved part; RunError if its arrays are damaged."""
    path, fields = folder / "form.npz", dict(content["form"])
    return fields.pop("representation"), Saved(fields, read_arrays(path)[0] if os.path.exists(path) else {})


def mark_interrupted(folder: Path) -> None:
    """Write in a run's folder that it was interrupted, if it can be written."""
    try:
        content = read_run(folder)
        if content["status"] == "running":
            write_json(folder / "run.json", {**content, "status": "interrupted", "stop": "interrupted"})
    except RunError:
        pass  # the files stay as they are, and the interruption goes on


def read_run(folder: str | Path) -> dict[str, Any]:
    """Read and check a run's ``run.json``; RunError if it is missing, damaged, or of another version."""
    folder = Path(folder)
    path = folder / "run.json"
    if not holds_run(folder):
        raise RunError(f"{folder} holds no run: there is no run.json in it. Give the folder that solve --out named.")
    content = read_json(path)
    _check_format(path, content)
    check_fields(path, content, _RUN)
    for name, expected in _PARTS.items():
        check_fields(f"{path}, {name},", content[name], expected)
    check_fields(f"{path}, goal,", content["settings"]["goal"], _GOAL)
    return content


def _check_format(where: Path, content: Mapping[str, Any]) -> None:
    """Raise RunError unless this version reads the format of a file."""
    check_fields(where, content, {"format": WHOLE})
    if content["format"] != FORMAT:
        raise RunError(
            f"{where} is in format {content['format']} of tefuda {content.get('tefuda', '')}; this version "
            f"{__version__} reads format {FORMAT}. Use that version, or begin a new run."
        )


@contextmanager
def naming(folder: Path) -> Iterator[None]:
    """Add the run's folder to every error of input raised within."""
    try:
        yield
    except InputError as error:
        if str(folder) not in str(error):
            error.located(folder)
        raise


def check_same_game(folder: Path, content: Mapping[str, Any], game: Any) -> None:
    """Raise RunError unless the run was made for a game."""
    if content["fingerprint"] != game.fingerprint:
        raise RunError(
            f"{folder} is a run of {content['game']} {content['game_parameters']}, not of this {game.name} "
            f"{game.parameters}: other rules or parameters."
        )


def write_checkpoint(
    folder: Path, solver: Solver, evaluator: Evaluator, curve: Sequence[AnyPoint], seconds: float
) -> None:
    """Write everything that a resume needs to one file."""
    header = {
        "format": FORMAT,
        "fingerprint": solver.game.fingerprint,
        "method": solver.method.parameters(),
        "seconds": seconds,
        "evaluator": evaluator.parameters(),
    }
    points = np.array(curve, dtype=np.float64).reshape(-1, len(evaluator.point_type._fields))
    write_arrays(folder / "checkpoint.npz", {**solver.state(), "curve": points}, header)


def read_checkpoint(folder: Path, solver: Solver, evaluator: Evaluator) -> tuple[list[AnyPoint], float]:
    """Restore a new solver from its run's checkpoint; return the curve and the seconds so far."""
    path = folder / "checkpoint.npz"
    arrays, header = read_arrays(path)
    _check_format(path, header)
    check_fields(path, header, _CHECKPOINT)
    if header["fingerprint"] != solver.game.fingerprint or header["method"] != solver.method.parameters():
        raise RunError(f"{path} is of another game or method than the run it lies in.")
    if header["evaluator"] != evaluator.parameters():
        raise RunError(f"{path} is of another evaluator than the run it lies in.")
    curve = {name: arrays.pop(name) for name in ("curve",) if name in arrays}
    points = _points(path, curve, evaluator, least_nodes=int(solver.method.counts_nodes))
    try:
        solver.restore(arrays)
    except (RunError, ProfileError) as error:
        raise RunError(f"{path}: {error}") from None
    if points and points[-1].iteration > solver.iterations:
        raise RunError(f"{path}: its curve ends after the {solver.iterations} iterations that were run.")
    return points, header["seconds"]


def write_log(folder: Path, rows: Sequence[Mapping[str, float]]) -> None:
    """Write the log of a solver, rows with the same names; without rows delete the log of an earlier run."""
    if rows:
        _write_table(folder / "training.csv", list(rows[0]), [list(row.values()) for row in rows])
    else:
        (folder / "training.csv").unlink(missing_ok=True)


def read_log(folder: Path, iterations: int) -> list[dict[str, float]]:
    """Return the log of a run's first iterations; RunError if the file is damaged."""
    path = folder / "training.csv"
    if not os.path.exists(path):
        return []
    try:
        heads, rows = _read_table(path)
        numbers = [[int(entry) if entry.isdigit() else float(entry) for entry in row] for row in rows]
        log = [dict(zip(heads, row, strict=True)) for row in numbers]
        return [row for row in log if row["iteration"] <= iterations]
    except (RunError, ValueError, KeyError) as error:
        raise RunError(f"{path} is damaged: {error} It is a log: move it away, and the run goes on.") from None


def _write_table(path: Path, heads: Sequence[str], rows: Sequence[Sequence[float]]) -> None:
    """Write a table with its checksum as the name of a last, empty column."""
    check = _checksum(heads, rows)
    write_bytes(path, csv_text([*heads, check], [[*row, ""] for row in rows]).encode())


def _read_table(path: Path) -> tuple[list[str], list[list[str]]]:
    """Read what `_write_table` wrote: the names of the columns, and the entries as texts."""
    text = read_bytes(path)
    try:
        (*heads, check), *rows = csv.reader(io.StringIO(text.decode(), newline=""))
    except (ValueError, csv.Error) as error:
        raise RunError(f"{path} is damaged: {error}. Use an intact copy.") from None
    table = [row[:-1] for row in rows]
    if check != _checksum(heads, table) or any(row[-1:] != [""] or len(row) != len(heads) + 1 for row in rows):
        raise RunError(f"{path} was changed after it was written: its checksum does not match. Use an intact copy.")
    return heads, table


def _checksum(heads: Sequence[str], rows: Sequence[Sequence[float | str]]) -> str:
    return f"sha256:{hashlib.sha256(csv_text(heads, rows).encode()).hexdigest()}"


def read_curve(folder: Path, evaluator: Evaluator, iterations: int) -> tuple[AnyPoint, ...]:
    """Read the points of a run's curve, up to the iterations in run.json: it may be older than the curve."""
    path = folder / "curve.csv"
    heads, rows = _read_table(path)
    if heads != list(evaluator.point_type._fields):
        raise RunError(
            f"{path} has the columns {shortened(heads)}; the run's evaluator writes {evaluator.point_type._fields}."
        )
    try:
        numbers = np.array([[float(number) for number in row] for row in rows]).reshape(-1, len(heads))
    except ValueError as error:
        raise RunError(f"{path} is damaged: {error}. Use an intact copy.") from None
    points = _points(path, {"curve": numbers}, evaluator)
    return tuple(point for point in points if point.iteration <= iterations)


def _points(
    where: Path, arrays: Mapping[str, np.ndarray], evaluator: Evaluator, least_nodes: int = 0
) -> list[AnyPoint]:
    """Return the points of a curve from the numbers in a file, ``{"curve": [K, F]}``."""
    names = evaluator.point_type._fields
    filled = {name: numbers.copy() for name, numbers in arrays.items()}
    for numbers in filled.values():
        if evaluator.point_type is EstimatedPoint and numbers.ndim == 2:
            np.nan_to_num(numbers[:, 2:5], copy=False, posinf=np.inf, neginf=-np.inf)  # nan: nothing was evaluated
    check_arrays(where, filled, {"curve": ArraySpec("float64", ("points", len(names)))})
    ranges = {"iteration": (1, COUNT[1]), "seconds": (0, SECONDS.high), "nodes": (least_nodes, COUNT[1])}
    columns = {name: ArraySpec("float64", ("points",), *ranges.get(name, ())) for name in names}
    check_arrays(f"{where}, curve,", dict(zip(names, filled["curve"].T, strict=True)), columns)
    rows = arrays["curve"].tolist()
    points: list[AnyPoint] = [evaluator.point_type(int(i), t, a, b, c, int(nodes)) for i, t, a, b, c, nodes in rows]
    if any(one.iteration >= two.iteration for one, two in itertools.pairwise(points)):
        raise RunError(f"{where} is not what tefuda writes: its iterations do not rise. Use an intact copy.")
    return points
