"""Games in which all players have the same payoff: tiny hanabi, trade comm, CHSH."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from tefuda.errors import check_range
from tefuda.games.small.dealt import Dealt

#: Payoffs [own card][other card][first action][second action] of OpenSpiel's tiny_hanabi.
_HANABI = (
    (((10, 0, 0), (4, 8, 4), (10, 0, 0)), ((0, 0, 10), (4, 8, 4), (0, 0, 10))),
    (((0, 0, 10), (4, 8, 4), (0, 0, 0)), ((10, 0, 0), (4, 8, 4), (10, 0, 0))),
)


def _pairs(count: int) -> tuple[tuple[tuple[str, str], Fraction], ...]:
    """Return the deals of one of `count` things to each of two players, all with the same probability."""
    things = [str(number) for number in range(count)]
    return tuple((pair, Fraction(1, count**2)) for pair in product(things, things))


@dataclass(frozen=True)
class TinyHanabi(Dealt):
    """Tiny hanabi: one of two cards each, one action each, a common payoff.

    The rules are those of OpenSpiel's tiny_hanabi. Player 0's action is also a signal: the best pair of strategies
    wins 10 at every deal. A state is (cards, actions), a view ``"1|2"``.
    """

    name = "tiny_hanabi"
    length = 2
    verbs = ("play",)

    def actions(self, state):
        return ("0", "1", "2")

    def chances(self, state):
        return _pairs(2)

    def payoffs(self, state):
        (own, other), (first, second) = state
        return (_HANABI[int(own)][int(other)][int(first)][int(second)],) * 2


@dataclass(frozen=True)
class TradeComm(Dealt):
    """Trade comm: hidden items, one word each, then both name a trade in secret.

    The rules are those of OpenSpiel's trade_comm. The trade ``"0:2"`` gives item 0 for item 2. Both players win 1 if
    each trade gives the own item for the other's. A state is (items, moves), a view ``"0|1 2 0:2"``.

    Args:
        items: number of items, and of words.
    """

    items: int = 3
    name = "trade_comm"
    length = 4
    verbs = ("say", "say", "trade", "trade")

    def __post_init__(self) -> None:
        check_range("items", self.items, 1, 20)

    def actions(self, state):
        words = tuple(str(item) for item in range(self.items))
        return words if len(state[1]) < 2 else tuple(f"{gives}:{gets}" for gives, gets in product(words, repeat=2))

    def chances(self, state):
        return _pairs(self.items)

    def sees(self, turn, player):
        return turn < 2 or turn % 2 == player

    def payoffs(self, state):
        (own, other), moves = state
        return (int(moves[2:] == (f"{own}:{other}", f"{other}:{own}")),) * 2


@dataclass(frozen=True)
class CHSH(Dealt):
    """CHSH: a private bit each, and one answer each without communication.

    Both players win 1 if the exclusive or of their answers is the product of their bits. The best strategies win with
    probability 3/4. A state is (bits, answers), a view ``"1|0"``.
    """

    name = "chsh"
    length = 2
    verbs = ("answer",)

    def actions(self, state):
        return ("0", "1")

    def chances(self, state):
        return _pairs(2)

    def sees(self, turn, player):
        return turn == player

    def payoffs(self, state):
        (first, second), (own, other) = state
        return (int((own != other) == (first == second == "1")),) * 2
