"""Traversals of a hold'em spot: the public betting tree for all hands at once, board by board.

A traversal is for one player, the *traverser*. The opponent's reach goes down, the traverser's values come up. The
nodes of a street are processed in chunks of whole lines: reaches down, then folds and showdowns (`ends`), then values
up. The child contexts below a street follow one after another, on a stack of at most three contexts.

Arguments that are None are compiled away: one kernel learns (regrets are `stored`), one learns with numbers stored in
16 bits (`scales`), one with expected regrets, and one evaluates (sums are `stored`, and `sums` is None). For a short
compilation, tables of two axes are read by `cell`, and a field of a named tuple becomes a variable first, as numba
loads all its arrays each time.
"""

from __future__ import annotations

from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.lanes import cell
from tefuda.holdem.kernels import arrays as col
from tefuda.holdem.kernels.ends import copy_representatives, settle
from tefuda.holdem.kernels.nodes import (
    ascend,
    clear,
    copy,
    descend,
    discount,
    find_lock,
    gather,
    pack,
    scatter,
    sum_actions,
)

_REGRETS, _SUMS = 32767.0, 65535.0  # the largest numbers of 16 bits, with and without a sign


@inlined
def read_node(nodes, node, base, size, scales_start):
    """Return a node's kind, first child and number of actions, and the starts of its numbers and scale."""
    start, scale_index = base + cell(nodes, node, col.BEFORE) * size, scales_start + cell(nodes, node, col.DECISION)
    return cell(nodes, node, col.KIND), cell(nodes, node, col.FIRST), cell(nodes, node, col.COUNT), start, scale_index


@inlined
def fill_reaches(form, context, traverser, chunk, stored, sums, scales, rule, work):
    """Fill the opponent's reaches in a chunk from its roots down; learning updates the opponent's sums."""
    player, nodes, contexts = 1 - traverser, form.nodes, form.contexts
    chunks, locks, locked = form.chunks, form.locks, form.locked
    reach, values, live, buffer = work.reach, work.value, work.live, work.buffer
    size, base = cell(contexts, context, col.SIZE + player), cell(contexts, context, col.BASE + player)
    scales_start = cell(contexts, context, col.SCALE + player)
    for node in range(cell(chunks, chunk, col.NODE), cell(chunks, chunk, col.NODE + 1)):
        kind, first, actions, start, scale_index = read_node(nodes, node, base, size, scales_start)
        if kind >= col.FOLD_0:
            continue
        if kind == player and live[node]:
            source = cell(nodes, node, col.REACH_NODE + traverser)
            lock = find_lock(locks, context, node, cell(nodes, node, col.LOCK))
            unit = 1.0
            if scales is not None:
                unit = scales[1, scale_index]
            largest = descend(
                stored, sums, start, unit, actions, size, locked, lock, source, first, rule, reach, live, buffer, scales
            )
            if scales is not None:
                scales[1, scale_index] = pack(sums, start, actions, size, largest, _SUMS, buffer)
            continue
        for child in range(first, first + actions):
            live[child] = live[node]
        if sums is not None and kind == player:
            if scales is not None:
                scales[1, scale_index] *= rule[col.DECAY]
            else:
                discount(sums, start, 1.0, actions, size, rule[col.DECAY], rule[col.DECAY], values, buffer, None)


@inlined
def fill_values(form, context, traverser, chunk, stored, sums, scales, expected, mode, rule, work):
    """Fill the traverser's values in a chunk from its ends up; update or discount its regrets."""
    nodes, contexts, chunks, locks, locked = form.nodes, form.contexts, form.chunks, form.locks, form.locked
    values, live, buffer = work.value, work.live, work.buffer
    size, base = cell(contexts, context, col.SIZE + traverser), cell(contexts, context, col.BASE + traverser)
    scales_start = cell(contexts, context, col.SCALE + traverser)
    for node in range(cell(chunks, chunk, col.NODE + 1) - 1, cell(chunks, chunk, col.NODE) - 1, -1):
        kind, first, actions, start, scale_index = read_node(nodes, node, base, size, scales_start)
        if kind != traverser:
            if kind < col.FOLD_0:
                sum_actions(actions, size, node, first, values)
            continue
        unit = 1.0
        if scales is not None:
            unit = scales[0, scale_index]
        if live[node] or expected is not None:  # expected regrets fall at unreached nodes
            lock = find_lock(locks, context, node, cell(nodes, node, col.LOCK))
            largest = ascend(
                stored, sums, expected, start, unit, actions, size, locked, lock, mode, node, first, rule, values,
                buffer, scales,
            )  # fmt: skip
        else:
            clear(values, node)
            if sums is not None:
                largest = discount(
                    stored, start, unit, actions, size, rule[col.POSITIVE], rule[col.NEGATIVE], values, buffer, scales
                )
        if scales is not None:
            scales[0, scale_index] = pack(stored, start, actions, size, largest, _REGRETS, buffer)


