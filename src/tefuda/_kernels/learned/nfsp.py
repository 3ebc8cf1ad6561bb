"""Neural fictitious self-play in one loop: acting at many tables, then steps of descent (Heinrich and Silver 2016)."""

from __future__ import annotations

import numpy as np

from tefuda._kernels import draw
from tefuda._kernels.histories import CHANCE, END, FIRST_PLAYER
from tefuda._kernels.jit import inlined
from tefuda._kernels.learned import network, training

DEAL = MODE = 0  # kinds of draws at a history; see Dice
COIN, EXPLORED, AVERAGE = 1, 2, 3
DRAWS = 4


@inlined(fastmath=True)
def roll(dice, kind, node):
    """Return the next number in [0, 1) for a kind of draw at a history."""
    if dice.turns.shape[0] == 0:
        return training.spin(dice.random)
    dice.turns[kind, node] = draw.step(dice.turns[kind, node])
    return draw.fraction(dice.turns[kind, node])


@inlined(fastmath=True)
def deal(world, node, dice):
    """Let chance move to the next decision or end; return that node."""
    while world.nodes[node, 0] == CHANCE:
        first, count = np.int64(world.nodes[node, 1]), np.int64(world.nodes[node, 3])
        node = first + draw.pick_outcome(world.cumulative, first, count, roll(dice, DEAL, node))
    return node


@inlined(fastmath=True)
def greedy_unit(run, infoset):
    """Return the best unit by the table, or by the network, evaluated once an iteration."""
    if run.settings.tabular:
        return training.best_by_table(run, infoset)
    looked, stamp = run.looked, run.counters[training.STAMP]
    if looked.stamps[0, infoset] != stamp:
        looked.stamps[0, infoset] = stamp
        looked.greedy[infoset] = training.best_by_network(run, infoset)
    return looked.greedy[infoset]


@inlined(fastmath=True)
def average_unit(run, infoset, point):
    """Return a unit drawn from the policy network, evaluated once an iteration."""
    looked, stamp, batch = run.looked, run.counters[training.STAMP], run.batch
    if looked.stamps[1, infoset] != stamp:
        looked.stamps[1, infoset] = stamp
        training.policy_by_network(run, infoset)
        for u in range(batch.out.shape[0]):
            looked.policy[infoset, u] = batch.out[u]
    return network.drawn_unit(looked.policy[infoset], point)


@inlined(fastmath=True)
def explored_unit(run, infoset, point):
    """Return a unit drawn uniformly: of the legal ones if masked, else of all."""
    legal = run.inputs.legal[infoset]
    return network.legal_unit(legal, point) if run.settings.masked else network.below(point, legal.shape[0])


@inlined(fastmath=True)
def learn_entry(run, infoset, unit, reward, following):
    """Take one step of tabular Q-learning at the rate c n^-w of the n-th visit (Even-Dar and Mansour 2003)."""
    entries, settings = run.entries, run.settings
    target = reward
    if following >= 0:
        target += entries.value[following, training.best_by_table(run, following)]
    entries.visits[infoset, unit] += 1
    rate = min(1.0, settings.table_rate * entries.visits[infoset, unit] ** -settings.table_power)
    entries.value[infoset, unit] += rate * (target - entries.value[infoset, unit])


@inlined(fastmath=True)
def count_transition(sums, row, by):
    """Add a row of a ring to the sums over the rings, or subtract it."""
    infoset, unit, following = np.int64(row[0]), np.int64(row[1]), np.int64(row[3])
    sums.rows[infoset, unit] += by
    sums.rewards[infoset, unit] += by * np.int64(np.rint(row[2] / sums.grain))
    if following >= 0:
        sums.arrived[following, unit] += by


@inlined(fastmath=True)
def counted(settings, capacity, seen):
    """Return the number of a ring's last rows that count, after `seen` transitions."""
    if settings.window_rate == 0.0:
        return min(seen, capacity)
    return min(seen, capacity, max(1, np.int64(settings.window_rate * seen**settings.window_power)))


@inlined(fastmath=True)
def remember(run, player, infoset, unit, reward, following):
    """Put a transition into its ring."""
    transitions, visits = run.ring, run.entries.visits
    ring, seen = np.int64(player), run.counts[player, training.SEEN]
    if run.settings.apart:
        ring, seen = infoset * visits.shape[1] + unit, visits[infoset, unit]
        visits[infoset, unit] += 1
    capacity = transitions.shape[1]
    row = transitions[ring, seen % capacity]
    if run.settings.value.batch == 0:
        held = counted(run.settings, capacity, seen)
        if counted(run.settings, capacity, seen + 1) == held:
            count_transition(run.sums, transitions[ring, (seen - held) % capacity], -1)
    row[0], row[1], row[2], row[3] = infoset, unit, reward, following
    if run.settings.value.batch == 0:
        count_transition(run.sums, row, 1)
    run.counts[player, training.SEEN] += 1


