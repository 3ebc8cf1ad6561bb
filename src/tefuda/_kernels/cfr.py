"""The one regret update of the whole CFR family, and the loop of iterations around it.

Per sequence at iteration t, with r = u - v the instantaneous counterfactual regret:

    R <- discount * (R + r)          separate discounts for R > 0 and R < 0; with the floor, R <- max(R, 0)
    E <- (1 - m) * E + m * r         the prediction, kept only where it is used
    g  ~ max(R + lam * E, 0)         uniform where all are 0

The rule is a vector of numbers an iteration (`columns` below), so a method costs no branch in a loop: passing it as a
compiled function cost 30 us a call. Splitting the pass from the update costs nothing (206.4 against 205.5 us).
"""

from __future__ import annotations

from tefuda._kernels.jit import kernel
from tefuda._kernels.passes import gather, group_of, realise
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


@kernel(refcounts=False)
def iterate(form, schedule, simultaneous, early, regret, expected, g, x, average, u, y, v, total):
    """Run one iteration per row of `schedule`, every player updated once in each.

    simultaneous: all players face the same profile; else each faces the newest. early: `[P]`, whether the strategy in
    force before a player's update enters its average (else the one after it).
    """
    players = form.span.shape[0] - 1
    for t in range(schedule.shape[0]):
        rule = schedule[t]
        if simultaneous:
            for player in range(players):
                gather(form, player, x, y, u)
        for player in range(players):
            if not simultaneous:
                gather(form, player, x, y, u)
            match(form, player, rule, u, v, total, regret, expected, g)
            if early[player]:
                accumulate(form.span[player], form.span[player + 1], rule[DECAY], rule[WEIGHT], x, average)
            realise(form, player, g, x)
            if not early[player]:
                accumulate(form.span[player], form.span[player + 1], rule[DECAY], rule[WEIGHT], x, average)


@kernel(refcounts=False)
def answer(form, player, x, y, u, v, plan, reply):
    """Gather u of one of two players where the other answers its x as well as it can.

    plan, reply: `[Q]` scratch; reply is 1 at the empty sequences.
    """
    other = 1 - player
    gather(form, other, x, y, u)
    plan[:] = 0.0
    best_plan(form, other, u, plan, v)
    realise(form, other, plan, reply)
    gather(form, player, reply, y, u)


@kernel(refcounts=False)
def iterate_against_best(form, schedule, plan, reply, regret, expected, g, x, average, u, y, v, total):
    """Run iterations in which each of two players is updated against a best response to its own strategy.

    plan, reply: `[Q]` scratch; reply is 1 at the empty sequences.
    """
    for t in range(schedule.shape[0]):
        rule = schedule[t]
        for player in range(2):
            answer(form, player, x, y, u, v, plan, reply)
            match(form, player, rule, u, v, total, regret, expected, g)
            accumulate(form.span[player], form.span[player + 1], rule[DECAY], rule[WEIGHT], x, average)
            realise(form, player, g, x)
