"""Walks over a hold'em spot: the public betting tree for all hands at once, board by board.

A walk is for one player, the *walker*; the other's reach goes down, the walker's values come up. Nodes of a street are
done in chunks of whole lines: reaches down, then all that ends (`ends`), then values up. Below a street come its
child contexts, one after another; there is no recursion, but a stack of at most three contexts.

One source makes three kernels, for what is None is left out of each: one learns, one learns where numbers are stored in
16 bits (`scales`), and one judges, which reads sums alone (no `regrets`). Tables of two axes are read by `cell`, whose
places are not negative, and what is asked of a named tuple is a variable first: numba loads all arrays of it each time.
Both together compile in 0.83 of the time, 5 % faster walks included.
"""

from __future__ import annotations

from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.lanes import cell
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
)  # fmt: skip
from tefuda.holdem.kernels.ends import same_for_twins, settle
from tefuda.holdem.kernels.nodes import (
    add_up,
    ascend,
    clear,
    copy,
    descend,
    fade,
    gather,
    lock_of,
    pack,
    scatter,
)

_REGRETS, _SUMS = 32767.0, 65535.0  # the largest numbers of 16 bits, with and without a sign


@inlined
def down(form, context, walker, chunk, regrets, sums, scales, rule, work):
    """Reaches of the opponent in a chunk, from its roots down; learning adds its strategies to its sums."""
    player, nodes, contexts = 1 - walker, form.nodes, form.contexts
    chunks, locks, held = form.chunks, form.locks, form.held
    reach, values, live, room = work.reach, work.value, work.live, work.room
    size, where = cell(contexts, context, SIZE + player), cell(contexts, context, BASE + player)
    orders = cell(contexts, context, SCALE + player)
    for node in range(cell(chunks, chunk, NODE), cell(chunks, chunk, NODE + 1)):
        kind, start = cell(nodes, node, KIND), where + cell(nodes, node, BEFORE) * size
        first, actions, order = cell(nodes, node, FIRST), cell(nodes, node, COUNT), orders + cell(nodes, node, ORDER)
        if kind >= FOLD_0:
            continue
        if kind == player and live[node]:
            source, lock = cell(nodes, node, SLOT + walker), lock_of(locks, context, node, cell(nodes, node, LOCK))
            unit = 1.0
            if scales is not None:
                unit = scales[1, order]
            if regrets is not None:
                top = descend(
                    regrets, sums, start, unit, actions, size, held, lock, source, first, rule, reach, live, room,
                    scales,
                )  # fmt: skip
            else:
                descend(
                    sums, None, start, unit, actions, size, held, lock, source, first, rule, reach, live, room,
                    None,
                )  # fmt: skip
            if scales is not None:
                scales[1, order] = pack(sums, start, actions, size, top, _SUMS, room)
            continue
        for child in range(first, first + actions):
            live[child] = live[node]
        if regrets is not None and kind == player:
            if scales is not None:
                scales[1, order] *= rule[DECAY]
            else:
                fade(sums, start, 1.0, actions, size, rule[DECAY], rule[DECAY], values, room, None)


@inlined
def up(form, context, walker, chunk, regrets, sums, scales, mode, rule, work):
    """Values of the walker in a chunk, from its ends up; regrets learn, and just fade where nobody comes."""
    nodes, contexts, chunks, locks, held = form.nodes, form.contexts, form.chunks, form.locks, form.held
    values, live, room = work.value, work.live, work.room
    size, where = cell(contexts, context, SIZE + walker), cell(contexts, context, BASE + walker)
    orders = cell(contexts, context, SCALE + walker)
    for node in range(cell(chunks, chunk, NODE + 1) - 1, cell(chunks, chunk, NODE) - 1, -1):
        kind, start = cell(nodes, node, KIND), where + cell(nodes, node, BEFORE) * size
        first, actions, order = cell(nodes, node, FIRST), cell(nodes, node, COUNT), orders + cell(nodes, node, ORDER)
        if kind != walker:
            if kind < FOLD_0:
                add_up(actions, size, node, first, values)
            continue
        unit = 1.0
        if scales is not None:
            unit = scales[0, order]
        if live[node]:
            lock = lock_of(locks, context, node, cell(nodes, node, LOCK))
            if regrets is not None:
                top = ascend(
                    regrets, regrets, start, unit, actions, size, held, lock, mode, node, first, rule, values,
                    room, scales,
                )  # fmt: skip
            else:
                ascend(
                    sums, None, start, unit, actions, size, held, lock, mode, node, first, rule, values, room,
                    None,
                )  # fmt: skip
        else:
            clear(values, node)
            if regrets is not None:
                top = fade(regrets, start, unit, actions, size, rule[POSITIVE], rule[NEGATIVE], values, room, scales)
        if scales is not None:
            scales[0, order] = pack(regrets, start, actions, size, top, _REGRETS, room)


