"""Sweeps: runs of every method with every seed on games, over workers, saved and resumed."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Any

from tefuda.errors import ParameterError, RunError
from tefuda.files import csv_text, file_name, write_bytes
from tefuda.forms.tree import Tree
from tefuda.solvers.protocol import Method
from tefuda.solvers.runs.driver import Goal, Progress, make_record
from tefuda.solvers.runs.evaluators import NashConv
from tefuda.solvers.runs.job import NO_GOAL, Job, goal_of
from tefuda.solvers.runs.methods import find_method
from tefuda.solvers.runs.points import Point
from tefuda.solvers.runs.run import check_same_game, holds_run, read_run
from tefuda.solvers.runs.saved import load
from tefuda.solvers.runs.solution import Solution
from tefuda.words import Notify, count
from tefuda.workers import spread

_CHECKPOINT_SECONDS = 20.0  # a crash loses at most this time
CURVES = "curves.csv"  # file in the folder of a sweep with the points of all runs


@dataclass(frozen=True)
class Group:
    """The runs of one method on one game."""

    game: str
    method: str
    solutions: tuple[Solution, ...]

    @property
    def nash_conv(self) -> list[float]:
        """The last NashConv of each run."""
        return [solution.nash_conv for solution in self.solutions]

    @property
    def mean(self) -> float:
        """The mean NashConv of the runs."""
        return statistics.fmean(self.nash_conv)

    @property
    def median(self) -> float:
        """The median NashConv of the runs."""
        return statistics.median(self.nash_conv)

    @property
    def deviation(self) -> float:
        """The standard deviation of NashConv over the runs; nan for a single run."""
        return statistics.stdev(self.nash_conv) if len(self.solutions) > 1 else float("nan")

    def summary(self) -> dict[str, Any]:
        """Return the figures, and the runs with their curves, as JSON values."""
        runs = [{**run.summary(), "curve": [point._asdict() for point in run.curve]} for run in self.solutions]
        figures = {"median": self.median, "mean": self.mean, "deviation": self.deviation}
        return {"game": self.game, "method": self.method, **figures, "runs": runs}


def sweep(
    games: Tree | Mapping[str, Tree],
    methods: Sequence[Method | str],
    *,
    seeds: Sequence[int],
    folder: str | Path,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    workers: int | Executor = 1,
    progress: Notify | None = None,
) -> list[Group]:
    """Run every method with every seed on one or several games.

    Unfinished runs in the folder are resumed, finished ones loaded; ``curves.csv`` has the curves of all runs. Only the
    number of iterations may be larger than before.

    Args:
        games: a game, or several by their names.
        methods: methods or their names.
        seeds: random seeds.
        folder: folder for the run folders ``GAME-METHOD-SEED``; all workers must share it.
        iterations: stop each run after this number of iterations.
        until: stop each run at this NashConv.
        seconds: stop each run after this time of solving.
        nodes: stop each run after this number of histories visited, for methods that count them.
        workers: number of processes, or an executor such as Dask's. 1: in this process.
        progress: called about twice a second with the progress in words.

    Returns:
        A group of runs for each game and method, in their order. `td.plot` draws them.

    Raises:
        ParameterError: two methods have the same name, seeds are missing or equal, or there is no rule to stop.
        GameError: a method cannot solve a game, such as linear programming three players.
        RunError: the folder contains other runs with these names, or the workers do not share it.

    >>> kuhn = td.compile_game(td.load_game("kuhn"))
    >>> td.sweep(kuhn, ["chance", "external"], seeds=[1, 2], iterations=100, folder="runs")[0].method
    'chance'
    """
    named = {games.name: games} if isinstance(games, Tree) else games
    found, parent = [find_method(method) for method in methods], Path(folder)
    for tree, method in product(named.values(), found):
        method.require(tree)
    jobs = _jobs(named, found, seeds, Goal(iterations, until, seconds, nodes), parent)
    _complete_all(jobs, workers, progress)
    solutions = iter([_finished(run, job) for run, job in jobs.items()])  # in the order of games, methods and seeds
    pairs = product(named, found)
    groups = [Group(game, method.name, tuple(islice(solutions, len(seeds)))) for game, method in pairs]
    write_curves(groups, parent / CURVES)
    return groups


def write_curves(groups: Sequence[Group], path: Path) -> None:
    """Write the points of all runs to a CSV file with game, method, seed and the fields of `Point`."""
    rows = [
        [group.game, group.method, solution.seed, *point]
        for group in groups
        for solution in group.solutions
        for point in solution.curve
    ]
    write_bytes(path, csv_text(["game", "method", "seed", *Point._fields], rows).encode())


def _jobs(
    games: Mapping[str, Tree], methods: Sequence[Method], seeds: Sequence[int], goal: Goal, parent: Path
) -> dict[Path, Job]:
    """Return the jobs of a sweep by the folders of their runs, all checked before the first starts."""
    if goal == NO_GOAL:
        raise ParameterError("a sweep needs a rule to stop: give iterations, until, seconds or nodes.")
    runs = [*product(games, methods, seeds)]
    jobs = {
        parent / f"{file_name(game)}-{method.name}-{seed}": Job.of(
            games[game], method, goal=goal, seed=seed, evaluator=NashConv()
        )
        for game, method, seed in runs
    }
    if not jobs or len(jobs) < len(runs):
        raise ParameterError(
            "a sweep needs different seeds, and games and methods with different names; "
            f"got {[*games]} by {[method.name for method in methods]} with seeds {[*seeds]}."
        )
    for run, job in jobs.items():
        _check_saved(run, job)
    return jobs


def _check_saved(folder: Path, job: Job) -> None:
    """Raise RunError if the folder of a job contains a run with other settings or more iterations."""
    if not holds_run(folder):
        return
    content, wanted = read_run(folder), job.to_json()
    check_same_game(folder, content, job.built)
    most = job.goal.iterations
    saved = {**content, "goal": {**asdict(goal_of(content)), "iterations": most}}
    for name in ("seed", "method_parameters", "evaluator", "goal"):
        if saved[name] != wanted[name]:
            raise RunError(
                f"{folder} must contain a run with {name} {wanted[name]}, got {saved[name]}; choose another folder."
            )
    if most is not None and content["iterations"] > most:
        raise RunError(
            f"{folder} contains a run of {content['iterations']:,} iterations, more than {most:,}; "
            "choose another folder, or at least as many iterations."
        )


def _complete_all(jobs: Mapping[Path, Job], workers: int | Executor, progress: Notify | None) -> None:
    if progress is None:
        spread(workers, _complete, [*jobs.items()])
        return
    total = count(len(jobs), "runs")

    def report(done: int, _: int) -> None:
        saved = sum(read_run(run)["iterations"] for run in jobs if holds_run(run))
        progress(f"{done} of {total}, {count(saved, 'iterations')}")

    def show(run: Path, live: Progress) -> None:
        point = f", {live.evaluator.describe(live.point)}" if live.point else ""
        done = count(live.iterations, jobs[run].method.unit)
        progress(f"{[*jobs].index(run) + 1} of {total}, {run.name}: {done}{point}")

    spread(workers, partial(_complete, show=show) if workers == 1 else _complete, [*jobs.items()], report)


def _complete(run: tuple[Path, Job], show: Callable[[Path, Progress], None] | None = None) -> None:
    """Run a job in its folder, or resume it; RunError if the folder contains another run."""
    folder, job = run
    progress = None if show is None else partial(show, folder)
    _check_saved(folder, job)
    if not holds_run(folder):
        job.run(make_record(folder, _CHECKPOINT_SECONDS), progress=progress)
    elif not _is_finished(folder, job):
        job.resume(folder, progress=progress)


def _is_finished(folder: Path, job: Job) -> bool:
    content = read_run(folder)
    return content["status"] == "finished" and goal_of(content) == job.goal


def _finished(folder: Path, job: Job) -> Solution:
    """Return the solution of a finished job; raise RunError if its run is missing or incomplete."""
    if not holds_run(folder):
        raise RunError(f"{folder} is missing; give a folder that all workers share.")
    if not _is_finished(folder, job):
        raise RunError(f"{folder} could not be saved completely; run the sweep again to resume it.")
    return load(folder, job.built)
