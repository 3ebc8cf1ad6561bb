"""Regret matching plus for players who tremble: with some probability a uniform action at every decision."""

from __future__ import annotations

from tefuda._kernels.jit import inlined
from tefuda._kernels.passes import gather, group_of, realise


@inlined
def iterate(
    form, iterations, tremble, aware, calm, played_counts, regret, g, played, x, trembling, seen, total, y, u,
):  # fmt: skip
    """Run alternating iterations; iteration t has the weight t in the average.

    g: what regret matching says, played: the same with trembles, `[Q]`; x and trembling: their realisation plans.
    Others face seen = calm * x + (1 - calm) * trembling. aware: whether a player's own values know the trembles.
    played_counts: whether what is played is averaged, trembles and all, else x.
    """
    for t in range(1, iterations + 1):
        for player in range(form.span.shape[0] - 1):
            gather(form, player, seen, y, u)
            match(form, player, tremble, aware, u, regret, g, played)
            realise(form, player, g, x)
            realise(form, player, played, trembling)
            for q in range(form.span[player], form.span[player + 1]):
                seen[q] = calm * x[q] + (1.0 - calm) * trembling[q]
                total[q] += t * (trembling[q] if played_counts else x[q])


@inlined
def match(form, player, tremble, aware, u, regret, g, played):
    """Fold utilities back with the strategy in force, add regrets, clip them at 0, and match."""
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
