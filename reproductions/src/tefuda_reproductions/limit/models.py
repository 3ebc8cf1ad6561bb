"""Models of opponents at limit hold'em: actions by situation and bucket, including hidden hands.

A situation is the street, the number of raises on it, and whether the player faces a bet (furui2011).
Letters: R infoset-action pairs, H 1,326 hands, S situations, B buckets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda.holdem.buckets.graph import BettingDecision
from tefuda.holdem.buckets.sampler import Abstraction
from tefuda.holdem.cards import HANDS, hand_number, mask_of, read_cards
from tefuda.holdem.rank import SETS
from tefuda.playing.agents import ObservedHand

_RAISES, _FACES, _ACTIONS = 5, 2, 3
_GENERAL = 8.0  # maximum weight, in plays, of a player's actions over all situations


class InfosetActions:
    """Index of the infoset-action pairs (rows) of a game.

    Args:
        game: the game in buckets.

    Attributes:
        node, bucket, action, player: `[R]` of each row.
        situation: `[N]` of each node.
    """

    def __init__(self, game: Abstraction) -> None:
        arrays, raises = game.arrays, np.minimum(game.graph.raises, _RAISES - 1)
        self.game = game
        self.node = np.repeat(np.arange(len(arrays.base)), arrays.size * np.array(game.counts)[arrays.street])
        self.bucket, offset = np.divmod(np.arange(game.rows) - arrays.base[self.node], arrays.size[self.node])
        self.action = offset + arrays.low[self.node]
        self.player = arrays.player[self.node]
        self.situation = (arrays.street * _RAISES + raises) * _FACES + (arrays.low == 0)

    def possible(self, counts: np.ndarray) -> np.ndarray:
        """Return `[R]` counts of each row's action from counts `[R, 3]`; impossible actions count as calls."""
        arrays, all_rows = self.game.arrays, np.arange(self.game.rows)
        high = arrays.low + arrays.size - 1
        totals = counts[all_rows, self.action].astype(np.float64)
        for action in (0, 2):
            impossible = (action < arrays.low[self.node]) | (action > high[self.node])
            totals += np.where((self.action == 1) & impossible, counts[all_rows, action], 0.0)
        return totals


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


def bucketed_hand(game: Abstraction, hand: ObservedHand) -> BucketedHand:
    """Return a finished hand from a player's observation of it at a table of `tefuda.holdem.hands.whole`."""
    _, board, line = str(hand.view).split("|")
    views = list(hand.shown)
    views[hand.seat] = hand.view
    hands = tuple(hand_number(*read_cards(str(view).split("|")[0])) if view else -1 for view in views)
    cards = read_cards(board)
    return BucketedHand(tuple(game.graph.decisions(line)), cards, hands, game.buckets_on(cards))


class OpponentModel:
    """Model of a player's actions in each situation with each bucket.

    A chain of Dirichlet models copes with few observations. Its levels are the expected strategy, the player's
    actions with and without a bet to call, its actions in the situation, and its actions with the bucket. Each
    level is the prior of the next and counts as `strength` plays. A hidden hand is divided among the possible
    hands in proportion to their likelihood under the model.

    Args:
        rows: infoset-action pairs of the game.
        expected: `[R]` expected strategy.
        strength: number of fictitious plays of each prior.
    """

    def __init__(self, rows: InfosetActions, expected: np.ndarray, strength: float = 4.0) -> None:
        self._rows, self._strength = rows, strength
        self._expected = 0.8 * expected + 0.2 * uniform(rows.game)  # every action has a positive probability
        self.counts = np.zeros((4 * _RAISES * _FACES, max(rows.game.counts), _ACTIONS))
        self.sigma = self._expected.astype(np.float32)

    def observe(self, hand: BucketedHand, player: int) -> None:
        """Count the player's actions in a hand."""
        game, decisions = self._rows.game, hand.of(player)
        weights = likelihoods(game, self.sigma, hand, player)
        if not decisions or not weights.sum() > 0:
            return
        weights /= weights.sum()
        possible = weights > 0
        for decision in decisions:
            situation = self._rows.situation[decision.node]
            np.add.at(
                self.counts, (situation, hand.buckets[decision.street, possible], decision.action), weights[possible]
            )

    def estimate(self) -> np.ndarray:
        """Return `[R]` float32 strategy that the model now expects of the player."""
        rows, situation = self._rows, self._rows.situation[self._rows.node]
        by_situation = self.counts.sum(axis=1)
        by_bet = by_situation.reshape(-1, _FACES, _ACTIONS).sum(axis=0)
        by_bet *= np.minimum(1, _GENERAL / np.maximum(by_bet.sum(axis=1, keepdims=True), 1e-9))
        expected: np.ndarray = self._expected
        for counts in (by_bet[situation % _FACES], by_situation[situation], self.counts[situation, rows.bucket]):
            expected = rows.game.normalised((self._strength * expected + rows.possible(counts)).astype(np.float32))
        self.sigma = expected
        return expected


def uniform(game: Abstraction) -> np.ndarray:
    """Return the uniform strategy, `[R]` float32."""
    return game.normalised(np.zeros(game.rows, dtype=np.float32))


def stereotype(game: Abstraction, name: str) -> np.ndarray:
    """Return the strategy of a simple player, `[R]` float32.

    Args:
        game: the game in buckets; buckets are in rising order of strength.
        name: ``"caller"`` checks and calls; ``"raiser"`` bets and raises; ``"random"`` plays uniformly;
            ``"tight"`` raises with the best tenth of the buckets and calls with the best three tenths;
            ``"loose"`` raises with the better half and calls with all but the worst tenth.
    """
    rows = InfosetActions(game)
    strength = (rows.bucket + 0.5) / np.array(game.counts)[game.arrays.street[rows.node]]
    if name == "random":
        return uniform(game)
    actions = {
        "caller": np.ones(len(strength)),
        "raiser": np.full(len(strength), 2),
        "tight": np.select([strength >= 0.9, strength >= 0.7], [2, 1], 0),
        "loose": np.select([strength >= 0.5, strength >= 0.1], [2, 1], 0),
    }[name].astype(np.int64)
    low = game.arrays.low[rows.node]
    high = low + game.arrays.size[rows.node] - 1
    return game.normalised((rows.action == np.clip(actions, low, high)).astype(np.float32))
