"""The files of a run, written atomically and validated when read.

run.json         game and method with their parameters, form, evaluator, seed, versions, times, figures
curve.csv        points of the curve: iteration, seconds, figures of the reported strategy, nodes
training.csv     log of a learner
profile.npz      reported profile, if the game was compiled
form.npz         arrays of the form, if it has any, such as the classes of a partition
checkpoint.npz   the solver's state and the curve so far

The tables end with an empty column, whose name is the SHA-256 of the table without it. To resume a run, run.json and
checkpoint.npz are needed. The log is written before the checkpoint, all other files after it, and run.json last: a
process may be killed between any two writes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import math
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
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
from tefuda.words import parse_number

FORMAT = 1
#: Longest title of a run.
TITLE = 200
#: The file of a job that has not begun, in the folder of its run.
PLAN_FILE = "plan.json"

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
    "form": {"representation": TEXT},
    "goal": _GOAL,
    "evaluator": {"name": TEXT},
    "figure": _FIGURE,
}
_JOB = {
    "game": TEXT,
    **dict.fromkeys(("game_parameters", "method_parameters", "form", "goal"), OBJECT),
    "evaluator": FieldSpec((dict, NoneType)),
    "seed": FieldSpec((int,), 0, 2**63 - 1),
}
_RUN = {
    **_JOB,
    **dict.fromkeys(("fingerprint", "status", "stop"), TEXT),
    **dict.fromkeys(("evaluator", "figure"), OBJECT),
    "checkpoint_seconds": FieldSpec((int, float), 0, needed=False),
    **dict.fromkeys(("iterations", "nodes"), WHOLE),
    "seconds": SECONDS,
    "iterate": FieldSpec((str,), choices=("average", "current", "uniform")),
    "reported": FieldSpec((str,), choices=REPORTED),
    "title": FieldSpec((str,), needed=False),
    "written": FieldSpec((str,), needed=False),
    "profile": FieldSpec((str,), needed=False),
}
_CHECKPOINT = {"fingerprint": TEXT, "method": OBJECT, "seconds": SECONDS, "evaluator": OBJECT}


def holds_run(folder: Path) -> bool:
    """Return True if a folder contains a run; False if it cannot be read."""
    return os.path.isfile(folder / "run.json")


def refuse_existing(folder: Path) -> None:
    """Raise RunError if a folder contains a run, because runs are never overwritten."""
    if holds_run(folder):
        raise RunError(f"{folder} already contains a run; choose another folder, or resume it with --resume {folder}.")


def write_run(
    folder: Path, about: Mapping[str, Any], evaluator: Evaluator, curve: Sequence[AnyPoint], profile: Profile | None
) -> None:
    """Write the files of a run, new or not, each atomically and run.json last. Its title stays.

    about: content of run.json without versions, times and title.
    profile: the reported profile of a compiled game, or None.
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
        **_titled(folder),
        **({} if profile is None else {"profile": profile_digest(profile)}),
    }
    write_json(folder / "run.json", content)


def profile_digest(profile: Profile) -> str:
    """Return the SHA-256 of a profile's probabilities; run.json says by it whose figures it has."""
    return hashlib.sha256(profile.probabilities.tobytes()).hexdigest()


def _titled(folder: Path) -> dict[str, str]:
    """Return the title of a run as a field of run.json; no field if there is none."""
    try:
        return {"title": read_run(folder)["title"]}
    except (RunError, KeyError):
        return {}


def write_form(folder: Path, form: Form) -> None:
    """Write the arrays of a form to a run folder, or delete old ones if the form has none."""
    if arrays := form.saved().arrays:
        write_arrays(folder / "form.npz", arrays, {"fingerprint": form.fingerprint})
    else:
        (folder / "form.npz").unlink(missing_ok=True)


def read_form(folder: Path, content: Mapping[str, Any]) -> tuple[str, Saved]:
    """Return the representation and the saved data of a run's form; RunError if the arrays are damaged."""
    path, fields = folder / "form.npz", dict(content["form"])
    return fields.pop("representation"), Saved(fields, read_arrays(path)[0] if os.path.exists(path) else {})


def mark_interrupted(folder: Path) -> None:
    """Mark a running run as interrupted in its folder; errors are ignored."""
    with suppress(RunError):  # the interruption itself matters more than its record
        _mark(folder, "running", "interrupted", "interrupted")


