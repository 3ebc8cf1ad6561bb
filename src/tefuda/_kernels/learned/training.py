"""The learning of neural fictitious self-play: memories, networks and steps of descent.

Networks do not change while the tables act, so each is evaluated at most once an iteration at each infoset met. All
memories hold numbers of infosets and units; nothing is observed, encoded or copied.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels import draw
from tefuda._kernels.jit import inlined
from tefuda._kernels.learned import network

ITERATION, GAMES, STAMP = range(3)  # counters
SEEN, OFFERED, VALUE_STEPS, POLICY_STEPS = range(4)  # counts of each player
UNDECIDED, RESPONDING, AVERAGING = 0, 1, 2  # modes of a seat in a game


class World(NamedTuple):
    """The game: nodes and cumulative as in histories.Histories, payoffs `[Z, P]` float64; infoset `[N]` int32."""

    nodes: np.ndarray
    cumulative: np.ndarray
    payoffs: np.ndarray
    infoset: np.ndarray


class Dice(NamedTuple):
    """The sources of chance: the state of one generator `[1]` uint64, and for even draws `turns [DRAWS, N]` uint64.

    Even draws step through [0, 1) by the golden ratio, separately for every kind of draw at every history. Outcomes
    then come as often as they should to within about one occurrence: Holroyd and Propp 2010, "Rotor walks and Markov
    chains". With no turns, `[0, N]`, draws are random.
    """

    random: np.ndarray
    turns: np.ndarray


class Tables(NamedTuple):
    """Games: node `[G]`, mode `[G, P]`, and the last decision of each seat, infoset (-1: none) and unit `[G, P]`."""

    node: np.ndarray
    mode: np.ndarray
    infoset: np.ndarray
    unit: np.ndarray


class Entries(NamedTuple):
    """By infoset and unit `[I, U]`: the value, its number of updates, and its number of rows in the reservoir."""

    value: np.ndarray
    visits: np.ndarray
    held: np.ndarray


class Sums(NamedTuple):
    """Sums over the rings, for steps on all rows.

    rows, rewards: of each decision `[I, U]` int64; rewards in grains, so that sums are exact. arrived: `[I, U]` int64
    times that the infoset followed this unit of `before` `[I]` int64, its owner's decision before (-1: none).
    """

    rows: np.ndarray
    rewards: np.ndarray
    arrived: np.ndarray
    before: np.ndarray
    grain: float


class Looked(NamedTuple):
    """Outputs at infosets: stamps of the last evaluation `[2, I]`, greedy units `[I]`, policies `[I, U]`, and largest
    values by the target network `[I]`.
    """

    stamps: np.ndarray
    greedy: np.ndarray
    policy: np.ndarray
    target: np.ndarray


class Brain(NamedTuple):
    """Both kinds of networks."""

    value: network.Learner
    policy: network.Learner


class Descent(NamedTuple):
    """Numbers of one kind of network; see `nfsp.Descent`. batch: rows of a minibatch; 0: all that memory holds."""

    rate: float
    decay: float
    adam: bool
    updates: int
    batch: int


class Settings(NamedTuple):
    """Numbers of the method; see `nfsp.NFSP`."""

    value: Descent
    policy: Descent
    eta: float
    epsilon: float
    offset: float
    slope: float
    keep_exploration: bool
    masked: bool
    scale: float
    tabular: bool
    table_rate: float
    table_power: float
    apart: bool
    window_rate: float
    window_power: float
    target_every: int
    least: int


class Run(NamedTuple):
    """Everything a run works on.

    ring: transitions `[R, C, 4]` float32, a ring for each player or each decision (infoset * U + unit): infoset, unit,
    reward, following infoset (-1: the game ended). reservoir: behaviour `[P, D]` int32: infoset * U + unit. A row lies
    in one place in memory: minibatches are bound by cache misses. counters `[3]` and counts
    `[P, 4]`: int64, see the names above.
    """

    world: World
    inputs: network.Inputs
    settings: Settings
    brain: Brain
    entries: Entries
    tables: Tables
    ring: np.ndarray
    reservoir: np.ndarray
    sums: Sums
    looked: Looked
    batch: network.Batch
    counters: np.ndarray
    counts: np.ndarray
    dice: Dice


@inlined(fastmath=True)
def spin(random):
    """Return the next number in [0, 1) of a generator."""
    random[0] = draw.step(random[0])
    return draw.uniform(random[0])


@inlined(fastmath=True)
def reservoir_place(counts, player, capacity, random):
    """Count an offer; return its row, or -1: the m-th is kept with probability capacity / m (Vitter 1985, R)."""
    place = counts[player, OFFERED]
    counts[player, OFFERED] += 1
    if place >= capacity:
        place = network.below(spin(random), place + 1)
    return place if place < capacity else -1


@inlined(fastmath=True)
def best_by_network(run, infoset):
    """Return the best unit by the value network; its outputs are left in `batch.out`."""
    inputs, batch = run.inputs, run.batch
    network.forward(run.brain.value.net, inputs, inputs.owner[infoset], infoset, batch.hidden, batch.out)
    return network.best_unit(inputs, run.settings.masked, infoset, batch.out)


@inlined(fastmath=True)
def policy_by_network(run, infoset):
    """Leave the policy network's probabilities in `batch.out`."""
    inputs, batch = run.inputs, run.batch
    network.forward(run.brain.policy.net, inputs, inputs.owner[infoset], infoset, batch.hidden, batch.out)
    network.softmax(inputs, run.settings.masked, infoset, batch.out)


