"""Models of opponents at limit hold'em: their actions by situation and bucket, hidden hands included.

A situation is the street, the number of raises on it, and whether there is a bet to call, as in furui2011. Letters: R
rows, H 1,326 hands, S situations, B buckets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda.holdem.cards import HANDS, hand_number, mask_of, read_cards
from tefuda.holdem.limit.graph import Deed
from tefuda.holdem.limit.sampler import Abstraction
from tefuda.holdem.rank import SETS
from tefuda.playing.agents import Sight

_RAISES, _FACES, _ACTIONS = 5, 2, 3
_GENERAL = 8.0  # maximum of plays that count for a player's habits over all situations


class Rows:
    """The rows of a game.

    node, bucket, action, player: `[R]` of each row. situation: `[N]` of each node.

    Args:
        game: the game in buckets.
    """

    def __init__(self, game: Abstraction) -> None:
        arrays, raises = game.arrays, np.minimum(game.graph.raises, _RAISES - 1)
        self.game = game
        self.node = np.repeat(np.arange(len(arrays.base)), arrays.size * np.array(game.counts)[arrays.street])
        self.bucket, place = np.divmod(np.arange(game.rows) - arrays.base[self.node], arrays.size[self.node])
        self.action = place + arrays.low[self.node]
        self.player = arrays.player[self.node]
        self.situation = (arrays.street * _RAISES + raises) * _FACES + (arrays.low == 0)

    def possible(self, counts: np.ndarray) -> np.ndarray:
        """Return `[R]` the count of each row's action from `[R, 3]`; impossible actions count as calls."""
        arrays, every = self.game.arrays, np.arange(self.game.rows)
        high = arrays.low + arrays.size - 1
        found = counts[every, self.action].astype(np.float64)
        for action in (0, 2):
            cannot = (action < arrays.low[self.node]) | (action > high[self.node])
            found += np.where((self.action == 1) & cannot, counts[every, action], 0.0)
        return found


@dataclass(frozen=True)
class Hand:
    """A hand that is over, as one player has seen it.

    deeds: all decisions. board: open cards. held: hands by seat, -1 if hidden. buckets: `[4, H]` of all hands, on the
    streets of the hand.
    """

    deeds: tuple[Deed, ...]
    board: tuple[int, ...]
    held: tuple[int, ...]
    buckets: np.ndarray  # [4, H]

    def of(self, player: int) -> list[Deed]:
        """Return the decisions of a player."""
        return [deed for deed in self.deeds if deed.player == player]


def read_hand(game: Abstraction, sight: Sight) -> Hand:
    """Return a hand from what a player has seen of it, at a table of `tefuda.holdem.hands.whole`."""
    _, board, done = str(sight.view).split("|")
    views = list(sight.shown)
    views[sight.seat] = sight.view
    held = tuple(hand_number(*read_cards(str(view).split("|")[0])) if view else -1 for view in views)
    open_ = read_cards(board)
    return Hand(tuple(game.graph.deeds(done)), open_, held, game.buckets_on(open_))


def likelihoods(game: Abstraction, sigma: np.ndarray, hand: Hand, player: int) -> np.ndarray:
    """Return `[H]` the probability of a player's actions by a strategy with each hand; 0 for impossible hands."""
    gone = mask_of(hand.board) | sum(
        int(SETS[one]) for seat, one in enumerate(hand.held) if one >= 0 and seat != player
    )
    found = ((SETS & np.uint64(gone)) == 0).astype(np.float64)
    if hand.held[player] >= 0:
        found[np.arange(len(HANDS)) != hand.held[player]] = 0.0
    possible = found > 0
    for deed in hand.of(player):
        found[possible] *= sigma[game.row(deed, hand.buckets[deed.street, possible])]
    return found


class Habits:
    """A model of a player: its actions in each situation with each bucket.

    A chain of Dirichlet models, for few hands fall on each place: the expected strategy, then the player's actions
    with and without a bet to call, then in the situation, then with the bucket; each counts as `strength` plays of the
    next. A hidden hand is divided among the possible ones by their likelihood under the model.

    Args:
        rows: rows of the game.
        expected: `[R]` expected strategy.
        strength: fictitious plays of each link.
    """

    def __init__(self, rows: Rows, expected: np.ndarray, strength: float = 4.0) -> None:
        self._rows, self._strength = rows, strength
        self._expected = 0.8 * expected + 0.2 * uniform(rows.game)  # no action is certain
        self.counts = np.zeros((4 * _RAISES * _FACES, max(rows.game.counts), _ACTIONS))
        self.sigma = self._expected.astype(np.float32)

    def see(self, hand: Hand, player: int) -> None:
        """Learn from a hand."""
        game, deeds = self._rows.game, hand.of(player)
        weights = likelihoods(game, self.sigma, hand, player)
        if not deeds or not weights.sum() > 0:
            return
        weights /= weights.sum()
        some = weights > 0
        for deed in deeds:
            situation = self._rows.situation[deed.node]
            np.add.at(self.counts, (situation, hand.buckets[deed.street, some], deed.action), weights[some])

    def learn(self) -> np.ndarray:
        """Return `[R]` float32 the strategy expected of the player now."""
        rows, situation = self._rows, self._rows.situation[self._rows.node]
        by_situation = self.counts.sum(axis=1)
        faced = by_situation.reshape(-1, _FACES, _ACTIONS).sum(axis=0)
        faced *= np.minimum(1, _GENERAL / np.maximum(faced.sum(axis=1, keepdims=True), 1e-9))
        found: np.ndarray = self._expected
        for counts in (faced[situation % _FACES], by_situation[situation], self.counts[situation, rows.bucket]):
            found = rows.game.normalised((self._strength * found + rows.possible(counts)).astype(np.float32))
        self.sigma = found
        return found


def uniform(game: Abstraction) -> np.ndarray:
    """Return `[R]` float32 the uniform strategy."""
    return game.normalised(np.zeros(game.rows, dtype=np.float32))


def stereotype(game: Abstraction, name: str) -> np.ndarray:
    """Return `[R]` float32 the strategy of a simple player; buckets are in rising order of strength.

    name: ``"caller"`` checks and calls; ``"raiser"`` bets and raises; ``"random"`` plays uniformly; ``"tight"`` folds
    all but the best three tenths to a bet and raises with the best tenth; ``"loose"`` raises with the better half and
    calls with all but the worst tenth.
    """
    rows = Rows(game)
    strength = (rows.bucket + 0.5) / np.array(game.counts)[game.arrays.street[rows.node]]
    if name == "random":
        return uniform(game)
    wanted = {
        "caller": np.ones(len(strength)),
        "raiser": np.full(len(strength), 2),
        "tight": np.select([strength >= 0.9, strength >= 0.7], [2, 1], 0),
        "loose": np.select([strength >= 0.5, strength >= 0.1], [2, 1], 0),
    }[name].astype(np.int64)
    low = game.arrays.low[rows.node]
    high = low + game.arrays.size[rows.node] - 1
    return game.normalised((rows.action == np.clip(wanted, low, high)).astype(np.float32))
