"""Where a match of Koi-Koi stands, and deals of cards in which it could have come there.

Probabilities of deals are divided by that of a single deal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count
from tefuda._kernels.draw import mix
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.rounds import DRAWN, FIELD, HAND, PHASE, PLAY, TURN, bit, shuffle

_ONE, _ZERO = np.uint64(1), np.uint64(0)
START, _DREW = np.uint64(0x5851F42D4C957F2D), np.uint64(64)


class Settings(NamedTuple):
    """How to search. delta, epsilon, gamma: see `OnlineSampling`. iterations: for each decision. keep: whether aimed
    episodes keep to the match where they meet infosets that are not in memory. whole: whether they are aimed at all
    that has happened, or at the own hand and field alone. cycled: whether hands of the other come in turn.
    """

    delta: float
    epsilon: float
    gamma: float
    iterations: int
    keep: bool
    whole: bool
    cycled: bool


class Match(NamedTuple):
    """What one player knows of a match. start: `[3]` uint64: its own hand at first, the cards the other has played (by
    seats), and the field at first. acts: `[LONGEST]` int64, all actions so far; drawn: `[48]` uint8, the cards drawn;
    length: `[2]` int64 of both. told: `[1]` uint64, what all have seen. odds: `[1]` 1 / (the part of deals in which the
    match could have come here).
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
    """What all have seen after an action, and the draw behind it, as 64 bits."""
    told = mix(told ^ np.uint64(action + 1))
    return mix(told ^ (_DREW + np.uint64(stock[drawn]))) if np.int64(world[DRAWN]) > drawn else told


@inlined
def name(told, player, hand):
    """What a player has seen as 64 bits; never 0."""
    return mix(told ^ mix(hand + np.uint64(player))) | _ONE


@inlined
def possible(match, player, whole):
    """What a deal must hold for the match to have come here: the cards the other played, how many were drawn."""
    played, drawn = _ZERO, np.int64(0)
    if whole:
        played, drawn = match.start[1 - player], match.length[1]
    return played, drawn


@inlined
def ways(size, wanted):
    """Binomial coefficients, as floats."""
    found = 1.0
    for j in range(wanted):
        found *= (size - j) / (j + 1)
    return found


@inlined
def unrank(number, size, wanted):
    """The number-th set of `wanted` of `size` things, as a mask (combinadics)."""
    mask, left = _ZERO, wanted
    for thing in range(size - 1, -1, -1):
        if left == 0:
            break
        ways = 1
        for j in range(left):
            ways = ways * (thing - j) // (j + 1) if thing >= left else 0
        if number >= ways:
            number -= ways
            mask |= bit(thing)
            left -= 1
    return mask


@inlined
def coprime(one, two):
    """Whether two numbers have no common divisor."""
    while two:
        one, two = two, one % two
    return one == 1


@inlined
def aimed_deal(shape, match, player, settings, turn, path, state):
    """Deal cards as the match could have been dealt; return the stream."""
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
    other = played
    if settings.cycled:
        ways = 1
        for j in range(more):
            ways = ways * (size - j) // (j + 1)
        stride = np.int64(ways * 0.6180339887498949) | 1
        while not coprime(stride, ways):
            stride += 2
        chosen, left = unrank(np.int64(turn) % ways * stride % ways, size, more), 0
        for place in range(size):  # those chosen to the front
            if chosen & bit(place):
                path.rest[place], path.rest[left] = path.rest[left], path.rest[place]
                left += 1
        state = shuffle(path.rest[more:], size - more, 0, size - more, state)
    else:
        state = shuffle(path.rest, size, 0, size, state)
    for place in range(more):
        other |= bit(path.rest[place])
    world = path.world
    world[:] = _ZERO
    world[HAND + player], world[HAND + 1 - player], world[FIELD] = hand, other, field
    world[PHASE], world[TURN] = np.uint64(PLAY), _ONE
    begin = 2 * shape.hand + shape.field
    for place in range(drawn):
        path.deck[begin + place] = match.drawn[place]
    for place in range(size - more):
        path.deck[begin + drawn + place] = path.rest[more + place]
    return state


@inlined
def could_be(match, player, settings, world, stock):
    """Whether the match could have been dealt so."""
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
    """How unlikely a deal is in which the match could have come here."""
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
    """A new match, as a player sees it when the cards are dealt."""
    match.start[player], match.start[1 - player], match.start[2] = world[HAND + player], _ZERO, world[FIELD]
    match.length[0] = match.length[1] = 0
    match.told[0] = mix(START ^ world[FIELD])


@inlined
def note_act(match, player, mover, played, action, world, stock):
    """Note an action that was done, whether it played a card, and the card drawn behind it."""
    match.told[0] = after(match.told[0], action, world, stock, match.length[1])
    match.acts[match.length[0]] = action
    match.length[0] += 1
    if played and mover != player:
        match.start[mover] |= bit(action)
    for place in range(match.length[1], np.int64(world[DRAWN])):
        match.drawn[place] = stock[place]
    match.length[1] = np.int64(world[DRAWN])
