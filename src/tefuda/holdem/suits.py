"""Suits are interchangeable: permutations of them, canonical sets of cards, and how many classes there are.

A permutation is a tuple of four: suit s becomes permutation[s].
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations
from math import factorial

import numpy as np

from tefuda.holdem.cards import HANDS

Permutation = tuple[int, int, int, int]
#: All 24, the identity first.
PERMUTATIONS: tuple[Permutation, ...] = tuple(permutations(range(4)))  # type: ignore[arg-type]


def moved(card: int, permutation: Permutation) -> int:
    """A card with its suit replaced."""
    return card & ~3 | permutation[card & 3]


def moved_hands(permutation: Permutation) -> np.ndarray:
    """`[1326]` the number of each hand with its suits replaced."""
    low, high = np.sort(HANDS & ~np.uint8(3) | np.array(permutation, dtype=np.uint8)[HANDS & 3], axis=1).T.astype(int)
    return low * (101 - low) // 2 + high - 1


def canonical(*sets: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    """Sets of cards, such as a hand and a board, as they stand for all that only differ by names of suits.

    >>> canonical((51, 46), (0,)) == canonical((50, 47), (1,))
    True
    """
    given = [tuple(one) for one in sets]
    return min(tuple(tuple(sorted(moved(card, p) for card in one)) for one in given) for p in PERMUTATIONS)


def symmetries(board: Sequence[int], weights: Sequence[np.ndarray] = ()) -> tuple[Permutation, ...]:
    """The permutations that change neither a board, as a set, nor any of the weights `[1326]` of hands."""
    cards = set(board)
    return tuple(
        p
        for p in PERMUTATIONS
        if {moved(card, p) for card in cards} == cards
        and all(np.array_equal(one, one[moved_hands(p)]) for one in weights)
    )


def count_classes(*rounds: int) -> int:
    """How many classes there are of cards dealt in rounds of so many, their order within a round forgotten.

    By Burnside's lemma: the mean over permutations of the deals they leave as they are. Such a deal puts whole cycles
    of cards into rounds.

    >>> count_classes(2), count_classes(3), count_classes(2, 3)
    (169, 1755, 1286792)
    """
    return sum(_unchanged(p, rounds) for p in PERMUTATIONS) // factorial(4)


def _unchanged(permutation: Permutation, rounds: Sequence[int]) -> int:
    """The deals that a permutation leaves as they are."""
    ways = {tuple(rounds): 1}  # by what is still to be dealt
    for length in _cycles(permutation) * 13:
        for left, count in list(ways.items()):
            for place, missing in enumerate(left):
                if missing >= length:
                    rest = (*left[:place], missing - length, *left[place + 1 :])
                    ways[rest] = ways.get(rest, 0) + count
    return ways.get((0,) * len(rounds), 0)


def _cycles(permutation: Permutation) -> list[int]:
    """The lengths of a permutation's cycles."""
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
    """The permutation that undoes another."""
    found = [0, 0, 0, 0]
    for suit, to in enumerate(permutation):
        found[to] = suit
    return (found[0], found[1], found[2], found[3])


def then(first: Permutation, second: Permutation) -> Permutation:
    """One permutation after another."""
    return (second[first[0]], second[first[1]], second[first[2]], second[first[3]])
