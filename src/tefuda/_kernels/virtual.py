"""Expectimax over two-player betting against a modelled opponent whose card is unknown (Ballard 1983)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import kernel

OWN, OTHER, BOARD, OWN_FOLDED, OTHER_FOLDED, SHOWDOWN = range(6)


class Betting(NamedTuple):
    """Two-player betting without cards: kind `[N]`, child by fold, call, raise `[N, 3]` (-1: not possible; a board
    comes by the call), round and raises before `[N]`, chips paid by oneself and the other `[N, 2]`.
    """

    kind: np.ndarray
    child: np.ndarray
    round: np.ndarray
    raises: np.ndarray
    paid: np.ndarray


@kernel
def chance_of(betting, model, node, board, rank, action):
    """P(action) of the other at a node with a rank: what its model gives to impossible actions goes to calling."""
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
def at_end(betting, node, board, own, weight, dead):
    """The worth of an end, summed over the other's ranks with their weights; the last board index means none."""
    kind, worth = betting.kind[node], 0.0
    for rank in range(weight.shape[0]):
        if kind == SHOWDOWN and own == rank:
            worth += weight[rank] * dead / 2
        elif kind == OTHER_FOLDED or (kind == SHOWDOWN and (own == board or (rank != board and own > rank))):
            worth += weight[rank] * (betting.paid[node, 1] + dead)
        else:
            worth -= weight[rank] * betting.paid[node, 0]
    return worth


@kernel
def spread(betting, model, suits, start, own, weights, met):
    """Carry the weights `[N, B, R]` of the other's ranks from a node down, for every board; mark what is met `[N, B]`.

    Children have larger numbers than their parents. The last board means none.
    """
    ranks = weights.shape[2]
    for node in range(start, betting.kind.shape[0]):
        kind = betting.kind[node]
        for board in range(ranks + 1):
            if not met[node, board] or kind >= OWN_FOLDED:
                continue
            if kind == BOARD:
                child = betting.child[node, 1]
                for card in range(ranks):
                    met[child, card] = True
                    for rank in range(ranks):
                        left = suits - (card == own) - (card == rank)
                        weights[child, card, rank] = weights[node, board, rank] * left / (ranks * suits - 2)
                continue
            for action in range(3):
                child = betting.child[node, action]
                if child >= 0:
                    met[child, board] = True
                    for rank in range(ranks):
                        share = 1.0 if kind == OWN else chance_of(betting, model, node, board, rank, action)
                        weights[child, board, rank] = weights[node, board, rank] * share


@kernel
def fold_back(betting, start, own, dead, weights, met, worth):
    """Fill the worth `[N, B]` of what was met, from the ends up to a node: the largest at own nodes, else sums."""
    ranks = weights.shape[2]
    for node in range(betting.kind.shape[0] - 1, start - 1, -1):
        kind = betting.kind[node]
        for board in range(ranks + 1):
            if not met[node, board]:
                continue
            if kind >= OWN_FOLDED:
                worth[node, board] = at_end(betting, node, board, own, weights[node, board], dead)
                continue
            total = -np.inf if kind == OWN else 0.0
            for place in range(ranks if kind == BOARD else 3):
                child = betting.child[node, 1 if kind == BOARD else place]
                if child >= 0:
                    below = worth[child, place if kind == BOARD else board]
                    total = max(total, below) if kind == OWN else total + below
            worth[node, board] = total


@kernel
def belief(betting, model, suits, path, boards, own, update, floor, weights):
    """Fill the weights `[R]` of the other's ranks after a path of (node, action) rows with the boards known there."""
    last, total = path.shape[0] - 1, 0.0
    for rank in range(weights.shape[0]):
        weights[rank] = suits - (rank == own) - (rank == boards[last])
        total += weights[rank]
    for rank in range(weights.shape[0]):
        weights[rank] /= total
        for n in range(last if update else 0):
            if betting.kind[path[n, 0]] == OTHER:
                weights[rank] *= max(chance_of(betting, model, path[n, 0], boards[n], rank, path[n, 1]), floor)


@kernel
def decide(betting, model, suits, path, boards, own, update, floor, clairvoyant, dead, result):
    """Fill `result` `[3]` with the worth of each action at the last node of a path (-inf: not possible).

    Returns the first best action in the order fold, call, raise.
    """
    nodes, ranks, start = betting.kind.shape[0], model.shape[3], path[path.shape[0] - 1, 0]
    board = boards[path.shape[0] - 1]
    start_weights, weights = np.zeros(ranks), np.zeros((nodes, ranks + 1, ranks))
    worth, met = np.zeros((nodes, ranks + 1)), np.zeros((nodes, ranks + 1), dtype=np.bool_)
    belief(betting, model, suits, path, boards, own, update, floor, start_weights)
    for action in range(3):
        result[action] = 0.0 if betting.child[start, action] >= 0 else -np.inf
    for chosen in range(ranks if clairvoyant else 1):
        met[start, board] = True
        for rank in range(ranks):
            weights[start, board, rank] = start_weights[rank] if not clairvoyant or rank == chosen else 0.0
        spread(betting, model, suits, start, own, weights, met)
        fold_back(betting, start, own, dead, weights, met, worth)
        for action in range(3):
            if betting.child[start, action] >= 0:
                result[action] += worth[betting.child[start, action], board]
    best = -1
    for action in range(3):
        if betting.child[start, action] >= 0 and (best < 0 or result[action] > result[best] + 1e-12):
            best = action
    return best
