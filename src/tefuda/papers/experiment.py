"""An experiment: what runs it, how long it takes, and which options it takes within which bounds."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tefuda.errors import RunError, UnknownNameError, check_choice, check_range, out_of_range
from tefuda.files import Field, check_fields, read_json, write_json
from tefuda.locks import owned
from tefuda.papers.claims import ClaimTable
from tefuda.solvers.protocol import AnyMethod
from tefuda.solvers.runs.run import holds_run, read_run
from tefuda.solvers.runs.solution import Solution
from tefuda.words import Tell
from tefuda.workers import Counting, spread


class Option(NamedTuple):
    """What an option means, and its bounds if it is a whole number, or the texts it may be."""

    about: str
    low: int = 1
    high: float = 10**9
    choices: tuple[str, ...] = ()


WORKERS = Option("processes", 1, 1024)
SEED = Option("of cards and luck", 0, 2**63 - 1)


@dataclass(frozen=True)
class Experiment:
    """A published experiment that can be run again.

    run: takes a function that is told what is being done, and options by keyword. about: what it is, in a line.
    time: how long it takes with its defaults. options: what `run` takes; their defaults are those of `run`.
    """

    run: Callable[..., ClaimTable]
    about: str
    time: str
    options: Mapping[str, Option] = field(default_factory=dict)

    def __call__(self, progress: Tell | None = None, **options: Any) -> ClaimTable:
        """Run it; options are checked before anything is done.

        Raises:
            UnknownNameError: an option it does not take.
            ParameterError: a value out of its bounds.
        """
        return self.run(progress or (lambda text: None), **self.checked(options))

    def defaults(self) -> dict[str, Any]:
        """What each option is if it is not given."""
        parameters = inspect.signature(self.run).parameters
        return {name: parameters[name].default for name in self.options}

    def checked(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options as the experiment takes them."""
        defaults, found = self.defaults(), {}
        for name, value in options.items():
            if name not in defaults:
                raise UnknownNameError("option of this experiment", name, defaults)
            found[name] = _read(name, value, defaults[name], self.options[name])
        return found


def _read(name: str, value: Any, default: Any, option: Option) -> Any:
    if option.choices:
        check_choice(name, value, option.choices)
        return value
    if isinstance(default, str):
        if not isinstance(value, str) or not value:
            raise out_of_range(name, value, f"a text: {option.about}")
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 1e6
    check_range(name, value, option.low, option.high)
    return value


def check_settings(folder: Path, content: Mapping[str, Any], method: AnyMethod, seed: int) -> None:
    """Raise RunError unless a run is of this method and seed."""
    if (content["method_parameters"], content["seed"]) != (method.parameters(), seed):
        raise RunError(f"{folder} holds a run with other settings or another seed; choose another folder.")


def kept_run(
    folder: Path, method: AnyMethod, seed: int, begin: Callable[[], Solution], go_on: Callable[[], Solution]
) -> Solution:
    """A run that is begun, or gone on with if the folder holds it.

    Args:
        folder: of the run.
        method: what it must be of.
        seed: likewise.
        begin: a new run, kept there.
        go_on: the run as far as wanted.

    Raises:
        RunError: the folder holds a run with other settings.
    """
    if not holds_run(folder):
        return begin()
    check_settings(folder, read_run(folder), method, seed)
    return go_on()


_KEPT_EVERY = 10.0  # seconds


def spread_kept(
    file: Path,
    workers: int,
    function: Callable[[Any], float],
    tasks: Sequence[tuple[Hashable, ...]],
    progress: Counting,
) -> list[float]:
    """``[function(task) for task in tasks]`` over workers; what is found is kept in a file and not worked out again.

    Args:
        file: holds the result of each task by its text; written now and then and however this ends.
        workers: processes.
        function: of a task, with a finite number as its result.
        tasks: tuples of texts and numbers that say all that the result depends on.
        progress: told tasks done and in all, those of the file among them.

    Raises:
        RunError: the file is damaged, or cannot be written.
    """
    names = ["/".join(map(str, task)) for task in tasks]
    with owned(file):
        kept = read_json(file) if os.path.exists(file) else {}
        check_fields(file, kept, {name: Field((int, float), -1e300, 1e300, needed=False) for name in names})
        write_json(file, kept)  # a place that cannot be written fails before the work
        missing = [task for task, name in zip(tasks, names, strict=True) if name not in kept]
        done, written = len(tasks) - len(missing), time.monotonic()

        def take(result: tuple[str, float]) -> None:
            nonlocal written
            kept[result[0]] = result[1]
            if time.monotonic() - written > _KEPT_EVERY:
                write_json(file, kept)
                written = time.monotonic()

        try:
            named = partial(_named, function)
            spread(workers, named, missing, lambda ready, of: progress(done + ready, len(tasks)), take)
        finally:
            write_json(file, kept)
        return [kept[name] for name in names]


def _named(function: Callable[[Any], float], task: tuple[Hashable, ...]) -> tuple[str, float]:
    return "/".join(map(str, task)), function(task)
