"""What neural fictitious self-play learns: its memories, its networks and the steps of descent on them.

Networks do not change while the tables act, so each is evaluated at most once an iteration at each infoset met. All
memories hold numbers of infosets and units; nothing is observed, encoded or copied.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels import draw
from tefuda._kernels.jit import inlined
from tefuda._kernels.learned import network

ITERATION, GAMES, STAMP = 0, 1, 2  # counters; then per player four more:
SEEN, OFFERED, VALUE_STEPS, POLICY_STEPS = range(4)
FIRST = 3


class World(NamedTuple):
    """The game: nodes and cumulative as in walks.Histories, payoffs `[Z, P]` float64; infoset `[N]` int32."""

    nodes: np.ndarray
    cumulative: np.ndarray
    payoffs: np.ndarray
    infoset: np.ndarray


class Dice(NamedTuple):
    """What chance is drawn from: the state of one generator `[1]` uint64, and for even draws `turns [DRAWS, N]` uint64.

    Even draws step through [0, 1) by the golden ratio, separately for every kind of draw at every history, so what
    happens there happens as often as it should to within about one occurrence: Holroyd and Propp 2010, "Rotor walks
    and Markov chains". With no turns, `[0, N]`, draws are random.
    """

    random: np.ndarray
    turns: np.ndarray


class Tables(NamedTuple):
    """Games going on: node `[G]`, mode `[G, P]`, and the last decision of each seat, infoset (-1: none) and unit
    `[G, P]`.
    """

    node: np.ndarray
    mode: np.ndarray
    infoset: np.ndarray
    unit: np.ndarray


class Memories(NamedTuple):
    """Transitions in rings `[R, C, 4]` float32, one a player or one a decision (infoset * U + unit): infoset, unit,
    reward, following infoset (-1: the game ended); and behaviour in a reservoir `[P, D]` int32: infoset * U + unit. One
    place in memory a row: minibatches are bound by cache misses, and columns apart took a quarter longer.
    """

    transitions: np.ndarray
    behaved: np.ndarray


class Entries(NamedTuple):
    """By infoset and unit `[I, U]`: the value, how often it was learned, and how often the reservoir holds it."""

    value: np.ndarray
    visits: np.ndarray
    held: np.ndarray


class Sums(NamedTuple):
    """What the rings hold, summed, for steps on all of it. By infoset and unit `[I, U]` int64: rows of that decision;
    their rewards, in grains, so that what is added and taken away leaves nothing; and arrived, how often the infoset
    followed that unit of the one its owner decided at before, `[I]` int64, -1 if none.
    """

    rows: np.ndarray
    rewards: np.ndarray
    arrived: np.ndarray
    before: np.ndarray
    grain: float


class Looked(NamedTuple):
    """Outputs at infosets: stamps of the last evaluation `[2, I]`, the greedy unit `[I]`, the policy `[I, U]`; and the
    largest value by the target network `[I]`.
    """

    stamps: np.ndarray
    greedy: np.ndarray
    policy: np.ndarray
    target: np.ndarray


class Brain(NamedTuple):
    """Both kinds of networks with their gradients and moments: weights, gradients, first and second moments."""

    value: network.Net
    value_gradient: network.Net
    value_first: network.Net
    value_second: network.Net
    policy: network.Net
    policy_gradient: network.Net
    policy_first: network.Net
    policy_second: network.Net


class Settings(NamedTuple):
    """Numbers of the method; see nfsp.NFSP."""

    eta: float
    epsilon: float
    offset: float
    slope: float
    keep_exploration: bool
    masked: bool
    scale: float
    value_rate: float
    policy_rate: float
    value_decay: float
    policy_decay: float
    adam: bool
    policy_adam: bool
    tabular: bool
    table_rate: float
    table_power: float
    batch: int
    apart: bool
    window_rate: float
    window_power: float
    policy_batch: int
    value_updates: int
    policy_updates: int
    target_every: int
    least: int


class Run(NamedTuple):
    """Everything a run works on; counters `[3 + 4 P]` int64: see the names above."""

    world: World
    inputs: network.Inputs
    settings: Settings
    brain: Brain
    entries: Entries
    tables: Tables
    memories: Memories
    sums: Sums
    looked: Looked
    batch: network.Batch
    counters: np.ndarray
    dice: Dice


@inlined(fastmath=True)
def spin(random):
    """The next number in [0, 1) of the run's generator."""
    random[0] = draw.step(random[0])
    return draw.uniform(random[0])


@inlined(fastmath=True)
def below(point, count):
    """A number in [0, 1) as a whole number below `count`."""
    return min(np.int64(point * count), count - 1)


@inlined(fastmath=True)
def best_by_network(run, infoset):
    """The best unit by the value network; its outputs are left in `batch.out`."""
    inputs, batch = run.inputs, run.batch
    network.forward(run.brain.value, inputs, inputs.owner[infoset], infoset, batch.hidden, batch.out)
    return network.best_unit(inputs, run.settings.masked, infoset, batch.out)


@inlined(fastmath=True)
def policy_by_network(run, infoset):
    """Leave the policy network's probabilities in `batch.out`."""
    inputs, batch = run.inputs, run.batch
    network.forward(run.brain.policy, inputs, inputs.owner[infoset], infoset, batch.hidden, batch.out)
    network.softmax(inputs, run.settings.masked, infoset, batch.out)


@inlined(fastmath=True)
def best_by_table(run, infoset):
    """The best unit by the table of values."""
    return network.best_unit(run.inputs, run.settings.masked, infoset, run.entries.value[infoset])


