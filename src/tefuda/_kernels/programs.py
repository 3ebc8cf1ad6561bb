"""Programs of steps over a sequence form: the one kernel behind solvers and evaluations.

A step is a row of numbers: a kind (below), a range of sequences, groups or pairs, and the places of its arrays in the
state. One kernel runs all kinds, so that a loop with two uses is compiled once.

Per sequence at iteration t, with r = u - v the instantaneous counterfactual regret, where v is the value of g without
trembles, MATCH and ACCUMULATE compute

    R <- discount * (R + r)          separate discounts for R > 0 and R < 0; with clipping, R <- max(R, 0)
    E <- (1 - m) * E + m * r         the prediction, stored only if it is used
    g  ~ max(R + lam * E, 0)         uniform where all are 0; with trembles, g <- (1 - tremble) g + tremble / k
    S <- decay * S + weight * x      the average

The rule of an iteration is a vector of numbers (columns below), so methods need no branch in a loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tefuda._kernels.jit import Instruction, LazyKernel, inlined, kernel
from tefuda._kernels.sequence import GROUPS, PARENT, rest
from tefuda._kernels.traversal import (
    accumulate,
    add_shares,
    add_to_parents,
    choose_best,
    copy,
    fold_best,
    fold_mean,
    gather_leaves,
    group_of,
    lift,
    multiply_pairs,
    pull,
    realise,
    realise_infosets,
    take_shares,
)

match_groups = LazyKernel("tefuda._kernels.treeplex:match_groups")
match_infosets = LazyKernel("tefuda._kernels.treeplex:match_infosets")
gather_blocks = LazyKernel("tefuda._kernels.blocks:gather_blocks")

# Kinds of steps; those of `gather` come first.
PAIRS, BLOCKS, LEAVES, MATCH, ACCUMULATE, REALISE, FOLD_MEAN, FOLD_BEST, CHOOSE, COPY, ADD_SHARES, TAKE_SHARES = (
    np.uint64(number) for number in range(12)
)
PULL, LIFT = np.uint64(12), np.uint64(13)
# Further kinds in a thread's share of a program, for the infosets FIRST, ..., STOP - 1 of the group GROUP.
MATCH_PART, REALISE_PART, ADD_MEANS = (np.uint64(number) for number in range(14, 17))
# Waits until all threads have come here: it is the barrier FIRST (from 1) of STOP.
BARRIER = np.uint64(17)
# The columns of steps `[S, 8]`; GROUP is a ninth one in shares.
KIND, FIRST, STOP, A, B, C, D, E, GROUP = (np.uint64(number) for number in range(9))
# The columns of rules `[T, 10]`; the last two are of PULL and LIFT.
POSITIVE, NEGATIVE, CLIP, LAMBDA, MEMORY, DECAY, WEIGHT, TREMBLE, MAGNET, FLOOR = range(10)
COLUMNS = 10


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


@inlined
def numbers(rules, t):
    """Return the numbers of rule t that `match_groups` reads."""
    low = 0.0 if rules[t, CLIP] else -float("inf")
    return rules[t, POSITIVE], rules[t, NEGATIVE], low, rules[t, LAMBDA], rules[t, MEMORY], rules[t, TREMBLE]


@inlined
def run_step(index, values, state, steps, s, rules, t):
    """Run step s by rule t."""
    kind, first, end = steps[s, KIND], steps[s, FIRST], steps[s, STOP]
    a, b, c, d = steps[s, A], steps[s, B], steps[s, C], steps[s, D]
    if kind <= LEAVES:
        gather(index, values, state, steps, s)
    elif kind == MATCH:
        match_groups(index, state, first, end, numbers(rules, t), a, b, c, d, steps[s, E])
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
    elif kind == PULL:
        pull(state, first, end, rules[t, MAGNET], a, b, c)
    elif kind == LIFT:
        lift(index, state, first, end, rules[t, FLOOR], a, b)
    else:
        take_shares(index, state, first, end, a, b, c, d)


@kernel(refcounts=False)
def run(index, values, state, steps, rules):
    """Run the steps once per rule."""
    for t in range(rules.shape[0]):
        for s in range(steps.shape[0]):
            run_step(index, values, state, steps, s, rules, t)


#: Distance between the counters of two threads, in numbers: two cache lines, because processors load them in pairs.
COUNTER_STEP = np.uint64(16)
_PATIENCE = np.uint64(100_000)  # looks at a counter before a thread sleeps: more than the 0.1 ms that others sleep


def _counter(context, builder, signature, arguments):
    """Return a pointer to a number of an array of numbers of 8 bytes."""
    place = context.data_model_manager[signature.args[0]].get_field_position("data")
    return builder.gep(builder.extract_value(arguments[0], place), [arguments[1]])


def _publish(typing_context, counters, index, number):
    from tefuda._kernels.compiling import types

    def generate(context, builder, signature, arguments):
        builder.store_atomic(arguments[2], _counter(context, builder, signature, arguments), "release", 8)
        return context.get_dummy_value()

    return types.void(counters, types.uint64, types.uint64), generate


def _observe(typing_context, counters, index):
    from tefuda._kernels.compiling import types

    def generate(context, builder, signature, arguments):
        return builder.load_atomic(_counter(context, builder, signature, arguments), "acquire", 8)

    return types.uint64(counters, types.uint64), generate


#: Writes a counter: threads that observe the number see all that was written before it.
publish: Any = Instruction(_publish, lambda counters, index, number: counters.__setitem__(index, number))
#: Reads a counter that another thread publishes.
observe: Any = Instruction(_observe, lambda counters, index: counters[index])


@inlined
def all_arrived(counters, thread, number):
    """Publish that a thread has come to a barrier; return 1 when all have, 0 if that takes long."""
    publish(counters, thread * COUNTER_STEP, number)
    other, patience = np.uint64(0), _PATIENCE
    while other < np.uint64(counters.shape[0]):
        if observe(counters, other) >= number:
            other += COUNTER_STEP
        elif patience > 0:
            patience -= np.uint64(1)
        else:
            return 0
    return 1


@inlined
def run_part(index, state, steps, s, rules, t):
    """Run step s, of a kind that only shares have."""
    kind, low, stop, a, b, c = steps[s, KIND], steps[s, FIRST], steps[s, STOP], steps[s, A], steps[s, B], steps[s, C]
    a, b, c, d, e = rest(state, a), rest(state, b), rest(state, c), rest(state, steps[s, D]), rest(state, steps[s, E])
    group, parents = group_of(rest(index, index[GROUPS]), steps[s, GROUP]), rest(index, index[PARENT])
    if kind == MATCH_PART:
        match_infosets(group, low, stop, numbers(rules, t), a, b, c, d, e)
    elif kind == REALISE_PART:
        realise_infosets(parents, group, low, stop, a, b)
    else:
        add_to_parents(parents, group, b, a)


@kernel(refcounts=False)
def run_share(index, values, state, steps, rules, counters, thread, done):
    """Run a thread's share of a program after its first `done` steps, counted over all rules.

    counters: `[threads * COUNTER_STEP]` zeros at first, shared by all threads.
    Return the number of steps done: less than all of them if other threads are late. Call again later.
    """
    count = np.uint64(steps.shape[0])
    first, s = done // count, done % count
    for t in range(first, np.uint64(rules.shape[0])):
        while s < count:
            kind = steps[s, KIND]
            if kind == BARRIER:
                if not all_arrived(counters, thread, t * steps[s, STOP] + steps[s, FIRST]):
                    return t * count + s
            elif kind >= MATCH_PART:
                run_part(index, state, steps, s, rules, t)
            else:
                run_step(index, values, state, steps, s, rules, t)
            s += np.uint64(1)
        s = np.uint64(0)
    return np.uint64(rules.shape[0]) * count
