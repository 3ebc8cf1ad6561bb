"""Atomic writing of files, and reading with checksums and validation.

Arrays are stored as ``.npz`` whose zip comment is the SHA-256 of the bytes before it. JSON has its checksum as a field.
Checksums detect damage, not forgery: `check_arrays` and `check_fields` validate names, types, shapes and ranges.
Reading needs at most the size of the file in memory, and unpickles nothing.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import hashlib
import io
import json
import os
import re
import secrets
import stat
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import RunError, shortened
from tefuda.locks import clear_leftovers, temporary, unwritable

_SECRET = re.compile("[0-9a-f]{48}")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO  # permissions of other users
_LOOKS, _BETWEEN_LOOKS = 50, 0.02  # at an empty secret, and seconds between two of them
_DIGEST = 64  # hexadecimal digits of SHA-256
_HEADER = "header"
_DEPTH = 50  # levels of nested JSON; tefuda writes five at most, keys of infosets included
_INFINITY, _HUGE = float("inf"), 10**300
#: Range of counts: whole numbers that are exact as floats.
COUNT = (0, 2**53)
NOT_NEGATIVE = (0, _INFINITY)


@dataclass(frozen=True)
class ArraySpec:
    """Specification of an array.

    Args:
        dtype: name of the NumPy type, such as ``"float64"``.
        shape: for each axis a length, a range of lengths, or a letter. Axes with the same letter have the same length.
        low: minimum; nan and infinities are never allowed.
        high: maximum.
    """

    dtype: str
    shape: tuple[int | range | str, ...]
    low: float = -_INFINITY
    high: float = _INFINITY


@dataclass(frozen=True)
class FieldSpec:
    """Specification of a field of a JSON object.

    Args:
        kinds: allowed types; bool does not count as a number.
        low: minimum of a number; nan is never allowed.
        high: maximum of a number.
        choices: allowed values; empty: any.
        needed: whether the field is required.
    """

    kinds: tuple[type, ...]
    low: float = -_INFINITY
    high: float = _INFINITY
    choices: tuple[Any, ...] = ()
    needed: bool = True


TEXT, OBJECT, LIST = FieldSpec((str,)), FieldSpec((dict,)), FieldSpec((list,))
WHOLE, SECONDS = FieldSpec((int,), *COUNT), FieldSpec((int, float), 0, 1e18)


def array_specs(arrays: Mapping[str, np.ndarray], **ranges: tuple[float, float]) -> dict[str, ArraySpec]:
    """Return the specifications of arrays, with ranges by name; scalars of integers are counts."""
    return {
        name: ArraySpec(
            str(a.dtype), a.shape, *ranges.get(name, COUNT if a.shape == () and a.dtype.kind in "iu" else ())
        )
        for name, a in arrays.items()
    }


def check_arrays(file: object, arrays: Mapping[str, np.ndarray], expected: Mapping[str, ArraySpec]) -> dict[str, int]:
    """Return the length of each letter; raise RunError if the arrays do not match their specifications."""
    if set(arrays) != set(expected):
        missing, more = sorted(set(expected) - set(arrays)), sorted(set(arrays) - set(expected))
        raise _mismatch(file, f"arrays missing: {missing or 'none'}; unknown: {more[:8] or 'none'}")
    letters: dict[str, int] = {}
    for name, spec in expected.items():
        array = arrays[name]
        if str(array.dtype) != spec.dtype or not _matches(array.shape, spec.shape, letters):
            shape = [letters.get(axis, axis) if isinstance(axis, str) else axis for axis in spec.shape]
            raise _mismatch(
                file, f"{name!r} is {array.dtype} of shape {array.shape}, not {spec.dtype} of shape {shape}"
            )
        least, largest = (array.min(), array.max()) if array.size else (0.0, 0.0)
        if array.size and not (spec.low <= least and largest <= spec.high and np.isfinite(least) and largest < np.inf):
            raise _mismatch(
                file, f"{name!r} has numbers from {least} to {largest}, allowed are {spec.low} to {spec.high}"
            )
    return letters


def _matches(shape: tuple[int, ...], expected: tuple[int | range | str, ...], letters: dict[str, int]) -> bool:
    """Return True if a shape matches; add the length of each new letter to `letters`."""
    if len(shape) != len(expected):
        return False
    for size, axis in zip(shape, expected, strict=True):
        if isinstance(axis, str):
            axis = letters.setdefault(axis, size)
        if size not in axis if isinstance(axis, range) else size != axis:
            return False
    return True


def check_fields(file: object, content: Any, expected: Mapping[str, FieldSpec]) -> None:
    """Raise RunError unless a JSON object has the expected fields; unknown fields are ignored."""
    if not isinstance(content, dict):
        raise _mismatch(file, f"expected an object, got {shortened(content)}")
    for name, spec in expected.items():
        if name not in content:
            if spec.needed:
                raise _mismatch(file, f"the field {name!r} is missing")
            continue
        value = content[name]
        number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
        if not isinstance(value, spec.kinds) or (isinstance(value, bool) and bool not in spec.kinds):
            names = " or ".join(kind.__name__ for kind in spec.kinds)
            raise _mismatch(file, f"the field {name!r} is {shortened(value)}, not of type {names}")
        huge = isinstance(number, int) and abs(number) > _HUGE  # too large to print
        outside = number is not None and (huge or not spec.low <= number <= spec.high)
        if outside or (spec.choices and value not in spec.choices):
            allowed = ", ".join(map(repr, spec.choices)) or f"{spec.low} to {spec.high}"
            raise _mismatch(file, f"the field {name!r} is {shortened(value)}, allowed are {allowed}")


def _mismatch(file: object, message: str) -> RunError:
    return RunError(f"{file} does not have the format of tefuda: {message}. Use an intact copy.")


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[Path]:
    """Create the folder of a file, and turn errors inside the context into RunError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield path.parent
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
        raise unwritable(path, error) from None


