"""Walks over a hold'em spot: the public betting tree for all hands at once, board by board.

A walk is for one player, the *walker*; the other's reach goes down, the walker's values come up. Nodes of a street are
done in chunks of whole lines: reaches down, then all that ends (`holdem_ends`), then values up. Below a street come its
child contexts, one after another; there is no recursion, but a stack of at most three contexts.

One source makes three kernels, of which each lacks what it does not need before it is compiled: `learn_plain`,
`learn_packed`, where numbers are stored in 16 bits, and `judge`, which reads sums alone. Hence two constants go
everywhere: learns, packs.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.holdem_arrays import (
    BASE,
    BEFORE,
    BEST,
    CHILD,
    CHILDREN,
    CLOSES,
    COUNT,
    DECAY,
    FIRST,
    FOLD_0,
    FROM,
    GROUP,
    KIND,
    LINK,
    LOCK,
    MIRRORED,
    NEGATIVE,
    NEXT,
    NODE,
    OPENS,
    ORDER,
    POSITIVE,
    ROOT,
    SCALE,
    SIZE,
    SLOT,
    SOURCE,
    START,
    STREET,
    TO,
    WAYS,
    WEIGHT,
)  # fmt: skip
from tefuda._kernels.holdem_ends import fill, same_for_twins, settle
from tefuda._kernels.holdem_nodes import (
    add,
    copy,
    descend,
    expect,
    gather,
    hold,
    learn,
    lock_of,
    only_free,
    pack,
    raise_to,
    remember,
    scatter,
    split,
    times,
    unpack,
)  # fmt: skip
from tefuda._kernels.weaving import weave, woven

_REGRETS, _SUMS = 32767.0, 65535.0  # the largest numbers of 16 bits, with and without a sign


@woven
def recall(sums, scales, at, start, actions, size, reach, rule, room, packs):
    """Add the strategies of a node to their sums, action by action; reach: `[actions, H]` after each."""
    if packs:
        whole = sums[start : start + actions * size]
        unpack(whole, scales[1, at], room)
        for a in range(actions):
            remember(room[a * size : (a + 1) * size], reach[a], rule[DECAY], rule[WEIGHT])
        scales[1, at] = pack(room, whole, _SUMS)
    else:
        for a in range(actions):
            remember(sums[start + a * size : start + (a + 1) * size], reach[a], rule[DECAY], rule[WEIGHT])


@woven
def forget(sums, scales, at, start, stop, rule, packs):
    """Discount the sums of a node to which nobody comes."""
    if packs:
        scales[1, at] *= rule[DECAY]
    else:
        times(sums[start:stop], rule[DECAY])


@woven
def down(form, context, walker, chunk, regrets, sums, scales, rule, work, learns, packs):
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
        at = form.contexts[context, SCALE + opponent] + form.nodes[node, ORDER]
        if kind == walker or not live:
            for child in range(first, first + actions):
                work.live[child] = live
            if learns and kind == opponent:
                forget(sums, scales, at, start, stop, rule, packs)
            continue
        reach = work.reach[form.nodes[node, SLOT + walker]]
        stored = (regrets if learns else sums)[start:stop]
        split(stored, actions, size, reach, work.rows[0], work.rows[1])
        lock = -1
        if form.nodes[node, LOCK] >= 0:
            lock = lock_of(form, context, node, form.nodes[node, LOCK])
            if lock >= 0:
                only_free(work.rows[0], form.held[lock : lock + size])
                only_free(work.rows[1], form.held[lock : lock + size])
        for a in range(actions):
            after, of_action = work.reach[first + a], stored[a * size : (a + 1) * size]
            work.live[first + a] = descend(of_action, work.rows[1], work.rows[0], after)
            if lock >= 0:
                shares = form.held[lock + (a + 1) * size : lock + (a + 2) * size]
                work.live[first + a] |= hold(after, shares, reach)
        if learns:
            recall(sums, scales, at, start, actions, size, work.reach[first : first + actions], rule, work.room, packs)


@woven
def update(regrets, scales, at, start, actions, size, live, worth, value, rule, room, packs):
    """Add the regrets of a node's actions; worth: `[actions, H]` of each."""
    if packs:
        whole = regrets[start : start + actions * size]
        unpack(whole, scales[0, at], room)
        for a in range(actions):
            row = room[a * size : (a + 1) * size]
            learn(row, worth[a] if live else value, value, rule[POSITIVE], rule[NEGATIVE])
        scales[0, at] = pack(room, whole, _REGRETS)
    else:
        for a in range(actions):
            row = regrets[start + a * size : start + (a + 1) * size]
            learn(row, worth[a] if live else value, value, rule[POSITIVE], rule[NEGATIVE])


