"""A hand of limit hold'em as a player observed it, with buckets, and its probability under a strategy.

Letters: R infoset-action pairs, H 1,326 hands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda.holdem.cards import HANDS, mask_of
from tefuda.holdem.limit.graph import BettingDecision
from tefuda.holdem.limit.sampler import Abstraction
from tefuda.holdem.rank import SETS


@dataclass(frozen=True)
class BucketedHand:
    """Finished hand as one player observed it.

    Attributes:
        decisions: all decisions.
        board: cards of the board.
        hands: hand of each seat; -1 if hidden.
        buckets: `[4, H]` bucket of each hand on each street.
    """

    decisions: tuple[BettingDecision, ...]
    board: tuple[int, ...]
    hands: tuple[int, ...]
    buckets: np.ndarray  # [4, H]

    def of(self, player: int) -> list[BettingDecision]:
        """Return the decisions of a player."""
        return [decision for decision in self.decisions if decision.player == player]


def likelihoods(game: Abstraction, sigma: np.ndarray, hand: BucketedHand, player: int) -> np.ndarray:
    """Return `[H]` probabilities of a player's actions in a hand under a strategy; 0 for impossible hands."""
    dead = mask_of(hand.board) | sum(
        int(SETS[hand_]) for seat, hand_ in enumerate(hand.hands) if hand_ >= 0 and seat != player
    )
    probabilities = ((SETS & np.uint64(dead)) == 0).astype(np.float64)
    if hand.hands[player] >= 0:
        probabilities[np.arange(len(HANDS)) != hand.hands[player]] = 0.0
    possible = probabilities > 0
    for decision in hand.of(player):
        probabilities[possible] *= sigma[game.row(decision, hand.buckets[decision.street, possible])]
    return probabilities
