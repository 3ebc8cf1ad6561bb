"""Value tables of Koi-Koi, learned in self-play: expected points by the locations of a few cards.

`archive` loads the shipped tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tefuda.files import ArraySpec, check_arrays, read_arrays, write_arrays
from tefuda.koikoi.cards import ANIMAL, CHAFF, RIBBON, of_kind
from tefuda.koikoi.kernels import tables as kernels
from tefuda.koikoi.match_state import OutcomeCounts
from tefuda.koikoi.rules import KoiKoiRules
from tefuda.koikoi.simulator import compile_rules, streams
from tefuda.settings import Validated, option
from tefuda.workers import ProgressFunction, pieces

#: Groups of cards: the brights, the sake yaku, poems, blue ribbons, inoshikacho.
GROUPS = ((0, 8, 28, 40, 44), (8, 28, 32), (1, 5, 9), (21, 33, 37), (20, 24, 36))
_BLOCK = 100_000  # rounds between reports
MOST_POINTS, WIDEST = 30, 150  # maximum points of outcome counts: values of tables, points of rounds


@dataclass(frozen=True)
class TableTraining(Validated):
    """The settings of learning tables.

    Attributes:
        rounds: number of rounds of self-play.
        explore: share of random choices.
        first: learning rate at the beginning.
        last: learning rate at the end.
        trace: lambda of TD(lambda).
    """

    rounds: int = option(6_000_000, 1)
    explore: float = option(0.08, high=1)
    first: float = option(0.4, high=1)
    last: float = option(0.005, high=1)
    trace: float = option(0.5, high=1)

    def rate(self, done: int) -> float:
        """Return the learning rate after `done` rounds."""
        return self.first * (1 - done / self.rounds) ** 1.5 + self.last


def make_tables(entries: np.ndarray | None = None) -> kernels.ValueTables:
    """Return tables with entries `[2, PHASES, E]`; None: zeros."""
    groups = np.full((len(GROUPS), max(map(len, GROUPS))), 48, dtype=np.uint64)
    for row, cards in zip(groups, GROUPS, strict=True):
        row[: len(cards)] = cards
    sizes = np.array([len(cards) for cards in GROUPS])
    counts = [*(kernels.LOCATIONS**size for size in sizes), 49 * 16, 49 * 16, 169 * 25, *[5**4] * 12]
    fives = np.array([sum(5**card for card in range(4) if present >> card & 1) for present in range(16)])
    touched = np.array(
        [sum(1 << k for k, group in enumerate(GROUPS) if any(c >> 2 == m for c in group)) for m in range(12)]
    )
    offset = np.concatenate([[0], np.cumsum(counts)])
    sets = np.array([of_kind(ANIMAL), of_kind(RIBBON), of_kind(CHAFF) | 1 << 32], dtype=np.uint64)
    if entries is None:
        entries = np.zeros((2, kernels.PHASES, offset[-1]), dtype=np.float32)
    return kernels.ValueTables(groups, sizes, sets, touched, fives, offset, entries)


def learn_tables(
    rules: KoiKoiRules,
    training: TableTraining = TableTraining(),
    *,
    seed: int = 0,
    tables: kernels.ValueTables | None = None,
    progress: ProgressFunction | None = None,
) -> kernels.ValueTables:
    """Learn tables by self-play.

    Args:
        rules: the rules.
        training: settings.
        seed: random seed of cards and choices.
        tables: initial tables, not modified.
        progress: callback for rounds done and in all.
    """
    learned = make_tables(None if tables is None else tables.entries.copy())
    compiled, stream = compile_rules(rules), streams(seed, 1)[0]
    if progress is not None:
        progress(0, training.rounds)
    for block in pieces(training.rounds, _BLOCK, progress):
        count, rate = block.stop - block.start, training.rate(block.start)
        _, stream = kernels.learn(compiled, learned, count, training.explore, rate, training.trace, np.uint64(stream))
    return learned


def count_outcomes(
    rules: KoiKoiRules, tables: kernels.ValueTables, rounds: int = 200_000, *, seed: int = 0
) -> OutcomeCounts:
    """Count the outcomes of rounds of self-play, overall and by the tables' value of positions.

    Args:
        rules: the rules.
        tables: tables of both players.
        rounds: number of rounds.
        seed: random seed of cards.
    """
    points = np.zeros(2 * WIDEST + 1, dtype=np.int64)
    points_by_value = np.zeros((2 * MOST_POINTS + 1, len(points)), dtype=np.int64)
    kernels.count_outcomes(compile_rules(rules), tables, rounds, streams(seed, 1)[0], points, points_by_value)
    return OutcomeCounts(points, points_by_value)


def save(tables: kernels.ValueTables, path: str | Path) -> None:
    """Save tables as a checksummed ``.npz``, entries as float16."""
    write_arrays(Path(path), {"entries": tables.entries.astype(np.float16)}, {"format": 1, "groups": GROUPS})


def load(path: str | Path) -> kernels.ValueTables:
    """Load saved tables.

    Raises:
        RunError: the file is missing, damaged, or has other tables.
    """
    arrays, _ = read_arrays(Path(path))
    check_arrays(path, arrays, {"entries": ArraySpec("float16", make_tables().entries.shape)})
    return make_tables(arrays["entries"].astype(np.float32))
