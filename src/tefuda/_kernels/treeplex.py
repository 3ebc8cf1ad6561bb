"""The regret update of a player's treeplex, in vectors of infosets.

Explicit vectors hold the sums of the infosets in registers, where plain loops over [action][infoset] reload them for
each action: about two thirds of the time on Leduc poker. Callers name the kernel by `jit.LazyKernel`, because lanes.py
imports numba.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import inlined
from tefuda._kernels.lanes import WIDTH, broadcast, lane_maximum, load_part, select, store_part
from tefuda._kernels.sequence import GROUPS, PARENT, rest
from tefuda._kernels.traversal import add_to_parents, group_of

ZERO, ONE, LANES = (np.uint64(number) for number in (0, 1, WIDTH))


@inlined
def match_groups(index, state, begin, end, rule, g, u, v, regret, expected):
    """Backward: fold u with g in some groups, update regrets and predictions, and match the next g.

    begin, end: range of the groups. rule: (positive, negative, low, lam, memory). v: scratch.
    """
    g, u, v, regret, expected = (
        rest(state, g), rest(state, u), rest(state, v), rest(state, regret), rest(state, expected),
    )  # fmt: skip
    groups, parents = rest(index, index[GROUPS]), rest(index, index[PARENT])
    while end > begin:
        end -= ONE
        group = group_of(groups, end)
        match_infosets(group, ZERO, group[1], rule, g, u, v, regret, expected)
        add_to_parents(parents, group, v, u)


@inlined
def match_infosets(group, j, stop, rule, g, u, v, regret, expected):
    """Do the same for the infosets j, ..., stop - 1 of a group, without adding their means v to u.

    group: see `group_of`. j: a multiple of `LANES`.
    """
    _, m, k, base = group
    lam, zero, end, uniform = rule[3], broadcast(0.0, u), base + k * m, broadcast(1.0 / k, u)
    while j < stop:
        left, mean, total = stop - j, zero, zero
        q = base + j
        while q < end:
            mean = mean + load_part(g, q, left, u) * load_part(u, q, left, u)
            q += m
        # Regrets are computed twice, because loads of numbers that a masked store has just written wait for it.
        q = base + j
        while q < end:
            new, r = updated(rule, u, mean, regret, q, left)
            if lam != 0.0:
                new = new + lam * predicted(rule, expected, r, q, left)
            total = total + lane_maximum(new, zero)
            q += m
        q = base + j
        while q < end:
            new, r = updated(rule, u, mean, regret, q, left)
            store_part(regret, q, left, new)
            if lam != 0.0:
                prediction = predicted(rule, expected, r, q, left)
                store_part(expected, q, left, prediction)
                new = new + lam * prediction
            store_part(g, q, left, select(total, zero, lane_maximum(new, zero) / total, uniform))
            q += m
        store_part(v, j, left, mean)
        j += LANES


@inlined
def updated(rule, u, mean, regret, q, left):
    """Return new and instantaneous regrets: of `left` infosets, for the actions of sequences q, q + 1, ..."""
    positive, negative, low = broadcast(rule[0], u), broadcast(rule[1], u), broadcast(rule[2], u)
    r = load_part(u, q, left, u) - mean
    new = load_part(regret, q, left, u) + r
    return lane_maximum(new * select(new, broadcast(0.0, u), positive, negative), low), r


@inlined
def predicted(rule, expected, r, q, left):
    """Return the new predictions from the instantaneous regrets r."""
    return load_part(expected, q, left, expected) * (1.0 - rule[4]) + rule[4] * r