def write_bytes(path: Path, data: bytes | memoryview, durable: bool = True) -> None:
    """Write `data` to `path` atomically: readers see the old or the new file.

    Args:
        path: the file.
        data: its content.
        durable: whether the file survives a power failure; if not, it survives a kill of the process. `flush` makes it
            durable later.

    Raises:
        RunError: the folder is not writable or the disk is full; the old file is unchanged.
    """
    with _writing(path) as folder:
        clear_leftovers(path)
        descriptor, new = temporary(path)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                if durable:
                    os.fsync(file.fileno())
                if os.name != "posix":
                    file.close()  # Windows cannot rename an open file
                os.replace(new, path)  # while locked, so that no process deletes it as a leftover
        except BaseException:
            new.unlink(missing_ok=True)
            raise
        if durable:
            _flush_folder(folder)


def flush(path: Path) -> None:
    """Make a written file durable; a file that is gone or cannot be opened is skipped."""
    with contextlib.suppress(OSError):
        _sync(path)
        _flush_folder(path.parent)


def check_writable(path: Path) -> None:
    """Raise RunError unless a file can be written at `path`; call it before long work."""
    created = [folder for folder in path.parents if not os.path.exists(folder)]
    with _writing(path):
        try:
            if os.path.isdir(path):
                raise IsADirectoryError(errno.EISDIR, "it is a folder")
            with contextlib.suppress(FileNotFoundError):
                path.stat()  # the name may be too long
            descriptor, file = temporary(path)
            os.close(descriptor)
            file.unlink()
        finally:
            for folder in created:
                with contextlib.suppress(OSError):  # another process already uses it
                    folder.rmdir()


def _flush_folder(folder: Path) -> None:
    """Make a rename durable, if the system can open folders."""
    if os.name == "posix":
        _sync(folder)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_bytes(path: Path) -> bytes:
    """Read a file.

    Raises:
        RunError: the file is missing, not a regular file, or larger than the memory.
    """
    try:
        if not os.path.exists(path) or os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read(os.fstat(file.fileno()).st_size)  # some files of the kernel have no end
    except MemoryError:
        raise RunError(f"cannot read {path}: it is larger than the memory.") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
        raise RunError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}.") from None
    raise RunError(f"cannot read {path}: it is not a regular file.")


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray], header: Mapping[str, Any]) -> None:
    """Write arrays and a JSON header as a ``.npz`` with a checksum.

    Raises:
        RunError: the folder is not writable, or disk or memory are full; the old file is unchanged.
    """
    try:
        buffer = io.BytesIO()
        text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
        np.savez(buffer, **{_HEADER: text}, **arrays)  # type: ignore[arg-type]
        with buffer.getbuffer() as data:  # in place: a checkpoint can be as large as half of the memory
            data[-2:] = _DIGEST.to_bytes(2, "little")  # the zip's comment length, 0 before
            seal = _digest(data)
        buffer.seek(0, io.SEEK_END)
        buffer.write(seal)
        write_bytes(path, buffer.getbuffer())
    except MemoryError:
        raise RunError(f"cannot write {path}: the memory is full. Free some of it.") from None


def write_sealed(path: Path, data: bytes) -> None:
    """Write `data`, followed by its SHA-256."""
    write_bytes(path, data + _digest(data))


def read_sealed(path: Path) -> bytes:
    """Read a file of `write_sealed`; return its bytes with the checksum.

    Raises:
        RunError: the file is missing, truncated, changed or foreign.
    """
    data = read_bytes(path)
    if _digest(memoryview(data)[:-_DIGEST]) != data[-_DIGEST:]:
        raise RunError(f"{path} is damaged or not a file of tefuda: its checksum does not match. Use an intact copy.")
    return data


