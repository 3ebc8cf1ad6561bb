"""Files that are whole or absent: atomic writing, and reading that notices damage.

A file is written beside its place, flushed to disk and renamed. Arrays are a plain ``.npz`` (NumPy opens it) whose zip
comment is the SHA-256 of what stands before it; JSON carries its checksum as a field. Nothing is ever pickled.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import RunError

_DIGEST = 64  # hexadecimal digits of SHA-256
_HEADER = "header"


def write_bytes(path: Path, data: bytes) -> None:
    """Write `data` to `path` atomically: a reader sees the old file or the whole new one.

    Raises:
        RunError: the folder cannot be written or the disk is full; an older file at `path` is untouched.
    """
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        temporary = None
        _flush_folder(path.parent)
    except OSError as error:
        raise RunError(
            f"cannot write {path}: {error.strerror or error}. Choose a folder that can be written."
        ) from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def clear_leftovers(folder: Path, name: str) -> None:
    """Delete what a killed process left of writing `name`."""
    for leftover in folder.glob(f".{name}.*"):
        leftover.unlink(missing_ok=True)


def _flush_folder(folder: Path) -> None:
    """Make a rename durable, where the system can open folders."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_bytes(path: Path) -> bytes:
    """Read a whole file, or raise RunError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror or error}.") from None


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray], header: Mapping[str, Any]) -> None:
    """Write arrays and a JSON header as one checksummed ``.npz``."""
    buffer = io.BytesIO()
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(buffer, **{_HEADER: text}, **arrays)  # type: ignore[arg-type]
    data = bytearray(buffer.getvalue())
    data[-2:] = _DIGEST.to_bytes(2, "little")  # the zip's comment length, 0 until here
    write_bytes(path, bytes(data) + hashlib.sha256(data).hexdigest().encode())


def read_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read what `write_arrays` wrote: the arrays and the header.

    Raises:
        RunError: the file is missing, truncated, changed, or not one of ours.
    """
    data = read_bytes(path)
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if hashlib.sha256(body).hexdigest().encode() != digest:
        raise RunError(f"{path} is damaged or not a file of tefuda: its checksum does not match. Use an intact copy.")
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    except (ValueError, zipfile.BadZipFile, KeyError) as error:
        raise RunError(f"{path} cannot be read as arrays: {error}.") from None
    return arrays, json.loads(arrays.pop(_HEADER).tobytes())


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON object, readable by people, with its checksum in the field ``checksum``."""
    text = json.dumps({**content, "checksum": _json_digest(content)}, indent=2)
    write_bytes(path, text.encode() + b"\n")


def read_json(path: Path) -> dict[str, Any]:
    """Read what `write_json` wrote, without the checksum.

    Raises:
        RunError: the file is missing or was changed.
    """
    try:
        content = json.loads(read_bytes(path))
        digest = content.pop("checksum")
    except (ValueError, AttributeError, KeyError, TypeError):
        raise RunError(f"{path} is damaged: it is not the JSON tefuda writes. Use an intact copy.") from None
    if digest != _json_digest(content):
        raise RunError(f"{path} was changed after it was written: its checksum does not match. Use an intact copy.")
    return content


def _json_digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def cache_folder() -> Path:
    """Where this user's cached files are kept; the environment variable TEFUDA_CACHE sets another place."""
    import platformdirs

    return Path(os.environ.get("TEFUDA_CACHE") or platformdirs.user_cache_dir("tefuda"))
