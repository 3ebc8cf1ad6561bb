"""Sweeps: runs of every method with every seed, distributed over workers, saved and resumed."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tefuda.errors import ParameterError, RunError, check_seed
from tefuda.files import csv_text, write_bytes
from tefuda.forms.tree import Tree
from tefuda.solvers.protocol import Method
from tefuda.solvers.runs.driver import Goal, Progress, goal_of_run
from tefuda.solvers.runs.evaluators import NashConv
from tefuda.solvers.runs.methods import find_method, make_goal, solve
from tefuda.solvers.runs.points import Point
from tefuda.solvers.runs.run import check_same_game, holds_run, read_run
from tefuda.solvers.runs.saved import load, resume
from tefuda.solvers.runs.solution import Solution
from tefuda.workers import ProgressFunction, Workers

_CHECKPOINT_SECONDS = 20.0  # a crash loses at most this time
CURVES = "curves.csv"  # file in the folder of a sweep with the points of all runs


@dataclass(frozen=True)
class Trial:
    """One run of a sweep: a method with a seed and a goal."""

    tree: Tree
    method: Method
    goal: Goal
    seed: int
    parent: Path

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self.parent / f"{self.method.name}-{self.seed}"

    def completed(self) -> float:
        """Return the share of the iterations that the saved run has; 0 without an iteration goal."""
        if not holds_run(self.folder) or self.goal.iterations is None:
            return 0.0
        return min(1.0, read_run(self.folder)["iterations"] / self.goal.iterations)

    def check(self) -> None:
        """Raise RunError if the folder contains a run with other settings or more iterations."""
        if not holds_run(self.folder):
            return
        content, goal = read_run(self.folder), self.goal
        check_same_game(self.folder, content, self.tree)
        settings = {
            "seed": (content["seed"], self.seed),
            "method": (content["method_parameters"], self.method.parameters()),
            "evaluator": (content["evaluator"], NashConv().parameters()),
            "goal": (replace(goal_of_run(content), iterations=goal.iterations), goal),
        }
        for name, (saved, expected) in settings.items():
            if saved != expected:
                raise RunError(
                    f"{self.folder} must contain a run with {name} {expected}, got {saved}; choose another folder."
                )
        if goal.iterations is not None and content["iterations"] > goal.iterations:
            raise RunError(
                f"{self.folder} contains a run of {content['iterations']:,} iterations, more than {goal.iterations:,}; "
                "choose another folder, or at least as many iterations."
            )


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

    Unfinished runs in the folder are resumed, and finished ones are loaded. The curves of all runs are written to
    ``curves.csv`` in the folder.

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
    """
    trials = _trials(tree, methods, seeds, iterations, Path(folder))
    pool = Workers(workers)

    def report(done: object = None) -> None:
        if progress is not None:
            progress(round(sum(trial.completed() for trial in trials) * iterations), len(trials) * iterations)

    try:
        if workers == 1:
            for trial in trials:
                run_trial(trial, report if progress is not None else None)
            report()
        else:
            pool.map(run_trial, trials, report if progress is not None else None)
    finally:
        pool.close()
    by_method: dict[str, list[Solution]] = {trial.method.name: [] for trial in trials}
    for trial in trials:
        if not os.path.exists(trial.folder):
            raise RunError(f"{trial.folder} is missing; give a folder that all workers share.")
        solution = load(trial.folder, tree)
        if solution.iterations < iterations:
            raise RunError(f"{trial.folder} could not be saved completely; run the sweep again to resume it.")
        by_method[trial.method.name].append(solution)
    groups = [Group(name, tuple(solutions)) for name, solutions in by_method.items()]
    write_curves(groups, Path(folder) / CURVES)
    return groups


def write_curves(groups: Sequence[Group], path: Path) -> None:
    """Write the points of all runs to a CSV file with method, seed and the fields of `Point`."""
    solutions = [(group.method, solution) for group in groups for solution in group.solutions]
    rows = [[method, solution.seed, *point] for method, solution in solutions for point in solution.curve]
    write_bytes(path, csv_text(["method", "seed", *Point._fields], rows).encode())


def _trials(
    tree: Tree, methods: Sequence[Method | str], seeds: Sequence[int], iterations: int, folder: Path
) -> list[Trial]:
    """Return the runs of a sweep, all checked before the first starts."""
    chosen = [find_method(method) for method in methods]
    goals = [make_goal(method, iterations) for method in chosen]
    for seed in seeds:
        check_seed(seed)
    if not seeds or len(set(seeds)) < len(seeds) or len({method.name for method in chosen}) < len(chosen):
        names = [method.name for method in chosen]
        raise ParameterError(
            f"a sweep needs different seeds, and methods with different names; got {names} with seeds {[*seeds]}."
        )
    trials = [
        Trial(tree, method, goal, seed, folder) for method, goal in zip(chosen, goals, strict=True) for seed in seeds
    ]
    for trial in trials:
        trial.check()
    return trials


def run_trial(trial: Trial, progress: Callable[[Progress], None] | None = None) -> None:
    """Run or resume a trial; RunError if its folder contains another run."""
    trial.check()
    if not holds_run(trial.folder):
        solve(
            trial.tree, trial.method, **asdict(trial.goal), seed=trial.seed, checkpoint=trial.folder,
            checkpoint_seconds=_CHECKPOINT_SECONDS, progress=progress,
        )  # fmt: skip
        return
    content = read_run(trial.folder)
    if not (content["status"] == "finished" and goal_of_run(content) == trial.goal):
        resume(trial.folder, game=trial.tree, **asdict(trial.goal), progress=progress)
