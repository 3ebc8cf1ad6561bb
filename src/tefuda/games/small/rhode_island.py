"""Rhode Island hold'em: one private card, two public cards, three rounds (Shi, Littman 2001)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from tefuda.errors import out_of_range
from tefuda.games.small.cards import SUIT
from tefuda.games.small.leduc import LimitFamily, shares

_RANKS = SUIT[1:] + SUIT[0]  # the ace is high, and low in A23
# The kinds of three cards, from lowest to highest: three of a kind beats a straight, which beats a flush.
_HIGH, _PAIR, _FLUSH, _STRAIGHT, _THREE, _STRAIGHT_FLUSH = range(6)


@cache
def strength(cards: str) -> tuple[int, ...]:
    """Return the strength of three cards such as ``"KsQsJs"``: the kind, then the ranks."""
    ranks = sorted((_RANKS.index(rank) for rank in cards[::2]), reverse=True)
    if ranks == [len(_RANKS) - 1, 1, 0]:
        ranks = [1, 0, -1]  # A23
    flush, straight = len(set(cards[1::2])) == 1, ranks[0] - ranks[1] == ranks[1] - ranks[2] == 1
    if len(set(ranks)) == 1:
        return (_THREE, ranks[0])
    if len(set(ranks)) == 2:
        return (_PAIR, ranks[1], *ranks)  # the middle one of three sorted ranks is of the pair
    if straight:
        return (_STRAIGHT_FLUSH if flush else _STRAIGHT, ranks[0])
    return (_FLUSH if flush else _HIGH, *ranks)


@dataclass(frozen=True)
class RhodeIsland(LimitFamily):
    """Rhode Island hold'em: one private card, two public cards, three rounds of limit betting.

    The best three cards win: straight flush, three of a kind, straight, flush, pair, high card. A state is (cards,
    board, history), a view ``"Ks|cr"`` or, with the board, ``"KsQh2d|cc/rc/"``.

    Args:
        ranks: number of ranks, with the ace as the highest.
        suits: number of suits.
        ante: ante of each player, in chips.
        raises: size of a bet or raise in each of the three rounds.
        cap: maximum number of bets and raises in a round.
    """

    ranks: int = 13
    suits: int = 4
    ante: int = 5
    raises: tuple[int, int, int] = (10, 20, 20)
    cap: int = 3
    players = 2
    distinct_suits = True
    name = "rhode_island"
    public_actions = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ranks * self.suits < 4:
            raise out_of_range("ranks", self.ranks, "enough for two private and two public cards")

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(_RANKS[-self.ranks :])

    def payoffs(self, state):
        cards, board, history = state
        _, _, paid, live = self._after[history]
        if len(live) > 1:
            best = [strength(card + board) for card in cards]
            live = tuple(seat for seat in live if best[seat] == max(best))
        return shares(paid, live)
