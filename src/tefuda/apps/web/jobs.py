"""Jobs: long computations in processes of their own, with progress, a queue and interruption.

The kernels of the pages are compiled in one of them while the server already answers.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from tefuda.apps.preparing import GROUPS, prepare
from tefuda.errors import ParameterError, TefudaError
from tefuda.workers import end_with_parent

QUEUE = 20  # jobs that wait
_NICE = 5  # priority of jobs below the server, so that pages answer while they run
_KILLED = 2.0  # seconds until a killed process has surely ended
_CONTEXT = multiprocessing.get_context("spawn")  # not fork: the server has threads
WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"


class Task:
    """The side of a job in its process: the first argument of its function."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self._reason = connection, ""

    def publish(self, value: Any) -> None:
        """Report progress; the value must be picklable."""
        self._connection.send(("progress", value))

    @property
    def reason(self) -> str:
        """The reason given to `Jobs.interrupt`; "" without an interruption."""
        while self._connection.poll():
            self._reason = self._connection.recv()
        return self._reason

    def interrupted(self) -> bool:
        """Return True once the job should save its work and return."""
        return bool(self.reason)


@dataclass(eq=False)
class Job:
    """A job in the server.

    Attributes:
        name: name; only one job of a name is waiting or running.
        state: ``"waiting"``, ``"running"``, ``"done"``, ``"failed"`` or ``"cancelled"`` (while it was waiting).
        progress: the last published value, or None.
        result: the value that the function returned.
        error: the message of the library's error, or "".
    """

    name: str
    function: Callable[..., Any] = field(repr=False)
    arguments: tuple[Any, ...] = field(repr=False)
    listener: Callable[[Job], None] = field(repr=False)
    state: str = WAITING
    progress: Any = None
    result: Any = None
    error: str = ""
    ended: threading.Event = field(default_factory=threading.Event, repr=False)
    connection: Connection | None = field(default=None, repr=False)

    @property
    def active(self) -> bool:
        """True while the job waits or runs."""
        return self.state in (WAITING, RUNNING)


class Jobs:
    """Jobs that run at once, each in a process, and a queue.

    The processes end with this one, even if it is killed.

    Args:
        most: number of jobs that run at once; default: the number of cores.
        queue: number of jobs that may wait.

    Attributes:
        closed: whether the server ends.
    """

    def __init__(self, most: int | None = None, queue: int = QUEUE) -> None:
        self._most, self._queue = most or os.cpu_count() or 1, queue
        self._jobs, self._waiting = dict[str, Job](), deque[Job]()
        self._running = dict[Job, BaseProcess]()
        self._lock, self.closed = threading.RLock(), False

    def start(
        self,
        name: str,
        function: Callable[..., Any],
        *arguments: Any,
        listener: Callable[[Job], None] = lambda job: None,
    ) -> Job:
        """Start a job, or let it wait for a free core.

        Args:
            name: name of the job; a job that has ended gives its name free.
            function: a picklable function of a `Task` and the arguments.
            arguments: picklable arguments.
            listener: called with the job after each change of its state or progress, in a thread.

        Raises:
            ParameterError: a job of this name is active, or the queue is full.
        """
        job = Job(name, function, arguments, listener)
        with self._lock:
            if (other := self._jobs.get(name)) is not None and other.active:
                raise ParameterError(f"{name} is already being computed; wait for its end, or interrupt it first.")
            if len(self._waiting) >= self._queue:
                raise ParameterError(
                    f"{self._queue} computations are waiting, the most that can; cancel one, or wait for one to end."
                )
            self._jobs[name] = job
            self._waiting.append(job)
        job.listener(job)
        self._fill()
        return job

    def find(self, name: str) -> Job | None:
        """Return the last job of a name, or None."""
        return self._jobs.get(name)

    def active(self) -> tuple[Job, ...]:
        """Return the running and the waiting jobs, in the order of their start."""
        with self._lock:
            return (*self._running, *self._waiting)

    def interrupt(self, name: str, reason: str = "pause") -> None:
        """Ask a running job to save its work and return; cancel a waiting one."""
        with self._lock:
            job = self._jobs.get(name)
            if job is None or not job.active:
                return
            if job in self._waiting:
                self._waiting.remove(job)
                job.state = CANCELLED
                job.ended.set()
            elif job.connection is not None:
                with contextlib.suppress(OSError):  # it has just ended
                    job.connection.send(reason)
        if job.state == CANCELLED:
            job.listener(job)

    def close(self, patience: float = 1.5) -> None:
        """Interrupt all jobs; end those that have not ended after some seconds."""
        with self._lock:
            self.closed = True
        for job in reversed(self.active()):
            self.interrupt(job.name)
        deadline = time.monotonic() + patience
        for job, process in list(self._running.items()):
            if not job.ended.wait(max(deadline - time.monotonic(), 0)):
                process.kill()
        for job in list(self._running):
            job.ended.wait(_KILLED)

    def _fill(self) -> None:
        """Start waiting jobs while cores are free."""
        with self._lock:
            while self._waiting and len(self._running) < self._most and not self.closed:
                job = self._waiting.popleft()
                process, lifeline = _start(job)
                self._running[job], job.state = process, RUNNING
                threading.Thread(target=self._follow, args=(job, process, lifeline), daemon=True).start()

    def _follow(self, job: Job, process: BaseProcess, lifeline: Connection) -> None:
        """Receive the messages of a job until its process ends."""
        job.listener(job)
        state, value = FAILED, ""
        connection = job.connection
        assert connection is not None
        with contextlib.suppress(EOFError, OSError):
            while state == FAILED and not value:
                kind, value = connection.recv()
                if kind == "progress":
                    job.progress, value = value, ""
                    job.listener(job)
                else:
                    state = kind
        lifeline.close()  # ends the process even if it hangs
        process.join()
        connection.close()
        with self._lock:
            del self._running[job]
            if state == DONE:
                job.result = value
            else:
                job.error = value or _sudden_end(process.exitcode)
            job.state = state
        job.listener(job)
        job.ended.set()
        self._fill()


