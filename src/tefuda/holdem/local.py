"""How much could be won from a strategy at heads-up limit hold'em, at least: local best response (lisy2017).

The responder knows the other's strategy and keeps the range of hands it may have; it takes the best of fold, call and
raise as if both only checked and called from then on. What it wins is a lower bound of what a best response wins; where
a best response takes thousands of processor hours, this takes a millisecond a hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tefuda._kernels import holdem_limit, holdem_local
from tefuda.errors import ParameterError, check_range, check_seed
from tefuda.holdem.cards import HANDS, mask_of
from tefuda.holdem.equity import class_equities
from tefuda.holdem.rank import MASKS
from tefuda.holdem.sampler import Dealt, LimitPolicy
from tefuda.views import short_repr

_PIECE = 250  # hands between calls of progress


@dataclass(frozen=True, eq=False, repr=False)
class LocalResponse:
    """What a local best response won.

    big_blind: in chips. won: `[2, K]` chips of K hands in each seat; the K-th hands have the same cards.
    """

    big_blind: int
    won: np.ndarray = field(repr=False)  # [2, K]

    __repr__ = short_repr

    @property
    def value(self) -> float:
        """Chips a hand, the mean over both seats."""
        return float(self.won.mean())

    @property
    def by_seat(self) -> tuple[float, float]:
        """Chips a hand in each seat."""
        first, second = self.won.mean(axis=1)
        return float(first), float(second)

    @property
    def half_width(self) -> float:
        """Of the 95 % interval around `value`, by deals."""
        deals = self.won.mean(axis=0)
        return 1.96 * float(deals.std(ddof=1)) / len(deals) ** 0.5

    @property
    def millis(self) -> tuple[float, float]:
        """`value` and `half_width` in thousandths of a big blind a hand, as the field counts."""
        return 1000 * self.value / self.big_blind, 1000 * self.half_width / self.big_blind


def local_response(
    policy: LimitPolicy,
    hands: int = 10_000,
    seed: int = 0,
    *,
    boards: int = 150,
    dealt: Dealt = Dealt(),  # noqa: B008 (frozen)
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> LocalResponse:
    """Play a local best response against a strategy.

    Args:
        policy: the strategy of both seats, heads-up.
        hands: in each seat.
        seed: of cards and the strategy's luck: the same for all strategies that are to be compared.
        boards: by how many, drawn at random, hands are judged on the flop.
        dealt: the cards.
        progress: told hands done and in all.

    Raises:
        ParameterError: not two players, or a number out of range.
    """
    rules = policy.game.graph.rules
    if rules.players != 2:
        raise ParameterError(f"a local best response is for two players; this table has {rules.players}.")
    check_range("hands", hands, 2, 10**8)
    check_range("boards", boards, 1, 10**5)
    check_seed(seed)
    deck = np.array(dealt.deck, dtype=np.uint8)
    cards = holdem_limit.Cards(deck, MASKS, np.uint64(mask_of(dealt.board)), len(dealt.board))
    other, ahead = _other(dealt), _ahead()
    key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    won = np.zeros((2, hands))
    for first in range(0, hands, _PIECE):
        for seat in (0, 1):
            deck.sort()
            holdem_local.play(
                policy.game.arrays, policy.sigma, cards, policy.game.sorted, other, ahead, boards, key, first, seat,
                won[seat, first : first + _PIECE],
            )  # fmt: skip
        progress(min(first + _PIECE, hands), hands)
    return LocalResponse(max(rules.blinds), won)


def _other(dealt: Dealt) -> holdem_local.Other:
    sets = MASKS[HANDS[:, 0]] | MASKS[HANDS[:, 1]]
    start = np.asarray(np.isin(HANDS, dealt.deck).all(axis=1))
    held, wins, met = np.zeros((3, len(HANDS)))
    return holdem_local.Other(sets, start, held, wins, met, np.zeros(len(HANDS), dtype=np.int64))


def _ahead() -> np.ndarray:
    """`[169, 169]` how often each class beats each other before the flop, ties counting half."""
    wins, ties, totals = class_equities()
    return (wins + ties / 2) / totals
