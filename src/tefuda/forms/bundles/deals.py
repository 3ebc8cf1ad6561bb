"""The deals of a region: hands of the players, followed deals, and outcomes of ends."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np

#: Payoffs of each player, as the rules give them, and the last action of each player.
Payoffs = Sequence[Any]
LastActions = tuple[Hashable, ...]

_SHARE = 8  # one in 8 deals of each hand is followed if the rules are not trusted,
_MOST = 8  # from 2 up to 8 of them
_GOLDEN = (5**0.5 - 1) / 2  # its multiples spread evenly over any number of deals


@dataclass
class Outcomes:
    """The outcomes of ends at the deals, as numbers.

    Attributes:
        number: `[deals]` the outcome at each deal.
        witnesses: places of some followed deals, at which another end is compared with these outcomes.
        seen: the outcomes at the witnesses.
        others: further deals that are compared, so that all outcomes are. If the rules are not trusted, each outcome
            is compared at every hand of every player that it occurs with.
    """

    number: list[int]
    witnesses: list[int]
    seen: list[int]
    others: list[int]

    def payoffs_from(self, values: list[Payoffs]) -> dict[int, Payoffs] | None:
        """Return payoffs by outcome from those at the witnesses; None if these do not agree."""
        payoffs = dict(zip(self.seen, values, strict=True))
        agree = len(payoffs) == len(values) or values == [payoffs[outcome] for outcome in self.seen]
        return payoffs if agree else None


@dataclass
class Deals:
    """The outcomes of chance so far, shared by all regions below them.

    Attributes:
        hands: `[P, deals]` number of each player's view at the start of a region.
        step: see `Bundles`.
        followed: deals at which the rules are asked. They cover every hand of every player.
        holders: `[P]` lists of the place of a followed deal with each of the player's hands.
        equals: `[P]` lists of the holder of the player's hand at each followed deal.
        outcomes: the known outcomes of ends, by the last action of each player. These alone show who folded, or whose
            bid was called, in the games concerned.
    """

    hands: np.ndarray  # [P, deals] int64
    step: int
    followed: list[int] = field(init=False)
    holders: list[list[int]] = field(init=False)
    equals: list[list[int]] = field(init=False)
    outcomes: dict[LastActions, list[Outcomes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.followed = spread(self.hands) if self.step == 1 else covering(self.hands)
        hands = self.hands[:, self.followed].tolist()
        self.holders = list(map(_first_places, hands))
        self.equals = [[places[hand] for hand in own] for places, own in zip(self.holders, hands, strict=True)]

    def add_outcomes(self, last: LastActions, values: list[Payoffs]) -> tuple[Outcomes, dict[int, Payoffs]]:
        """Return the outcomes of an end, and their payoffs; values: `[deals]` its payoffs."""
        numbers: dict[Payoffs, int] = {}
        number = [numbers.setdefault(value, len(numbers)) for value in values]
        payoffs = {outcome: value for value, outcome in numbers.items()}
        known = self.outcomes[last]
        for outcomes in known:
            if outcomes.number == number:
                return outcomes, payoffs
        at = [number[deal] for deal in self.followed]
        witnesses = sorted({*map(at.index, set(at)), *range(0, len(at), self.step)})
        seen = [at[place] for place in witnesses]
        enough = self.step > 1 and len(set(seen)) == len(numbers)
        others = [] if enough else self._others(np.array(number), [self.followed[place] for place in witnesses])
        known.append(Outcomes(number, witnesses, seen, others))
        return known[-1], payoffs

    def _others(self, number: np.ndarray, compared: list[int]) -> list[int]:
        """Return deals with the outcomes that do not occur at the compared deals.

        If the rules are not trusted: with the pairs of an outcome and a hand that do not occur there.
        """
        asked = list(compared)
        for own in self.hands if self.step == 1 else self.hands[:1] * 0:
            pairs = own * (number.max() + 1) + number
            found, firsts = np.unique(pairs, return_index=True)
            asked += firsts[~np.isin(found, pairs[asked])].tolist()
        return asked[len(compared) :]


def covering(hands: np.ndarray) -> list[int]:
    """Return deals that cover every hand of every player; hands: `[P, deals]`.

    Those with the most new hands are chosen first.
    """
    missing, deals = [set(own) for own in hands.tolist()], []
    held = list(zip(*hands.tolist(), strict=True))
    for new in range(len(hands), 0, -1):
        for deal, ones in enumerate(held):
            if sum(map(set.__contains__, missing, ones)) == new:
                deals.append(deal)
                for own, hand in zip(missing, ones, strict=True):
                    own.discard(hand)
                if not any(missing):
                    return deals
    raise AssertionError


def spread(hands: np.ndarray) -> list[int]:
    """Return deals that cover every hand of every player several times.

    hands: `[P, deals]`. Each hand occurs with several hands of each other player, if it can.
    """
    chosen, steps = np.zeros(hands.shape[1], dtype=bool), np.arange(_MOST)[:, None] * _GOLDEN % 1
    for own in hands:
        counts = np.bincount(own)
        each = int(np.clip(len(own) // len(counts) // _SHARE, 2, _MOST))
        few = np.flatnonzero(np.bincount(own[chosen], minlength=len(counts)) < each)
        shifts = few + few // counts[few]  # so that the hands of other players take turns
        places = (shifts + (steps[:each] * counts[few]).astype(np.int64)) % counts[few]  # among the deals of a hand
        starts = np.cumsum(counts) - counts
        chosen[np.argsort(own, kind="stable")[starts[few] + places]] = True
    for own, other in permutations(hands, 2):
        low, high = np.full(own.max() + 1, len(own)), np.full(own.max() + 1, -1)
        np.minimum.at(low, own[chosen], other[chosen])
        np.maximum.at(high, own[chosen], other[chosen])
        differ = np.flatnonzero((low == high)[own] & (other != low[own]))
        chosen[differ[np.unique(own[differ], return_index=True)[1]]] = True
    return np.flatnonzero(chosen).tolist()


def _first_places(numbers: list[int]) -> list[int]:
    """Return the first place of each of the numbers 0, 1, ... in a list that contains them all."""
    places = {number: place for place, number in zip(range(len(numbers) - 1, -1, -1), reversed(numbers), strict=True)}
    return [places[number] for number in range(len(places))]
