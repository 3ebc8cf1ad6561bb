"""Operations of a traversal at one node, `WIDTH` hands at a time.

They compute strategies, reaches, values, regrets and sums. A row of hands is finished before the next is read, and the
numbers of the next node are prefetched. Reaches and values are rows of whole lanes, `work.reach` and `work.value`.
Stored numbers have no gaps between actions, so the last row of an action is shorter. They are floats, or 16-bit
integers in units of a node's `scale`; a strategy needs only their proportions. The scale follows from the largest
number, which is found on the way: new numbers wait for it in `work.buffer`.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.lanes import (
    WIDTH,
    absolute_values,
    any_nonzero,
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
from tefuda.holdem.kernels.arrays import BEST, DECAY, MEMORY, NEGATIVE, POSITIVE, PREDICTION, WEIGHT


@inlined
def total_of(stored, start, actions, size, h, like):
    """Return the sum of the positive parts over actions for a row of hands."""
    total = positive_part(stored, start + h, size - h, like)
    for a in range(1, actions):
        total = total + positive_part(stored, start + a * size + h, size - h, like)
    return convert(total, like)


@inlined
def descend(stored, sums, start, unit, actions, size, locked, lock, source, first, rule, reach, live, buffer, scales):
    """Fill the reach after each action, in rows from `first` on, from row `source`.

    Strategies are the positive parts of `stored` in proportion, else uniform; locked hands play their lock. Learning
    adds the reach to the sums, which are `unit` times their numbers.
    """
    width, zero, largest = reach.shape[1], broadcast(0.0, reach), broadcast(0.0, reach)
    decay, weight = broadcast(unit * rule[DECAY], reach), broadcast(rule[WEIGHT], reach)
    for child in range(first, first + actions):
        live[child] = 0
    for h in range(0, size, WIDTH):
        remaining = size - h
        total = total_of(stored, start, actions, size, h, reach)
        own_reach = load_part(reach, source * width + h, remaining, reach)
        scale = select(total, zero, own_reach / total, zero)
        rest = select(total, zero, zero, own_reach * (1.0 / actions))
        if lock >= 0:
            free = load_part(locked, lock + h, remaining, reach)
            scale, rest = scale * free, rest * free
        for a in range(actions):
            offset = a * size + h
            after = convert(positive_part(stored, start + offset, remaining, reach), reach) * scale + rest
            if lock >= 0:
                after = after + load_part(locked, lock + size + offset, remaining, reach) * own_reach
            store_vector(reach, (first + a) * width + h, after)
            live[first + a] |= any_nonzero(after)
            if sums is not None:
                prefetch_row(sums, start + actions * size + offset, h, scales)
                prefetch_row(stored, start + actions * size + offset, h + WIDTH, scales)
                new_sum = load_part(sums, start + offset, remaining, reach) * decay + after * weight
                if scales is not None:
                    store_vector(buffer, a * width + h, new_sum)
                    largest = lane_maximum(largest, new_sum)
                else:
                    store_part(sums, start + offset, remaining, new_sum)
    return largest


@inlined
def ascend(
    stored, sums, expected, start, unit, actions, size, locked, lock, mode, node, first, rule, values, buffer, scales
):  # fmt: skip
    """Fill the traverser's value of a node from its actions, rows from `first` on.

    The mode decides between the strategy and the best action. Learning (there are `sums`) adds to the regrets in
    `stored`, `unit` times their numbers, then discounts them. With predictions, `stored` has the regrets plus
    `rule[PREDICTION]` times those `expected` next, which strategies are matched to.
    """
    width, zero, largest = values.shape[1], broadcast(0.0, values), broadcast(0.0, values)
    positive, negative = broadcast(rule[POSITIVE], values), broadcast(rule[NEGATIVE], values)
    for h in range(0, size, WIDTH):
        remaining, source, value = size - h, first * width + h, zero
        if sums is not None or mode != BEST:
            total = total_of(stored, start, actions, size, h, values)
            scale = select(total, zero, broadcast(1.0, values) / total, zero)
            rest = select(total, zero, zero, broadcast(1.0 / actions, values))
            for a in range(actions):
                share = convert(positive_part(stored, start + a * size + h, remaining, values), values) * scale + rest
                value = value + share * load_vector(values, source + a * width)
        else:
            value = broadcast(-np.inf, values)
            for a in range(actions):
                value = select(
                    value, load_vector(values, source + a * width), value, load_vector(values, source + a * width)
                )
        played = value
        if lock >= 0:
            played = value * load_part(locked, lock + h, remaining, values)
            for a in range(actions):
                shares = load_part(locked, lock + (a + 1) * size + h, remaining, values)
                played = played + shares * load_vector(values, source + a * width)
        store_vector(values, node * width + h, played)
        if sums is not None:
            for a in range(actions):
                prefetch_row(stored, start - (actions - a) * size + h, h, scales)
                offset, gain = a * size + h, load_vector(values, source + a * width)
                before = load_part(stored, start + offset, remaining, values) * unit
                if expected is not None:
                    guess = load_part(expected, start + offset, remaining, values)
                    before = before - guess * rule[PREDICTION]
                before = before + gain - value
                after = before * select(before, zero, positive, negative)
                if expected is not None:
                    guess = guess * (1.0 - rule[MEMORY]) + (gain - value) * rule[MEMORY]
                    store_part(expected, start + offset, remaining, guess)
                    after = after + guess * rule[PREDICTION]
                if scales is not None:
                    store_vector(buffer, a * width + h, after)
                    largest = lane_maximum(largest, absolute_values(after, remaining))
                else:
                    store_part(stored, start + offset, remaining, after)
    return largest


@inlined
def sum_actions(actions, size, node, first, values):
    """Fill the traverser's value of an opponent's node: the sum over its actions."""
    width = values.shape[1]
    for h in range(0, size, WIDTH):
        value = load_vector(values, first * width + h)
        for a in range(1, actions):
            value = value + load_vector(values, (first + a) * width + h)
        store_vector(values, node * width + h, value)


@inlined
def prefetch_row(stored, place, h, scales):
    """Prefetch a row of the next node, from hand h on; a cache line contains two rows of 16 bits."""
    if scales is None or h & WIDTH:
        prefetch(stored, place)


@inlined
def discount(stored, start, unit, actions, size, positive_factor, negative_factor, values, buffer, scales):
    """Discount the numbers of an unreached node; they are in units of `unit`."""
    width, zero, largest = values.shape[1], broadcast(0.0, values), broadcast(0.0, values)
    positive, negative = broadcast(positive_factor, values), broadcast(negative_factor, values)
    for a in range(actions):
        for h in range(0, size, WIDTH):
            before = load_part(stored, start + a * size + h, size - h, values) * unit
            after = before * select(before, zero, positive, negative)
            if scales is not None:
                store_vector(buffer, a * width + h, after)
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
def find_lock(locks, context, node, first):
    """Return the start of the lock of a node on a board, searched from `first` on; -1 without one."""
    for lock in range(first if first >= 0 else locks.shape[0], locks.shape[0]):
        if locks[lock, 0] != node:
            break
        if locks[lock, 1] == context:
            return locks[lock, 2]
    return -1


@inlined
def pack(stored, start, actions, size, largest, limit, buffer):
    """Store the numbers in `buffer` as 16-bit integers, the largest as `limit`; return their scale."""
    top, width = maximum(largest), buffer.shape[1]
    factor = limit / top if top > 0 else top
    for a in range(actions):
        for h in range(0, size, WIDTH):
            store_part(stored, start + a * size + h, size - h, load_vector(buffer, a * width + h) * factor)
    return top / limit


@kernel(refcounts=False)
def gather(reach, target, source, links, start, size, chance):
    """Copy the reaches of row `source` to row `target` on a later board; return whether any is not 0."""
    any_reach, factor = 0, reach.dtype.type(chance)
    below, above, link = reach[target], reach[source], links[start : start + size]
    for h in range(size):
        below[h] = above[link[h]] * factor
        any_reach += below[h] != 0
    return any_reach > 0


@kernel(refcounts=False)
def scatter(values, target, source, row, links, start, size):
    """Add row `row` of `source` to row `target` of the earlier board, hand by hand."""
    above, below, link = values[target], source[row], links[start : start + size]
    for h in range(size):
        above[link[h]] += below[h]


@inlined
def copy(target, target_row, source, source_row):
    """Copy a row of one array to a row of another."""
    for h in range(0, target.shape[1], WIDTH):
        store_vector(target, target_row * target.shape[1] + h, load_vector(source, source_row * source.shape[1] + h))
