"""Rounds of Koi-Koi between simple players, flat Monte Carlo, and averages learnt in an abstraction: both seatings.

A player by an average knows what `look` reads; one by flat Monte Carlo draws what it does not see anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest, pick_bit
from tefuda._kernels.draw import mix, pick, step, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.keys import look
from tefuda.koikoi.kernels.mccfr import Tables, find, gather
from tefuda.koikoi.kernels.playout import copy, hidden_from
from tefuda.koikoi.kernels.rounds import (
    DRAWN,
    END,
    FIELD,
    GREEDY,
    HAND,
    KOI,
    PHASE,
    PILE,
    PLAY,
    POINTS,
    SHOWN,
    STOP,
    TURN,
    WIDTH,
    Style,
    act,
    base,
    bit,
    deal_round,
    finish,
    greedy_card,
    greedy_pick,
    open_round,
    options,
    shuffle,
)

AVERAGE, FLAT = 2, 3  # kinds of players, behind RANDOM and GREEDY
_ONE, _ZERO = np.uint64(1), np.uint64(0)


class Seats(NamedTuple):
    """Who plays, by number 0 and 1: kinds `[2]`, averages, worlds `[2]` of flat Monte Carlo, cuts `[2]`: actions of an
    average that are rarer are never done. Scratch: actions, worths, chances `[K]`, means `[50]`, trial, kept
    `[WIDTH]`, stock `[48]` uint8.
    """

    kinds: np.ndarray
    one: Tables
    two: Tables
    worlds: np.ndarray
    cuts: np.ndarray
    style: Style
    actions: np.ndarray
    worths: np.ndarray
    chances: np.ndarray
    means: np.ndarray
    trial: np.ndarray
    kept: np.ndarray
    stock: np.ndarray


@inlined
def simple(values, kind, world, random):
    """What a simple player does: stop, if it may."""
    may, player = options(values, world), np.int64(world[TURN] - _ONE) & 1
    if world[PHASE] == KOI:
        return np.int64(STOP)
    if kind != GREEDY:
        return np.int64(lowest(pick_bit(may, random)))
    own = world[PILE + player]
    if world[PHASE] == PLAY:
        return np.int64(greedy_card(values, may, world[FIELD], own))
    return np.int64(lowest(greedy_pick(values, own, base(values, own, 0)[0], world[SHOWN], may)))


@inlined
def by_average(values, tables, cut, seats, world, state):
    """What a player by an average does, and the stream."""
    key, mask = look(values, tables.parts, world, seats.actions, seats.worths)
    n, chances, total = gather(mask, seats.actions), seats.chances, 0.0
    row = find(tables, key, n, False) if n > 1 else np.int64(-1)
    most = 0.0
    for a in range(n):
        chances[a] = tables.total[row + a] if row >= 0 else 1.0
        most = max(most, chances[a])
    for a in range(n):
        if most == 0.0:
            chances[a] = 1.0
        elif chances[a] < cut * most:
            chances[a] = 0.0
        total += chances[a]
    for a in range(n):
        chances[a] /= total
    state = step(state)
    return seats.actions[pick(chances, np.int64(0), n, uniform(state))], state


@inlined
def imagine(world, player, trial, stock, state):
    """Fill `trial` with a world that looks the same to a player; return how many cards are hidden, and the stream."""
    size = hidden_from(world, player, stock)
    held = np.int64(count(world[HAND + 1 - player]))
    state = shuffle(stock, size, 0, size - 1, state)
    copy(world, trial)
    trial[HAND + 1 - player] = _ZERO
    for place in range(held):
        trial[HAND + 1 - player] |= bit(stock[place])
    trial[DRAWN] = np.uint64(held)  # what is drawn comes behind them
    return size, state


@inlined
def play_on(values, style, trial, stock, state):
    """Play a world to its end: choices of this turn at random, then by simple players."""
    while trial[PHASE] != PLAY and trial[PHASE] != END:
        state = step(state)
        act(values, trial, stock, simple(values, style.kind[0], trial, mix(state)))
    if trial[PHASE] == END:
        return np.int64(trial[POINTS]), state
    return finish(values, style, trial, stock, state)


@inlined
def by_worlds(values, seats, worlds, world, state):
    """What flat Monte Carlo does, and the stream: the action with the best mean over worlds played out at random."""
    player, may = np.int64(world[TURN] - _ONE) & 1, options(values, world)
    if count(may) == 1:
        return np.int64(lowest(may)), state
    seats.means[:] = 0.0
    for _ in range(worlds):
        size, state = imagine(world, player, seats.trial, seats.stock, state)
        copy(seats.trial, seats.kept)
        left = may
        while left:
            action = np.int64(lowest(left))
            left &= left - _ONE
            copy(seats.kept, seats.trial)
            act(values, seats.trial, seats.stock[:size], action)
            points, state = play_on(values, seats.style, seats.trial, seats.stock[:size], state)
            seats.means[action] += points if player == 0 else -points
    best, left = np.int64(lowest(may)), may
    while left:
        action = np.int64(lowest(left))
        left &= left - _ONE
        if seats.means[action] > seats.means[best]:
            best = action
    return best, state


@inlined
def choose(values, seats, who, world, state):
    """The action of number `who`, and the stream."""
    kind = seats.kinds[who]
    if kind == AVERAGE:
        return by_average(values, seats.one if who == 0 else seats.two, seats.cuts[who], seats, world, state)
    if kind == FLAT:
        return by_worlds(values, seats, seats.worlds[who], world, state)
    state = step(state)
    return simple(values, kind, world, mix(state)), state


@kernel
def duel(values, seats, deals, luck, won):
    """Fill `won` `[deals, 2]` with the points of number 0 as dealer and as the other; return the streams."""
    deck, world = np.arange(48).astype(np.uint8), np.zeros(WIDTH, dtype=np.uint64)
    for deal in range(won.shape[0]):
        deals, _ = deal_round(values, world, deck, deals)
        for dealer in range(2):
            open_round(world, deck)
            while world[PHASE] != END:
                player = np.int64(world[TURN] - _ONE) & 1
                action, luck = choose(values, seats, player ^ dealer, world, luck)
                act(values, world, deck[24:], action)
            points = np.int64(world[POINTS])
            won[deal, dealer] = points if dealer == 0 else -points
    return deals, luck


@kernel
def choose_one(values, seats, who, world, state):
    """See `choose`."""
    return choose(values, seats, who, world, state)
