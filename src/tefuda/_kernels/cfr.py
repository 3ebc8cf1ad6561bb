"""The one regret update of the whole CFR family, and the loop of iterations around it.

Per sequence at iteration t, with r = u - v the instantaneous counterfactual regret:

    R <- discount * (R + r)          separate discounts for R > 0 and R < 0; with the floor, R <- max(R, 0)
    E <- (1 - m) * E + m * r         the prediction, kept only where it is used
    g  ~ max(R + lam * E, 0)         uniform where all are 0

The rule is a vector of numbers an iteration (the columns below), so a method costs no branch in a loop: passing it as a
compiled function cost 30 us a call. Infosets of a class of a partition share their regrets: their utilities are summed,
the one update runs on these sums, and what it finds is played at every infoset of the class.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import kernel
from tefuda._kernels.passes import ONE, Form, fold_mean, gather, group_of, realise
from tefuda._kernels.values import best_plan

# The columns of a schedule `[T, 7]`.
POSITIVE, NEGATIVE, FLOOR, LAMBDA, MEMORY, DECAY, WEIGHT = range(7)


@kernel(refcounts=False)
def match(form, player, rule, u, v, total, regret, expected, g):
    """Backward: fold u with g, update regrets and predictions, and match the next g to them."""
    low = 0.0 if rule[FLOOR] else -float("inf")
    positive, negative, lam, memory = rule[POSITIVE], rule[NEGATIVE], rule[LAMBDA], rule[MEMORY]
    for group in range(form.group_span[player + 1], form.group_span[player], -1):
        first, m, k, base = group_of(form, group - 1)
        for j in range(m):
            v[j] = 0.0
            total[j] = 0.0
        for a in range(k):
            start = base + a * m
            for j in range(m):
                v[j] += g[start + j] * u[start + j]
        if lam == 0.0:
            for a in range(k):
                start = base + a * m
                for j in range(m):
                    new = regret[start + j] + (u[start + j] - v[j])
                    new = max(new * (positive if new > 0.0 else negative), low)
                    regret[start + j] = new
                    new = max(new, 0.0)
                    g[start + j] = new
                    total[j] += new
        else:
            for a in range(k):
                start = base + a * m
                for j in range(m):
                    r = u[start + j] - v[j]
                    new = regret[start + j] + r
                    new = max(new * (positive if new > 0.0 else negative), low)
                    regret[start + j] = new
                    guess = expected[start + j] * (1.0 - memory) + memory * r
                    expected[start + j] = guess
                    new = max(new + lam * guess, 0.0)
                    g[start + j] = new
                    total[j] += new
        uniform = 1.0 / k
        for a in range(k):
            start = base + a * m
            for j in range(m):
                g[start + j] = g[start + j] / total[j] if total[j] > 0.0 else uniform
        for j in range(m):
            u[form.parent[first + j]] += v[j]


@kernel(refcounts=False)
def accumulate(first, end, decay, weight, x, average):
    """S <- decay * S + weight * x over the sequences of one player."""
    for q in range(first, end):
        average[q] = average[q] * decay + weight * x[q]


class Merged(NamedTuple):
    """Classes of infosets that share their regrets.

    classes: a `Form` without depth: all classes begin at one sequence, 0. place: `[Q]` the sequence of the classes of
    each real one. share: `[Q]` its part of that one's probability. pooled, matched: by sequence of the classes, their
    utilities and the strategy in force.
    """

    classes: Form
    place: np.ndarray
    share: np.ndarray
    pooled: np.ndarray
    matched: np.ndarray


@kernel(refcounts=False)
def match_merged(form, merged, player, rule, u, v, total, regret, expected, g):
    """Backward: fold u with g, sum it over the classes, update their regrets, and spread what matches them over g."""
    place, share, pooled, matched = merged.place, merged.share, merged.pooled, merged.matched
    first, end = form.span[player] + ONE, form.span[player + 1]
    fold_mean(form, player, g, u, v)
    for q in range(first, end):
        pooled[place[q]] = 0.0
    for q in range(first, end):
        pooled[place[q]] += share[q] * u[q]
    match(merged.classes, player, rule, pooled, v, total, regret, expected, matched)
    for q in range(first, end):
        g[q] = share[q] * matched[place[q]]


@kernel(refcounts=False)
def answer(form, player, x, y, u, v, best):
    """Gather u of one of two players where the other answers its x as well as it can; best: see `iterate`."""
    other, (plan, reply) = 1 - player, best
    gather(form, other, x, y, u)
    plan[:] = 0.0
    best_plan(form, other, u, plan, v)
    realise(form, other, plan, reply)
    gather(form, player, reply, y, u)


@kernel(refcounts=False)
def iterate(form, schedule, simultaneous, early, best, merged, regret, expected, g, x, average, u, y, v, total):
    """Run one iteration per row of `schedule`, every player updated once in each.

    simultaneous: all players face the same profile; else each faces the newest. early: `[P]`, whether the strategy in
    force before a player's update enters its average (else the one after it). best: None, or scratch (plan, reply)
    `[Q]`, reply 1 at the empty sequences: each of two players is updated against a best response to its own strategy.
    merged: None, or a `Merged`. Code for what is None is not compiled.
    """
    players = form.span.shape[0] - 1
    for t in range(schedule.shape[0]):
        rule = schedule[t]
        if simultaneous:
            for player in range(players):
                gather(form, player, x, y, u)
        for player in range(players):
            if best is not None:
                answer(form, player, x, y, u, v, best)
            elif not simultaneous:
                gather(form, player, x, y, u)
            if merged is None:
                match(form, player, rule, u, v, total, regret, expected, g)
            else:
                match_merged(form, merged, player, rule, u, v, total, regret, expected, g)
            if early[player]:
                accumulate(form.span[player], form.span[player + 1], rule[DECAY], rule[WEIGHT], x, average)
            realise(form, player, g, x)
            if not early[player]:
                accumulate(form.span[player], form.span[player + 1], rule[DECAY], rule[WEIGHT], x, average)
