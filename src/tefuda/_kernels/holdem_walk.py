"""Walks over a hold'em spot: the public betting tree for all hands at once, board by board.

A walk is for one player, the *walker*; the other's reach goes down, the walker's values come up. Nodes of a street are
done in chunks of whole lines: reaches down, then all that ends (`holdem_ends`), then values up. Below a street come its
child contexts, one after another; there is no recursion, but a stack of at most three contexts.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.holdem_arrays import (
    BASE,
    BEFORE,
    BEST,
    CHILD,
    CHILDREN,
    COUNT,
    DECAY,
    FIRST,
    FOLD_0,
    GROUP,
    KIND,
    LEARN,
    LINK,
    MIRRORED,
    NEGATIVE,
    NEXT,
    NODE,
    POSITIVE,
    ROOT,
    SIZE,
    SLOT,
    SOURCE,
    START,
    WAYS,
    WEIGHT,
)  # fmt: skip
from tefuda._kernels.holdem_ends import fill, same_for_twins, settle
from tefuda._kernels.jit import lean
from tefuda._kernels.weaving import woven


@lean
def split(stored, actions, size, reach, total, scale):
    """Strategies from what is stored: probability[a, h] = max(stored[a, h], 0) * scale[h] + total[h], times reach."""
    number = total.dtype.type
    zero, share = number(0.0), number(1.0 / actions)
    for h in range(size):
        total[h] = zero
    for a in range(actions):
        row = stored[a * size : (a + 1) * size]
        for h in range(size):
            total[h] += max(number(row[h]), zero)
    for h in range(size):
        known = total[h] > zero
        scale[h] = reach[h] / total[h] if known else zero
        total[h] = zero if known else reach[h] * share


@lean
def descend(stored, scale, rest, reach):
    """The reach after an action; whether it is more than 0 for any hand."""
    some, number = 0, reach.dtype.type
    zero = number(0.0)
    for h in range(stored.shape[0]):
        reach[h] = max(number(stored[h]), zero) * scale[h] + rest[h]
        some += reach[h] > zero
    return some > 0


@lean
def remember(average, reach, decay, weight):
    """Add a strategy, times the reach of who plays it, to its sums."""
    for h in range(average.shape[0]):
        average[h] = average[h] * decay + reach[h] * weight


@lean
def expect(stored, scale, rest, worth, value):
    """Add what an action is worth, as often as it is chosen."""
    number = value.dtype.type
    zero = number(0.0)
    for h in range(stored.shape[0]):
        value[h] += (max(number(stored[h]), zero) * scale[h] + rest[h]) * worth[h]


@lean
def learn(regrets, worth, value, positive, negative):
    """Add an action's regrets, then discount."""
    for h in range(regrets.shape[0]):
        regret = regrets[h] + worth[h] - value[h]
        regrets[h] = regret * (positive if regret > 0 else negative)


@lean
def add(value, other):
    """value += other."""
    for h in range(other.shape[0]):
        value[h] += other[h]


@lean
def raise_to(value, other):
    """value = max(value, other)."""
    for h in range(other.shape[0]):
        value[h] = max(value[h], other[h])


@lean
def times(row, number):
    """row *= number."""
    for h in range(row.shape[0]):
        row[h] *= number


@lean
def gather(reach, above, links, chance):
    """The reach of what the hands above become, times chance; whether it is more than 0 for any."""
    some, factor = 0, reach.dtype.type(chance)
    for h in range(links.shape[0]):
        reach[h] = above[links[h]] * factor
        some += reach[h] > 0
    return some > 0


@lean
def scatter(above, value, links):
    """Add values to the hands above."""
    for h in range(links.shape[0]):
        above[links[h]] += value[h]


@woven
def down(form, context, walker, chunk, regrets, sums, mode, rule, work):
    """Reaches of the opponent in a chunk, from its roots down; learning adds its strategies to its sums."""
    opponent = 1 - walker
    size, where = form.contexts[context, SIZE + opponent], form.contexts[context, BASE + opponent]
    for node in range(form.chunks[chunk, NODE], form.chunks[chunk, NODE + 1]):
        kind, live = form.nodes[node, KIND], work.live[node]
        if kind >= FOLD_0:
            continue
        first, actions = form.nodes[node, FIRST], form.nodes[node, COUNT]
        start = where + form.nodes[node, BEFORE] * size
        stop = start + actions * size
        if kind == walker or not live:
            for child in range(first, first + actions):
                work.live[child] = live
            if kind == opponent and mode == LEARN:
                times(sums[start:stop], rule[DECAY])
            continue
        stored = (regrets if mode == LEARN else sums)[start:stop]
        split(stored, actions, size, work.reach[form.nodes[node, SLOT + walker]], work.rows[0], work.rows[1])
        for a in range(actions):
            of_action = stored[a * size : (a + 1) * size]
            work.live[first + a] = descend(of_action, work.rows[1], work.rows[0], work.reach[first + a])
            if mode == LEARN:
                average = sums[start + a * size : start + (a + 1) * size]
                remember(average, work.reach[first + a], rule[DECAY], rule[WEIGHT])


