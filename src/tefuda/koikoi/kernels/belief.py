"""Beliefs about the opponent's hand: hands weighted by the likelihood of its past plays."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import lowest
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.rounds import shuffle
from tefuda.koikoi.kernels.state import VisibleCards, after_play, bit, next_play
from tefuda.koikoi.kernels.tables import BEFORE_DRAW, value, value_near

# Columns of a past play of the opponent: the public cards before it, the phase, the card, its capture.
PAST_FIELD, PAST_OWN, PAST_OTHER, PAST_PHASE, PAST_CARD, PAST_TAKEN = range(6)
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def log_likelihood(tables, hand, past_plays, temperature, indices):
    """Return the log-likelihood of plays `[n, 6]` of a noisy player by tables that still holds `hand`."""
    total, hand_then = 0.0, hand
    for index in range(past_plays.shape[0] - 1, -1, -1):
        play = past_plays[index]
        hand_then |= play[PAST_CARD]
        visible = VisibleCards(play[PAST_OWN], play[PAST_OTHER], hand_then, play[PAST_FIELD])
        phase = np.int64(play[PAST_PHASE])
        total += choice_log_probability(tables, phase, visible, play[PAST_CARD], play[PAST_TAKEN], temperature, indices)
    return total


@inlined
def choice_log_probability(tables, phase, visible, played, captured, temperature, indices):
    """Return the log-probability of laying a card with a given capture: a softmax of values."""
    highest, chosen, total, left, second = -1e30, -1e30, 0.0, visible.hand, _ZERO
    before = value(tables, BEFORE_DRAW, phase, visible, indices)
    while left:
        card_mask, taken, left, second = next_play(left, visible.field, second)
        estimate = value_near(
            tables, BEFORE_DRAW, phase, before, card_mask, after_play(visible, card_mask, taken), indices
        )
        estimate /= temperature
        if estimate > highest:
            total, highest = total * np.exp(highest - estimate) + 1.0, estimate
        else:
            total += np.exp(estimate - highest)
        if card_mask == played and taken == captured:
            chosen = estimate
    return chosen - highest - np.log(total)


@inlined
def count_sets(size, hand_size, limit):
    """Return the number of sets of `hand_size` among `size` cards, at most `limit` + 1."""
    total = 1
    for chosen in range(hand_size):
        total = total * (size - chosen) // (chosen + 1)
        if total > limit:
            return limit + 1
    return total


@inlined
def cards_at(positions, unseen):
    """Return the mask of the cards at these positions."""
    hand = _ZERO
    while positions:
        hand |= bit(unseen[lowest(positions)])
        positions &= positions - _ONE
    return hand


@inlined
def draw_set(unseen, hand_size, stream):
    """Draw `hand_size` of the unseen cards; return their mask and the stream."""
    stream = shuffle(unseen, unseen.shape[0], 0, hand_size, stream)
    hand = _ZERO
    for index in range(hand_size):
        hand |= bit(unseen[index])
    return hand, stream


@inlined
def next_subset(positions):
    """Return the next set with as many positions, in numerical order (Gosper)."""
    low = positions & (~positions + _ONE)
    ripple = positions + low
    return ripple | (((positions ^ ripple) >> np.uint64(2)) // low)


@inlined
def fill_weighted_hands(tables, limit, temperature, past_plays, unseen, hand_size, stream, hands, weights, indices):
    """Fill in hands of `hand_size` cards with cumulative weights: all hands, or `limit` random ones.

    Return the number of hands and the stream.
    """
    listed = count_sets(unseen.shape[0], hand_size, limit)
    size, positions, best = min(listed, limit), (_ONE << np.uint64(hand_size)) - _ONE, -1e30
    for index in range(size):
        if listed <= limit:
            hands[index] = cards_at(positions, unseen)
            positions = next_subset(positions) if hand_size > 0 else positions
        else:
            hands[index], stream = draw_set(unseen, hand_size, stream)
        weights[index] = log_likelihood(tables, hands[index], past_plays, temperature, indices)
        best = max(best, weights[index])
    total = 0.0
    for index in range(size):
        total += np.exp(weights[index] - best)
        weights[index] = total
    return size, stream


@inlined
def pick_hand(hands, weights, size, point):
    """Return the hand at a point in [0, 1) of the cumulative weights."""
    goal, low, high = weights[size - 1] * point, 0, size - 1
    while low < high:
        middle = (low + high) // 2
        if weights[middle] > goal:
            high = middle
        else:
            low = middle + 1
    return hands[low]
