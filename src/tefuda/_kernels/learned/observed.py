"""Neural fictitious self-play over observations, for games without a tree: play, memories, training.

Observations are stored sparsely: whole hands of hold'em have 17 of 320 inputs active on average, and at
most 43. A simulator steps the games between two calls.

G tables, P players, U units, K slots for active inputs, C transitions, D rows of the reservoir.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.learned import network, training

NO_UNIT = -1  # a player's last unit before its first decision


class SparseRows(NamedTuple):
    """Observations `[..., K]` as indices and float32 values of active inputs; a value of 0 ends a row."""

    feature: np.ndarray
    value: np.ndarray


class ObservedTables(NamedTuple):
    """Games in play.

    mode, unit: `[G, P]` int32, mode and last unit of each player. observation: `[G, P, K]` where it was played.
    """

    mode: np.ndarray
    unit: np.ndarray
    observation: SparseRows


class TransitionRing(NamedTuple):
    """The last transitions of each player `[P, C]`.

    A transition leads from an observation by a unit to a reward and the player's next observation, with legal
    units `[P, C, U]`; no unit is legal after the end of a game.
    """

    observation: SparseRows
    unit: np.ndarray
    reward: np.ndarray
    next_observation: SparseRows
    legal: np.ndarray


class BehaviourReservoir(NamedTuple):
    """Uniform sample `[P, D]` of each player's best responses: observation, legal units `[P, D, U]`, unit."""

    observation: SparseRows
    legal: np.ndarray
    unit: np.ndarray


class ObservedRun(NamedTuple):
    """All arrays of a training run over observations; counters as in `training`.

    current: observations at all tables. minibatch: sampled observations, followed by the next ones.
    indices: memory rows of the minibatch. batch: targets, and buffers for one evaluation.
    """

    settings: training.Settings
    networks: training.Networks
    target: network.Net
    tables: ObservedTables
    ring: TransitionRing
    reservoir: BehaviourReservoir
    counters: np.ndarray
    counts: np.ndarray
    random_source: training.RandomSource
    current: network.Inputs
    minibatch: network.Inputs
    indices: np.ndarray
    batch: network.Batch


@kernel
def most_active(observation):
    """Return the largest number of active inputs in observations `[n, F]`."""
    largest = 0
    for n in range(observation.shape[0]):
        count = 0
        for feature in range(observation.shape[1]):
            count += observation[n, feature] != 0.0
        largest = max(largest, count)
    return largest


@kernel
def read_observations(inputs, observation, legal, owner):
    """Convert observations `[n, F]` to sparse network inputs."""
    index = 0
    for n in range(observation.shape[0]):
        inputs.start[n] = index
        for feature in range(observation.shape[1]):
            if observation[n, feature] != 0.0:
                inputs.feature[index], inputs.value[index] = feature, observation[n, feature]
                index += 1
        for unit in range(legal.shape[1]):
            inputs.legal[n, unit] = legal[n, unit]
        inputs.owner[n] = owner[n]
    inputs.start[observation.shape[0]] = index


@inlined(fastmath=True)
def store_row(rows, i, j, inputs, row):
    """Store a row of network inputs as an observation."""
    first, count = inputs.start[row], inputs.start[row + 1] - inputs.start[row]
    for n in range(count):
        rows.feature[i, j, n], rows.value[i, j, n] = inputs.feature[first + n], inputs.value[first + n]
    if count < rows.value.shape[2]:
        rows.value[i, j, count] = 0.0


@inlined(fastmath=True)
def copy_row(rows, i, j, to, k, m):
    """Copy an observation."""
    for n in range(rows.value.shape[2]):
        to.feature[k, m, n], to.value[k, m, n] = rows.feature[i, j, n], rows.value[i, j, n]
        if rows.value[i, j, n] == 0.0:
            return


