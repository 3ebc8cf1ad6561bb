"""Interchangeable suits: permutations, symmetries of boards, and numbers of classes.

A permutation is a tuple of four: suit s becomes permutation[s].
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import factorial

import numpy as np

from tefuda.holdem.cards import HANDS

Permutation = tuple[int, int, int, int]
#: All 24, the identity first.
PERMUTATIONS: tuple[Permutation, ...] = tuple(permutations(range(4)))  # type: ignore[arg-type]


def permute_card(card: int, permutation: Permutation) -> int:
    """Return a card with its suit replaced."""
    return card & ~3 | permutation[card & 3]


def permute_hands(permutation: Permutation) -> np.ndarray:
    """Return `[1326]` the number of each hand with its suits replaced."""
    low, high = np.sort(HANDS & ~np.uint8(3) | np.array(permutation, dtype=np.uint8)[HANDS & 3], axis=1).T.astype(int)
    return low * (101 - low) // 2 + high - 1


def symmetries(board: Sequence[int], weights: Sequence[np.ndarray] = ()) -> tuple[Permutation, ...]:
    """Return the permutations that change neither a board, as a set, nor any of the weights `[1326]` of hands."""
    cards = set(board)
    return tuple(
        p
        for p in PERMUTATIONS
        if {permute_card(card, p) for card in cards} == cards
        and all(np.array_equal(one, one[permute_hands(p)]) for one in weights)
    )


def count_classes(*rounds: int) -> int:
    """Count the classes of cards dealt in rounds of given sizes, in any order within a round.

    By Burnside's lemma: the mean over permutations of the deals they leave unchanged. Such a deal puts whole cycles of
    cards into rounds.

    >>> count_classes(2), count_classes(3), count_classes(2, 3)
    (169, 1755, 1286792)
    """
    return sum(_unchanged(p, rounds) for p in PERMUTATIONS) // factorial(4)


def _unchanged(permutation: Permutation, rounds: Sequence[int]) -> int:
    """Count the deals that a permutation leaves unchanged."""
    ways = {tuple(rounds): 1}  # by the cards still to be dealt
    for length in _cycles(permutation) * 13:
        for left, count in list(ways.items()):
            for place, missing in enumerate(left):
                if missing >= length:
                    rest = (*left[:place], missing - length, *left[place + 1 :])
                    ways[rest] = ways.get(rest, 0) + count
    return ways.get((0,) * len(rounds), 0)


def _cycles(permutation: Permutation) -> list[int]:
    """Return the lengths of a permutation's cycles."""
    left, lengths = set(range(4)), []
    while left:
        start = at = left.pop()
        length = 1
        while (at := permutation[at]) != start:
            left.remove(at)
            length += 1
        lengths.append(length)
    return lengths


def inverse(permutation: Permutation) -> Permutation:
    """Return the permutation that undoes another."""
    return tuple(map(permutation.index, range(4)))  # type: ignore[return-value]


def compose(first: Permutation, second: Permutation) -> Permutation:
    """Return one permutation after another."""
    return tuple(second[suit] for suit in first)  # type: ignore[return-value]
