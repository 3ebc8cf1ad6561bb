"""The workspace of a server: its folder, and the forms and agents that requests share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tefuda.apps.web.jobs import Jobs
from tefuda.files import local_secret

_MOST = 64  # values that are stored
_MISSING = object()
T = TypeVar("T")


class SharedValues:
    """Values that are made once: threads that need the same value wait for the first one.

    Args:
        most: number of values that are stored; the oldest is dropped.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most, self._values = most, dict[Hashable, Any]()
        self._lock, self._locks = threading.Lock(), dict[Hashable, threading.Lock]()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of a key; `make` makes it at the first use."""
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            value: T = self._values.get(key, _MISSING)
            if value is _MISSING:
                value = make()
                with self._lock:
                    self._values[key] = value
                    while len(self._values) > self._most:
                        self._locks.pop(oldest := next(iter(self._values)), None)
                        del self._values[oldest]
        return value


@dataclass
class Workspace:
    """Everything that the routes of a server share.

    Args:
        folder: folder of the runs; its folder ``.web`` has the tables and the secret of the cookie.

    Attributes:
        values: forms, agents, coaches and other values that are made once.
        jobs: long computations in processes.
        running: a mark for each request whose function runs.
    """

    folder: Path
    values: SharedValues = field(default_factory=SharedValues, repr=False)
    jobs: Jobs = field(default_factory=Jobs, repr=False)
    running: set[object] = field(default_factory=set, init=False, repr=False)
    _parts: dict[str, Any] = field(default_factory=dict, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def part(self, name: str, make: Callable[[], T]) -> T:
        """Return a part of the server by name, made at its first use; its ``close()`` is called at the end."""
        with self._lock:
            if name not in self._parts:
                self._parts[name] = make()
            part: T = self._parts[name]
        return part

    def find_part(self, name: str) -> Any:
        """Return a part of the server; None if it has not been made."""
        return self._parts.get(name)

    @property
    def own_folder(self) -> Path:
        """Folder of the files that only the server reads."""
        return self.folder / ".web"

    def secret(self) -> str:
        """Return the secret of the cookie; it survives a restart, so that open pages continue.

        A damaged secret, or one that other users can read, is replaced.

        Raises:
            RunError: the secret is a link, a folder or a device, or cannot be written.
        """
        return local_secret(self.own_folder / "secret")

    def close(self) -> None:
        """Stop all work: the jobs first, because other parts wait for them."""
        self.jobs.close()
        for part in self._parts.values():
            part.close()
