"""Neural fictitious self-play over what is observed, where no tree numbers infosets: acting, memories and descent.

Observations are kept sparsely: of whole hands of hold'em 17 of 320 inputs are active, and at most 43. Games are
stepped elsewhere, all tables between two calls.

G tables, P players, U units, K active inputs at most, C transitions, D decisions offered for imitation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.learned import network
from tefuda._kernels.learned.training import (
    FIRST,
    GAMES,
    ITERATION,
    OFFERED,
    POLICY_STEPS,
    SEEN,
    VALUE_STEPS,
    Brain,
    Dice,
    Settings,
    below,
    rate_at,
    spin,
    step_net,
)

AVERAGING, RESPONDING, UNDECIDED = 0, 1, -1  # modes of a seat in a game
NOTHING = -1  # a seat's last unit before its first


class Rows(NamedTuple):
    """Observations `[..., K]`: active inputs, and their values, float32; the first value of 0 ends one."""

    feature: np.ndarray
    value: np.ndarray


class Tables(NamedTuple):
    """Games going on: mode and last unit `[G, P]` int32, and what was seen at it `[G, P, K]`."""

    mode: np.ndarray
    unit: np.ndarray
    seen: Rows


class Ring(NamedTuple):
    """The last transitions of each player `[P, C]`: from a decision by a unit to a reward and to its next decision,
    where `legal` `[P, C, U]` may be done; nothing, where the game ended.
    """

    before: Rows
    unit: np.ndarray
    reward: np.ndarray
    after: Rows
    legal: np.ndarray


class Reservoir(NamedTuple):
    """A uniform sample of each player's best responses `[P, D]`: what was seen, legal `[P, D, U]` and done."""

    seen: Rows
    legal: np.ndarray
    unit: np.ndarray


class Run(NamedTuple):
    """Everything a run works on; counters as in `training`.

    now: what is seen at all tables. drawn: a minibatch of observations, and of those they led to; places of its rows in
    memory. batch: room for one evaluation.
    """

    settings: Settings
    brain: Brain
    target: network.Net
    tables: Tables
    ring: Ring
    reservoir: Reservoir
    counters: np.ndarray
    dice: Dice
    now: network.Inputs
    drawn: network.Inputs
    places: np.ndarray
    batch: network.Batch


@kernel
def active(seen):
    """How many inputs of one of the observations `[n, F]` are active at most."""
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
def put(feature, value, inputs, row):
    """Keep a row of inputs as an observation `[K]`."""
    first, count = inputs.start[row], inputs.start[row + 1] - inputs.start[row]
    for n in range(count):
        feature[n], value[n] = inputs.feature[first + n], inputs.value[first + n]
    if count < value.shape[0]:
        value[count] = 0.0


@inlined(fastmath=True)
def copy(feature, value, feature_to, value_to):
    """Keep an observation `[K]` in another place."""
    for n in range(value.shape[0]):
        feature_to[n], value_to[n] = feature[n], value[n]
        if value[n] == 0.0:
            return


@inlined(fastmath=True)
def take(inputs, n, feature, value, legal):
    """Make an observation, and what may be done, the n-th row of inputs, after the one before it."""
    place, k = inputs.start[n], 0
    while k < value.shape[0] and value[k] != 0.0:
        inputs.feature[place + k], inputs.value[place + k] = feature[k], value[k]
        k += 1
    inputs.start[n + 1] = place + k
    for u in range(legal.shape[0]):
        inputs.legal[n, u] = legal[u]


@kernel(refcounts=False)
def remember(run, player, table, reward, following):
    """Put the last decision of a seat, if any, into its ring: what it led to is seen now, unless the game ended."""
    tables, ring, counter = run.tables, run.ring, FIRST + 4 * player + SEEN
    if tables.unit[table, player] == NOTHING:
        return
    place = run.counters[counter] % ring.unit.shape[1]
    run.counters[counter] += 1
    seen, before, after = tables.seen, ring.before, ring.after
    copy(
        seen.feature[table, player],
        seen.value[table, player],
        before.feature[player, place],
        before.value[player, place],
    )
    ring.unit[player, place], ring.reward[player, place] = tables.unit[table, player], reward
    for u in range(ring.legal.shape[2]):
        ring.legal[player, place, u] = run.now.legal[table, u] if following else 0
    if following:
        put(after.feature[player, place], after.value[player, place], run.now, table)
    else:
        after.value[player, place, 0] = 0.0