@inlined
def enter(form, context, street, walker, chunk, work):
    """The opponent's reach at the roots of a chunk, from the context above."""
    opponent, nodes, contexts, chunks = 1 - walker, form.nodes, form.contexts, form.chunks
    links, roots, reach, live = form.links, form.roots, work.reach, work.live
    size, link = cell(contexts, context, SIZE + opponent), cell(contexts, context, LINK + opponent)
    chance = cell(form.streets, street, 2)
    for r in range(cell(chunks, chunk, ROOT), cell(chunks, chunk, ROOT + 1)):
        root = roots[r]
        source = cell(nodes, root, SOURCE)
        live[root] = live[source]
        if live[root]:
            live[root] = gather(reach, root, cell(nodes, source, SLOT + walker), links, link, size, 1.0 / chance)


@inlined
def give(contexts, links, context, walker, source, values, row, above):
    """Add a row of values to row `source` of the context above, once for each way in which this one comes of it."""
    size, link = cell(contexts, context, SIZE + walker), cell(contexts, context, LINK + walker)
    for way in range(cell(contexts, context, WAYS)):
        scatter(above, source, values, row, links, link + way * size, size)


@inlined
def leave(form, context, walker, chunk, alone, work):
    """Give the values at the roots of a chunk to the context above; alone: keep them, for who may write there."""
    nodes, contexts, chunks, roots, links = form.nodes, form.contexts, form.chunks, form.roots, form.links
    values, live, kept = work.value, work.live, work.kept
    lines = kept.shape[0] // max(cell(contexts, 0, CHILDREN), 1)
    to = (context - cell(contexts, 0, CHILD)) * lines - chunks[cell(form.streets, 1, 0), ROOT]
    for r in range(cell(chunks, chunk, ROOT), cell(chunks, chunk, ROOT + 1)):
        root = roots[r]
        if alone:
            copy(kept, to + r, values, root)
        elif live[root]:
            give(contexts, links, context, walker, cell(nodes, root, SOURCE), values, root, values)


@inlined
def collect(form, walker, work):
    """Give what was kept to the first context, board after board: the same sums, whoever walked them."""
    nodes, contexts, chunks, roots, links = form.nodes, form.contexts, form.chunks, form.roots, form.links
    first, kept, values = chunks[cell(form.streets, 1, 0), ROOT], work.kept, work.value
    lines = kept.shape[0] // max(cell(contexts, 0, CHILDREN), 1)
    for child in range(cell(contexts, 0, CHILDREN)):
        for line in range(lines):
            context, source = cell(contexts, 0, CHILD) + child, cell(nodes, roots[first + line], SOURCE)
            give(contexts, links, context, walker, source, kept, child * lines + line, values)


@inlined
def bounds(contexts, context, player):
    """Where the hands of a player in a context begin and end."""
    start = cell(contexts, context, START + player)
    return start, start + cell(contexts, context, SIZE + player)


@inlined
def mirror(form, context, walker, chunk, values):
    """Where the next street starts give hands that suits make alike the same values."""
    nodes, contexts, chunks, hands = form.nodes, form.contexts, form.chunks, form.hands
    if cell(contexts, context, MIRRORED):
        start, end = bounds(contexts, context, walker)
        for node in range(cell(chunks, chunk, NODE), cell(chunks, chunk, NODE + 1)):
            if cell(nodes, node, KIND) == NEXT:
                same_for_twins(values, node, hands[start:end])


