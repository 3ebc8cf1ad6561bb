"""Hold'em on a graph of betting with hands in buckets: deals and sampled traversals that learn.

Letters: N nodes of the graph, A actions, P players, R infoset-action pairs (a node, a bucket, an action), D decisions
of a player in a hand. Actions: 0 fold, 1 check or call, 2 and more bets or raises by rising amount, one in limit;
a node allows `size` of them from `low` on. `level` is the highest bet of a player so far, `paid` the bets of each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.draw import pick, step, stream, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels.buckets import bucket_of, first_of
from tefuda.holdem.kernels.rank import evaluate

SHOWDOWN, WON = -1, -2  # in place of a node: a showdown; all other players have folded
_ONE = np.uint64(1)


class Graph(NamedTuple):
    """The betting."""

    player: np.ndarray  # [N] int64
    street: np.ndarray  # [N] int64
    low: np.ndarray  # [N] int64
    size: np.ndarray  # [N] int64
    child: np.ndarray  # [N, A] nodes
    rise: np.ndarray  # [N, A] float64 chips that an action adds to the level; 0 for folds, checks and calls
    base: np.ndarray  # [N] first infoset-action pair of bucket 0
    paid: np.ndarray  # [P] chips at the start


class RegretTables(NamedTuple):
    """Regrets, averages and settings; a player with trust 1 does not learn."""

    regret: np.ndarray  # [R] float32
    total: np.ndarray  # [R] float32
    fixed: np.ndarray  # [R] float32 strategies
    trust: np.ndarray  # [P] probability of each player to play `fixed` in a hand
    tremble: float  # probability of a uniform action in other players' traversals


class Cards(NamedTuple):
    """The cards to deal."""

    deck: np.ndarray  # [C] uint8, shuffled in place
    sets: np.ndarray  # [52] each card as a set
    given: np.ndarray  # [4] board cards known before the deal, by street
    opened: int  # number of these on the river


class Scratch(NamedTuple):
    """Scratch of the players and, from `node` on, of the traverser's decisions."""

    hands: np.ndarray  # [P]
    buckets: np.ndarray  # [P, 4]
    strengths: np.ndarray  # [P]
    is_fixed: np.ndarray  # [P]
    sigma: np.ndarray  # [A]
    paid: np.ndarray  # [P]
    node: np.ndarray  # [D]
    at: np.ndarray  # [D]
    level: np.ndarray  # [D]
    live: np.ndarray  # [D]
    paid_before: np.ndarray  # [D, P]
    strategies: np.ndarray  # [D, A]
    values: np.ndarray  # [D, A]


@inlined
def hand_index(first_card, second_card):
    """Return the number of a hand of two cards."""
    low, high = min(first_card, second_card), max(first_card, second_card)
    return np.int64(low) * (101 - np.int64(low)) // 2 + np.int64(high) - 1


@inlined
def board_at(cards, street, position):
    """Return the open cards of a street: the given ones, then the deck's from `position` on."""
    board = cards.given[street]
    for _ in range(cards.opened, 0 if street == 0 else street + 2):
        board |= cards.sets[cards.deck[position]]
        position += 1
    return board


@inlined
def shuffle(deck, number, state):
    """Move a number of random cards to the front of the deck; return the stream."""
    for position in range(number):
        state = step(state)
        swapped = position + np.int64(uniform(state) * (deck.shape[0] - position))
        deck[position], deck[swapped] = deck[swapped], deck[position]
    return state


@inlined
def deal(graph, cards, tables, room, state):
    """Deal hands and board; store strengths and buckets; return the stream."""
    players, deck = room.hands.shape[0], cards.deck
    state = shuffle(deck, 2 * players + 5 - cards.opened, state)
    for player in range(players):
        room.hands[player] = hand_index(deck[2 * player], deck[2 * player + 1])
    board = board_at(cards, max(graph.street[0] - 1, 0), 2 * players)
    for street in range(graph.street[0], 4):
        before, board = board, board_at(cards, street, 2 * players)
        first = first_of(tables, street, before, board)
        for player in range(players):
            room.buckets[player, street] = first + bucket_of(tables, street, board, room.hands[player])
    for player in range(players):
        own = cards.sets[deck[2 * player]] | cards.sets[deck[2 * player + 1]]
        room.strengths[player] = evaluate(board | own)
    return state