@inlined(fastmath=True)
def best_by_table(run, infoset):
    """Return the best unit by the table of values."""
    return network.best_unit(run.inputs, run.settings.masked, infoset, run.entries.value[infoset])


@inlined(fastmath=True)
def refit_target(run, player):
    """Tabulate the largest value of every infoset of a player."""
    for infoset in range(run.inputs.owner.shape[0]):
        if run.inputs.owner[infoset] == player:
            run.looked.target[infoset] = run.batch.out[best_by_network(run, infoset)]


@inlined(fastmath=True)
def following_value(run, infoset):
    """Return the value of the player's next infoset: by the target table, or by the network itself, once a batch."""
    looked, stamp = run.looked, run.counters[STAMP]
    if run.settings.target_every == 0 and looked.stamps[0, infoset] != stamp:
        looked.stamps[0, infoset] = stamp
        looked.target[infoset] = run.batch.out[best_by_network(run, infoset)]
    return looked.target[infoset]


@inlined(fastmath=True)
def rate_at(rate, decay, iteration):
    """Return rate / (1 + iteration / decay); decay 0: constant."""
    return np.float32(rate / (1.0 + iteration / decay) if decay > 0.0 else rate)


@inlined(fastmath=True)
def step_net(run, learner, descent, player, kind):
    """Take one step of descent on a player's weights, and count it."""
    run.counts[player, kind] += 1
    rate = rate_at(descent.rate, descent.decay, run.counters[ITERATION])
    network.descend_all(learner, player, rate, descent.adam, run.counts[player, kind])


@inlined(fastmath=True)
def descend_values(run, inputs, player, listed, rows):
    """Take one step of Q-learning on a batch of so many infosets, which stands for so many rows of memory."""
    network.value_gradient(run.brain.value, inputs, player, run.batch, listed, rows)
    step_net(run, run.brain.value, run.settings.value, player, VALUE_STEPS)


@inlined(fastmath=True)
def descend_policy(run, inputs, player, listed, rows):
    """Take one step of classification on such a batch."""
    network.policy_gradient(run.brain.policy, inputs, run.settings.masked, player, run.batch, listed, rows)
    step_net(run, run.brain.policy, run.settings.policy, player, POLICY_STEPS)


