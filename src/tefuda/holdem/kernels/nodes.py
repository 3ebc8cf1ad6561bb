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

from tefuda._kernels.lanes import (
    WIDTH,
    every,
    fetch,
    gains,
    larger,
    most,
    numbers,
    put,
    ratio,
    row,
    set_row,
    sizes,
    some,
    take,
    where,
)
from tefuda._kernels.weaving import part, woven
from tefuda.holdem.kernels.arrays import BEST, DECAY, NEGATIVE, POSITIVE, WEIGHT


@woven
def total_of(stored, start, actions, size, h, like):
    """What is stored of all actions, as far as it is more than 0, of a row of hands."""
    total = gains(stored, start + h, size - h, like)
    for a in range(1, actions):
        total = total + gains(stored, start + a * size + h, size - h, like)
    return numbers(total, like)


@woven
def descend(form, stored, sums, start, unit, actions, size, lock, source, first, rule, work, learns, packs):
    """The reach after each action, rows from `first` on, from that in row `source`; learning adds it to the sums.

    probability[a] = max(stored[a], 0) / total, or the same for all; hands that are locked do what they must. Sums are
    `unit` times the numbers there are.
    """
    width, none, largest = work.reach.shape[1], every(0.0, work.reach), every(0.0, work.reach)
    decay, weight = every(unit * rule[DECAY], work.reach), every(rule[WEIGHT], work.reach)
    for child in range(first, first + actions):
        work.live[child] = 0
    for h in range(0, size, WIDTH):
        left = size - h
        total = total_of(stored, start, actions, size, h, work.reach)
        own = take(work.reach, source * width + h, left, work.reach)
        scale = where(total, none, ratio(own, total), none)
        rest = where(total, none, none, own * (1.0 / actions))
        if lock >= 0:
            free = take(form.held, lock + h, left, work.reach)
            scale, rest = scale * free, rest * free
        for a in range(actions):
            at = a * size + h
            reach = numbers(gains(stored, start + at, left, work.reach), work.reach) * scale + rest
            if lock >= 0:
                reach = reach + take(form.held, lock + size + at, left, work.reach) * own
            set_row(work.reach, (first + a) * width + h, reach)
            work.live[first + a] |= some(reach)
            if learns:
                ask(sums, start + actions * size + at, h, packs)
                ask(stored, start + actions * size + at, h + WIDTH, packs)
                after = take(sums, start + at, left, work.reach) * decay + reach * weight
                if packs:
                    set_row(work.room, a * width + h, after)
                    largest = larger(largest, after)
                else:
                    put(sums, start + at, left, after)
    return largest


@woven
def ascend(form, stored, start, unit, actions, size, lock, mode, node, first, rule, work, learns, packs):
    """What a node is worth to the walker, by its strategies or at best; actions' values are rows from `first` on.

    Learning adds regrets, then discounts. Regrets are `unit` times what is stored.
    """
    width, none, largest = work.value.shape[1], every(0.0, work.value), every(0.0, work.value)
    better, worse = every(rule[POSITIVE], work.value), every(rule[NEGATIVE], work.value)
    for h in range(0, size, WIDTH):
        left, worth, value = size - h, first * width + h, none
        if learns or mode != BEST:
            total = total_of(stored, start, actions, size, h, work.value)
            scale = where(total, none, ratio(every(1.0, work.value), total), none)
            rest = where(total, none, none, every(1.0 / actions, work.value))
            for a in range(actions):
                often = numbers(gains(stored, start + a * size + h, left, work.value), work.value) * scale + rest
                value = value + often * row(work.value, worth + a * width)
        else:
            value = every(-np.inf, work.value)
            for a in range(actions):
                value = where(value, row(work.value, worth + a * width), value, row(work.value, worth + a * width))
        if lock >= 0:
            value = value * take(form.held, lock + h, left, work.value)
            for a in range(actions):
                shares = take(form.held, lock + (a + 1) * size + h, left, work.value)
                value = value + shares * row(work.value, worth + a * width)
        set_row(work.value, node * width + h, value)
        if learns:
            for a in range(actions):
                ask(stored, start - (actions - a) * size + h, h, packs)
                at, gain = a * size + h, row(work.value, worth + a * width)
                before = take(stored, start + at, left, work.value) * unit + gain - value
                after = before * where(before, none, better, worse)
                if packs:
                    set_row(work.room, a * width + h, after)
                    largest = larger(largest, sizes(after, left))
                else:
                    put(stored, start + at, left, after)
    return largest


@woven
def add_up(actions, size, node, first, work):
    """What a node of the opponent is worth to the walker: all that follows it."""
    width = work.value.shape[1]
    for h in range(0, size, WIDTH):
        value = row(work.value, first * width + h)
        for a in range(1, actions):
            value = value + row(work.value, (first + a) * width + h)
        set_row(work.value, node * width + h, value)


@woven
def ask(stored, place, h, packs):
    """Ask for a row of the next node, from hand h on; of 16 bits for every second one, which brings two."""
    if packs:
        if h & WIDTH:
            fetch(stored, place)
    else:
        fetch(stored, place)


@woven
def fade(stored, start, unit, actions, size, more, less, work, packs):
    """Discount what is stored of a node to which nobody comes, `unit` times the numbers there are."""
    width, none, largest = work.value.shape[1], every(0.0, work.value), every(0.0, work.value)
    better, worse = every(more, work.value), every(less, work.value)
    for a in range(actions):
        for h in range(0, size, WIDTH):
            before = take(stored, start + a * size + h, size - h, work.value) * unit
            after = before * where(before, none, better, worse)
            if packs:
                set_row(work.room, a * width + h, after)
                largest = larger(largest, sizes(after, size - h))
            else:
                put(stored, start + a * size + h, size - h, after)
    return largest


@woven
def clear(values, node):
    """Nothing: a row of zeros."""
    for h in range(0, values.shape[1], WIDTH):
        set_row(values, node * values.shape[1] + h, every(0.0, values))


@part
def lock_of(form, context, node, first):
    """Where what is locked at a node on a board begins, looked for from a lock on; -1 if nothing is."""
    for lock in range(first, form.locks.shape[0]):
        if form.locks[lock, 0] != node:
            break
        if form.locks[lock, 1] == context:
            return form.locks[lock, 2]
    return -1


@woven
def pack(stored, start, actions, size, largest, limit, work):
    """The numbers in `work.room` as 16 bits each, the largest as `limit`; what one of them counts."""
    top, width = most(largest), work.room.shape[1]
    factor = limit / top if top > 0 else top
    for a in range(actions):
        for h in range(0, size, WIDTH):
            put(stored, start + a * size + h, size - h, row(work.room, a * width + h) * factor)
    return top / limit


@part
def gather(reach, to, source, links, start, size, chance):
    """The reach, in row `to`, of what the hands of row `source` become, times chance; whether it is more than 0."""
    some, factor = 0, reach.dtype.type(chance)
    below, above, link = reach[to], reach[source], links[start : start + size]
    for h in range(size):
        below[h] = above[link[h]] * factor
        some += below[h] > 0
    return some > 0


@part
def scatter(values, to, of, row, links, start, size):
    """Add the values in a row of `of` to those of the hands above, in row `to`."""
    above, below, link = values[to], of[row], links[start : start + size]
    for h in range(size):
        above[link[h]] += below[h]


@woven
def copy(to, at, of, row_of):
    """A row of one array as a row of another."""
    for h in range(0, to.shape[1], WIDTH):
        set_row(to, at * to.shape[1] + h, row(of, row_of * of.shape[1] + h))
