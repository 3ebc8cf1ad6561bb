"""Strengths of poker hands of five to seven cards."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb

import numpy as np

from tefuda.errors import ParameterError
from tefuda.holdem.cards import CARDS, HANDS, RANKS, mask_of, read_cards
from tefuda.holdem.kernels import rank as kernels

CATEGORIES = (
    "high card", "one pair", "two pair", "three of a kind", "straight", "flush", "full house", "four of a kind",
    "straight flush",
)  # fmt: skip

#: `[52]` each card as a set of one, and `[1326]` each hand as a set.
MASKS = np.array([mask_of([card]) for card in range(CARDS)], dtype=np.uint64)
SETS = MASKS[HANDS[:, 0]] | MASKS[HANDS[:, 1]]


def strength(cards: str | Iterable[int]) -> int:
    """Return the strength of the best five of five to seven cards: more is better, equal is a tie.

    Raises:
        ParameterError: more or fewer cards, or a card that is there twice or does not exist.
    """
    held = read_cards(cards) if isinstance(cards, str) else tuple(cards)
    if not 5 <= len(held) <= 7:
        raise ParameterError(f"{len(held)} cards have no strength; give five to seven.")
    if not {*held} <= {*range(CARDS)} or len({*held}) < len(held):
        raise ParameterError(f"cards are {held}; give different ones of 0 to {CARDS - 1}, or a text.")
    return int(strengths(np.array([mask_of(held)], dtype=np.uint64))[0])


def strengths(sets: np.ndarray) -> np.ndarray:
    """Return `[N]` int32 the strengths of sets of five to seven cards, `[N]` uint64 as `cards.mask_of` makes them."""
    found = np.zeros(len(sets), dtype=np.int32)
    kernels.evaluate_all(np.ascontiguousarray(sets, dtype=np.uint64), found)
    return found


def strength_text(value: int) -> str:
    """Return a strength in words: ``"two pair: A 8, Q"``, ``"straight to the 5"``."""
    category = value >> kernels.CATEGORY_SHIFT
    made, rest = (" ".join(RANKS[r] for r in range(12, -1, -1) if value >> shift + r & 1) for shift in (13, 0))
    if category in (kernels.STRAIGHT, kernels.STRAIGHT_FLUSH):
        return f"{CATEGORIES[category]} to the {made}"
    return f"{CATEGORIES[category]}: {made}" + (f", {rest}" if rest else "")


def count_categories(cards: int = 7) -> tuple[dict[str, int], int]:
    """Count all hands of 5, 6 or 7 cards of the deck.

    Returns:
        The number of hands of each category, and the number of different strengths.
    """
    counts = np.zeros(kernels.CATEGORIES, dtype=np.int64)
    seen = np.zeros(kernels.CATEGORIES << (kernels.CATEGORY_SHIFT - 6), dtype=np.uint64)
    kernels.count_all(MASKS, cards, counts, seen)
    assert counts.sum() == comb(CARDS, cards)
    return dict(zip(CATEGORIES, counts.tolist(), strict=True)), int(np.bitwise_count(seen).sum())
