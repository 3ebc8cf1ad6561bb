"""Memories in flat columns: the last rows offered, or a uniform sample of all of them.

Columns larger than a gigabyte lie in an unnamed file instead of memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tefuda.errors import RunError
from tefuda.files import ArraySpec, check_arrays

_LARGE = 1 << 30  # bytes of a column that is better kept in a file

#: The shape and type of a column's rows.
Column = tuple[tuple[int, ...], Any]


def room(capacity: int, column: Column) -> np.ndarray:
    """Return `[capacity, ...]` zeros, for which no memory is taken before they are written."""
    shape, kind = (capacity, *column[0]), np.dtype(column[1])
    if kind.itemsize * int(np.prod(shape)) < _LARGE:
        return np.zeros(shape, dtype=kind)
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, dtype=kind, mode="w+", shape=shape)


class Memory:
    """Rows in columns. seen: number of rows offered. columns: by name, `[capacity, ...]`."""

    def __init__(self, capacity: int, **columns: Column) -> None:
        self.seen, self.capacity = 0, capacity
        self.columns = {name: room(capacity, column) for name, column in columns.items()}

    @property
    def filled(self) -> int:
        """The number of rows that are filled."""
        return min(self.seen, self.capacity)

    def held(self) -> dict[str, np.ndarray]:
        """Return the filled rows, as views."""
        return {name: column[: self.filled] for name, column in self.columns.items()}

    def draw(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Draw a minibatch of every column, with replacement."""
        rows = rng.integers(self.filled, size=count)
        return tuple(column[rows] for column in self.columns.values())

    def _write(self, places: np.ndarray, rows: Mapping[str, np.ndarray | float]) -> None:
        for name, column in rows.items():
            self.columns[name][places] = column

    def state(self) -> dict[str, np.ndarray]:
        """Return copies of the filled rows, and the number of rows offered."""
        return {name: np.array(column) for name, column in self.held().items()} | {"offered": np.array(self.seen)}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from a state that `check` accepts."""
        self.seen = int(state["offered"])
        for name, column in self.held().items():
            column[...] = state[name]

    def check(self, state: Mapping[str, np.ndarray], **ranges: tuple[float, float]) -> None:
        """Raise RunError unless the state is one of this memory; ranges: low and high of some columns."""
        some = ArraySpec("int64", (), 0, 2**53)
        expected = {"offered": some} | {
            name: replace(some, dtype=str(column.dtype), shape=("rows", *column.shape[1:]), low=low, high=high)
            for name, column in self.columns.items()
            for low, high in [ranges.get(name, (-np.inf, np.inf))]
        }
        rows = check_arrays("the state", state, expected)["rows"]
        if rows != min(int(state["offered"]), self.capacity):
            raise RunError(f"the state has {rows:,} rows of a memory where {int(state['offered']):,} were seen.")


class Ring(Memory):
    """The last rows offered."""

    def add(self, **rows: np.ndarray | float) -> np.ndarray:
        """Add rows; return their places. Columns after the first may be one number for all of them."""
        count = len(np.atleast_1d(next(iter(rows.values()))))
        places = (self.seen + np.arange(count)) % self.capacity
        self._write(places, rows)
        self.seen += count
        return places


class Reservoir(Memory):
    """A uniform sample of all rows offered (Vitter 1985, algorithm R)."""

    def offer(self, rng: np.random.Generator, **rows: np.ndarray) -> None:
        """Offer rows, one after the other."""
        count = len(next(iter(rows.values())))
        places = self.seen + np.arange(count)
        drawn = (rng.random(count) * (places + 1)).astype(np.int64)
        places = np.where(places < self.capacity, places, drawn)
        kept = np.flatnonzero(places < self.capacity)
        self._write(places[kept], {name: column[kept] for name, column in rows.items()})
        self.seen += count
