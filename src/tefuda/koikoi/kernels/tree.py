"""A search tree of Koi-Koi over information sets (Cowling, Powley and Whitehouse 2012).

A node is the view of the player to move: own hand, field, piles, calls, turn. No player acts on
hidden cards, in any determinization; the history of the position is ignored. A new node starts with
the tables' values of its candidates, counted as `prior` visits each. Each simulation adds at most
one node and continues by tables.
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
    play_candidate,
    position_value,
    tables_choice,
    utility_of,
)
from tefuda.koikoi.kernels.rounds import LAST_TURN, call, exhausted_points, may_call, may_stop, stop_points
from tefuda.koikoi.kernels.state import (
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
    visible_cards,
)
from tefuda.koikoi.kernels.tables import BEFORE_DRAW, phase_in, value, value_near, value_of_calling

_ONE, _ZERO = np.uint64(1), np.uint64(0)


class Nodes(NamedTuple):
    """Nodes of one search, hashed; N: a power of two.

    Attributes:
        keys: `[N]` uint64, 0 where free.
        sums: `[N, 16]` float32, utilities of the player to move.
        visits: `[N, 16]` float32.
        size: `[2]` int64, number of all nodes and of those added by the current simulation.
        path: `[3, 40]` int64, nodes of the simulation, choices, and their players.
        cards: `[32]` int64, candidates of the node.
        takes: `[32]` uint64, their captures.
    """

    keys: np.ndarray
    sums: np.ndarray
    visits: np.ndarray
    size: np.ndarray
    path: np.ndarray
    cards: np.ndarray
    takes: np.ndarray


@inlined
def infoset_key(state, player):
    """Return a player's view of a position as 64 bits; never 0."""
    known = mix(state[HAND + player] + np.uint64(player))
    known = mix(known ^ state[FIELD]) ^ state[PILE]
    calls = state[CALLS] << np.uint64(8) | state[CALLS + 1]
    levels = state[LEVEL] << np.uint64(32) | state[LEVEL + 1] << np.uint64(16)
    known = mix(known) ^ state[PILE + 1]
    return mix(mix(known) ^ levels ^ calls << np.uint64(48) ^ state[TURN] << np.uint64(4) ^ state[PHASE]) | _ONE


@inlined
def find_slot(nodes, key):
    """Return the slot of a node, present or not."""
    mask = np.uint64(nodes.keys.shape[0] - 1)
    slot = key >> np.uint64(20) & mask
    while nodes.keys[slot] != key and nodes.keys[slot] != _ZERO:
        slot = slot + _ONE & mask
    return np.int64(slot)


@inlined
def initialise_node(rules, tables, search, utility, state, player, sign, nodes, slot, size, indices):
    """Initialise a node with the tables' values of its candidates."""
    visible, phase, total = visible_cards(state, player), phase_in(state, player, 1), np.float32(0.0)
    if state[PHASE] == PLAY:
        total = value(tables, BEFORE_DRAW, phase, visible, indices)
    for choice in range(size):
        kind = EXPECTED
        if state[PHASE] == PLAY:
            card_mask = bit(nodes.cards[choice])
            after = after_play(visible, card_mask, nodes.takes[choice])
            points = np.float64(value_near(tables, BEFORE_DRAW, phase, total, card_mask, after, indices))
        elif choice == 0:
            points, kind = np.float64(stop_points(rules, state, player)), FINAL
        else:
            points = np.float64(value_of_calling(tables, state, player, indices))
        nodes.visits[slot, choice] = search.prior
        nodes.sums[slot, choice] = search.prior * sign * utility_of(utility[kind], sign * points)


@inlined
def select_choice(nodes, slot, size, explore):
    """Return the choice with the highest mean plus exploration bonus (UCB1, Auer 2002)."""
    total = np.float32(0.0)
    for choice in range(size):
        total += nodes.visits[slot, choice]
    best, chosen, spread = np.float32(-1e30), 0, np.log(total)
    for choice in range(size):
        visits = nodes.visits[slot, choice]
        score = nodes.sums[slot, choice] / visits + explore * np.sqrt(spread / visits)
        if score > best:
            best, chosen = score, choice
    return chosen