@inlined(fastmath=True)
def draw_transitions(run, player):
    """Put a minibatch of transitions, drawn with replacement, into the batch; return how many infosets it holds."""
    transitions, batch, listed = run.ring[player], run.batch, 0
    size = min(run.counts[player, SEEN], transitions.shape[0])
    for _ in range(run.settings.value.batch):
        row = transitions[network.below(spin(run.dice.random), size)]
        infoset, unit, target, following = np.int64(row[0]), np.int64(row[1]), row[2], np.int64(row[3])
        if following >= 0:
            target += following_value(run, following)
        listed = network.open_batch(batch, run.counters[STAMP], infoset, listed)
        batch.counts[infoset, unit] += np.float32(1.0)
        batch.targets[infoset, unit] += target
    return listed


@inlined(fastmath=True)
def take_all_transitions(run, player):
    """Put all of a player's transitions into the batch, summed by decision; return how many infosets it holds."""
    sums, batch, listed = run.sums, run.batch, 0
    for infoset in range(run.inputs.owner.shape[0]):
        if run.inputs.owner[infoset] == player:
            listed = network.open_batch(batch, run.counters[STAMP], infoset, listed)
            for u in range(batch.out.shape[0]):
                batch.counts[infoset, u] = np.float32(sums.rows[infoset, u])
                batch.targets[infoset, u] = np.float32(sums.rewards[infoset, u] * sums.grain)
    for n in range(listed):
        infoset = batch.listed[n]
        if sums.before[infoset] >= 0:
            value = following_value(run, infoset)
            for u in range(batch.out.shape[0]):
                batch.targets[sums.before[infoset], u] += np.float32(sums.arrived[infoset, u]) * value
    return listed


@inlined(fastmath=True)
def rows_held(run, listed):
    """Return the number of rows that a batch of so many infosets stands for."""
    total = np.float32(0.0)
    for n in range(listed):
        for u in range(run.batch.out.shape[0]):
            total += run.batch.counts[run.batch.listed[n], u]
    return total


@inlined(fastmath=True)
def learn_values(run, player):
    """Learn from a minibatch of transitions, or from all that the rings hold if `batch` is 0."""
    settings = run.settings
    run.counters[STAMP] += 1
    if settings.value.batch > 0:
        listed, rows = draw_transitions(run, player), np.float32(settings.value.batch)
    else:
        listed = take_all_transitions(run, player)
        rows = rows_held(run, listed)
    descend_values(run, run.inputs, player, listed, rows)
    if settings.target_every > 0 and run.counts[player, VALUE_STEPS] % settings.target_every == 0:
        refit_target(run, player)


@inlined(fastmath=True)
def draw_behaviour(run, player, size):
    """Put a minibatch of behaviour, drawn with replacement, into the batch; return how many infosets it holds."""
    behaved, batch, listed = run.reservoir[player], run.batch, 0
    units = batch.out.shape[0]
    for _ in range(run.settings.policy.batch):
        row = behaved[network.below(spin(run.dice.random), size)]
        listed = network.open_batch(batch, run.counters[STAMP], row // units, listed)
        batch.counts[row // units, row % units] += np.float32(1.0)
    return listed


@inlined(fastmath=True)
def take_all_behaviour(run, player):
    """Put all of a player's behaviour, summed by infoset, into the batch; return how many infosets it holds."""
    batch, listed = run.batch, 0
    for infoset in range(run.inputs.owner.shape[0]):
        if run.inputs.owner[infoset] == player:
            listed = network.open_batch(batch, run.counters[STAMP], infoset, listed)
            for u in range(batch.out.shape[0]):
                batch.counts[infoset, u] = np.float32(run.entries.held[infoset, u])
    return listed


@inlined(fastmath=True)
def learn_policy(run, player):
    """Learn from a minibatch of behaviour, or from the whole reservoir if the policy's `batch` is 0."""
    size = min(run.counts[player, OFFERED], run.reservoir.shape[1])
    run.counters[STAMP] += 1
    whole = run.settings.policy.batch == 0
    listed = take_all_behaviour(run, player) if whole else draw_behaviour(run, player, size)
    descend_policy(run, run.inputs, player, listed, np.float32(size if whole else run.settings.policy.batch))
