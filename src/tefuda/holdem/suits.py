"""Isomorphic suits: permutations, symmetries of boards, and numbers of classes.

A permutation is a tuple of four suits: suit s becomes permutation[s].
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, permutations, repeat
from math import factorial

import numpy as np

from tefuda.holdem.cards import HANDS

Permutation = tuple[int, int, int, int]
#: All 24 permutations, the identity first.
PERMUTATIONS: tuple[Permutation, ...] = tuple(permutations(range(4)))  # type: ignore[arg-type]


def permute_card(card: int, permutation: Permutation) -> int:
    """Return a card with its suit permuted."""
    return card & ~3 | permutation[card & 3]


def permute_hands(permutation: Permutation) -> np.ndarray:
    """Return `[1326]` number of each hand with its suits permuted."""
    low, high = np.sort(HANDS & ~np.uint8(3) | np.array(permutation, dtype=np.uint8)[HANDS & 3], axis=1).T.astype(int)
    return low * (101 - low) // 2 + high - 1


def symmetries(board: Sequence[int], weights: Sequence[np.ndarray] = ()) -> tuple[Permutation, ...]:
    """Return the permutations that leave a board, as a set, and all weights `[1326]` of hands unchanged."""
    cards = set(board)
    return tuple(
        p
        for p in PERMUTATIONS
        if {permute_card(card, p) for card in cards} == cards
        and all(np.array_equal(weights_, weights_[permute_hands(p)]) for weights_ in weights)
    )


def count_classes(*rounds: int) -> int:
    """Count the classes of deals up to permutations of suits; the order within a round does not matter.

    By Burnside's lemma, the count is the mean number of deals that a permutation leaves unchanged. In these deals all
    cards of a cycle belong to the same round.

    Args:
        rounds: number of cards of each round.

    >>> count_classes(2), count_classes(3), count_classes(2, 3)
    (169, 1755, 1286792)
    """
    return sum(_unchanged(p, rounds) for p in PERMUTATIONS) // factorial(4)


def _unchanged(permutation: Permutation, rounds: Sequence[int]) -> int:
    ways = {tuple(rounds): 1}  # number of ways, by the numbers of cards still to deal in each round
    for length in _cycles(permutation) * 13:
        for missing, count in list(ways.items()):
            for index, number in enumerate(missing):
                if number >= length:
                    rest = (*missing[:index], number - length, *missing[index + 1 :])
                    ways[rest] = ways.get(rest, 0) + count
    return ways.get((0,) * len(rounds), 0)


def _cycles(permutation: Permutation) -> list[int]:
    powers = list(accumulate(repeat(permutation, 12), compose))
    return [len(cycle) for cycle in {frozenset(power[suit] for power in powers) for suit in range(4)}]


def inverse(permutation: Permutation) -> Permutation:
    """Return the inverse of a permutation."""
    return tuple(map(permutation.index, range(4)))  # type: ignore[return-value]


def compose(first: Permutation, second: Permutation) -> Permutation:
    """Return the composition of two permutations."""
    return tuple(second[suit] for suit in first)  # type: ignore[return-value]
