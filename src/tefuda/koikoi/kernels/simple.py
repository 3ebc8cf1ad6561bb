"""Simple players of Koi-Koi: random and greedy play; both stop as soon as they may."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest, pick_bit
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.rounds import LAST_TURN, exhausted_points, may_stop, stop_points, yaku_points
from tefuda.koikoi.kernels.state import (
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
    settle_masks,
)

RANDOM, GREEDY = 0, 1
_ONE, _ZERO, _S32 = np.uint64(1), np.uint64(0), np.uint64(32)


@inlined
def greedy_gain(rules, pile, before, taken):
    """Return the gain of a capture in greedy play: 1000 per new point of yaku, plus card values."""
    gain = 1000 * (yaku_points(rules, pile | taken, 0)[0] - before)
    while taken:
        gain += rules.card_values[lowest(taken)]
        taken &= taken - _ONE
    return gain


@inlined
def greedy_pick(rules, pile, card, mates):
    """Return the mask of the mate that greedy play captures; the lower one of equal mates."""
    low, card_mask = mates & (~mates + _ONE), bit(card)
    high = mates ^ low
    return high if greedy_gain(rules, pile, 0, high | card_mask) > greedy_gain(rules, pile, 0, low | card_mask) else low


@inlined
def greedy_card(rules, hand, field, pile):
    """Return the hand card that greedy play lays; the lowest one of equal cards."""
    before, best, chosen, left = yaku_points(rules, pile, 0)[0], -(1 << 40), np.uint64(0), hand
    while left:
        card = lowest(left)
        left &= left - _ONE
        mates = captured_by(rules, GREEDY, pile, card, field & month(card), _ZERO)
        gain = greedy_gain(rules, pile, before, mates | bit(card)) if mates else -rules.card_values[card]
        if gain > best:
            best, chosen = gain, card
    return chosen


@inlined
def captured_by(rules, kind, pile, card, mates, random):
    """Return the capture of a card of a simple player, as a mask: all mates, but one of two."""
    if count(mates) == 2:
        return greedy_pick(rules, pile, card, mates) if kind == GREEDY else pick_bit(mates, random)
    return mates


@inlined
def lay(rules, kind, field, pile, card, random):
    """Return field and pile after a simple player has laid a card."""
    return settle_masks(field, pile, bit(card), captured_by(rules, kind, pile, card, field & month(card), random))


@inlined
def simple_choice(rules, kind, state, player, random):
    """Return the action of a simple player, and the capture of its card."""
    card, own, field = np.int64(state[SHOWN]), state[PILE + player], state[FIELD]
    if state[PHASE] == KOI:
        return np.int64(STOP), _ZERO
    if state[PHASE] == PLAY:
        hand = state[HAND + player]
        card = np.int64(greedy_card(rules, hand, field, own) if kind == GREEDY else lowest(pick_bit(hand, random)))
        random >>= _S32
    return card, captured_by(rules, kind, own, card, field & month(card), random)


@inlined
def single_action(state, action, taken):
    """Return a choice as a single action; in a pick, the action is the captured card."""
    return action if state[PHASE] == PLAY or state[PHASE] == KOI else np.int64(lowest(taken))


@inlined
def finish_round(rules, kinds, state, stock, stream):
    """Play a state before a PLAY to its end by simple players of kinds `[2]`.

    Return the dealer's points and the stream. Hands, piles, field and turn of the state are those
    at the end.
    """
    turns = rules.options[LAST_TURN]
    turn, field, drawn = np.int64(state[TURN]), state[FIELD], np.int64(state[DRAWN])
    player = (turn - 1) & 1
    while turn <= turns:
        hand, before, kind = state[HAND + player], state[PILE + player], kinds[player]
        stream = step(stream)
        random = mix(stream)
        card = greedy_card(rules, hand, field, before) if kind == GREEDY else lowest(pick_bit(hand, random))
        state[HAND + player] = hand ^ bit(card)
        field, pile = lay(rules, kind, field, before, card, random >> _S32)
        if drawn < stock.shape[0]:
            stream = step(stream)
            field, pile = lay(rules, kind, field, pile, stock[drawn], mix(stream))
            drawn += 1
        if pile != before:
            state[PILE + player] = pile
            if may_stop(rules, state, player):
                state[TURN], state[FIELD] = np.uint64(turn), field
                points = stop_points(rules, state, player)
                return (points if player == 0 else -points), stream
        turn += 1
        player = 1 - player
    state[TURN], state[FIELD] = np.uint64(turns), field
    return exhausted_points(rules, state), stream
