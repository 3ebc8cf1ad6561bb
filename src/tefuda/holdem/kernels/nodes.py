"""What walks do at one node, `WIDTH` hands at a time: strategies from what is stored, reaches, values, regrets, sums.

Nothing is read twice but from the first-level cache: at a node all that a row of hands needs is done before the next,
and what the next node needs is asked for; a turn takes 0.74 of the time for it, a river 1.05.
Reaches and values are rows of whole lanes, `work.reach` and `work.value`; what is stored has no room between actions,
and its last row counts in part. Numbers are stored as they are, or as 16-bit integers that count a node's `scale`.
Strategies need proportions alone, so that only what changes numbers decodes them.

What is new of a node is left in `work.room` where it is packed into 16 bits, for its scale is not known before. That
takes 0.88 times as long as 4 bytes do on a turn, 0.99 to 1.03 on rivers: the largest number is looked for on the way
and returned (in a pass of its own, whose rows wait for each other: 1.23 on rivers); numbers are rounded by an addition;
positive parts are added as integers (as numbers: 0.03 more); a line of the cache, which holds two rows, is asked for
once (twice: 0.02 more; never: no less on rivers, 1.05 on a turn).
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.lanes import (
    WIDTH,
    any_positive,
    broadcast,
    convert,
    larger,
    magnitudes,
    maximum,
    positive_part,
    prefetch,
    put,
    row,
    select,
    set_row,
    take,
)
from tefuda.holdem.kernels.arrays import BEST, DECAY, NEGATIVE, POSITIVE, WEIGHT


@inlined
def total_of(stored, start, actions, size, h, like):
    """What is stored of all actions, as far as it is more than 0, of a row of hands."""
    total = positive_part(stored, start + h, size - h, like)
    for a in range(1, actions):
        total = total + positive_part(stored, start + a * size + h, size - h, like)
    return convert(total, like)


@inlined
def descend(stored, sums, start, unit, actions, size, held, lock, source, first, rule, reach, live, room, scales):
    """The reach after each action, rows from `first` on, from that in row `source`; learning adds it to the sums.

    probability[a] = max(stored[a], 0) / total, or the same for all; hands that are locked do what they must. Sums are
    `unit` times the numbers there are.
    """
    width, none, largest = reach.shape[1], broadcast(0.0, reach), broadcast(0.0, reach)
    decay, weight = broadcast(unit * rule[DECAY], reach), broadcast(rule[WEIGHT], reach)
    for child in range(first, first + actions):
        live[child] = 0
    for h in range(0, size, WIDTH):
        left = size - h
        total = total_of(stored, start, actions, size, h, reach)
        own = take(reach, source * width + h, left, reach)
        scale = select(total, none, own / total, none)
        rest = select(total, none, none, own * (1.0 / actions))
        if lock >= 0:
            free = take(held, lock + h, left, reach)
            scale, rest = scale * free, rest * free
        for a in range(actions):
            at = a * size + h
            after = convert(positive_part(stored, start + at, left, reach), reach) * scale + rest
            if lock >= 0:
                after = after + take(held, lock + size + at, left, reach) * own
            set_row(reach, (first + a) * width + h, after)
            live[first + a] |= any_positive(after)
            if sums is not None:
                ask(sums, start + actions * size + at, h, scales)
                ask(stored, start + actions * size + at, h + WIDTH, scales)
                more = take(sums, start + at, left, reach) * decay + after * weight
                if scales is not None:
                    set_row(room, a * width + h, more)
                    largest = larger(largest, more)
                else:
                    put(sums, start + at, left, more)
    return largest


@inlined
def ascend(stored, learns, start, unit, actions, size, held, lock, mode, node, first, rule, values, room, scales):
    """What a node is worth to the walker, by its strategies or at best; actions' values are rows from `first` on.

    Learning adds regrets, then discounts. Regrets are `unit` times what is stored.
    """
    width, none, largest = values.shape[1], broadcast(0.0, values), broadcast(0.0, values)
    better, worse = broadcast(rule[POSITIVE], values), broadcast(rule[NEGATIVE], values)
    for h in range(0, size, WIDTH):
        left, worth, value = size - h, first * width + h, none
        if learns is not None or mode != BEST:
            total = total_of(stored, start, actions, size, h, values)
            scale = select(total, none, broadcast(1.0, values) / total, none)
            rest = select(total, none, none, broadcast(1.0 / actions, values))
            for a in range(actions):
                often = convert(positive_part(stored, start + a * size + h, left, values), values) * scale + rest
                value = value + often * row(values, worth + a * width)
        else:
            value = broadcast(-np.inf, values)
            for a in range(actions):
                value = select(value, row(values, worth + a * width), value, row(values, worth + a * width))
        if lock >= 0:
            value = value * take(held, lock + h, left, values)
            for a in range(actions):
                shares = take(held, lock + (a + 1) * size + h, left, values)
                value = value + shares * row(values, worth + a * width)
        set_row(values, node * width + h, value)
        if learns is not None:
            for a in range(actions):
                ask(stored, start - (actions - a) * size + h, h, scales)
                at, gain = a * size + h, row(values, worth + a * width)
                before = take(stored, start + at, left, values) * unit + gain - value
                after = before * select(before, none, better, worse)
                if scales is not None:
                    set_row(room, a * width + h, after)
                    largest = larger(largest, magnitudes(after, left))
                else:
                    put(stored, start + at, left, after)
    return largest


@inlined
def add_up(actions, size, node, first, values):
    """What a node of the opponent is worth to the walker: all that follows it."""
    width = values.shape[1]
    for h in range(0, size, WIDTH):
        value = row(values, first * width + h)
        for a in range(1, actions):
            value = value + row(values, (first + a) * width + h)
        set_row(values, node * width + h, value)


@inlined
def ask(stored, place, h, scales):
    """Ask for a row of the next node, from hand h on; of 16 bits for every second one, which brings two."""
    if scales is not None:
        if h & WIDTH:
            prefetch(stored, place)
    else:
        prefetch(stored, place)


@inlined
def fade(stored, start, unit, actions, size, more, less, values, room, scales):
    """Discount what is stored of a node to which nobody comes, `unit` times the numbers there are."""
    width, none, largest = values.shape[1], broadcast(0.0, values), broadcast(0.0, values)
    better, worse = broadcast(more, values), broadcast(less, values)
    for a in range(actions):
        for h in range(0, size, WIDTH):
            before = take(stored, start + a * size + h, size - h, values) * unit
            after = before * select(before, none, better, worse)
            if scales is not None:
                set_row(room, a * width + h, after)
                largest = larger(largest, magnitudes(after, size - h))
            else:
                put(stored, start + a * size + h, size - h, after)
    return largest


@inlined
def clear(values, node):
    """Nothing: a row of zeros."""
    for h in range(0, values.shape[1], WIDTH):
        set_row(values, node * values.shape[1] + h, broadcast(0.0, values))


@kernel(refcounts=False)
def lock_of(locks, context, node, first):
    """Where what is locked at a node on a board begins, looked for from `first` on; -1 if nothing is, or `first` is."""
    for lock in range(first if first >= 0 else locks.shape[0], locks.shape[0]):
        if locks[lock, 0] != node:
            break
        if locks[lock, 1] == context:
            return locks[lock, 2]
    return -1


@inlined
def pack(stored, start, actions, size, largest, limit, room):
    """The numbers in `room` as 16 bits each, the largest as `limit`; what one of them counts."""
    top, width = maximum(largest), room.shape[1]
    factor = limit / top if top > 0 else top
    for a in range(actions):
        for h in range(0, size, WIDTH):
            put(stored, start + a * size + h, size - h, row(room, a * width + h) * factor)
    return top / limit


@kernel(refcounts=False)
def gather(reach, to, source, links, start, size, chance):
    """The reach, in row `to`, of what the hands of row `source` become, times chance; whether it is more than 0."""
    some, factor = 0, reach.dtype.type(chance)
    below, above, link = reach[to], reach[source], links[start : start + size]
    for h in range(size):
        below[h] = above[link[h]] * factor
        some += below[h] > 0
    return some > 0


@kernel(refcounts=False)
def scatter(values, to, of, row, links, start, size):
    """Add the values in a row of `of` to those of the hands above, in row `to`."""
    above, below, link = values[to], of[row], links[start : start + size]
    for h in range(size):
        above[link[h]] += below[h]


@inlined
def copy(to, at, of, row_of):
    """A row of one array as a row of another."""
    for h in range(0, to.shape[1], WIDTH):
        set_row(to, at * to.shape[1] + h, row(of, row_of * of.shape[1] + h))
