"""Round states of Koi-Koi on bit masks: columns, visible cards, captures.

A state is a row of uint64 (`[WIDTH]`, the columns below). Its stock lists the cards in the order of
drawing (uint8).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined

PLAY, PICK_HAND, DRAW, PICK_DRAW, KOI, END = range(1, 7)
# Columns of a state. LEVEL: points of each player's pile at its last call. DRAWN: number of cards drawn.
# POINTS: the dealer's points, as int64.
HAND, FIELD, PILE, LEVEL, CALLS, PHASE, TURN, SHOWN, DRAWN, POINTS = 0, 2, 3, 5, 7, 9, 10, 11, 12, 13
WIDTH = 14
STOP, CALL = 48, 49
_ONE, _ZERO, _MONTH, _LOW2 = np.uint64(1), np.uint64(0), np.uint64(0xF), np.uint64(3)


class VisibleCards(NamedTuple):
    """The cards visible to a player, as masks: own pile, opponent's pile, hand, field."""

    own_pile: np.uint64
    opponent_pile: np.uint64
    hand: np.uint64
    field: np.uint64


@inlined
def bit(card):
    """Return the mask of a card."""
    return _ONE << np.uint64(card)


@inlined
def month(card):
    """Return the mask of the four cards of a card's month."""
    return _MONTH << (np.uint64(card) & ~_LOW2)


@inlined
def copy(into, source):
    """Copy numbers element by element; a slice would allocate memory."""
    for index in range(source.shape[0]):
        into[index] = source[index]


@inlined
def mover(state):
    """Return the player to move."""
    return np.int64(state[TURN] - _ONE) & 1


@inlined
def visible_cards(state, player):
    """Return the cards visible to a player."""
    return VisibleCards(state[PILE + player], state[PILE + 1 - player], state[HAND + player], state[FIELD])


@inlined
def calls_of(state, player):
    """Return the number of calls of a player and of the opponent."""
    return np.int64(state[CALLS + player]), np.int64(state[CALLS + 1 - player])


@inlined
def settle_masks(field, pile, card_mask, taken):
    """Return field and pile after a card (a mask) captured `taken`, or stayed on the field if it is 0."""
    return (field | card_mask, pile) if taken == _ZERO else (field & ~taken, pile | taken | card_mask)


@inlined
def settle(state, player, card_mask, taken):
    """Let a card (a mask) capture `taken` for a player, or stay on the field if it is 0."""
    state[FIELD], state[PILE + player] = settle_masks(state[FIELD], state[PILE + player], card_mask, taken)


@inlined
def after_play(visible, card_mask, taken):
    """Return a player's visible cards after its card (a mask) captured `taken` or stayed."""
    field, own = settle_masks(visible.field, visible.own_pile, card_mask, taken)
    return VisibleCards(own, visible.opponent_pile, visible.hand & ~card_mask, field)


@inlined
def next_play(left, field, second):
    """List the next play: the mask of its card and the mask of the captured cards.

    Args:
        left: mask of the cards still to be listed. A card with two mates is listed twice.
        field: mask of the cards that can be captured.
        second: the higher of two mates, if the lower one has been listed; 0 at the beginning.

    Returns:
        The card, its capture, and `left` and `second` for the next play.
    """
    card_mask, mates = left & (~left + _ONE), field & month(lowest(left))
    if count(mates) != 2:
        return card_mask, mates, left ^ card_mask, _ZERO
    if second != _ZERO:
        return card_mask, second, left ^ card_mask, _ZERO
    low = mates & (~mates + _ONE)
    return card_mask, low, left, mates ^ low


@inlined
def unseen_cards(state, player, cards):
    """Fill in the cards that a player has not seen; return their number."""
    known, size = state[HAND + player] | state[PILE] | state[PILE + 1] | state[FIELD], 0
    if state[PHASE] == PICK_HAND or state[PHASE] == PICK_DRAW:
        known |= bit(state[SHOWN])
    for card in range(48):
        if not bit(card) & known:
            cards[size] = card
            size += 1
    return size
