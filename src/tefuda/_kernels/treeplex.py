"""The regret update of a player's treeplex, in vectors of infosets.

Explicit vectors hold the sums of the infosets in registers, where plain loops over [action][infoset] reload them for
each action: about two thirds of the time on Leduc poker. Groups that are no whole number of vectors are slower, because
loads of numbers that a masked store has just written wait for it (`forms.programs.padded`). Callers name the kernel by
`jit.LazyKernel`, because lanes.py imports numba.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import inlined
from tefuda._kernels.lanes import HALF, lane_maximum, load_half_part, select, store_part, zero_half
from tefuda._kernels.sequence import GROUPS, PARENT, rest
from tefuda._kernels.traversal import add_to_parents, group_of

ZERO, ONE, LANES = (np.uint64(number) for number in (0, 1, HALF))


@inlined
def match_groups(index, state, begin, end, rule, g, u, v, regret, expected):
    """Backward: fold u with g in some groups, update regrets and predictions, and match the next g.

    begin, end: range of the groups. rule: (positive, negative, low, lam, memory, tremble). v: scratch.
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
    positive, negative, clipped, lam, memory, tremble = rule
    zero, end = zero_half(u), base + k * m
    low, uniform = zero + clipped, zero + 1.0 / k
    while j < stop:
        left, mean, total = stop - j, zero, zero
        q = base + j
        while q < end:
            mean = mean + load_half_part(g, q, left) * load_half_part(u, q, left)
            q += m
        chosen = mean  # the value of the strategy without the trembles that g contains
        if tremble != 0.0:
            q = base + j
            while q < end:
                total = total + load_half_part(u, q, left)
                q += m
            chosen, total = (mean - tremble * uniform * total) / (1.0 - tremble), zero
        q = base + j
        while q < end:
            r = load_half_part(u, q, left) - chosen
            new = load_half_part(regret, q, left) + r
            if positive != 1.0 or negative != 1.0:
                new = new * select(new, zero, zero + positive, zero + negative)
            new = lane_maximum(new, low)
            store_part(regret, q, left, new)
            if lam != 0.0:
                prediction = load_half_part(expected, q, left) * (1.0 - memory) + memory * r
                store_part(expected, q, left, prediction)
                new = new + lam * prediction
            total = total + lane_maximum(new, zero)
            q += m
        q = base + j
        while q < end:
            new = load_half_part(regret, q, left)
            if lam != 0.0:
                new = new + lam * load_half_part(expected, q, left)
            # A reciprocal saves nothing, and the only positive regret would not get exactly 1.
            new = select(total, zero, lane_maximum(new, zero) / total, uniform)
            if tremble != 0.0:
                new = (1.0 - tremble) * new + tremble * uniform
            store_part(g, q, left, new)
            q += m
        store_part(v, j, left, mean)
        j += LANES