@inlined
def match_weights(weights, row, count, sigma):
    """Fill `sigma` with the positive weights divided by their sum; uniform where the sum is 0."""
    total = np.float32(0.0)
    for a in range(count):
        sigma[a] = max(weights[row + a], np.float32(0.0))
        total += np.float32(sigma[a])
    for a in range(count):
        sigma[a] = sigma[a] / total if total > 0.0 else 1.0 / count


@inlined
def first_row(graph, room, player, node):
    """Return the first infoset-action pair of a player's decision."""
    return graph.base[node] + room.buckets[player, graph.street[node]] * graph.size[node]


@inlined
def probability(graph, sigma, node, bucket, action):
    """Return the probability of an action at a node with a bucket."""
    return sigma[graph.base[node] + bucket * graph.size[node] + action - graph.low[node]]


@inlined
def apply_action(graph, paid, player, node, action, level, live):
    """Take an action: update `paid`; return the level and the players who have not folded."""
    if action == 0:
        return level, live & ~(1 << player)
    level += graph.rise[node, action]
    paid[player] = level
    return level, live


@inlined
def play_to_decision(graph, table, room, traverser, node, level, live, state):
    """Play until the traverser decides, or to the end.

    Return the node, the level, the players who have not folded and the stream.
    """
    while node >= 0:
        player, count = graph.player[node], graph.size[node]
        if player == traverser:
            break
        row = first_row(graph, room, player, node)
        if room.is_fixed[player]:
            for a in range(count):
                room.sigma[a] = table.fixed[row + a]
        else:
            match_weights(table.regret, row, count, room.sigma)
            for a in range(count):
                if room.hands.shape[0] == 2:
                    table.total[row + a] += np.float32(room.sigma[a])
                room.sigma[a] += table.tremble * (1.0 / count - room.sigma[a])
        state = step(state)
        action = graph.low[node] + pick(room.sigma, np.int64(0), count, uniform(state))
        level, live = apply_action(graph, room.paid, player, node, action, level, live)
        node = graph.child[node, action]
    return node, level, live, state


@inlined
def payoff(room, traverser, live):
    """Return the traverser's payoff at the end; the best hand that has not folded wins the pot."""
    pot, best, winners = 0.0, np.int32(-1), 0
    for player in range(room.hands.shape[0]):
        pot += room.paid[player]
        if live >> player & 1:
            if room.strengths[player] > best:
                best, winners = room.strengths[player], 0
            winners += room.strengths[player] == best
    won = pot / winners if live >> traverser & 1 and room.strengths[traverser] == best else 0.0
    return won - room.paid[traverser]


@inlined
def open_decision(graph, table, room, depth, traverser, node, level, live):
    """Store a decision of the traverser."""
    match_weights(table.regret, first_row(graph, room, traverser, node), graph.size[node], room.strategies[depth])
    room.node[depth], room.at[depth], room.level[depth], room.live[depth] = node, -1, level, live
    for player in range(room.hands.shape[0]):
        room.paid_before[depth, player] = room.paid[player]


@inlined
def close_decision(graph, table, room, depth, traverser):
    """Update the regrets of a decision after all its actions; return its value."""
    node, mean = room.node[depth], 0.0
    row, count = first_row(graph, room, traverser, node), graph.size[node]
    for a in range(count):
        mean += room.strategies[depth, a] * room.values[depth, a]
    for a in range(count):
        table.regret[row + a] += np.float32(room.values[depth, a] - mean)
    return mean