@woven
def up(form, context, walker, chunk, ones, regrets, sums, mode, rule, work):
    """Values of the walker in a chunk, from its ends up; learning updates its regrets."""
    size, where = form.contexts[context, SIZE + walker], form.contexts[context, BASE + walker]
    for node in range(form.chunks[chunk, NODE + 1] - 1, form.chunks[chunk, NODE] - 1, -1):
        kind = form.nodes[node, KIND]
        if kind >= FOLD_0:
            continue
        first, actions, value = form.nodes[node, FIRST], form.nodes[node, COUNT], work.value[node, :size]
        start = where + form.nodes[node, BEFORE] * size
        if kind == walker and mode != BEST:
            stored = (regrets if mode == LEARN else sums)[start : start + actions * size]
            fill(value, 0.0)
            if work.live[node]:
                split(stored, actions, size, ones, work.rows[0], work.rows[1])
                for a in range(actions):
                    expect(stored[a * size : (a + 1) * size], work.rows[1], work.rows[0], work.value[first + a], value)
            if mode == LEARN:
                for a in range(actions):
                    worth = work.value[first + a] if work.live[node] else value
                    learn(stored[a * size : (a + 1) * size], worth, value, rule[POSITIVE], rule[NEGATIVE])
            continue
        fill(value, -np.inf if kind == walker else 0.0)
        for a in range(actions):
            if kind == walker:
                raise_to(value, work.value[first + a, :size])
            else:
                add(value, work.value[first + a, :size])


@woven
def enter(form, context, street, walker, chunk, work):
    """The opponent's reach at the roots of a chunk, from the context above."""
    opponent = 1 - walker
    size, link = form.contexts[context, SIZE + opponent], form.contexts[context, LINK + opponent]
    for r in range(form.chunks[chunk, ROOT], form.chunks[chunk, ROOT + 1]):
        root = form.roots[r]
        source = form.nodes[root, SOURCE]
        work.live[root] = work.live[source]
        if work.live[root]:
            above, chance = work.reach[form.nodes[source, SLOT + walker]], 1.0 / form.streets[street, 2]
            work.live[root] = gather(work.reach[root], above, form.links[link : link + size], chance)


@woven
def leave(form, context, walker, chunk, work):
    """Add the values at the roots of a chunk to the context above, once for each way in which this one comes of it."""
    size = form.contexts[context, SIZE + walker]
    for r in range(form.chunks[chunk, ROOT], form.chunks[chunk, ROOT + 1]):
        root = form.roots[r]
        value, above = work.value[root], work.value[form.nodes[root, SOURCE]]
        link = form.contexts[context, LINK + walker]
        if work.live[root]:
            for _ in range(form.contexts[context, WAYS]):
                scatter(above, value, form.links[link : link + size])
                link += size


@woven
def hands_of(form, context, player):
    """The hands of a player in a context."""
    start = form.contexts[context, START + player]
    return form.hands[start : start + form.contexts[context, SIZE + player]]


@woven
def open_street(form, context, street, walker, chunk, regrets, sums, mode, rule, work):
    """Down a chunk of a street and all that ends there; 0 where the next street starts, which adds to it."""
    if street:
        enter(form, context, street, walker, chunk, work)
    down(form, context, walker, chunk, regrets, sums, mode, rule, work)
    hands, others = hands_of(form, context, walker), hands_of(form, context, 1 - walker)
    stops = form.stops[form.contexts[context, GROUP] : form.contexts[context, GROUP + 1]]
    settle(form, hands, others, stops, context, walker, chunk, work)
    for node in range(form.chunks[chunk, NODE], form.chunks[chunk, NODE + 1]):
        if form.nodes[node, KIND] == NEXT:
            fill(work.value[node], 0.0)


@woven
def close_street(form, context, street, walker, chunk, ones, regrets, sums, mode, rule, work):
    """Up a chunk of a street, once all contexts below have added their values, and on to the context above."""
    if form.contexts[context, MIRRORED]:
        for node in range(form.chunks[chunk, NODE], form.chunks[chunk, NODE + 1]):
            if form.nodes[node, KIND] == NEXT:
                same_for_twins(work.value[node], hands_of(form, context, walker))
    up(form, context, walker, chunk, ones, regrets, sums, mode, rule, work)
    if street:
        leave(form, context, walker, chunk, work)


@lean
def walk(form, weights, ones, walkers, modes, rules, regrets, sums, work):
    """Walks one after the other: `walkers[w]` in `modes[w]` by the numbers `rules[w]`.

    weights: `[2, H]` of each player's hands at the root. ones: `[H]`, all 1. The values at the root of the last walk
    stand in `work.value[0]` then.
    """
    context, chunk, todo = work.stack[0], work.stack[1], work.stack[2]
    for w in range(walkers.shape[0]):
        walker, mode, rule = walkers[w], modes[w], rules[w]
        for h in range(weights.shape[1]):
            work.reach[0, h] = weights[1 - walker, h]
        work.live[0] = 1
        street, context[0], chunk[0], todo[0] = 0, 0, form.streets[0, 0], -1
        while street >= 0:
            if todo[street] < 0:
                open_street(form, context[street], street, walker, chunk[street], regrets, sums, mode, rule, work)
                todo[street] = 0
            if todo[street] < form.contexts[context[street], CHILDREN]:
                child = form.contexts[context[street], CHILD] + todo[street]
                todo[street] += 1
                street += 1
                context[street], chunk[street], todo[street] = child, form.streets[street, 0], -1
                continue
            close_street(form, context[street], street, walker, chunk[street], ones, regrets, sums, mode, rule, work)
            chunk[street] += 1
            todo[street] = -1
            if chunk[street] == form.streets[street, 1]:
                street -= 1
