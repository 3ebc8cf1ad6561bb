"""Value tables of Koi-Koi by rules: shipped ones, those in the user's cache, or new ones.

A shipped file is a safetensors file with the entries as multiples of a step and the outcome counts
of rounds (`match_state.OutcomeCounts`), both compressed. Its metadata are the rules, the training
and a checksum. `tefuda koikoi tables` makes one.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import warnings
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tefuda import __version__
from tefuda.errors import RunError, shortened
from tefuda.files import cache_folder, parse_json, write_bytes
from tefuda.koikoi.kernels import rounds as rounds_kernels
from tefuda.koikoi.kernels import tables as kernels
from tefuda.koikoi.match_state import OutcomeCounts
from tefuda.koikoi.players.network import digest, read_safetensors
from tefuda.koikoi.players.tables import (
    GROUPS,
    MOST_POINTS,
    WIDEST,
    TableTraining,
    count_outcomes,
    learn_tables,
    load,
    make_tables,
    save,
)
from tefuda.koikoi.rules import PRESETS, KoiKoiRules, rules_after_deal
from tefuda.settings import options
from tefuda.words import Notify
from tefuda.workers import ProgressFunction

_FOLDER = Path(__file__).parents[2] / "models"
_STEP = 0.05  # points; rounding to multiples adds an error of 0.06 points to a sum of 20 entries
_FORMAT = 1
_COUNTED_ROUNDS = 200_000  # rounds of outcome counts
_PACKED: dict[str, Any] = {"format": lzma.FORMAT_XZ, "preset": 9 | lzma.PRESET_EXTREME}
#: Training for rules without shipped tables, starting from the nearest preset: about 15 seconds.
SHORT = TableTraining(1_500_000)


def load_tables(
    rules: KoiKoiRules, training: TableTraining | None = None, *, progress: ProgressFunction | None = None
) -> kernels.ValueTables:
    """Load or learn tables for these rules.

    The shipped tables are used if there are any, then the user's cache; otherwise tables are
    learned and cached.

    Args:
        rules: the rules.
        training: settings to learn without initial tables, with seed 0; None: the shipped tables,
            else `SHORT`.
        progress: callback for rounds done and in all.
    """
    if training is None and (path := shipped_path(rules)) is not None:
        return load_shipped(path)[0]
    path = cache_path(rules, training or SHORT)
    if os.path.exists(path):
        with suppress(RunError):  # damaged
            return load(path)
    start = load_shipped(_shipped()[nearest_preset(rules)])[0] if training is None else None
    tables = learn_tables(rules_after_deal(rules), training or SHORT, tables=start, progress=progress)
    try:
        save(tables, path)
    except (OSError, RunError) as error:
        warnings.warn(f"the learned tables were not saved: {error}", stacklevel=2)
    return make_tables(tables.entries.astype(np.float16).astype(np.float32))  # the precision of the file


def report_learning(notify: Notify) -> ProgressFunction:
    """Return a callback that reports the progress of learning as text."""
    return lambda done, total: notify(f"learning value tables, round {done:,} of {total:,} (once for these rules)")


def cache_path(rules: KoiKoiRules, training: TableTraining) -> Path:
    """Return the path of tables in the user's cache, by rules, training and source of the learner."""
    played = rules_after_deal(rules)
    key = repr((played, played.extra, training, GROUPS, __version__)).encode()
    for module in (kernels, rounds_kernels):
        key += Path(str(module.__file__)).read_bytes()
    return cache_folder() / "koikoi" / f"tables-{hashlib.sha256(key).hexdigest()[:24]}.npz"


def nearest_preset(rules: KoiKoiRules) -> KoiKoiRules:
    """Return the rules with shipped tables that differ from these in the fewest options."""
    target = options(rules_after_deal(rules))
    return min(_shipped(), key=lambda rules: sum(value != target[name] for name, value in options(rules).items()))


def shipped_path(rules: KoiKoiRules) -> Path | None:
    """Return the shipped file of these rules; None if there is none."""
    return _shipped().get(rules_after_deal(rules))


def shipped_outcomes(rules: KoiKoiRules) -> OutcomeCounts | None:
    """Return the outcome counts shipped with the tables of these rules; None if there are none."""
    path = shipped_path(rules)
    return None if path is None else load_shipped(path)[1]


@cache
def _shipped() -> dict[KoiKoiRules, Path]:
    """Return the shipped files by rules; presets that differ only in redeals share one."""
    paths: dict[KoiKoiRules, Path] = {}
    for name, rules in PRESETS.items():
        paths.setdefault(rules_after_deal(rules), _FOLDER / f"koikoi-tables-{name}.safetensors")
    return paths


