"""Walks over a hold'em spot: the public betting tree for all hands at once, board by board.

A walk is for one player, the *walker*; the other's reach goes down, the walker's values come up. Nodes of a street are
done in chunks of whole lines: reaches down, then all that ends (`ends`), then values up. Below a street come its
child contexts, one after another; there is no recursion, but a stack of at most three contexts.

One source makes three kernels, of which each lacks what it does not need before it is compiled (`walks`): one that
learns, one that does where numbers are stored in 16 bits, and one that judges, which reads sums alone. Hence two
constants go everywhere: learns, packs.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tefuda._kernels.weaving import weave, woven
from tefuda.holdem.kernels.arrays import (
    BASE,
    BEFORE,
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
)
from tefuda.holdem.kernels.ends import same_for_twins, settle
from tefuda.holdem.kernels.nodes import add_up, ascend, clear, copy, descend, fade, gather, lock_of, pack, scatter

_REGRETS, _SUMS = 32767.0, 65535.0  # the largest numbers of 16 bits, with and without a sign


@woven
def down_from(form, context, player, node, start, source, regrets, sums, scales, rule, work, learns, packs):
    """Down from a node of the opponent to which it comes; start: where the numbers of the node stand."""
    size, lock = form.contexts[context, SIZE + player], np.int64(-1)
    first, actions = form.nodes[node, FIRST], form.nodes[node, COUNT]
    if form.nodes[node, LOCK] >= 0:
        lock = lock_of(form, context, node, form.nodes[node, LOCK])
    at = form.contexts[context, SCALE + player] + form.nodes[node, ORDER]
    if packs:
        unit = scales[1, at]
    else:
        unit = 1.0
    if learns:
        top = descend(form, regrets, sums, start, unit, actions, size, lock, source, first, rule, work, True, packs)
    else:
        top = descend(form, sums, sums, start, unit, actions, size, lock, source, first, rule, work, False, packs)
    if packs:
        scales[1, at] = pack(sums, start, actions, size, top, _SUMS, work)


@woven
def down(form, context, walker, chunk, regrets, sums, scales, rule, work, learns, packs):
    """Reaches of the opponent in a chunk, from its roots down; learning adds its strategies to its sums."""
    opponent = 1 - walker
    size, where = form.contexts[context, SIZE + opponent], form.contexts[context, BASE + opponent]
    for node in range(form.chunks[chunk, NODE], form.chunks[chunk, NODE + 1]):
        kind, live = form.nodes[node, KIND], work.live[node]
        if kind >= FOLD_0:
            continue
        start, source = where + form.nodes[node, BEFORE] * size, form.nodes[node, SLOT + walker]
        if kind == opponent and live:
            down_from(form, context, opponent, node, start, source, regrets, sums, scales, rule, work, learns, packs)
            continue
        first, actions = form.nodes[node, FIRST], form.nodes[node, COUNT]
        for child in range(first, first + actions):
            work.live[child] = live
        if learns and kind == opponent:
            if packs:
                scales[1, form.contexts[context, SCALE + opponent] + form.nodes[node, ORDER]] *= rule[DECAY]
            else:
                fade(sums, start, 1.0, actions, size, rule[DECAY], rule[DECAY], work, False)


@woven
def up_to(form, context, player, node, start, regrets, sums, scales, mode, rule, work, learns, packs):
    """Up to a node of the walker; start: where the numbers of the node stand. Where nobody comes regrets just fade."""
    size, lock = form.contexts[context, SIZE + player], np.int64(-1)
    first, actions = form.nodes[node, FIRST], form.nodes[node, COUNT]
    at = form.contexts[context, SCALE + player] + form.nodes[node, ORDER]
    if form.nodes[node, LOCK] >= 0:
        lock = lock_of(form, context, node, form.nodes[node, LOCK])
    if packs:
        unit = scales[0, at]
    else:
        unit = 1.0
    if not work.live[node]:
        clear(work.value, node)
        if learns:
            top = fade(regrets, start, unit, actions, size, rule[POSITIVE], rule[NEGATIVE], work, packs)
    elif learns:
        top = ascend(form, regrets, start, unit, actions, size, lock, mode, node, first, rule, work, True, packs)
    else:
        top = ascend(form, sums, start, unit, actions, size, lock, mode, node, first, rule, work, False, packs)
    if packs:
        scales[0, at] = pack(regrets, start, actions, size, top, _REGRETS, work)


@woven
def up(form, context, walker, chunk, regrets, sums, scales, mode, rule, work, learns, packs):
    """Values of the walker in a chunk, from its ends up; learning updates its regrets."""
    size, where = form.contexts[context, SIZE + walker], form.contexts[context, BASE + walker]
    for node in range(form.chunks[chunk, NODE + 1] - 1, form.chunks[chunk, NODE] - 1, -1):
        kind = form.nodes[node, KIND]
        if kind == walker:
            start = where + form.nodes[node, BEFORE] * size
            up_to(form, context, walker, node, start, regrets, sums, scales, mode, rule, work, learns, packs)
        elif kind < FOLD_0:
            add_up(form.nodes[node, COUNT], size, node, form.nodes[node, FIRST], work)


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
            above, chance = form.nodes[source, SLOT + walker], 1.0 / form.streets[street, 2]
            work.live[root] = gather(work.reach, root, above, form.links, link, size, chance)


@woven
def give(form, context, walker, root, values, row, work):
    """Add values at a root to the context above, once for each way in which this one comes of it."""
    size, link = form.contexts[context, SIZE + walker], form.contexts[context, LINK + walker]
    for way in range(form.contexts[context, WAYS]):
        scatter(work.value, form.nodes[root, SOURCE], values, row, form.links, link + way * size, size)


@woven
def leave(form, context, walker, chunk, alone, work):
    """Give the values at the roots of a chunk to the context above; alone: keep them, for who may write there."""
    lines = work.kept.shape[0] // max(form.contexts[0, CHILDREN], 1)
    for r in range(form.chunks[chunk, ROOT], form.chunks[chunk, ROOT + 1]):
        root = form.roots[r]
        if alone:
            child = context - form.contexts[0, CHILD]
            copy(work.kept, child * lines + r - form.chunks[form.streets[1, 0], ROOT], work.value, root)
        elif work.live[root]:
            give(form, context, walker, root, work.value, root, work)


@woven
def collect(form, walker, work):
    """Give what was kept to the first context, board after board: the same sums, whoever walked them."""
    first = form.chunks[form.streets[1, 0], ROOT]
    lines = work.kept.shape[0] // max(form.contexts[0, CHILDREN], 1)
    for child in range(form.contexts[0, CHILDREN]):
        for line in range(lines):
            context = form.contexts[0, CHILD] + child
            give(form, context, walker, form.roots[first + line], work.kept, child * lines + line, work)


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
            clear(work.value, node)


@woven
def close_street(
    form, context, street, walker, chunk, alone, regrets, sums, scales, mode, rule, work, learns, packs
):  # fmt: skip
    """Up a chunk of a street, once all contexts below have added their values, and on to the context above."""
    if form.contexts[context, MIRRORED]:
        hands = hands_of(form, context, walker)
        for node in range(form.chunks[chunk, NODE], form.chunks[chunk, NODE + 1]):
            if form.nodes[node, KIND] == NEXT:
                same_for_twins(work.value, node, hands)
    up(form, context, walker, chunk, regrets, sums, scales, mode, rule, work, learns, packs)
    if street:
        leave(form, context, walker, chunk, alone, work)


@woven
def walk(form, part, weights, walkers, modes, rules, regrets, sums, scales, work, learns, packs):
    """Walks one after the other: `walkers[w]` in `modes[w]` by the numbers `rules[w]`.

    part: which contexts, of which street; whether their own nodes are gone down (else `work` holds what that made) and
    up. weights: `[2, H]` of each player's hands at the root. scales: `[2, ...]` of regrets and sums
    by node. The values at the root of the last walk stand in `work.value[0]` then.
    """
    context, chunk, todo = work.stack[0], work.stack[1], work.stack[2]
    base, opens, closes = part[STREET], part[OPENS], part[CLOSES]
    for w in range(walkers.shape[0]):
        walker, mode, rule = walkers[w], modes[w], rules[w]
        if base == 0 and opens:
            copy(work.reach, 0, weights, 1 - walker)
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
            close_street(form, here, street, walker, now, alone, regrets, sums, scales, mode, rule, work, learns, packs)
            chunk[street] += 1
            todo[street] = -1
            if chunk[street] == form.streets[street, 1]:
                if alone and here + 1 < part[TO]:
                    context[street], chunk[street] = here + 1, form.streets[street, 0]
                else:
                    street -= 1


@cache
def walks(learns: bool, packs: bool) -> Any:
    """The kernel that learns or judges, put together when it is first asked for."""
    name = f"learn_{'packed' if packs else 'plain'}" if learns else "judge"
    return weave(name, walk, learns=learns, packs=packs)