def mark_stopped(folder: Path) -> None:
    """Mark an interrupted run as stopped: its user wants no more iterations."""
    _mark(folder, "interrupted", "stopped", "stopped by the user")


def _mark(folder: Path, old: str, status: str, stop: str) -> None:
    """Change the status of a run if it is the old one."""
    content = read_run(folder)
    if content["status"] == old:
        write_json(folder / "run.json", {**content, "status": status, "stop": stop})


def read_run(folder: str | Path) -> dict[str, Any]:
    """Read and validate a run's ``run.json``; RunError if it is missing, damaged or of another format."""
    folder = Path(folder)
    path = folder / "run.json"
    if not holds_run(folder):
        raise RunError(f"{folder} contains no run.json; give a folder that solve --out has written.")
    content = read_json(path)
    _check_format(path, content)
    _check_parts(path, content, _RUN)
    return content


def read_job(folder: Path) -> dict[str, Any]:
    """Read and validate the job of a run, or of its plan if it has not begun."""
    path = folder / PLAN_FILE
    if holds_run(folder) or not os.path.isfile(path):
        return read_run(folder)
    content = read_json(path)
    _check_parts(path, content, _JOB)
    return content


def _check_parts(path: Path, content: Mapping[str, Any], expected: Mapping[str, FieldSpec]) -> None:
    """Raise RunError unless a file has these fields, and those of their objects."""
    check_fields(path, content, expected)
    for name, fields in _PARTS.items():
        if content.get(name) is not None:
            check_fields(f"{path}, {name},", content[name], fields)


def _check_format(path: Path, content: Mapping[str, Any]) -> None:
    """Raise RunError unless this version can read the format of a file."""
    check_fields(path, content, {"format": WHOLE})
    if content["format"] != FORMAT:
        raise RunError(
            f"{path} has format {content['format']} of tefuda {content.get('tefuda', '')}; version {__version__} "
            f"reads format {FORMAT}. Use the other version, or start a new run."
        )


@contextmanager
def naming(folder: Path) -> Iterator[None]:
    """Add the run's folder to the input errors raised in a block."""
    try:
        yield
    except InputError as error:
        if str(folder) not in str(error):
            error.located(folder)
        raise


def check_same_game(folder: Path, content: Mapping[str, Any], game: Any) -> None:
    """Raise RunError unless a run is of this game."""
    if content["fingerprint"] != game.fingerprint:
        raise RunError(
            f"{folder} is a run of {content['game']} {content['game_parameters']}, got {game.name} "
            f"{game.parameters} with other rules or parameters."
        )


def write_checkpoint(
    folder: Path, solver: Solver, evaluator: Evaluator, curve: Sequence[AnyPoint], seconds: float
) -> None:
    """Write the solver's state and the curve to the checkpoint."""
    header = {
        "format": FORMAT,
        "fingerprint": solver.form.fingerprint,
        "method": solver.method.parameters(),
        "seconds": seconds,
        "evaluator": evaluator.parameters(),
    }
    points = np.array(curve, dtype=np.float64).reshape(-1, len(evaluator.point_type._fields))
    write_arrays(folder / "checkpoint.npz", {**solver.state(), "curve": points}, header)


def read_checkpoint(folder: Path, solver: Solver, evaluator: Evaluator) -> tuple[list[AnyPoint], float]:
    """Restore a new solver from the checkpoint of its run; return the curve and the seconds so far."""
    path = folder / "checkpoint.npz"
    arrays, header = read_arrays(path)
    _check_format(path, header)
    check_fields(path, header, _CHECKPOINT)
    if header["fingerprint"] != solver.form.fingerprint or header["method"] != solver.method.parameters():
        raise RunError(f"{path} belongs to another game or method than its run.")
    if header["evaluator"] != evaluator.parameters():
        raise RunError(f"{path} belongs to another evaluator than its run.")
    curve = {name: arrays.pop(name) for name in ("curve",) if name in arrays}
    points = _points(path, curve, evaluator, least_nodes=int(solver.method.counts_nodes))
    try:
        solver.restore(arrays)
    except (RunError, ProfileError) as error:
        raise RunError(f"{path}: {error}") from None
    if points and points[-1].iteration > solver.iterations:
        raise RunError(f"{path}: the curve ends at iteration {points[-1].iteration}, the state at {solver.iterations}.")
    return points, header["seconds"]


def write_log(folder: Path, rows: Sequence[Mapping[str, float]]) -> None:
    """Write the log of a solver as rows with equal names; without rows delete an old log."""
    if rows:
        _write_table(folder / "training.csv", list(rows[0]), [list(row.values()) for row in rows])
    else:
        (folder / "training.csv").unlink(missing_ok=True)