@inlined(fastmath=True)
def load_row(inputs, n, rows, legal, i, j):
    """Load an observation and its legal units as row n of network inputs; row n - 1 must be loaded."""
    index, k = inputs.start[n], 0
    while k < rows.value.shape[2] and rows.value[i, j, k] != 0.0:
        inputs.feature[index + k], inputs.value[index + k] = rows.feature[i, j, k], rows.value[i, j, k]
        k += 1
    inputs.start[n + 1] = index + k
    for u in range(legal.shape[2]):
        inputs.legal[n, u] = legal[i, j, u]


@kernel(refcounts=False)
def store_transition(run, player, table, reward, continues):
    """Store the transition that completes a player's last decision at a table, if any.

    continues: the current observation follows; otherwise the game has ended.
    """
    tables, ring = run.tables, run.ring
    if tables.unit[table, player] == NO_UNIT:
        return
    index = run.counts[player, training.STORED] % ring.unit.shape[1]
    run.counts[player, training.STORED] += 1
    copy_row(tables.observation, table, player, ring.observation, player, index)
    ring.unit[player, index], ring.reward[player, index] = tables.unit[table, player], reward
    for u in range(ring.legal.shape[2]):
        ring.legal[player, index, u] = run.current.legal[table, u] if continues else 0
    if continues:
        store_row(ring.next_observation, player, index, run.current, table)
    else:
        ring.next_observation.value[player, index, 0] = 0.0


@inlined(fastmath=True)
def offer_to_reservoir(run, player, table, unit):
    """Offer a best-response action to the player's reservoir."""
    reservoir, weighting = run.reservoir, run.settings.weighting
    index = training.reservoir_index(
        run.counts, player, reservoir.unit.shape[1], weighting, run.random_source.generator
    )
    if index < 0:
        return
    store_row(reservoir.observation, player, index, run.current, table)
    reservoir.unit[player, index] = unit
    for u in range(reservoir.legal.shape[2]):
        reservoir.legal[player, index, u] = run.current.legal[table, u]


@kernel(refcounts=False)
def choose_unit(run, player, table, epsilon):
    """Return the unit that a player plays, by its mode; offer best responses for imitation."""
    settings, mode, random, current, batch = (
        run.settings,
        run.tables.mode,
        run.random_source.generator,
        run.current,
        run.batch,
    )
    if mode[table, player] == training.UNDECIDED:
        mode[table, player] = (
            training.RESPONDING if training.next_uniform(random) < settings.eta else training.AVERAGING
        )
    if mode[table, player] == training.AVERAGING:
        network.forward(run.networks.policy.net, current, player, table, batch.hidden, batch.out)
        network.softmax(current, True, table, batch.out)
        return network.sample_unit(batch.out, training.next_uniform(random))
    explored = training.next_uniform(random) < epsilon
    if explored:
        unit = network.sample_legal_unit(current.legal[table], training.next_uniform(random))
    else:
        network.forward(run.networks.value.net, current, player, table, batch.hidden, batch.out)
        unit = network.best_unit(current, True, table, batch.out)
    if settings.keep_exploration or not explored:
        offer_to_reservoir(run, player, table, unit)
    return unit


@kernel(refcounts=False)
def act(run, epsilon, units):
    """Choose a unit `[G]` at every table, and store the transitions that this completes."""
    tables = run.tables
    run.counters[training.ITERATION] += 1
    for table in range(units.shape[0]):
        player = run.current.owner[table]
        store_transition(run, player, table, 0.0, True)
        unit = choose_unit(run, player, table, epsilon)
        tables.unit[table, player] = units[table] = unit
        store_row(tables.observation, table, player, run.current, table)


@kernel(refcounts=False)
def finish_games(run, over, payoffs):
    """Store the last transitions of ended games `[n]` with payoffs `[n, P]`, and reset their tables."""
    for n in range(over.shape[0]):
        table = over[n]
        for player in range(payoffs.shape[1]):
            store_transition(run, player, table, run.settings.scale * payoffs[n, player], False)
            run.tables.unit[table, player], run.tables.mode[table, player] = NO_UNIT, training.UNDECIDED
    run.counters[training.GAMES] += over.shape[0]


