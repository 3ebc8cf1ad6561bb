"""A player's knowledge of the current round of Koi-Koi, and deals that agree with it.

Probabilities of deals are divided by that of a single deal.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count
from tefuda._kernels.draw import mix
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.belief import cards_at, count_sets
from tefuda.koikoi.kernels.rounds import shuffle
from tefuda.koikoi.kernels.state import DRAWN, FIELD, HAND, PHASE, PLAY, TURN, bit, copy

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_NO_LIMIT = 1 << 62
START, _DRAWN_CARD = np.uint64(0x5851F42D4C957F2D), np.uint64(64)


class OnlineSettings(NamedTuple):
    """Settings of an online search.

    Attributes:
        delta, epsilon, gamma: see `OnlineRounds`.
        iterations: number for each decision.
        follow_match: whether targeted episodes follow the round at infosets that are not in memory.
        target_match: whether the whole round is the target, not only the player's own hand and the
            field.
        cycle_hands: whether the opponent's hands are taken in turn.
    """

    delta: float
    epsilon: float
    gamma: float
    iterations: int
    follow_match: bool
    target_match: bool
    cycle_hands: bool


class RoundRecord(NamedTuple):
    """One player's knowledge of a round.

    Attributes:
        start: `[3]` uint64, by seat the player's first hand and the cards that the opponent has
            played, then the first field.
        actions: `[LONGEST]` int64, all actions so far.
        drawn: `[48]` uint8, the cards drawn.
        lengths: `[2]` int64, numbers of actions and of drawn cards.
        history: `[1]` uint64, hash of the public history.
        deal_weight: `[1]`, inverse of the share of deals that agree with the round.
    """

    start: np.ndarray
    actions: np.ndarray
    drawn: np.ndarray
    lengths: np.ndarray
    history: np.ndarray
    deal_weight: np.ndarray


class EpisodeScratch(NamedTuple):
    """Scratch of an episode.

    Attributes:
        row: `[LONGEST]` int64.
        size: `[LONGEST]` int64, numbers of actions.
        choice: `[LONGEST]` int64.
        own: `[LONGEST]` int64, 1 for decisions of the traverser.
        w: `[LONGEST]`.
        q: `[LONGEST]`.
        sigma: `[LONGEST, WIDEST]`.
        state: `[WIDTH]`.
        deck: `[C]` uint8.
        unseen: `[C]` uint8.
        phi: `[WIDEST]`, sampling probabilities.
        counts: `[4]` int64, see `oos`.
    """

    row: np.ndarray
    size: np.ndarray
    choice: np.ndarray
    own: np.ndarray
    w: np.ndarray
    q: np.ndarray
    sigma: np.ndarray
    state: np.ndarray
    deck: np.ndarray
    unseen: np.ndarray
    phi: np.ndarray
    counts: np.ndarray


@inlined
def extend_history(history, action, state, stock, drawn):
    """Return the hash of the public history after an action and the draw that follows it."""
    history = mix(history ^ np.uint64(action + 1))
    return mix(history ^ (_DRAWN_CARD + np.uint64(stock[drawn]))) if np.int64(state[DRAWN]) > drawn else history


@inlined
def infoset_key(history, player, hand):
    """Return the hash of the history that a player has observed; never 0."""
    return mix(history ^ mix(hand + np.uint64(player))) | _ONE


@inlined
def constraints(record, player, target_match):
    """Return the constraints on a deal: the cards played by the opponent, and the number of drawn cards."""
    played, drawn = _ZERO, np.int64(0)
    if target_match:
        played, drawn = record.start[1 - player], record.lengths[1]
    return played, drawn


@inlined
def binomial(size, wanted):
    """Return a binomial coefficient as a float."""
    result = 1.0
    for j in range(wanted):
        result *= (size - j) / (j + 1)
    return result


@inlined
def unrank(number, size, wanted):
    """Return the n-th set of `wanted` among `size` elements, as a mask (combinadics)."""
    mask, remaining = _ZERO, wanted
    for element in range(size - 1, -1, -1):
        if remaining == 0:
            break
        before = count_sets(element, remaining, _NO_LIMIT)
        if number >= before:
            number -= before
            mask |= bit(element)
            remaining -= 1
    return mask


@inlined
def cycle_hand(cards, size, wanted, turn):
    """Move a set of `wanted` of `size` cards to the front; successive turns cycle through all sets."""
    sets, remaining = count_sets(size, wanted, _NO_LIMIT), 0
    stride = np.int64(sets * 0.6180339887498949) | 1
    while math.gcd(stride, sets) != 1:
        stride += 2
    chosen = unrank(np.int64(turn) % sets * stride % sets, size, wanted)
    for index in range(size):
        if chosen & bit(index):
            cards[index], cards[remaining] = cards[remaining], cards[index]
            remaining += 1


@inlined
def targeted_deal(shape, record, player, settings, turn, scratch, stream):
    """Deal cards that agree with the round; return the stream."""
    played, drawn = constraints(record, player, settings.target_match)
    hand, field, size = record.start[player], record.start[2], 0
    known = hand | field | played
    for index in range(drawn):
        known |= bit(record.drawn[index])
    for index in range(shape.cards.shape[0]):
        if not bit(shape.cards[index]) & known:
            scratch.unseen[size] = shape.cards[index]
            size += 1
    missing = shape.hand - np.int64(count(played))
    if settings.cycle_hands:
        cycle_hand(scratch.unseen, size, missing, turn)
        stream = shuffle(scratch.unseen[missing:], size - missing, 0, size - missing, stream)
    else:
        stream = shuffle(scratch.unseen, size, 0, size, stream)
    state, stock_start = scratch.state, 2 * shape.hand + shape.field
    state[:] = _ZERO
    state[HAND + player], state[FIELD] = hand, field
    state[HAND + 1 - player] = played | cards_at((_ONE << np.uint64(missing)) - _ONE, scratch.unseen)
    state[PHASE], state[TURN] = np.uint64(PLAY), _ONE
    copy(scratch.deck[stock_start:], record.drawn[:drawn])
    copy(scratch.deck[stock_start + drawn :], scratch.unseen[missing:size])
    return stream


@inlined
def is_consistent(record, player, settings, state, stock):
    """Return whether a deal agrees with the round."""
    played, drawn = constraints(record, player, settings.target_match)
    if state[HAND + player] != record.start[player] or state[FIELD] != record.start[2]:
        return False
    if played & ~state[HAND + 1 - player]:
        return False
    same = True
    for index in range(drawn):
        same &= stock[index] == record.drawn[index]
    return same


@inlined
def store_deal_weight(shape, record, player, settings):
    """Store the inverse of the probability of deals that agree with the round."""
    played, drawn = constraints(record, player, settings.target_match)
    cards, hand, field = shape.cards.shape[0], shape.hand, shape.field
    unseen, shown = cards - hand - field, np.int64(count(played))
    deal_weight = binomial(cards, hand) * binomial(cards - hand, field) * binomial(unseen, hand)
    deal_weight /= binomial(unseen - shown - drawn, hand - shown)
    for index in range(drawn):
        deal_weight *= unseen - hand - index
    record.deal_weight[0] = deal_weight


@inlined
def start_record(state, record, player):
    """Start the record of a player after the deal."""
    record.start[player], record.start[1 - player], record.start[2] = state[HAND + player], _ZERO, state[FIELD]
    record.lengths[0] = record.lengths[1] = 0
    record.history[0] = mix(START ^ state[FIELD])


@inlined
def record_action(record, player, mover, played, action, state, stock):
    """Record an action, whether it played a card, and the card drawn after it."""
    record.history[0] = extend_history(record.history[0], action, state, stock, record.lengths[1])
    record.actions[record.lengths[0]] = action
    record.lengths[0] += 1
    if played and mover != player:
        record.start[mover] |= bit(action)
    for index in range(record.lengths[1], np.int64(state[DRAWN])):
        record.drawn[index] = stock[index]
    record.lengths[1] = np.int64(state[DRAWN])
