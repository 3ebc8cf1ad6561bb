"""Neural fictitious self-play in one loop: play at many tables, then train (Heinrich and Silver 2016)."""

from __future__ import annotations

import numpy as np

from tefuda._kernels import draw
from tefuda._kernels.histories import CHANCE, END, FIRST_PLAYER
from tefuda._kernels.jit import inlined, shared
from tefuda._kernels.learned import network, training

DEAL = MODE = 0  # kinds of draws at a history; see RandomSource
EXPLORE, EXPLORED_UNIT, AVERAGE_UNIT = 1, 2, 3
DRAW_KINDS = 4
_NONE = np.int64(-1)  # the infoset after a player's last decision


@inlined
def next_draw(random_source, kind, node):
    """Return the next number in [0, 1) for one kind of draw at a history."""
    if random_source.rotors.shape[0] == 0:
        return training.next_uniform(random_source.generator)
    random_source.rotors[kind, node] = draw.step(random_source.rotors[kind, node])
    return draw.fraction(random_source.rotors[kind, node])


@shared
def deal(game, node, random_source):
    """Sample chance events until a decision or the end of the game; return that node."""
    while game.nodes[node, 0] == CHANCE:
        first, count = np.int64(game.nodes[node, 1]), np.int64(game.nodes[node, 3])
        node = first + draw.pick_outcome(game.cumulative, first, count, next_draw(random_source, DEAL, node))
    return node


@inlined
def greedy_unit(run, infoset):
    """Return the unit with the best value, by the table or by the network (evaluated once an iteration)."""
    if run.settings.tabular:
        return training.best_by_table(run, infoset)
    cached, stamp = run.cached, run.counters[training.STAMP]
    if cached.stamps[0, infoset] != stamp:
        cached.stamps[0, infoset] = stamp
        cached.greedy[infoset] = training.best_by_network(run, infoset)
    return cached.greedy[infoset]


@inlined
def average_unit(run, infoset, uniform):
    """Sample a unit from the policy network, which is evaluated once an iteration."""
    cached, stamp, batch = run.cached, run.counters[training.STAMP], run.batch
    if cached.stamps[1, infoset] != stamp:
        cached.stamps[1, infoset] = stamp
        training.policy_by_network(run, infoset)
        for u in range(batch.out.shape[0]):
            cached.policy[infoset, u] = batch.out[u]
    return network.sample_unit(cached.policy[infoset], uniform)


@inlined
def exploratory_unit(run, infoset, uniform):
    """Return a uniformly drawn unit: a legal one if masked, else any."""
    legal = run.inputs.legal[infoset]
    return (
        network.sample_legal_unit(legal, uniform)
        if run.settings.masked
        else network.uniform_integer(uniform, legal.shape[0])
    )


@inlined
def update_table(run, infoset, unit, reward, next_infoset):
    """Take one step of tabular Q-learning; the n-th visit has rate c n^-w (Even-Dar and Mansour 2003)."""
    statistics, settings = run.statistics, run.settings
    target = reward
    if next_infoset >= 0:
        target += statistics.value[next_infoset, training.best_by_table(run, next_infoset)]
    statistics.visits[infoset, unit] += 1
    rate = min(1.0, settings.table_rate * statistics.visits[infoset, unit] ** -settings.table_power)
    statistics.value[infoset, unit] += rate * (target - statistics.value[infoset, unit])


@inlined
def add_to_sums(sums, row, sign):
    """Add a transition to the sums over the rings, or subtract it if `sign` is -1."""
    infoset, unit, next_infoset = np.int64(row[0]), np.int64(row[1]), np.int64(row[3])
    sums.rows[infoset, unit] += sign
    sums.rewards[infoset, unit] += sign * np.int64(np.rint(row[2] / sums.resolution))
    if next_infoset >= 0:
        sums.arrivals[next_infoset, unit] += sign


@inlined
def window_size(settings, capacity, stored):
    """Return the number of recent transitions that training uses after `stored` transitions."""
    if settings.window_rate == 0.0:
        return min(stored, capacity)
    return min(stored, capacity, max(1, np.int64(settings.window_rate * stored**settings.window_power)))


@inlined
def store_transition(run, player, infoset, unit, reward, next_infoset):
    """Write a transition to its ring."""
    rings, visits = run.ring, run.statistics.visits
    ring, stored = np.int64(player), run.counts[player, training.STORED]
    if run.settings.ring_per_decision:
        ring, stored = infoset * visits.shape[1] + unit, visits[infoset, unit]
        visits[infoset, unit] += 1
    capacity = rings.shape[1]
    row = rings[ring, stored % capacity]
    if run.settings.value.batch == 0:
        window = window_size(run.settings, capacity, stored)
        if window_size(run.settings, capacity, stored + 1) == window:
            add_to_sums(run.sums, rings[ring, (stored - window) % capacity], -1)
    row[0], row[1], row[2], row[3] = infoset, unit, reward, next_infoset
    if run.settings.value.batch == 0:
        add_to_sums(run.sums, row, 1)
    run.counts[player, training.STORED] += 1


