"""Experiments: options with defaults and bounds, and results that are saved while they run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import RunError, UnknownNameError, check_choice, check_range, out_of_range
from tefuda.files import check_fields, read_json, write_json
from tefuda.locks import locked
from tefuda.solvers.protocol import Method
from tefuda.solvers.runs.run import holds_run, read_run
from tefuda.solvers.runs.saved import resume
from tefuda.solvers.runs.solution import Solution
from tefuda.solvers.runs.solving import solve
from tefuda.words import Notify
from tefuda.workers import ProgressFunction, spread
from tefuda_reproductions.claims import ClaimTable


class Option(NamedTuple):
    """Option of an experiment: default, meaning, bounds of a whole number, or the allowed texts.

    quick: value in a quick run, which takes a minute or two; None: the default.
    """

    default: Any
    about: str
    low: int = 1
    high: float = 10**9
    choices: tuple[str, ...] = ()
    quick: Any = None


WORKERS = Option(1, "number of processes", 1, 1024)
SEED = Option(1, "random seed of cards and actions", 0, 2**63 - 1)


class Experiment:
    """Reproducible experiment of a publication.

    Args:
        run: function of a progress callback and of all options as keyword arguments.
        about: one-line description.
        time: duration with the default options.
        options: options by name.
    """

    def __init__(self, run: Callable[..., ClaimTable], about: str, time: str, **options: Option) -> None:
        self.run, self.about, self.time, self.options = run, about, time, options

    def __call__(self, progress: Notify | None = None, **options: Any) -> ClaimTable:
        """Validate the options and run the experiment.

        Args:
            progress: callback for progress messages.
            options: values that replace defaults.

        Raises:
            UnknownNameError: the experiment has no such option.
            ParameterError: a value is out of range.
        """
        return self.run(progress or (lambda text: None), **self.defaults() | self.validated(options))

    def quick(self) -> dict[str, Any]:
        """Return the options of a quick run, with a folder of its own."""
        return {name: option.quick for name, option in self.options.items() if option.quick is not None}

    def defaults(self) -> dict[str, Any]:
        """Return the default of every option."""
        return {name: option.default for name, option in self.options.items()}

    def validated(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Validate options and return them as `run` takes them."""
        for name in options:
            if name not in self.options:
                raise UnknownNameError("option of this experiment", name, self.options)
        return {name: _read(name, value, self.options[name]) for name, value in options.items()}


def _read(name: str, value: Any, option: Option) -> Any:
    if option.choices:
        check_choice(name, value, option.choices)
        return value
    if isinstance(option.default, str):
        if not isinstance(value, str) or not value:
            raise out_of_range(name, value, f"a text: {option.about}")
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 1e6
    check_range(name, value, option.low, option.high)
    return value


def saved_run(folder: Path, form: Any, method: Method, iterations: int, seed: int, **options: Any) -> Solution:
    """Return a run with at least a number of iterations; a run in the folder is resumed.

    Args:
        folder: folder of the run.
        form: game to solve.
        method: method of a new run.
        iterations: minimum number of iterations.
        seed: random seed of a new run.
        options: options of `solve`.

    Raises:
        RunError: the folder has a run with another method or seed.
        ParameterError: the folder has a run of another form.
    """
    if not holds_run(folder):
        return solve(form, method, seed=seed, checkpoint=folder, iterations=iterations, **options)
    content = read_run(folder)
    if (content["method_parameters"], content["seed"]) != (method.parameters(), seed):
        raise RunError(f"{folder} has a run with other settings or another seed; choose another folder.")
    return resume(folder, game=form, iterations=iterations, **options)


_SAVED_EVERY = 10.0  # seconds


def spread_saved(
    file: Path, workers: int, function: Callable[[Any], Any], tasks: Sequence[tuple[Hashable, ...]],
    progress: ProgressFunction, shape: tuple[int, ...] = (),
) -> np.ndarray:  # fmt: skip
    """Return `[task]` results of a function computed by workers; saved results are not computed again.

    Args:
        file: file of results by task; saved regularly, and at the end even after an error.
        workers: number of processes.
        function: function of a task that returns finite numbers.
        tasks: tuples of texts and numbers that determine the result.
        progress: callback for tasks done and in all, including saved ones.
        shape: shape of each result.

    Raises:
        RunError: the file is damaged or cannot be written.
    """
    names = ["/".join(map(str, task)) for task in tasks]
    with locked(file):
        kept = read_json(file) if os.path.exists(file) else {}
        check_fields(file, kept, {})
        for name in kept.keys() & set(names):
            _check_numbers(file, name, kept[name], shape)
        write_json(file, kept)  # a file that cannot be written fails before the work
        missing = [task for task, name in zip(tasks, names, strict=True) if name not in kept]
        done, written = len(tasks) - len(missing), time.monotonic()

        def take(result: tuple[str, Any]) -> None:
            nonlocal written
            kept[result[0]] = result[1]
            if time.monotonic() - written > _SAVED_EVERY:
                write_json(file, kept)
                written = time.monotonic()

        try:
            named = partial(_named, function)
            spread(workers, named, missing, lambda ready, of: progress(done + ready, len(tasks)), take)
        finally:
            write_json(file, kept)
        return np.array([kept[name] for name in names], dtype=np.float64)


def _check_numbers(file: Path, name: str, value: Any, shape: tuple[int, ...]) -> None:
    try:
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.full(shape, np.nan)
    if numbers.shape != shape or not np.isfinite(numbers).all():
        raise RunError(f"{file}: {name} must have finite numbers of shape {shape}. Delete the file.")


def _named(function: Callable[[Any], Any], task: tuple[Hashable, ...]) -> tuple[str, Any]:
    return "/".join(map(str, task)), function(task)