@inlined(fastmath=True)
def offer(run, player, table, unit):
    """Offer a best response to the reservoir: the m-th is kept with probability D / m (Vitter 1985, algorithm R)."""
    reservoir, counter = run.reservoir, FIRST + 4 * player + OFFERED
    place, capacity = run.counters[counter], reservoir.unit.shape[1]
    run.counters[counter] += 1
    if place >= capacity:
        place = below(spin(run.dice.random), place + 1)
        if place >= capacity:
            return
    put(reservoir.seen.feature[player, place], reservoir.seen.value[player, place], run.now, table)
    reservoir.unit[player, place] = unit
    for u in range(reservoir.legal.shape[2]):
        reservoir.legal[player, place, u] = run.now.legal[table, u]


@inlined(fastmath=True)
def drawn(chances, point):
    """A unit drawn by its chance."""
    last = 0
    for u in range(chances.shape[0]):
        if chances[u] > 0.0:
            if point < chances[u]:
                return u
            last = u
        point -= chances[u]
    return last


@inlined(fastmath=True)
def any_legal(legal, point):
    """A legal unit, all alike."""
    left = below(point, legal.sum())
    for u in range(legal.shape[0]):
        if legal[u]:
            if left == 0:
                return u
            left -= 1
    return -1


@kernel(refcounts=False)
def choose(run, player, table, epsilon):
    """The unit a seat plays now, by its mode; best responses are offered for imitation."""
    settings, mode, random, now, batch = run.settings, run.tables.mode, run.dice.random, run.now, run.batch
    if mode[table, player] == UNDECIDED:
        mode[table, player] = RESPONDING if spin(random) < settings.eta else AVERAGING
    if mode[table, player] == AVERAGING:
        network.forward(run.brain.policy, now, player, table, batch.hidden, batch.out)
        network.softmax(now, True, table, batch.out)
        return drawn(batch.out, spin(random))
    explored = spin(random) < epsilon
    if explored:
        unit = any_legal(now.legal[table], spin(random))
    else:
        network.forward(run.brain.value, now, player, table, batch.hidden, batch.out)
        unit = network.best_unit(now, True, table, batch.out)
    if settings.keep_exploration or not explored:
        offer(run, player, table, unit)
    return unit


@kernel(refcounts=False)
def act(run, epsilon, units):
    """A decision at every table, into `units` `[G]`; what the last ones led to is remembered."""
    tables = run.tables
    run.counters[ITERATION] += 1
    for table in range(units.shape[0]):
        player = run.now.owner[table]
        remember(run, player, table, 0.0, True)
        unit = choose(run, player, table, epsilon)
        tables.unit[table, player] = units[table] = unit
        put(tables.seen.feature[table, player], tables.seen.value[table, player], run.now, table)


@kernel(refcounts=False)
def close(run, over, payoffs):
    """Games `[n]` that are over, and what they paid `[n, P]`: last transitions; the tables are free."""
    for n in range(over.shape[0]):
        table = over[n]
        for player in range(payoffs.shape[1]):
            remember(run, player, table, run.settings.scale * payoffs[n, player], False)
            run.tables.unit[table, player], run.tables.mode[table, player] = NOTHING, UNDECIDED
    run.counters[GAMES] += over.shape[0]


@kernel(refcounts=False)
def draw_transitions(run, player):
    """Draw a minibatch: first all rows together, for memory answers many requests at once faster than one by one."""
    ring, places, size = run.ring, run.places, min(run.counters[FIRST + 4 * player + SEEN], run.ring.unit.shape[1])
    before, after, legal, count = ring.before, ring.after, ring.legal, run.settings.batch
    for n in range(count):
        places[n] = below(spin(run.dice.random), size)
        take(run.drawn, n, before.feature[player, places[n]], before.value[player, places[n]], legal[player, places[n]])
    for n in range(count):
        place = places[n]
        take(run.drawn, count + n, after.feature[player, place], after.value[player, place], legal[player, place])


@inlined(fastmath=True)
def ahead(run, judge, player, row):
    """The largest value at a drawn row, by a network; 0 where nothing may be done, the game being over."""
    drawn, batch = run.drawn, run.batch
    network.forward(judge, drawn, player, row, batch.hidden, batch.out)
    best = network.best_unit(drawn, True, row, batch.out)
    return batch.out[best] if best >= 0 else np.float32(0.0)


