"""What walks do at one node, `WIDTH` hands at a time: strategies from what is stored, reaches, values, regrets, sums.

Nothing is read twice but from the first-level cache: at a node all that a row of hands needs is done before the next,
and what the next node needs is asked for; a turn takes 0.74 of the time for it, a river 1.05.
Reaches and values are rows of whole lanes, `work.reach` and `work.value`; what is stored has no room between actions,
and its last row counts in part. Numbers are stored as they are, or as 16-bit integers that count a node's `scale`.
Strategies need proportions alone, so that only what changes numbers decodes them.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.holdem_arrays import BEST, DECAY, NEGATIVE, POSITIVE, WEIGHT
from tefuda._kernels.lanes import WIDTH, every, fetch, most, positive, put, ratio, row, set_row, some, take, where
from tefuda._kernels.weaving import part, woven


@woven
def total_of(stored, start, actions, size, h, like):
    """What is stored of all actions, as far as it is more than 0, of a row of hands."""
    total = every(0.0, like)
    for a in range(actions):
        total = total + positive(take(stored, start + a * size + h, size - h, like))
    return total


@woven
def descend(form, stored, sums, start, unit, kept, place, actions, size, lock, source, first, rule, work, learns):
    """The reach after each action, rows from `first` on, from that in row `source`; learning adds it to the sums.

    probability[a] = max(stored[a], 0) / total, or the same for all; hands that are locked do what they must. Sums are
    `unit` times the numbers there are; the new ones are written to `kept`, from `place` on.
    """
    width, none = work.reach.shape[1], every(0.0, work.reach)
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
            reach = positive(take(stored, start + at, left, work.reach)) * scale + rest
            if lock >= 0:
                reach = reach + take(form.held, lock + size + at, left, work.reach) * own
            set_row(work.reach, (first + a) * width + h, reach)
            work.live[first + a] |= some(reach)
            if learns:
                fetch(sums, start + actions * size + at)
                fetch(stored, start + actions * size + at)
                before = take(sums, start + at, left, work.reach) * unit
                put(kept, place + at, left, before * rule[DECAY] + reach * rule[WEIGHT])


@woven
def ascend(form, stored, start, unit, kept, place, actions, size, lock, mode, node, first, rule, work, learns):
    """What a node is worth to the walker, by its strategies or at best; actions' values are rows from `first` on.

    Learning adds regrets, then discounts. Regrets are `unit` times what is stored; the new ones are written to `kept`,
    from `place` on.
    """
    width, none = work.value.shape[1], every(0.0, work.value)
    better, worse = every(rule[POSITIVE], work.value), every(rule[NEGATIVE], work.value)
    for h in range(0, size, WIDTH):
        left, worth, value = size - h, first * width + h, none
        if learns or mode != BEST:
            total = total_of(stored, start, actions, size, h, work.value)
            scale = where(total, none, ratio(every(1.0, work.value), total), none)
            rest = where(total, none, none, every(1.0 / actions, work.value))
            for a in range(actions):
                often = positive(take(stored, start + a * size + h, left, work.value)) * scale + rest
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
                fetch(stored, start - (actions - a) * size + h)
                at, gain = a * size + h, row(work.value, worth + a * width)
                regret = take(stored, start + at, left, work.value) * unit + gain - value
                put(kept, place + at, left, regret * where(regret, none, better, worse))


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
def fade(stored, start, unit, kept, place, many, more, less, like):
    """Discount what is stored of a node to which nobody comes."""
    for h in range(0, many, WIDTH):
        old = take(stored, start + h, many - h, like) * unit
        put(kept, place + h, many - h, old * where(old, every(0.0, like), every(more, like), every(less, like)))


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
def pack(room, stored, start, many, limit):
    """Numbers as 16 bits each, the largest as `limit`; what one of them counts."""
    none = every(0.0, room)
    largest = none
    for h in range(0, many, WIDTH):
        one = take(room, h, many - h, room)
        largest = where(one, largest, one, largest)
        largest = where(none - one, largest, none - one, largest)
    factor = limit / most(largest) if most(largest) > 0 else 0.0
    for h in range(0, many, WIDTH):
        put(stored, start + h, many - h, take(room, h, many - h, room) * factor)
    return most(largest) / limit


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
