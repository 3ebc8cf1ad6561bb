"""Traversals of a hold'em spot: the public betting tree for all hands at once, board by board.

A traversal is for one player, the *walker*: the opponent's reach goes down, the walker's values come up. The nodes of a
street are done in chunks of whole lines: reaches down, then folds and showdowns (`ends`), then values up. Below a
street come its child contexts, one after another, on a stack of at most three contexts.

Arguments that are None are compiled away: one kernel learns (regrets are `stored`), one learns with numbers stored in
16 bits (`scales`), and one evaluates (sums are `stored`, and `sums` is None). For a short compilation, tables of two
axes are read by `cell`, and a field of a named tuple is a variable first: numba loads all its arrays each time.
"""

from __future__ import annotations

from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.lanes import cell
from tefuda.holdem.kernels import arrays as col
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
def parts_of(nodes, node, where, size, orders):
    """Return a node's kind, first child, number of actions, place in the stored numbers, and place of its scale."""
    start, order = where + cell(nodes, node, col.BEFORE) * size, orders + cell(nodes, node, col.ORDER)
    return cell(nodes, node, col.KIND), cell(nodes, node, col.FIRST), cell(nodes, node, col.COUNT), start, order


@inlined
def down(form, context, walker, chunk, stored, sums, scales, rule, work):
    """Fill the opponent's reaches in a chunk, from its roots down; learning adds its strategies to its sums."""
    player, nodes, contexts = 1 - walker, form.nodes, form.contexts
    chunks, locks, held = form.chunks, form.locks, form.held
    reach, values, live, room = work.reach, work.value, work.live, work.room
    size, where = cell(contexts, context, col.SIZE + player), cell(contexts, context, col.BASE + player)
    orders = cell(contexts, context, col.SCALE + player)
    for node in range(cell(chunks, chunk, col.NODE), cell(chunks, chunk, col.NODE + 1)):
        kind, first, actions, start, order = parts_of(nodes, node, where, size, orders)
        if kind >= col.FOLD_0:
            continue
        if kind == player and live[node]:
            source = cell(nodes, node, col.SLOT + walker)
            lock = lock_of(locks, context, node, cell(nodes, node, col.LOCK))
            unit = 1.0
            if scales is not None:
                unit = scales[1, order]
            top = descend(
                stored, sums, start, unit, actions, size, held, lock, source, first, rule, reach, live, room, scales
            )
            if scales is not None:
                scales[1, order] = pack(sums, start, actions, size, top, _SUMS, room)
            continue
        for child in range(first, first + actions):
            live[child] = live[node]
        if sums is not None and kind == player:
            if scales is not None:
                scales[1, order] *= rule[col.DECAY]
            else:
                fade(sums, start, 1.0, actions, size, rule[col.DECAY], rule[col.DECAY], values, room, None)


@inlined
def up(form, context, walker, chunk, stored, sums, scales, mode, rule, work):
    """Fill the walker's values in a chunk, from its ends up; regrets learn, or fade where the reach is zero."""
    nodes, contexts, chunks, locks, held = form.nodes, form.contexts, form.chunks, form.locks, form.held
    values, live, room = work.value, work.live, work.room
    size, where = cell(contexts, context, col.SIZE + walker), cell(contexts, context, col.BASE + walker)
    orders = cell(contexts, context, col.SCALE + walker)
    for node in range(cell(chunks, chunk, col.NODE + 1) - 1, cell(chunks, chunk, col.NODE) - 1, -1):
        kind, first, actions, start, order = parts_of(nodes, node, where, size, orders)
        if kind != walker:
            if kind < col.FOLD_0:
                add_up(actions, size, node, first, values)
            continue
        unit = 1.0
        if scales is not None:
            unit = scales[0, order]
        if live[node]:
            lock = lock_of(locks, context, node, cell(nodes, node, col.LOCK))
            top = ascend(
                stored, sums, start, unit, actions, size, held, lock, mode, node, first, rule, values, room, scales
            )
        else:
            clear(values, node)
            if sums is not None:
                top = fade(
                    stored, start, unit, actions, size, rule[col.POSITIVE], rule[col.NEGATIVE], values, room, scales
                )
        if scales is not None:
            scales[0, order] = pack(stored, start, actions, size, top, _REGRETS, room)


