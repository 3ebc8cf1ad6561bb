"""Sweeps: runs of every method with every seed, distributed over workers, saved and resumed."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tefuda.errors import ParameterError, RunError
from tefuda.files import csv_text, write_bytes
from tefuda.forms.tree import Tree
from tefuda.solvers.protocol import Method
from tefuda.solvers.runs.driver import Goal, Progress, make_record
from tefuda.solvers.runs.evaluators import NashConv
from tefuda.solvers.runs.job import Job, goal_of
from tefuda.solvers.runs.methods import find_method
from tefuda.solvers.runs.points import Point
from tefuda.solvers.runs.run import check_same_game, holds_run, read_run
from tefuda.solvers.runs.saved import load
from tefuda.solvers.runs.solution import Solution
from tefuda.workers import ProgressFunction, Workers

_CHECKPOINT_SECONDS = 20.0  # a crash loses at most this time
CURVES = "curves.csv"  # file in the folder of a sweep with the points of all runs


@dataclass(frozen=True)
class Group:
    """The runs of one method."""

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
    def deviation(self) -> float:
        """The standard deviation of NashConv over the runs; nan for a single run."""
        return statistics.stdev(self.nash_conv) if len(self.solutions) > 1 else float("nan")

    def summary(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        runs = [{"seed": run.seed, "nash_conv": run.nash_conv, "run": run.run} for run in self.solutions]
        return {"method": self.method, "mean": self.mean, "deviation": self.deviation, "runs": runs}


def sweep(
    tree: Tree,
    methods: Sequence[Method | str],
    *,
    seeds: Sequence[int],
    iterations: int,
    folder: str | Path,
    workers: int | Executor = 1,
    progress: ProgressFunction | None = None,
) -> list[Group]:
    """Run every method with every seed.

    Unfinished runs in the folder are resumed, finished ones loaded; ``curves.csv`` has the curves of all runs.

    Args:
        tree: the game.
        methods: methods or their names.
        seeds: random seeds.
        iterations: number of iterations of each run.
        folder: folder for the run folders ``NAME-SEED``; all workers must share it.
        workers: number of processes, or an executor such as Dask's. 1: in this process.
        progress: called about twice a second with the iterations done and their total.

    Returns:
        A group of runs for each method, in the order of the methods and seeds. `td.plot` draws them.

    Raises:
        ParameterError: two methods have the same name, or seeds are missing or equal.
        RunError: the folder contains other runs with these names, or the workers do not share it.

    >>> kuhn = td.compile_game(td.load_game("kuhn"))
    >>> td.sweep(kuhn, ["chance", "external"], seeds=[1, 2], iterations=100, folder="runs")[0].method
    'chance'
    """
    jobs, parent = _jobs(tree, methods, seeds, iterations, Path(folder)), Path(folder)
    pool = Workers(workers)

    def report(done: object = None) -> None:
        if progress is not None:
            progress(round(sum(_completed(parent, job) for job in jobs) * iterations), len(jobs) * iterations)

    try:
        if workers == 1:
            for job in jobs:
                run_or_resume(parent, job, report if progress is not None else None)
            report()
        else:
            pool.map(partial(run_or_resume, parent), jobs, report if progress is not None else None)
    finally:
        pool.close()
    by_method: dict[str, list[Solution]] = {job.method.name: [] for job in jobs}
    for job in jobs:
        by_method[job.method.name].append(_finished(parent, job, tree))
    groups = [Group(name, tuple(solutions)) for name, solutions in by_method.items()]
    write_curves(groups, parent / CURVES)
    return groups


def _finished(parent: Path, job: Job, tree: Tree) -> Solution:
    """Return the solution of a finished job; raise RunError if its run is missing or incomplete."""
    if not os.path.exists(run := folder_of(parent, job)):
        raise RunError(f"{run} is missing; give a folder that all workers share.")
    solution = load(run, tree)
    if solution.iterations < (job.goal.iterations or 0):
        raise RunError(f"{run} could not be saved completely; run the sweep again to resume it.")
    return solution


def write_curves(groups: Sequence[Group], path: Path) -> None:
    """Write the points of all runs to a CSV file with method, seed and the fields of `Point`."""
    solutions = [(group.method, solution) for group in groups for solution in group.solutions]
    rows = [[method, solution.seed, *point] for method, solution in solutions for point in solution.curve]
    write_bytes(path, csv_text(["method", "seed", *Point._fields], rows).encode())


def _jobs(
    tree: Tree, methods: Sequence[Method | str], seeds: Sequence[int], iterations: int, folder: Path
) -> list[Job]:
    """Return the jobs of a sweep, all checked before the first starts."""
    jobs = [
        Job.of(tree, method, goal=Goal(iterations), seed=seed, evaluator=NashConv())
        for method in methods
        for seed in seeds
    ]
    if not jobs or len({folder_of(folder, job) for job in jobs}) < len(jobs):
        names = [find_method(method).name for method in methods]
        raise ParameterError(
            f"a sweep needs different seeds, and methods with different names; got {names} with seeds {[*seeds]}."
        )
    for job in jobs:
        check_saved(folder, job)
    return jobs


def folder_of(parent: Path, job: Job) -> Path:
    """Return the folder of a job's run in the folder of a sweep."""
    return parent / f"{job.method.name}-{job.seed}"


def _completed(parent: Path, job: Job) -> float:
    """Return the share of the iterations that the saved run has; 0 without an iteration goal."""
    folder, iterations = folder_of(parent, job), job.goal.iterations
    if not holds_run(folder) or iterations is None:
        return 0.0
    return min(1.0, read_run(folder)["iterations"] / iterations)


def check_saved(parent: Path, job: Job) -> None:
    """Raise RunError if the folder of a job contains a run with other settings or more iterations."""
    folder = folder_of(parent, job)
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


def run_or_resume(parent: Path, job: Job, progress: Callable[[Progress], None] | None = None) -> None:
    """Run a job in its folder, or resume it; RunError if the folder contains another run."""
    check_saved(parent, job)
    folder = folder_of(parent, job)
    if not holds_run(folder):
        job.run(make_record(folder, _CHECKPOINT_SECONDS), progress=progress)
        return
    content = read_run(folder)
    if not (content["status"] == "finished" and goal_of(content) == job.goal):
        job.resume(folder, progress=progress)