@kernel(refcounts=False)
def learn_values(run, player):
    """One step of Q-learning on a minibatch of the ring."""
    settings, brain, ring, batch = run.settings, run.brain, run.ring, run.batch
    counter, size = FIRST + 4 * player + VALUE_STEPS, np.float32(settings.batch)
    draw_transitions(run, player)
    for n in range(settings.batch):
        unit, target = ring.unit[player, run.places[n]], ring.reward[player, run.places[n]]
        target += ahead(run, run.target, player, settings.batch + n)
        network.forward(brain.value, run.drawn, player, n, batch.hidden, batch.out)
        slope = (batch.out[unit] - target) / size
        for u in range(batch.out.shape[0]):
            batch.out[u] = slope if u == unit else np.float32(0.0)
        network.backward(
            brain.value, brain.value_gradient, run.drawn, player, n, batch.hidden, batch.back, batch.out
        )  # fmt: skip
    run.counters[counter] += 1
    rate = rate_at(settings.value_rate, settings.value_decay, run.counters[ITERATION])
    step_net(
        brain.value, brain.value_gradient, brain.value_first, brain.value_second, player, rate, settings.adam,
        run.counters[counter],
    )  # fmt: skip
    if run.counters[counter] % max(settings.target_every, 1) == 0:
        refit_target(run, player)


@kernel(refcounts=False)
def refit_target(run, player):
    """Let the target be the network of values."""
    new, old, players = run.brain.value, run.target, run.target.b1.shape[0]
    copy_weights(new.w1.reshape(players, -1), old.w1.reshape(players, -1), player)
    copy_weights(new.b1, old.b1, player)
    copy_weights(new.w2.reshape(players, -1), old.w2.reshape(players, -1), player)
    copy_weights(new.b2, old.b2, player)


@inlined(fastmath=True)
def copy_weights(new, old, player):
    """A player's part of weights `[P, n]`."""
    for n in range(new.shape[1]):
        old[player, n] = new[player, n]


@kernel(refcounts=False)
def draw_behaviour(run, player):
    """Draw a minibatch; see `draw_transitions`."""
    reservoir, places = run.reservoir, run.places
    size = min(run.counters[FIRST + 4 * player + OFFERED], reservoir.unit.shape[1])
    seen, legal = reservoir.seen, reservoir.legal
    for n in range(run.settings.policy_batch):
        place = places[n] = below(spin(run.dice.random), size)
        take(run.drawn, n, seen.feature[player, place], seen.value[player, place], legal[player, place])


@kernel(refcounts=False)
def learn_policy(run, player):
    """One step of classification on a minibatch of the reservoir."""
    settings, brain, batch = run.settings, run.brain, run.batch
    counter, size = FIRST + 4 * player + POLICY_STEPS, np.float32(settings.policy_batch)
    draw_behaviour(run, player)
    for n in range(settings.policy_batch):
        network.forward(brain.policy, run.drawn, player, n, batch.hidden, batch.out)
        network.softmax(run.drawn, True, n, batch.out)
        batch.out[run.reservoir.unit[player, run.places[n]]] -= np.float32(1.0)
        for u in range(batch.out.shape[0]):
            batch.out[u] /= size
        network.backward(
            brain.policy, brain.policy_gradient, run.drawn, player, n, batch.hidden, batch.back, batch.out
        )  # fmt: skip
    run.counters[counter] += 1
    rate = rate_at(settings.policy_rate, settings.policy_decay, run.counters[ITERATION])
    step_net(
        brain.policy, brain.policy_gradient, brain.policy_first, brain.policy_second, player, rate,
        settings.policy_adam, run.counters[counter],
    )  # fmt: skip


@kernel(refcounts=False)
def learn(run):
    """An iteration's steps of every player's networks, once its memories hold enough."""
    settings, counters = run.settings, run.counters
    for player in range(run.tables.mode.shape[1]):
        if counters[FIRST + 4 * player + SEEN] > settings.least:
            for _ in range(settings.value_updates):
                learn_values(run, player)
        if counters[FIRST + 4 * player + OFFERED] > settings.least:
            for _ in range(settings.policy_updates):
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
