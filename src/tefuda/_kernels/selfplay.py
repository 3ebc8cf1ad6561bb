"""Neural fictitious self-play in one loop: acting at many tables, memories, gradient steps (Heinrich and Silver 2016).

Networks do not change while the tables act, so each is evaluated at most once an iteration at each infoset met. All
memories hold numbers of infosets and units; nothing is observed, encoded or copied.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels import draw, network
from tefuda._kernels.jit import blurred
from tefuda._kernels.sample import CHANCE, END, FIRST_PLAYER

UNDECIDED, RESPONDING, AVERAGING = 0, 1, 2  # modes of a seat in a game
ITERATION, GAMES, STAMP = 0, 1, 2  # counters; then per player four more:
SEEN, OFFERED, VALUE_STEPS, POLICY_STEPS = range(4)
_FIRST = 3


class World(NamedTuple):
    """The game: nodes and cumulative as in sample.Rules, payoffs `[Z, P]` float64; infoset `[N]` int32."""

    nodes: np.ndarray
    cumulative: np.ndarray
    payoffs: np.ndarray
    infoset: np.ndarray


class Tables(NamedTuple):
    """Games going on: node `[G]`, mode `[G, P]`, and the last decision of each seat, infoset (-1: none) and unit
    `[G, P]`.
    """

    node: np.ndarray
    mode: np.ndarray
    infoset: np.ndarray
    unit: np.ndarray


class Memories(NamedTuple):
    """Transitions in a ring `[P, C]`: infoset, unit, reward, following infoset (-1: the game ended); and behaviour in
    a reservoir `[P, D]`: infoset, unit.
    """

    from_infoset: np.ndarray
    from_unit: np.ndarray
    reward: np.ndarray
    to_infoset: np.ndarray
    behaved: np.ndarray
    behaved_unit: np.ndarray


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
    batch: int
    value_updates: int
    policy_updates: int
    target_every: int
    least: int


@blurred
def spin(random):
    """The next number in [0, 1) of the run's generator."""
    random[0] = draw.step(random[0])
    return draw.uniform(random[0])


@blurred
def spin_below(random, count):
    """A whole number below `count`."""
    return min(np.int64(spin(random) * count), count - 1)


@blurred
def deal(world, node, random):
    """Let chance move until somebody decides or the game ends; return that node."""
    while world.nodes[node, 0] == CHANCE:
        first, count = np.int64(world.nodes[node, 1]), np.int64(world.nodes[node, 3])
        node = first + draw.pick_outcome(world.cumulative, first, count, spin(random))
    return node


@blurred
def greedy_unit(brain, inputs, masked, infoset, looked, stamp, batch):
    """The best unit by the value network, evaluated once an iteration."""
    if looked.stamps[0, infoset] != stamp:
        looked.stamps[0, infoset] = stamp
        network.forward(brain.value, inputs, inputs.owner[infoset], infoset, batch.hidden, batch.out)
        looked.greedy[infoset] = network.best_unit(inputs, masked, infoset, batch.out)
    return looked.greedy[infoset]


@blurred
def average_unit(brain, inputs, masked, infoset, looked, stamp, batch, point):
    """A unit drawn from the policy network, evaluated once an iteration."""
    if looked.stamps[1, infoset] != stamp:
        looked.stamps[1, infoset] = stamp
        network.forward(brain.policy, inputs, inputs.owner[infoset], infoset, batch.hidden, batch.out)
        network.softmax(inputs, masked, infoset, batch.out)
        for u in range(batch.out.shape[0]):
            looked.policy[infoset, u] = batch.out[u]
    last = 0
    for u in range(batch.out.shape[0]):
        chance = looked.policy[infoset, u]
        if chance > 0.0:
            if point < chance:
                return u
            last = u
        point -= chance
    return last


@blurred
def explored_unit(inputs, masked, infoset, random):
    """A unit drawn uniformly: of the legal ones if masked, else of all."""
    units = inputs.legal.shape[1]
    if not masked:
        return spin_below(random, units)
    count = 0
    for u in range(units):
        count += inputs.legal[infoset, u]
    left = spin_below(random, count)
    for u in range(units):
        if inputs.legal[infoset, u]:
            if left == 0:
                return u
            left -= 1
    return -1


