"""A player's traversal of the sequence form: gather utilities, fold them back, realise a strategy.

All arrays are indexed by sequence `[Q]` over all players; forms/sequence.py describes the layout. Three short loops
touch no history, which is 5-7 times faster than a traversal of the tree.

The form is passed as one named tuple. That costs nothing because these kernels count no references (see jit.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import kernel

ZERO, ONE, TWO = np.uint32(0), np.uint32(1), np.uint32(2)


class Form(NamedTuple):
    """The arrays of a sequence form; `forms.sequence.SequenceForm` describes the fields."""

    groups: np.ndarray
    group_span: np.ndarray
    parent: np.ndarray
    span: np.ndarray
    leaf_start: np.ndarray
    leaf_other: np.ndarray
    leaf_value: np.ndarray
    pair_span: np.ndarray
    pairs: np.ndarray
    sequence: np.ndarray


@kernel(refcounts=False)
def group_of(form, group):
    """Return the first infoset, the infosets m, the actions k and the first sequence of a group."""
    groups = form.groups
    return groups[group, 0], groups[group, 1], groups[group, 2], groups[group, 3]


@kernel(refcounts=False)
def products(form, first, end, x, y):
    """Fill y[m] with the product of the realisation probabilities of pair m, for first <= m < end."""
    if form.pairs.shape[1] == 2:  # three players: the plain loop is 1.5 times as fast as the general one
        for m in range(first, end):
            y[m] = x[form.pairs[m, ZERO]] * x[form.pairs[m, ONE]]
        return
    for m in range(first, end):
        product = 1.0
        for other in range(form.pairs.shape[1]):
            product *= x[form.pairs[m, other]]
        y[m] = product


@kernel(refcounts=False)
def gather(form, player, x, y, u):
    """Fill u[q] for the player's sequences: the sum over leaves of value times the opponents' reach."""
    first, end = form.pair_span[player], form.pair_span[player + 1]
    if first < end:
        products(form, first, end, x, y)
        weights = y
    else:
        weights = x
    leaf = form.leaf_start[form.span[player]]
    for q in range(form.span[player], form.span[player + 1]):
        # Two sums hide the latency of additions: 4.0 instead of 4.8 us on Leduc. Runs of neighbouring leaves (10.3),
        # fastmath (6.5), float32 values (5.4) and a table of distinct values (7.3) all lost.
        even, odd = 0.0, 0.0
        stop = form.leaf_start[q + ONE]
        while leaf + ONE < stop:
            even += form.leaf_value[leaf] * weights[form.leaf_other[leaf]]
            odd += form.leaf_value[leaf + ONE] * weights[form.leaf_other[leaf + ONE]]
            leaf += TWO
        if leaf < stop:
            even += form.leaf_value[leaf] * weights[form.leaf_other[leaf]]
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
