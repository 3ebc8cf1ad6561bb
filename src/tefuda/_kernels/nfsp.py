"""Neural fictitious self-play in one loop: acting at many tables, memories, gradient steps (Heinrich and Silver 2016).

Networks do not change while the tables act, so each is evaluated at most once an iteration at each infoset met. All
memories hold numbers of infosets and units; nothing is observed, encoded or copied.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels import draw, network
from tefuda._kernels.jit import blurred
from tefuda._kernels.mccfr import CHANCE, END, FIRST_PLAYER

DEAL = MODE = 0  # kinds of draws at a history; see Dice
COIN, EXPLORED, AVERAGE = 1, 2, 3
DRAWS = 4
UNDECIDED, RESPONDING, AVERAGING = 0, 1, 2  # modes of a seat in a game
ITERATION, GAMES, STAMP = 0, 1, 2  # counters; then per player four more:
SEEN, OFFERED, VALUE_STEPS, POLICY_STEPS = range(4)
_FIRST = 3


class World(NamedTuple):
    """The game: nodes and cumulative as in mccfr.Rules, payoffs `[Z, P]` float64; infoset `[N]` int32."""

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
    """Transitions in a ring `[P, C, 4]` float32: infoset, unit, reward, following infoset (-1: the game ended); and
    behaviour in a reservoir `[P, D]` int32: infoset * U + unit. One place in memory a row: minibatches are bound by
    cache misses, and columns apart took a quarter longer.
    """

    transitions: np.ndarray
    behaved: np.ndarray


class Entries(NamedTuple):
    """By infoset and unit `[I, U]`: the value, how often it was learned, and how often the reservoir holds it."""

    value: np.ndarray
    visits: np.ndarray
    held: np.ndarray


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
    tabular: bool
    table_rate: float
    table_power: float
    batch: int
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
    looked: Looked
    batch: network.Batch
    counters: np.ndarray
    dice: Dice


@blurred
def spin(random):
    """The next number in [0, 1) of the run's generator."""
    random[0] = draw.step(random[0])
    return draw.uniform(random[0])


@blurred
def below(point, count):
    """A number in [0, 1) as a whole number below `count`."""
    return min(np.int64(point * count), count - 1)


@blurred
def roll(dice, kind, node):
    """The next number in [0, 1) for a kind of draw at a history."""
    if dice.turns.shape[0] == 0:
        return spin(dice.random)
    dice.turns[kind, node] = draw.step(dice.turns[kind, node])
    return draw.fraction(dice.turns[kind, node])


@blurred
def deal(world, node, dice):
    """Let chance move until somebody decides or the game ends; return that node."""
    while world.nodes[node, 0] == CHANCE:
        first, count = np.int64(world.nodes[node, 1]), np.int64(world.nodes[node, 3])
        node = first + draw.pick_outcome(world.cumulative, first, count, roll(dice, DEAL, node))
    return node


@blurred
def best_by_network(run, infoset):
    """The best unit by the value network; its outputs are left in `batch.out`."""
    inputs, batch = run.inputs, run.batch
    network.forward(run.brain.value, inputs, inputs.owner[infoset], infoset, batch.hidden, batch.out)
    return network.best_unit(inputs, run.settings.masked, infoset, batch.out)


@blurred
def policy_by_network(run, infoset):
    """Leave the policy network's probabilities in `batch.out`."""
    inputs, batch = run.inputs, run.batch
    network.forward(run.brain.policy, inputs, inputs.owner[infoset], infoset, batch.hidden, batch.out)
    network.softmax(inputs, run.settings.masked, infoset, batch.out)


@blurred
def best_by_table(run, infoset):
    """The best unit by the table of values."""
    return network.best_unit(run.inputs, run.settings.masked, infoset, run.entries.value[infoset])


@blurred
def greedy_unit(run, infoset):
    """The best unit by the table, or by the network, evaluated once an iteration."""
    if run.settings.tabular:
        return best_by_table(run, infoset)
    looked, stamp = run.looked, run.counters[STAMP]
    if looked.stamps[0, infoset] != stamp:
        looked.stamps[0, infoset] = stamp
        looked.greedy[infoset] = best_by_network(run, infoset)
    return looked.greedy[infoset]


@blurred
def average_unit(run, infoset, point):
    """A unit drawn from the policy network, evaluated once an iteration."""
    looked, stamp, batch = run.looked, run.counters[STAMP], run.batch
    if looked.stamps[1, infoset] != stamp:
        looked.stamps[1, infoset] = stamp
        policy_by_network(run, infoset)
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
def explored_unit(run, infoset, point):
    """A unit drawn uniformly: of the legal ones if masked, else of all."""
    legal = run.inputs.legal[infoset]
    if not run.settings.masked:
        return below(point, legal.shape[0])
    left = below(point, legal.sum())
    for u in range(legal.shape[0]):
        if legal[u]:
            if left == 0:
                return u
            left -= 1
    return -1


