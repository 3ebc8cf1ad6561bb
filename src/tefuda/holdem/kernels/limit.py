"""Limit hold'em on a graph of betting, hands in buckets: deals, sampled walks that learn, hands played.

Letters: N nodes of the graph, P players, R rows (a node, a bucket, an action), D decisions of a player in a hand. An
action is 0 fold, 1 check or call, 2 bet or raise; a node allows `size` of them from `low` on. How much is in is kept
on the way: `level`, the most anybody has put in, and `paid` by each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.draw import pick, step, stream, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels.buckets import bucket_of, first_of
from tefuda.holdem.kernels.rank import evaluate

SHOWDOWN, WON = -1, -2  # instead of a node: hands are compared; all others have folded
DEEPEST, ACTIONS = 64, 3
_ONE = np.uint64(1)


class Graph(NamedTuple):
    """player, street, low, size: `[N]` int64. child: `[N, 3]` nodes. base: `[N]` the row of bucket 0. paid: `[P]` at
    the start, bets: `[4]` of each street, in chips.
    """

    player: np.ndarray
    street: np.ndarray
    low: np.ndarray
    size: np.ndarray
    child: np.ndarray
    base: np.ndarray
    paid: np.ndarray
    bets: np.ndarray


class Table(NamedTuple):
    """regret, total: `[R]` float32, what is learned. fixed: `[R]` float32 strategies of those that may be fixed.
    trust: `[P]` with which probability of a hand each plays `fixed`; who does so always learns nothing. tremble: with
    which probability one who learns does anything instead, while the other walks.
    """

    regret: np.ndarray
    total: np.ndarray
    fixed: np.ndarray
    trust: np.ndarray
    tremble: float


class Cards(NamedTuple):
    """What is dealt. deck: `[C]` uint8, shuffled in place. sets: `[52]` each card as a set. opened: number of board
    cards that are known before the deal. given: `[4]` the set of those that are open on each street.
    """

    deck: np.ndarray
    sets: np.ndarray
    given: np.ndarray
    opened: int


class Room(NamedTuple):
    """Scratch. hands: `[P]`; buckets: `[P, 4]`; strengths, is_fixed, paid: `[P]`; sigma: `[3]`; of the walker's
    decisions: node, at, level, live `[D]`, paids `[D, P]`, chances, values `[D, 3]`.
    """

    hands: np.ndarray
    buckets: np.ndarray
    strengths: np.ndarray
    is_fixed: np.ndarray
    sigma: np.ndarray
    paid: np.ndarray
    node: np.ndarray
    at: np.ndarray
    level: np.ndarray
    live: np.ndarray
    paids: np.ndarray
    chances: np.ndarray
    values: np.ndarray


@inlined
def hand_of(one, two):
    """The number of a hand of two cards."""
    low, high = min(one, two), max(one, two)
    return np.int64(low) * (101 - np.int64(low)) // 2 + np.int64(high) - 1


@inlined
def board_at(cards, street, place):
    """Return the open cards of a street; those that were not given are the deck's from `place` on."""
    board = cards.given[street]
    for _ in range(cards.opened, 0 if street == 0 else street + 2):
        board |= cards.sets[cards.deck[place]]
        place += 1
    return board


@inlined
def deal(graph, cards, sorted_, room, state):
    """Deal hands and board; note strengths, and buckets from the graph's first street on; return the stream."""
    players, deck = room.hands.shape[0], cards.deck
    number = 2 * players + 5 - cards.opened
    for place in range(number):
        state = step(state)
        other = place + np.int64(uniform(state) * (deck.shape[0] - place))
        deck[place], deck[other] = deck[other], deck[place]
    for player in range(players):
        room.hands[player] = hand_of(deck[2 * player], deck[2 * player + 1])
    board = board_at(cards, max(graph.street[0] - 1, 0), 2 * players)
    for street in range(graph.street[0], 4):
        before, board = board, board_at(cards, street, 2 * players)
        first = first_of(sorted_, street, before, board)
        for player in range(players):
            room.buckets[player, street] = first + bucket_of(sorted_, street, board, room.hands[player])
    for player in range(players):
        own = cards.sets[deck[2 * player]] | cards.sets[deck[2 * player + 1]]
        room.strengths[player] = evaluate(board | own)
    return state


@inlined
def match(regret, row, count, sigma):
    """Regret matching into `sigma`; uniform without any positive regret."""
    total = np.float32(0.0)
    for a in range(count):
        sigma[a] = max(regret[row + a], np.float32(0.0))
        total += np.float32(sigma[a])
    for a in range(count):
        sigma[a] = sigma[a] / total if total > 0.0 else 1.0 / count


@inlined
def average(total, row, count, sigma):
    """The average strategy into `sigma`; uniform where none was learned."""
    match(total, row, count, sigma)


@inlined
def worth(room, player, live, pot):
    """What a player gets from the pot at the end, all others out or hands compared."""
    best, winners = np.int32(-1), 0
    for other in range(room.hands.shape[0]):
        if live >> other & 1:
            if room.strengths[other] > best:
                best, winners = room.strengths[other], 1
            elif room.strengths[other] == best:
                winners += 1
    alone = live & (live - 1) == 0
    return pot if alone else pot / winners if room.strengths[player] == best else 0.0


@inlined
def put(graph, paid, player, node, action, level, live):
    """Do an action: chips into `paid`; return the level and who is left."""
    if action == 0:
        live &= ~(1 << player)
    else:
        if action == 2:
            level += graph.bets[graph.street[node]]
        paid[player] = level
    return level, live


