"""What the other may hold in Koi-Koi: hands, weighed by how likely it would have played with them as it did."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.rounds import bit, month, shuffle
from tefuda.koikoi.kernels.values import BEFORE_DRAW, value, value_near

# Columns of what is known of a past play of the other: what was open to it, the card, what it took.
SEEN_FIELD, SEEN_OWN, SEEN_OTHER, SEEN_PHASE, SEEN_CARD, SEEN_TAKEN = range(6)
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def log_likelihood(worth, hand, past, temperature, found):
    """How likely somebody with `hand` left has played as in `past` `[n, 6]`, if by the tables with noise."""
    total, now = 0.0, hand
    for at in range(past.shape[0] - 1, -1, -1):
        now |= past[at, SEEN_CARD]
        total += log_choice(
            worth, np.int64(past[at, SEEN_PHASE]), past[at, SEEN_OWN], past[at, SEEN_OTHER], now, past[at, SEEN_FIELD],
            past[at, SEEN_CARD], past[at, SEEN_TAKEN], temperature, found,
        )  # fmt: skip
    return total


@inlined
def log_choice(worth, phase, own, other, hand, field, played, took, temperature, found):
    """The logarithm of the probability of laying a card and taking what it took, by a soft maximum of worths."""
    most, chosen, total, left = -1e30, -1e30, 0.0, hand
    all_in = value(worth, BEFORE_DRAW, phase, own, other, hand, field, found)
    while left:
        card = np.int64(lowest(left))
        left &= left - _ONE
        here, mates = bit(card), field & month(card)
        options = count(mates) if count(mates) == 2 else np.uint64(1)
        for _ in range(options):
            take = mates if options == 1 else mates & (~mates + _ONE)
            mates ^= take
            pile, lying = (own, field | here) if take == _ZERO else (own | take | here, field & ~take)
            now = value_near(worth, BEFORE_DRAW, phase, all_in, card, pile, other, hand & ~here, lying, found)
            now /= temperature
            if now > most:
                total, most = total * np.exp(most - now) + 1.0, now
            else:
                total += np.exp(now - most)
            if here == played and take == took:
                chosen = now
    return chosen - most - np.log(total)


@inlined
def sets_of(size, many, most):
    """How many sets of `many` of `size` cards there are; `most` + 1 if more than that."""
    total = 1
    for chosen in range(many):
        total = total * (size - chosen) // (chosen + 1)
        if total > most:
            return most + 1
    return total


@inlined
def cards_of(places, unseen):
    """The cards at these places."""
    hand = _ZERO
    while places:
        hand |= bit(unseen[lowest(places)])
        places &= places - _ONE
    return hand


@inlined
def draw_set(unseen, many, state):
    """So many of the unseen cards at random, as a mask; and the stream."""
    state = shuffle(unseen, unseen.shape[0], 0, many, state)
    hand = _ZERO
    for place in range(many):
        hand |= bit(unseen[place])
    return hand, state


@inlined
def following(places):
    """The next set of as many places, in the order of numbers (Gosper)."""
    low = places & (~places + _ONE)
    ripple = places + low
    return ripple | (((places ^ ripple) >> np.uint64(2)) // low)


@inlined
def weigh(worth, most, temperature, past, unseen, many, state, hands, weights, found):
    """Fill in hands of `many` cards with cumulative weights: all if there are no more than `most`, else random ones.

    Return how many, and the stream.
    """
    listed = sets_of(unseen.shape[0], many, most)
    size, places, best = min(listed, most), (_ONE << np.uint64(many)) - _ONE, -1e30
    for at in range(size):
        if listed <= most:
            hands[at] = cards_of(places, unseen)
            places = following(places) if many > 0 else places
        else:
            hands[at], state = draw_set(unseen, many, state)
        weights[at] = log_likelihood(worth, hands[at], past, temperature, found)
        best = max(best, weights[at])
    total = 0.0
    for at in range(size):
        total += np.exp(weights[at] - best)
        weights[at] = total
    return size, state


@inlined
def pick_hand(hands, weights, size, point):
    """The hand at a point in [0, 1) of the weights."""
    goal, low, high = weights[size - 1] * point, 0, size - 1
    while low < high:
        middle = (low + high) // 2
        if weights[middle] > goal:
            high = middle
        else:
            low = middle + 1
    return hands[low]
