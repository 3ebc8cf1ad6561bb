"""Bargaining: two players divide a pool of items whose values are private."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

from tefuda.errors import ParameterError, check_range
from tefuda.games.parameters import as_tuple
from tefuda.games.small.dealt import Dealt

AGREE = "agree"
_KINDS = 3  # of items, as in the paper


@dataclass(frozen=True)
class Bargaining(Dealt):
    """Bargaining: offers in turn on a pool of items, whose values differ and are private.

    The rules are those of OpenSpiel's bargaining. To each player the whole pool is worth `worth`. Every kind of item
    has a value for at least one player, and one kind for both; all such values have the same probability. An offer
    ``"1-0"`` keeps that many items of each kind and gives away the rest. The other player agrees or makes an offer.
    Without an agreement after `turns` moves both win nothing.

    A state is (values, moves), a view ``"0-2|1-1 0-1 agree"``.

    Args:
        pool: number of items of each kind.
        worth: value of the whole pool to each player.
        turns: largest number of moves.
        discount: factor of the payoffs for each move after the second.
    """

    pool: tuple[int, ...] = (1, 1)
    worth: int = 2
    turns: int = 3
    discount: float = 1
    name = "bargaining"
    verbs = ("keep",)
    named = (AGREE,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pool", as_tuple("pool", self.pool))
        check_range("number of kinds", len(self.pool), 1, _KINDS)
        for count in self.pool:
            check_range("pool", count, 1, 5)
        check_range("worth", self.worth, 1, 20)
        check_range("turns", self.turns, 1, 1_000)
        object.__setattr__(self, "length", self.turns)
        if not isinstance(self.discount, Fraction):
            check_range("discount", self.discount, 0, 1, whole=False)
        if not self._deals:
            raise ParameterError(f"no values make a pool of {self.pool} worth {self.worth} to both.", key="worth")

    @cached_property
    def _deals(self) -> tuple[tuple[tuple[str, str], Fraction], ...]:
        values = list(_values(self.pool, self.worth))
        pairs = [
            (first, second)
            for first, second in product(values, repeat=2)
            if all(map(max, first, second)) and any(map(min, first, second))
        ]
        return tuple(((_text(first), _text(second)), Fraction(1, len(pairs))) for first, second in pairs)

    @cached_property
    def _offers(self) -> tuple[str, ...]:
        """All offers; the first kind changes fastest."""
        return tuple(_text(offer[::-1]) for offer in product(*(range(count + 1) for count in self.pool[::-1])))

    def over(self, moves):
        return super().over(moves) or moves[-1:] == (AGREE,)

    def actions(self, state):
        return (*self._offers, AGREE) if state[1] else self._offers

    def chances(self, state):
        return self._deals

    def payoffs(self, state):
        values, moves = state
        if moves[-1] != AGREE:
            return (0, 0)
        kept = list(map(int, moves[-2].split("-")))
        shares = (kept, [count - own for count, own in zip(self.pool, kept, strict=True)])
        proposer, factor = len(moves) % 2, self.discount ** max(0, len(moves) - 2)
        worths = [list(map(int, text.split("-"))) for text in values]
        return tuple(
            sum(map(int.__mul__, worths[seat], shares[seat != proposer])) * factor for seat in range(self.players)
        )


def _values(pool: tuple[int, ...], worth: int) -> Iterator[tuple[int, ...]]:
    """Yield the values of all kinds of items for which the pool has this value."""
    if not pool:
        if worth == 0:
            yield ()
        return
    for value in range(worth // pool[0] + 1):
        for rest in _values(pool[1:], worth - value * pool[0]):
            yield (value, *rest)


def _text(numbers: tuple[int, ...]) -> str:
    return "-".join(map(str, numbers))
