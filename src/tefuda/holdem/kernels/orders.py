"""Orders of three hands by strength, counted on random boards. A set of cards is a number of 64 bits."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import below
from tefuda._kernels.draw import mix, step, stream
from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels.rank import evaluate


@inlined
def compare(one, two):
    """Return 0, 1 or 2 for less, equal or greater."""
    return np.int64(one > two) + np.int64(one >= two)


@kernel
def count_orders(triples, hands, start, deck, samples, key, first, numbers, counts):
    """Count the orders of hands of three classes; hands and boards are drawn without replacement.

    Args:
        triples: `[T, 3]` classes that three players can hold at once.
        hands: `[H]` sets of two cards, sorted by class.
        start: `[n + 1]` first hand of each class.
        deck: `[D]` cards, each a set of one.
        samples: number of draws for each triple.
        key: seed; the draws of a triple depend on it and on the number of the triple.
        first: number of the first triple.
        numbers: `[27]` number of each order by its three comparisons.
        counts: `[T, 13]` gets the counts.
    """
    drawn = np.empty(3, dtype=np.uint64)
    for triple in range(triples.shape[0]):
        state = stream(key, 0, 0, first + triple)
        for _ in range(samples):
            overlap = True
            while overlap:
                overlap, taken = False, np.uint64(0)
                for seat in range(3):
                    low = start[triples[triple, seat]]
                    state = step(state)
                    size = start[triples[triple, seat] + 1] - low
                    drawn[seat] = hands[low + np.int64(below(mix(state), size))]
                    overlap |= (taken & drawn[seat]) != 0
                    taken |= drawn[seat]
            board, missing = np.uint64(0), 5
            while missing:
                state = step(state)
                card = deck[below(mix(state), deck.shape[0])]
                if not card & (taken | board):
                    board |= card
                    missing -= 1
            one, two, three = evaluate(drawn[0] | board), evaluate(drawn[1] | board), evaluate(drawn[2] | board)
            counts[triple, numbers[9 * compare(one, two) + 3 * compare(one, three) + compare(two, three)]] += 1
