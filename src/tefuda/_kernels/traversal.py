"""A player's traversal of the sequence form: gather utilities, fold them back, realise a strategy.

All arrays are indexed by sequence `[Q]` over all players; forms/sequence.py describes the layout. Three short loops
touch no history, which is 5-7 times faster than a traversal of the tree.

The form is passed as one named tuple. That costs nothing because these kernels count no references (see jit.py).
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import LazyKernel, inlined, kernel

ZERO, ONE, TWO = np.uint32(0), np.uint32(1), np.uint32(2)

gather_blocks = LazyKernel("tefuda._kernels.blocks:gather_blocks")


@kernel(refcounts=False)
def group_of(form, group):
    """Return the first infoset, the infosets m, the actions k and the first sequence of a group."""
    groups = form.groups
    return groups[group, 0], groups[group, 1], groups[group, 2], groups[group, 3]


@kernel(refcounts=False)
def products(pairs, first, end, x, y):
    """Fill y[m] with the product of the realisation probabilities of pair m, for first <= m < end."""
    if pairs.shape[1] == 2:  # three players: the plain loop is 1.5 times as fast as the general one
        for m in range(first, end):
            y[m] = x[pairs[m, ZERO]] * x[pairs[m, ONE]]
        return
    for m in range(first, end):
        product = 1.0
        for other in range(pairs.shape[1]):
            product *= x[pairs[m, other]]
        y[m] = product


@inlined
def gather(form, player, x, y, u):
    """Fill u[q] for the player's sequences: the sum over leaves of value times the opponents' reach."""
    first, end = form.span[player], form.span[player + 1]
    block, stop = form.block_span[player], form.block_span[player + 1]
    if block < stop:
        gather_blocks(form.blocks, form.block_scale, form.block_matrix, block, stop, first, end, x, u)
    if block == stop or form.leaf_start[first] < form.leaf_start[end]:
        weights = x
        if form.pair_span[player] < form.pair_span[player + 1]:
            products(form.pairs, form.pair_span[player], form.pair_span[player + 1], x, y)
            weights = y
        gather_leaves(form.leaf_start, form.leaf_other, form.leaf_value, first, end, block < stop, weights, u)


@kernel(refcounts=False)
def gather_leaves(leaf_start, leaf_other, leaf_value, first, end, added, weights, u):
    """Fill u[q] for first <= q < end with the sum over listed leaves, or add it to u[q]."""
    leaf = leaf_start[first]
    for q in range(first, end):
        # Two sums hide the latency of additions: 4.0 instead of 4.8 us on Leduc. Runs of neighbouring leaves (10.3),
        # fastmath (6.5), float32 values (5.4) and a table of distinct values (7.3) all lost.
        even, odd = u[q] if added else 0.0, 0.0
        stop = leaf_start[q + ONE]
        while leaf + ONE < stop:
            even += leaf_value[leaf] * weights[leaf_other[leaf]]
            odd += leaf_value[leaf + ONE] * weights[leaf_other[leaf + ONE]]
            leaf += TWO
        if leaf < stop:
            even += leaf_value[leaf] * weights[leaf_other[leaf]]
            leaf += ONE
        u[q] = even + odd


@kernel(refcounts=False)
def fold_mean(form, player, g, u, v):
    """Backward: set v[j] to the sum of g * u at each infoset, and add it to u of the parent sequence."""
    for group in range(form.group_span[player + 1], form.group_span[player], -1):
        first, m, k, base = group_of(form, group - 1)
        for j in range(m):
            v[j] = 0.0
        for a in range(k):
            start = base + a * m
            for j in range(m):
                v[j] += g[start + j] * u[start + j]
        for j in range(m):
            u[form.parent[first + j]] += v[j]


@kernel(refcounts=False)
def fold_best(form, player, u, v):
    """Backward: set v[j] to the maximum of u at each infoset, and add it to u of the parent sequence."""
    for group in range(form.group_span[player + 1], form.group_span[player], -1):
        first, m, k, base = group_of(form, group - 1)
        for j in range(m):
            v[j] = u[base + j]
        for a in range(1, k):
            start = base + a * m
            for j in range(m):
                v[j] = max(v[j], u[start + j])
        for j in range(m):
            u[form.parent[first + j]] += v[j]


@kernel(refcounts=False)
def realise(form, player, g, x):
    """Forward: fill x with the realisation plan of the behaviour strategy g.

    x of the empty sequence is read, not written.
    """
    for group in range(form.group_span[player], form.group_span[player + 1]):
        first, m, k, base = group_of(form, group)
        for a in range(k):
            start = base + a * m
            for j in range(m):
                x[start + j] = x[form.parent[first + j]] * g[start + j]
