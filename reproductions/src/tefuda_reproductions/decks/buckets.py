"""Small decks: their flop as a spot, and buckets of hands by percentile of equity.

A hand's equity is its share of the pot against a random hand, over all cards to come of this deck. Its percentile is
that among the hands on the same board; equal equities share the middle of their percentiles.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata

from tefuda.holdem.cards import HANDS, mask_of
from tefuda.holdem.kernels import arrays
from tefuda.holdem.rank import SETS, strengths
from tefuda.holdem.spots.compiled import CompiledSpot
from tefuda.holdem.spots.contexts import Context
from tefuda.holdem.spots.spot import Spot, make_spot

#: Ranks of the decks of hearts and spades, by the number of their cards.
DECKS = {12: "AKQJT9", 16: "AKQJT987"}
_DECIMALS = 9  # of equities: those that differ by round-off are equal


def small_deck(cards: int = 12) -> Spot:
    """Return the flop of a deck: all hands for both, bets of the pot or all-in, raises all-in."""
    deck = " ".join(rank + suit for rank in DECKS[cards] for suit in "hs")
    return make_spot("Ah Qs Jh", 200, 900, "*", "*", "100%,a", "a", deck=deck, name=f"deck of {cards} cards")


def equities(compiled: CompiledSpot) -> np.ndarray:
    """Return `[C, 1326]` equities of hands on each board against a random hand; nan for blocked hands."""
    known = np.full((len(compiled.contexts), len(HANDS)), np.nan)
    for number, context in reversed(list(enumerate(compiled.contexts))):
        hands = context.hands[0]
        if context.children:
            known[number, hands] = np.nanmean(known[context.children][:, hands], axis=0)
        else:
            known[number, hands] = _river_equities(context)
    return known


def _river_equities(context: Context) -> np.ndarray:
    hands = context.hands[0]
    strength = strengths(SETS[hands] | np.uint64(mask_of(context.board)))
    compatible = (SETS[hands][:, None] & SETS[hands]) == 0
    won = (strength[:, None] > strength) + 0.5 * (strength[:, None] == strength)
    return np.asarray((won * compatible).sum(axis=1) / compatible.sum(axis=1))


def buckets(compiled: CompiledSpot, counts: Sequence[int]) -> np.ndarray:
    """Return `[C, 1326]` buckets of hands.

    counts: number of buckets on each street; 0: each hand has its own.
    """
    found = np.tile(np.arange(len(HANDS)), (len(compiled.contexts), 1))
    for number, (context, equity) in enumerate(zip(compiled.contexts, equities(compiled), strict=True)):
        count, hands = counts[len(context.board) - len(compiled.spot.board)], context.hands[0]
        if count:
            percentiles = (rankdata(np.round(equity[hands], _DECIMALS)) - 0.5) / len(hands)
            found[number, hands] = np.floor(percentiles * count)
    return found


def cells(compiled: CompiledSpot, bucket: np.ndarray) -> np.ndarray:
    """Return `[stored]` numbers of cells: rows of hands that share a bucket, for each action on each line.

    bucket: `[C, 1326]` buckets of hands by board.
    """
    found, first = np.zeros(compiled.stored, dtype=np.int64), 0
    for street, tree in enumerate(compiled.betting.streets):
        for player in (0, 1):
            rows = first + np.arange(tree.actions[player])[:, None] * len(HANDS)
            for number, context in enumerate(compiled.contexts):
                if len(context.board) - len(compiled.spot.board) == street:
                    start = int(compiled.form.contexts[number, arrays.BASE + player])
                    shared = rows + bucket[number, context.hands[player]]
                    found[start : start + shared.size] = shared.ravel()
            first += rows.size * len(HANDS)
    return np.unique(found, return_inverse=True)[1]
