"""Matches saved in a folder as they are played: a file of finished deals for each seat order.

The result of a deal depends on the seed, its number and its seat order alone, because agents that learn are refused. So
a file has the first deals of a seat order, and the next ones are played with the same bits.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tefuda import __version__
from tefuda.errors import ParameterError, RunError
from tefuda.files import COUNT, OBJECT, ArraySpec, check_arrays, check_fields, read_arrays, write_arrays
from tefuda.forms.tree import Tree
from tefuda.games.parameters import json_parameters
from tefuda.games.protocol import Game
from tefuda.locks import locked
from tefuda.playing.agents import Agent, traits
from tefuda.playing.deals import Task, TaskResult
from tefuda.playing.table import play_seating
from tefuda.workers import ProgressFunction, spread

_SECONDS = 1.0  # of play between two writes of a file, unless a deal takes longer


class SavedTask(NamedTuple):
    """A task whose finished deals are saved.

    Attributes:
        task: the task.
        file: the file of its finished deals.
        match: everything that its results depend on, as JSON values, see `settings_of`.
    """

    task: Task
    file: Path
    match: dict[str, Any]

    def read(self) -> TaskResult:
        """Return the finished deals; raise RunError if the file is damaged or of another match."""
        agents = len(self.task.seating)
        if not os.path.exists(self.file):
            return TaskResult(np.zeros((0, agents)), np.zeros(0, dtype=np.int64), [])
        arrays, header = read_arrays(self.file)
        check_fields(self.file, header, {"match": OBJECT})
        if others := [name for name, value in self.match.items() if header["match"].get(name) != value]:
            raise RunError(
                f"{self.file} is of a match with another {', '.join(others)}; use the same, or another folder."
            )
        check_arrays(self.file, arrays, {"payoffs": ArraySpec("float64", ("K", agents)), "ends": _ENDS})
        return TaskResult(arrays["payoffs"], arrays["ends"], [])

    def write(self, result: TaskResult) -> None:
        """Write the finished deals."""
        write_arrays(self.file, {"payoffs": result.payoffs, "ends": result.ends}, {"match": self.match})


_ENDS = ArraySpec("int64", ("K",), -1, COUNT[1])


def settings_of(task: Task) -> dict[str, Any]:
    """Return everything that the results of a task's deals depend on, as JSON values."""
    game: Tree | Game = task.game if isinstance(task.game, Tree) else task.game.game
    content = {
        "game": game.name,
        "parameters": game.parameters if isinstance(game, Tree) else json_parameters(game),
        "tree": game.fingerprint if isinstance(game, Tree) else "",
        "agents": [[agent.name, _version(agent)] for agent in task.agents],
        "seed": task.dealing.seed,
        "shared": task.dealing.shared,
        "seat order": task.seating,
        "version": __version__,
    }
    return dict(json.loads(json.dumps(content)))


def _version(agent: Agent) -> str:
    """Return a text that changes with an agent's strategy: of its profile, or the agent's own."""
    if agent.profile is not None:
        return hashlib.sha256(agent.profile.probabilities.tobytes()).hexdigest()
    return str(getattr(agent, "version", ""))


def play_tasks(
    folder: Path, tasks: Sequence[Task], workers: int | Executor, progress: ProgressFunction | None
) -> list[TaskResult]:
    """Return the results of tasks; finished deals are read from a folder, the others played and saved.

    Args:
        folder: the folder; workers write to it too.
        tasks: one task for each seat order.
        workers: number of processes, or an executor.
        progress: called with the number of finished hands and of all hands.

    Raises:
        ParameterError: the deals cannot be resumed.
        RunError: a file is damaged, of another match, or cannot be written.
        BusyError: another process plays the match.
    """
    _check(tasks)
    saved = [SavedTask(task, folder / f"deals-{task.number}.npz", settings_of(task)) for task in tasks]
    total = sum(task.dealing.deals for task in tasks)

    def report(*_: int) -> None:
        if progress is not None:
            progress(sum(min(len(each.read().ends), each.task.dealing.deals) for each in saved), total)

    with locked(folder / "deals"):
        report()
        function = partial(play_saved, on_piece=report) if workers == 1 else play_saved
        return spread(workers, function, saved, report)


def _check(tasks: Sequence[Task]) -> None:
    """Raise ParameterError unless the deals of tasks can be saved and resumed."""
    if not tasks:
        raise ParameterError("the result is exact, so no hands are played or saved; play them: play=True or --play.")
    for agent in tasks[0].agents:
        if traits(agent).learns:
            why = "may learn from earlier deals, so its match cannot be resumed; play it without a folder"
            raise ParameterError(f"{agent.name} {why}.", key="agents", value=agent.name)
    if tasks[0].dealing.record or len({task.number for task in tasks}) < len(tasks):
        raise ParameterError("recorded hands and replicates are not saved in a folder; leave one of them out.")


def play_saved(saved: SavedTask, on_piece: Callable[[], object] = lambda: None) -> TaskResult:
    """Play the deals of a task that are not saved yet, and save them in pieces of about a second."""
    task, done, size = saved.task, saved.read(), 1
    while (left := task.dealing.deals - len(done.ends)) > 0:
        start, dealing = time.monotonic(), replace(task.dealing, deals=min(size, left))
        piece = play_seating(task._replace(dealing=dealing, first=len(done.ends)))
        payoffs, ends = np.concatenate([done.payoffs, piece.payoffs]), np.concatenate([done.ends, piece.ends])
        done = TaskResult(payoffs, ends, [])
        saved.write(done)
        on_piece()
        size = 2 * size if time.monotonic() - start < _SECONDS else max(1, size // 2)
    return TaskResult(done.payoffs[: task.dealing.deals], done.ends[: task.dealing.deals], [])
