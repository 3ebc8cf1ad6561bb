"""What walks do at one node, for all hands: strategies from what is stored, reaches, values, regrets, averages.

Numbers are stored as they are, or as 16-bit integers that count a node's `scale`. Strategies need proportions alone, so
that only what changes numbers decodes them.
"""

from __future__ import annotations

from tefuda._kernels.weaving import part

_MOST = 32768.0  # added before a number is cut to an integer, so that it is rounded


@part
def split(stored, actions, size, reach, total, scale):
    """Strategies from what is stored: probability[a, h] = max(stored[a, h], 0) * scale[h] + total[h], times reach."""
    number = total.dtype.type
    zero, share = number(0.0), number(1.0 / actions)
    for h in range(size):
        total[h] = zero
    for a in range(actions):
        row = stored[a * size : (a + 1) * size]
        for h in range(size):
            total[h] += max(number(row[h]), zero)
    for h in range(size):
        known = total[h] > zero
        scale[h] = reach[h] / total[h] if known else zero
        total[h] = zero if known else reach[h] * share


@part
def descend(stored, scale, rest, reach):
    """The reach after an action; whether it is more than 0 for any hand."""
    some, number = 0, reach.dtype.type
    zero = number(0.0)
    for h in range(stored.shape[0]):
        reach[h] = max(number(stored[h]), zero) * scale[h] + rest[h]
        some += reach[h] > zero
    return some > 0


@part
def expect(stored, scale, rest, worth, value):
    """Add what an action is worth, as often as it is chosen."""
    number = value.dtype.type
    zero = number(0.0)
    for h in range(stored.shape[0]):
        value[h] += (max(number(stored[h]), zero) * scale[h] + rest[h]) * worth[h]


@part
def lock_of(form, context, node, first):
    """Where what is locked at a node on a board begins, looked for from a lock on; -1 if nothing is."""
    for lock in range(first, form.locks.shape[0]):
        if form.locks[lock, 0] != node:
            break
        if form.locks[lock, 1] == context:
            return form.locks[lock, 2]
    return -1


@part
def only_free(row, free):
    """0 for hands that are locked."""
    number = row.dtype.type
    for h in range(free.shape[0]):
        row[h] *= number(free[h])


@part
def hold(row, shares, of):
    """Add what locked hands must do; whether it is more than 0 for any."""
    some, number = 0, row.dtype.type
    for h in range(shares.shape[0]):
        row[h] += number(shares[h]) * of[h]
        some += row[h] > 0
    return some > 0


@part
def remember(average, reach, decay, weight):
    """Add a strategy, times the reach of who plays it, to its sums."""
    for h in range(average.shape[0]):
        average[h] = average[h] * decay + reach[h] * weight


@part
def learn(regrets, worth, value, positive, negative):
    """Add an action's regrets, then discount."""
    for h in range(regrets.shape[0]):
        regret = regrets[h] + worth[h] - value[h]
        regrets[h] = regret * (positive if regret > 0 else negative)


@part
def unpack(stored, scale, room):
    """Numbers from 16 bits each."""
    number = room.dtype.type
    for i in range(stored.shape[0]):
        room[i] = number(stored[i]) * scale


@part
def pack(room, stored, most):
    """Numbers as 16 bits each, the largest as `most`; the scale."""
    number = room.dtype.type
    largest = number(0.0)
    for i in range(stored.shape[0]):
        largest = max(largest, abs(room[i]))
    if not largest > 0:
        for i in range(stored.shape[0]):
            stored[i] = 0
        return number(0.0)
    factor, half = number(most) / largest, number(_MOST + 0.5)
    for i in range(stored.shape[0]):
        stored[i] = int(room[i] * factor + half) - int(_MOST)
    return largest / number(most)


@part
def add(value, other):
    """value += other."""
    for h in range(other.shape[0]):
        value[h] += other[h]


@part
def raise_to(value, other):
    """value = max(value, other)."""
    for h in range(other.shape[0]):
        value[h] = max(value[h], other[h])


@part
def times(row, number):
    """row *= number."""
    for h in range(row.shape[0]):
        row[h] *= number


@part
def gather(reach, above, links, chance):
    """The reach of what the hands above become, times chance; whether it is more than 0 for any."""
    some, factor = 0, reach.dtype.type(chance)
    for h in range(links.shape[0]):
        reach[h] = above[links[h]] * factor
        some += reach[h] > 0
    return some > 0


@part
def scatter(above, value, links):
    """Add values to the hands above."""
    for h in range(links.shape[0]):
        above[links[h]] += value[h]


@part
def copy(to, row):
    """to = row."""
    for h in range(row.shape[0]):
        to[h] = row[h]
