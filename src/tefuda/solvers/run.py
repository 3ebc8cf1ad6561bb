"""A solution: the profile a solver found, how good it is, how it got there, and the run folder that keeps it.

A run is a folder:

    run.json         game with parameters, method with every parameter, seed, versions, times, status, figures
    curve.csv        iteration, seconds, NashConv of the answer, of the average and of the last iterate, nodes
    profile.npz      the profile
    checkpoint.npz   all a solver needs to go on: its arrays and the curve so far
"""

from __future__ import annotations

import csv
import io
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple, Protocol

import numpy as np

from tefuda import __version__
from tefuda.errors import ProfileError, RunError, SolverError
from tefuda.files import (
    COUNT,
    OBJECT,
    SECONDS,
    TEXT,
    WHOLE,
    Array,
    Field,
    check_arrays,
    check_fields,
    clear_leftovers,
    read_arrays,
    read_bytes,
    read_json,
    write_arrays,
    write_bytes,
    write_json,
)
from tefuda.forms.tree import Tree
from tefuda.judging.profile import Profile
from tefuda.judging.values import judge
from tefuda.views import Viewed, data_frame
from tefuda.words import distance

FORMAT = 2  # 1: curves without the answer's figure
RUN_FILES = ("run.json", "curve.csv", "profile.npz", "checkpoint.npz")

#: The profile that is a method's answer: its average strategies, its last iterate, or the better of the two.
ANSWERS = ("average", "current", "better")

# What the JSON objects of a run must hold.
_VERSION = {"format": WHOLE}
_METHOD = {"name": TEXT}
_SETTINGS = {"goal": OBJECT, "checkpoint_seconds": Field((int, float), 0, needed=False)}
_GOAL = {
    "iterations": Field((int, NoneType), *COUNT),
    "until": Field((int, float, NoneType), 0),
    "seconds": Field((int, float, NoneType), 0),
    "nodes": Field((int, NoneType), *COUNT, needed=False),
}
_RUN = {
    "fingerprint": TEXT,
    "game": TEXT,
    "game_parameters": OBJECT,
    "method_parameters": OBJECT,
    "seed": Field((int,), 0),
    "status": TEXT,
    "stop": TEXT,
    "iterate": Field((str,), choices=("average", "current", "uniform")),
    "answer": Field((str,), choices=ANSWERS, needed=False),  # not in format 1
    "iterations": WHOLE,
    "nodes": replace(WHOLE, needed=False),  # not in runs of version 0.1.0
    "seconds": SECONDS,
    "settings": OBJECT,
}
_CURVE = {"curve": Array("float64", ("points", range(4, 7)))}
_CHECKPOINT = {"fingerprint": TEXT, "method": OBJECT, "seconds": SECONDS}


class Method(Protocol):
    """What a method value offers, whatever its family."""

    @property
    def name(self) -> str:
        """How it is called."""

    @property
    def unit(self) -> str:
        """What `advance` counts: ``"iterations"`` or ``"games"``."""

    @property
    def answer(self) -> str:
        """Which profile is what it found: one of `ANSWERS`."""

    def solver(self, tree: Tree, seed: int = 0) -> Solver:
        """A solver that has done nothing yet."""

    def parameters(self) -> dict[str, Any]:
        """Everything that defines the method, as JSON values."""


