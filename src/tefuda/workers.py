"""Tasks spread over an executor; their results come back in order.

Any `concurrent.futures.Executor` works: threads, processes, or Dask's ``client.get_executor()`` for many machines. A
number makes a pool of processes, which leave Ctrl-C to their parent and never outlive it. The tasks of a worker that
dies are done again.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from tefuda.errors import ParameterError, SolverError, out_of_range

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Called with the progress of some work: the amount done, and the whole amount.
ProgressFunction = Callable[[int, int], None]

#: Functions with their argument that processes made here call before any task, such as loading a game's file.
PREPARATION: list[tuple[Callable[[Any], Any], Any]] = []
_TRIES = 5
_MOST = 1024  # processes of one machine
_LOOK = 0.5  # seconds


class Workers:
    """An executor for tasks; a pool of processes is made again if it breaks.

    Args:
        workers: a number of processes, or an executor, which the caller shuts down.
    """

    def __init__(self, workers: int | Executor) -> None:
        own = isinstance(workers, int) and not isinstance(workers, bool)
        if not isinstance(workers, Executor) and not (own and 1 <= workers <= _MOST):
            raise out_of_range("workers", workers, f"a number from 1 to {_MOST}, or an executor")
        self.count = workers if isinstance(workers, int) else int(getattr(workers, "_max_workers", None) or 8)
        self._given = None if isinstance(workers, int) else workers
        self._pool: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Sequence[Task],
        told: Callable[[int], None] | None = None,
        found: Callable[[Result], object] = lambda result: None,
    ) -> list[Result]:
        """Return ``[function(task) for task in tasks]``.

        Args:
            function: a function that workers can import.
            tasks: its arguments.
            told: called with the number of complete tasks, about twice a second and at the end.
            found: called once with every result, as often.

        Raises:
            SolverError: workers died several times in a row.
            ParameterError: the executor was shut down, or something cannot be sent to workers or back.
        """
        results: dict[int, Result] = {}  # what is done stays done if workers die
        for _ in range(_TRIES):
            try:
                self._collect(function, tasks, results, told, found)
                return [results[number] for number in range(len(tasks))]
            except BrokenExecutor as error:
                if self._given is not None:
                    warnings.warn(f"the executor is broken ({error}); going on in this process.", RuntimeWarning, 2)
                    return _here(function, tasks, results, told, found)
                self._kill()
            except BaseException as error:
                self._kill()  # what still runs is not wanted any more
                if _is_of_pickling(error):
                    raise ParameterError(
                        f"what workers are given and what they return must travel between processes: {error}. Define "
                        "it at the top of a module (no lambda, no open file), or use one worker."
                    ) from None
                raise
        raise SolverError(
            f"workers died {_TRIES} times in a row at the same {len(tasks) - len(results)} tasks, perhaps for lack of "
            "memory; use fewer workers, or one to see what happens."
        )

    def _submit(self, function: Callable[[Task], Result], task: Task) -> Future[Result]:
        try:
            return self._executor().submit(function, task)
        except BrokenExecutor:
            raise
        except RuntimeError as error:
            raise ParameterError(f"the executor takes no tasks: {error}. Give one that is not shut down.") from None

    def _collect(
        self,
        function: Callable[[Task], Result],
        tasks: Sequence[Task],
        results: dict[int, Result],
        told: Callable[[int], None] | None,
        found: Callable[[Result], object],
    ) -> None:
        """Collect the missing results; if a task fails, the others are reported first."""
        left: dict[Future[Result], int] = {}
        try:
            for number, task in enumerate(tasks):
                if number not in results:
                    left[self._submit(function, task)] = number
            while left:
                wait(left, _LOOK, return_when=FIRST_EXCEPTION)
                for future in [one for one in left if one.done() and one.exception() is None]:
                    number = left.pop(future)
                    results[number] = future.result()
                    found(results[number])
                if told is not None:
                    told(len(results))
                for future in left:
                    if future.done():
                        future.result()  # raises
        finally:
            for future in left if self._given is not None else ():  # those of a pool made here end with it
                future.cancel()

    def _executor(self) -> Executor:
        if self._given is not None:
            return self._given
        if self._pool is None:
            known = multiprocessing.get_all_start_methods()
            # Not fork: a forked child of a process with threads can hang, and would hold the lifeline.
            context = multiprocessing.get_context("forkserver" if "forkserver" in known else "spawn")
            end, self._lifeline = context.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(self.count, context, _begin, (end, tuple(PREPARATION)))
        return self._pool

    def close(self) -> None:
        """Stop the processes made here."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _kill(self) -> None:
        """End the processes made here at once, by cutting their lifeline."""
        if self._lifeline is not None:
            self._lifeline.close()
            self._lifeline = None
        self.close()


def pieces(size: int, piece: int, progress: ProgressFunction | None = None) -> Iterator[slice]:
    """Yield slices of `piece` items, or fewer at the end, that cover `size` items; report each when it is done."""
    for start in range(0, size, piece):
        yield slice(start, start + piece)
        if progress is not None:
            progress(min(start + piece, size), size)


def spread(
    workers: int | Executor,
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    progress: ProgressFunction | None = None,
    found: Callable[[Result], object] = lambda result: None,
) -> list[Result]:
    """Return ``[function(task) for task in tasks]``; see `Workers.map`."""
    notify, pool = progress or (lambda done, of: None), Workers(workers)
    if workers == 1:
        return _here(function, tasks, {}, lambda done: notify(done, len(tasks)), found)
    try:
        return pool.map(function, tasks, lambda done: notify(done, len(tasks)), found)
    finally:
        pool.close()


def _here(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    results: dict[int, Result],
    told: Callable[[int], None] | None,
    found: Callable[[Result], object],
) -> list[Result]:
    for number, task in enumerate(tasks):
        if number not in results:
            results[number] = function(task)
            found(results[number])
            if told is not None:
                told(len(results))
    return [results[number] for number in range(len(tasks))]


def _begin(end: Connection, preparation: Sequence[tuple[Callable[[Any], Any], Any]]) -> None:
    _live_with_the_parent(end)
    for function, argument in preparation:
        function(argument)


def _live_with_the_parent(end: Connection) -> None:
    """Leave Ctrl-C to the parent; end this worker when its pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        try:
            end.recv()  # nothing is ever sent
        except (EOFError, OSError):
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    if sys.platform == "linux":  # threads stand still during a kernel; the system does not: SIGIO ends the process
        import fcntl

        own = os.open(f"/proc/self/fd/{end.fileno()}", os.O_RDONLY | os.O_NONBLOCK)  # whose owner is this process only
        fcntl.fcntl(own, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(own, fcntl.F_SETFL, os.O_ASYNC)
    if end.poll():  # it ended before that
        os._exit(1)


def _is_of_pickling(error: BaseException) -> bool:
    kind = type(error)
    return kind.__name__ == "PicklingError" or (kind in (TypeError, AttributeError) and "pickle" in str(error))


def chunks(items: Sequence[Any], count: int) -> list[Sequence[Any]]:
    """Cut items into at most `count` runs of about equal length, in order."""
    size = -(-len(items) // count)
    return [items[start : start + size] for start in range(0, len(items), size)]