@inlined
def enter(form, context, street, walker, chunk, work):
    """Fill the opponent's reach at the roots of a chunk, from the context above."""
    opponent, nodes, contexts, chunks = 1 - walker, form.nodes, form.contexts, form.chunks
    links, roots, reach, live = form.links, form.roots, work.reach, work.live
    size, link = cell(contexts, context, col.SIZE + opponent), cell(contexts, context, col.LINK + opponent)
    chance = cell(form.streets, street, 2)
    for r in range(cell(chunks, chunk, col.ROOT), cell(chunks, chunk, col.ROOT + 1)):
        root = roots[r]
        source = cell(nodes, root, col.SOURCE)
        live[root] = live[source]
        if live[root]:
            live[root] = gather(reach, root, cell(nodes, source, col.SLOT + walker), links, link, size, 1.0 / chance)


@inlined
def give(contexts, links, context, walker, source, values, row, above):
    """Add a row of values to row `source` of the context above, once for each way from there to this context."""
    size, link = cell(contexts, context, col.SIZE + walker), cell(contexts, context, col.LINK + walker)
    for way in range(cell(contexts, context, col.WAYS)):
        scatter(above, source, values, row, links, link + way * size, size)


@inlined
def leave(form, context, walker, chunk, alone, work):
    """Add the values at the roots of a chunk to the context above; alone: store them for `collect`."""
    nodes, contexts, chunks, roots, links = form.nodes, form.contexts, form.chunks, form.roots, form.links
    values, live, kept = work.value, work.live, work.kept
    lines = kept.shape[0] // max(cell(contexts, 0, col.CHILDREN), 1)
    to = (context - cell(contexts, 0, col.CHILD)) * lines - chunks[cell(form.streets, 1, 0), col.ROOT]
    for r in range(cell(chunks, chunk, col.ROOT), cell(chunks, chunk, col.ROOT + 1)):
        root = roots[r]
        if alone:
            copy(kept, to + r, values, root)
        elif live[root]:
            give(contexts, links, context, walker, cell(nodes, root, col.SOURCE), values, root, values)


@inlined
def collect(form, walker, work):
    """Add the stored values to the first context, board after board: the same sums with any number of workers."""
    nodes, contexts, chunks, roots, links = form.nodes, form.contexts, form.chunks, form.roots, form.links
    first, kept, values = chunks[cell(form.streets, 1, 0), col.ROOT], work.kept, work.value
    lines = kept.shape[0] // max(cell(contexts, 0, col.CHILDREN), 1)
    for child in range(cell(contexts, 0, col.CHILDREN)):
        for line in range(lines):
            context, source = cell(contexts, 0, col.CHILD) + child, cell(nodes, roots[first + line], col.SOURCE)
            give(contexts, links, context, walker, source, kept, child * lines + line, values)


@inlined
def bounds(contexts, context, player):
    """Return where the hands of a player in a context begin and end."""
    start = cell(contexts, context, col.START + player)
    return start, start + cell(contexts, context, col.SIZE + player)


@inlined
def mirror(form, context, walker, chunk, values):
    """Give hands that are equal up to suits the same values where the next street starts."""
    nodes, contexts, chunks, hands = form.nodes, form.contexts, form.chunks, form.hands
    if cell(contexts, context, col.MIRRORED):
        start, end = bounds(contexts, context, walker)
        for node in range(cell(chunks, chunk, col.NODE), cell(chunks, chunk, col.NODE + 1)):
            if cell(nodes, node, col.KIND) == col.NEXT:
                same_for_twins(values, node, hands[start:end])