@blurred
def remember(memories, counters, player, infoset, unit, reward, following):
    """Put a transition into the ring."""
    place = counters[_FIRST + 4 * player + SEEN] % memories.from_infoset.shape[1]
    memories.from_infoset[player, place] = infoset
    memories.from_unit[player, place] = unit
    memories.reward[player, place] = reward
    memories.to_infoset[player, place] = following
    counters[_FIRST + 4 * player + SEEN] += 1


@blurred
def offer(memories, counters, player, infoset, unit, random):
    """Offer behaviour to the reservoir: item m is kept with probability capacity / m (Vitter 1985, algorithm R)."""
    place = counters[_FIRST + 4 * player + OFFERED]
    counters[_FIRST + 4 * player + OFFERED] += 1
    capacity = memories.behaved.shape[1]
    if place >= capacity:
        place = spin_below(random, place + 1)
        if place >= capacity:
            return
    memories.behaved[player, place] = infoset
    memories.behaved_unit[player, place] = unit


@blurred
def decide(world, inputs, settings, brain, tables, memories, looked, batch, counters, random, table, epsilon):
    """One decision at one table, and whatever follows until somebody decides again."""
    node = tables.node[table]
    infoset, player = np.int64(world.infoset[node]), np.int64(world.nodes[node, 0]) - FIRST_PLAYER
    if tables.mode[table, player] == UNDECIDED:
        tables.mode[table, player] = RESPONDING if spin(random) < settings.eta else AVERAGING
    stamp = counters[STAMP]
    if tables.mode[table, player] == RESPONDING:
        explored = spin(random) < epsilon
        if explored:
            unit = explored_unit(inputs, settings.masked, infoset, random)
        else:
            unit = greedy_unit(brain, inputs, settings.masked, infoset, looked, stamp, batch)
        if settings.keep_exploration or not explored:
            offer(memories, counters, player, infoset, unit, random)
    else:
        point = spin(random)
        unit = average_unit(brain, inputs, settings.masked, infoset, looked, stamp, batch, point)
    if tables.infoset[table, player] >= 0:
        past, its_unit = tables.infoset[table, player], tables.unit[table, player]
        remember(memories, counters, player, past, its_unit, 0.0, infoset)
    tables.infoset[table, player] = infoset
    tables.unit[table, player] = unit
    node = deal(world, np.int64(world.nodes[node, 1]) + inputs.action[infoset, unit], random)
    if world.nodes[node, 0] == END:
        counters[GAMES] += 1
        for seat in range(tables.mode.shape[1]):
            if tables.infoset[table, seat] >= 0:
                reward = settings.scale * world.payoffs[world.nodes[node, 2], seat]
                remember(memories, counters, seat, tables.infoset[table, seat], tables.unit[table, seat], reward, -1)
            tables.infoset[table, seat] = -1
            tables.mode[table, seat] = UNDECIDED
        node = deal(world, np.int64(0), random)
    tables.node[table] = node


@blurred
def refit_target(brain, inputs, masked, player, looked, batch):
    """Tabulate the largest value of every infoset of a player."""
    for infoset in range(inputs.owner.shape[0]):
        if inputs.owner[infoset] == player:
            network.forward(brain.value, inputs, player, infoset, batch.hidden, batch.out)
            looked.target[infoset] = batch.out[network.best_unit(inputs, masked, infoset, batch.out)]


@blurred
def following_value(brain, inputs, settings, player, infoset, looked, batch, stamp):
    """The value of the player's next infoset: by the target table, or by the network itself, once a batch."""
    if settings.target_every == 0 and looked.stamps[0, infoset] != stamp:
        looked.stamps[0, infoset] = stamp
        network.forward(brain.value, inputs, player, infoset, batch.hidden, batch.out)
        looked.target[infoset] = batch.out[network.best_unit(inputs, settings.masked, infoset, batch.out)]
    return looked.target[infoset]


@blurred
def rate_at(rate, decay, iteration):
    """rate / (1 + iteration / decay); decay 0: constant."""
    return np.float32(rate / (1.0 + iteration / decay) if decay > 0.0 else rate)


@blurred
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