@inlined(fastmath=True)
def refit_target(run, player):
    """Tabulate the largest value of every infoset of a player."""
    for infoset in range(run.inputs.owner.shape[0]):
        if run.inputs.owner[infoset] == player:
            run.looked.target[infoset] = run.batch.out[best_by_network(run, infoset)]


@inlined(fastmath=True)
def following_value(run, infoset):
    """The value of the player's next infoset: by the target table, or by the network itself, once a batch."""
    looked, stamp = run.looked, run.counters[STAMP]
    if run.settings.target_every == 0 and looked.stamps[0, infoset] != stamp:
        looked.stamps[0, infoset] = stamp
        looked.target[infoset] = run.batch.out[best_by_network(run, infoset)]
    return looked.target[infoset]


@inlined(fastmath=True)
def rate_at(rate, decay, iteration):
    """rate / (1 + iteration / decay); decay 0: constant."""
    return np.float32(rate / (1.0 + iteration / decay) if decay > 0.0 else rate)


@inlined(fastmath=True)
def step_net(net, gradient, first, second, player, rate, adam, step):
    """One step of descent on all weights of a player."""
    players = net.b1.shape[0]
    network.descend(
        net.w1.reshape(players, -1), gradient.w1.reshape(players, -1), first.w1.reshape(players, -1),
        second.w1.reshape(players, -1), player, rate, adam, step,
    )  # fmt: skip
    network.descend(net.b1, gradient.b1, first.b1, second.b1, player, rate, adam, step)
    network.descend(
        net.w2.reshape(players, -1), gradient.w2.reshape(players, -1), first.w2.reshape(players, -1),
        second.w2.reshape(players, -1), player, rate, adam, step,
    )  # fmt: skip
    network.descend(net.b2, gradient.b2, first.b2, second.b2, player, rate, adam, step)


@inlined(fastmath=True)
def draw_transitions(run, player):
    """Put a minibatch of transitions, drawn with replacement, into the batch; return how many infosets it holds."""
    transitions, batch, listed = run.memories.transitions[player], run.batch, 0
    size = min(run.counters[FIRST + 4 * player + SEEN], transitions.shape[0])
    for _ in range(run.settings.batch):
        row = transitions[below(spin(run.dice.random), size)]
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
    """How many rows a batch of so many infosets stands for."""
    total = np.float32(0.0)
    for n in range(listed):
        for u in range(run.batch.out.shape[0]):
            total += run.batch.counts[run.batch.listed[n], u]
    return total


@inlined(fastmath=True)
def learn_values(run, player):
    """One step of Q-learning on a minibatch, or on all that the rings hold if `batch` is 0."""
    settings, brain, batch, counters = run.settings, run.brain, run.batch, run.counters
    place = FIRST + 4 * player
    counters[STAMP] += 1
    if settings.batch > 0:
        listed, rows = draw_transitions(run, player), np.float32(settings.batch)
    else:
        listed = take_all_transitions(run, player)
        rows = rows_held(run, listed)
    network.value_gradient(brain.value, brain.value_gradient, run.inputs, player, batch, listed, rows)
    counters[place + VALUE_STEPS] += 1
    rate = rate_at(settings.value_rate, settings.value_decay, counters[ITERATION])
    step_net(
        brain.value, brain.value_gradient, brain.value_first, brain.value_second, player, rate, settings.adam,
        counters[place + VALUE_STEPS],
    )  # fmt: skip
    if settings.target_every > 0 and counters[place + VALUE_STEPS] % settings.target_every == 0:
        refit_target(run, player)


@inlined(fastmath=True)
def draw_behaviour(run, player, size):
    """Put a minibatch of behaviour, drawn with replacement, into the batch; return how many infosets it holds."""
    behaved, batch, listed = run.memories.behaved[player], run.batch, 0
    units = batch.out.shape[0]
    for _ in range(run.settings.policy_batch):
        row = behaved[below(spin(run.dice.random), size)]
        listed = network.open_batch(batch, run.counters[STAMP], row // units, listed)
        batch.counts[row // units, row % units] += np.float32(1.0)
    return listed


@inlined(fastmath=True)
def take_all_behaviour(run, player):
    """Put all of a player's behaviour into the batch: summed by infoset, it costs no more than a few hundred rows."""
    batch, listed = run.batch, 0
    for infoset in range(run.inputs.owner.shape[0]):
        if run.inputs.owner[infoset] == player:
            listed = network.open_batch(batch, run.counters[STAMP], infoset, listed)
            for u in range(batch.out.shape[0]):
                batch.counts[infoset, u] = np.float32(run.entries.held[infoset, u])
    return listed


@inlined(fastmath=True)
def learn_policy(run, player):
    """One step of classification on a minibatch, or on the whole reservoir if `policy_batch` is 0."""
    settings, brain, counters, place = run.settings, run.brain, run.counters, FIRST + 4 * player
    size = min(counters[place + OFFERED], run.memories.behaved.shape[1])
    counters[STAMP] += 1
    whole = settings.policy_batch == 0
    listed = take_all_behaviour(run, player) if whole else draw_behaviour(run, player, size)
    rows = np.float32(size if whole else settings.policy_batch)
    network.policy_gradient(
        brain.policy, brain.policy_gradient, run.inputs, settings.masked, player, run.batch, listed, rows
    )
    counters[place + POLICY_STEPS] += 1
    rate = rate_at(settings.policy_rate, settings.policy_decay, counters[ITERATION])
    step_net(
        brain.policy, brain.policy_gradient, brain.policy_first, brain.policy_second, player, rate,
        settings.policy_adam, counters[place + POLICY_STEPS],
    )  # fmt: skip
