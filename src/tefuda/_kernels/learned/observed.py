"""Neural fictitious self-play over observations, where no tree numbers infosets: acting, memories and descent.

Observations are kept sparsely: of whole hands of hold'em 17 of 320 inputs are active, and at most 43. Games are
stepped elsewhere, all tables between two calls.

G tables, P players, U units, K active inputs at most, C transitions, D decisions offered for imitation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.learned import network, training

NOTHING = -1  # a seat's last unit before its first


class Rows(NamedTuple):
    """Observations `[..., K]`: active inputs, and their values, float32; the first value of 0 ends one."""

    feature: np.ndarray
    value: np.ndarray


class Tables(NamedTuple):
    """Games: mode and last unit `[G, P]` int32, and the observation `[G, P, K]` at which it was played."""

    mode: np.ndarray
    unit: np.ndarray
    seen: Rows


class Ring(NamedTuple):
    """The last transitions of each player `[P, C]`: from a decision by a unit to a reward and to its next decision,
    with `legal` units `[P, C, U]`: none where the game ended.
    """

    before: Rows
    unit: np.ndarray
    reward: np.ndarray
    after: Rows
    legal: np.ndarray


class Reservoir(NamedTuple):
    """A uniform sample of each player's best responses `[P, D]`: observation, legal units `[P, D, U]`, and unit."""

    seen: Rows
    legal: np.ndarray
    unit: np.ndarray


class Run(NamedTuple):
    """Everything a run works on; counters as in `training`.

    now: observations at all tables. drawn: a minibatch of observations, and of the following ones; places: its rows in
    memory. batch: room for targets and one evaluation.
    """

    settings: training.Settings
    brain: training.Brain
    target: network.Net
    tables: Tables
    ring: Ring
    reservoir: Reservoir
    counters: np.ndarray
    counts: np.ndarray
    dice: training.Dice
    now: network.Inputs
    drawn: network.Inputs
    places: np.ndarray
    batch: network.Batch


@kernel
def active(seen):
    """Return the largest number of active inputs in observations `[n, F]`."""
    most = 0
    for n in range(seen.shape[0]):
        count = 0
        for feature in range(seen.shape[1]):
            count += seen[n, feature] != 0.0
        most = max(most, count)
    return most


@kernel
def look(inputs, seen, legal, owner):
    """Read observations `[n, F]` into rows of inputs."""
    place = 0
    for n in range(seen.shape[0]):
        inputs.start[n] = place
        for feature in range(seen.shape[1]):
            if seen[n, feature] != 0.0:
                inputs.feature[place], inputs.value[place] = feature, seen[n, feature]
                place += 1
        for unit in range(legal.shape[1]):
            inputs.legal[n, unit] = legal[n, unit]
        inputs.owner[n] = owner[n]
    inputs.start[seen.shape[0]] = place


@inlined(fastmath=True)
def put(rows, i, j, inputs, row):
    """Store a row of inputs as an observation."""
    first, count = inputs.start[row], inputs.start[row + 1] - inputs.start[row]
    for n in range(count):
        rows.feature[i, j, n], rows.value[i, j, n] = inputs.feature[first + n], inputs.value[first + n]
    if count < rows.value.shape[2]:
        rows.value[i, j, count] = 0.0


@inlined(fastmath=True)
def copy(rows, i, j, to, k, m):
    """Store an observation in another place."""
    for n in range(rows.value.shape[2]):
        to.feature[k, m, n], to.value[k, m, n] = rows.feature[i, j, n], rows.value[i, j, n]
        if rows.value[i, j, n] == 0.0:
            return


@inlined(fastmath=True)
def take(inputs, n, rows, legal, i, j):
    """Make an observation, and its legal units, the n-th row of inputs, after the row before it."""
    place, k = inputs.start[n], 0
    while k < rows.value.shape[2] and rows.value[i, j, k] != 0.0:
        inputs.feature[place + k], inputs.value[place + k] = rows.feature[i, j, k], rows.value[i, j, k]
        k += 1
    inputs.start[n + 1] = place + k
    for u in range(legal.shape[2]):
        inputs.legal[n, u] = legal[i, j, u]


@kernel(refcounts=False)
def remember(run, player, table, reward, following):
    """Put a seat's last decision, if any, into its ring: it led to the observation of now, or to the game's end."""
    tables, ring = run.tables, run.ring
    if tables.unit[table, player] == NOTHING:
        return
    place = run.counts[player, training.SEEN] % ring.unit.shape[1]
    run.counts[player, training.SEEN] += 1
    copy(tables.seen, table, player, ring.before, player, place)
    ring.unit[player, place], ring.reward[player, place] = tables.unit[table, player], reward
    for u in range(ring.legal.shape[2]):
        ring.legal[player, place, u] = run.now.legal[table, u] if following else 0
    if following:
        put(ring.after, player, place, run.now, table)
    else:
        ring.after.value[player, place, 0] = 0.0


@inlined(fastmath=True)
def offer(run, player, table, unit):
    """Offer a best response to the reservoir."""
    reservoir = run.reservoir
    place = training.reservoir_place(run.counts, player, reservoir.unit.shape[1], run.dice.random)
    if place < 0:
        return
    put(reservoir.seen, player, place, run.now, table)
    reservoir.unit[player, place] = unit
    for u in range(reservoir.legal.shape[2]):
        reservoir.legal[player, place, u] = run.now.legal[table, u]


