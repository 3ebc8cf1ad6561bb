"""A player's knowledge of a match of Koi-Koi, and deals that agree with it.

Probabilities of deals are divided by that of a single deal.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count
from tefuda._kernels.draw import mix
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.belief import cards_of, sets_of
from tefuda.koikoi.kernels.rounds import shuffle
from tefuda.koikoi.kernels.world import DRAWN, FIELD, HAND, PHASE, PLAY, TURN, bit, copy

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_MANY = 1 << 62
START, _DREW = np.uint64(0x5851F42D4C957F2D), np.uint64(64)


class Settings(NamedTuple):
    """Settings of a search. delta, epsilon, gamma: see `OnlineRounds`. iterations: for each decision. keep: whether
    aimed episodes follow the match at infosets that are not in memory. whole: whether they are aimed at the whole
    match, or only at the own hand and the field. cycled: whether the opponent's hands come in turn.
    """

    delta: float
    epsilon: float
    gamma: float
    iterations: int
    keep: bool
    whole: bool
    cycled: bool


class Match(NamedTuple):
    """One player's knowledge of a match. start: `[3]` uint64: by seats its own first hand and the cards that the
    opponent has played, then the first field. acts: `[LONGEST]` int64, all actions so far; drawn: `[48]` uint8, the
    cards drawn; length: `[2]` int64 of both. told: `[1]` uint64, the public history. odds: `[1]`, the inverse of the
    part of deals that agree with it.
    """

    start: np.ndarray
    acts: np.ndarray
    drawn: np.ndarray
    length: np.ndarray
    told: np.ndarray
    odds: np.ndarray


class Path(NamedTuple):
    """Scratch of an episode: row, size, at, own `[LONGEST]` int64; w, q `[LONGEST]`; sigma `[LONGEST, WIDEST]`; world
    `[WIDTH]`, deck `[C]` uint8, rest `[C]` uint8, phi `[WIDEST]`, counts `[4]` int64.
    """

    row: np.ndarray
    size: np.ndarray
    at: np.ndarray
    own: np.ndarray
    w: np.ndarray
    q: np.ndarray
    sigma: np.ndarray
    world: np.ndarray
    deck: np.ndarray
    rest: np.ndarray
    phi: np.ndarray
    counts: np.ndarray


@inlined
def after(told, action, world, stock, drawn):
    """Return the public history after an action and the draw behind it, as 64 bits."""
    told = mix(told ^ np.uint64(action + 1))
    return mix(told ^ (_DREW + np.uint64(stock[drawn]))) if np.int64(world[DRAWN]) > drawn else told


@inlined
def name(told, player, hand):
    """Return the history that a player has seen as 64 bits; never 0."""
    return mix(told ^ mix(hand + np.uint64(player))) | _ONE


@inlined
def possible(match, player, whole):
    """Return what a deal must agree with: the cards that the opponent played, and the number of drawn cards."""
    played, drawn = _ZERO, np.int64(0)
    if whole:
        played, drawn = match.start[1 - player], match.length[1]
    return played, drawn


@inlined
def ways(size, wanted):
    """Return a binomial coefficient as a float."""
    found = 1.0
    for j in range(wanted):
        found *= (size - j) / (j + 1)
    return found


@inlined
def unrank(number, size, wanted):
    """Return the number-th set of `wanted` of `size` things, as a mask (combinadics)."""
    mask, left = _ZERO, wanted
    for thing in range(size - 1, -1, -1):
        if left == 0:
            break
        before = sets_of(thing, left, _MANY)
        if number >= before:
            number -= before
            mask |= bit(thing)
            left -= 1
    return mask


@inlined
def hand_in_turn(cards, size, wanted, turn):
    """Move a set of `wanted` of `size` cards to the front: in turn all sets, evenly spread."""
    sets, left = sets_of(size, wanted, _MANY), 0
    stride = np.int64(sets * 0.6180339887498949) | 1
    while math.gcd(stride, sets) != 1:
        stride += 2
    chosen = unrank(np.int64(turn) % sets * stride % sets, size, wanted)
    for place in range(size):
        if chosen & bit(place):
            cards[place], cards[left] = cards[left], cards[place]
            left += 1


@inlined
def aimed_deal(shape, match, player, settings, turn, path, state):
    """Deal cards that agree with the match; return the stream."""
    played, drawn = possible(match, player, settings.whole)
    hand, field, size = match.start[player], match.start[2], 0
    known = hand | field | played
    for place in range(drawn):
        known |= bit(match.drawn[place])
    for place in range(shape.cards.shape[0]):
        if not bit(shape.cards[place]) & known:
            path.rest[size] = shape.cards[place]
            size += 1
    more = shape.hand - np.int64(count(played))
    if settings.cycled:
        hand_in_turn(path.rest, size, more, turn)
        state = shuffle(path.rest[more:], size - more, 0, size - more, state)
    else:
        state = shuffle(path.rest, size, 0, size, state)
    world, begin = path.world, 2 * shape.hand + shape.field
    world[:] = _ZERO
    world[HAND + player], world[FIELD] = hand, field
    world[HAND + 1 - player] = played | cards_of((_ONE << np.uint64(more)) - _ONE, path.rest)
    world[PHASE], world[TURN] = np.uint64(PLAY), _ONE
    copy(path.deck[begin:], match.drawn[:drawn])
    copy(path.deck[begin + drawn :], path.rest[more:size])
    return state


@inlined
def could_be(match, player, settings, world, stock):
    """Return whether a deal agrees with the match."""
    played, drawn = possible(match, player, settings.whole)
    if world[HAND + player] != match.start[player] or world[FIELD] != match.start[2]:
        return False
    if played & ~world[HAND + 1 - player]:
        return False
    same = True
    for place in range(drawn):
        same &= stock[place] == match.drawn[place]
    return same


@inlined
def note_odds(shape, match, player, settings):
    """Note the inverse of the probability of deals that agree with the match."""
    played, drawn = possible(match, player, settings.whole)
    cards, hand, field = shape.cards.shape[0], shape.hand, shape.field
    unseen, shown = cards - hand - field, np.int64(count(played))
    odds = ways(cards, hand) * ways(cards - hand, field) * ways(unseen, hand)
    odds /= ways(unseen - shown - drawn, hand - shown)
    for place in range(drawn):
        odds *= unseen - hand - place
    match.odds[0] = odds


@inlined
def sit_down(world, match, player):
    """Begin the record of a player when the cards are dealt."""
    match.start[player], match.start[1 - player], match.start[2] = world[HAND + player], _ZERO, world[FIELD]
    match.length[0] = match.length[1] = 0
    match.told[0] = mix(START ^ world[FIELD])


@inlined
def note_act(match, player, mover, played, action, world, stock):
    """Note an action, whether it played a card, and the card drawn behind it."""
    match.told[0] = after(match.told[0], action, world, stock, match.length[1])
    match.acts[match.length[0]] = action
    match.length[0] += 1
    if played and mover != player:
        match.start[mover] |= bit(action)
    for place in range(match.length[1], np.int64(world[DRAWN])):
        match.drawn[place] = stock[place]
    match.length[1] = np.int64(world[DRAWN])