@blurred
def learn_values(inputs, settings, brain, memories, looked, batch, counters, random, player):
    """One step of Q-learning on a minibatch drawn with replacement."""
    place = _FIRST + 4 * player
    size, listed = min(counters[place + SEEN], memories.from_infoset.shape[1]), 0
    counters[STAMP] += 1
    stamp = counters[STAMP]
    for _ in range(settings.batch):
        row = spin_below(random, size)
        infoset, unit = memories.from_infoset[player, row], memories.from_unit[player, row]
        following, target = memories.to_infoset[player, row], memories.reward[player, row]
        if following >= 0:
            target += following_value(brain, inputs, settings, player, following, looked, batch, stamp)
        listed = network.open_batch(batch, stamp, infoset, listed)
        batch.counts[infoset, unit] += np.float32(1.0)
        batch.targets[infoset, unit] += target
    network.value_gradient(brain.value, brain.value_gradient, inputs, player, batch, listed, np.float32(settings.batch))
    counters[place + VALUE_STEPS] += 1
    rate = rate_at(settings.value_rate, settings.value_decay, counters[ITERATION])
    step_net(
        brain.value, brain.value_gradient, brain.value_first, brain.value_second, player, rate, settings.adam,
        counters[place + VALUE_STEPS],
    )  # fmt: skip
    if settings.target_every > 0 and counters[place + VALUE_STEPS] % settings.target_every == 0:
        refit_target(brain, inputs, settings.masked, player, looked, batch)


@blurred
def learn_policy(inputs, settings, brain, memories, batch, counters, random, player):
    """One step of classification on a minibatch drawn with replacement."""
    place = _FIRST + 4 * player
    size, listed = min(counters[place + OFFERED], memories.behaved.shape[1]), 0
    counters[STAMP] += 1
    for _ in range(settings.batch):
        row = spin_below(random, size)
        infoset = memories.behaved[player, row]
        listed = network.open_batch(batch, counters[STAMP], infoset, listed)
        batch.counts[infoset, memories.behaved_unit[player, row]] += np.float32(1.0)
    network.policy_gradient(
        brain.policy, brain.policy_gradient, inputs, settings.masked, player, batch, listed, np.float32(settings.batch)
    )
    counters[place + POLICY_STEPS] += 1
    rate = rate_at(settings.policy_rate, settings.policy_decay, counters[ITERATION])
    step_net(
        brain.policy, brain.policy_gradient, brain.policy_first, brain.policy_second, player, rate, settings.adam,
        counters[place + POLICY_STEPS],
    )  # fmt: skip


@blurred
def exploration(settings, iteration):
    """epsilon / (offset + slope sqrt(n)), at most 1."""
    return min(1.0, settings.epsilon / (settings.offset + settings.slope * np.sqrt(iteration)))


@blurred
def play_and_learn(world, inputs, settings, brain, tables, memories, looked, batch, counters, random, games):
    """Run iterations until `games` have been finished: one decision a table, then steps for every player."""
    players = tables.mode.shape[1]
    while counters[GAMES] < games:
        counters[ITERATION] += 1
        counters[STAMP] += 1
        epsilon = exploration(settings, counters[ITERATION])
        for table in range(tables.node.shape[0]):
            decide(world, inputs, settings, brain, tables, memories, looked, batch, counters, random, table, epsilon)
        for player in range(players):
            if counters[_FIRST + 4 * player + SEEN] > settings.least:
                for _ in range(settings.value_updates):
                    learn_values(inputs, settings, brain, memories, looked, batch, counters, random, player)
            if counters[_FIRST + 4 * player + OFFERED] > settings.least:
                for _ in range(settings.policy_updates):
                    learn_policy(inputs, settings, brain, memories, batch, counters, random, player)


@blurred
def tabulate(brain, inputs, masked, batch, greedy, policy):
    """Fill the greedy unit `[I]` and the policy `[I, U]` of every infoset."""
    for infoset in range(inputs.owner.shape[0]):
        owner = inputs.owner[infoset]
        network.forward(brain.value, inputs, owner, infoset, batch.hidden, batch.out)
        greedy[infoset] = network.best_unit(inputs, masked, infoset, batch.out)
        network.forward(brain.policy, inputs, owner, infoset, batch.hidden, batch.out)
        network.softmax(inputs, masked, infoset, batch.out)
        for u in range(batch.out.shape[0]):
            policy[infoset, u] = batch.out[u]
