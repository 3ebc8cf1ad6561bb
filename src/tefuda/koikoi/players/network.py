"""The network that says what positions of Koi-Koi are worth: its weights, read, checked and written.

The one that comes with tefuda has been learned by `tefuda koikoi train` (descent.py); nothing but NumPy and the
compiled rules is needed to play by it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np

from tefuda.errors import RunError, shortened
from tefuda.files import Array, check_arrays, parsed, read_bytes, write_bytes
from tefuda.koikoi.kernels.network import ROWS, SECOND, SLOTS, THIRD, Desk, Net
from tefuda.koikoi.rules import KoiKoiRules, find_rules, once_dealt

_SHIPPED = Path(__file__).parents[2] / "models" / "koikoi.safetensors"
Units = TypeVar("Units", int, str)  # so many, or the letter of files.Array that stands for as many as there are
LARGEST = 1e4  # weights are not beyond it


def _layers(units: Units) -> dict[str, tuple[int | Units, ...]]:
    """The shapes of weights, with so many units in the first layer."""
    return {
        "rows": (ROWS, units),
        "b1": (units,),
        "w2": (SECOND, units),
        "b2": (SECOND,),
        "w3": (SECOND, THIRD),
        "b3": (THIRD,),
        "w4": (THIRD,),
        "b4": (1,),
    }


def size_of(units: int) -> int:
    """How many weights a network has with so many units in its first layer."""
    return sum(int(np.prod(shape)) for shape in _layers(units).values())


def views(flat: np.ndarray, units: int) -> Net:
    """Weights as parts of one array `[N]`."""
    ends = np.cumsum([int(np.prod(shape)) for shape in _layers(units).values()])
    parts = zip(np.split(flat, ends[:-1]), _layers(units).values(), strict=True)
    return Net(*(part.reshape(shape) for part, shape in parts))


def empty() -> Net:
    """A network without units, where none is needed."""
    return views(np.zeros(size_of(0), dtype=np.float32), 0)


def desk(units: int) -> Desk:
    """Where a network with so many units in its first layer thinks."""
    places = (np.full(SLOTS, -1, dtype=np.int64) for _ in range(2))
    return Desk(*places, *(np.zeros(size, dtype=np.float32) for size in (units, units, SECOND, THIRD)))


def save(net: Net, path: str | Path) -> None:
    """Write weights as safetensors, with the SHA-256 of the weights in the metadata.

    Raises:
        RunError: the folder cannot be written.
    """
    from safetensors.numpy import save as packed

    arrays = {name: np.ascontiguousarray(one) for name, one in net._asdict().items()}
    write_bytes(Path(path), packed(arrays, {"sha256": _digest(arrays)}))


def load(path: str | Path) -> Net:
    """Read weights that `save` has written.

    Raises:
        RunError: the file is missing, damaged, or of another network.
    """
    from safetensors.numpy import load as unpacked

    try:
        data = read_bytes(Path(path))
        arrays = unpacked(data)
        header = parsed(data[8 : 8 + int.from_bytes(data[:8], "little")])
        digest = header.get("__metadata__", {}).get("sha256")
    except RunError:
        raise
    except Exception as error:  # whatever a forged file makes the parser raise
        raise RunError(f"{path} cannot be read as safetensors: {shortened(error)}. Use an intact copy.") from None
    expected = {name: Array("float32", shape, -LARGEST, LARGEST) for name, shape in _layers("A").items()}
    check_arrays(path, arrays, expected)
    if digest != _digest(arrays):
        raise RunError(f"{path} is damaged: its checksum does not match its weights. Use an intact copy.")
    return Net(**arrays)


def _digest(arrays: Mapping[str, np.ndarray]) -> str:
    return hashlib.sha256(b"".join(arrays[name].tobytes() for name in sorted(arrays))).hexdigest()


@cache
def shipped() -> Net:
    """Return the network that comes with tefuda.

    It was trained by the rules of the preset standard. It plays by any rules: those in force count the points of piles
    and of stopping, also in what it is shown; the points it expects from going on are those of standard.
    """
    return load(_SHIPPED)


def known_to_network(rules: KoiKoiRules) -> bool:
    """Return whether the network that comes with tefuda was trained by these rules."""
    return once_dealt(rules) == once_dealt(find_rules("standard"))
