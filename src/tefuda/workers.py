"""Many workers, one result: tasks are spread over an executor, and their results come back in order.

Any `concurrent.futures.Executor` will do: threads, processes, or Dask's ``client.get_executor()`` for many machines. A
number makes a pool of processes. A worker that dies costs time, not the run: its tasks are done again.
"""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from typing import Any, TypeVar

from tefuda.errors import ParameterError

Task = TypeVar("Task")
Result = TypeVar("Result")

_TRIES = 5
_LOOK = 0.5  # seconds


class Workers:
    """Runs tasks on an executor; with a number of processes it makes the pool itself, and again if it breaks.

    Args:
        workers: a number of processes, or an executor, which stays the caller's to shut down.

    Raises:
        ParameterError: neither.
    """

    def __init__(self, workers: int | Executor) -> None:
        own = isinstance(workers, int) and not isinstance(workers, bool)
        if not isinstance(workers, Executor) and (not own or workers < 1):
            raise ParameterError(f"workers is {workers!r}; it must be a number of at least 1, or an executor.")
        self.count = workers if isinstance(workers, int) else int(getattr(workers, "_max_workers", None) or 8)
        self._given = None if isinstance(workers, int) else workers
        self._pool: Executor | None = None

    def map(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], told: Callable[[int], None] | None = None
    ) -> list[Result]:
        """``[function(task) for task in tasks]``, somewhere else.

        Args:
            function: something workers can import.
            tasks: its arguments.
            told: how many tasks are done, about twice a second while the workers work, and at the end.

        Raises:
            BrokenExecutor: the pool broke several times in a row.
        """
        for attempt in range(_TRIES):
            try:
                return self._collect([self._executor().submit(function, task) for task in tasks], told)
            except BrokenExecutor as error:
                if self._given is not None:
                    warnings.warn(f"the executor is broken ({error}); going on in this process.", RuntimeWarning, 2)
                    return [function(task) for task in tasks]
                self.close()
                if attempt == _TRIES - 1:
                    raise
        raise AssertionError

    def _collect(self, futures: list[Future[Result]], told: Callable[[int], None] | None) -> list[Result]:
        """What the futures give, in order; if one fails, the others are not begun."""
        try:
            while wait(futures, None if told is None else _LOOK, return_when=FIRST_EXCEPTION).not_done:
                if any(future.done() and future.exception() for future in futures):
                    break
                if told is not None:
                    told(sum(future.done() for future in futures))
            results = [future.result() for future in futures if future.done()]
        finally:
            for future in futures:
                future.cancel()
        if told is not None:
            told(len(results))
        return results

    def _executor(self) -> Executor:
        if self._given is not None:
            return self._given
        if self._pool is None:
            # Not fork: a forked child of a process with threads can hang.
            context = multiprocessing.get_context("forkserver" if _has_forkserver() else "spawn")
            self._pool = ProcessPoolExecutor(self.count, mp_context=context)
        return self._pool

    def close(self) -> None:
        """Stop the processes made here."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def spread(
    workers: int | Executor,
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    progress: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """``[function(task) for task in tasks]``: here with one worker, else by workers made for it.

    `progress` is told tasks done and in all.
    """
    tell = progress or (lambda done, of: None)
    if workers == 1:
        results = []
        for task in tasks:
            results.append(function(task))
            tell(len(results), len(tasks))
        return results
    pool = Workers(workers)
    try:
        return pool.map(function, tasks, lambda done: tell(done, len(tasks)))
    finally:
        pool.close()


def _has_forkserver() -> bool:
    return "forkserver" in multiprocessing.get_all_start_methods()


def chunks(items: Sequence[Any], count: int) -> list[Sequence[Any]]:
    """`items` cut into at most `count` runs of about equal length, in order."""
    size = -(-len(items) // count)
    return [items[start : start + size] for start in range(0, len(items), size)]
