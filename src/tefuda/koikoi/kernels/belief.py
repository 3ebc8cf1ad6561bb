"""The opponent's hand in Koi-Koi: hands, weighed by the likelihood of its past plays."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import lowest
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.rounds import shuffle
from tefuda.koikoi.kernels.values import BEFORE_DRAW, value, value_near
from tefuda.koikoi.kernels.world import Sight, after_play, bit, next_play

# Columns of a past play of the opponent: what all saw before it, the card, what that took.
SEEN_FIELD, SEEN_OWN, SEEN_OTHER, SEEN_PHASE, SEEN_CARD, SEEN_TAKEN = range(6)
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def log_likelihood(worth, hand, past, temperature, found):
    """Return the log-likelihood of plays `[n, 6]` of a noisy player by tables that has `hand` left."""
    total, now = 0.0, hand
    for at in range(past.shape[0] - 1, -1, -1):
        play = past[at]
        now |= play[SEEN_CARD]
        seen = Sight(play[SEEN_OWN], play[SEEN_OTHER], now, play[SEEN_FIELD])
        phase = np.int64(play[SEEN_PHASE])
        total += log_choice(worth, phase, seen, play[SEEN_CARD], play[SEEN_TAKEN], temperature, found)
    return total


@inlined
def log_choice(worth, phase, seen, played, took, temperature, found):
    """Return the log-probability of laying a card and taking what it took, by a soft maximum of values."""
    most, chosen, total, left, second = -1e30, -1e30, 0.0, seen.hand, _ZERO
    before = value(worth, BEFORE_DRAW, phase, seen, found)
    while left:
        here, take, left, second = next_play(left, seen.field, second)
        now = value_near(worth, BEFORE_DRAW, phase, before, here, after_play(seen, here, take), found)
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
    """Return the number of sets of `many` of `size` cards; `most` + 1 if it is larger than `most`."""
    total = 1
    for chosen in range(many):
        total = total * (size - chosen) // (chosen + 1)
        if total > most:
            return most + 1
    return total


@inlined
def cards_of(places, unseen):
    """Return the cards at these places."""
    hand = _ZERO
    while places:
        hand |= bit(unseen[lowest(places)])
        places &= places - _ONE
    return hand


@inlined
def draw_set(unseen, many, state):
    """Return `many` of the unseen cards at random, as a mask, and the stream."""
    state = shuffle(unseen, unseen.shape[0], 0, many, state)
    hand = _ZERO
    for place in range(many):
        hand |= bit(unseen[place])
    return hand, state


@inlined
def following(places):
    """Return the next set of as many places, in the order of numbers (Gosper)."""
    low = places & (~places + _ONE)
    ripple = places + low
    return ripple | (((places ^ ripple) >> np.uint64(2)) // low)


@inlined
def weigh(worth, most, temperature, past, unseen, many, state, hands, weights, found):
    """Fill in hands of `many` cards with cumulative weights: all if they are at most `most`, else random ones.

    Return the number of hands and the stream.
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
    """Return the hand at a point in [0, 1) of the weights."""
    goal, low, high = weights[size - 1] * point, 0, size - 1
    while low < high:
        middle = (low + high) // 2
        if weights[middle] > goal:
            high = middle
        else:
            low = middle + 1
    return hands[low]
