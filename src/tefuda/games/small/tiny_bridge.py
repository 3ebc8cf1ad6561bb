"""Tiny bridge: two partners bid on eight cards; the play is double dummy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations

from tefuda.games.phrases import between
from tefuda.games.small.cards import card_words
from tefuda.games.small.dealt import Dealt

PASS = "pass"
BIDS = ("1H", "1S", "1NT", "2H", "2S", "2NT")
_RANKS = "JQKA"
_DECK = tuple(rank + suit for suit in "hs" for rank in _RANKS)
_BONUS = {"2H": 30, "2S": 30, "2NT": 35}  # all points of a contract for both tricks
_TRICK, _UNDERTRICK = 10, -20

Hand = tuple[str, str]


@dataclass(frozen=True)
class TinyBridge(Dealt):
    """Tiny bridge for two partners: hands of two of eight cards, and bids from 1H to 2NT.

    The rules are those of OpenSpiel's tiny_bridge_2p. The deck has jack, queen, king and ace of hearts and spades. A
    bid names the tricks to win of two, and the trump. A pass ends the bidding, but the first one does not. The
    opponents never bid; all four players then play double dummy, that is, with open cards, and the opponent before the
    declarer leads. A contract scores 10 for
    each trick, 30 for two with a trump and 35 for two without; -20 for each trick that is missing. Both partners win
    the mean score over the opponents' hands.

    A state is (hands, bids), a view ``"KhAs|pass 1S"``.
    """

    name = "tiny_bridge"
    length = 2 + len(BIDS)
    verbs = ("bid",)
    named = (PASS,)

    def over(self, moves):
        return len(moves) > 1 and moves[-1] == PASS

    def actions(self, state):
        made = [bid for bid in state[1] if bid != PASS]
        return (PASS, *BIDS[BIDS.index(made[-1]) + 1 if made else 0 :])

    def chances(self, state):
        deals = [(own, other) for own in combinations(_DECK, 2) for other in combinations(_DECK, 2)]
        deals = [deal for deal in deals if len({*deal[0], *deal[1]}) == 4]
        return tuple((deal, Fraction(1, len(deals))) for deal in deals)

    def payoffs(self, state):
        (west, east), bids = state
        made = [turn for turn, bid in enumerate(bids) if bid != PASS]
        if not made:
            return (0, 0)
        contract = bids[made[-1]]
        first = next(turn for turn in made if bids[turn][1:] == contract[1:] and (turn - made[-1]) % 2 == 0)
        return (score(east, west, contract) if first % 2 else score(west, east, contract),) * 2

    def hand(self, own, language):
        return between(language).join(card_words(card, language) for card in (own[:2], own[2:]))


@cache
def score(declarer: Hand, dummy: Hand, contract: str) -> int | Fraction:
    """Return the mean score over the opponents' hands."""
    goal = int(contract[0])
    tricks = tricks_won(declarer, dummy, contract[1:].lower())
    total = sum(_UNDERTRICK * (goal - won) if won < goal else _BONUS.get(contract, _TRICK * won) for won in tricks)
    mean = Fraction(total, len(tricks))
    return int(mean) if mean.denominator == 1 else mean


@cache
def tricks_won(declarer: Hand, dummy: Hand, trump: str) -> tuple[int, ...]:
    """Return the declarer's tricks with the best play of all, for each pair of opponents' hands."""
    rest = [card for card in _DECK if card not in (*declarer, *dummy)]
    layouts = [(left, tuple(card for card in rest if card not in left)) for left in combinations(rest, 2)]
    return tuple(_best((declarer, left, dummy, right), trump, 3, ()) for left, right in layouts)


def _best(hands: tuple[tuple[str, ...], ...], trump: str, leader: int, trick: tuple[str, ...]) -> int:
    """Return the tricks that declarer and dummy win from here on; seats 0 and 2 are theirs."""
    if len(trick) == 4:
        winner = (leader + max(range(4), key=lambda turn: _power(trick[turn], trick[0], trump))) % 4
        last = tuple(hands[(winner + turn) % 4][0] for turn in range(4)) if hands[0] else ()
        return int(winner % 2 == 0) + (_best(((),) * 4, trump, winner, last) if last else 0)
    seat = (leader + len(trick)) % 4
    results = (
        _best((*hands[:seat], left, *hands[seat + 1 :]), trump, leader, (*trick, card))
        for card, left in _plays(hands[seat], trick)
    )
    return max(results) if seat % 2 == 0 else min(results)


def _plays(hand: tuple[str, ...], trick: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each card that follows suit if the hand can, with the cards that are left."""
    follows = [card for card in hand if trick and card[1] == trick[0][1]]
    for card in follows or hand:
        yield card, tuple(other for other in hand if other != card)


@cache
def _power(card: str, led: str, trump: str) -> tuple[bool, bool, int]:
    return card[1] == trump, card[1] == led[1], _RANKS.index(card[0])
