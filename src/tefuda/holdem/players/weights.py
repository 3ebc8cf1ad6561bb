"""Ranges of both players along a hand as it is played: a weight for each of the 1,326 hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from tefuda.holdem.cards import HANDS, mask_of
from tefuda.holdem.ranges import Range
from tefuda.holdem.rank import SETS

#: Fallbacks of ranges in which no hand is left: the range before the action, or all hands.
VANISHED, EMPTIED = "range before the action", "all hands"


@dataclass(frozen=True, eq=False)
class HandWeights:
    """Ranges of both players on a board.

    Attributes:
        weights: `[2, 1326]` weights of each player's hands, at most 1; 0 for hands that the board blocks.
        board: cards of the board.
    """

    weights: np.ndarray  # [2, 1326]
    board: tuple[int, ...] = ()

    @classmethod
    def all_hands(cls) -> HandWeights:
        """Return the ranges before the first action: all hands."""
        return cls(np.ones((2, len(HANDS))))

    def range_of(self, player: int) -> Range:
        """Return the range of a player."""
        return Range(self.weights[player])

    def after_action(self, player: int, shares: np.ndarray, fallbacks: Counter[str]) -> HandWeights:
        """Return the ranges after an action.

        Args:
            player: the player to move.
            shares: `[1326]` probability of the action with each hand; nan counts as 0.
            fallbacks: counts the action if no hand would be left; then the range does not change.
        """
        after = self.weights[player] * np.nan_to_num(shares)
        if not after.any():
            fallbacks[VANISHED] += 1
            return self
        weights = self.weights.copy()
        weights[player] = after / after.max()
        return replace(self, weights=weights)

    def after_cards(self, cards: Iterable[int], fallbacks: Counter[str]) -> HandWeights:
        """Return the ranges after cards of the board; all hands for a player of whom none would be left."""
        board = (*self.board, *cards)
        free = (SETS & np.uint64(mask_of(board))) == 0
        weights = np.where(free, self.weights, 0.0)
        for player in (0, 1):
            if not weights[player].any():
                fallbacks[EMPTIED] += 1
                weights[player] = free
            weights[player] /= weights[player].max()
        return HandWeights(weights, board)
