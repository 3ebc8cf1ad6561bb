"""Log of training: seconds by use, and errors of fits, one row per iteration."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class TrainingLog:
    """Log of numbers by name, with the same names in every row.

    Args:
        seconds: uses of time. A nested use counts for itself alone.
        errors: names of the fits' errors.
    """

    def __init__(self, seconds: tuple[str, ...], errors: tuple[str, ...]) -> None:
        self.rows: list[dict[str, float]] = []
        self._seconds, self._errors, self._inside = seconds, errors, [0.0]
        self._clear()

    def _clear(self) -> None:
        self._now = dict.fromkeys((*(f"{name}_seconds" for name in self._seconds), *self._errors), 0.0)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Count the time of a ``with`` block."""
        start = time.perf_counter()
        self._inside.append(0.0)
        try:
            yield
        finally:
            took = time.perf_counter() - start
            self._now[f"{name}_seconds"] += took - self._inside.pop()
            self._inside[-1] += took

    def add_error(self, name: str, error: float) -> None:
        """Add the error of a fit to the iteration."""
        self._now[name] += error

    def end(self, iteration: int, **counts: int) -> None:
        """End an iteration by appending its row."""
        self.rows.append({"iteration": iteration, **counts, **self._now})
        self._clear()