@inlined(fastmath=True)
def offer(run, player, infoset, unit):
    """Offer behaviour to the reservoir."""
    behaved, held = run.reservoir[player], run.entries.held
    place, units = training.reservoir_place(run.counts, player, behaved.shape[0], run.dice.random), held.shape[1]
    if place < 0:
        return
    if run.counts[player, training.OFFERED] > behaved.shape[0]:
        held[behaved[place] // units, behaved[place] % units] -= 1
    held[infoset, unit] += 1
    behaved[place] = infoset * units + unit


@inlined(fastmath=True)
def choose(run, table, epsilon):
    """Return the unit that the player at a table plays, by the seat's mode; offer best responses for imitation."""
    settings, dice, mode = run.settings, run.dice, run.tables.mode
    node = run.tables.node[table]
    infoset, player = np.int64(run.world.infoset[node]), np.int64(run.world.nodes[node, 0]) - FIRST_PLAYER
    if mode[table, player] == training.UNDECIDED:
        mode[table, player] = training.RESPONDING if roll(dice, MODE, node) < settings.eta else training.AVERAGING
    if mode[table, player] == training.AVERAGING:
        return average_unit(run, infoset, roll(dice, AVERAGE, node))
    explored = roll(dice, COIN, node) < epsilon
    if explored:
        unit = explored_unit(run, infoset, roll(dice, EXPLORED, node))
    else:
        unit = greedy_unit(run, infoset)
    if settings.keep_exploration or not explored:
        offer(run, player, infoset, unit)
    return unit


@inlined(fastmath=True)
def complete(run, table, player, reward, following):
    """Learn and remember what the player's last decision at a table, if any, led to."""
    infoset, unit = run.tables.infoset[table, player], run.tables.unit[table, player]
    if infoset >= 0:
        if run.settings.tabular:
            learn_entry(run, infoset, unit, reward, following)
        remember(run, player, infoset, unit, reward, following)


@inlined(fastmath=True)
def decide(run, table, epsilon):
    """Take one decision at one table, and let chance move to the next."""
    world, tables = run.world, run.tables
    unit, node = choose(run, table, epsilon), tables.node[table]
    infoset, player = np.int64(world.infoset[node]), np.int64(world.nodes[node, 0]) - FIRST_PLAYER
    complete(run, table, player, 0.0, infoset)
    tables.infoset[table, player] = infoset
    tables.unit[table, player] = unit
    node = deal(world, np.int64(world.nodes[node, 1]) + run.inputs.action[infoset, unit], run.dice)
    if world.nodes[node, 0] == END:
        run.counters[training.GAMES] += 1
        for seat in range(tables.mode.shape[1]):
            complete(run, table, seat, run.settings.scale * world.payoffs[world.nodes[node, 2], seat], -1)
            tables.infoset[table, seat] = -1
            tables.mode[table, seat] = training.UNDECIDED
        node = deal(world, np.int64(0), run.dice)
    tables.node[table] = node


@inlined(fastmath=True)
def exploration(settings, iteration):
    """Return epsilon / (offset + slope sqrt(n)), at most 1."""
    return min(1.0, settings.epsilon / (settings.offset + settings.slope * np.sqrt(iteration)))


@inlined(fastmath=True)
def play_and_learn(run, games):
    """Run iterations until `games` have been finished: one decision a table, then steps for every player."""
    settings, counters = run.settings, run.counters
    while counters[training.GAMES] < games:
        counters[training.ITERATION] += 1
        counters[training.STAMP] += 1
        epsilon = exploration(settings, counters[training.ITERATION])
        for table in range(run.tables.node.shape[0]):
            decide(run, table, epsilon)
        for player in range(run.tables.mode.shape[1]):
            if not settings.tabular and run.counts[player, training.SEEN] > settings.least:
                for _ in range(settings.value.updates):
                    training.learn_values(run, player)
            if run.counts[player, training.OFFERED] > settings.least:
                for _ in range(settings.policy.updates):
                    training.learn_policy(run, player)


@inlined(fastmath=True)
def tabulate(run, greedy, policy):
    """Fill the greedy unit `[I]` and the policy `[I, U]` of every infoset."""
    for infoset in range(greedy.shape[0]):
        greedy[infoset] = (
            training.best_by_table(run, infoset) if run.settings.tabular else training.best_by_network(run, infoset)
        )
        training.policy_by_network(run, infoset)
        for u in range(policy.shape[1]):
            policy[infoset, u] = run.batch.out[u]