def _sudden_end(code: int | None) -> str:
    return f"the process of this computation ended (exit code {code}), perhaps for lack of memory; start it again."


def _start(job: Job) -> tuple[BaseProcess, Connection]:
    """Start the process of a job; return it and the end of the pipe that it lives by."""
    end, lifeline = _CONTEXT.Pipe(duplex=False)
    job.connection, connection = _CONTEXT.Pipe()
    process = _CONTEXT.Process(target=_work, args=(end, connection, job.function, job.arguments), daemon=True)
    process.start()
    end.close()
    connection.close()
    return process, lifeline


def _work(end: Connection, connection: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Run a job in its process; send its result or its error."""
    end_with_parent(end)
    if hasattr(os, "nice"):
        os.nice(_NICE)
    try:
        message = (DONE, function(Task(connection), *arguments))
    except TefudaError as error:
        message = (FAILED, str(error))
    except MemoryError:
        message = (FAILED, "the memory of this computer is full; choose a smaller game or fewer methods at once.")
    except Exception:
        traceback.print_exc(file=sys.stderr)
        message = (FAILED, "an error inside tefuda; the terminal of tefuda web shows it.")
    with contextlib.suppress(OSError):  # the server has gone
        connection.send(message)


class Preparation:
    """The compilation of groups of kernels, beside the jobs of the server.

    Args:
        names: groups of kernels, see `preparing.prepare`; default: all.
    """

    def __init__(self, names: Sequence[str] = tuple(GROUPS)) -> None:
        self._jobs, self._total = Jobs(most=1), len(names)
        self.job = self._jobs.start("kernels", compile_kernels, tuple(names))

    def progress(self) -> dict[str, int]:
        """Return the number of groups done and the total; equal after the end, even if it failed."""
        done = self.job.progress or 0
        return {"done": done if self.job.active else self._total, "total": self._total}

    def close(self) -> None:
        """End the process."""
        self._jobs.close(patience=0)


def compile_kernels(task: Task, names: Sequence[str]) -> None:
    """Compile groups of kernels; the function of a job."""
    prepare(names, progress=lambda done, total: task.publish(done))


def start_preparation(workspace: Any) -> Preparation:
    """Start the preparation of a server (a `Workspace`), once."""
    preparation: Preparation = workspace.part("preparation", Preparation)
    return preparation
