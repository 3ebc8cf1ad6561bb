"""Updates of regrets and averages by sampling traversals: written at once, or buffered for a batch.

Buffers list the infosets that were visited, so the cost of an iteration depends on its traversals, not on the size of
the game. *Direct* updates are for one traversal a batch in a game of perfect recall. There a traversal visits an
infoset of its player at most once, so it never reads a strategy after changing it.

A row is the number of an infoset-action pair; an infoset is given by its first row and its number of actions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import inlined, shared

UPDATED, AVERAGED, PENDING = np.int64(1), np.int64(2), np.int64(4)  # marks


class Tables(NamedTuple):
    """The tables of a solver.

    regret, strategy, total: `[R]` regrets, current strategies, and numerators of the average.
    baseline: `[N, P]`, or `[0, P]` without one.
    """

    regret: np.ndarray
    strategy: np.ndarray
    total: np.ndarray
    baseline: np.ndarray


class Buffers(NamedTuple):
    """The sums of a block of traversals. All but `pending` are empty between blocks.

    gain: `[R]` regret increments.
    weight: `[R]` at an infoset's first row, the weight of its strategy in the average.
    updated, averaged, pending: `[I, 2]` lists of infosets (first row, actions).
    lengths: `[3]` lengths of the lists.
    marks: `[R]` at first rows, the lists that contain an infoset.
    """

    gain: np.ndarray
    weight: np.ndarray
    updated: np.ndarray
    averaged: np.ndarray
    pending: np.ndarray
    lengths: np.ndarray
    marks: np.ndarray


@inlined
def add_to_list(buffers, mark, row, count):
    """Append an infoset to a list that does not contain it yet."""
    if buffers.marks[row] & mark:
        return
    buffers.marks[row] |= mark
    if mark == UPDATED:
        infosets, index = buffers.updated, 0
    elif mark == AVERAGED:
        infosets, index = buffers.averaged, 1
    else:
        infosets, index = buffers.pending, 2
    infosets[buffers.lengths[index], 0] = row
    infosets[buffers.lengths[index], 1] = count
    buffers.lengths[index] += 1


@inlined
def match(regret, strategy, row, count, clip):
    """Regret matching at one infoset; `clip` raises negative regrets to 0 first."""
    positive = 0.0
    for a in range(row, row + count):
        if regret[a] > 0.0:
            positive += regret[a]
        elif clip:
            regret[a] = 0.0
    if positive > 0.0:
        scale = 1.0 / positive
        for a in range(row, row + count):
            strategy[a] = max(regret[a], 0.0) * scale
    else:
        for a in range(row, row + count):
            strategy[a] = 1.0 / count


@inlined
def add_to_average(tables, rule, direct, buffers, row, count, weight):
    """Add the current strategy at an infoset to the average."""
    if direct:
        for a in range(row, row + count):
            tables.total[a] += rule[1] * weight * tables.strategy[a]
    else:
        buffers.weight[row] += weight
        add_to_list(buffers, AVERAGED, row, count)


@inlined
def add_regrets(tables, rule, direct, buffers, row, count, values, frame, mean, q):
    """Add an own node's regrets: values less their mean, divided by the node's sampling probability q."""
    if direct:
        for a in range(count):
            tables.regret[row + a] += rule[0] / q * (values[frame, a] - mean)
        match(tables.regret, tables.strategy, row, count, rule[2] > 0.0)
    else:
        for a in range(count):
            buffers.gain[row + a] += (values[frame, a] - mean) / q
        add_to_list(buffers, UPDATED, row, count)


@shared
def apply_buffers(tables, rule, buffers):
    """Add the buffers to the tables and clear them; infosets with new regrets become pending.

    rule: (weight of regrets, weight in the average, clip at 0).
    """
    for m in range(buffers.lengths[0]):
        row, count = buffers.updated[m, 0], buffers.updated[m, 1]
        for a in range(row, row + count):
            tables.regret[a] += rule[0] * buffers.gain[a]
            buffers.gain[a] = 0.0
        buffers.marks[row] &= PENDING | AVERAGED
        add_to_list(buffers, PENDING, row, count)
    for m in range(buffers.lengths[1]):
        row, count = buffers.averaged[m, 0], buffers.averaged[m, 1]
        for a in range(row, row + count):
            tables.total[a] += rule[1] * buffers.weight[row] * tables.strategy[a]
        buffers.weight[row] = 0.0
        buffers.marks[row] &= PENDING | UPDATED
    buffers.lengths[0] = 0
    buffers.lengths[1] = 0


@inlined
def match_pending(tables, rule, buffers):
    """Match the regrets of the pending infosets, clipped first with RM+; clear the list."""
    for m in range(buffers.lengths[2]):
        row, count = buffers.pending[m, 0], buffers.pending[m, 1]
        buffers.marks[row] = 0
        match(tables.regret, tables.strategy, row, count, rule[2] > 0.0)
    buffers.lengths[2] = 0


@inlined
def discount(regret, positive, negative):
    """Multiply positive and negative regrets by separate factors."""
    for row in range(regret.shape[0]):
        regret[row] *= positive if regret[row] > 0.0 else negative
