"""Files that are whole or absent: atomic writing, and reading that notices damage.

Arrays are a plain ``.npz`` whose zip comment is the SHA-256 of the bytes before it; JSON carries its checksum as a
field. A checksum proves that a file is whole, not that it is honest: `check_arrays` and `check_fields` check names,
types, shapes and ranges before use. Reading takes no more memory than the file is long, and unpickles nothing.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import RunError, shortened
from tefuda.locks import clear_leftovers, temporary, unwritable

_DIGEST = 64  # hexadecimal digits of SHA-256
_HEADER = "header"
_DEPTH = 50  # of nested JSON; ours has five levels at most, keys of infosets included
_INFINITY, _HUGE = float("inf"), 10**300
#: Range of counts: whole numbers that floats hold exactly.
COUNT = (0, 2**53)
NOT_NEGATIVE = (0, _INFINITY)


@dataclass(frozen=True)
class ArraySpec:
    """The type, the shape and the range of an array.

    Args:
        dtype: as NumPy writes it, ``"float64"``.
        shape: length of each axis, a range of lengths, or a letter: any length, the same for the same letter.
        low: least number allowed; nan and infinities never are.
        high: largest number allowed.
    """

    dtype: str
    shape: tuple[int | range | str, ...]
    low: float = -_INFINITY
    high: float = _INFINITY


@dataclass(frozen=True)
class FieldSpec:
    """The type and the range of a field of a JSON object.

    Args:
        kinds: the types allowed; bool is no number.
        low: least number allowed; nan never is.
        high: largest number allowed.
        choices: if any, the only values allowed.
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
    """Return the types and shapes of arrays, with these ranges; whole numbers are counts."""
    return {
        name: ArraySpec(
            str(a.dtype), a.shape, *ranges.get(name, COUNT if a.shape == () and a.dtype.kind in "iu" else ())
        )
        for name, a in arrays.items()
    }


def check_arrays(where: object, arrays: Mapping[str, np.ndarray], expected: Mapping[str, ArraySpec]) -> dict[str, int]:
    """Return the length of each letter of the shapes; raise RunError for other arrays."""
    if set(arrays) != set(expected):
        missing, more = sorted(set(expected) - set(arrays)), sorted(set(arrays) - set(expected))
        raise _unfit(where, f"arrays missing: {missing or 'none'}; unknown: {more[:8] or 'none'}")
    letters: dict[str, int] = {}
    for name, one in expected.items():
        array = arrays[name]
        if str(array.dtype) != one.dtype or not _fits(array.shape, one.shape, letters):
            shape = [letters.get(axis, axis) if isinstance(axis, str) else axis for axis in one.shape]
            raise _unfit(where, f"{name!r} is {array.dtype} of shape {array.shape}, not {one.dtype} of shape {shape}")
        least, largest = (array.min(), array.max()) if array.size else (0.0, 0.0)
        if array.size and not (one.low <= least and largest <= one.high and np.isfinite(least) and largest < np.inf):
            raise _unfit(where, f"{name!r} has numbers from {least} to {largest}, allowed is {one.low} to {one.high}")
    return letters


def _fits(shape: tuple[int, ...], expected: tuple[int | range | str, ...], letters: dict[str, int]) -> bool:
    """Return whether a shape is the expected one; new letters get their length."""
    if len(shape) != len(expected):
        return False
    for size, axis in zip(shape, expected, strict=True):
        if isinstance(axis, str):
            axis = letters.setdefault(axis, size)
        if size not in axis if isinstance(axis, range) else size != axis:
            return False
    return True


def check_fields(where: object, content: Any, expected: Mapping[str, FieldSpec]) -> None:
    """Raise RunError unless a JSON object has the expected fields; unknown fields are ignored."""
    if not isinstance(content, dict):
        raise _unfit(where, f"{shortened(content)} stands where an object should")
    for name, one in expected.items():
        if name not in content:
            if one.needed:
                raise _unfit(where, f"the field {name!r} is missing")
            continue
        value = content[name]
        number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
        if not isinstance(value, one.kinds) or (isinstance(value, bool) and bool not in one.kinds):
            names = " or ".join(kind.__name__ for kind in one.kinds)
            raise _unfit(where, f"the field {name!r} is {shortened(value)}, not of type {names}")
        huge = isinstance(number, int) and abs(number) > _HUGE  # such numbers cannot even be printed
        outside = number is not None and (huge or not one.low <= number <= one.high)
        if outside or (one.choices and value not in one.choices):
            allowed = ", ".join(map(repr, one.choices)) or f"{one.low} to {one.high}"
            raise _unfit(where, f"the field {name!r} is {shortened(value)}, allowed is {allowed}")