@inlined
def run(graph, table, room, walker, node, level, live, state):
    """Play on until the walker decides, or to the end; return the node, level, who is left and the stream."""
    while node >= 0:
        player, count = graph.player[node], graph.size[node]
        if player == walker:
            break
        row = graph.base[node] + room.buckets[player, graph.street[node]] * count
        if room.is_fixed[player]:
            for a in range(count):
                room.sigma[a] = table.fixed[row + a]
        else:
            match(table.regret, row, count, room.sigma)
            for a in range(count):
                if room.hands.shape[0] == 2:
                    table.total[row + a] += np.float32(room.sigma[a])
                room.sigma[a] += table.tremble * (1.0 / count - room.sigma[a])
        state = step(state)
        action = graph.low[node] + pick(room.sigma, np.int64(0), count, uniform(state))
        level, live = put(graph, room.paid, player, node, action, level, live)
        node = graph.child[node, action]
    return node, level, live, state


@inlined
def ended(room, walker, live):
    """What the walker has won at the end."""
    pot = 0.0
    for player in range(room.hands.shape[0]):
        pot += room.paid[player]
    won = worth(room, walker, live, pot) if live >> walker & 1 else 0.0
    return won - room.paid[walker]


@inlined
def enter(graph, table, room, depth, walker, node, level, live):
    """Note a decision of the walker."""
    row = graph.base[node] + room.buckets[walker, graph.street[node]] * graph.size[node]
    match(table.regret, row, graph.size[node], room.chances[depth])
    room.node[depth], room.at[depth], room.level[depth], room.live[depth] = node, -1, level, live
    for player in range(room.hands.shape[0]):
        room.paids[depth, player] = room.paid[player]


@inlined
def close(graph, table, room, depth, walker):
    """Learn from a decision all of whose actions were tried; return its value."""
    node, mean = room.node[depth], 0.0
    count = graph.size[node]
    row = graph.base[node] + room.buckets[walker, graph.street[node]] * count
    for a in range(count):
        mean += room.chances[depth, a] * room.values[depth, a]
    for a in range(count):
        table.regret[row + a] += np.float32(room.values[depth, a] - mean)
    return mean


@inlined
def walk(graph, table, room, walker, state):
    """One walk of external sampling from the first node; returns the sampled value to the walker, and the stream."""
    depth, node, level, live = -1, np.int64(0), 0.0, (1 << room.hands.shape[0]) - 1
    for player in range(room.hands.shape[0]):
        room.paid[player] = graph.paid[player]
        level = max(level, graph.paid[player])
    while True:
        node, level, live, state = run(graph, table, room, walker, node, level, live, state)
        value: float = np.nan  # nothing is known yet
        if node < 0:
            value = ended(room, walker, live)
        else:
            depth += 1
            enter(graph, table, room, depth, walker, node, level, live)
        while depth >= 0:
            if value == value:
                room.values[depth, room.at[depth]] = value
            node, at = room.node[depth], room.at[depth] + 1
            if at < graph.size[node]:
                room.at[depth] = at
                for player in range(room.hands.shape[0]):
                    room.paid[player] = room.paids[depth, player]
                action = graph.low[node] + at
                if action > 0:
                    level, live = put(graph, room.paid, walker, node, action, room.level[depth], room.live[depth])
                    node = graph.child[node, action]
                    break
                value = -room.paid[walker]  # a fold ends it, whatever the others do
                continue
            value = close(graph, table, room, depth, walker)
            depth -= 1
        if depth < 0:
            return value, state


@inlined
def walk_for_average(graph, table, room, player, state):
    """Play once, the player by its strategy, the others uniformly; add its strategies to its average.

    For three players or more: an infoset then counts by the player's own reach times a constant. In another player's
    walk it would count by the reach of third players, too. Return the stream.
    """
    node, live = np.int64(0), True
    while node >= 0 and live:
        mover, count = graph.player[node], graph.size[node]
        row = graph.base[node] + room.buckets[mover, graph.street[node]] * count
        if mover == player:
            match(table.regret, row, count, room.sigma)
        for a in range(count):
            if mover == player:
                table.total[row + a] += np.float32(room.sigma[a])
                room.sigma[a] += table.tremble * (1.0 / count - room.sigma[a])
            else:
                room.sigma[a] = 1.0 / count
        state = step(state)
        action = graph.low[node] + pick(room.sigma, np.int64(0), count, uniform(state))
        live = mover != player or action > 0
        node = graph.child[node, action]
    return state


@kernel
def iterate(graph, table, cards, sorted_, room, key, done, iterations, values):
    """Run iterations: a deal each, and walks for every player who learns. `values` `[P]` gets the sums of walks."""
    order = cards.deck.copy()
    for iteration in range(iterations):
        for place in range(order.shape[0]):  # a deal depends on nothing before it
            cards.deck[place] = order[place]
        state = stream(key, done + iteration + 1, 0, 0)
        state = deal(graph, cards, sorted_, room, state)
        for walker in range(room.hands.shape[0]):
            if table.trust[walker] >= 1.0:
                continue
            for player in range(room.hands.shape[0]):
                state = step(state)
                room.is_fixed[player] = player != walker and uniform(state) < table.trust[player]
            value, state = walk(graph, table, room, walker, state)
            values[walker] += value
            if room.hands.shape[0] > 2:
                state = walk_for_average(graph, table, room, walker, state)


@kernel
def normalise(graph, buckets, weights, sigma):
    """Weights of all rows as strategies: `sigma` `[R]`. buckets: `[4]` how many there are on each street."""
    room = np.empty(ACTIONS)
    for node in range(graph.player.shape[0]):
        count = graph.size[node]
        for bucket in range(buckets[graph.street[node]]):
            row = graph.base[node] + bucket * count
            average(weights, row, count, room)
            for a in range(count):
                sigma[row + a] = np.float32(room[a])
