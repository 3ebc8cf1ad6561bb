"""Many rounds of Koi-Koi at once, on bit masks: the rules of `KoiKoi` compiled."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from tefuda._kernels import koikoi as kernels
from tefuda.errors import check_seed
from tefuda.koikoi.cards import DECK
from tefuda.koikoi.rules import BONUSES, REDEALS, KoiKoiRules

#: What greedy play takes a card for, by kind.
WORTH = {"B": 20, "A": 10, "R": 5, "C": 1}


def streams(seed: int, count: int) -> np.ndarray:
    """The first states `[count]` uint64 of streams of random numbers.

    Raises:
        ParameterError: no seed.
    """
    check_seed(seed)
    return np.random.SeedSequence(seed).generate_state(count, np.uint64)


def reasons_of(redeal: Iterable[str]) -> int:
    """Why cards are dealt again, as kernels read it."""
    return sum(1 << REDEALS.index(reason) for reason in set(redeal))


@lru_cache(maxsize=32)
def compile_rules(rules: KoiKoiRules, turns: int = 16) -> kernels.Values:
    """Rules as kernels read them."""
    numbers = [
        (one.need, one.points, one.points if one.called is None else one.called, one.step, one.group == "bright")
        for one in rules.yaku
    ]
    most = -1 if rules.max_koikoi is None else rules.max_koikoi
    options = (
        BONUSES.index(rules.own_bonus), rules.double_at, rules.opponent_called, rules.bright_factor, most,
        rules.exhaustion, turns, reasons_of(rules.dealt_again),
    )  # fmt: skip
    return kernels.Values(
        np.array([one.cards for one in rules.yaku], dtype=np.uint64),
        np.array([one.unless for one in rules.yaku], dtype=np.uint64),
        np.array(numbers, dtype=np.int64).reshape(-1, 5),
        np.array(options, dtype=np.int64),
        np.array([WORTH[card.kind] for card in DECK], dtype=np.int64),
    )