class Solver(Protocol):
    """The one face of every solver."""

    tree: Tree
    method: Any
    iterations: int

    def advance(self, iterations: int) -> None:
        """Go on by so many iterations (or games, or whatever the method's unit is)."""

    def average(self) -> Profile:
        """The average strategies so far."""

    def current(self) -> Profile:
        """The strategies in force."""

    def state(self) -> dict[str, np.ndarray]:
        """Copies of everything that determines how the run goes on."""

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from what `state` returned."""


class Point(NamedTuple):
    """One point of a curve; NashConv in the game's unit, seconds of solving (judging left out).

    nash_conv: of the method's answer; average_nash_conv, current_nash_conv: of the average and of the last iterate.
    nodes: histories visited so far by sampling methods, else 0.

    >>> curve = tf.solve(tf.load_game("kuhn"), "cfr", iterations=10).curve
    >>> curve[0].iteration, round(curve[0].nash_conv, 3)
    (1, 0.5)
    """

    iteration: int
    seconds: float
    nash_conv: float
    average_nash_conv: float
    current_nash_conv: float
    nodes: int = 0

    @classmethod
    def judged(
        cls, answer: str, iteration: int, seconds: float, average: float, current: float, nodes: int = 0
    ) -> Point:
        """A point of a method with this answer, one of `ANSWERS`."""
        chosen = {"average": average, "current": current, "better": min(average, current)}[answer]
        return cls(iteration, seconds, chosen, average, current, nodes)

    @classmethod
    def of(cls, numbers: Sequence[Any], answer: str) -> Point:
        """A point from the numbers or texts of a file; those of format 1 lack the answer's figure."""
        whole = len(numbers) == len(cls._fields)
        iteration, seconds, *convs = map(float, numbers)
        average, current, *nodes = convs[1:] if whole else convs
        count = int(nodes[0]) if nodes else 0
        if whole:
            return cls(int(iteration), seconds, convs[0], average, current, count)
        return cls.judged(answer, int(iteration), seconds, average, current, count)


@dataclass(frozen=True, eq=False)
class Solution(Viewed):
    """What solving a game gave.

    tree: the game. method: the method's parameters by name. seed: of the random numbers, if any were drawn.
    profile: the method's answer; iterate: which it is, ``"average"``, ``"current"`` or, before there is an average,
    ``"uniform"``. answer: which it may be, one of `ANSWERS`.
    iterations: how many were run. nash_conv: of `profile`. values: `[P]` of `profile`. seconds: spent solving.
    curve: NashConv over time, of the answer too. nodes: histories visited by sampling methods, else 0.
    status: ``"finished"``, ``"interrupted"`` or ``"running"``. stop: why it ended.
    run: the folder it was saved in, if any.

    >>> solution = tf.solve(tf.load_game("kuhn"), "cfr+", iterations=100)
    >>> solution
    Solution(kuhn, cfr+, 100 done, NashConv 0.00239, finished)
    >>> round(solution.values[0], 2), solution.curve[-1].iteration
    (-0.06, 100)
    """

    tree: Tree
    method: dict[str, Any]
    seed: int
    profile: Profile
    iterate: str
    iterations: int
    nash_conv: float
    values: tuple[float, ...]
    seconds: float
    curve: tuple[Point, ...]
    status: str = "finished"
    stop: str = ""
    run: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    nodes: int = 0
    answer: str = "better"

    def __repr__(self) -> str:
        return (
            f"Solution({self.tree.name}, {self.method['name']}, {self.iterations:,} done, "
            f"NashConv {distance(self.nash_conv)}, {self.status})"
        )

    def to_frame(self) -> Any:
        """The curve as a data frame of pandas (extra ``frame``).

        Returns:
            A row for each point, a column for each field of `Point`.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        return data_frame({name: [getattr(point, name) for point in self.curve] for name in Point._fields})

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of players."""
        return self.nash_conv / self.tree.players

    def summary(self) -> dict[str, Any]:
        """The figures as JSON values: what ``tefuda solve --json`` prints."""
        return {
            "game": self.tree.name,
            "game_parameters": self.tree.parameters,
            "method": self.method["name"],
            "method_parameters": self.method,
            "seed": self.seed,
            "status": self.status,
            "stop": self.stop,
            "iterations": self.iterations,
            "nodes": self.nodes,
            "answer": self.answer,
            "iterate": self.iterate,
            "nash_conv": self.nash_conv,
            "exploitability": self.exploitability,
            "values": list(self.values),
            "seconds": self.seconds,
            "run": self.run,
        }

    def save(self, folder: str | Path) -> Solution:
        """Write the solution as a run folder; return it with `run` set.

        Raises:
            RunError: there is a run already, or the folder cannot be written.
        """
        folder = Path(folder)
        refuse_existing(folder)
        return write_run(folder, self)


