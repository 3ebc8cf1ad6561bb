"""The public functions that solve a game: fronts of `Job`."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, TypedDict, Unpack, overload

from tefuda.evaluating.profile import Profile
from tefuda.forms.form import Form
from tefuda.forms.partitions import Partition
from tefuda.forms.tree import Tree
from tefuda.games.protocol import Game
from tefuda.solvers.protocol import Method, Policy, Solver, TreeSolver
from tefuda.solvers.runs.driver import Goal, Progress, make_record
from tefuda.solvers.runs.evaluators import Evaluator
from tefuda.solvers.runs.job import Job, Solvable, WithKit
from tefuda.solvers.runs.solution import Solution

_Chosen = str | Method | None


@overload
def make_solver(
    game: Tree | Partition, method: str | Method | None = None, *, seed: int = 0, workers: Any = None
) -> TreeSolver: ...
@overload
def make_solver(
    game: Solvable, method: str | Method | None = None, *, seed: int = 0, workers: Any = None
) -> Solver: ...
def make_solver(
    game: Solvable, method: str | Method | None = None, *, seed: int = 0, workers: int | Executor | None = None
) -> Solver:
    """Return a new solver.

    Args:
        game: rules, which are compiled, or a form of a game, such as a tree, a simulator or a compiled spot of
            hold'em. A partition of a tree is solved in its classes and evaluated in the real game.
        method: a name in the table of the form (`METHODS`), or a value such as
            ``dataclasses.replace(METHODS["cfr+"], delay=10)``. Default: the method of the form.
        seed: random seed.
        workers: number of processes, or a `concurrent.futures.Executor`, for sampling methods; number of threads for
            the CFR family, on trees of 900,000 histories or more. They compile the rules too. The result does not
            depend on it.

    Raises:
        UnknownNameError: the method does not exist.
        ParameterError: the method does not accept the form or workers, or the seed is out of range.
        GameError: the argument is not a game, or not one that the method solves.

    >>> solver = td.make_solver(td.load_game("kuhn"), "cfr+")
    >>> solver.advance(10)
    >>> solver.iterations
    10
    """
    return Job.of(game, method, seed=seed, workers=workers).solver(workers)


class _Options(TypedDict, total=False):
    """The keyword arguments of `solve`."""

    iterations: int | None
    until: float | None
    seconds: float | None
    nodes: int | None
    evaluator: Evaluator | None
    seed: int
    workers: int | Executor | None
    checkpoint: str | Path | None
    checkpoint_seconds: float
    progress: Callable[[Progress], None] | None
    interrupted: Callable[[], bool]
    observer: Callable[[Solver], None] | None


@overload
def solve(game: Tree | Partition, method: _Chosen = None, **options: Unpack[_Options]) -> Solution[Profile]: ...
@overload
def solve(game: Form, method: _Chosen = None, **options: Unpack[_Options]) -> Solution[Policy]: ...
@overload
def solve(game: Game | WithKit, method: _Chosen = None, **options: Unpack[_Options]) -> Solution: ...
def solve(
    game: Solvable,
    method: str | Method | None = None,
    *,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    evaluator: Evaluator | None = None,
    seed: int = 0,
    workers: int | Executor | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = 30.0,
    progress: Callable[[Progress], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
    observer: Callable[[Solver], None] | None = None,
) -> Solution:
    """Solve a game: run a method until the first stop rule holds, and evaluate it along the way.

    Args:
        game: see `make_solver`.
        method: see `make_solver`.
        iterations: stop after this number of iterations. Without any stop rule: the method's default, often 1,000.
        until: stop at this NashConv, or when the whole interval of another evaluator's figure is as good.
        seconds: stop after this time of solving.
        nodes: stop after this number of histories visited, for methods that count them.
        evaluator: `NashConv`, `HeadToHead`, `LearnedResponse`, `NoEvaluation`, ... Default: the evaluator of the form,
            which is `NashConv` on trees.
        seed: random seed.
        workers: see `make_solver`.
        checkpoint: folder to save the run in; `resume` continues it.
        checkpoint_seconds: seconds between checkpoints.
        progress: called about ten times a second.
        interrupted: called as often; once it returns True, the partial solution is returned as ``"interrupted"``.
        observer: called with the solver at each point of the curve, such as `Snapshots`.

    Returns:
        The solution with the strategy that the method reports: for the CFR family the better of the average and the
        last iterate, for fictitious play the average.

    Raises:
        UnknownNameError: the method does not exist.
        ParameterError: a value is out of range, the goal cannot be reached, or the method cannot use an argument.
        GameError: the argument is not a game, or not one that the method solves.
        RunError: the folder contains a run, or cannot be written.
        KeyboardInterrupt: raised at once; the run can be resumed from its checkpoint.

    >>> solution = td.solve(td.load_game("kuhn"), "cfr+", until=1e-3)
    >>> solution.nash_conv <= 1e-3, round(solution.values[0], 2)
    (True, -0.06)
    """
    record = make_record(checkpoint, checkpoint_seconds)
    goal = Goal(iterations, until, seconds, nodes)
    job = Job.of(game, method, goal=goal, seed=seed, evaluator=evaluator, workers=workers)
    return job.run(record, workers=workers, progress=progress, interrupted=interrupted, observer=observer)