@inlined
def fill_roots(form, context, street, traverser, chunk, work):
    """Fill the opponent's reach at the roots of a chunk from the context above."""
    opponent, nodes, contexts, chunks = 1 - traverser, form.nodes, form.contexts, form.chunks
    links, roots, reach, live = form.links, form.roots, work.reach, work.live
    size, link = cell(contexts, context, col.SIZE + opponent), cell(contexts, context, col.LINK + opponent)
    chance = cell(form.streets, street, 2)
    for r in range(cell(chunks, chunk, col.ROOT), cell(chunks, chunk, col.ROOT + 1)):
        root = roots[r]
        source = cell(nodes, root, col.SOURCE)
        live[root] = live[source]
        if live[root]:
            live[root] = gather(
                reach, root, cell(nodes, source, col.REACH_NODE + traverser), links, link, size, 1.0 / chance
            )


@inlined
def add_to_parent(contexts, links, context, traverser, source, values, row, above):
    """Add a row of values to row `source` of the context above, once for each permutation."""
    size, link = cell(contexts, context, col.SIZE + traverser), cell(contexts, context, col.LINK + traverser)
    for way in range(cell(contexts, context, col.WAYS)):
        scatter(above, source, values, row, links, link + way * size, size)


@inlined
def return_root_values(form, context, traverser, chunk, separate, work):
    """Add the values at a chunk's roots to the context above; if separate, store them instead."""
    nodes, contexts, chunks, roots, links = form.nodes, form.contexts, form.chunks, form.roots, form.links
    values, live, root_values = work.value, work.live, work.root_values
    lines = root_values.shape[0] // max(cell(contexts, 0, col.CHILDREN), 1)
    offset = (context - cell(contexts, 0, col.CHILD)) * lines - chunks[cell(form.streets, 1, 0), col.ROOT]
    for r in range(cell(chunks, chunk, col.ROOT), cell(chunks, chunk, col.ROOT + 1)):
        root = roots[r]
        if separate:
            copy(root_values, offset + r, values, root)
        elif live[root]:
            add_to_parent(contexts, links, context, traverser, cell(nodes, root, col.SOURCE), values, root, values)


@inlined
def add_root_values(form, traverser, work):
    """Add the stored values to the first context in the order of boards, whatever the number of threads."""
    nodes, contexts, chunks, roots, links = form.nodes, form.contexts, form.chunks, form.roots, form.links
    first, root_values, values = chunks[cell(form.streets, 1, 0), col.ROOT], work.root_values, work.value
    lines = root_values.shape[0] // max(cell(contexts, 0, col.CHILDREN), 1)
    for child in range(cell(contexts, 0, col.CHILDREN)):
        for line in range(lines):
            context, source = cell(contexts, 0, col.CHILD) + child, cell(nodes, roots[first + line], col.SOURCE)
            add_to_parent(contexts, links, context, traverser, source, root_values, child * lines + line, values)


@inlined
def bounds(contexts, context, player):
    """Return the start and the end of a player's hands in a context."""
    start = cell(contexts, context, col.START + player)
    return start, start + cell(contexts, context, col.SIZE + player)


@inlined
def share_values(form, context, traverser, chunk, values):
    """Give isomorphic hands the same values at the ends of a street."""
    nodes, contexts, chunks, hands = form.nodes, form.contexts, form.chunks, form.hands
    if cell(contexts, context, col.SYMMETRIC):
        start, end = bounds(contexts, context, traverser)
        for node in range(cell(chunks, chunk, col.NODE), cell(chunks, chunk, col.NODE + 1)):
            if cell(nodes, node, col.KIND) == col.NEXT:
                copy_representatives(values, node, hands[start:end])


