"""What all forms of a game have in common: frozen arrays, and what was made of them once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, ClassVar, Self, TypeVar, TypeVarTuple

import numpy as np

from tefuda.errors import ParameterError, shortened

Made = TypeVar("Made")
Arguments = TypeVarTuple("Arguments")


class Arrays:
    """The base of frozen dataclasses of arrays: they are read-only, and only they travel to workers."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    _derived: ClassVar[dict[Any, Any]]  # of each object; no field, so that it is neither shown nor pickled

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
        object.__setattr__(self, "_derived", {})

    def derived(self, make: Callable[[Self, *Arguments], Made], *arguments: *Arguments) -> Made:
        """What ``make(self, *arguments)`` gives, made once and kept as long as this object.

        A weak dictionary outside would take 0.9 us a look-up, and a cache of the last few would forget.

        Args:
            make: a function of a module: one defined anew every time would be called, and kept, every time.
            arguments: hashable, by position.

        >>> tree = td.compile_game(td.load_game("kuhn"))
        >>> tree.derived(td.Profile.uniform) is tree.derived(td.Profile.uniform)
        True
        """
        key: Any = (make, arguments) if arguments else make
        try:
            return self._derived[key]
        except KeyError:
            pass  # made outside, so that what `make` raises is all a reader sees
        return self._derived.setdefault(key, make(self, *arguments))

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the fields, not what was made of them."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()


def numbers(name: str, values: object, count: int) -> np.ndarray:
    """Return values as `[count]` float64.

    Args:
        name: the argument, for the message.
        values: real and finite.
        count: the number of values wanted.

    Raises:
        ParameterError: other values, or another number of them.
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
    """`[N]` int32, how many moves lead to each history, from the first child and the number of children of each."""
    depth, level, nodes = np.zeros(len(first_child), dtype=np.int32), 0, np.zeros(1, dtype=np.int64)
    while len(nodes):
        depth[nodes] = level
        nodes, level = ranges(first_child[nodes], child_count[nodes]), level + 1
    return depth


def ranges(firsts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """first, ..., first + count - 1 for each first and count, in a row."""
    firsts, counts = np.asarray(firsts, dtype=np.int64), np.asarray(counts, dtype=np.int64)
    return np.arange(counts.sum()) + np.repeat(firsts - np.cumsum(counts) + counts, counts)
