"""Parallel execution of tasks on an executor, with results in order.

Any `concurrent.futures.Executor` works: threads, processes, or Dask's ``client.get_executor()`` for many machines. A
number of workers creates a pool of processes. They ignore Ctrl-C and end with their parent. If a worker dies, its
tasks are run again.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from typing import Any, TypeVar

from tefuda.errors import ParameterError, SolverError, error_text, out_of_range

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Called with the amount of work done and the total amount.
ProgressFunction = Callable[[int, int], None]

#: Functions with their argument. Worker processes call them before any task, for example to load the file of a game.
PREPARATION: list[tuple[Callable[[Any], Any], Any]] = []
_TRIES = 5
_MOST = 1024  # processes on one machine
_INTERVAL = 0.5  # seconds between reports
_AHEAD = 2  # tasks of each other process, if this process helps
#: Seconds until threads that receive results interrupt a task of this process. By default it is 5 ms for each 64 KB,
#: and the worker is blocked meanwhile.
_SWITCH = 1e-4
#: Modules that are imported once for all workers. They must not start threads.
_PRELOADED = ["__main__", "tefuda.forms.builder"]


class Workers:
    """An executor of tasks; a broken pool of processes is rebuilt.

    Args:
        workers: number of processes, or an executor; the caller shuts it down.
        helping: this process is one of that number, and works on tasks.
    """

    def __init__(self, workers: int | Executor, *, helping: bool = False) -> None:
        own = isinstance(workers, int) and not isinstance(workers, bool)
        if not isinstance(workers, Executor) and not (own and 1 <= workers <= _MOST):
            raise out_of_range("workers", workers, f"a number from 1 to {_MOST}, or an executor")
        self.count = workers if isinstance(workers, int) else int(getattr(workers, "_max_workers", None) or 8)
        self._given = None if isinstance(workers, int) else workers
        self._helping = helping and self._given is None
        self._processes = max(self.count - self._helping, 1)
        self._pool: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Sequence[Task],
        on_progress: Callable[[int], None] | None = None,
        on_result: Callable[[Result], object] = lambda result: None,
    ) -> list[Result]:
        """Return ``[function(task) for task in tasks]``.

        Args:
            function: function that workers can import.
            tasks: its arguments.
            on_progress: called with the number of complete tasks, about twice a second and at the end.
            on_result: called once with each result.

        Raises:
            SolverError: workers died several times in a row.
            ParameterError: the executor was shut down, or an argument or result cannot be pickled.
        """
        results: dict[int, Result] = {}  # complete results survive the death of workers
        for _ in range(_TRIES):
            try:
                self._collect(function, tasks, results, on_progress, on_result)
                return [results[number] for number in range(len(tasks))]
            except BrokenExecutor as error:
                if self._given is not None:
                    warnings.warn(f"the executor is broken ({error}); continuing in this process.", RuntimeWarning, 2)
                    return _here(function, tasks, results, on_progress, on_result)
                self._kill()
            except BaseException as error:
                self._kill()  # running tasks are not needed any more
                if _is_pickling_error(error):
                    raise ParameterError(
                        f"arguments and results of workers must be picklable: {error}. Define "
                        "them at the top of a module (no lambda, no open file), or use one worker."
                    ) from None
                raise
        raise SolverError(
            f"workers died {_TRIES} times in a row at the same {len(tasks) - len(results)} tasks, perhaps for lack of "
            "memory; use fewer workers, or one worker to see the error."
        )

    def _submit(self, function: Callable[[Task], Result], task: Task) -> Future[Result]:
        # Pickled here for our own processes: an error in the pool's thread can meet the end of the pool (`_kill`), and
        # that thread then fails (InvalidStateError, CPython 3.11). Other executors pickle in their own way.
        call = (function, task) if self._given is not None else (_call, pickle.dumps((function, task)))
        try:
            return self._executor().submit(*call)
        except BrokenExecutor:
            raise
        except RuntimeError as error:
            raise ParameterError(f"the executor accepts no tasks: {error}. Give one that is not shut down.") from None

    def _collect(
        self,
        function: Callable[[Task], Result],
        tasks: Sequence[Task],
        results: dict[int, Result],
        on_progress: Callable[[int], None] | None,
        on_result: Callable[[Result], object],
    ) -> None:
        """Collect the missing results; if a task fails, report the others first."""
        left: dict[Future[Result], int] = {}
        waiting = deque(number for number in range(len(tasks)) if number not in results)
        most = _AHEAD * self._processes if self._helping else len(tasks)
        try:
            while left or waiting:
                while waiting and len(left) < most:
                    number = waiting.popleft()
                    left[self._submit(function, tasks[number])] = number
                if waiting:
                    number = waiting.popleft()
                    with _switching():
                        results[number] = function(tasks[number])
                    on_result(results[number])
                else:
                    wait(left, _INTERVAL, return_when=FIRST_EXCEPTION)
                for future in [task for task in left if task.done() and task.exception() is None]:
                    number = left.pop(future)
                    results[number] = future.result()
                    on_result(results[number])
                if on_progress is not None:
                    on_progress(len(results))
                for future in left:
                    if future.done():
                        future.result()  # raises
        finally:
            for future in left if self._given is not None else ():  # those of our own pool end with it
                future.cancel()

    def _executor(self) -> Executor:
        if self._given is not None:
            return self._given
        if self._pool is None:
            context = _context()
            end, self._lifeline = context.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(self._processes, context, _begin, (end, tuple(PREPARATION)))
        return self._pool

    def close(self) -> None:
        """Stop the own pool of processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _kill(self) -> None:
        """Kill the own pool of processes, by closing their lifeline."""
        if self._lifeline is not None:
            self._lifeline.close()
            self._lifeline = None
        self.close()