@inlined
def open_street(form, context, street, part, traverser, chunk, stored, sums, scales, rule, work):
    """Go down a chunk of a street to its ends.

    Values are 0 at the ends of the street; the next street adds to them.
    """
    if part is not None and street:
        fill_roots(form, context, street, traverser, chunk, work)
    fill_reaches(form, context, traverser, chunk, stored, sums, scales, rule, work)
    nodes, contexts, chunks, hands, values = form.nodes, form.contexts, form.chunks, form.hands, work.value
    start, end = bounds(contexts, context, traverser)
    opponent_start, opponent_end = bounds(contexts, context, 1 - traverser)
    group_ends = form.group_ends[cell(contexts, context, col.GROUP) : cell(contexts, context, col.GROUP + 1)]
    symmetric = cell(contexts, context, col.SYMMETRIC)
    settle(form, hands[start:end], hands[opponent_start:opponent_end], group_ends, symmetric, traverser, chunk, work)
    if part is not None:
        for node in range(cell(chunks, chunk, col.NODE), cell(chunks, chunk, col.NODE + 1)):
            if cell(nodes, node, col.KIND) == col.NEXT:
                clear(values, node)


@inlined
def close_street(form, context, street, part, traverser, chunk, stored, sums, scales, expected, mode, rule, work):
    """Go up a chunk of a street after all contexts below; add its values to the context above."""
    if part is not None:
        share_values(form, context, traverser, chunk, work.value)
    fill_values(form, context, traverser, chunk, stored, sums, scales, expected, mode, rule, work)
    if part is not None and street:
        return_root_values(form, context, traverser, chunk, street == part[col.STREET], work)


@kernel(refcounts=False)
def traverse(form, part, weights, traversers, modes, rules, stored, sums, scales, expected, work):
    """Traverse for `traversers[w]` in `modes[w]` by the numbers `rules[w]`, one traversal after another.

    part: the contexts and their street; whether to go down their own nodes (else `work` has their reaches) and up.
    weights: `[2, H]` of each player's hands at the root. scales: `[2, ...]` of regrets and sums by node. The values at
    the root are in `work.value[0]` afterwards.
    """
    streets, contexts, context, chunk, todo = form.streets, form.contexts, work.stack[0], work.stack[1], work.stack[2]
    base, goes_down, goes_up = part[col.STREET], part[col.GOES_DOWN], part[col.GOES_UP]
    for w in range(traversers.shape[0]):
        traverser, mode, rule = traversers[w], modes[w], rules[w]
        if base == 0 and goes_down:
            copy(work.reach, 0, weights, 1 - traverser)
            work.live[0] = 1
        street, context[base], chunk[base], todo[base] = base, part[col.FIRST_CONTEXT], cell(streets, base, 0), -1
        if not goes_down:
            todo[base] = cell(contexts, 0, col.CHILDREN)
            add_root_values(form, traverser, work)
        while street >= base:
            c, k = context[street], chunk[street]
            if todo[street] < 0:
                open_street(form, c, street, part, traverser, k, stored, sums, scales, rule, work)
                todo[street] = 0
                if not goes_up:
                    break
            if todo[street] < cell(contexts, c, col.CHILDREN):
                child = cell(contexts, c, col.CHILD) + todo[street]
                todo[street] += 1
                street += 1
                context[street], chunk[street], todo[street] = child, cell(streets, street, 0), -1
                continue
            close_street(form, c, street, part, traverser, k, stored, sums, scales, expected, mode, rule, work)
            chunk[street] += 1
            todo[street] = -1
            if chunk[street] == cell(streets, street, 1):
                if street == base and c + 1 < part[col.END_CONTEXT]:
                    context[street], chunk[street] = c + 1, cell(streets, street, 0)
                else:
                    street -= 1


@kernel(refcounts=False)
def traverse_river(form, weights, traversers, modes, rules, stored, sums, scales, expected, work):
    """Traverse a spot of one board; without code for other boards this compiles in 0.6 of the time."""
    for w in range(traversers.shape[0]):
        traverser, mode, rule = traversers[w], modes[w], rules[w]
        copy(work.reach, 0, weights, 1 - traverser)
        work.live[0] = 1
        for chunk in range(cell(form.streets, 0, 0), cell(form.streets, 0, 1)):
            open_street(form, 0, 0, None, traverser, chunk, stored, sums, scales, rule, work)
            close_street(form, 0, 0, None, traverser, chunk, stored, sums, scales, expected, mode, rule, work)
