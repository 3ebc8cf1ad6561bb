"""Simple players of Koi-Koi: random and greedy ones, who stop as soon as they may."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest, pick_bit
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.rounds import base, holds_more, stopping
from tefuda.koikoi.kernels.world import (
    DRAWN,
    FIELD,
    HAND,
    KOI,
    PHASE,
    PILE,
    PLAY,
    SHOWN,
    STOP,
    TURN,
    bit,
    month,
    settled,
)

RANDOM, GREEDY = 0, 1
_ONE, _ZERO, _S32 = np.uint64(1), np.uint64(0), np.uint64(32)


@inlined
def greedy_gain(values, pile, before, taken):
    """Return the value of a capture to greedy play: new points of yaku above all, then the values of the cards."""
    gain = 1000 * (base(values, pile | taken, 0)[0] - before)
    while taken:
        gain += values.worth[lowest(taken)]
        taken &= taken - _ONE
    return gain


@inlined
def greedy_pick(values, pile, card, mates):
    """Return the one of two mates that greedy play takes, as a mask; the lower of equals."""
    low, here = mates & (~mates + _ONE), bit(card)
    high = mates ^ low
    return high if greedy_gain(values, pile, 0, high | here) > greedy_gain(values, pile, 0, low | here) else low


@inlined
def greedy_card(values, hand, field, pile):
    """Return the hand card that greedy play lays; the lowest of equals."""
    before, best, chosen, left = base(values, pile, 0)[0], -(1 << 40), np.uint64(0), hand
    while left:
        card = lowest(left)
        left &= left - _ONE
        mates = taken_by(values, GREEDY, pile, card, field & month(card), _ZERO)
        gain = greedy_gain(values, pile, before, mates | bit(card)) if mates else -values.worth[card]
        if gain > best:
            best, chosen = gain, card
    return chosen


@inlined
def taken_by(values, kind, pile, card, mates, random):
    """Return what a card of a simple player takes, as a mask: all mates, but one of two."""
    if count(mates) == 2:
        return greedy_pick(values, pile, card, mates) if kind == GREEDY else pick_bit(mates, random)
    return mates


@inlined
def lay(values, kind, field, pile, card, random):
    """Return field and pile after a card of a simple player."""
    return settled(field, pile, bit(card), taken_by(values, kind, pile, card, field & month(card), random))


@inlined
def simple_choice(values, kind, world, player, random):
    """Return the action of a simple player, who stops as soon as it may, and what the card takes."""
    card, own, field = np.int64(world[SHOWN]), world[PILE + player], world[FIELD]
    if world[PHASE] == KOI:
        return np.int64(STOP), _ZERO
    if world[PHASE] == PLAY:
        hand = world[HAND + player]
        card = np.int64(greedy_card(values, hand, field, own) if kind == GREEDY else lowest(pick_bit(hand, random)))
        random >>= _S32
    return card, taken_by(values, kind, own, card, field & month(card), random)


@inlined
def single(world, action, taken):
    """Return a choice as a single action: of a card that picks, the card that it takes."""
    return action if world[PHASE] == PLAY or world[PHASE] == KOI else np.int64(lowest(taken))


@inlined
def finish(values, kinds, world, stock, state):
    """Play a world that is before a PLAY to its end by simple players, of kinds `[2]`.

    Return the dealer's points and the stream. Hands, piles, field and turn of the world are left as at the end.
    """
    turns = values.options[6]
    turn, field, drawn = np.int64(world[TURN]), world[FIELD], np.int64(world[DRAWN])
    player = (turn - 1) & 1
    while turn <= turns:
        hand, before, kind = world[HAND + player], world[PILE + player], kinds[player]
        state = step(state)
        random = mix(state)
        card = greedy_card(values, hand, field, before) if kind == GREEDY else lowest(pick_bit(hand, random))
        world[HAND + player] = hand ^ bit(card)
        field, pile = lay(values, kind, field, before, card, random >> _S32)
        if drawn < stock.shape[0]:
            state = step(state)
            field, pile = lay(values, kind, field, pile, stock[drawn], mix(state))
            drawn += 1
        if pile != before:
            world[PILE + player] = pile
            if holds_more(values, world, player):
                world[TURN], world[FIELD] = np.uint64(turn), field
                points = stopping(values, world, player)
                return (points if player == 0 else -points), state
        turn += 1
        player = 1 - player
    world[TURN], world[FIELD] = np.uint64(turns), field
    return values.options[5], state
