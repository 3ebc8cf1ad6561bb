"""Updates in perturbed games: regret matching plus with trembles, mirror descent to a reference.

A tremble replaces the chosen action, with some probability, by a uniformly random one.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import inlined, kernel
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


@kernel(refcounts=False)
def mirror(index, begin, end, rule, u, reach, weights, point, reference, new, g):
    """Backward: fold u back and set the strategies g of infosets by one step of mirror descent.

    With the distance D, per infoset, step and magnet: maximise <u / reach, g> - (w / step) D(g, point) - magnet w D(g,
    reference). The value of an infoset is that maximum, or else that of the strategy before the step.

    begin, end: range of the groups. rule: (step, magnet, bound, euclid, soft, pulled): `bound` of logits; Euclidean
    distance or relative entropy; value is the maximum; value without it includes the pull.
    reach: `[Q]` divisor of utilities, equal within an infoset; 0: out of reach. weights: `[J]` w.
    point, reference, new: `[Q]` probabilities, or logits for relative entropies; `new` is filled.
    """
    step, magnet, bound, euclid, soft, pulled = rule
    groups, parents = rest(index, index[GROUPS]), rest(index, index[PARENT])
    pull = step * magnet
    while end > begin:
        end -= ONE
        first, m, k, base = group_of(groups, end)
        for j in range(m):
            low, stop, w = base + j, base + j + k * m, weights[first + j]
            mean = 0.0
            for q in range(low, stop, m):
                mean += g[q] * u[q]
            value = mean
            for q in range(low, stop, m):
                if pulled and g[q] > 0.0:
                    value -= magnet * reach[low] * g[q] * (np.log(g[q]) - reference[q])
                gain = (u[q] - mean) / reach[low] if reach[low] > 0.0 else 0.0
                new[q] = (point[q] + pull * reference[q] + step / w * gain) / (1.0 + pull)
                if not soft and abs(new[q]) > max(bound, abs(point[q])):
                    new[q] = point[q]
            if euclid:
                project(new, low, stop, m, g)
            else:
                normalise(new, low, stop, m, g, soft)
            if soft:
                value = 0.0
                for q in range(low, stop, m):
                    if euclid:
                        near, far = (g[q] - point[q]) ** 2 / 2.0, (g[q] - reference[q]) ** 2 / 2.0
                    else:
                        near, far = g[q] * (new[q] - point[q]), g[q] * (new[q] - reference[q])
                    value += g[q] * u[q] - w * (near / step + magnet * far)
            u[parents[first + j]] += value


@inlined
def project(point, low, stop, m, g):
    """Set g and the point, with the stride m, to the nearest distribution."""
    top, threshold = -np.inf, -np.inf
    for q in range(low, stop, m):
        top = max(top, point[q])
    for _ in range(low, stop, m):  # each pass but the last drops an action, if one is to be dropped
        total, count = -1.0, 0
        for q in range(low, stop, m):
            if point[q] - top > threshold:
                total += point[q] - top
                count += 1
        threshold = total / count  # below 0, the place of the largest one
    for q in range(low, stop, m):
        g[q] = point[q] = max(point[q] - top - threshold, 0.0)


@inlined
def normalise(logits, low, stop, m, g, shift):
    """Set g, with the stride m, to the softmax of logits; if `shift`, make them logarithms of g."""
    top, total = -np.inf, 0.0
    for q in range(low, stop, m):
        top = max(top, logits[q])
    for q in range(low, stop, m):
        total += np.exp(logits[q] - top)
    log_total = top + np.log(total)
    for q in range(low, stop, m):
        g[q] = np.exp(logits[q] - log_total)
        if shift:
            logits[q] -= log_total
