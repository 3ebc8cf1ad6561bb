"""Files that lie: their checksums hold, their content does not."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tefuda import files

DEEP = "[" * 100_000 + "]" * 100_000
#: Values in place of others.
VALUES = (
    None,
    True,
    -1,
    1.5,
    10**400,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "\x1b[2J[/x]",
    "os:system",
    [],
    [[0]],
    {},
)


def sealed(path, content: bytes) -> None:
    """Write the bytes of a zip file with the checksum that `files.read_arrays` looks for."""
    data = bytearray(content)
    data[-2:] = (64).to_bytes(2, "little")
    path.write_bytes(bytes(data) + hashlib.sha256(data).hexdigest().encode())


def bomb(name: str) -> bytes:
    """A zip file of a few hundred kilobytes whose one member unpacks to 256 MiB."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(name, "w") as member:
        for _ in range(256):
            member.write(bytes(1 << 20))
    return buffer.getvalue()


def zipped(members: Mapping[str, bytes]) -> bytes:
    """The bytes of a zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def npy(array: np.ndarray) -> bytes:
    """The bytes of an array's file."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def claim(shape: str, descr: str = "'<f8'", version: int = 1) -> bytes:
    """An array's header that claims a shape, with 16 bytes of content."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    size = len(header).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + bytes(16)


def containers(good: Mapping[str, np.ndarray], header: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Forged zip files by their fault."""
    text = npy(np.frombuffer(json.dumps(header).encode(), np.uint8))
    whole = {"header.npy": text} | {f"{name}.npy": npy(array) for name, array in good.items()}
    name = next(iter(good))
    for what, member in {
        "a million million entries": claim("(1000000000000,)"),
        "many axes that cancel": claim("(0, 1000000000000)"),
        "a negative length": claim("(-2,)"),
        "lengths that overflow": claim("(4294967296, 4294967296, 2)"),
        "a length of 4,000 digits": claim(f"({'9' * 4000},)"),
        "seventy axes": claim("(" + "1, " * 69 + "2)"),
        "objects": claim("(2,)", "'|O'"),
        "records": claim("(2,)", "[('a', '<f8')]"),
        "no type": claim("(2,)", "'nonsense'"),
        "nested parentheses": claim("(" * 9000),
        "many signs": claim("-" * 9000 + "1"),
        "another version": claim("(2,)", version=3),
        "no array": b"nonsense",
        "nothing": b"",
    }.items():
        yield what, zipped({**whole, f"{name}.npy": member})
    yield "no header", zipped({key: value for key, value in whole.items() if key != "header.npy"})
    for what, inner in {"deep": DEEP.encode(), "a list": b"[]", "no JSON": b"{", "a number": b"9" * 5000}.items():
        yield f"header: {what}", zipped({**whole, "header.npy": npy(np.frombuffer(inner, np.uint8))})
    yield "no zip", b"PK nonsense" * 20
    yield "an empty zip", zipped({})
    yield "a bomb", bomb(f"{name}.npy")


def arrays(good: Mapping[str, np.ndarray]) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """Forged sets of arrays by their fault."""
    yield "none", {}
    yield "one more", {**good, "another": np.zeros(3)}
    for name, array in good.items():
        kind, one = array.dtype.kind, array.reshape(-1)
        least, most = (-np.finfo(array.dtype).max, np.finfo(array.dtype).max) if kind == "f" else (0, 1)
        if kind in "iu":
            least, most = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
        others = {
            "zeros": np.zeros_like(array),
            "negative": np.full_like(array, least),
            "large": np.full_like(array, min(120, most)),
            "largest": np.full_like(array, most),
            "flat": array.reshape(-1, 1),
            "longer": np.append(one, one[:1]),
            "shorter": one[:-1],
            "text": np.full(array.shape, "x"),
            "complex": array.astype(np.complex128),
            "retyped": array.astype(np.int16 if kind == "f" else np.float64),
            "a number": np.array(0.0) if array.shape else np.zeros(1),
        }
        if kind == "f":
            others |= {"nan": np.full_like(array, np.nan), "infinite": np.full_like(array, np.inf)}
        yield f"{name} missing", {key: value for key, value in good.items() if key != name}
        for what, other in others.items():
            yield f"{name}: {what}", {**good, name: other}


def objects(good: Mapping[str, Any], values=VALUES, path: tuple[str, ...] = ()) -> Iterator[tuple[str, dict[str, Any]]]:
    """Forged JSON objects: each field, those of inner objects included, missing or of another value."""
    for name, value in good.items():
        here = ".".join((*path, name))
        yield f"{here} missing", {key: other for key, other in good.items() if key != name}
        for other in values:
            yield f"{here}: {ascii(other)[:20]}", {**good, name: other}
        if isinstance(value, Mapping):
            for what, inner in objects(value, values, (*path, name)):
                yield what, {**good, name: inner}


def write_json(path, content: Mapping[str, Any]) -> None:
    """As `files.write_json`, whatever is in it."""
    files.write_json(path, content)
