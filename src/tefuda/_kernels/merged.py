"""Iterations of the CFR family in which infosets share their regrets: the classes of a partition.

The pass is that of the real sequence form. Its counterfactual values are summed over the infosets of a class, the one
update of the family runs on these sums, and what it finds is played at every infoset of the class. Classes are a
form of their own, flat: all of them begin at one sink, place 0.
"""

from __future__ import annotations

from tefuda._kernels.cfr import DECAY, WEIGHT, accumulate, answer, match
from tefuda._kernels.jit import kernel
from tefuda._kernels.passes import ONE, fold_mean, gather, realise


@kernel(refcounts=False)
def match_merged(form, classes, player, rule, place, share, u, v, total, pooled, regret, expected, matched, g):
    """Backward: fold u with g, sum it over classes, update their regrets, and spread what matches them over g.

    place: `[Q]` the sequence of the classes of each real one. share: `[Q]` which part of its probability this one gets.
    """
    first, end = form.span[player] + ONE, form.span[player + 1]
    fold_mean(form, player, g, u, v)
    for q in range(first, end):
        pooled[place[q]] = 0.0
    for q in range(first, end):
        pooled[place[q]] += share[q] * u[q]
    match(classes, player, rule, pooled, v, total, regret, expected, matched)
    for q in range(first, end):
        g[q] = share[q] * matched[place[q]]


@kernel(refcounts=False)
def iterate_merged(
    form, classes, schedule, simultaneous, against_best, early, place, share,
    regret, expected, matched, g, x, average, u, y, v, total, pooled, plan, reply,
):  # fmt: skip
    """Run one iteration per row of `schedule`: as `cfr.iterate`, or as `cfr.iterate_against_best`.

    plan, reply: `[Q]` scratch; reply is 1 at the empty sequences.
    """
    players = form.span.shape[0] - 1
    for t in range(schedule.shape[0]):
        rule = schedule[t]
        if simultaneous and not against_best:
            for player in range(players):
                gather(form, player, x, y, u)
        for player in range(players):
            if against_best:
                answer(form, player, x, y, u, v, plan, reply)
            elif not simultaneous:
                gather(form, player, x, y, u)
            match_merged(form, classes, player, rule, place, share, u, v, total, pooled, regret, expected, matched, g)
            if early[player]:
                accumulate(form.span[player], form.span[player + 1], rule[DECAY], rule[WEIGHT], x, average)
            realise(form, player, g, x)
            if not early[player]:
                accumulate(form.span[player], form.span[player + 1], rule[DECAY], rule[WEIGHT], x, average)
