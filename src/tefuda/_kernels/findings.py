"""What walks find about regrets and averages: written to the tables at once, or kept in buffers for a batch.

Buffers hold lists of the infosets that were touched, so an iteration costs what it touches, not what the game has.
*Direct* is for one walk a batch in a game of perfect recall: there no walk meets an own infoset twice, so that no
strategy is read after it has changed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import inlined

UPDATED, AVERAGED, PENDING = np.int64(1), np.int64(2), np.int64(4)  # marks


class Learned(NamedTuple):
    """What a solver knows: regrets, strategies in force, numerators of the average, each `[R]`; baseline `[N, P]` or
    `[0, P]`.
    """

    regret: np.ndarray
    strategy: np.ndarray
    total: np.ndarray
    baseline: np.ndarray


class Buffers(NamedTuple):
    """What a block of walks found.

    gain: `[R]` regret increments. weight: `[R]`, at an infoset's first row, what its strategy counts in the average.
    updated, averaged, pending: `[I, 2]` lists of infosets (first row, actions); lengths: `[3]` theirs; marks: `[R]` at
    first rows, in which lists an infoset stands. All but `pending` are empty between blocks.
    """

    gain: np.ndarray
    weight: np.ndarray
    updated: np.ndarray
    averaged: np.ndarray
    pending: np.ndarray
    lengths: np.ndarray
    marks: np.ndarray


@inlined
def note(buffers, which, row, count):
    """Put an infoset into a list unless it is there."""
    if buffers.marks[row] & which:
        return
    buffers.marks[row] |= which
    if which == UPDATED:
        listed, place = buffers.updated, 0
    elif which == AVERAGED:
        listed, place = buffers.averaged, 1
    else:
        listed, place = buffers.pending, 2
    listed[buffers.lengths[place], 0] = row
    listed[buffers.lengths[place], 1] = count
    buffers.lengths[place] += 1


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
def count_in(learned, rule, direct, buffers, row, count, share_):
    """Let the strategy in force at an infoset count in the average."""
    if direct:
        for a in range(row, row + count):
            learned.total[a] += rule[1] * share_ * learned.strategy[a]
    else:
        buffers.weight[row] += share_
        note(buffers, AVERAGED, row, count)


@inlined
def gained(learned, rule, direct, buffers, row, count, values, frame, mean, q):
    """Add an own node's regrets, values less their mean, divided by the probability q of having come here."""
    if direct:
        for a in range(count):
            learned.regret[row + a] += rule[0] / q * (values[frame, a] - mean)
        match(learned.regret, learned.strategy, row, count, rule[2] > 0.0)
    else:
        for a in range(count):
            buffers.gain[row + a] += (values[frame, a] - mean) / q
        note(buffers, UPDATED, row, count)


@inlined
def add(learned, rule, buffers):
    """Add the buffers to the tables and clear them; infosets with new regrets become pending.

    rule: (weight of regrets, weight in the average, clip at 0).
    """
    for m in range(buffers.lengths[0]):
        row, count = buffers.updated[m, 0], buffers.updated[m, 1]
        for a in range(row, row + count):
            learned.regret[a] += rule[0] * buffers.gain[a]
            buffers.gain[a] = 0.0
        buffers.marks[row] &= PENDING | AVERAGED
        note(buffers, PENDING, row, count)
    for m in range(buffers.lengths[1]):
        row, count = buffers.averaged[m, 0], buffers.averaged[m, 1]
        for a in range(row, row + count):
            learned.total[a] += rule[1] * buffers.weight[row] * learned.strategy[a]
        buffers.weight[row] = 0.0
        buffers.marks[row] &= PENDING | UPDATED
    buffers.lengths[0] = 0
    buffers.lengths[1] = 0


@inlined
def finish(learned, rule, buffers):
    """Match the regrets of the infosets a batch touched; with RM+ clip them first."""
    for m in range(buffers.lengths[2]):
        row, count = buffers.pending[m, 0], buffers.pending[m, 1]
        buffers.marks[row] = 0
        match(learned.regret, learned.strategy, row, count, rule[2] > 0.0)
    buffers.lengths[2] = 0


@inlined
def discount(regret, positive, negative):
    """Multiply regrets, by sign."""
    for row in range(regret.shape[0]):
        regret[row] *= positive if regret[row] > 0.0 else negative
