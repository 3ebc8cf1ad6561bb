"""Worlds of Koi-Koi on bit masks: their columns, what a player sees of them, and cards that move.

A world is a row of uint64 (`[WIDTH]`, the columns below); its stock lists the cards in the order of drawing (uint8).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined

PLAY, PICK_HAND, DRAW, PICK_DRAW, KOI, END = range(1, 7)
# Columns of a world. LEVEL: points of each player's pile when it last called. DRAWN: number of cards drawn.
# POINTS: of the dealer, as int64.
HAND, FIELD, PILE, LEVEL, CALLS, PHASE, TURN, SHOWN, DRAWN, POINTS = 0, 2, 3, 5, 7, 9, 10, 11, 12, 13
WIDTH = 14
STOP, CALL = 48, 49
_ONE, _ZERO, _MONTH, _LOW2 = np.uint64(1), np.uint64(0), np.uint64(0xF), np.uint64(3)


class Sight(NamedTuple):
    """The cards that a player sees, as masks: both piles, its hand, the field."""

    own: np.uint64
    other: np.uint64
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
    """Copy numbers: a slice would need memory of its own here."""
    for place in range(source.shape[0]):
        into[place] = source[place]


@inlined
def mover(world):
    """Return the player in turn."""
    return np.int64(world[TURN] - _ONE) & 1


@inlined
def sight(world, player):
    """Return the cards that a player sees."""
    return Sight(world[PILE + player], world[PILE + 1 - player], world[HAND + player], world[FIELD])


@inlined
def calls_of(world, player):
    """Return the number of calls of a player and of its opponent."""
    return np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player])


@inlined
def settled(field, pile, here, taken):
    """Return field and pile after a card (a mask) took others, or after it stayed if it took none."""
    return (field | here, pile) if taken == _ZERO else (field & ~taken, pile | taken | here)


@inlined
def settle(world, player, here, taken):
    """Let a card (a mask) take others for a player, or stay if it takes none."""
    world[FIELD], world[PILE + player] = settled(world[FIELD], world[PILE + player], here, taken)


@inlined
def after_play(seen, here, taken):
    """Return what a player sees after it laid or drew a card (a mask) that took others, or stayed."""
    field, own = settled(seen.field, seen.own, here, taken)
    return Sight(own, seen.other, seen.hand & ~here, field)


@inlined
def next_play(left, field, second):
    """Return the next play, as the mask of its card and what that takes, and where the list of plays goes on.

    Args:
        left: the cards still to be listed, as a mask. A card with two mates comes twice.
        field: the cards that can be taken.
        second: the higher of two mates, if the lower one has been listed; 0 at the beginning.

    Returns:
        The card, what it takes, and `left` and `second` for the next play.
    """
    here, mates = left & (~left + _ONE), field & month(lowest(left))
    if count(mates) != 2:
        return here, mates, left ^ here, _ZERO
    if second != _ZERO:
        return here, second, left ^ here, _ZERO
    low = mates & (~mates + _ONE)
    return here, low, left, mates ^ low


@inlined
def hidden_from(world, player, cards):
    """Fill in the cards that a player has not seen; return their number."""
    seen, size = world[HAND + player] | world[PILE] | world[PILE + 1] | world[FIELD], 0
    if world[PHASE] == PICK_HAND or world[PHASE] == PICK_DRAW:
        seen |= bit(world[SHOWN])
    for card in range(48):
        if not bit(card) & seen:
            cards[size] = card
            size += 1
    return size
