"""File locks: only one process at a time writes a run or a file.

The operating system releases the locks of a dead process. A lock is a hidden file beside the protected file, with the
process id of its owner. Windows and some network drives have no such locks; there nothing is locked.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import platform
import re
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

from tefuda.errors import BusyError, RunError

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

#: Numbers of the errors of a full or broken disk, a quota, and a limit of file sizes.
STORAGE_ERRORS = frozenset(getattr(errno, name, -1) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO"))
_PATIENCE = 0.5  # seconds: workers of a killed process may end slightly later
_LONGEST = 200  # bytes of a name, to leave room for an ending
_held: set[int] = set()  # descriptors of locks; a forked process must close them


def _close_inherited() -> None:
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_inherited)


def hidden_path(path: Path, ending: str) -> Path:
    """Return the hidden file beside `path` with an ending."""
    name, digest = path.name, hashlib.sha256(os.fsencode(path.name)).hexdigest()
    return path.with_name(f".{name if len(os.fsencode(name)) <= _LONGEST else digest}.{ending}")


@contextlib.contextmanager
def locked(path: Path | None) -> Iterator[None]:
    """Lock a file inside the context, against other processes and threads.

    Args:
        path: the file; for a run its run.json. Missing folders are created. None: no file.

    Raises:
        BusyError: another process has locked it; the error has its process id.
        RunError: the folder is not writable.
    """
    if fcntl is None or path is None:
        yield
        return
    lock = hidden_path(path, "lock")
    descriptor = _acquired(lock, path)
    _held.add(descriptor)
    try:
        yield
    finally:
        if descriptor in _held:  # not in a forked process: the parent owns the file
            with contextlib.suppress(OSError):  # the folder may have been deleted
                lock.unlink()
            _held.remove(descriptor)
            os.close(descriptor)


def is_locked(path: Path) -> bool:
    """Return True if a process, this one included, has locked a file; False where locks do not exist."""
    try:
        descriptor = os.open(hidden_path(path, "lock"), os.O_RDWR)
    except OSError:
        return False
    try:
        return not _try_lock(descriptor)
    finally:
        os.close(descriptor)


def unwritable(path: Path, error: Exception) -> RunError:
    """Return the error of a file that cannot be written, with the system's reason."""
    reason, full = getattr(error, "strerror", None) or error, getattr(error, "errno", None) in STORAGE_ERRORS
    cure = "Free some space, or choose another folder" if full else "Choose a folder that can be written"
    return RunError(f"cannot write {path}: {reason}. {cure}.")


def _acquired(lock: Path, path: Path) -> int:
    """Lock a file; return its descriptor."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            lock.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
            raise unwritable(path, error) from None
        if _try_lock(descriptor):
            if _is_at(descriptor, lock):
                _sign(descriptor, lock, path)
                return descriptor
        elif time.monotonic() > end:
            owner = os.pread(descriptor, 1000, 0).decode(errors="replace")
            os.close(descriptor)
            raise _busy(path, owner)
        else:
            time.sleep(0.02)
        os.close(descriptor)


def _sign(descriptor: int, lock: Path, path: Path) -> None:
    """Write the owner into a lock; delete the lock if the disk has no room for it."""
    try:
        os.ftruncate(descriptor, 0)
        with os.fdopen(descriptor, "w", closefd=False) as file:
            file.write(f"{os.getpid()} {platform.node()}\n")
    except OSError as error:
        lock.unlink()
        os.close(descriptor)
        raise unwritable(path, error) from None


def _is_at(descriptor: int, path: Path) -> bool:
    """Return True if an open file still has this name: its previous owner may have deleted it."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _busy(path: Path, owner: str) -> BusyError:
    number, _, host = owner.strip().partition(" ")
    location = f" of {host}" if host and host != platform.node() else ""
    target = path.parent if path.name == "run.json" else path
    process = int(number) if number.isascii() and number.isdigit() and len(number) < 20 else None
    return BusyError(target, "another process" if process is None else f"process {number}{location}", process)


def _try_lock(descriptor: int) -> bool:
    """Lock an open file; return False if it is already locked."""
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        pass
    return True


def temporary(path: Path) -> tuple[int, Path]:
    """Create a temporary file beside `path`, locked while open; return its descriptor and path."""
    while True:
        file = hidden_path(path, f"{secrets.token_hex(8)}.tmp")
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        if _try_lock(descriptor) and _is_at(descriptor, file):
            return descriptor, file
        os.close(descriptor)  # `clear_leftovers` of another process deleted it before it was locked


def clear_leftovers(path: Path) -> None:
    """Delete the temporary files of killed processes; those of running processes are locked."""
    if fcntl is None:
        return
    own = re.compile(re.escape(hidden_path(path, "").name) + r"[0-9a-f]{16}\.tmp")
    for name in os.listdir(path.parent):
        if own.fullmatch(name):
            with contextlib.suppress(OSError):  # it is locked, or already deleted
                descriptor = os.open(path.with_name(name), os.O_RDWR)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(path.with_name(name))
                finally:
                    os.close(descriptor)
