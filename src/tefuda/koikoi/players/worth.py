"""Value tables of Koi-Koi, learned in self-play: the points expected from where a few cards lie together.

A player by these tables decides in a microsecond and beats greedy play by two points a round after six million rounds
of learning, a minute; searchers play worlds on with them. `archive` loads the tables that come with tefuda.

What was tried, points a round against greedy play after a million rounds, +-.02: as below +1.77; without the cards of a
month as tables +.9 (after two million; with them +1.67); exploring .05 +1.74, .2 +1.65; a first rate of .15 +1.58, of 1
+1.74; rates falling with each entry's own count +1.74, by temporal coherence (Beal 1999) +1.68; lambda .8 +1.69; the
mean of the last entries instead of the last +-0; how many months lie open and can be taken: -.07; ribbons by colour
together: -.02. After six million: +2.10.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tefuda.errors import check_range
from tefuda.files import Array, check_arrays, read_arrays, write_arrays
from tefuda.koikoi.cards import ANIMAL, CHAFF, RIBBON, of_kind
from tefuda.koikoi.kernels import values as kernels
from tefuda.koikoi.rules import KoiKoiRules
from tefuda.koikoi.simulator import compile_rules, streams
from tefuda.koikoi.standing import Outlook
from tefuda.workers import Counting

#: Cards that are looked at together: the brights, the cup's yaku, poems, blue ribbons, the trio.
GROUPS = ((0, 8, 28, 40, 44), (8, 28, 32), (1, 5, 9), (21, 33, 37), (20, 24, 36))
_BLOCK = 100_000  # rounds between reports
MOST_POINTS, WIDEST = 30, 150  # points: what tables may think, what rounds may bring; beyond them as there


@dataclass(frozen=True)
class Learning:
    """How tables are learned.

    rounds: against oneself. explore: the part of random choices. first, last: the rates at the beginning and the end.
    trace: lambda of TD(lambda).
    """

    rounds: int = 6_000_000
    explore: float = 0.08
    first: float = 0.4
    last: float = 0.005
    trace: float = 0.5

    def __post_init__(self) -> None:
        check_range("rounds", self.rounds, 1)
        for name in ("explore", "first", "last", "trace"):
            check_range(name, getattr(self, name), 0, 1, whole=False)

    def rate(self, done: int) -> float:
        """The rate after so many rounds."""
        return self.first * (1 - done / self.rounds) ** 1.5 + self.last


def tables(entries: np.ndarray | None = None) -> kernels.Worth:
    """Tables with these entries `[2, PHASES, E]`, or with zeros."""
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
    progress: Counting | None = None,
) -> kernels.Worth:
    """Learn tables by playing rounds against oneself.

    Args:
        rules: what is played for.
        learning: how, and how long.
        seed: of cards and choices.
        worth: tables to begin with; they are not changed.
        progress: told rounds done and in all.
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
    """Find out in rounds of self-play what rounds, and positions that tables think worth so much, come to.

    Args:
        rules: what is played for.
        worth: tables.
        rounds: how many.
        seed: of cards.
    """
    ended, thought = np.zeros(2 * WIDEST + 1, dtype=np.int64), np.zeros((2 * MOST_POINTS + 1, 2 * WIDEST + 1), np.int64)
    kernels.survey(compile_rules(rules), worth, rounds, streams(seed, 1)[0], ended, thought)
    return Outlook(ended, thought)


def save(worth: kernels.Worth, path: str | Path) -> None:
    """Write tables as a checksummed ``.npz``, entries as float16."""
    write_arrays(Path(path), {"entries": worth.entries.astype(np.float16)}, {"format": 1, "groups": GROUPS})


def load(path: str | Path) -> kernels.Worth:
    """Read saved tables.

    Raises:
        RunError: the file is missing, damaged, or of other tables.
    """
    arrays, _ = read_arrays(Path(path))
    check_arrays(path, arrays, {"entries": Array("float16", tables().entries.shape)})
    return tables(arrays["entries"].astype(np.float32))
