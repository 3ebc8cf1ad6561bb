"""A memory of positions inside a search of Koi-Koi: what was tried where somebody saw the same, and what came of it.

A node is what the one in turn sees of a position: own hand, field, piles, calls, whose turn it is. So neither player
acts by cards that are hidden from it, in whichever world; the searcher's own hand is one, the other's as many as are
drawn. (Cowling 2012; what has been forgotten of how the position came about is held by no node.) A node begins with
what the tables think of each candidate, worth so many visits; the first walk through a position makes its node, one a
walk, and beyond that worlds are played on by the tables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.draw import mix
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.playout import (
    BY_TABLES,
    EXPECTED,
    FINAL,
    call,
    candidates,
    lay_candidate,
    stand,
    stopping,
    worth_of,
)
from tefuda.koikoi.kernels.rounds import CALLS, FIELD, HAND, KOI, LEVEL, PHASE, PILE, PLAY, STOP, TURN, bit, held
from tefuda.koikoi.kernels.values import AFTER_TURN, BEFORE_DRAW, choose_card, phase_of, value, value_near

_ONE, _ZERO = np.uint64(1), np.uint64(0)


class Nodes(NamedTuple):
    """Nodes of one search, by hash.

    keys: `[N]` uint64, 0 where there is none; N a power of two. sums, visits: `[N, 16]` float32 of utilities to the one
    in turn. size: `[2]` int64, how many there are, and the walk has made. path: `[3, 40]` int64, nodes of the walk,
    choices, and whose they are. cards: `[32]` int64, takes: `[32]` uint64, candidates of the node.
    """

    keys: np.ndarray
    sums: np.ndarray
    visits: np.ndarray
    size: np.ndarray
    path: np.ndarray
    cards: np.ndarray
    takes: np.ndarray


@inlined
def key_of(world, player):
    """What a player sees of a position as 64 bits; never 0."""
    known = mix(world[HAND + player] + np.uint64(player))
    known = mix(known ^ world[FIELD]) ^ world[PILE]
    calls = world[CALLS] << np.uint64(8) | world[CALLS + 1]
    levels = world[LEVEL] << np.uint64(32) | world[LEVEL + 1] << np.uint64(16)
    known = mix(known) ^ world[PILE + 1]
    return mix(mix(known) ^ levels ^ calls << np.uint64(48) ^ world[TURN] << np.uint64(4) ^ world[PHASE]) | _ONE


@inlined
def place_of(nodes, key):
    """Where a node is, or would be."""
    mask = np.uint64(nodes.keys.shape[0] - 1)
    place = key >> np.uint64(20) & mask
    while nodes.keys[place] != key and nodes.keys[place] != _ZERO:
        place = place + _ONE & mask
    return np.int64(place)


@inlined
def note_thoughts(values, worth, search, utility, world, player, sign, nodes, place, size, found):
    """Begin a node with what the tables think of its candidates."""
    own, other, hand, field = world[PILE + player], world[PILE + 1 - player], world[HAND + player], world[FIELD]
    calls, theirs = np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player])
    left, total = np.int64(count(hand)), np.float32(0.0)
    if world[PHASE] == PLAY:
        total = value(worth, BEFORE_DRAW, phase_of(left - 1, calls, theirs), own, other, hand, field, found)
    for at in range(size):
        kind = EXPECTED
        if world[PHASE] == PLAY:
            card, taken = nodes.cards[at], nodes.takes[at]
            here = bit(card)
            pile, lying = (own, field | here) if taken == _ZERO else (own | taken | here, field & ~taken)
            points = np.float64(
                value_near(
                    worth, BEFORE_DRAW, phase_of(left - 1, calls, theirs), total, card, pile, other, hand & ~here,
                    lying, found,
                )
            )  # fmt: skip
        elif at == 0:
            points, kind = np.float64(stopping(values, world, player)), FINAL
        else:
            points = np.float64(
                value(worth, AFTER_TURN, phase_of(left, calls + 1, theirs), own, other, hand, field, found)
            )
        nodes.visits[place, at] = search.prior
        nodes.sums[place, at] = search.prior * sign * worth_of(utility[kind], sign * points)


@inlined
def most_promising(nodes, place, size, explore):
    """The choice with the highest mean and bonus for few visits (UCB1, Auer 2002)."""
    total = np.float32(0.0)
    for at in range(size):
        total += nodes.visits[place, at]
    best, chosen, spread = np.float32(-1e30), 0, np.log(total)
    for at in range(size):
        visits = nodes.visits[place, at]
        now = nodes.sums[place, at] / visits + explore * np.sqrt(spread / visits)
        if now > best:
            best, chosen = now, at
    return chosen


@inlined
def thoughtless(values, worth, utility, world, player, sign, found):
    """What the one in turn does by the tables: a card, or STOP or more, and what the card takes."""
    own, other, hand, field = world[PILE + player], world[PILE + 1 - player], world[HAND + player], world[FIELD]
    calls, theirs = np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player])
    left = np.int64(count(hand))
    if world[PHASE] == PLAY:
        laid, taken = choose_card(
            worth, phase_of(left - 1, calls, theirs), own, other, hand, field, 0.0, _ZERO, found
        )  # fmt: skip
        return np.int64(lowest(laid)), taken
    on = np.float64(value(worth, AFTER_TURN, phase_of(left, calls + 1, theirs), own, other, hand, field, found))
    points = np.float64(stopping(values, world, player))
    more = sign * (worth_of(utility[EXPECTED], sign * on) - worth_of(utility[FINAL], sign * points)) > 0
    return np.int64(STOP + 1 if more else STOP), _ZERO


@inlined
def choose(values, worth, search, utility, scale, world, player, sign, nodes, length, found):
    """What the one in turn does by the node of the position, and what the card takes; -1: there is no node.

    The walk's first visit of a position without one makes it. Return the path's length, too; nodes made are counted in
    `nodes.size`: all, and those of the walk.
    """
    key = key_of(world, player)
    place = place_of(nodes, key)
    new = nodes.keys[place] == _ZERO
    if new and (nodes.size[1] > 0 or 2 * nodes.size[0] >= nodes.keys.shape[0]):
        return np.int64(-1), _ZERO, length
    size = candidates(values, world, player, nodes.cards, nodes.takes)
    if new:
        nodes.keys[place] = key
        nodes.size[0] += 1
        nodes.size[1] += 1
        note_thoughts(values, worth, search, utility, world, player, sign, nodes, place, size, found)
    chosen = most_promising(nodes, place, size, np.float32(search.explore * scale))
    nodes.path[0, length], nodes.path[1, length], nodes.path[2, length] = place, chosen, player
    return nodes.cards[chosen], nodes.takes[chosen] if world[PHASE] == PLAY else _ZERO, length + 1


@inlined
def go(values, worth, world, stock, player, card, taken, found):
    """Do what was chosen, up to the next decision; return whether the round is over by it."""
    if world[PHASE] == KOI:
        if card == STOP:
            return True
        call(values, world, player)
        world[PHASE] = np.uint64(PLAY)
        return False
    lay_candidate(values, worth, world, stock, card, taken, player, BY_TABLES, _ZERO, found)
    calls, theirs = np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player])
    if held(values, world[PILE + player], calls) <= np.int64(world[LEVEL + player]):
        world[TURN] += _ONE
        world[PHASE] = np.uint64(PLAY)
        return False
    world[PHASE] = np.uint64(KOI)
    return world[HAND + player] == _ZERO or (0 <= values.options[4] <= calls + theirs)


@kernel(refcounts=False)
def walk(values, worth, search, utility, room, player, chosen, last, weight):
    """Play a candidate on in the world, in known positions as its nodes say; return what comes of it, as utility.

    last: the turn before which the tables say what the position is worth. weight: of the world.
    """
    world, nodes, most = room.world, room.nodes, (utility.shape[1] - 1) // 2
    scale = (utility[EXPECTED, most + 5] - utility[EXPECTED, most - 5]) / 10.0
    card, taken, mover, length, over = room.cards[chosen], room.takes[chosen], player, 0, False
    sign, nodes.size[1] = 1.0, 0
    if world[PHASE] == KOI:
        taken = _ZERO
    while True:
        over = go(values, worth, world, room.stock, mover, card, taken, room.found)
        if over or np.int64(world[TURN]) >= last:
            break
        mover = np.int64(world[TURN] - _ONE) & 1
        sign = 1.0 if mover == player else -1.0
        card, taken, length = choose(
            values, worth, search, utility, scale, world, mover, sign, nodes, length, room.found
        )  # fmt: skip
        if card < 0:
            card, taken = thoughtless(values, worth, utility, world, mover, sign, room.found)
    gained = result(values, worth, utility, world, player, mover, over, room.found)
    note_result(nodes, length, player, gained, weight)
    return gained


@inlined
def result(values, worth, utility, world, player, mover, over, found):
    """What the walk has come to: what the one who moved last stops with, exhaustion, or what the tables think."""
    if over:
        points = np.float64(stopping(values, world, mover))
        return worth_of(utility[FINAL], points if mover == player else -points)
    if np.int64(world[TURN]) > values.options[6]:
        points = np.float64(values.options[5])
        return worth_of(utility[FINAL], points if player == 0 else -points)
    points = stand(worth, world, player, found)
    return worth_of(utility[EXPECTED], points if player == 0 else -points)


@inlined
def note_result(nodes, length, player, gained, weight):
    """Note at the nodes of the path what has come of it."""
    for at in range(length):
        place, chosen = nodes.path[0, at], nodes.path[1, at]
        mine = nodes.path[2, at] == player
        nodes.sums[place, chosen] += np.float32(weight * gained if mine else -weight * gained)
        nodes.visits[place, chosen] += np.float32(weight)


@inlined
def clear(nodes):
    """Forget all nodes, if there are any."""
    if nodes is not None and nodes.size[0] > 0:
        nodes.keys[:] = _ZERO
        nodes.size[0] = 0