def _digest(data: bytes | memoryview) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def read_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read the arrays and the header of a file of `write_arrays`; see `read_sealed`."""
    data = read_sealed(path)
    try:
        arrays = _members(data)
        header = parse_json(arrays.pop(_HEADER).tobytes())
    except Exception as error:  # a forged file can make the parsers raise anything
        raise RunError(f"{path} cannot be read as arrays: {shortened(error)}. Use an intact copy.") from None
    check_fields(path, header, {})
    return arrays, header


def _members(data: bytes) -> dict[str, np.ndarray]:
    """Return the arrays of a ``.npz``; raise ValueError for compressed or oversized members."""
    arrays = {}
    with zipfile.ZipFile(io.BytesIO(data)) as stored:
        members = stored.infolist()
        if any(member.compress_type != zipfile.ZIP_STORED for member in members):
            raise ValueError("its members are compressed")
        if sum(member.file_size for member in members) > len(data):
            raise ValueError("its members are larger than the file")
        for member in members:
            content = io.BytesIO(stored.read(member))
            version = np.lib.format.read_magic(content)
            if version != (1, 0):
                raise ValueError(f"an array is of version {version}")
            shape, _, dtype = np.lib.format.read_array_header_1_0(content)
            size = dtype.itemsize
            for axis in shape:
                size *= axis
            left = len(content.getbuffer()) - content.tell()
            if dtype.kind not in "biuf" or min(shape, default=0) < 0 or size != left:
                raise ValueError(f"an array of type {dtype} and shape {shape} has {left} bytes")
            content.seek(0)
            arrays[member.filename.removesuffix(".npy")] = np.lib.format.read_array(content, allow_pickle=False)
    return arrays


def parse_json(text: bytes) -> Any:
    """Parse JSON; raise ValueError if it is nested deeper than `_DEPTH`."""
    content = json.loads(text)
    level, depth = [content], 0
    while level and depth <= _DEPTH:
        nested = [item for item in level if isinstance(item, (dict, list))]
        level = [inner for item in nested for inner in (item.values() if isinstance(item, dict) else item)]
        depth += 1
    if depth > _DEPTH:
        raise ValueError("nested too deeply")
    return content


def local_secret(path: Path) -> str:
    """Return the secret in a file of this user, 48 hexadecimal digits; draw it if there is none.

    A damaged secret, or one that other users can read, is replaced.

    Raises:
        RunError: the file is a link, a folder or a device, or cannot be written.
    """
    with _writing(path):
        if os.path.lexists(path):
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode):
                raise RunError(f"{path} must be a regular file; delete it, and a new one is made.")
            text = ""
            for _ in range(_LOOKS):  # an empty one is being written by another process
                if text := path.read_bytes().decode("ascii", "replace"):
                    break
                time.sleep(_BETWEEN_LOOKS)
            if _SECRET.fullmatch(text) and not (os.name == "posix" and mode & _OTHERS):
                return text
            path.unlink()
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:  # another process was faster
            return local_secret(path)
        with os.fdopen(descriptor, "w") as file:
            file.write(text := secrets.token_hex(24))
    return text


def csv_text(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table as CSV."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return buffer.getvalue()


def as_tuples(value: Any) -> Any:
    """Return a JSON value with lists replaced by tuples."""
    if isinstance(value, (list, tuple)):
        return tuple(map(as_tuples, value))
    return {key: as_tuples(item) for key, item in value.items()} if isinstance(value, dict) else value


def survives_json(value: Any) -> bool:
    """Return True if a value is unchanged after writing and reading it as JSON."""
    try:
        return bool(as_tuples(json.loads(json.dumps(value))) == value)
    except (TypeError, ValueError):
        return False


def write_json(path: Path, content: Mapping[str, Any], durable: bool = True) -> None:
    """Write an indented JSON object with its checksum in field ``checksum``; see `write_bytes`."""
    text = json.dumps({**content, "checksum": _json_digest(content)}, indent=2)
    write_bytes(path, text.encode() + b"\n", durable)


def read_json(path: Path) -> dict[str, Any]:
    """Read an object of `write_json`; raise RunError if the file is missing or was changed."""
    try:
        content = parse_json(read_bytes(path))
        digest = content.pop("checksum")
    except RunError:
        raise
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        raise RunError(f"{path} is damaged: it is not JSON written by tefuda. Use an intact copy.") from None
    if digest != _json_digest(content):
        raise RunError(f"{path} was changed after it was written: its checksum does not match. Use an intact copy.")
    return content


def _json_digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def file_name(text: str) -> str:
    """Return a text as part of a file's name: ``leduc_ranks_4`` for ``leduc(ranks=4)``."""
    return re.sub(r"[^\w.+-]+", "_", text).strip("_")


def cache_folder() -> Path:
    """Return the cache folder: TEFUDA_CACHE, or the user's cache folder."""
    import platformdirs

    return Path(os.environ.get("TEFUDA_CACHE") or platformdirs.user_cache_dir("tefuda"))