@blurred
def learn_entry(run, infoset, unit, reward, following):
    """One step of tabular Q-learning at the rate c n^-w of the n-th visit (Even-Dar and Mansour 2003)."""
    entries, settings = run.entries, run.settings
    target = reward
    if following >= 0:
        target += entries.value[following, best_by_table(run, following)]
    entries.visits[infoset, unit] += 1
    rate = min(1.0, settings.table_rate * entries.visits[infoset, unit] ** -settings.table_power)
    entries.value[infoset, unit] += rate * (target - entries.value[infoset, unit])


@blurred
def remember(run, player, infoset, unit, reward, following):
    """Put a transition into the ring."""
    memories, counter = run.memories, _FIRST + 4 * player + SEEN
    row = memories.transitions[player, run.counters[counter] % memories.transitions.shape[1]]
    row[0], row[1], row[2], row[3] = infoset, unit, reward, following
    run.counters[counter] += 1


@blurred
def offer(run, player, infoset, unit):
    """Offer behaviour to the reservoir: item m is kept with probability capacity / m (Vitter 1985, algorithm R)."""
    behaved, held, counter = run.memories.behaved[player], run.entries.held, _FIRST + 4 * player + OFFERED
    place, capacity, units = run.counters[counter], behaved.shape[0], held.shape[1]
    run.counters[counter] += 1
    if place >= capacity:
        place = below(spin(run.dice.random), place + 1)
        if place >= capacity:
            return
        held[behaved[place] // units, behaved[place] % units] -= 1
    held[infoset, unit] += 1
    behaved[place] = infoset * units + unit


@blurred
def choose(run, table, epsilon):
    """The unit the player at a table plays now, by the mode of the seat; best responses are offered for imitation."""
    settings, dice, mode = run.settings, run.dice, run.tables.mode
    node = run.tables.node[table]
    infoset, player = np.int64(run.world.infoset[node]), np.int64(run.world.nodes[node, 0]) - FIRST_PLAYER
    if mode[table, player] == UNDECIDED:
        mode[table, player] = RESPONDING if roll(dice, MODE, node) < settings.eta else AVERAGING
    if mode[table, player] == AVERAGING:
        return average_unit(run, infoset, roll(dice, AVERAGE, node))
    explored = roll(dice, COIN, node) < epsilon
    if explored:
        unit = explored_unit(run, infoset, roll(dice, EXPLORED, node))
    else:
        unit = greedy_unit(run, infoset)
    if settings.keep_exploration or not explored:
        offer(run, player, infoset, unit)
    return unit


@blurred
def complete(run, table, player, reward, following):
    """The player's last decision at a table, if any, has led to a reward and an infoset: learn it and remember it."""
    infoset, unit = run.tables.infoset[table, player], run.tables.unit[table, player]
    if infoset >= 0:
        if run.settings.tabular:
            learn_entry(run, infoset, unit, reward, following)
        remember(run, player, infoset, unit, reward, following)


@blurred
def decide(run, table, epsilon):
    """One decision at one table, and whatever follows until somebody decides again."""
    world, tables = run.world, run.tables
    unit, node = choose(run, table, epsilon), tables.node[table]
    infoset, player = np.int64(world.infoset[node]), np.int64(world.nodes[node, 0]) - FIRST_PLAYER
    complete(run, table, player, 0.0, infoset)
    tables.infoset[table, player] = infoset
    tables.unit[table, player] = unit
    node = deal(world, np.int64(world.nodes[node, 1]) + run.inputs.action[infoset, unit], run.dice)
    if world.nodes[node, 0] == END:
        run.counters[GAMES] += 1
        for seat in range(tables.mode.shape[1]):
            complete(run, table, seat, run.settings.scale * world.payoffs[world.nodes[node, 2], seat], -1)
            tables.infoset[table, seat] = -1
            tables.mode[table, seat] = UNDECIDED
        node = deal(world, np.int64(0), run.dice)
    tables.node[table] = node


@blurred
def refit_target(run, player):
    """Tabulate the largest value of every infoset of a player."""
    for infoset in range(run.inputs.owner.shape[0]):
        if run.inputs.owner[infoset] == player:
            run.looked.target[infoset] = run.batch.out[best_by_network(run, infoset)]


@blurred
def following_value(run, infoset):
    """The value of the player's next infoset: by the target table, or by the network itself, once a batch."""
    looked, stamp = run.looked, run.counters[STAMP]
    if run.settings.target_every == 0 and looked.stamps[0, infoset] != stamp:
        looked.stamps[0, infoset] = stamp
        looked.target[infoset] = run.batch.out[best_by_network(run, infoset)]
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
def learn_values(run, player):
    """One step of Q-learning on a minibatch drawn with replacement."""
    settings, brain, batch, counters = run.settings, run.brain, run.batch, run.counters
    place, transitions = _FIRST + 4 * player, run.memories.transitions[player]
    size, listed = min(counters[place + SEEN], transitions.shape[0]), 0
    counters[STAMP] += 1
    for _ in range(settings.batch):
        row = transitions[below(spin(run.dice.random), size)]
        infoset, unit, target, following = np.int64(row[0]), np.int64(row[1]), row[2], np.int64(row[3])
        if following >= 0:
            target += following_value(run, following)
        listed = network.open_batch(batch, counters[STAMP], infoset, listed)
        batch.counts[infoset, unit] += np.float32(1.0)
        batch.targets[infoset, unit] += target
    rows = np.float32(settings.batch)
    network.value_gradient(brain.value, brain.value_gradient, run.inputs, player, batch, listed, rows)
    counters[place + VALUE_STEPS] += 1
    rate = rate_at(settings.value_rate, settings.value_decay, counters[ITERATION])
    step_net(
        brain.value, brain.value_gradient, brain.value_first, brain.value_second, player, rate, settings.adam,
        counters[place + VALUE_STEPS],
    )  # fmt: skip
    if settings.target_every > 0 and counters[place + VALUE_STEPS] % settings.target_every == 0:
        refit_target(run, player)


@blurred
def draw_behaviour(run, player, size):
    """Put a minibatch of behaviour, drawn with replacement, into the batch; return how many infosets it holds."""
    behaved, batch, listed = run.memories.behaved[player], run.batch, 0
    units = batch.out.shape[0]
    for _ in range(run.settings.policy_batch):
        row = behaved[below(spin(run.dice.random), size)]
        listed = network.open_batch(batch, run.counters[STAMP], row // units, listed)
        batch.counts[row // units, row % units] += np.float32(1.0)
    return listed


@blurred
def take_all_behaviour(run, player):
    """Put all of a player's behaviour into the batch: summed by infoset, it costs no more than a few hundred rows."""
    batch, listed = run.batch, 0
    for infoset in range(run.inputs.owner.shape[0]):
        if run.inputs.owner[infoset] == player:
            listed = network.open_batch(batch, run.counters[STAMP], infoset, listed)
            for u in range(batch.out.shape[0]):
                batch.counts[infoset, u] = np.float32(run.entries.held[infoset, u])
    return listed


@blurred
def learn_policy(run, player):
    """One step of classification on a minibatch, or on the whole reservoir if `policy_batch` is 0."""
    settings, brain, counters, place = run.settings, run.brain, run.counters, _FIRST + 4 * player
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
        brain.policy, brain.policy_gradient, brain.policy_first, brain.policy_second, player, rate, settings.adam,
        counters[place + POLICY_STEPS],
    )  # fmt: skip


@blurred
def exploration(settings, iteration):
    """epsilon / (offset + slope sqrt(n)), at most 1."""
    return min(1.0, settings.epsilon / (settings.offset + settings.slope * np.sqrt(iteration)))


@blurred
def play_and_learn(run, games):
    """Run iterations until `games` have been finished: one decision a table, then steps for every player."""
    settings, counters = run.settings, run.counters
    while counters[GAMES] < games:
        counters[ITERATION] += 1
        counters[STAMP] += 1
        epsilon = exploration(settings, counters[ITERATION])
        for table in range(run.tables.node.shape[0]):
            decide(run, table, epsilon)
        for player in range(run.tables.mode.shape[1]):
            if not settings.tabular and counters[_FIRST + 4 * player + SEEN] > settings.least:
                for _ in range(settings.value_updates):
                    learn_values(run, player)
            if counters[_FIRST + 4 * player + OFFERED] > settings.least:
                for _ in range(settings.policy_updates):
                    learn_policy(run, player)


@blurred
def tabulate(run, greedy, policy):
    """Fill the greedy unit `[I]` and the policy `[I, U]` of every infoset."""
    for infoset in range(greedy.shape[0]):
        greedy[infoset] = best_by_table(run, infoset) if run.settings.tabular else best_by_network(run, infoset)
        policy_by_network(run, infoset)
        for u in range(policy.shape[1]):
            policy[infoset, u] = run.batch.out[u]
