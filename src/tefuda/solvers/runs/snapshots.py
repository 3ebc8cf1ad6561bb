"""Snapshots: regrets and strategies of a run along its iterations, for small trees."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from tefuda.errors import ParameterError, check_range, wrong_type
from tefuda.forms.tree import Tree
from tefuda.solvers.protocol import Solver, TreeSolver

_REGRETS = "regret"  # name of the array of cumulative regrets


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The strategies after some iterations, with an element for each infoset-action pair.

    Attributes:
        iteration: number of iterations.
        average: `[R]` average strategy.
        current: `[R]` current strategy.
        regrets: `[R]` cumulative regrets; None for methods without regrets.
    """

    iteration: int
    average: np.ndarray  # [R]
    current: np.ndarray  # [R]
    regrets: np.ndarray | None  # [R]

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return self.average.nbytes + self.current.nbytes + (0 if self.regrets is None else self.regrets.nbytes)


@dataclass(frozen=True)
class InfosetSeries:
    """The numbers of one infoset in all snapshots: a row for each snapshot, a column for each action.

    Attributes:
        infoset: its name.
        actions: its actions.
        iterations: iteration of each snapshot.
        average: probabilities in the average strategy.
        current: probabilities in the current strategy.
        regrets: cumulative regrets; None for methods without regrets.
    """

    infoset: str
    actions: tuple[Hashable, ...]
    iterations: tuple[int, ...]
    average: tuple[tuple[float, ...], ...]
    current: tuple[tuple[float, ...], ...]
    regrets: tuple[tuple[float, ...], ...] | None


class Snapshots:
    """An observer of a run that takes snapshots of a solver on a tree.

    The driver calls it at each point of the curve, so the iterations do not depend on time.

    Args:
        every: least growth of the iterations from one snapshot to the next.
        limit: most bytes; when they are exceeded, every second snapshot is dropped, and `every` is squared.

    >>> snapshots = td.solvers.Snapshots()
    >>> solution = td.solve(td.load_game("kuhn"), "cfr", iterations=100, observer=snapshots)
    >>> series = snapshots.series("0: J|")
    >>> series.iterations[0], series.current[0]
    (1, (0.0, 1.0))
    """

    def __init__(self, every: float = 1.2, limit: int = 16_000_000) -> None:
        check_range("every", every, 1, 1e6, whole=False)
        check_range("limit", limit, 1)
        self.every, self.limit = every, limit
        self.taken: list[Snapshot] = []
        self.tree: Tree | None = None

    def __call__(self, solver: Solver) -> None:
        """Take a snapshot if the iterations have grown enough.

        Raises:
            InputError: the solver has no tree.
        """
        if not isinstance(solver, TreeSolver):
            raise wrong_type("a solver on a tree", solver, "Snapshots need a game that is compiled to a tree.")
        if self.taken and solver.iterations < self.every * self.taken[-1].iteration:
            return
        if solver.iterations <= solver.method.delay:
            return
        self.tree = solver.tree
        self.taken.append(_snapshot(solver))
        if len(self.taken) > 1 and sum(snapshot.bytes for snapshot in self.taken) > self.limit:
            self.taken, self.every = self.taken[::-2][::-1], self.every**2

    def series(self, infoset: str | tuple[int, Hashable] | int) -> InfosetSeries:
        """Return the numbers of one infoset over the iterations.

        Raises:
            ParameterError: no snapshot was taken.
            UnknownNameError: there is no such infoset.
        """
        if self.tree is None:
            raise ParameterError("no snapshot was taken; pass the snapshots to solve(..., observer=snapshots).")
        number = self.tree.number(infoset)
        rows = self.tree.rows_of(number)
        regrets = [snapshot.regrets[rows] for snapshot in self.taken if snapshot.regrets is not None]
        return InfosetSeries(
            self.tree.name_of(number),
            self.tree.labels(number),
            tuple(snapshot.iteration for snapshot in self.taken),
            tuple(tuple(snapshot.average[rows].tolist()) for snapshot in self.taken),
            tuple(tuple(snapshot.current[rows].tolist()) for snapshot in self.taken),
            tuple(tuple(numbers.tolist()) for numbers in regrets) or None,
        )


def _snapshot(solver: TreeSolver) -> Snapshot:
    try:
        regrets = solver.arrays().get(_REGRETS)
    except NotImplementedError:
        regrets = None
    if regrets is not None and regrets.shape != (solver.tree.rows,):
        regrets = None
    average, current = solver.average().probabilities, solver.current().probabilities
    return Snapshot(solver.iterations, average, current, None if regrets is None else regrets.copy())
