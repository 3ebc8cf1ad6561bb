"""Local best response at heads-up limit hold'em of all hands at once on one complete board.

Hands are in the order of their strength on the board, followed by those that only the river blocks, then the turn, then
the flop. So the hands possible on a street are always the first. Letters: N nodes, H hands, L those possible on the
whole board, G groups of equal strength.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels.sampler import probability

BLOCKED = 32767  # above every strength
TIE = 1e-12  # of the pot, a difference that round-off may leave


class BoardHands(NamedTuple):
    """The hands of a board."""

    cards: np.ndarray  # [H, 2]
    live: np.ndarray  # [4] number of hands possible on each street
    group_ends: np.ndarray  # [G] ends of groups of equal strength
    buckets: np.ndarray  # [4, H]
    opponent_counts: np.ndarray  # [4] number of hands of the opponent compatible with a hand


class NodeValues(NamedTuple):
    """The results by node."""

    paid: np.ndarray  # [N, 2] chips in
    reach: np.ndarray  # [N, H] float32, of the opponent
    folds: np.ndarray  # [N, H] float32, the opponent's reach times its probability to fold
    arrives: np.ndarray  # [N, L] bool, whether the responder's hand reaches the node
    choice: np.ndarray  # [N, L] int8, the responder's action
    value: np.ndarray  # [N, L] chips times the opponent's reach, summed over its hands


@kernel
def count_wins(own_places, opponent_places, wins):
    """Add to `wins` `[L, H]` int16: 2 where the responder's hand is stronger, 1 where it ties.

    own_places `[L]`, opponent_places `[H]`: int16 ranks by strength; -1 and `BLOCKED` for blocked hands.
    """
    for i in range(own_places.shape[0]):
        for j in range(opponent_places.shape[0]):
            wins[i, j] += np.int16(own_places[i] > opponent_places[j]) + np.int16(own_places[i] >= opponent_places[j])


@inlined
def follow_action(graph, sigma, board, nodes, seat, node, action):
    """Fill the node after an action; a fold of the opponent ends the hand."""
    street, child = graph.street[node], graph.child[node, action]
    if action == 0 and graph.player[node] != seat:
        for j in range(board.live[street]):
            nodes.folds[node, j] = nodes.reach[node, j] * probability(graph, sigma, node, board.buckets[street, j], 0)
    if action == 0 or child < 0:
        return
    for j in range(board.live[graph.street[child]]):
        nodes.reach[child, j] = nodes.reach[node, j]
        if graph.player[node] != seat:
            nodes.reach[child, j] *= probability(graph, sigma, node, board.buckets[street, j], action)
    level = max(nodes.paid[node, 0], nodes.paid[node, 1])
    for player in range(2):
        nodes.paid[child, player] = nodes.paid[node, player]
    nodes.paid[child, graph.player[node]] = level + graph.rise[node, action]


@kernel
def fill_reaches(graph, sigma, board, nodes, seat):
    """Fill `paid`, `reach` and `folds` for a responder's seat; nodes follow their parents."""
    nodes.reach[0] = 1.0
    for player in range(2):
        nodes.paid[0, player] = graph.paid[player]
    for node in range(graph.player.shape[0]):
        nodes.folds[node] = 0.0
        for action in range(graph.low[node], graph.low[node] + graph.size[node]):
            follow_action(graph, sigma, board, nodes, seat, node, action)


@inlined
def sum_compatible(board, reach, number, by_card, sums):
    """Set sums[i] to the reach of the hands that share no card with the responder's hand i."""
    by_card[:] = 0.0
    total = 0.0
    for j in range(number):
        total += reach[j]
        by_card[board.cards[j, 0]] += reach[j]
        by_card[board.cards[j, 1]] += reach[j]
    for i in range(sums.shape[0]):
        sums[i] = total - by_card[board.cards[i, 0]] - by_card[board.cards[i, 1]] + reach[i]


@inlined
def sum_beaten(board, reach, by_card, sums):
    """Set sums[i] to the reach of the hands that the responder's hand i beats on the river, ties half."""
    by_card[:] = 0.0
    total, start = 0.0, 0
    for group in range(board.group_ends.shape[0]):
        stop = board.group_ends[group]
        for i in range(start, stop):
            sums[i] = total - by_card[board.cards[i, 0]] - by_card[board.cards[i, 1]] + reach[i]
        for i in range(start, stop):
            total += reach[i]
            by_card[board.cards[i, 0]] += reach[i]
            by_card[board.cards[i, 1]] += reach[i]
        for i in range(start, stop):
            sums[i] += total - by_card[board.cards[i, 0]] - by_card[board.cards[i, 1]]
            sums[i] *= 0.5
        start = stop


@inlined
def fold_or_call(total, beaten, may_fold, pot, to_call):
    """Return the value and action of the better of fold and call, if both only check afterwards.

    total: the opponent's reach; beaten: the part of it that the hand beats.
    """
    if total <= 0.0:
        return 0.0, np.int64(1)
    call = (beaten * pot - (total - beaten) * to_call) / total
    if may_fold and call <= TIE * pot:
        return 0.0, np.int64(0)
    return call, np.int64(1)


@inlined
def bet_value(total, folding, rest, pot, to_call, add):
    """Return the value of a bet that adds to the level, if both players only check and call afterwards.

    folding: the part of the opponent's reach that folds to the bet; rest: the part of the others that the hand beats.
    """
    return (folding * pot + rest * (pot + add) - (total - folding - rest) * (to_call + add)) / total