@kernel(refcounts=False)
def choose(run, player, table, epsilon):
    """Return the unit that a seat plays, by its mode; offer best responses for imitation."""
    settings, mode, random, now, batch = run.settings, run.tables.mode, run.dice.random, run.now, run.batch
    if mode[table, player] == training.UNDECIDED:
        mode[table, player] = training.RESPONDING if training.spin(random) < settings.eta else training.AVERAGING
    if mode[table, player] == training.AVERAGING:
        network.forward(run.brain.policy.net, now, player, table, batch.hidden, batch.out)
        network.softmax(now, True, table, batch.out)
        return network.drawn_unit(batch.out, training.spin(random))
    explored = training.spin(random) < epsilon
    if explored:
        unit = network.legal_unit(now.legal[table], training.spin(random))
    else:
        network.forward(run.brain.value.net, now, player, table, batch.hidden, batch.out)
        unit = network.best_unit(now, True, table, batch.out)
    if settings.keep_exploration or not explored:
        offer(run, player, table, unit)
    return unit


@kernel(refcounts=False)
def act(run, epsilon, units):
    """Take a decision at every table, into `units` `[G]`; remember what the last ones led to."""
    tables = run.tables
    run.counters[training.ITERATION] += 1
    for table in range(units.shape[0]):
        player = run.now.owner[table]
        remember(run, player, table, 0.0, True)
        unit = choose(run, player, table, epsilon)
        tables.unit[table, player] = units[table] = unit
        put(tables.seen, table, player, run.now, table)


@kernel(refcounts=False)
def close(run, over, payoffs):
    """Remember the last transitions of games `[n]` that are over, with payoffs `[n, P]`; free their tables."""
    for n in range(over.shape[0]):
        table = over[n]
        for player in range(payoffs.shape[1]):
            remember(run, player, table, run.settings.scale * payoffs[n, player], False)
            run.tables.unit[table, player], run.tables.mode[table, player] = NOTHING, training.UNDECIDED
    run.counters[training.GAMES] += over.shape[0]


@kernel(refcounts=False)
def draw_transitions(run, player):
    """Draw a minibatch: first all rows together, for memory answers many requests at once faster than one by one."""
    ring, places, count = run.ring, run.places, run.settings.value.batch
    size = min(run.counts[player, training.SEEN], ring.unit.shape[1])
    for n in range(count):
        places[n] = network.below(training.spin(run.dice.random), size)
        take(run.drawn, n, ring.before, ring.legal, player, places[n])
    for n in range(count):
        take(run.drawn, count + n, ring.after, ring.legal, player, places[n])


@inlined(fastmath=True)
def ahead(run, evaluator, player, row):
    """Return the largest value at a drawn row, by a network; 0 where the game is over."""
    drawn, batch = run.drawn, run.batch
    network.forward(evaluator, drawn, player, row, batch.hidden, batch.out)
    best = network.best_unit(drawn, True, row, batch.out)
    return batch.out[best] if best >= 0 else np.float32(0.0)


@inlined
def open_row(run, n, unit, target):
    """Make the n-th drawn row a row of the batch: an infoset of its own, at which a unit has a target."""
    network.open_batch(run.batch, run.counters[training.STAMP], n, n)
    run.batch.counts[n, unit], run.batch.targets[n, unit] = 1.0, target


@kernel(refcounts=False)
def learn_values(run, player):
    """Learn from a minibatch of the ring."""
    ring, size, every = run.ring, run.settings.value.batch, max(run.settings.target_every, 1)
    draw_transitions(run, player)
    run.counters[training.STAMP] += 1
    for n in range(size):
        place = run.places[n]
        target = ring.reward[player, place] + ahead(run, run.target, player, size + n)
        open_row(run, n, ring.unit[player, place], target)
    training.descend_values(run, run.drawn, player, size, np.float32(size))
    if run.counts[player, training.VALUE_STEPS] % every == 0:
        network.copy_weights(run.brain.value.net, run.target, player)


@kernel(refcounts=False)
def draw_behaviour(run, player):
    """Draw a minibatch; see `draw_transitions`."""
    reservoir, places = run.reservoir, run.places
    size = min(run.counts[player, training.OFFERED], reservoir.unit.shape[1])
    for n in range(run.settings.policy.batch):
        places[n] = network.below(training.spin(run.dice.random), size)
        take(run.drawn, n, reservoir.seen, reservoir.legal, player, places[n])


@kernel(refcounts=False)
def learn_policy(run, player):
    """Learn from a minibatch of the reservoir."""
    size = run.settings.policy.batch
    draw_behaviour(run, player)
    run.counters[training.STAMP] += 1
    for n in range(size):
        open_row(run, n, run.reservoir.unit[player, run.places[n]], 0.0)
    training.descend_policy(run, run.drawn, player, size, np.float32(size))


@kernel(refcounts=False)
def learn(run):
    """Take an iteration's steps of every player's networks, once its memories hold enough."""
    settings, counts = run.settings, run.counts
    for player in range(run.tables.mode.shape[1]):
        if counts[player, training.SEEN] > settings.least:
            for _ in range(settings.value.updates):
                learn_values(run, player)
        if counts[player, training.OFFERED] > settings.least:
            for _ in range(settings.policy.updates):
                learn_policy(run, player)


@inlined(fastmath=True)
def answer(net, inputs, greedy, hidden, out, found):
    """Fill `found` `[n, U]` with what a network plays at rows of inputs: its best legal unit, or its softmax."""
    for n in range(found.shape[0]):
        network.forward(net, inputs, inputs.owner[n], n, hidden, out)
        if greedy:
            for u in range(out.shape[0]):
                found[n, u] = 0.0
            found[n, network.best_unit(inputs, True, n, out)] = 1.0
        else:
            network.softmax(inputs, True, n, out)
            for u in range(out.shape[0]):
                found[n, u] = out[u]