@inlined
def offer_to_reservoir(run, player, infoset, unit):
    """Offer a best-response action to the player's reservoir."""
    behaviour, imitated = run.reservoir[player], run.statistics.imitated
    weighting, units = run.settings.weighting, imitated.shape[1]
    index = training.reservoir_index(run.counts, player, behaviour.shape[0], weighting, run.random_source.generator)
    if index < 0:
        return
    if run.counts[player, training.OFFERED] > behaviour.shape[0]:
        imitated[behaviour[index] // units, behaviour[index] % units] -= 1
    imitated[infoset, unit] += 1
    behaviour[index] = infoset * units + unit


@inlined
def choose_unit(run, table, epsilon):
    """Return the unit played at a table by the player's mode; offer best responses for imitation."""
    settings, random_source, mode = run.settings, run.random_source, run.tables.mode
    node = run.tables.node[table]
    infoset, player = np.int64(run.game.infoset[node]), np.int64(run.game.nodes[node, 0]) - FIRST_PLAYER
    if mode[table, player] == training.UNDECIDED:
        mode[table, player] = (
            training.RESPONDING if next_draw(random_source, MODE, node) < settings.eta else training.AVERAGING
        )
    if mode[table, player] == training.AVERAGING:
        return average_unit(run, infoset, next_draw(random_source, AVERAGE_UNIT, node))
    explored = next_draw(random_source, EXPLORE, node) < epsilon
    if explored:
        unit = exploratory_unit(run, infoset, next_draw(random_source, EXPLORED_UNIT, node))
    else:
        unit = greedy_unit(run, infoset)
    if settings.keep_exploration or not explored:
        offer_to_reservoir(run, player, infoset, unit)
    return unit


@shared
def complete_transition(run, table, player, reward, next_infoset):
    """Learn from and store the transition that completes the player's last decision at a table, if any."""
    infoset, unit = run.tables.infoset[table, player], run.tables.unit[table, player]
    if infoset >= 0:
        if run.settings.tabular:
            update_table(run, infoset, unit, reward, next_infoset)
        store_transition(run, player, infoset, unit, reward, next_infoset)


@shared
def play_decision(run, table, epsilon):
    """Play one decision at one table, then sample chance events."""
    game, tables = run.game, run.tables
    unit, node = choose_unit(run, table, epsilon), tables.node[table]
    infoset, player = np.int64(game.infoset[node]), np.int64(game.nodes[node, 0]) - FIRST_PLAYER
    complete_transition(run, table, player, 0.0, infoset)
    tables.infoset[table, player] = infoset
    tables.unit[table, player] = unit
    node = deal(game, np.int64(game.nodes[node, 1]) + run.inputs.action[infoset, unit], run.random_source)
    if game.nodes[node, 0] == END:
        run.counters[training.GAMES] += 1
        for seat in range(tables.mode.shape[1]):
            complete_transition(run, table, seat, run.settings.scale * game.payoffs[game.nodes[node, 2], seat], _NONE)
            tables.infoset[table, seat] = -1
            tables.mode[table, seat] = training.UNDECIDED
        node = deal(game, np.int64(0), run.random_source)
    tables.node[table] = node


@inlined
def exploration_rate(settings, iteration):
    """Return epsilon / (offset + slope sqrt(iteration)), at most 1."""
    return min(1.0, settings.epsilon / (settings.offset + settings.slope * np.sqrt(iteration)))


@inlined
def begin(run):
    """Deal at every table, and tabulate the target values."""
    node = run.tables.node
    for table in range(node.shape[0]):
        node[table] = deal(run.game, node[table], run.random_source)
    for player in range(run.tables.mode.shape[1]):
        training.update_target(run, player)


@inlined
def play_and_learn(run, games):
    """Run iterations until `games` games have ended: one decision per table, then training steps."""
    settings, counters = run.settings, run.counters
    if counters[training.ITERATION] == 0:
        begin(run)
    while counters[training.GAMES] < games:
        counters[training.ITERATION] += 1
        counters[training.STAMP] += 1
        epsilon = exploration_rate(settings, counters[training.ITERATION])
        for table in range(run.tables.node.shape[0]):
            play_decision(run, table, epsilon)
        for player in range(run.tables.mode.shape[1]):
            if not settings.tabular and run.counts[player, training.STORED] > settings.min_rows:
                for _ in range(settings.value.updates):
                    training.learn_values(run, player)
            if run.counts[player, training.OFFERED] > settings.min_rows:
                for _ in range(settings.policy.updates):
                    training.learn_policy(run, player)


@inlined
def tabulate(run, greedy, policy):
    """Compute the greedy unit `[I]` and the policy `[I, U]` of every infoset."""
    for infoset in range(greedy.shape[0]):
        greedy[infoset] = (
            training.best_by_table(run, infoset) if run.settings.tabular else training.best_by_network(run, infoset)
        )
        training.policy_by_network(run, infoset)
        for u in range(policy.shape[1]):
            policy[infoset, u] = run.batch.out[u]
