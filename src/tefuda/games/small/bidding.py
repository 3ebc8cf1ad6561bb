"""Games of bidding: a sealed auction, Blotto, oshi-zumo."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb

from tefuda.errors import check_range, out_of_range
from tefuda.games.phrases import between, phrases
from tefuda.games.protocol import CHANCE, TERMINAL, Observation
from tefuda.games.small.dealt import Dealt
from tefuda.games.small.matrix import Matrix

_LARGEST = 1_000  # ways to place all coins: a table of their pairs fits into memory


@dataclass(frozen=True)
class FirstPriceAuction(Dealt):
    """A sealed first-price auction: private values, one bid each, the highest bid pays itself.

    The rules are those of OpenSpiel's first_sealed_auction. Each value is one of 1 to `values` with equal
    probability; a bid is lower than the own value. Chance decides between equal highest bids. A state is (values,
    moves), a view ``"3|1"``.

    Args:
        values: highest value.
        players: number of players, 2 to 10.
    """

    values: int = 5
    players: int = 2
    name = "first_price_auction"
    verbs = ("bid",)

    def __post_init__(self) -> None:
        check_range("values", self.values, 1, 100)
        check_range("players", self.players, 2, 10)
        object.__setattr__(self, "length", self.players)

    def _highest(self, bids):
        """Return the players with the highest bid."""
        bids = list(map(int, bids[: self.players]))
        return tuple(seat for seat, bid in enumerate(bids) if bid == max(bids))

    def player(self, state):
        deal, moves = state
        if not deal or (len(moves) == self.players and len(self._highest(moves)) > 1):
            return CHANCE
        return TERMINAL if len(moves) >= self.players else len(moves)

    def actions(self, state):
        deal, bids = state
        return tuple(map(str, range(int(deal[len(bids)]))))

    def chances(self, state):
        deal, bids = state
        if deal:
            highest = self._highest(bids)
            return tuple((seat, Fraction(1, len(highest))) for seat in highest)
        values = product(map(str, range(1, self.values + 1)), repeat=self.players)
        return tuple((deal, Fraction(1, self.values**self.players)) for deal in values)

    def draw(self, state, uniform):
        if state[0]:
            highest = self._highest(state[1])
            return highest[int(uniform() * len(highest))], Fraction(1, len(highest))
        deal = tuple(str(1 + int(uniform() * self.values)) for _ in range(self.players))
        return deal, Fraction(1, self.values**self.players)

    def sees(self, turn, player):
        return turn == player

    def payoffs(self, state):
        values, moves = state
        winner = moves[-1] if len(moves) > self.players else self._highest(moves)[0]
        return tuple((int(value) - int(moves[seat])) * (seat == winner) for seat, value in enumerate(values))


def blotto(coins: int = 5, fields: int = 3) -> Matrix:
    """Return Colonel Blotto: both players divide coins among fields; who wins more fields wins 1.

    The rules are those of OpenSpiel's blotto with two players. More coins win a field, equal numbers of coins win
    none. ``"0-2-3"`` places 0, 2 and 3 coins.

    Args:
        coins: number of coins of each player.
        fields: number of fields.
    """
    check_range("coins", coins, 0, 1_000)
    check_range("fields", fields, 1, 1_000)
    if (ways := comb(coins + fields - 1, fields - 1)) > _LARGEST:
        raise out_of_range("coins", coins, f"fewer for {fields} fields: there are {ways:,} ways to place them")
    bars = ((-1, *places, coins + fields - 1) for places in combinations(range(coins + fields - 1), fields - 1))
    plans = [tuple(right - left - 1 for left, right in pairwise(places)) for places in bars]
    payoffs = [[_sign(sum(map(_sign, map(int.__sub__, own, other)))) for other in plans] for own in plans]
    labels = ["-".join(map(str, plan)) for plan in plans]
    return Matrix(payoffs, labels).named("blotto", coins=coins, fields=fields)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


@dataclass(frozen=True)
class OshiZumo:
    """Oshi-zumo: two players bid coins to push a wrestler off the ring.

    The rules are those of OpenSpiel's oshi_zumo. Both bid at the same time, and both pay. The higher bid moves the
    wrestler one place away from the bidder. The side on which the wrestler stands, or falls off, loses 1; in the
    middle neither loses. The game ends after `horizon` rounds, or when no coins are left.

    A state is (place, coins, rounds, bid): the wrestler's place, from ``-size - 1`` to ``size + 1`` with player 0's
    side first, the coins of both, earlier rounds as text, and player 0's bid or None. A view is the text of earlier
    rounds, ``"1-2 0-1"``.

    Args:
        coins: number of coins of each player.
        size: number of places on each side of the middle.
        horizon: largest number of rounds.
    """

    coins: int = 4
    size: int = 1
    horizon: int = 6
    name = "oshi_zumo"
    players = 2
    constant_sum = 0

    def __post_init__(self) -> None:
        check_range("coins", self.coins, 0, 1_000)
        check_range("size", self.size, 0, 1_000)
        check_range("horizon", self.horizon, 1, 10_000)

    def root(self):
        return (0, (self.coins, self.coins), "", None)

    def player(self, state):
        place, coins, rounds, bid = state
        if bid is not None:
            return 1
        over = abs(place) > self.size or rounds.count("-") == self.horizon or coins == (0, 0)
        return TERMINAL if over else 0

    def actions(self, state):
        return tuple(range(state[1][state[3] is not None] + 1))

    def chances(self, state):
        return ()

    def child(self, state, action):
        place, coins, rounds, bid = state
        if bid is None:
            return (place, coins, rounds, action)
        text = f"{bid}-{action}"
        left = (coins[0] - bid, coins[1] - action)
        return (place + _sign(bid - action), left, f"{rounds} {text}" if rounds else text, None)

    def payoffs(self, state):
        won = _sign(state[0])
        return (won, -won)

    def view(self, state, player):
        return state[2]

    def observe(self, view, player, language="en"):
        words = phrases("oshi_zumo", language)
        bids = [tuple(map(int, text.split("-"))) for text in view.split()]
        place = sum(_sign(first - second) for first, second in bids)
        hand = words["coins"].format(self.coins - sum(pair[player] for pair in bids))
        side = "middle" if not place else "own side" if (place < 0) == (player == 0) else "other side"
        rounds = [words["bids"].format(text) for text in view.split()]
        return Observation(hand, between(language).join([words[side].format(abs(place)), *rounds]))