@inlined
def open_street(form, context, street, part, walker, chunk, regrets, sums, scales, rule, work):
    """Down a chunk of a street and all that ends there; 0 where the next street starts, which adds to it."""
    if part is not None and street:
        enter(form, context, street, walker, chunk, work)
    down(form, context, walker, chunk, regrets, sums, scales, rule, work)
    nodes, contexts, chunks, hands, values = form.nodes, form.contexts, form.chunks, form.hands, work.value
    start, end = bounds(contexts, context, walker)
    other, last = bounds(contexts, context, 1 - walker)
    stops = form.stops[cell(contexts, context, GROUP) : cell(contexts, context, GROUP + 1)]
    mirrored = cell(contexts, context, MIRRORED)
    settle(form, hands[start:end], hands[other:last], stops, mirrored, walker, chunk, work)
    if part is not None:
        for node in range(cell(chunks, chunk, NODE), cell(chunks, chunk, NODE + 1)):
            if cell(nodes, node, KIND) == NEXT:
                clear(values, node)


@inlined
def close_street(form, context, street, part, walker, chunk, regrets, sums, scales, mode, rule, work):
    """Up a chunk of a street, once all contexts below have added their values, and on to the context above."""
    if part is not None:
        mirror(form, context, walker, chunk, work.value)
    up(form, context, walker, chunk, regrets, sums, scales, mode, rule, work)
    if part is not None and street:
        leave(form, context, walker, chunk, street == part[STREET], work)


@kernel(refcounts=False)
def walk(form, part, weights, walkers, modes, rules, regrets, sums, scales, work):
    """Walks one after the other: `walkers[w]` in `modes[w]` by the numbers `rules[w]`.

    part: which contexts, of which street; whether their own nodes are gone down (else `work` holds what that made) and
    up. weights: `[2, H]` of each player's hands at the root. scales: `[2, ...]` of regrets and sums
    by node. The values at the root of the last walk stand in `work.value[0]` then.
    """
    streets, contexts, context, chunk, todo = form.streets, form.contexts, work.stack[0], work.stack[1], work.stack[2]
    base, opens, closes = part[STREET], part[OPENS], part[CLOSES]
    for w in range(walkers.shape[0]):
        walker, mode, rule = walkers[w], modes[w], rules[w]
        if base == 0 and opens:
            copy(work.reach, 0, weights, 1 - walker)
            work.live[0] = 1
        street, context[base], chunk[base], todo[base] = base, part[FROM], cell(streets, base, 0), -1
        if not opens:
            todo[base] = cell(contexts, 0, CHILDREN)
            collect(form, walker, work)
        while street >= base:
            here, now = context[street], chunk[street]
            if todo[street] < 0:
                open_street(form, here, street, part, walker, now, regrets, sums, scales, rule, work)
                todo[street] = 0
                if not closes:
                    break
            if todo[street] < cell(contexts, here, CHILDREN):
                child = cell(contexts, here, CHILD) + todo[street]
                todo[street] += 1
                street += 1
                context[street], chunk[street], todo[street] = child, cell(streets, street, 0), -1
                continue
            close_street(form, here, street, part, walker, now, regrets, sums, scales, mode, rule, work)
            chunk[street] += 1
            todo[street] = -1
            if chunk[street] == cell(streets, street, 1):
                if street == base and here + 1 < part[TO]:
                    context[street], chunk[street] = here + 1, cell(streets, street, 0)
                else:
                    street -= 1


@kernel(refcounts=False)
def walk_river(form, weights, walkers, modes, rules, regrets, sums, scales, work):
    """Walk likewise over a spot of one board: without what leads to other boards it compiles in 0.6 of the time."""
    for w in range(walkers.shape[0]):
        walker, mode, rule = walkers[w], modes[w], rules[w]
        copy(work.reach, 0, weights, 1 - walker)
        work.live[0] = 1
        for chunk in range(cell(form.streets, 0, 0), cell(form.streets, 0, 1)):
            open_street(form, 0, 0, None, walker, chunk, regrets, sums, scales, rule, work)
            close_street(form, 0, 0, None, walker, chunk, regrets, sums, scales, mode, rule, work)