def make_shipped(
    path: Path, rules: KoiKoiRules, training: TableTraining, seed: int = 0, *, progress: ProgressFunction | None = None
) -> None:
    """Learn tables without initial ones and save them in the shipped format, with outcome counts.

    Raises:
        RunError: the folder cannot be written.
    """
    steps = _steps(learn_tables(rules, training, seed=seed, progress=progress))
    outcomes = count_outcomes(rules, _tables_of(steps), _COUNTED_ROUNDS, seed=seed)
    _save(path, rules, steps, outcomes, seed=seed, rounds=training.rounds)


def _steps(tables: kernels.ValueTables) -> np.ndarray:
    """Return the entries of tables, in the precision of the cache, as int16 multiples of the step."""
    entries = tables.entries.astype(np.float16).astype(np.float32)
    return np.clip(np.rint(entries / _STEP), -(2**15), 2**15 - 1).astype("<i2")


def _tables_of(steps: np.ndarray) -> kernels.ValueTables:
    return make_tables((steps * np.float32(_STEP)).astype(np.float32))


def _save(path: Path, rules: KoiKoiRules, steps: np.ndarray, outcomes: OutcomeCounts, **about: int) -> None:
    """Save multiples of the step `[2, PHASES, E]`, outcome counts, and numbers about the training."""
    from safetensors.numpy import save as packed

    data = {"entries": steps, "outlook": np.vstack([outcomes.points, outcomes.points_by_value]).astype("<i4")}
    raw = {name: _planes(array) for name, array in data.items()}
    header = {"format": _FORMAT, "rules": _fingerprint(rules), "sha256": digest(raw), **about}
    arrays = {name: np.frombuffer(lzma.compress(data, **_PACKED), dtype=np.uint8) for name, data in raw.items()}
    write_bytes(path, packed(arrays, {"about": json.dumps(header)}))  # one entry; several would be in random order


@cache
def load_shipped(path: Path) -> tuple[kernels.ValueTables, OutcomeCounts]:
    """Load a file of `make_shipped`.

    Raises:
        RunError: the file is missing, damaged, or its rules do not match its name.
    """
    arrays, metadata = read_safetensors(path)
    shapes = {
        "entries": ("<i2", make_tables().entries.shape),
        "outlook": ("<i4", (2 * MOST_POINTS + 2, 2 * WIDEST + 1)),
    }
    try:
        header = parse_json(metadata["about"].encode())
        raw = {name: _inflated(arrays[name].tobytes(), *shapes[name]) for name in shapes}
    except Exception as error:  # parsers may raise any error for a forged file
        raise RunError(f"{path} cannot be read as value tables: {shortened(error)}. Use an intact copy.") from None
    if not isinstance(header, dict) or (header.get("format"), header.get("sha256")) != (_FORMAT, digest(raw)):
        raise RunError(
            f"{path} is damaged or not a file of value tables: its checksum does not match. Use an intact copy."
        )
    named_rules = {shipped: rules for rules, shipped in _shipped().items()}.get(path)
    if named_rules is not None and header.get("rules") != _fingerprint(named_rules):
        raise RunError(f"{path} has tables of other rules than its name says. Use an intact copy.")
    entries, counts = (_joined(raw[name], *shapes[name]) for name in shapes)
    if (counts < 0).any():
        raise RunError(f"{path} has negative outcome counts. Use an intact copy.")
    return _tables_of(entries), OutcomeCounts(counts[0], counts[1:])


def _fingerprint(rules: KoiKoiRules) -> dict[str, Any]:
    return json.loads(json.dumps(options(rules_after_deal(rules)), default=asdict))


def _planes(array: np.ndarray) -> bytes:
    """Return numbers as compressible bytes: 0, -1, 1, -2 ... as 0, 1, 2, 3 ...; all low bytes first."""
    wide = array.astype(np.int64)
    folded = np.where(wide >= 0, 2 * wide, -2 * wide - 1).astype(array.dtype.str.replace("i", "u"))
    return folded.view(np.uint8).reshape(-1, array.itemsize).T.tobytes()


def _joined(raw: bytes, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return the array of `_planes`."""
    size = np.dtype(dtype).itemsize
    planes = np.frombuffer(raw, dtype=np.uint8).reshape(size, -1)
    folded = np.ascontiguousarray(planes.T).view(dtype.replace("i", "u")).astype(np.int64)
    return np.where(folded % 2, -(folded + 1) // 2, folded // 2).astype(dtype).reshape(shape)


def _inflated(data: bytes, dtype: str, shape: tuple[int, ...]) -> bytes:
    """Decompress the bytes of `_planes`.

    Raises:
        ValueError: there are fewer or more bytes than the array needs.
    """
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    inflater = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    raw = inflater.decompress(data, size + 1)
    if len(raw) != size or not inflater.eof:
        raise ValueError(f"expected {size} bytes, got {len(raw)} or more")
    return raw
