"""A search tree of Koi-Koi over information sets (Cowling, Powley and Whitehouse 2012).

A node is what the player in turn sees of a position: own hand, field, piles, calls, turn. So neither player acts on
cards that are hidden from it, in whichever determinization; the history behind the position is forgotten. A new node
begins with the tables' values of its candidates, as so many visits. Each walk makes one node at most; beyond it, worlds
are played on by tables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.draw import mix
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.playout import (
    BY_TABLES,
    EXPECTED,
    FINAL,
    candidates,
    lay_candidate,
    stand,
    tables_choice,
    worth_of,
)
from tefuda.koikoi.kernels.rounds import call, holds_more, may_call, stopping
from tefuda.koikoi.kernels.values import BEFORE_DRAW, phase_in, value, value_near, value_of_calling
from tefuda.koikoi.kernels.world import (
    CALLS,
    FIELD,
    HAND,
    KOI,
    LEVEL,
    PHASE,
    PILE,
    PLAY,
    STOP,
    TURN,
    after_play,
    bit,
    mover,
    sight,
)

_ONE, _ZERO = np.uint64(1), np.uint64(0)


class Nodes(NamedTuple):
    """Nodes of one search, hashed; N: a power of two.

    keys: `[N]` uint64, 0 where free. sums: `[N, 16]` float32, utilities of the player in turn. visits: `[N, 16]`
    float32. size: `[2]` int64, number of nodes in all and of those made by the current walk. path: `[3, 40]` int64,
    nodes of the walk, choices, and their players. cards: `[32]` int64, takes: `[32]` uint64, candidates of the node.
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
    """Return what a player sees of a position as 64 bits; never 0."""
    known = mix(world[HAND + player] + np.uint64(player))
    known = mix(known ^ world[FIELD]) ^ world[PILE]
    calls = world[CALLS] << np.uint64(8) | world[CALLS + 1]
    levels = world[LEVEL] << np.uint64(32) | world[LEVEL + 1] << np.uint64(16)
    known = mix(known) ^ world[PILE + 1]
    return mix(mix(known) ^ levels ^ calls << np.uint64(48) ^ world[TURN] << np.uint64(4) ^ world[PHASE]) | _ONE


@inlined
def place_of(nodes, key):
    """Return the place of a node, present or not."""
    mask = np.uint64(nodes.keys.shape[0] - 1)
    place = key >> np.uint64(20) & mask
    while nodes.keys[place] != key and nodes.keys[place] != _ZERO:
        place = place + _ONE & mask
    return np.int64(place)


@inlined
def note_thoughts(values, worth, search, utility, world, player, sign, nodes, place, size, found):
    """Begin a node with the tables' values of its candidates."""
    seen, phase, total = sight(world, player), phase_in(world, player, 1), np.float32(0.0)
    if world[PHASE] == PLAY:
        total = value(worth, BEFORE_DRAW, phase, seen, found)
    for at in range(size):
        kind = EXPECTED
        if world[PHASE] == PLAY:
            here = bit(nodes.cards[at])
            after = after_play(seen, here, nodes.takes[at])
            points = np.float64(value_near(worth, BEFORE_DRAW, phase, total, here, after, found))
        elif at == 0:
            points, kind = np.float64(stopping(values, world, player)), FINAL
        else:
            points = np.float64(value_of_calling(worth, world, player, found))
        nodes.visits[place, at] = search.prior
        nodes.sums[place, at] = search.prior * sign * worth_of(utility[kind], sign * points)


@inlined
def most_promising(nodes, place, size, explore):
    """Return the choice with the highest mean and bonus for few visits (UCB1, Auer 2002)."""
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
def choose(values, worth, search, utility, scale, world, player, sign, nodes, length, found):
    """Return the action by the node of the position, what the card takes, and the length of the path.

    The action is -1 if there is no node. The first visit of a walk to a position without a node makes it.
    """
    key = key_of(world, player)
    place = place_of(nodes, key)
    new = nodes.keys[place] == _ZERO
    if new and (nodes.size[1] > 0 or 2 * nodes.size[0] >= nodes.keys.shape[0]):
        return np.int64(-1), _ZERO, length
    size = candidates(world, player, nodes.cards, nodes.takes)
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
    """Do an action, up to the next decision; return whether it ends the round."""
    if world[PHASE] == KOI:
        if card == STOP:
            return True
        call(values, world, player)
    else:
        lay_candidate(values, worth, world, stock, card, taken, player, BY_TABLES, _ZERO, found)
        if holds_more(values, world, player):
            world[PHASE] = np.uint64(KOI)
            return not may_call(values, world, player)
    world[TURN] += _ONE
    world[PHASE] = np.uint64(PLAY)
    return False


@kernel(refcounts=False)
def walk(values, worth, search, utility, room, player, chosen, last, weight):
    """Play a candidate on in the world, by the nodes in known positions; return the utility of the result.

    last: the turn before which the walk ends with the tables' value of the position. weight: of the world.
    """
    world, nodes, most = room.world, room.nodes, (utility.shape[1] - 1) // 2
    scale = (utility[EXPECTED, most + 5] - utility[EXPECTED, most - 5]) / 10.0
    card, taken, who, length, over = room.cards[chosen], room.takes[chosen], player, 0, False
    sign, nodes.size[1] = 1.0, 0
    if world[PHASE] == KOI:
        taken = _ZERO
    while True:
        over = go(values, worth, world, room.stock, who, card, taken, room.found)
        if over or np.int64(world[TURN]) >= last:
            break
        who = mover(world)
        sign = 1.0 if who == player else -1.0
        card, taken, length = choose(
            values, worth, search, utility, scale, world, who, sign, nodes, length, room.found
        )  # fmt: skip
        if card < 0:
            card, taken = tables_choice(values, worth, utility, sign, world, who, room.found)
    gained = result(values, worth, utility, world, player, who, over, room.found)
    note_result(nodes, length, player, gained, weight)
    return gained


@inlined
def result(values, worth, utility, world, player, who, over, found):
    """Return the utility of the end of a walk: `who` stops, exhaustion, or the tables' value of the position."""
    kind, dealer = FINAL, 0
    if over:
        points, dealer = np.float64(stopping(values, world, who)), who
    elif np.int64(world[TURN]) > values.options[6]:
        points = np.float64(values.options[5])
    else:
        points, kind = stand(worth, world, player, found), EXPECTED
    return worth_of(utility[kind], points if player == dealer else -points)


@inlined
def note_result(nodes, length, player, gained, weight):
    """Add the result of a walk to the nodes of its path."""
    for at in range(length):
        place, chosen = nodes.path[0, at], nodes.path[1, at]
        mine = nodes.path[2, at] == player
        nodes.sums[place, chosen] += np.float32(weight * gained if mine else -weight * gained)
        nodes.visits[place, chosen] += np.float32(weight)


@inlined
def clear(nodes):
    """Clear all nodes, if there are any."""
    if nodes is not None and nodes.size[0] > 0:
        nodes.keys[:] = _ZERO
        nodes.size[0] = 0
