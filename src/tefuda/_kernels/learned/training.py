"""Training in neural fictitious self-play: memories, networks and gradient steps.

Networks do not change while tables play, so each is evaluated at most once per iteration and infoset.
Memories store numbers of infosets and units; observations are neither encoded nor copied.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels import draw
from tefuda._kernels.jit import inlined, shared
from tefuda._kernels.learned import network

ITERATION, GAMES, STAMP = range(3)  # counters
STORED, OFFERED, VALUE_STEPS, POLICY_STEPS = range(4)  # counts of each player
UNDECIDED, RESPONDING, AVERAGING = 0, 1, 2  # modes of a seat in a game


class GameArrays(NamedTuple):
    """The game: `nodes` and `cumulative` as in `Histories`, payoffs `[Z, P]` float64, infoset `[N]` int32."""

    nodes: np.ndarray
    cumulative: np.ndarray
    payoffs: np.ndarray
    infoset: np.ndarray


class RandomSource(NamedTuple):
    """Sources of random numbers, or of low-discrepancy draws.

    generator: `[1]` uint64 state. rotors: `[DRAW_KINDS, N]` uint64, or `[0, N]` for random draws.
    Each rotor steps through [0, 1) by the golden ratio, separately for every kind of draw at every history,
    so outcome counts match their expectations to within about one (Holroyd and Propp 2010, "Rotor walks and
    Markov chains").
    """

    generator: np.ndarray
    rotors: np.ndarray


class Tables(NamedTuple):
    """Games in play: node `[G]`; mode, last infoset (-1: none) and last unit of each player `[G, P]`."""

    node: np.ndarray
    mode: np.ndarray
    infoset: np.ndarray
    unit: np.ndarray


class ActionStatistics(NamedTuple):
    """Statistics `[I, U]` by infoset and unit: value, number of updates, number of rows in the reservoir."""

    value: np.ndarray
    visits: np.ndarray
    imitated: np.ndarray


class Sums(NamedTuple):
    """Sums over the rings, for gradient steps on all rows.

    rows, rewards: `[I, U]` int64 for each decision; rewards are multiples of `resolution`, so sums are exact.
    arrivals: `[I, U]` int64, number of times that infoset i followed unit u at `previous[i]`.
    previous: `[I]` int64, the player's infoset before (-1: none).
    """

    rows: np.ndarray
    rewards: np.ndarray
    arrivals: np.ndarray
    previous: np.ndarray
    resolution: float


class CachedOutputs(NamedTuple):
    """Outputs of networks by infoset.

    stamps: `[2, I]` when each kind was last evaluated. greedy: `[I]` units. policy: `[I, U]`.
    target: `[I]` largest values by the target network.
    """

    stamps: np.ndarray
    greedy: np.ndarray
    policy: np.ndarray
    target: np.ndarray


class Sampled(NamedTuple):
    """Rows of a minibatch, read from a memory together: one cache miss hides the others.

    transitions: `[batch, 4]` rows of `ring`. behaviour: `[batch]` rows of `reservoir`.
    """

    transitions: np.ndarray
    behaviour: np.ndarray


class Networks(NamedTuple):
    """The value networks and the policy networks."""

    value: network.Learner
    policy: network.Learner


class DescentSettings(NamedTuple):
    """Settings of one kind of network; see `self_play.Descent`.

    batch: rows of a minibatch; 0: the whole memory.
    """

    rate: float
    decay: float
    adam: bool
    updates: int
    batch: int


class Settings(NamedTuple):
    """Settings of the method; see `nfsp.NFSP`."""

    value: DescentSettings
    policy: DescentSettings
    eta: float
    epsilon: float
    offset: float
    slope: float
    keep_exploration: bool
    weighting: float
    masked: bool
    scale: float
    tabular: bool
    table_rate: float
    table_power: float
    ring_per_decision: bool
    window_rate: float
    window_power: float
    target_every: int
    min_rows: int


class NfspRun(NamedTuple):
    """All arrays of a training run on a tree.

    ring: transitions `[R, C, 4]` float32, one ring per player or per decision (infoset * U + unit): infoset,
    unit, reward, next infoset (-1: the game ended). Minibatches are bound by cache misses, so a row is
    contiguous. reservoir: behaviour `[P, D]` int32, infoset * U + unit.
    counters `[3]` and counts `[P, 4]`: int64, in the order of the constants above.
    """

    game: GameArrays
    inputs: network.Inputs
    settings: Settings
    networks: Networks
    statistics: ActionStatistics
    tables: Tables
    ring: np.ndarray
    reservoir: np.ndarray
    sums: Sums
    cached: CachedOutputs
    sampled: Sampled
    batch: network.Batch
    counters: np.ndarray
    counts: np.ndarray
    random_source: RandomSource


@inlined
def next_uniform(random):
    """Return the next number in [0, 1) of a generator."""
    random[0] = draw.step(random[0])
    return draw.uniform(random[0])


@inlined
def reservoir_index(counts, player, capacity, weighting, random):
    """Count an offer and return its row, or -1 if it is not stored.

    Without weighting the m-th offer is stored with probability capacity / m (Vitter 1985, algorithm R), else with
    (1 + weighting) times as much, at most 1: of m offers the i-th is then in a row with a probability in proportion to
    i^weighting, after the first (1 + weighting) capacity.
    """
    index = counts[player, OFFERED]
    counts[player, OFFERED] += 1
    if index >= capacity:
        drawn = max(capacity, np.int64((index + 1) / (1.0 + weighting)))
        index = network.uniform_integer(next_uniform(random), drawn)
    return index if index < capacity else -1


@shared
def best_by_network(run, infoset):
    """Return the best unit by the value network, with its outputs in `batch.out`."""
    inputs, batch = run.inputs, run.batch
    network.forward(run.networks.value.net, inputs, np.int64(inputs.owner[infoset]), infoset, batch.hidden, batch.out)
    return network.best_unit(inputs, run.settings.masked, infoset, batch.out)


@inlined
def policy_by_network(run, infoset):
    """Compute the policy network's probabilities into `batch.out`."""
    inputs, batch = run.inputs, run.batch
    network.forward(run.networks.policy.net, inputs, np.int64(inputs.owner[infoset]), infoset, batch.hidden, batch.out)
    network.softmax(inputs, run.settings.masked, infoset, batch.out)


@inlined
def best_by_table(run, infoset):
    """Return the best unit by the table of values."""
    return network.best_unit(run.inputs, run.settings.masked, infoset, run.statistics.value[infoset])


@inlined
def update_target(run, player):
    """Tabulate the largest value at every infoset of a player."""
    for infoset in range(run.inputs.owner.shape[0]):
        if run.inputs.owner[infoset] == player:
            run.cached.target[infoset] = run.batch.out[best_by_network(run, infoset)]


@shared
def next_value(run, infoset):
    """Return the value of the player's next infoset, from the target table or the network itself."""
    cached, stamp = run.cached, run.counters[STAMP]
    if run.settings.target_every == 0 and cached.stamps[0, infoset] != stamp:
        cached.stamps[0, infoset] = stamp
        cached.target[infoset] = run.batch.out[best_by_network(run, infoset)]
    return cached.target[infoset]


@inlined
def decayed_rate(rate, decay, iteration):
    """Return rate / (1 + iteration / decay), or the constant rate if decay is 0."""
    return np.float32(rate / (1.0 + iteration / decay) if decay > 0.0 else rate)


@shared
def take_step(run, learner, descent, player, step):
    """Take gradient step number `step` on a player's weights."""
    rate = decayed_rate(descent.rate, descent.decay, run.counters[ITERATION])
    network.descend_all(learner, player, rate, descent.adam, step)


@inlined
def descend_values(run, inputs, player, infoset_count, rows):
    """Take one Q-learning step on a batch of infosets with `rows` transitions in all."""
    network.value_gradient(run.networks.value, inputs, player, run.batch, infoset_count, rows)
    run.counts[player, VALUE_STEPS] += 1
    take_step(run, run.networks.value, run.settings.value, player, run.counts[player, VALUE_STEPS])


@inlined
def descend_policy(run, inputs, player, infoset_count, rows):
    """Take one classification step on a batch of infosets with `rows` actions in all."""
    network.policy_gradient(run.networks.policy, inputs, run.settings.masked, player, run.batch, infoset_count, rows)
    run.counts[player, POLICY_STEPS] += 1
    take_step(run, run.networks.policy, run.settings.policy, player, run.counts[player, POLICY_STEPS])


@inlined
def sample_transitions(run, player):
    """Sample a minibatch of transitions with replacement into the batch; return its number of infosets."""
    ring, sampled, batch, infoset_count = run.ring[player], run.sampled.transitions, run.batch, 0
    size = min(run.counts[player, STORED], ring.shape[0])
    for n in range(run.settings.value.batch):
        index = network.uniform_integer(next_uniform(run.random_source.generator), size)
        for column in range(4):
            sampled[n, column] = ring[index, column]
    for n in range(run.settings.value.batch):
        row = sampled[n]
        infoset, unit, target, next_infoset = np.int64(row[0]), np.int64(row[1]), row[2], np.int64(row[3])
        if next_infoset >= 0:
            target += next_value(run, next_infoset)
        infoset_count = network.add_to_batch(batch, run.counters[STAMP], infoset, infoset_count)
        batch.counts[infoset, unit] += np.float32(1.0)
        batch.targets[infoset, unit] += target
    return infoset_count


@inlined
def gather_transitions(run, player):
    """Put all of a player's transitions, summed by decision, into the batch; return the infoset count."""
    sums, batch, infoset_count = run.sums, run.batch, 0
    for infoset in range(run.inputs.owner.shape[0]):
        if run.inputs.owner[infoset] == player:
            infoset_count = network.add_to_batch(batch, run.counters[STAMP], infoset, infoset_count)
            for u in range(batch.out.shape[0]):
                batch.counts[infoset, u] = np.float32(sums.rows[infoset, u])
                batch.targets[infoset, u] = np.float32(sums.rewards[infoset, u] * sums.resolution)
    for n in range(infoset_count):
        infoset = batch.infosets[n]
        if sums.previous[infoset] >= 0:
            value = next_value(run, infoset)
            for u in range(batch.out.shape[0]):
                batch.targets[sums.previous[infoset], u] += np.float32(sums.arrivals[infoset, u]) * value
    return infoset_count


@inlined
def batch_rows(run, infoset_count):
    """Return the number of memory rows at the infosets of a batch."""
    total = np.float32(0.0)
    for n in range(infoset_count):
        for u in range(run.batch.out.shape[0]):
            total += run.batch.counts[run.batch.infosets[n], u]
    return total


@shared
def learn_values(run, player):
    """Train a player's value network on a minibatch, or on all transitions if `batch` is 0."""
    settings = run.settings
    run.counters[STAMP] += 1
    if settings.value.batch > 0:
        infoset_count, rows = sample_transitions(run, player), np.float32(settings.value.batch)
    else:
        infoset_count = gather_transitions(run, player)
        rows = batch_rows(run, infoset_count)
    descend_values(run, run.inputs, player, infoset_count, rows)
    if settings.target_every > 0 and run.counts[player, VALUE_STEPS] % settings.target_every == 0:
        update_target(run, player)


@inlined
def sample_behaviour(run, player, size):
    """Sample a minibatch of behaviour with replacement into the batch; return its number of infosets."""
    behaviour, sampled, batch, infoset_count = run.reservoir[player], run.sampled.behaviour, run.batch, 0
    units = batch.out.shape[0]
    for n in range(run.settings.policy.batch):
        sampled[n] = behaviour[network.uniform_integer(next_uniform(run.random_source.generator), size)]
    for n in range(run.settings.policy.batch):
        row = np.int64(sampled[n])
        infoset_count = network.add_to_batch(batch, run.counters[STAMP], row // units, infoset_count)
        batch.counts[row // units, row % units] += np.float32(1.0)
    return infoset_count


@inlined
def gather_behaviour(run, player):
    """Put all of a player's behaviour, summed by infoset, into the batch; return its number of infosets."""
    batch, infoset_count = run.batch, 0
    for infoset in range(run.inputs.owner.shape[0]):
        if run.inputs.owner[infoset] == player:
            infoset_count = network.add_to_batch(batch, run.counters[STAMP], infoset, infoset_count)
            for u in range(batch.out.shape[0]):
                batch.counts[infoset, u] = np.float32(run.statistics.imitated[infoset, u])
    return infoset_count


@shared
def learn_policy(run, player):
    """Train a player's policy network on a minibatch, or on the whole reservoir if its `batch` is 0."""
    size = min(run.counts[player, OFFERED], run.reservoir.shape[1])
    run.counters[STAMP] += 1
    full = run.settings.policy.batch == 0
    infoset_count = gather_behaviour(run, player) if full else sample_behaviour(run, player, size)
    descend_policy(run, run.inputs, player, infoset_count, np.float32(size if full else run.settings.policy.batch))
