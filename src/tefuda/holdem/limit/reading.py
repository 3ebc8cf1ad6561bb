"""Reading opponents at limit hold'em: what each does in which situation with which bucket, hidden hands and all.

A situation is the street, how often was raised on it, and whether there is a bet to call: what the opponents of
furui2011 are counted by, with a bucket for the card. Letters: R rows, H 1,326 hands, S situations, B buckets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tefuda.holdem.cards import HANDS, hand_number, mask_of, read_cards
from tefuda.holdem.hands.rules import BOARD
from tefuda.holdem.kernels.buckets import buckets_of
from tefuda.holdem.limit.graph import Deed
from tefuda.holdem.limit.sampler import Abstraction
from tefuda.holdem.rank import MASKS
from tefuda.playing.agents import Sight

SETS = MASKS[HANDS[:, 0]] | MASKS[HANDS[:, 1]]
_RAISES, _FACES, _ACTIONS = 5, 2, 3
_GENERAL = 8.0  # plays that what a player does at all counts for at most


@dataclass(frozen=True, eq=False)
class Rows:
    """Where the rows of a game stand.

    node, bucket, action: `[R]` of each row. situation: `[N]` of each node. player: `[R]` who decides.
    """

    game: Abstraction

    @cached_property
    def node(self) -> np.ndarray:
        """`[R]` the node of each row."""
        arrays = self.game.arrays
        return np.repeat(np.arange(len(arrays.base)), arrays.size * np.array(self.game.counts)[arrays.street])

    @cached_property
    def bucket(self) -> np.ndarray:
        """`[R]` the bucket of each row."""
        arrays = self.game.arrays
        return np.asarray((np.arange(self.game.rows) - arrays.base[self.node]) // arrays.size[self.node])

    @cached_property
    def action(self) -> np.ndarray:
        """`[R]` the action of each row."""
        arrays = self.game.arrays
        place = (np.arange(self.game.rows) - arrays.base[self.node]) % arrays.size[self.node]
        return np.asarray(place + arrays.low[self.node])

    @cached_property
    def player(self) -> np.ndarray:
        """`[R]` who decides."""
        return np.asarray(self.game.arrays.player[self.node])

    def possible(self, counts: np.ndarray) -> np.ndarray:
        """`[R]` of what is counted for each row's place, `[R, 3]` by action: its own action, and with a call also
        what cannot be done there.
        """
        arrays, every = self.game.arrays, np.arange(self.game.rows)
        high = arrays.low + arrays.size - 1
        found = counts[every, self.action].astype(np.float64)
        for action in (0, 2):
            cannot = (action < arrays.low[self.node]) | (action > high[self.node])
            found += np.where((self.action == 1) & cannot, counts[every, action], 0.0)
        return found

    @cached_property
    def situation(self) -> np.ndarray:
        """`[N]` the situation of each node."""
        arrays, raises = self.game.arrays, np.minimum(self.game.graph.raises, _RAISES - 1)
        return np.asarray((arrays.street * _RAISES + raises) * _FACES + (arrays.low == 0))


@dataclass(frozen=True)
class Hand:
    """A hand that is over, as one player has seen it.

    deeds: all decisions. board: open cards. held: hands by seat, -1 where one stays hidden. buckets: `[4, H]` of all
    hands, on streets that were reached.
    """

    deeds: tuple[Deed, ...]
    board: tuple[int, ...]
    held: tuple[int, ...]
    buckets: np.ndarray  # [4, H]

    def folded(self, player: int) -> bool:
        """Whether a player gave up."""
        return any(deed.player == player and deed.action == 0 for deed in self.deeds)

    def of(self, player: int) -> list[Deed]:
        """What a player did."""
        return [deed for deed in self.deeds if deed.player == player]


def read_hand(game: Abstraction, sight: Sight) -> Hand:
    """What a player has seen of a hand, at a table of `tefuda.holdem.hands.whole`."""
    _, board, done = str(sight.view).split("|")
    views = list(sight.shown)
    views[sight.seat] = sight.view
    held = tuple(hand_number(*read_cards(str(view).split("|")[0])) if view else -1 for view in views)
    open_ = read_cards(board)
    return Hand(tuple(game.graph.deeds(done)), open_, held, buckets_on(game, open_))


def buckets_on(game: Abstraction, board: Sequence[int]) -> np.ndarray:
    """`[4, H]` int64 the bucket of each hand on each street of a board, -1 where it cannot be held or is not dealt."""
    found = np.full((4, len(HANDS)), -1, dtype=np.int64)
    for street, number in enumerate(BOARD):
        if number <= len(board):
            before, open_ = (np.uint64(mask_of(board[:size])) for size in (BOARD[max(street - 1, 0)], number))
            buckets_of(game.sorted, street, before, open_, SETS, found[street])
    return found


def likelihoods(game: Abstraction, sigma: np.ndarray, hand: Hand, player: int) -> np.ndarray:
    """`[H]` how likely a strategy does what a player did, with each hand it may have had; 0 for those it had not."""
    gone = mask_of(hand.board) | sum(
        int(SETS[one]) for seat, one in enumerate(hand.held) if one >= 0 and seat != player
    )
    found = ((SETS & np.uint64(gone)) == 0).astype(np.float64)
    if hand.held[player] >= 0:
        found[np.arange(len(HANDS)) != hand.held[player]] = 0.0
    arrays, possible = game.arrays, found > 0
    for deed in hand.of(player):
        rows = arrays.base[deed.node] + hand.buckets[deed.street, possible] * arrays.size[deed.node]
        found[possible] *= sigma[rows + deed.action - arrays.low[deed.node]]
    return found


class Habits:
    """What a player does in each situation with each bucket: expected, and counted from what was seen.

    A chain of Dirichlet models, as few hands fall on each place: what is expected, then what the player does at all
    with or without a bet to call, then in the situation, then with the bucket, each as `strength` plays of the next.
    Hands that stay hidden are divided among all there may have been, by how likely they were under what was learned.

    Args:
        rows: of the game.
        expected: `[R]` strategies.
        strength: of each link, in fictitious plays.
    """

    def __init__(self, rows: Rows, expected: np.ndarray, strength: float = 4.0) -> None:
        self._rows, self._strength = rows, strength
        self._expected = 0.8 * expected + 0.2 * uniform(rows.game)  # nobody is sure to do anything
        places = (4 * _RAISES * _FACES, max(rows.game.counts), _ACTIONS)
        self.counts = np.zeros(places)
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
        """`[R]` float32 what is expected of the player now."""
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
    """`[R]` float32 every action alike."""
    return game.normalised(np.zeros(game.rows, dtype=np.float32))


#: Simple players: which letter is chosen by the strength of one's hand, 0 to 1, and whether there is a bet to call.
STEREOTYPES = {
    "caller": "checks and calls",
    "raiser": "bets and raises, else calls",
    "random": "does anything",
    "tight": "folds all but the best three tenths to a bet; raises with the best tenth",
    "loose": "raises with the better half, calls with all but the worst tenth",
}


def stereotype(game: Abstraction, name: str) -> np.ndarray:
    """`[R]` float32 the strategy of a simple player; buckets stand in rising order of strength."""
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