def _unfit(where: object, message: str) -> RunError:
    return RunError(f"{where} is not what tefuda writes: {message}. Use an intact copy.")


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[Path]:
    """Make the folder of a file that is written within; raise RunError if it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield path.parent
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
        raise unwritable(path, error) from None


def write_bytes(path: Path, data: bytes) -> None:
    """Write `data` to `path` atomically: a reader sees the old file or the whole new one.

    Raises:
        RunError: the folder cannot be written or the disk is full; an older file at `path` is untouched.
    """
    with _writing(path) as folder:
        clear_leftovers(path)
        descriptor, place = temporary(path)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                if os.name != "posix":
                    file.close()  # an open file cannot be renamed there
                os.replace(place, path)  # while it is locked: no process takes it for a leftover
        except BaseException:
            place.unlink(missing_ok=True)
            raise
        _flush_folder(folder)


def check_writable(path: Path) -> None:
    """Raise RunError unless a file can be written here; call it before work that would be lost."""
    made = [folder for folder in path.parents if not os.path.exists(folder)]
    with _writing(path):
        try:
            if os.path.isdir(path):
                raise IsADirectoryError(errno.EISDIR, "it is a folder")
            with contextlib.suppress(FileNotFoundError):
                path.stat()  # its name may be too long
            descriptor, place = temporary(path)
            os.close(descriptor)
            place.unlink()
        finally:
            for folder in made:
                with contextlib.suppress(OSError):  # another process uses it already
                    folder.rmdir()


def _flush_folder(folder: Path) -> None:
    """Make a rename durable, where the system can open folders."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_bytes(path: Path) -> bytes:
    """Read a file.

    Raises:
        RunError: there is none, it is a folder, a pipe or a device, or it is larger than the memory.
    """
    try:
        if not os.path.exists(path) or os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read(os.fstat(file.fileno()).st_size)  # some files of the kernel never end
    except MemoryError:
        raise RunError(f"cannot read {path}: it is larger than the memory.") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
        raise RunError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}.") from None
    raise RunError(f"cannot read {path}: it is no file.")


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray], header: Mapping[str, Any]) -> None:
    """Write arrays and a JSON header as one checksummed ``.npz``."""
    buffer = io.BytesIO()
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(buffer, **{_HEADER: text}, **arrays)  # type: ignore[arg-type]
    data = bytearray(buffer.getvalue())
    data[-2:] = _DIGEST.to_bytes(2, "little")  # the zip's comment length, 0 until here
    write_sealed(path, data)


def write_sealed(path: Path, data: bytes | bytearray) -> None:
    """Write `data`, followed by its SHA-256."""
    write_bytes(path, bytes(data) + _digest(data))


def read_sealed(path: Path) -> bytes:
    """Read a file of `write_sealed`, the checksum included.

    Raises:
        RunError: the file is missing, truncated, changed, or not one of ours.
    """
    data = read_bytes(path)
    if _digest(data[:-_DIGEST]) != data[-_DIGEST:]:
        raise RunError(f"{path} is damaged or not a file of tefuda: its checksum does not match. Use an intact copy.")
    return data


def _digest(data: bytes | bytearray) -> bytes:
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
    """Return the arrays of a ``.npz``, none of them larger than the file."""
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
    """Parse JSON; raise ValueError if it is nested deeper than ours."""
    content = json.loads(text)
    level, depth = [content], 0
    while level and depth <= _DEPTH:
        nested = [item for item in level if isinstance(item, (dict, list))]
        level = [inner for item in nested for inner in (item.values() if isinstance(item, dict) else item)]
        depth += 1
    if depth > _DEPTH:
        raise ValueError("nested too deeply")
    return content


def csv_text(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table as CSV."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return buffer.getvalue()


def as_tuples(value: Any) -> Any:
    """Return a value of JSON with tuples in place of lists."""
    if isinstance(value, (list, tuple)):
        return tuple(map(as_tuples, value))
    return {key: as_tuples(item) for key, item in value.items()} if isinstance(value, dict) else value


def survives_json(value: Any) -> bool:
    """Return whether JSON gives back a label or key unchanged."""
    try:
        return bool(as_tuples(json.loads(json.dumps(value))) == value)
    except (TypeError, ValueError):
        return False


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write an indented JSON object with its checksum in the field ``checksum``."""
    text = json.dumps({**content, "checksum": _json_digest(content)}, indent=2)
    write_bytes(path, text.encode() + b"\n")


def read_json(path: Path) -> dict[str, Any]:
    """Read an object of `write_json`; raise RunError if it is missing or was changed."""
    try:
        content = parse_json(read_bytes(path))
        digest = content.pop("checksum")
    except RunError:
        raise
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        raise RunError(f"{path} is damaged: it is not the JSON tefuda writes. Use an intact copy.") from None
    if digest != _json_digest(content):
        raise RunError(f"{path} was changed after it was written: its checksum does not match. Use an intact copy.")
    return content


def _json_digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def cache_folder() -> Path:
    """Return the folder of cached files: TEFUDA_CACHE, or the user's."""
    import platformdirs

    return Path(os.environ.get("TEFUDA_CACHE") or platformdirs.user_cache_dir("tefuda"))
