"""Strengths of poker hands of five to seven cards."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb

import numpy as np

from tefuda.errors import ParameterError
from tefuda.holdem.cards import CARDS, HANDS, RANKS, mask_of, read_cards
from tefuda.holdem.kernels import rank as kernels
from tefuda.holdem.phrases import phrases

CATEGORIES = (
    "high card", "one pair", "two pair", "three of a kind", "straight", "flush", "full house", "four of a kind",
    "straight flush",
)  # fmt: skip

#: Masks of the 52 cards, `[52]`, and of the 1,326 hands, `[1326]`.
MASKS = np.array([mask_of([card]) for card in range(CARDS)], dtype=np.uint64)
SETS = MASKS[HANDS[:, 0]] | MASKS[HANDS[:, 1]]


def strength(cards: str | Iterable[int]) -> int:
    """Return the strength of the best five of five to seven cards; a higher strength wins, equal ones tie.

    Args:
        cards: text such as ``"As Ks Qs Js Ts"``, or card numbers.

    Raises:
        ParameterError: the number of cards is wrong, or a card is repeated or does not exist.
    """
    cards_ = read_cards(cards) if isinstance(cards, str) else tuple(cards)
    if not 5 <= len(cards_) <= 7:
        raise ParameterError(f"a strength needs five to seven cards; got {len(cards_)}.")
    if not {*cards_} <= {*range(CARDS)} or len({*cards_}) < len(cards_):
        raise ParameterError(f"cards must be different numbers from 0 to {CARDS - 1}, or a text; got {cards_}.")
    return int(strengths(np.array([mask_of(cards_)], dtype=np.uint64))[0])


def strengths(sets: np.ndarray) -> np.ndarray:
    """Return `[N]` int32 strengths of sets of five to seven cards, `[N]` uint64 (`cards.mask_of`)."""
    values = np.zeros(len(sets), dtype=np.int32)
    kernels.evaluate_all(np.ascontiguousarray(sets, dtype=np.uint64), values)
    return values


def strength_text(value: int, language: str = "en") -> str:
    """Return a description of a strength, such as ``"two pair: A 8, Q"`` or ``"straight to the 5"``."""
    words = phrases("strength", language)
    category = value >> kernels.CATEGORY_SHIFT
    made, rest = (" ".join(RANKS[r] for r in range(12, -1, -1) if value >> shift + r & 1) for shift in (13, 0))
    if category in (kernels.STRAIGHT, kernels.STRAIGHT_FLUSH):
        return words["run"].format(words[CATEGORIES[category]], made)
    name = words[CATEGORIES[category]]
    return words["kickers"].format(name, made, rest) if rest else words["made"].format(name, made)


def count_categories(cards: int = 7) -> tuple[dict[str, int], int]:
    """Count the categories over all hands of 5, 6 or 7 cards.

    Args:
        cards: number of cards of a hand.

    Returns:
        The number of hands of each category, and the number of distinct strengths.
    """
    counts = np.zeros(kernels.CATEGORIES, dtype=np.int64)
    seen = np.zeros(kernels.CATEGORIES << (kernels.CATEGORY_SHIFT - 6), dtype=np.uint64)
    kernels.count_all(MASKS, cards, counts, seen)
    assert counts.sum() == comb(CARDS, cards)
    return dict(zip(CATEGORIES, counts.tolist(), strict=True)), int(np.bitwise_count(seen).sum())
