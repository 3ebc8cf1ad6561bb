"""Expectimax over two-player betting against a modelled opponent with an unknown card (Ballard 1983)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import kernel

OWN, OPPONENT, BOARD, OWN_FOLDED, OPPONENT_FOLDED, SHOWDOWN = range(6)


class Betting(NamedTuple):
    """Two-player betting without cards.

    kind: `[N]` OWN to SHOWDOWN.
    child: `[N, 3]` nodes after fold, call and raise, -1: not possible; after a board, the node after a call.
    round, raises: `[N]` round, and raises so far in it.
    paid: `[N, 2]` chips paid by the player and by the opponent.
    """

    kind: np.ndarray
    child: np.ndarray
    round: np.ndarray
    raises: np.ndarray
    paid: np.ndarray


@kernel
def action_probability(betting, model, node, board, rank, action):
    """Return the model's probability of an action; the probability of impossible actions goes to calling."""
    row = model[betting.round[node], betting.raises[node], board, rank]
    total = row[0] + row[1] + row[2]
    if total <= 0.0:
        possible = 0
        for a in range(3):
            possible += betting.child[node, a] >= 0
        return 1.0 / possible
    share = row[action]
    if action == 1:
        for a in range(3):
            if betting.child[node, a] < 0:
                share += row[a]
    return share / total


@kernel
def terminal_value(betting, node, board, own, weight, dead):
    """Return the value of a terminal, summed over the opponent's ranks; the last board index means none."""
    kind, value = betting.kind[node], 0.0
    for rank in range(weight.shape[0]):
        if kind == SHOWDOWN and own == rank:
            value += weight[rank] * dead / 2
        elif kind == OPPONENT_FOLDED or (kind == SHOWDOWN and (own == board or (rank != board and own > rank))):
            value += weight[rank] * (betting.paid[node, 1] + dead)
        else:
            value -= weight[rank] * betting.paid[node, 0]
    return value


@kernel
def push_weights(betting, model, suits, start, own, weights, reached):
    """Fill the weights `[N, B, R]` of the opponent's ranks below a node; mark reached nodes `[N, B]`.

    Children have larger numbers than their parents. The last board index means none.
    """
    ranks = weights.shape[2]
    for node in range(start, betting.kind.shape[0]):
        kind = betting.kind[node]
        for board in range(ranks + 1):
            if not reached[node, board] or kind >= OWN_FOLDED:
                continue
            if kind == BOARD:
                child = betting.child[node, 1]
                for card in range(ranks):
                    reached[child, card] = True
                    for rank in range(ranks):
                        unseen = suits - (card == own) - (card == rank)
                        weights[child, card, rank] = weights[node, board, rank] * unseen / (ranks * suits - 2)
                continue
            for action in range(3):
                child = betting.child[node, action]
                if child >= 0:
                    reached[child, board] = True
                    for rank in range(ranks):
                        share = 1.0 if kind == OWN else action_probability(betting, model, node, board, rank, action)
                        weights[child, board, rank] = weights[node, board, rank] * share


@kernel
def fold_back(betting, start, own, dead, weights, reached, value):
    """Fill the values `[N, B]` of reached nodes: the maximum at own nodes, sums elsewhere."""
    ranks = weights.shape[2]
    for node in range(betting.kind.shape[0] - 1, start - 1, -1):
        kind = betting.kind[node]
        for board in range(ranks + 1):
            if not reached[node, board]:
                continue
            if kind >= OWN_FOLDED:
                value[node, board] = terminal_value(betting, node, board, own, weights[node, board], dead)
                continue
            total = -np.inf if kind == OWN else 0.0
            for index in range(ranks if kind == BOARD else 3):
                child = betting.child[node, 1 if kind == BOARD else index]
                if child >= 0:
                    child_value = value[child, index if kind == BOARD else board]
                    total = max(total, child_value) if kind == OWN else total + child_value
            value[node, board] = total


@kernel
def opponent_weights(betting, model, suits, path, boards, own, update, floor, weights):
    """Fill the weights `[R]` of the opponent's ranks after a path of (node, action) rows and its boards."""
    last, total = path.shape[0] - 1, 0.0
    for rank in range(weights.shape[0]):
        weights[rank] = suits - (rank == own) - (rank == boards[last])
        total += weights[rank]
    for rank in range(weights.shape[0]):
        weights[rank] /= total
        for n in range(last if update else 0):
            if betting.kind[path[n, 0]] == OPPONENT:
                weights[rank] *= max(action_probability(betting, model, path[n, 0], boards[n], rank, path[n, 1]), floor)


@kernel
def decide(betting, model, suits, path, boards, own, update, floor, clairvoyant, dead, result):
    """Fill `result` `[3]` with the value of each action at the last node of a path (-inf: not possible).

    Returns the first best action in the order fold, call, raise.
    """
    nodes, ranks, start = betting.kind.shape[0], model.shape[3], path[path.shape[0] - 1, 0]
    board = boards[path.shape[0] - 1]
    start_weights, weights = np.zeros(ranks), np.zeros((nodes, ranks + 1, ranks))
    value, reached = np.zeros((nodes, ranks + 1)), np.zeros((nodes, ranks + 1), dtype=np.bool_)
    opponent_weights(betting, model, suits, path, boards, own, update, floor, start_weights)
    for action in range(3):
        result[action] = 0.0 if betting.child[start, action] >= 0 else -np.inf
    for chosen in range(ranks if clairvoyant else 1):
        reached[start, board] = True
        for rank in range(ranks):
            weights[start, board, rank] = start_weights[rank] if not clairvoyant or rank == chosen else 0.0
        push_weights(betting, model, suits, start, own, weights, reached)
        fold_back(betting, start, own, dead, weights, reached, value)
        for action in range(3):
            if betting.child[start, action] >= 0:
                result[action] += value[betting.child[start, action], board]
    best = -1
    for action in range(3):
        if betting.child[start, action] >= 0 and (best < 0 or result[action] > result[best] + 1e-12):
            best = action
    return best