@woven
def decide(form, stored, actions, size, ones, lock, mode, worth, value, work, learns):
    """What a node is worth to the walker, by its strategies or at best; worth: `[actions, H]` of each action."""
    if learns or mode != BEST:
        split(stored, actions, size, ones, work.rows[0], work.rows[1])
        if lock >= 0:
            only_free(work.rows[0], form.held[lock : lock + size])
            only_free(work.rows[1], form.held[lock : lock + size])
        for a in range(actions):
            expect(stored[a * size : (a + 1) * size], work.rows[1], work.rows[0], worth[a], value)
    else:
        fill(value, -np.inf)
        for a in range(actions):
            raise_to(value, worth[a])
        if lock >= 0:
            only_free(value, form.held[lock : lock + size])
    if lock >= 0:
        for a in range(actions):
            hold(value, form.held[lock + (a + 1) * size : lock + (a + 2) * size], worth[a])


@woven
def up(form, context, walker, chunk, ones, regrets, sums, scales, mode, rule, work, learns, packs):
    """Values of the walker in a chunk, from its ends up; learning updates its regrets."""
    size, where = form.contexts[context, SIZE + walker], form.contexts[context, BASE + walker]
    for node in range(form.chunks[chunk, NODE + 1] - 1, form.chunks[chunk, NODE] - 1, -1):
        kind, live = form.nodes[node, KIND], work.live[node]
        if kind >= FOLD_0:
            continue
        first, actions, value = form.nodes[node, FIRST], form.nodes[node, COUNT], work.value[node, :size]
        fill(value, 0.0)
        if kind != walker:
            for a in range(actions):
                add(value, work.value[first + a, :size])
            continue
        start, lock = where + form.nodes[node, BEFORE] * size, -1
        if form.nodes[node, LOCK] >= 0:
            lock = lock_of(form, context, node, form.nodes[node, LOCK])
        if live:
            stored = (regrets if learns else sums)[start : start + actions * size]
            decide(
                form, stored, actions, size, ones, lock, mode, work.value[first : first + actions], value, work, learns
            )
        if learns:
            at = form.contexts[context, SCALE + walker] + form.nodes[node, ORDER]
            worth = work.value[first : first + actions]
            update(regrets, scales, at, start, actions, size, live, worth, value, rule, work.room, packs)


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
def give(form, context, walker, root, value, work):
    """Add values at a root to the context above, once for each way in which this one comes of it."""
    size, link = form.contexts[context, SIZE + walker], form.contexts[context, LINK + walker]
    above = work.value[form.nodes[root, SOURCE]]
    for _ in range(form.contexts[context, WAYS]):
        scatter(above, value, form.links[link : link + size])
        link += size


@woven
def leave(form, context, walker, chunk, alone, work):
    """Give the values at the roots of a chunk to the context above; alone: keep them, for who may write there."""
    size = form.contexts[context, SIZE + walker]
    for r in range(form.chunks[chunk, ROOT], form.chunks[chunk, ROOT + 1]):
        root = form.roots[r]
        if alone:
            kept = work.kept[context - form.contexts[0, CHILD], r - form.chunks[form.streets[1, 0], ROOT]]
            if work.live[root]:
                copy(kept, work.value[root, :size])
            else:
                fill(kept, 0.0)
        elif work.live[root]:
            give(form, context, walker, root, work.value[root], work)