@inlined
def traverse(graph, table, room, traverser, state):
    """Traverse the game once by external sampling; return the traverser's sampled value and the stream."""
    depth, node, level, live = -1, np.int64(0), 0.0, (1 << room.hands.shape[0]) - 1
    for player in range(room.hands.shape[0]):
        room.paid[player] = graph.paid[player]
        level = max(level, graph.paid[player])
    while True:
        node, level, live, state = play_to_decision(graph, table, room, traverser, node, level, live, state)
        value: float = np.nan  # nothing is known yet
        if node < 0:
            value = payoff(room, traverser, live)
        else:
            depth += 1
            open_decision(graph, table, room, depth, traverser, node, level, live)
        while depth >= 0:
            if value == value:
                room.values[depth, room.at[depth]] = value
            node, at = room.node[depth], room.at[depth] + 1
            if at < graph.size[node]:
                room.at[depth] = at
                for player in range(room.hands.shape[0]):
                    room.paid[player] = room.paid_before[depth, player]
                action = graph.low[node] + at
                if action > 0:
                    level, live = apply_action(
                        graph, room.paid, traverser, node, action, room.level[depth], room.live[depth]
                    )
                    node = graph.child[node, action]
                    break
                value = -room.paid[traverser]  # a fold ends the hand for the traverser
                continue
            value = close_decision(graph, table, room, depth, traverser)
            depth -= 1
        if depth < 0:
            return value, state


@inlined
def play_for_average(graph, table, room, player, state):
    """Play once, the player by its strategy, the others uniformly; update the player's average.

    For three or more players: an infoset then has a weight proportional to the player's own reach. In another player's
    traversal the weight would contain the reach of third players, too. Return the stream.
    """
    node, live = np.int64(0), True
    while node >= 0 and live:
        acting, count = graph.player[node], graph.size[node]
        row = first_row(graph, room, acting, node)
        if acting == player:
            match_weights(table.regret, row, count, room.sigma)
        for a in range(count):
            if acting == player:
                table.total[row + a] += np.float32(room.sigma[a])
                room.sigma[a] += table.tremble * (1.0 / count - room.sigma[a])
            else:
                room.sigma[a] = 1.0 / count
        state = step(state)
        action = graph.low[node] + pick(room.sigma, np.int64(0), count, uniform(state))
        live = acting != player or action > 0
        node = graph.child[node, action]
    return state


@kernel
def iterate(graph, table, cards, tables, room, key, done, iterations, values):
    """Run iterations: a deal and a traversal for each learning player.

    The sampled values are added to `values` `[P]`.
    """
    order = cards.deck.copy()
    for iteration in range(iterations):
        for position in range(order.shape[0]):  # a deal depends on nothing before it
            cards.deck[position] = order[position]
        state = stream(key, done + iteration + 1, 0, 0)
        state = deal(graph, cards, tables, room, state)
        for traverser in range(room.hands.shape[0]):
            if table.trust[traverser] >= 1.0:
                continue
            for player in range(room.hands.shape[0]):
                state = step(state)
                room.is_fixed[player] = player != traverser and uniform(state) < table.trust[player]
            value, state = traverse(graph, table, room, traverser, state)
            values[traverser] += value
            if room.hands.shape[0] > 2:
                state = play_for_average(graph, table, room, traverser, state)


@inlined
def drop_rare(sigma, count, below):
    """Drop the actions with a probability below a limit, except the most probable one."""
    best, total = 0, 0.0
    for a in range(1, count):
        best = a if sigma[a] > sigma[best] else best
    for a in range(count):
        sigma[a] = sigma[a] if a == best or sigma[a] >= below else 0.0
        total += sigma[a]
    for a in range(count):
        sigma[a] /= total


@kernel
def normalise(graph, buckets, weights, below, sigma):
    """Fill `sigma` `[R]` with strategies in proportion to weights.

    below: probability below which actions are dropped, see `drop_rare`.
    buckets: `[4]` number of buckets on each street.
    """
    room = np.empty(graph.child.shape[1])
    for node in range(graph.player.shape[0]):
        count = graph.size[node]
        for bucket in range(buckets[graph.street[node]]):
            row = graph.base[node] + bucket * count
            match_weights(weights, row, count, room)
            if below > 0.0:
                drop_rare(room, count, below)
            for a in range(count):
                sigma[row + a] = np.float32(room[a])
