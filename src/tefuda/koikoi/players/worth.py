"""Value tables of Koi-Koi, learned in self-play: expected points by the places of a few cards together.

`archive` loads the shipped tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tefuda.files import ArraySpec, check_arrays, read_arrays, write_arrays
from tefuda.koikoi.cards import ANIMAL, CHAFF, RIBBON, of_kind
from tefuda.koikoi.kernels import values as kernels
from tefuda.koikoi.rules import KoiKoiRules
from tefuda.koikoi.simulator import compile_rules, streams
from tefuda.koikoi.standing import Outlook
from tefuda.settings import Validated, option
from tefuda.workers import ProgressFunction

#: Cards of common tables: the brights, the cup's yaku, poems, blue ribbons, the trio.
GROUPS = ((0, 8, 28, 40, 44), (8, 28, 32), (1, 5, 9), (21, 33, 37), (20, 24, 36))
_BLOCK = 100_000  # rounds between reports
MOST_POINTS, WIDEST = 30, 150  # largest points that outlooks tell apart: of values of tables, of rounds


@dataclass(frozen=True)
class Learning(Validated):
    """The settings of learning tables.

    rounds: number of rounds of self-play. explore: share of random choices. first, last: learning rates at the
    beginning and the end. trace: lambda of TD(lambda).
    """

    rounds: int = option(6_000_000, 1)
    explore: float = option(0.08, high=1)
    first: float = option(0.4, high=1)
    last: float = option(0.005, high=1)
    trace: float = option(0.5, high=1)

    def rate(self, done: int) -> float:
        """Return the learning rate after `done` rounds."""
        return self.first * (1 - done / self.rounds) ** 1.5 + self.last


def tables(entries: np.ndarray | None = None) -> kernels.Worth:
    """Return tables with these entries `[2, PHASES, E]`, or with zeros."""
    groups = np.full((len(GROUPS), max(map(len, GROUPS))), 48, dtype=np.uint64)
    for row, cards in zip(groups, GROUPS, strict=True):
        row[: len(cards)] = cards
    sizes = np.array([len(cards) for cards in GROUPS])
    counts = [*(kernels.PLACES**size for size in sizes), 49 * 16, 49 * 16, 169 * 25, *[5**4] * 12]
    fives = np.array([sum(5**card for card in range(4) if held >> card & 1) for held in range(16)])
    touched = np.array(
        [sum(1 << k for k, group in enumerate(GROUPS) if any(c >> 2 == m for c in group)) for m in range(12)]
    )
    offset = np.concatenate([[0], np.cumsum(counts)])
    sets = np.array([of_kind(ANIMAL), of_kind(RIBBON), of_kind(CHAFF) | 1 << 32], dtype=np.uint64)
    if entries is None:
        entries = np.zeros((2, kernels.PHASES, offset[-1]), dtype=np.float32)
    return kernels.Worth(groups, sizes, sets, touched, fives, offset, entries)


def learn(
    rules: KoiKoiRules,
    learning: Learning = Learning(),
    *,
    seed: int = 0,
    worth: kernels.Worth | None = None,
    progress: ProgressFunction | None = None,
) -> kernels.Worth:
    """Learn tables by self-play.

    Args:
        rules: the rules.
        learning: settings.
        seed: random seed of cards and choices.
        worth: initial tables, which are not changed.
        progress: callback for rounds done and in all.
    """
    found = tables(None if worth is None else worth.entries.copy())
    values, state = compile_rules(rules), streams(seed, 1)[0]
    if progress is not None:
        progress(0, learning.rounds)
    for done in range(0, learning.rounds, _BLOCK):
        count = min(_BLOCK, learning.rounds - done)
        rate = learning.rate(done)
        _, state = kernels.learn(values, found, count, learning.explore, rate, learning.trace, np.uint64(state))
        if progress is not None:
            progress(done + count, learning.rounds)
    return found


def survey(rules: KoiKoiRules, worth: kernels.Worth, rounds: int = 200_000, *, seed: int = 0) -> Outlook:
    """Return the outcomes of rounds, and of positions by their value in tables, in self-play.

    Args:
        rules: the rules.
        worth: tables of both players.
        rounds: number of rounds.
        seed: random seed of cards.
    """
    ended, thought = np.zeros(2 * WIDEST + 1, dtype=np.int64), np.zeros((2 * MOST_POINTS + 1, 2 * WIDEST + 1), np.int64)
    kernels.survey(compile_rules(rules), worth, rounds, streams(seed, 1)[0], ended, thought)
    return Outlook(ended, thought)


def save(worth: kernels.Worth, path: str | Path) -> None:
    """Save tables as a checksummed ``.npz``, entries as float16."""
    write_arrays(Path(path), {"entries": worth.entries.astype(np.float16)}, {"format": 1, "groups": GROUPS})


def load(path: str | Path) -> kernels.Worth:
    """Load saved tables; raise RunError if they are missing, damaged, or other tables."""
    arrays, _ = read_arrays(Path(path))
    check_arrays(path, arrays, {"entries": ArraySpec("float16", tables().entries.shape)})
    return tables(arrays["entries"].astype(np.float32))