@inlined
def open_street(form, context, street, part, walker, chunk, stored, sums, scales, rule, work):
    """Go down a chunk of a street to its ends; values are 0 where the next street starts, which adds to them."""
    if part is not None and street:
        enter(form, context, street, walker, chunk, work)
    down(form, context, walker, chunk, stored, sums, scales, rule, work)
    nodes, contexts, chunks, hands, values = form.nodes, form.contexts, form.chunks, form.hands, work.value
    start, end = bounds(contexts, context, walker)
    other, last = bounds(contexts, context, 1 - walker)
    stops = form.stops[cell(contexts, context, col.GROUP) : cell(contexts, context, col.GROUP + 1)]
    mirrored = cell(contexts, context, col.MIRRORED)
    settle(form, hands[start:end], hands[other:last], stops, mirrored, walker, chunk, work)
    if part is not None:
        for node in range(cell(chunks, chunk, col.NODE), cell(chunks, chunk, col.NODE + 1)):
            if cell(nodes, node, col.KIND) == col.NEXT:
                clear(values, node)


@inlined
def close_street(form, context, street, part, walker, chunk, stored, sums, scales, mode, rule, work):
    """Go up a chunk of a street after all contexts below, and add its values to the context above."""
    if part is not None:
        mirror(form, context, walker, chunk, work.value)
    up(form, context, walker, chunk, stored, sums, scales, mode, rule, work)
    if part is not None and street:
        leave(form, context, walker, chunk, street == part[col.STREET], work)


@kernel(refcounts=False)
def walk(form, part, weights, walkers, modes, rules, stored, sums, scales, work):
    """Traverse one after the other for `walkers[w]` in `modes[w]` by the numbers `rules[w]`.

    part: the contexts and their street; whether to go down their own nodes (else `work` has their reaches) and up.
    weights: `[2, H]` of each player's hands at the root. scales: `[2, ...]` of regrets and sums by node. The values at
    the root are in `work.value[0]` afterwards.
    """
    streets, contexts, context, chunk, todo = form.streets, form.contexts, work.stack[0], work.stack[1], work.stack[2]
    base, opens, closes = part[col.STREET], part[col.OPENS], part[col.CLOSES]
    for w in range(walkers.shape[0]):
        walker, mode, rule = walkers[w], modes[w], rules[w]
        if base == 0 and opens:
            copy(work.reach, 0, weights, 1 - walker)
            work.live[0] = 1
        street, context[base], chunk[base], todo[base] = base, part[col.FROM], cell(streets, base, 0), -1
        if not opens:
            todo[base] = cell(contexts, 0, col.CHILDREN)
            collect(form, walker, work)
        while street >= base:
            here, now = context[street], chunk[street]
            if todo[street] < 0:
                open_street(form, here, street, part, walker, now, stored, sums, scales, rule, work)
                todo[street] = 0
                if not closes:
                    break
            if todo[street] < cell(contexts, here, col.CHILDREN):
                child = cell(contexts, here, col.CHILD) + todo[street]
                todo[street] += 1
                street += 1
                context[street], chunk[street], todo[street] = child, cell(streets, street, 0), -1
                continue
            close_street(form, here, street, part, walker, now, stored, sums, scales, mode, rule, work)
            chunk[street] += 1
            todo[street] = -1
            if chunk[street] == cell(streets, street, 1):
                if street == base and here + 1 < part[col.TO]:
                    context[street], chunk[street] = here + 1, cell(streets, street, 0)
                else:
                    street -= 1


@kernel(refcounts=False)
def walk_river(form, weights, walkers, modes, rules, stored, sums, scales, work):
    """Traverse a spot of one board: without code for other boards this compiles in 0.6 of the time."""
    for w in range(walkers.shape[0]):
        walker, mode, rule = walkers[w], modes[w], rules[w]
        copy(work.reach, 0, weights, 1 - walker)
        work.live[0] = 1
        for chunk in range(cell(form.streets, 0, 0), cell(form.streets, 0, 1)):
            open_street(form, 0, 0, None, walker, chunk, stored, sums, scales, rule, work)
            close_street(form, 0, 0, None, walker, chunk, stored, sums, scales, mode, rule, work)
