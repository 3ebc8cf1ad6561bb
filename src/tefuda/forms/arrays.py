"""Helpers of all forms: frozen arrays with cached derived values, and loops over children."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, ClassVar, Self, TypeVar, TypeVarTuple

import numpy as np

from tefuda.errors import ParameterError, shortened

_LINE = 64  # bytes of a cache line

Derived = TypeVar("Derived")
ArraysType = TypeVar("ArraysType", bound="Arrays")
Arguments = TypeVarTuple("Arguments")


class Arrays:
    """Base of frozen dataclasses of read-only arrays. Derived values are not pickled."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    _derived: ClassVar[dict[Any, Any]]  # of each object; not a field, so that it is neither shown nor pickled

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
        object.__setattr__(self, "_derived", {})

    def derived(self, make: Callable[[Self, *Arguments], Derived], *arguments: *Arguments) -> Derived:
        """Return ``make(self, *arguments)``, cached for the lifetime of this object.

        Args:
            make: function of a module; a locally defined function is a new cache key each time.
            arguments: hashable positional arguments.

        >>> tree = td.compile_game(td.load_game("kuhn"))
        >>> tree.derived(td.Profile.uniform) is tree.derived(td.Profile.uniform)
        True
        """
        key: Any = (make, arguments) if arguments else make
        try:
            return self._derived[key]
        except KeyError:
            pass  # call it outside, so that a traceback shows its errors alone
        return self._derived.setdefault(key, make(self, *arguments))

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()


def derived(make: Callable[[ArraysType, *Arguments], Derived]) -> Callable[[ArraysType, *Arguments], Derived]:
    """Decorate a function of a form so that its value is computed once and cached; see `Arrays.derived`."""

    @functools.wraps(make)
    def once(owner: ArraysType, *arguments: *Arguments) -> Derived:
        return owner.derived(make, *arguments)

    return once


def aligned(shape: tuple[int, ...], dtype: str = "float64") -> np.ndarray:
    """Return zeros aligned to a cache line, so that no row of lanes crosses two lines."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + _LINE, dtype=np.uint8)
    start = -memory.ctypes.data % _LINE
    return memory[start : start + size].view(dtype).reshape(shape)


def finite_numbers(name: str, values: object, count: int) -> np.ndarray:
    """Return finite values as `[count]` float64.

    Raises:
        ParameterError: other values; the message has the argument's name.
    """
    try:
        found = np.asarray(values)
        found = found.astype(np.float64, casting="same_kind") if found.dtype.kind != "b" else found.astype(np.float64)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if found.shape != (count,) or not np.isfinite(found).all():
        raise ParameterError(f"{name} must be {count:,} finite numbers; got {shortened(values)}.")
    return found


def depths(first_child: np.ndarray, child_count: np.ndarray) -> np.ndarray:
    """Return `[N]` int32, the number of moves to each history."""
    depth = np.zeros(len(first_child), dtype=np.int32)
    for level, nodes in enumerate(levels(first_child, child_count)):
        depth[nodes] = level
    return depth


def levels(first_child: np.ndarray, child_count: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the histories `[n]` at each depth, the root first."""
    nodes = np.zeros(1, dtype=np.int64)
    while len(nodes):
        yield nodes
        nodes = ranges(first_child[nodes], child_count[nodes])


def generations(first_child: np.ndarray, child_count: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the histories `[n]` at each depth from 1, and `[n]` the indices of their parents one above."""
    nodes = np.zeros(1, dtype=np.int64)
    while len(nodes):
        counts = child_count[nodes]
        origin, nodes = np.repeat(np.arange(len(nodes)), counts), ranges(first_child[nodes], counts)
        yield nodes, origin


def descendants(
    first_child: np.ndarray, child_count: np.ndarray, roots: np.ndarray, exits: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the histories at and below some roots `[R]`, rising, and the index of each one's root.

    exits: `[E]` histories below which to stop; none if omitted.
    """
    level, root = roots, np.arange(len(roots))
    nodes, places = [level], [root]
    while len(level):
        if exits is not None:
            inner = ~np.isin(level, exits)
            level, root = level[inner], root[inner]
        counts = child_count[level]
        level, root = ranges(first_child[level], counts), np.repeat(root, counts)
        nodes.append(level)
        places.append(root)
    found = np.concatenate(nodes)
    order = np.argsort(found, kind="stable")
    return found[order], np.concatenate(places)[order]


def ranges(firsts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return first, ..., first + count - 1 for each first and count, concatenated."""
    firsts, counts = np.asarray(firsts, dtype=np.int64), np.asarray(counts, dtype=np.int64)
    return np.arange(counts.sum()) + np.repeat(firsts - np.cumsum(counts) + counts, counts)