def _context() -> BaseContext:
    # Not fork: a forked child of a process with threads can hang, and would inherit the lifeline.
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    return context


@contextmanager
def _switching() -> Iterator[None]:
    """Let other threads of this process interrupt the current one sooner."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def pieces(size: int, piece: int, progress: ProgressFunction | None = None) -> Iterator[slice]:
    """Yield slices of at most `piece` items that cover `size` items; report each after its use."""
    for start in range(0, size, piece):
        stop = min(start + piece, size)
        yield slice(start, stop)
        if progress is not None:
            progress(stop, size)


def spread(
    workers: int | Executor,
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    progress: ProgressFunction | None = None,
    on_result: Callable[[Result], object] = lambda result: None,
) -> list[Result]:
    """Return ``[function(task) for task in tasks]``; see `Workers.map`."""
    notify, pool = progress or (lambda done, of: None), Workers(workers)
    if workers == 1:
        return _here(function, tasks, {}, lambda done: notify(done, len(tasks)), on_result)
    try:
        return pool.map(function, tasks, lambda done: notify(done, len(tasks)), on_result)
    finally:
        pool.close()


def _here(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    results: dict[int, Result],
    on_progress: Callable[[int], None] | None,
    on_result: Callable[[Result], object],
) -> list[Result]:
    for number, task in enumerate(tasks):
        if number not in results:
            results[number] = function(task)
            on_result(results[number])
            if on_progress is not None:
                on_progress(len(results))
    return [results[number] for number in range(len(tasks))]


def _call(pickled: bytes) -> Any:
    """Return the result of a pickled function and its argument, in a worker."""
    try:
        function, task = pickle.loads(pickled)
    except Exception as error:
        raise pickle.UnpicklingError(f"a worker cannot load them ({error_text(error)})") from None
    return function(task)


def _begin(end: Connection, preparation: Sequence[tuple[Callable[[Any], Any], Any]]) -> None:
    end_with_parent(end)
    for function, argument in preparation:
        function(argument)


def end_with_parent(end: Connection) -> None:
    """Ignore Ctrl-C; end this worker process when its parent ends, even in the middle of a kernel.

    end: receiving end of a pipe whose other end only the parent holds; nothing is ever sent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        try:
            end.recv()  # nothing is ever sent
        except (EOFError, OSError):
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    if sys.platform == "linux":  # kernels block threads, but not signals: SIGIO ends the process
        import fcntl

        own = os.open(f"/proc/self/fd/{end.fileno()}", os.O_RDONLY | os.O_NONBLOCK)  # owned by this process only
        fcntl.fcntl(own, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(own, fcntl.F_SETFL, os.O_ASYNC)
    if end.poll():  # the parent has already ended
        os._exit(1)


def _is_pickling_error(error: BaseException) -> bool:
    vague = isinstance(error, (TypeError, AttributeError)) and "pickle" in str(error)
    return vague or isinstance(error, pickle.PickleError)


def chunks(items: Sequence[Any], count: int) -> list[Sequence[Any]]:
    """Split items into at most `count` parts of about equal length, in order."""
    size = -(-len(items) // count)
    return [items[start : start + size] for start in range(0, len(items), size)]


def shrinking_chunks(items: Sequence[Any], count: int) -> list[Sequence[Any]]:
    """Split items into parts for `count` workers, in order: large ones first, single items at the end.

    Each part is a third of a worker's share of the items left. Few parts cost little, and since the last ones are
    small, unequal items end at about the same time (guided self-scheduling; Polychronopoulos and Kuck 1987).
    """
    parts, start = list[Sequence[Any]](), 0
    while start < len(items):
        size = max(1, (len(items) - start) // (3 * count))
        parts.append(items[start : start + size])
        start += size
    return parts