@inlined
def best_action(total, beaten, folding, rest, raises, may_fold, pot, to_call, add):
    """Return the best of fold, call and raise; see `fold_or_call` and `bet_value`."""
    best_value, action = fold_or_call(total, beaten, may_fold, pot, to_call)
    least = best_value + TIE * (pot + add)
    if raises and total > 0.0 and bet_value(total, folding, rest, pot, to_call, add) > least:
        action = np.int64(2)
    return action


@inlined
def any_hand(arrives, choice, action):
    """Return whether any hand arrives and takes the action; -1: any action."""
    i = 0
    while i < arrives.shape[0] and not (arrives[i] and (action < 0 or choice[i] == action)):
        i += 1
    return i < arrives.shape[0]


@inlined
def choose_actions(graph, board, nodes, seat, node, beaten, rest, total, folding, by_card):
    """Fill `choice` of the responder's node from the sums `[L]` of the reach that its hands beat."""
    live = board.live[graph.street[node]]
    raises = graph.low[node] + graph.size[node] == 3
    sum_compatible(board, nodes.reach[node], live, by_card, total)
    if raises:
        sum_compatible(board, nodes.folds[graph.child[node, 2]], live, by_card, folding)
    pot = nodes.paid[node, 0] + nodes.paid[node, 1]
    to_call, add = nodes.paid[node, 1 - seat] - nodes.paid[node, seat], graph.rise[node, 2]
    for i in range(total.shape[0]):
        nodes.choice[node, i] = best_action(
            total[i], beaten[i], folding[i], rest[i], raises, graph.low[node] == 0, pot, to_call, add
        )  # fmt: skip


@kernel
def fill_choices(graph, board, nodes, seat, rows, sums):
    """Fill `arrives` and `choice`.

    rows: `[N]` row of `sums` `[., L]` with the reach that hands beat before the river. The next row has the part of it
    that does not fold to a raise.
    """
    own, by_card = board.live[3], np.empty(52)
    total, folding, beaten, rest = np.empty(own), np.empty(own), np.empty(own), np.empty(own)
    not_folding = np.empty(own, dtype=np.float32)
    nodes.arrives[:] = False
    nodes.arrives[0] = True
    for node in range(graph.player.shape[0]):
        if not any_hand(nodes.arrives[node], nodes.choice[node], -1):
            continue
        own_turn = graph.player[node] == seat
        if own_turn:
            if graph.street[node] < 3:
                beaten[:], rest[:] = sums[rows[node]], sums[rows[node] + 1]
            else:
                sum_beaten(board, nodes.reach[node], by_card, beaten)
                if graph.low[node] + graph.size[node] == 3:
                    for j in range(own):
                        not_folding[j] = nodes.reach[node, j] - nodes.folds[graph.child[node, 2], j]
                    sum_beaten(board, not_folding, by_card, rest)
            choose_actions(graph, board, nodes, seat, node, beaten, rest, total, folding, by_card)
        for action in range(1, 3):
            child = graph.child[node, action]
            for i in range(own if child >= 0 else 0):
                nodes.arrives[child, i] = nodes.arrives[node, i] and (not own_turn or nodes.choice[node, i] == action)


@inlined
def end_values(graph, sigma, board, nodes, seat, node, action, reach, total, by_card, values):
    """Set values[i] to the payoff of a fold, or of the showdown after an action."""
    own_turn, own = graph.player[node] == seat, values.shape[0]
    live = board.live[graph.street[node]]
    if action == 0:
        sum_compatible(board, nodes.reach[node] if own_turn else nodes.folds[node], live, by_card, values)
        amount = -nodes.paid[node, seat] if own_turn else nodes.paid[node, 1 - seat]
        for i in range(own):
            values[i] *= amount
        return
    level = max(nodes.paid[node, 0], nodes.paid[node, 1])
    for j in range(own):
        reach[j] = nodes.reach[node, j]
        if not own_turn:
            reach[j] *= probability(graph, sigma, node, board.buckets[graph.street[node], j], action)
    sum_beaten(board, reach, by_card, values)
    sum_compatible(board, reach, own, by_card, total)
    for i in range(own):
        values[i] = level * (2.0 * values[i] - total[i])


@kernel
def fill_values(graph, sigma, board, nodes, seat):
    """Fill `value` from the ends back, by `choice`."""
    own, by_card = board.live[3], np.empty(52)
    values, total, reach = np.empty(own), np.empty(own), np.empty(own, dtype=np.float32)
    for node in range(graph.player.shape[0] - 1, -1, -1):
        if not any_hand(nodes.arrives[node], nodes.choice[node], -1):
            continue
        own_turn = graph.player[node] == seat
        nodes.value[node] = 0.0
        for action in range(graph.low[node], graph.low[node] + graph.size[node]):
            if own_turn and not any_hand(nodes.arrives[node], nodes.choice[node], action):
                continue
            child = graph.child[node, action]
            if action > 0 and child >= 0:
                factor = board.opponent_counts[graph.street[node]] / board.opponent_counts[graph.street[child]]
                for i in range(own):
                    values[i] = factor * nodes.value[child, i]
            else:
                end_values(graph, sigma, board, nodes, seat, node, action, reach, total, by_card, values)
            for i in range(own):
                if not own_turn or nodes.choice[node, i] == action:
                    nodes.value[node, i] += values[i]
