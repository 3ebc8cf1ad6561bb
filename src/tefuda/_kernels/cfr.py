"""The regret update of the CFR family and the loop of iterations around it.

Per sequence at iteration t, with r = u - v the instantaneous counterfactual regret:

    R <- discount * (R + r)          separate discounts for R > 0 and R < 0; with clipping, R <- max(R, 0)
    E <- (1 - m) * E + m * r         the prediction, stored only if it is used
    g  ~ max(R + lam * E, 0)         uniform where all are 0

The rule of an iteration is a vector of numbers (the columns below), so methods need no branch in a loop. Passing the
rule as a compiled function cost 30 us a call. Infosets in one class of a partition share their regrets: the update runs
on the sum of their utilities, and all of them play the new strategy of the class.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import LazyKernel, inlined, kernel
from tefuda._kernels.sequence import Form
from tefuda._kernels.traversal import ONE, fold_mean, gather, realise
from tefuda._kernels.values import best_response_plan

# The columns of a schedule `[T, 7]`.
POSITIVE, NEGATIVE, CLIP, LAMBDA, MEMORY, DECAY, WEIGHT = range(7)

match_groups = LazyKernel("tefuda._kernels.treeplex:match_groups")


@inlined
def match(form, player, rule, u, v, regret, expected, g):
    """Backward: fold u with g, update regrets and predictions, and match the next g to them."""
    low = 0.0 if rule[CLIP] else -float("inf")
    numbers = (rule[POSITIVE], rule[NEGATIVE], low, rule[LAMBDA], rule[MEMORY])
    begin, end = form.group_span[player], form.group_span[player + 1]
    match_groups(form.groups, form.parent, begin, end, numbers, u, v, regret, expected, g)


@kernel(refcounts=False)
def accumulate(first, end, decay, weight, x, average):
    """Update the average of the sequences first, ..., end - 1: S <- decay * S + weight * x."""
    for q in range(first, end):
        average[q] = average[q] * decay + weight * x[q]


class InfosetClasses(NamedTuple):
    """Classes of infosets that share their regrets.

    form: the classes as a `Form` without depth, in which all begin at sequence 0.
    sequence: `[Q]` the class's sequence for each sequence of the real game.
    share: `[Q]` probability of the real sequence, as a share of that of the class's sequence.
    utility, strategy: by sequence of the classes.
    """

    form: Form
    sequence: np.ndarray
    share: np.ndarray
    utility: np.ndarray
    strategy: np.ndarray


@kernel(refcounts=False)
def match_classes(form, classes, player, rule, u, v, regret, expected, g):
    """Backward: fold u with g, update the regrets of classes by their summed u, and set g."""
    sequence, share, utility, strategy = classes.sequence, classes.share, classes.utility, classes.strategy
    first, end = form.span[player] + ONE, form.span[player + 1]
    fold_mean(form, player, g, u, v)
    for q in range(first, end):
        utility[sequence[q]] = 0.0
    for q in range(first, end):
        utility[sequence[q]] += share[q] * u[q]
    match(classes.form, player, rule, utility, v, regret, expected, strategy)
    for q in range(first, end):
        g[q] = share[q] * strategy[sequence[q]]


@kernel(refcounts=False)
def gather_best_response(form, player, x, y, u, v, best):
    """Gather u of a player in a two-player game against a best response to its x; best: see `iterate`."""
    opponent, (plan, reply) = 1 - player, best
    gather(form, opponent, x, y, u)
    plan[:] = 0.0
    best_response_plan(form, opponent, u, plan, v)
    realise(form, opponent, plan, reply)
    gather(form, player, reply, y, u)


@kernel(refcounts=False)
def iterate(form, schedule, simultaneous, early, best, classes, regret, expected, g, x, average, u, y, v):
    """Run one iteration per row of `schedule`; each updates every player once.

    simultaneous: whether all players face the same profile; else each faces the newest.
    early: `[P]` whether a player's average gets its strategy before the update; else the one after it.
    best: None, or scratch (plan, reply) `[Q]`, with reply 1 at the empty sequences: each of two players is updated
    against a best response to its own strategy.
    classes: None, or `InfosetClasses`. Code for arguments that are None is not compiled.
    """
    players = form.span.shape[0] - 1
    for t in range(schedule.shape[0]):
        rule = schedule[t]
        if simultaneous:
            for player in range(players):
                gather(form, player, x, y, u)
        for player in range(players):
            if best is not None:
                gather_best_response(form, player, x, y, u, v, best)
            elif not simultaneous:
                gather(form, player, x, y, u)
            if classes is None:
                match(form, player, rule, u, v, regret, expected, g)
            else:
                match_classes(form, classes, player, rule, u, v, regret, expected, g)
            if early[player]:
                accumulate(form.span[player], form.span[player + 1], rule[DECAY], rule[WEIGHT], x, average)
            realise(form, player, g, x)
            if not early[player]:
                accumulate(form.span[player], form.span[player + 1], rule[DECAY], rule[WEIGHT], x, average)
