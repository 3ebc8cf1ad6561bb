"""Values and best responses in the sequence form: a solver's traversal with max in place of the mean."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.sequence import Form
from tefuda._kernels.traversal import fold_best, fold_mean, gather, group_of, realise

INDICES = 11  # arrays of a form's `index`


@inlined
def realise_profile(form, probabilities, g, x):
    """Fill behaviour strategies g and realisation plans x `[Q]` from a profile's probabilities `[R]`."""
    for row in range(form.sequence.shape[0]):
        g[form.sequence[row]] = probabilities[row]
    for player in range(form.span.shape[0] - 1):
        x[form.span[player]] = 1.0
        realise(form, player, g, x)


@kernel
def unpack(index, values):
    """Return the form whose arrays follow each other in `index` and `values` of a `SequenceForm`."""
    stop = np.int64(INDICES)
    ends = np.empty(INDICES + 1, dtype=np.int64)
    ends[0] = stop
    for part in range(INDICES):
        stop += index[part]
        ends[part + 1] = stop
    span, group_span = index[ends[0] : ends[1]], index[ends[1] : ends[2]]
    groups, parent = index[ends[2] : ends[3]].reshape(-1, 4), index[ends[3] : ends[4]]
    leaf_start, leaf_other, pair_span = index[ends[4] : ends[5]], index[ends[5] : ends[6]], index[ends[6] : ends[7]]
    pairs = index[ends[7] : ends[8]].reshape(-1, max(span.shape[0] - 2, 1))
    block_span, blocks = index[ends[8] : ends[9]], index[ends[9] : ends[10]].reshape(-1, 2 * span.shape[0] - 1)
    sequence = index[ends[10] : ends[11]]
    leaves = values.shape[0] - leaf_other.shape[0]
    scales = leaves - (blocks.shape[0] - 1)
    return Form(
        groups, group_span, parent, span, leaf_start, leaf_other, values[leaves:], pair_span, pairs, sequence,
        block_span, blocks, values[scales:leaves], values[:scales],
    )  # fmt: skip


@kernel
def evaluate(index, values, probabilities, result):
    """Return NashConv of a profile; fill `result` `[2, P]` with its values and those of best responses."""
    form = unpack(index, values)
    work = np.empty((5, form.leaf_start.shape[0] - 1))
    g, x, u, b, v = work[0], work[1], work[2], work[3], work[4]
    y = np.empty(form.pairs.shape[0])
    realise_profile(form, probabilities, g, x)
    for player in range(form.span.shape[0] - 1):
        gather(form, player, x, y, u)
        for q in range(form.span[player], form.span[player + 1]):
            b[q] = u[q]
        fold_mean(form, player, g, u, v)
        fold_best(form, player, b, v)
        result[0, player] = u[form.span[player]]
        result[1, player] = b[form.span[player]]
    return result[1].sum() - result[0].sum()


@kernel
def utilities(form, probabilities, player, g, u):
    """Fill g `[Q]`, and the player's part of u with counterfactual utilities of leaves, not folded back."""
    x = np.empty(g.shape[0])
    y = np.empty(form.pairs.shape[0])
    realise_profile(form, probabilities, g, x)
    gather(form, player, x, y, u)


@inlined
def fold_all(form, player, g, u, infosets, number):
    """Fold u back with g; write each infoset's mean to `infosets` `[I]` at its number in the tree."""
    for group in range(form.group_span[player + 1], form.group_span[player], -1):
        first, m, k, base = group_of(form, group - 1)
        for j in range(m):
            mean = 0.0
            for a in range(k):
                mean += g[base + a * m + j] * u[base + a * m + j]
            infosets[number[first + j]] = mean
            u[form.parent[first + j]] += mean


@inlined
def best_response_plan(form, player, u, plan, v):
    """Fold u back with max; set `plan` `[Q]` to 1 at the first best action of each infoset."""
    fold_best(form, player, u, v)
    for group in range(form.group_span[player], form.group_span[player + 1]):
        _, m, k, base = group_of(form, group)
        for j in range(m):
            best = 0
            for a in range(1, k):
                if u[base + a * m + j] > u[base + best * m + j]:
                    best = a
            plan[base + best * m + j] = 1.0


@kernel
def history_values(player, first_child, child_count, infoset, first_row, edge, probabilities, value):
    """Fill `value` `[N, P]`, given at terminals, by taking means upwards."""
    for node in range(player.shape[0] - 1, -1, -1):
        mover = player[node]
        for action in range(child_count[node]):
            child = first_child[node] + action
            weight = probabilities[first_row[infoset[node]] + action] if mover >= 0 else edge[child]
            for p in range(value.shape[1]):
                value[node, p] += weight * value[child, p]