@woven
def collect(form, walker, work):
    """Give what was kept to the first context, board after board: the same sums, whoever walked them."""
    first = form.chunks[form.streets[1, 0], ROOT]
    for child in range(form.contexts[0, CHILDREN]):
        for line in range(work.kept.shape[1]):
            context = form.contexts[0, CHILD] + child
            give(form, context, walker, form.roots[first + line], work.kept[child, line], work)


@woven
def hands_of(form, context, player):
    """The hands of a player in a context."""
    start = form.contexts[context, START + player]
    return form.hands[start : start + form.contexts[context, SIZE + player]]


@woven
def open_street(form, context, street, walker, chunk, regrets, sums, scales, rule, work, learns, packs):
    """Down a chunk of a street and all that ends there; 0 where the next street starts, which adds to it."""
    if street:
        enter(form, context, street, walker, chunk, work)
    down(form, context, walker, chunk, regrets, sums, scales, rule, work, learns, packs)
    hands = hands_of(form, context, walker)
    others = hands_of(form, context, 1 - walker)
    stops = form.stops[form.contexts[context, GROUP] : form.contexts[context, GROUP + 1]]
    settle(form, hands, others, stops, context, walker, chunk, work)
    for node in range(form.chunks[chunk, NODE], form.chunks[chunk, NODE + 1]):
        if form.nodes[node, KIND] == NEXT:
            fill(work.value[node], 0.0)


@woven
def close_street(
    form, context, street, walker, chunk, alone, ones, regrets, sums, scales, mode, rule, work, learns, packs
):  # fmt: skip
    """Up a chunk of a street, once all contexts below have added their values, and on to the context above."""
    if form.contexts[context, MIRRORED]:
        hands = hands_of(form, context, walker)
        for node in range(form.chunks[chunk, NODE], form.chunks[chunk, NODE + 1]):
            if form.nodes[node, KIND] == NEXT:
                same_for_twins(work.value[node], hands)
    up(form, context, walker, chunk, ones, regrets, sums, scales, mode, rule, work, learns, packs)
    if street:
        leave(form, context, walker, chunk, alone, work)


@woven
def walk(form, part, weights, ones, walkers, modes, rules, regrets, sums, scales, work, learns, packs):
    """Walks one after the other: `walkers[w]` in `modes[w]` by the numbers `rules[w]`.

    part: which contexts, of which street; whether their own nodes are gone down (else `work` holds what that made) and
    up. weights: `[2, H]` of each player's hands at the root. ones: `[H]`, all 1. scales: `[2, ...]` of regrets and sums
    by node. The values at the root of the last walk stand in `work.value[0]` then.
    """
    context, chunk, todo = work.stack[0], work.stack[1], work.stack[2]
    base, opens, closes = part[STREET], part[OPENS], part[CLOSES]
    for w in range(walkers.shape[0]):
        walker, mode, rule = walkers[w], modes[w], rules[w]
        if base == 0 and opens:
            copy(work.reach[0], weights[1 - walker])
            work.live[0] = 1
        street, context[base], chunk[base], todo[base] = base, part[FROM], form.streets[base, 0], -1
        if not opens:
            todo[base] = form.contexts[0, CHILDREN]
            collect(form, walker, work)
        while street >= base:
            here, now = context[street], chunk[street]
            if todo[street] < 0:
                open_street(form, here, street, walker, now, regrets, sums, scales, rule, work, learns, packs)
                todo[street] = 0
                if not closes:
                    break
            if todo[street] < form.contexts[here, CHILDREN]:
                child = form.contexts[here, CHILD] + todo[street]
                todo[street] += 1
                street += 1
                context[street], chunk[street], todo[street] = child, form.streets[street, 0], -1
                continue
            alone = street == base
            close_street(
                form, here, street, walker, now, alone, ones, regrets, sums, scales, mode, rule, work, learns, packs
            )
            chunk[street] += 1
            todo[street] = -1
            if chunk[street] == form.streets[street, 1]:
                if alone and here + 1 < part[TO]:
                    context[street], chunk[street] = here + 1, form.streets[street, 0]
                else:
                    street -= 1


learn_plain = weave("learn_plain", walk, learns=True, packs=False)
learn_packed = weave("learn_packed", walk, learns=True, packs=True)
judge = weave("judge", walk, learns=False, packs=False)
