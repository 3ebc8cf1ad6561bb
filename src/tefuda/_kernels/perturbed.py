"""Regret matching plus for players who tremble.

A tremble replaces the chosen action, with some probability, by a uniformly random one.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import inlined
from tefuda._kernels.programs import FIRST, STOP, gather, realise_step
from tefuda._kernels.sequence import GROUPS, PARENT, rest
from tefuda._kernels.traversal import group_of

ONE = np.uint64(1)


@inlined
def iterate(
    index, values, state, steps, ends, span, iterations, tremble, aware, steady, average_trembles, regret, g, played, x,
    trembling, faced, total, u,
):  # fmt: skip
    """Run alternating iterations; iteration t has the weight t in the average.

    steps: a program with the steps ends[p], ..., ends[p + 1] - 1 for player p: gather u against `faced`, realise g as x
    and `played` as `trembling`. The arrays after `average_trembles` are parts of the state.
    tremble: probability of a tremble.
    aware: whether a player's own values include its trembles.
    steady: share of the games in which opponents do not tremble.
    average_trembles: whether the average includes trembles.
    g, x: `[Q]` behaviour strategy of regret matching, and its realisation plan.
    played, trembling: `[Q]` the same with trembles.
    faced: `[Q]` the plan that opponents face, steady * x + (1 - steady) * trembling.
    """
    for t in range(1, iterations + 1):
        for player in range(span.shape[0] - 1):
            last = ends[player + 1] - 1
            for s in range(ends[player], last - 1):
                gather(index, values, state, steps, s)
            match(index, steps[last, FIRST], steps[last, STOP], tremble, aware, u, regret, g, played)
            realise_step(index, state, steps, last - 1)
            realise_step(index, state, steps, last)
            for q in range(span[player], span[player + 1]):
                faced[q] = steady * x[q] + (1.0 - steady) * trembling[q]
                total[q] += t * (trembling[q] if average_trembles else x[q])


@inlined
def match(index, begin, end, tremble, aware, u, regret, g, played):
    """Fold utilities back with the current strategy, add regrets, clip them at 0, and match."""
    groups, parents = rest(index, index[GROUPS]), rest(index, index[PARENT])
    while end > begin:
        end -= ONE
        first, m, k, base = group_of(groups, end)
        for j in range(m):
            mean, value, positive = 0.0, 0.0, 0.0
            for a in range(k):
                q = base + a * m + j
                mean += g[q] * u[q]
                value += (played[q] if aware else g[q]) * u[q]
            for a in range(k):
                q = base + a * m + j
                regret[q] = max(regret[q] + u[q] - mean, 0.0)
                positive += regret[q]
            for a in range(k):
                q = base + a * m + j
                g[q] = regret[q] / positive if positive > 0.0 else 1.0 / k
                played[q] = (1.0 - tremble) * g[q] + tremble / k
            u[parents[first + j]] += value
