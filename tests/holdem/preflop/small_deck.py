"""Deals of three players with the twelve queens, kings and aces, enumerated."""

from functools import cache
from itertools import combinations, permutations

import numpy as np

from tefuda.holdem.cards import CLASS_OF, HANDS
from tefuda.holdem.preflop.deals import ORDERS, Deals, list_deals
from tefuda.holdem.rank import MASKS, SETS, strengths

DECK = tuple(range(40, 52))
HAND = {tuple(cards): number for number, cards in enumerate(HANDS.tolist())}
ORDER = {tuple(order): number for number, order in enumerate(ORDERS.tolist())}
#: Triples of hands of six cards of seven, by the places of their cards.
_SPLITS = [
    (one, two, three)
    for one, two, three in combinations(list(combinations(range(7), 2)), 3)
    if len({*one, *two, *three}) == 6
]


@cache
def small_deals() -> Deals:
    """Return the deals with exact frequencies of the orders; equal classes get all their orders."""
    classes, weights, triples = list_deals(DECK)
    places = {tuple(triple): number for number, triple in enumerate(triples.tolist())}
    counts = np.zeros((len(triples), len(ORDERS)), dtype=np.int64)
    for board in combinations(DECK, 5):
        rest = [card for card in DECK if card not in board]
        hands = {pair: HAND[rest[pair[0]], rest[pair[1]]] for pair in combinations(range(7), 2)}
        values = strengths(SETS[list(hands.values())] | np.bitwise_or.reduce(MASKS[list(board)])).tolist()
        strength, number = dict(zip(hands, values, strict=True)), {}
        for pair, hand in hands.items():
            number[pair] = int(np.searchsorted(classes, CLASS_OF[hand]))
        for split in _SPLITS:
            order = sorted(split, key=number.__getitem__)
            levels = sorted({strength[pair] for pair in order})
            place = places[tuple(number[pair] for pair in order)]
            counts[place, ORDER[tuple(levels.index(strength[pair]) for pair in order)]] += 1
    assert counts.sum() * 6 == 498_960  # deals to three players in order
    for number, triple in enumerate(triples.tolist()):
        same = [seats for seats in permutations(range(3)) if [triple[seat] for seat in seats] == triple]
        moved = [[ORDER[tuple(order[list(seats)])] for order in ORDERS] for seats in same]
        counts[number] = sum(counts[number, orders] for orders in moved)
    return Deals(classes, weights, triples, counts)