def require_average(iterations: int, delay: int) -> None:
    """Raise SolverError if no iteration has entered the average yet."""
    if iterations <= delay:
        raise SolverError(
            f"the average is empty after {iterations} iterations with delay {delay}; run more iterations "
            "than the delay."
        )


def refuse_existing(folder: Path) -> None:
    """Raise RunError if `folder` holds a run: nothing is ever overwritten."""
    if (folder / "run.json").exists():
        raise RunError(f"{folder} already holds a run. Choose another folder, or go on with it: --resume {folder}.")


def write_run(folder: Path, solution: Solution) -> Solution:
    """Write or refresh a run folder, each file atomically, `run.json` last."""
    saved = replace(solution, run=str(folder))
    solution.profile.save(folder / "profile.npz")
    write_bytes(folder / "curve.csv", _curve_text(solution.curve).encode())
    content = {
        "format": FORMAT,
        "tefuda": __version__,
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "fingerprint": solution.tree.fingerprint,
        "settings": solution.settings,
        **saved.summary(),
    }
    write_json(folder / "run.json", content)
    return saved


def mark_interrupted(folder: Path) -> None:
    """Say in a run's folder that it was left before its end, if it can be said."""
    try:
        content = read_run(folder)
        if content["status"] == "running":
            write_json(folder / "run.json", {**content, "status": "interrupted", "stop": "interrupted"})
    except RunError:
        pass  # what is kept stays as it is, and the interruption goes on


def read_run(folder: str | Path) -> dict[str, Any]:
    """Read and check a run's ``run.json``.

    Raises:
        RunError: there is no run, it is damaged, or a newer version wrote it.
    """
    folder = Path(folder)
    path = folder / "run.json"
    if not path.exists():
        raise RunError(f"{folder} holds no run: there is no run.json in it. Give the folder that solve --out named.")
    content = read_json(path)
    check_fields(path, content, _VERSION)
    if content["format"] > FORMAT:
        raise RunError(
            f"{folder} was written by tefuda {content.get('tefuda')} in format {content['format']}; this version "
            f"{__version__} reads up to format {FORMAT}. Update tefuda."
        )
    check_fields(path, content, _RUN)
    check_fields(f"{path}, method_parameters,", content["method_parameters"], _METHOD)
    check_fields(f"{path}, settings,", content["settings"], _SETTINGS)
    check_fields(f"{path}, goal,", content["settings"]["goal"], _GOAL)
    return content


def check_same_game(folder: Path, content: Mapping[str, Any], tree: Tree) -> None:
    """Raise RunError unless the run was made for this very game."""
    if content["fingerprint"] != tree.fingerprint:
        raise RunError(
            f"{folder} is a run of {content['game']} {content['game_parameters']}, not of this {tree.name} "
            f"{tree.parameters}: other rules or parameters."
        )


def read_solution(folder: str | Path, tree: Tree) -> Solution:
    """Read a run folder of this very game.

    Returns:
        The solution, judged anew.

    Raises:
        RunError: the run is missing, damaged, of a newer version, or of another game.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> saved = tf.solve(tree, "cfr+", iterations=10).save("run")
    >>> tf.read_solution("run", tree).iterations
    10
    """
    folder, content = Path(folder), read_run(folder)
    check_same_game(folder, content, tree)
    profile = Profile.load(folder / "profile.npz", tree)
    judgement = judge(tree, profile)  # not taken from run.json: a run killed while saving has a newer profile
    answer = content.get("answer", "better")  # not in format 1
    names = ("seed", "iterate", "iterations", "seconds", "status", "stop", "settings")
    return Solution(
        tree=tree,
        method=content["method_parameters"],
        profile=profile,
        nash_conv=judgement.nash_conv,
        values=tuple(judgement.values.tolist()),
        curve=_read_curve(folder / "curve.csv", answer),
        run=str(folder),
        answer=answer,
        nodes=content.get("nodes", 0),  # not in runs of version 0.1.0
        **{name: content[name] for name in names},
    )


