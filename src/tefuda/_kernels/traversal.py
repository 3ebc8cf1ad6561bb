"""The steps of a traversal of the sequence form: gather utilities, fold them back, realise a strategy.

Arrays by sequence `[Q]` lie in one array, the state; arguments like `x`, `u` and `g` are their places there.
forms/sequence.py describes the layout of `index` and `values`. Three short loops touch no history, which is 5-7 times
faster than a traversal of the tree.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import inlined
from tefuda._kernels.sequence import GROUPS, LEAF_OTHER, LEAF_START, LEAF_VALUE, PAIRS, PARENT, PLAYERS, rest

ZERO, ONE, TWO, THREE, FOUR = (np.uint64(number) for number in range(5))


@inlined
def multiply_pairs(index, state, first, end, x, y):
    """Fill y[m] with the product of the realisation probabilities of pair m, for first <= m < end."""
    others, pairs = index[PLAYERS] - ONE, rest(index, index[PAIRS])
    x, y, pair = rest(state, x), rest(state, y), first * others
    if others == TWO:  # three players: the plain loop is 1.5 times as fast as the general one
        for m in range(first, end):
            y[m] = x[pairs[pair]] * x[pairs[pair + ONE]]
            pair += TWO
        return
    for m in range(first, end):
        product = 1.0
        for _ in range(others):
            product *= x[pairs[pair]]
            pair += ONE
        y[m] = product


@inlined
def gather_leaves(index, values, state, first, end, weights, u, added):
    """Fill u[q] for first <= q < end with the sum over listed leaves, or add it to u[q]."""
    starts, others, payoffs = (
        rest(index, index[LEAF_START]),
        rest(index, index[LEAF_OTHER]),
        rest(values, index[LEAF_VALUE]),
    )
    weights, u, leaf = rest(state, weights), rest(state, u), np.uint64(starts[first])
    for q in range(first, end):
        # Two sums hide the latency of additions: 4.0 instead of 4.8 µs on Leduc. Runs of neighbouring leaves (10.3),
        # fastmath (6.5), float32 values (5.4) and a table of distinct values (7.3) all lost.
        even, odd = u[q] if added else 0.0, 0.0
        stop = starts[q + ONE]
        while leaf + ONE < stop:
            even += payoffs[leaf] * weights[others[leaf]]
            odd += payoffs[leaf + ONE] * weights[others[leaf + ONE]]
            leaf += TWO
        if leaf < stop:
            even += payoffs[leaf] * weights[others[leaf]]
            leaf += ONE
        u[q] = even + odd


@inlined
def group_of(groups, group):
    """Return the first infoset, the infosets m, the actions k and the first sequence of a group."""
    at = group * FOUR
    m, k = np.uint64(groups[at + ONE]), np.uint64(groups[at + TWO])
    return np.uint64(groups[at]), m, k, np.uint64(groups[at + THREE])


@inlined
def add_to_parents(parents, group, v, u):
    """Add v of the infosets of a group to u of their parent sequences."""
    first, m, _, _ = group
    for j in range(m):
        u[parents[first + j]] += v[j]


@inlined
def fold_mean(index, state, begin, end, g, u, v):
    """Backward: set v[j] to the sum of g * u at each infoset, and add it to u of the parent sequence."""
    groups, parents = rest(index, index[GROUPS]), rest(index, index[PARENT])
    g, u, v = rest(state, g), rest(state, u), rest(state, v)
    while end > begin:
        end -= ONE
        group = group_of(groups, end)
        _, m, k, base = group
        for j in range(m):
            v[j] = 0.0
        for a in range(k):
            start = base + a * m
            for j in range(m):
                v[j] += g[start + j] * u[start + j]
        add_to_parents(parents, group, v, u)


@inlined
def fold_best(index, state, begin, end, u, v):
    """Backward: set v[j] to the maximum of u at each infoset, and add it to u of the parent sequence."""
    groups, parents = rest(index, index[GROUPS]), rest(index, index[PARENT])
    u, v = rest(state, u), rest(state, v)
    while end > begin:
        end -= ONE
        group = group_of(groups, end)
        _, m, k, base = group
        for j in range(m):
            v[j] = u[base + j]
        for a in range(ONE, k):
            start = base + a * m
            for j in range(m):
                v[j] = max(v[j], u[start + j])
        add_to_parents(parents, group, v, u)


@inlined
def choose_best(index, state, begin, end, plan, u):
    """Set `plan` to 1 at the first best action of each infoset by u, to 0 at the others."""
    groups, plan, u = rest(index, index[GROUPS]), rest(state, plan), rest(state, u)
    for group in range(begin, end):
        _, m, k, base = group_of(groups, group)
        for q in range(base, base + m):
            best = q
            for a in range(k):
                plan[q + a * m] = 0.0
                if u[q + a * m] > u[best]:
                    best = q + a * m
            plan[best] = 1.0


@inlined
def realise(index, state, begin, end, g, x):
    """Forward: fill x with the realisation plan of the behaviour strategy g.

    x of the empty sequence is read, not written.
    """
    groups, parents = rest(index, index[GROUPS]), rest(index, index[PARENT])
    g, x = rest(state, g), rest(state, x)
    for number in range(begin, end):
        group = group_of(groups, number)
        realise_infosets(parents, group, ZERO, group[1], g, x)


@inlined
def realise_infosets(parents, group, low, stop, g, x):
    """Fill x of the infosets low, ..., stop - 1 of a group."""
    first, m, k, base = group
    for j in range(low, stop):  # the parents are read once, into the place of the first action
        x[base + j] = x[parents[first + j]]
    for a in range(ONE, k):
        start = base + a * m
        for j in range(low, stop):
            x[start + j] = x[base + j] * g[start + j]
    for j in range(low, stop):
        x[base + j] *= g[base + j]


@inlined
def accumulate(state, first, end, decay, weight, x, average):
    """Update the average of the sequences first, ..., end - 1: S <- decay * S + weight * x."""
    x, average = rest(state, x), rest(state, average)
    for q in range(first, end):
        average[q] = average[q] * decay + weight * x[q]


@inlined
def pull(state, first, end, strength, x, reference, u):
    """Subtract strength * (x - reference) from u of the sequences first, ..., end - 1."""
    x, reference, u = rest(state, x), rest(state, reference), rest(state, u)
    for q in range(first, end):
        u[q] -= strength * (x[q] - reference[q])


@inlined
def lift(index, state, begin, end, floor, g, played):
    """Fill `played` with the strategy g mixed such that each action has a probability of at least `floor`."""
    groups, g, played = rest(index, index[GROUPS]), rest(state, g), rest(state, played)
    for number in range(begin, end):
        _, m, k, base = group_of(groups, number)
        share = 1.0 - k * floor
        for q in range(base, base + k * m):
            played[q] = share * g[q] + floor


@inlined
def copy(state, first, end, source, target):
    """Copy the numbers first, ..., end - 1 of an array to another one."""
    source, target = rest(state, source), rest(state, target)
    for q in range(first, end):
        target[q] = source[q]


@inlined
def add_shares(index, state, first, end, sequence, share, u, utility):
    """Set the utility of each class's sequence to the sum of share * u over the sequences in the class.

    sequence: the place in `index` of the class's sequence for each sequence.
    """
    sequence, share, u, utility = rest(index, sequence), rest(state, share), rest(state, u), rest(state, utility)
    for q in range(first, end):
        utility[sequence[q]] = 0.0
    for q in range(first, end):
        utility[sequence[q]] += share[q] * u[q]


@inlined
def take_shares(index, state, first, end, sequence, share, strategy, g):
    """Fill g with share * strategy of the class's sequence, for each sequence."""
    sequence, share, strategy, g = rest(index, sequence), rest(state, share), rest(state, strategy), rest(state, g)
    for q in range(first, end):
        g[q] = share[q] * strategy[sequence[q]]
