"""Memories in columns: the last rows offered, or a uniform sample of all of them.

Columns larger than a gigabyte are stored in an unnamed temporary file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tefuda.errors import RunError
from tefuda.files import ArraySpec, check_arrays

_LARGE = 1 << 30  # bytes of a column that is stored in a file

#: The shape and type of a column's rows.
Column = tuple[tuple[int, ...], Any]


def allocate(capacity: int, column: Column) -> np.ndarray:
    """Return `[capacity, ...]` zeros; the system allocates memory when rows are written."""
    shape, kind = (capacity, *column[0]), np.dtype(column[1])
    if kind.itemsize * int(np.prod(shape)) < _LARGE:
        return np.zeros(shape, dtype=kind)
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, dtype=kind, mode="w+", shape=shape)


class Memory:
    """Rows in columns.

    offered: number of rows offered. columns: arrays `[capacity, ...]` by name. bounds: smallest and largest value of
    some columns.
    """

    def __init__(self, capacity: int, bounds: Mapping[str, tuple[float, float]], **columns: Column) -> None:
        self.offered, self.capacity, self.bounds = 0, capacity, bounds
        self.columns = {name: allocate(capacity, column) for name, column in columns.items()}

    @property
    def size(self) -> int:
        """Number of filled rows."""
        return min(self.offered, self.capacity)

    def filled_rows(self) -> dict[str, np.ndarray]:
        """Return the filled rows, as views."""
        return {name: column[: self.size] for name, column in self.columns.items()}

    def sample(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Sample a minibatch of every column, with replacement."""
        rows = rng.integers(self.size, size=count)
        return tuple(column[rows] for column in self.columns.values())

    def _write(self, indices: np.ndarray, rows: Mapping[str, np.ndarray]) -> None:
        for name, column in rows.items():
            self.columns[name][indices] = column

    def state(self) -> dict[str, np.ndarray]:
        """Return copies of the filled rows, and the number of rows offered."""
        return {name: np.array(column) for name, column in self.filled_rows().items()} | {
            "offered": np.array(self.offered)
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Restore a state that `check` accepts."""
        self.offered = int(state["offered"])
        for name, column in self.filled_rows().items():
            column[...] = state[name]

    def check(self, state: Mapping[str, np.ndarray]) -> None:
        """Raise RunError unless the state is one of this memory."""
        some = ArraySpec("int64", (), 0, 2**53)
        expected = {"offered": some} | {
            name: replace(some, dtype=str(column.dtype), shape=("rows", *column.shape[1:]), low=low, high=high)
            for name, column in self.columns.items()
            for low, high in [self.bounds.get(name, (-np.inf, np.inf))]
        }
        rows = check_arrays("the state", state, expected)["rows"]
        if rows != min(int(state["offered"]), self.capacity):
            offered = int(state["offered"])
            raise RunError(f"the state is damaged: a memory has {rows:,} rows, but {offered:,} were offered.")


class RingBuffer(Memory):
    """The last rows offered."""

    def add(self, **rows: np.ndarray) -> None:
        """Add rows."""
        count = len(next(iter(rows.values())))
        self._write((self.offered + np.arange(count)) % self.capacity, rows)
        self.offered += count


class Reservoir(Memory):
    """A uniform sample of all rows offered (Vitter 1985, algorithm R)."""

    def offer(self, rng: np.random.Generator, **rows: np.ndarray) -> None:
        """Offer rows, one after the other."""
        count = len(next(iter(rows.values())))
        indices = self.offered + np.arange(count)
        drawn = (rng.random(count) * (indices + 1)).astype(np.int64)
        indices = np.where(indices < self.capacity, indices, drawn)
        stored = np.flatnonzero(indices < self.capacity)
        self._write(indices[stored], {name: column[stored] for name, column in rows.items()})
        self.offered += count