@kernel(refcounts=False)
def sample_transitions(run, player):
    """Sample a minibatch of transitions; all rows are read together, which hides memory latency."""
    ring, indices, count = run.ring, run.indices, run.settings.value.batch
    size = min(run.counts[player, training.STORED], ring.unit.shape[1])
    for n in range(count):
        indices[n] = network.uniform_integer(training.next_uniform(run.random_source.generator), size)
        load_row(run.minibatch, n, ring.observation, ring.legal, player, indices[n])
    for n in range(count):
        load_row(run.minibatch, count + n, ring.next_observation, ring.legal, player, indices[n])


@inlined(fastmath=True)
def best_next_value(run, net, player, row):
    """Return the largest value of a legal unit at a sampled row by a network; 0 after the end of a game."""
    minibatch, batch = run.minibatch, run.batch
    network.forward(net, minibatch, player, row, batch.hidden, batch.out)
    best = network.best_unit(minibatch, True, row, batch.out)
    return batch.out[best] if best >= 0 else np.float32(0.0)


@inlined
def set_target(run, n, unit, target):
    """Make sampled row n an infoset of the batch with a target for one unit."""
    network.add_to_batch(run.batch, run.counters[training.STAMP], n, n)
    run.batch.counts[n, unit], run.batch.targets[n, unit] = 1.0, target


@kernel(refcounts=False)
def learn_values(run, player):
    """Train a player's value network on a minibatch of its ring."""
    ring, size, every = run.ring, run.settings.value.batch, max(run.settings.target_every, 1)
    sample_transitions(run, player)
    run.counters[training.STAMP] += 1
    for n in range(size):
        index = run.indices[n]
        target = ring.reward[player, index] + best_next_value(run, run.target, player, size + n)
        set_target(run, n, ring.unit[player, index], target)
    training.descend_values(run, run.minibatch, player, size, np.float32(size))
    if run.counts[player, training.VALUE_STEPS] % every == 0:
        network.copy_weights(run.networks.value.net, run.target, player)


@kernel(refcounts=False)
def sample_behaviour(run, player):
    """Sample a minibatch of the reservoir; see `sample_transitions`."""
    reservoir, indices = run.reservoir, run.indices
    size = min(run.counts[player, training.OFFERED], reservoir.unit.shape[1])
    for n in range(run.settings.policy.batch):
        indices[n] = network.uniform_integer(training.next_uniform(run.random_source.generator), size)
        load_row(run.minibatch, n, reservoir.observation, reservoir.legal, player, indices[n])


@kernel(refcounts=False)
def learn_policy(run, player):
    """Train a player's policy network on a minibatch of its reservoir."""
    size = run.settings.policy.batch
    sample_behaviour(run, player)
    run.counters[training.STAMP] += 1
    for n in range(size):
        set_target(run, n, run.reservoir.unit[player, run.indices[n]], 0.0)
    training.descend_policy(run, run.minibatch, player, size, np.float32(size))


@kernel(refcounts=False)
def learn(run):
    """Take an iteration's training steps of all players whose memories have enough rows."""
    settings, counts = run.settings, run.counts
    for player in range(run.tables.mode.shape[1]):
        if counts[player, training.STORED] > settings.min_rows:
            for _ in range(settings.value.updates):
                learn_values(run, player)
        if counts[player, training.OFFERED] > settings.min_rows:
            for _ in range(settings.policy.updates):
                learn_policy(run, player)


@inlined(fastmath=True)
def evaluate(net, inputs, greedy, hidden, out, probabilities):
    """Fill `probabilities` `[n, U]` with a network's play: its best legal unit if greedy, else softmax."""
    for n in range(probabilities.shape[0]):
        network.forward(net, inputs, inputs.owner[n], n, hidden, out)
        if greedy:
            for u in range(out.shape[0]):
                probabilities[n, u] = 0.0
            probabilities[n, network.best_unit(inputs, True, n, out)] = 1.0
        else:
            network.softmax(inputs, True, n, out)
            for u in range(out.shape[0]):
                probabilities[n, u] = out[u]
