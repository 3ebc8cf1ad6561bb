"""Traversals of a spot in numbers of one type, by one thread or several.

With several threads the boards after the first are split among them. Their values are added in the order of the boards,
so results are bit-identical for any number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from queue import SimpleQueue

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.holdem.betting import RIVER
from tefuda.holdem.kernels import arrays
from tefuda.holdem.kernels import traversal as kernels
from tefuda.holdem.spots.compiled import CompiledSpot

Arrays = tuple[np.ndarray, ...]
#: Regrets, sums, scales of both if they are integers, and expected regrets if they are predicted; or sums alone.
Stored = tuple[np.ndarray, np.ndarray | None, np.ndarray | None, np.ndarray | None]
# More blocks shorten the wait for the last thread, but each costs 50 µs (4: a turn takes 5 % more).
_BLOCKS_PER_THREAD = 2
_MAX_THREADS = 64  # threads


class Traversal:
    """Traversals of a spot in numbers of a type.

    form: arrays of the spot; default: those of `compiled`. A form with fewer boards needs one thread.
    """

    def __init__(
        self, compiled: CompiledSpot, dtype: str, threads: int = 1, form: arrays.SpotArrays | None = None
    ) -> None:
        check_threads(compiled.spot.street, threads)
        self.compiled, self.threads, self._form = compiled, threads, form or compiled.form
        self.work = compiled.work(dtype, threads > 1)
        self.weights = np.zeros((2, self.work.value.shape[1]), dtype)  # `[2, H]`
        self.set_ranges(compiled.weights)
        self._pool = ThreadPoolExecutor(threads, "boards") if threads > 1 else None
        self._workspaces: SimpleQueue[arrays.Workspace] = SimpleQueue()
        for _ in range(threads if threads > 1 else 0):
            self._workspaces.put(compiled.work(dtype)._replace(root_values=self.work.root_values))

    def set_ranges(self, ranges: Sequence[np.ndarray]) -> None:
        """Set the weights of both players' hands at the root."""
        for player, weights in enumerate(ranges):
            self.weights[player, : len(weights)] = weights

    def learn(self, rules: np.ndarray, stored: Stored, traversers: tuple[int, ...] = (0, 1)) -> None:
        """Run iterations in which the `traversers` learn in turn.

        rules: `[iterations, 6]` numbers of each. stored: `[stored]` numbers, scales `[2, nodes]`.
        """
        all_traversers = np.tile(traversers, len(rules))
        modes = np.full(len(all_traversers), arrays.LEARN)
        tasks = all_traversers, modes, np.repeat(rules, len(traversers), axis=0)
        self._run(tasks, stored)

    def evaluate(self, traverser: int, mode: int, sums: np.ndarray) -> None:
        """Write the values of a player's hands against an average (`sums`) into `work.value`.

        mode: AVERAGE, or BEST for a best response.
        """
        tasks = np.array([traverser]), np.array([mode]), np.zeros((1, arrays.RULE_COLUMNS), self.work.value.dtype)
        self._run(tasks, (sums, None, None, None))

    def _run(self, tasks: Arrays, stored: Stored) -> None:
        if self._pool is None:
            self._traverse((0, 0, 1, 1, 1), self.work, tasks, stored)
            return
        for pass_ in range(len(tasks[0])):
            single = tuple(array[pass_ : pass_ + 1] for array in tasks)
            self._traverse((0, 0, 1, 1, 0), self.work, single, stored)
            blocks = [self._pool.submit(self._boards, *ends, single, stored) for ends in self._blocks()]
            try:
                for block in blocks:
                    block.result()
            finally:
                wait(blocks)  # no thread continues after an interruption of the caller
            self._traverse((0, 0, 1, 0, 1), self.work, single, stored)

    def _blocks(self) -> list[tuple[int, int]]:
        """Return the boards after the first in blocks of about equal length."""
        children = self.compiled.contexts[0].children
        count = min(len(children), _BLOCKS_PER_THREAD * self.threads)
        ends = np.linspace(children[0], children[-1] + 1, count + 1).astype(int)
        return list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))

    def _boards(self, first: int, last: int, tasks: Arrays, stored: Stored) -> None:
        """Traverse some boards of the second street separately."""
        workspace, above = self._workspaces.get(), int(self.compiled.offsets[1])
        try:
            workspace.reach[:above], workspace.live[:above] = self.work.reach[:above], self.work.live[:above]
            self._traverse((1, first, last, 1, 1), workspace, tasks, stored)
        finally:
            self._workspaces.put(workspace)

    def _traverse(self, part: tuple[int, ...], work: arrays.Workspace, tasks: Arrays, stored: Stored) -> None:
        if len(self._form.streets) == 1:
            kernels.traverse_river(self._form, self.weights, *tasks, *stored, work)
        else:
            kernels.traverse(self._form, np.array(part, dtype=np.int64), self.weights, *tasks, *stored, work)

    def close(self) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def check_threads(street: int, threads: int) -> None:
    """Raise ParameterError if a spot that starts on a street does not allow this number of threads."""
    check_range("workers", threads, 1, _MAX_THREADS)
    if threads > 1 and street == RIVER:
        why = f"workers must be 1 for a river, which is one board, got {threads}."
        raise ParameterError(why, key="workers", value=threads)
