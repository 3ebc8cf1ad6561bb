"""Programs of steps over a sequence form: the one kernel behind solvers and evaluations.

A step is a row of numbers: a kind (below), a range of sequences, groups or pairs, and the places of its arrays in the
state. One kernel runs all kinds, so that a loop with two uses is compiled once.

Per sequence at iteration t, with r = u - v the instantaneous counterfactual regret, MATCH and ACCUMULATE compute

    R <- discount * (R + r)          separate discounts for R > 0 and R < 0; with clipping, R <- max(R, 0)
    E <- (1 - m) * E + m * r         the prediction, stored only if it is used
    g  ~ max(R + lam * E, 0)         uniform where all are 0
    S <- decay * S + weight * x      the average

The rule of an iteration is a vector of numbers (columns below), so methods need no branch in a loop.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import LazyKernel, inlined, kernel
from tefuda._kernels.traversal import (
    accumulate,
    add_shares,
    choose_best,
    copy,
    fold_best,
    fold_mean,
    gather_leaves,
    multiply_pairs,
    realise,
    take_shares,
)

match_groups = LazyKernel("tefuda._kernels.treeplex:match_groups")
gather_blocks = LazyKernel("tefuda._kernels.blocks:gather_blocks")

# Kinds of steps; those of `gather` come first.
PAIRS, BLOCKS, LEAVES, MATCH, ACCUMULATE, REALISE, FOLD_MEAN, FOLD_BEST, CHOOSE, COPY, ADD_SHARES, TAKE_SHARES = (
    np.uint64(number) for number in range(12)
)
# The columns of steps `[S, 8]`.
KIND, FIRST, STOP, A, B, C, D, E = (np.uint64(number) for number in range(8))
# The columns of rules `[T, 7]`.
POSITIVE, NEGATIVE, CLIP, LAMBDA, MEMORY, DECAY, WEIGHT = range(7)


@inlined
def gather(index, values, state, steps, s):
    """Run step s, of a kind that gathers utilities."""
    kind, first, end, a, b, c = steps[s, KIND], steps[s, FIRST], steps[s, STOP], steps[s, A], steps[s, B], steps[s, C]
    if kind == LEAVES:
        gather_leaves(index, values, state, first, end, a, b, c)
    elif kind == BLOCKS:
        gather_blocks(index, values, state, first, end, a, b, c, steps[s, D])
    else:
        multiply_pairs(index, state, first, end, a, b)


@inlined
def realise_step(index, state, steps, s):
    """Run step s, of the kind REALISE."""
    realise(index, state, steps[s, FIRST], steps[s, STOP], steps[s, A], steps[s, B])


@kernel(refcounts=False)
def run(index, values, state, steps, rules):
    """Run the steps once per rule."""
    for t in range(rules.shape[0]):
        for s in range(steps.shape[0]):
            kind, first, end = steps[s, KIND], steps[s, FIRST], steps[s, STOP]
            a, b, c, d = steps[s, A], steps[s, B], steps[s, C], steps[s, D]
            if kind <= LEAVES:
                gather(index, values, state, steps, s)
            elif kind == MATCH:
                low = 0.0 if rules[t, CLIP] else -float("inf")
                rule = (rules[t, POSITIVE], rules[t, NEGATIVE], low, rules[t, LAMBDA], rules[t, MEMORY])
                match_groups(index, state, first, end, rule, a, b, c, d, steps[s, E])
            elif kind == ACCUMULATE:
                accumulate(state, first, end, rules[t, DECAY], rules[t, WEIGHT], a, b)
            elif kind == REALISE:
                realise_step(index, state, steps, s)
            elif kind == FOLD_MEAN:
                fold_mean(index, state, first, end, a, b, c)
            elif kind == FOLD_BEST:
                fold_best(index, state, first, end, a, b)
            elif kind == CHOOSE:
                choose_best(index, state, first, end, a, b)
            elif kind == COPY:
                copy(state, first, end, a, b)
            elif kind == ADD_SHARES:
                add_shares(index, state, first, end, a, b, c, d)
            else:
                take_shares(index, state, first, end, a, b, c, d)