@inlined
def tree_choice(rules, tables, search, utility, scale, state, player, sign, nodes, length, indices):
    """Return the action chosen by the node of the position, its capture, and the length of the path.

    The action is -1 if there is no node. The first visit of a simulation to a position without a
    node adds the node.
    """
    key = infoset_key(state, player)
    slot = find_slot(nodes, key)
    new = nodes.keys[slot] == _ZERO
    if new and (nodes.size[1] > 0 or 2 * nodes.size[0] >= nodes.keys.shape[0]):
        return np.int64(-1), _ZERO, length
    size = candidates(state, player, nodes.cards, nodes.takes)
    if new:
        nodes.keys[slot] = key
        nodes.size[0] += 1
        nodes.size[1] += 1
        initialise_node(rules, tables, search, utility, state, player, sign, nodes, slot, size, indices)
    chosen = select_choice(nodes, slot, size, np.float32(search.explore * scale))
    nodes.path[0, length], nodes.path[1, length], nodes.path[2, length] = slot, chosen, player
    return nodes.cards[chosen], nodes.takes[chosen] if state[PHASE] == PLAY else _ZERO, length + 1


@inlined
def play_action(rules, tables, state, stock, player, card, taken, indices):
    """Play an action up to the next decision; return whether it ends the round."""
    if state[PHASE] == KOI:
        if card == STOP:
            return True
        call(rules, state, player)
    else:
        play_candidate(rules, tables, state, stock, card, taken, player, BY_TABLES, _ZERO, indices)
        if may_stop(rules, state, player):
            state[PHASE] = np.uint64(KOI)
            return not may_call(rules, state, player)
    state[TURN] += _ONE
    state[PHASE] = np.uint64(PLAY)
    return False


@kernel(refcounts=False)
def simulate(rules, tables, search, utility, scratch, player, chosen, last_turn, weight):
    """Simulate a candidate in the scratch state, by nodes where they exist; return the final utility.

    last_turn: turn at which the simulation stops with the tables' value of the position. weight:
    weight of the determinization.
    """
    state, nodes, most = scratch.state, scratch.nodes, (utility.shape[1] - 1) // 2
    scale = (utility[EXPECTED, most + 5] - utility[EXPECTED, most - 5]) / 10.0
    card, taken, actor, length, over = scratch.cards[chosen], scratch.takes[chosen], player, 0, False
    sign, nodes.size[1] = 1.0, 0
    if state[PHASE] == KOI:
        taken = _ZERO
    while True:
        over = play_action(rules, tables, state, scratch.stock, actor, card, taken, scratch.indices)
        if over or np.int64(state[TURN]) >= last_turn:
            break
        actor = mover(state)
        sign = 1.0 if actor == player else -1.0
        card, taken, length = tree_choice(
            rules, tables, search, utility, scale, state, actor, sign, nodes, length, scratch.indices
        )  # fmt: skip
        if card < 0:
            card, taken = tables_choice(rules, tables, utility, sign, state, actor, scratch.indices)
    gained = final_utility(rules, tables, utility, state, player, actor, over, scratch.indices)
    back_up(nodes, length, player, gained, weight)
    return gained


@inlined
def final_utility(rules, tables, utility, state, player, actor, over, indices):
    """Return the utility at the end of a simulation: a stop, exhaustion, or the tables' value."""
    kind, dealer = FINAL, 0
    if over:
        points, dealer = np.float64(stop_points(rules, state, actor)), actor
    elif np.int64(state[TURN]) > rules.options[LAST_TURN]:
        points = np.float64(exhausted_points(rules, state))
    else:
        points, kind = position_value(tables, state, player, indices), EXPECTED
    return utility_of(utility[kind], points if player == dealer else -points)


@inlined
def back_up(nodes, length, player, gained, weight):
    """Add the result of a simulation to the nodes of its path."""
    for depth in range(length):
        slot, chosen = nodes.path[0, depth], nodes.path[1, depth]
        mine = nodes.path[2, depth] == player
        nodes.sums[slot, chosen] += np.float32(weight * gained if mine else -weight * gained)
        nodes.visits[slot, chosen] += np.float32(weight)


@inlined
def clear(nodes):
    """Clear all nodes, if there are any."""
    if nodes is not None and nodes.size[0] > 0:
        nodes.keys[:] = _ZERO
        nodes.size[0] = 0
