"""The weights of the value network of Koi-Koi: loading, checks and saving.

The shipped network was trained by `tefuda koikoi train` (training.py); players do not need PyTorch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np

from tefuda.errors import RunError, shortened
from tefuda.files import ArraySpec, check_arrays, parse_json, read_bytes, write_bytes
from tefuda.koikoi.kernels.network import ROWS, SECOND, SLOTS, THIRD, Accumulator, Net
from tefuda.koikoi.rules import KoiKoiRules, find_rules, rules_after_deal

_SHIPPED = Path(__file__).parents[2] / "models" / "koikoi.safetensors"
Units = TypeVar("Units", int, str)  # a number, or a letter of `files.ArraySpec`
LARGEST = 1e4  # maximum absolute value of a weight


def _layers(units: Units) -> dict[str, tuple[int | Units, ...]]:
    """Return the shapes of the weights; units: size of the first layer."""
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


def weight_count(units: int) -> int:
    """Return the number of weights of a network with `units` in its first layer."""
    return sum(int(np.prod(shape)) for shape in _layers(units).values())


def weight_views(flat: np.ndarray, units: int) -> Net:
    """Return the weights as views of one array `[N]`."""
    ends = np.cumsum([int(np.prod(shape)) for shape in _layers(units).values()])
    parts = zip(np.split(flat, ends[:-1]), _layers(units).values(), strict=True)
    return Net(*(part.reshape(shape) for part, shape in parts))


def empty_network() -> Net:
    """Return a network without units, for players that need none."""
    return weight_views(np.zeros(weight_count(0), dtype=np.float32), 0)


def empty_accumulator(units: int) -> Accumulator:
    """Return the scratch of a network with `units` in its first layer."""
    places = (np.full(SLOTS, -1, dtype=np.int64) for _ in range(2))
    return Accumulator(*places, *(np.zeros(size, dtype=np.float32) for size in (units, units, SECOND, THIRD)))


def save(net: Net, path: str | Path) -> None:
    """Save weights as safetensors, with their SHA-256 in the metadata.

    Raises:
        RunError: the file cannot be written.
    """
    from safetensors.numpy import save as packed

    arrays = {name: np.ascontiguousarray(weights) for name, weights in net._asdict().items()}
    write_bytes(Path(path), packed(arrays, {"sha256": digest(arrays)}))


def load(path: str | Path) -> Net:
    """Load weights that `save` has written.

    Raises:
        RunError: the file is missing, damaged, or has another network.
    """
    arrays, metadata = read_safetensors(Path(path))
    expected = {name: ArraySpec("float32", shape, -LARGEST, LARGEST) for name, shape in _layers("A").items()}
    check_arrays(path, arrays, expected)
    if metadata.get("sha256") != digest(arrays):
        raise RunError(f"{path} is damaged: its checksum does not match its weights. Use an intact copy.")
    return Net(**arrays)


def read_safetensors(path: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return the arrays and the metadata of a file.

    Raises:
        RunError: the file cannot be read.
    """
    from safetensors.numpy import load as unpacked

    data = read_bytes(path)
    try:
        arrays = unpacked(data)
        header = parse_json(data[8 : 8 + int.from_bytes(data[:8], "little")])
        return arrays, dict(header.get("__metadata__", {}))
    except Exception as error:  # the parser may raise any error for a forged file
        raise RunError(f"{path} cannot be read as safetensors: {shortened(error)}. Use an intact copy.") from None


def digest(parts: Mapping[str, np.ndarray | bytes]) -> str:
    """Return the SHA-256 of named arrays or bytes."""
    return hashlib.sha256(b"".join(bytes(parts[name]) for name in sorted(parts))).hexdigest()


@cache
def shipped_network() -> Net:
    """Return the shipped network, trained with the preset standard.

    It plays by any rules: points of piles and of stopping follow the rules, values of calling those
    of standard.
    """
    return load(_SHIPPED)


def trained_for(rules: KoiKoiRules) -> bool:
    """Return whether the shipped network was trained with these rules."""
    return rules_after_deal(rules) == rules_after_deal(find_rules("standard"))
