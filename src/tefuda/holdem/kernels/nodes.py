"""The operations of a traversal at one node, `WIDTH` hands at a time: strategies, reaches, values, regrets, sums.

A row of hands is finished before the next is read, and the numbers of the next node are prefetched. Reaches and values
are rows of whole lanes, `work.reach` and `work.value`; stored numbers have no room between actions, so that the last
row of an action is a part. They are floats, or 16-bit integers in units of a node's `scale`; a strategy needs their
proportions alone. The scale follows from the largest number, which is noted on the way: new numbers wait for it in
`work.room`.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.lanes import (
    WIDTH,
    absolute_values,
    any_positive,
    broadcast,
    convert,
    lane_maximum,
    load_part,
    load_vector,
    maximum,
    positive_part,
    prefetch,
    select,
    store_part,
    store_vector,
)
from tefuda.holdem.kernels.arrays import BEST, DECAY, NEGATIVE, POSITIVE, WEIGHT


@inlined
def total_of(stored, start, actions, size, h, like):
    """Return the sum of the positive parts over actions, of a row of hands."""
    total = positive_part(stored, start + h, size - h, like)
    for a in range(1, actions):
        total = total + positive_part(stored, start + a * size + h, size - h, like)
    return convert(total, like)


@inlined
def descend(stored, sums, start, unit, actions, size, held, lock, source, first, rule, reach, live, room, scales):
    """Fill the reach after each action, rows from `first` on, from row `source`; learning adds it to the sums.

    Strategies are the positive parts of `stored` in proportion, else uniform; locked hands play their lock. Sums are
    `unit` times their numbers.
    """
    width, none, largest = reach.shape[1], broadcast(0.0, reach), broadcast(0.0, reach)
    decay, weight = broadcast(unit * rule[DECAY], reach), broadcast(rule[WEIGHT], reach)
    for child in range(first, first + actions):
        live[child] = 0
    for h in range(0, size, WIDTH):
        left = size - h
        total = total_of(stored, start, actions, size, h, reach)
        own = load_part(reach, source * width + h, left, reach)
        scale = select(total, none, own / total, none)
        rest = select(total, none, none, own * (1.0 / actions))
        if lock >= 0:
            free = load_part(held, lock + h, left, reach)
            scale, rest = scale * free, rest * free
        for a in range(actions):
            at = a * size + h
            after = convert(positive_part(stored, start + at, left, reach), reach) * scale + rest
            if lock >= 0:
                after = after + load_part(held, lock + size + at, left, reach) * own
            store_vector(reach, (first + a) * width + h, after)
            live[first + a] |= any_positive(after)
            if sums is not None:
                ask(sums, start + actions * size + at, h, scales)
                ask(stored, start + actions * size + at, h + WIDTH, scales)
                more = load_part(sums, start + at, left, reach) * decay + after * weight
                if scales is not None:
                    store_vector(room, a * width + h, more)
                    largest = lane_maximum(largest, more)
                else:
                    store_part(sums, start + at, left, more)
    return largest


@inlined
def ascend(stored, sums, start, unit, actions, size, held, lock, mode, node, first, rule, values, room, scales):
    """Fill the walker's value of a node, by its strategy or the best action; actions are rows from `first` on.

    Learning (there are `sums`) adds to the regrets in `stored`, `unit` times their numbers, then discounts them.
    """
    width, none, largest = values.shape[1], broadcast(0.0, values), broadcast(0.0, values)
    better, worse = broadcast(rule[POSITIVE], values), broadcast(rule[NEGATIVE], values)
    for h in range(0, size, WIDTH):
        left, worth, value = size - h, first * width + h, none
        if sums is not None or mode != BEST:
            total = total_of(stored, start, actions, size, h, values)
            scale = select(total, none, broadcast(1.0, values) / total, none)
            rest = select(total, none, none, broadcast(1.0 / actions, values))
            for a in range(actions):
                often = convert(positive_part(stored, start + a * size + h, left, values), values) * scale + rest
                value = value + often * load_vector(values, worth + a * width)
        else:
            value = broadcast(-np.inf, values)
            for a in range(actions):
                value = select(
                    value, load_vector(values, worth + a * width), value, load_vector(values, worth + a * width)
                )
        if lock >= 0:
            value = value * load_part(held, lock + h, left, values)
            for a in range(actions):
                shares = load_part(held, lock + (a + 1) * size + h, left, values)
                value = value + shares * load_vector(values, worth + a * width)
        store_vector(values, node * width + h, value)
        if sums is not None:
            for a in range(actions):
                ask(stored, start - (actions - a) * size + h, h, scales)
                at, gain = a * size + h, load_vector(values, worth + a * width)
                before = load_part(stored, start + at, left, values) * unit + gain - value
                after = before * select(before, none, better, worse)
                if scales is not None:
                    store_vector(room, a * width + h, after)
                    largest = lane_maximum(largest, absolute_values(after, left))
                else:
                    store_part(stored, start + at, left, after)
    return largest


@inlined
def add_up(actions, size, node, first, values):
    """Fill the walker's value of an opponent's node: the sum over its actions."""
    width = values.shape[1]
    for h in range(0, size, WIDTH):
        value = load_vector(values, first * width + h)
        for a in range(1, actions):
            value = value + load_vector(values, (first + a) * width + h)
        store_vector(values, node * width + h, value)


@inlined
def ask(stored, place, h, scales):
    """Prefetch a row of the next node, from hand h on; a line of the cache holds two rows of 16 bits."""
    if scales is None or h & WIDTH:
        prefetch(stored, place)


@inlined
def fade(stored, start, unit, actions, size, more, less, values, room, scales):
    """Discount the numbers of a node that is not reached; they count `unit`."""
    width, none, largest = values.shape[1], broadcast(0.0, values), broadcast(0.0, values)
    better, worse = broadcast(more, values), broadcast(less, values)
    for a in range(actions):
        for h in range(0, size, WIDTH):
            before = load_part(stored, start + a * size + h, size - h, values) * unit
            after = before * select(before, none, better, worse)
            if scales is not None:
                store_vector(room, a * width + h, after)
                largest = lane_maximum(largest, absolute_values(after, size - h))
            else:
                store_part(stored, start + a * size + h, size - h, after)
    return largest


@inlined
def clear(values, node):
    """Fill a row with zeros."""
    for h in range(0, values.shape[1], WIDTH):
        store_vector(values, node * values.shape[1] + h, broadcast(0.0, values))


@kernel(refcounts=False)
def lock_of(locks, context, node, first):
    """Return where the lock of a node on a board begins, searched from `first` on; -1 without one."""
    for lock in range(first if first >= 0 else locks.shape[0], locks.shape[0]):
        if locks[lock, 0] != node:
            break
        if locks[lock, 1] == context:
            return locks[lock, 2]
    return -1


@inlined
def pack(stored, start, actions, size, largest, limit, room):
    """Store the numbers in `room` as 16-bit integers, the largest as `limit`; return their scale."""
    top, width = maximum(largest), room.shape[1]
    factor = limit / top if top > 0 else top
    for a in range(actions):
        for h in range(0, size, WIDTH):
            store_part(stored, start + a * size + h, size - h, load_vector(room, a * width + h) * factor)
    return top / limit


@kernel(refcounts=False)
def gather(reach, to, source, links, start, size, chance):
    """Fill row `to` with the reach of the hands of row `source` on a later board; return whether any is positive."""
    some, factor = 0, reach.dtype.type(chance)
    below, above, link = reach[to], reach[source], links[start : start + size]
    for h in range(size):
        below[h] = above[link[h]] * factor
        some += below[h] > 0
    return some > 0


@kernel(refcounts=False)
def scatter(values, to, of, row, links, start, size):
    """Add the values in a row of `of` to those of the hands on the earlier board, in row `to`."""
    above, below, link = values[to], of[row], links[start : start + size]
    for h in range(size):
        above[link[h]] += below[h]


@inlined
def copy(to, at, of, row_of):
    """Copy a row of one array to a row of another."""
    for h in range(0, to.shape[1], WIDTH):
        store_vector(to, at * to.shape[1] + h, load_vector(of, row_of * of.shape[1] + h))
