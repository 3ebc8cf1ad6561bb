"""Regret matching plus for players who tremble.

A tremble replaces the chosen action, with some probability, by a uniformly random one.
"""

from __future__ import annotations

from tefuda._kernels.jit import inlined
from tefuda._kernels.traversal import gather, group_of, realise


@inlined
def iterate(
    form, iterations, tremble, aware, steady, average_trembles, regret, g, played, x, trembling, faced, total, y, u,
):  # fmt: skip
    """Run alternating iterations; iteration t has the weight t in the average.

    tremble: probability of a tremble.
    aware: whether a player's own values include its trembles.
    steady: share of the games in which opponents do not tremble.
    average_trembles: whether the average includes trembles.
    g, x: `[Q]` behaviour strategy of regret matching, and its realisation plan.
    played, trembling: `[Q]` the same with trembles.
    faced: `[Q]` the plan that opponents face, steady * x + (1 - steady) * trembling.
    """
    for t in range(1, iterations + 1):
        for player in range(form.span.shape[0] - 1):
            gather(form, player, faced, y, u)
            match(form, player, tremble, aware, u, regret, g, played)
            realise(form, player, g, x)
            realise(form, player, played, trembling)
            for q in range(form.span[player], form.span[player + 1]):
                faced[q] = steady * x[q] + (1.0 - steady) * trembling[q]
                total[q] += t * (trembling[q] if average_trembles else x[q])


@inlined
def match(form, player, tremble, aware, u, regret, g, played):
    """Fold utilities back with the current strategy, add regrets, clip them at 0, and match."""
    for group in range(form.group_span[player + 1], form.group_span[player], -1):
        first, m, k, base = group_of(form, group - 1)
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
            u[form.parent[first + j]] += value