def read_log(folder: Path, iterations: int) -> list[dict[str, float]]:
    """Return the rows of a run's log up to an iteration; RunError if the file is damaged."""
    path = folder / "training.csv"
    if not os.path.exists(path):
        return []
    try:
        heads, rows = _read_table(path)
        log = [dict(zip(heads, map(_number, row), strict=True)) for row in rows]
        return [row for row in log if row["iteration"] <= iterations]
    except (RunError, ValueError, KeyError) as error:
        raise RunError(f"{path} is damaged: {error} It is only a log: move it away to resume the run.") from None


def _write_table(path: Path, heads: Sequence[str], rows: Sequence[Sequence[float]]) -> None:
    """Write a table with its checksum as the name of a last, empty column."""
    check = _checksum(heads, rows)
    write_bytes(path, csv_text([*heads, check], [[*row, ""] for row in rows]).encode())


def _read_table(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the column names and the entries, as texts, of a table."""
    text = read_bytes(path)
    try:
        (*heads, check), *rows = csv.reader(io.StringIO(text.decode(), newline=""))
    except (ValueError, csv.Error) as error:
        raise RunError(f"{path} is damaged: {error}. Use an intact copy.") from None
    table = [row[:-1] for row in rows]
    if check != _checksum(heads, table) or any(row[-1:] != [""] or len(row) != len(heads) + 1 for row in rows):
        raise RunError(f"{path} was changed after it was written: its checksum does not match. Use an intact copy.")
    return heads, table


def _number(entry: str) -> int | float:
    """Return the number of an entry, nan where nothing was measured; ValueError for other texts."""
    return math.nan if entry == "nan" else parse_number(entry)


def _checksum(heads: Sequence[str], rows: Sequence[Sequence[float | str]]) -> str:
    return f"sha256:{hashlib.sha256(csv_text(heads, rows).encode()).hexdigest()}"


def read_curve(folder: Path, evaluator: Evaluator, iterations: int) -> tuple[AnyPoint, ...]:
    """Return the points of a run's curve up to the iterations in run.json, which may be older."""
    path = folder / "curve.csv"
    heads, rows = _read_table(path)
    if heads != list(evaluator.point_type._fields):
        raise RunError(
            f"{path} must have the columns {evaluator.point_type._fields} of its evaluator, got {shortened(heads)}."
        )
    try:
        numbers = np.array([[float(_number(entry)) for entry in row] for row in rows]).reshape(-1, len(heads))
    except ValueError as error:
        raise RunError(f"{path} is damaged: {error}. Use an intact copy.") from None
    points = _points(path, {"curve": numbers}, evaluator)
    return tuple(point for point in points if point.iteration <= iterations)


def _points(path: Path, arrays: Mapping[str, np.ndarray], evaluator: Evaluator, least_nodes: int = 0) -> list[AnyPoint]:
    """Return the points of a curve from the array ``{"curve": [K, F]}`` of a file."""
    names = evaluator.point_type._fields
    filled = {name: numbers.copy() for name, numbers in arrays.items()}
    for numbers in filled.values():
        if evaluator.point_type is EstimatedPoint and numbers.ndim == 2:
            numbers[np.isnan(numbers[:, 2:5]).all(axis=1), 2:5] = 0  # nothing was evaluated
    check_arrays(path, filled, {"curve": ArraySpec("float64", ("points", len(names)))})
    ranges = {"iteration": (1, COUNT[1]), "seconds": (0, SECONDS.high), "nodes": (least_nodes, COUNT[1])}
    columns = {name: ArraySpec("float64", ("points",), *ranges.get(name, ())) for name in names}
    check_arrays(f"{path}, curve,", dict(zip(names, filled["curve"].T, strict=True)), columns)
    rows = arrays["curve"].tolist()
    if any(i % 1 or nodes % 1 for i, *_, nodes in rows):
        raise RunError(f"{path} was changed: its iterations and nodes must be whole numbers. Use an intact copy.")
    points: list[AnyPoint] = [evaluator.point_type(int(i), t, a, b, c, int(nodes)) for i, t, a, b, c, nodes in rows]
    if any(point.iteration >= later.iteration for point, later in itertools.pairwise(points)):
        raise RunError(f"{path} was changed: its iterations do not rise. Use an intact copy.")
    return points
