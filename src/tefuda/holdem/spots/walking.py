"""Walks over a spot in numbers of one type, by one thread or several.

With several threads the boards that follow the first are spread over them; what they are worth is added in the order of
the boards, so that the same bits come out whatever the number of threads.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from queue import SimpleQueue

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.holdem.betting import RIVER
from tefuda.holdem.kernels import arrays
from tefuda.holdem.kernels import walk as kernels
from tefuda.holdem.spots.compiled import CompiledSpot

Arrays = tuple[np.ndarray, ...]
Stored = tuple[np.ndarray | None, np.ndarray, np.ndarray | None]  # regrets, sums, scales
_BLOCKS = 2  # of boards for each thread, so that none waits long for another; each costs 50 us (4: 5 % of a turn more)
_MOST = 64  # threads


class Walking:
    """Walks over a spot. weights: `[2, H]` of each player's hands at the root, to be changed at will.

    Args:
        compiled: the spot.
        dtype: of all numbers on the way.
        threads: how many there are.
        form: another form of the spot, with fewer boards, for one thread.

    Raises:
        ParameterError: several threads for a river, which is one board.
    """

    def __init__(self, compiled: CompiledSpot, dtype: str, threads: int = 1, form: arrays.Form | None = None) -> None:
        check_threads(compiled.spot.street, threads)
        self.compiled, self.threads, self._form = compiled, threads, form or compiled.form
        self.work = compiled.work(dtype, threads > 1)
        most = self.work.value.shape[1]
        self.weights = np.zeros((2, most), dtype)
        for player, weights in enumerate(compiled.weights):
            self.weights[player, : len(weights)] = weights
        self._pool = ThreadPoolExecutor(threads, "boards") if threads > 1 else None
        self._rooms: SimpleQueue[arrays.Work] = SimpleQueue()
        for _ in range(threads if threads > 1 else 0):
            self._rooms.put(compiled.work(dtype)._replace(kept=self.work.kept))

    def learn(
        self, rules: np.ndarray, regrets: np.ndarray, sums: np.ndarray, scales: np.ndarray,
        walkers: tuple[int, ...] = (0, 1),
    ) -> None:  # fmt: skip
        """Iterations.

        Args:
            rules: `[iterations, 4]` the numbers of each.
            regrets: `[stored]` of all actions and hands.
            sums: likewise of the averages.
            scales: `[2, nodes]` of both if they are integers.
            walkers: who learns in each, one after the other.
        """
        who = np.tile(walkers, len(rules))
        modes = np.full(len(who), arrays.LEARN)
        tasks = who, modes, np.repeat(rules, len(walkers), axis=0)
        self._run(tasks, (regrets, sums, scales if scales.size else None))

    def look(self, walker: int, mode: int, sums: np.ndarray) -> None:
        """Reckon the values of a walker's hands, against the averages of the other, into `work.value`.

        Args:
            walker: whom for.
            mode: `arrays.AVERAGE`, or `arrays.BEST`.
            sums: of the averages.
        """
        dtype = self.work.value.dtype
        tasks = np.array([walker]), np.array([mode]), np.zeros((1, 4), dtype)
        self._run(tasks, (None, sums, None))

    def _run(self, tasks: Arrays, stored: Stored) -> None:
        if self._pool is None:
            self._walk((0, 0, 1, 1, 1), self.work, tasks, stored)
            return
        for walk in range(len(tasks[0])):
            one = tuple(array[walk : walk + 1] for array in tasks)
            self._walk((0, 0, 1, 1, 0), self.work, one, stored)
            blocks = [self._pool.submit(self._boards, *ends, one, stored) for ends in self._blocks()]
            try:
                for block in blocks:
                    block.result()
            finally:
                wait(blocks)  # who is interrupted finds nobody at work
            self._walk((0, 0, 1, 0, 1), self.work, one, stored)

    def _blocks(self) -> list[tuple[int, int]]:
        """The boards that follow the first in runs of about as many."""
        children = self.compiled.contexts[0].children
        ends = np.linspace(children[0], children[-1] + 1, min(len(children), _BLOCKS * self.threads) + 1).astype(int)
        return list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))

    def _boards(self, first: int, last: int, tasks: Arrays, stored: Stored) -> None:
        """Walk some boards of the second street on their own."""
        room, above = self._rooms.get(), int(self.compiled.offsets[1])
        try:
            room.reach[:above], room.live[:above] = self.work.reach[:above], self.work.live[:above]
            self._walk((1, first, last, 1, 1), room, tasks, stored)
        finally:
            self._rooms.put(room)

    def _walk(self, part: tuple[int, ...], work: arrays.Work, tasks: Arrays, stored: Stored) -> None:
        if len(self._form.streets) == 1:
            kernels.walk_river(self._form, self.weights, *tasks, *stored, work)
        else:
            kernels.walk(self._form, np.array(part, dtype=np.int64), self.weights, *tasks, *stored, work)

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown()


def check_threads(street: int, threads: int) -> None:
    """Raise ParameterError if a spot that starts on a street cannot be walked by so many threads."""
    check_range("threads", threads, 1, _MOST)
    if threads > 1 and street == RIVER:
        raise ParameterError(
            f"threads is {threads}, but a river is one board, which one thread solves; leave it at 1.",
            key="threads",
            value=threads,
        )