def write_checkpoint(folder: Path, solver: Solver, curve: list[Point], seconds: float) -> None:
    """Keep all that is needed to go on, in one atomic file."""
    header = {
        "format": FORMAT,
        "fingerprint": solver.tree.fingerprint,
        "method": solver.method.parameters(),
        "seconds": seconds,
    }
    points = np.array(curve, dtype=np.float64).reshape(-1, len(Point._fields))
    write_arrays(folder / "checkpoint.npz", {**solver.state(), "curve": points}, header)


def read_checkpoint(folder: Path, solver: Solver) -> tuple[list[Point], float]:
    """Bring a new solver to where a checkpoint was written; return the curve and the seconds so far.

    Raises:
        RunError: the checkpoint is missing, damaged, newer, or of another game or method.
    """
    for name in RUN_FILES:
        clear_leftovers(folder, name)
    path = folder / "checkpoint.npz"
    arrays, header = read_arrays(path)
    check_fields(path, header, _VERSION)
    if header["format"] > FORMAT:
        raise RunError(f"{path} was written by a newer version of tefuda. Update tefuda.")
    check_fields(path, header, _CHECKPOINT)
    if (header["fingerprint"], header["method"]) != (solver.tree.fingerprint, solver.method.parameters()):
        raise RunError(f"{path} is of another game or method than the run it lies in.")
    least = int(getattr(solver.method, "counts_nodes", False))
    check_arrays(path, {"curve": arrays["curve"]} if "curve" in arrays else {}, _CURVE)
    points = _points(f"{path}, curve,", arrays.pop("curve"), solver.method.answer, least)
    try:
        solver.restore(arrays)
    except (RunError, ProfileError) as error:
        raise RunError(f"{path}: {error}") from None
    if points and points[-1].iteration > solver.iterations:
        raise RunError(f"{path}: its curve ends after the {solver.iterations} iterations that were run.")
    return points, header["seconds"]


def _curve_text(curve: tuple[Point, ...]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(Point._fields)
    writer.writerows(curve)
    return buffer.getvalue()


def _read_curve(path: Path, answer: str) -> tuple[Point, ...]:
    text = read_bytes(path)
    try:
        rows = list(csv.reader(io.StringIO(text.decode(), newline="")))[1:]
        numbers = np.array([[float(number) for number in row] for row in rows])
    except (ValueError, csv.Error) as error:
        raise RunError(f"{path} is damaged: {error}. Use an intact copy.") from None
    return tuple(_points(path, numbers, answer))


def _points(where: object, numbers: np.ndarray, answer: str, nodes: int = 0) -> list[Point]:
    """The points of a curve from the numbers of a file `[K, 4 to 6]`; see `Point.of`.

    nodes: the least number of them there can be.
    """
    if not numbers.size:
        return []
    check_arrays(where, {"curve": numbers}, _CURVE)
    points = [Point.of(row, answer) for row in numbers.tolist()]
    ranges = {"iteration": (1, COUNT[1]), "seconds": (0, SECONDS.high), "nodes": (nodes, COUNT[1])}
    columns = {name: Array("float64", ("points",), *ranges.get(name, ())) for name in Point._fields}
    found = np.array(points, dtype=np.float64).T
    check_arrays(where, dict(zip(Point._fields, found, strict=True)), columns)
    if (np.diff(found[0]) <= 0).any():
        raise RunError(f"{where} is not what tefuda writes: its iterations do not rise. Use an intact copy.")
    return points
