"""AIVAT of hold'em hands (burch2018): payoffs without luck of cards and of a known strategy.

The agent's strategy is known, in buckets; the opponent's hand and all actions are given. The agent's range has its
possible hands, weighted by their probability of its actions. A position is worth minus the value of the opponent's hand
in a table. Any table leaves the mean as it is. The response of `kernels.local` has the roles exchanged: its opponent is
the agent, and its responder the opponent. Letters: N nodes, K hands, L actions of a line, R rows (a node and a bucket).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.draw import pick, step, stream, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels.buckets import bucket_of, first_of
from tefuda.holdem.kernels.local import (
    ResponderHand,
    compare_all,
    compare_hands,
    open_node,
    open_streets,
    weigh_action,
    weigh_range,
)
from tefuda.holdem.kernels.sampler import SHOWDOWN, apply_action, board_at, deal, first_row, hand_index, payoff

_HELD = 4  # cards of both hands at the front of the deck
_BOARDS = 200  # random boards of an all-in before the flop


class ValueTable(NamedTuple):
    """Mean payoffs of a player with a hand at a node."""

    rows: np.ndarray  # [N] row of bucket 0
    early: np.ndarray  # [N] the same before the cards of the node's street; -1 if the node does not open a street
    value: np.ndarray  # [2, R] by player
    payoffs: np.ndarray  # [2, R] int32, their number


@inlined
def record(table, player, row, value):
    """Add a payoff to the mean of a row."""
    table.payoffs[player, row] += 1
    table.value[player, row] += (value - table.value[player, row]) / table.payoffs[player, row]


@kernel
def fill_values(graph, sigma, cards, tables, room, key, first, hands, table):
    """Play hands of a strategy against itself and record both payoffs at all positions of their lines."""
    order, line = cards.deck.copy(), np.empty(room.node.shape[0] + 1, dtype=np.int64)
    for number in range(hands):
        cards.deck[:] = order
        state = deal(graph, cards, tables, room, stream(key, first + number, 0, 0))
        node, length, live, level = np.int64(0), 0, 3, max(graph.paid[0], graph.paid[1])
        room.paid[:] = graph.paid
        while node >= 0:
            line[length] = node
            length += 1
            player, state = graph.player[node], step(state)
            drawn = pick(sigma, first_row(graph, room, player, node), graph.size[node], uniform(state))
            action = graph.low[node] + drawn
            level, live = apply_action(graph, room.paid, player, node, action, level, live)
            node = graph.child[node, action]
        for player in range(2):
            won, buckets = payoff(room, player, live), room.buckets[player]
            for node in line[:length]:
                record(table, player, table.rows[node] + buckets[graph.street[node]], won)
                if table.early[node] >= 0:
                    record(table, player, table.early[node] + buckets[graph.street[node] - 1], won)


@inlined
def bucket_on(game, hand, street, before, board):
    """Return the bucket of a hand on a street, given the sets of open cards before and on it."""
    return first_of(game.tables, street, before, board) + bucket_of(game.tables, street, board, hand)


@inlined
def mean_over_deals(game, table, player):
    """Return the mean value of the opponent's hands before the first decision."""
    street, total, number = game.graph.street[0], 0.0, 0
    before, board = game.cards.given[max(street - 1, 0)], game.cards.given[street]
    for hand in range(game.opponent.sets.shape[0]):
        if game.opponent.start[hand]:
            total += table.value[player, table.rows[0] + bucket_on(game, hand, street, before, board)]
            number += 1
    return total / number


@inlined
def mean_over_cards(game, table, responder, node):
    """Return the mean value of the opponent's hand over the cards that open the street of a node.

    Cards have the probability of the agent's hands without them.
    """
    street, deck, sets, held = game.graph.street[node], game.cards.deck, game.cards.sets, game.opponent.range[0]
    before, by_card, mass, total = board_at(game.cards, street - 1, _HELD), game.opponent.met, 0.0, 0.0
    by_card[:] = 0.0
    for hand in range(held.shape[0]):
        mass += held[hand]
        for card in range(52 if held[hand] > 0.0 else 0):
            by_card[card] += held[hand] if game.opponent.sets[hand] & sets[card] else 0.0
    size, three, weights = deck.shape[0], street == 1, 0.0
    for i in range(size):
        for j in range(i if three else 1):
            for k in range(j if three else 1):
                opened, weight = sets[deck[i]], mass - by_card[deck[i]]
                if three:
                    a, b, c = deck[i], deck[j], deck[k]
                    opened |= sets[b] | sets[c]
                    weight += held[hand_index(a, b)] + held[hand_index(a, c)] + held[hand_index(b, c)]
                    weight -= by_card[b] + by_card[c]
                if weight > 0.0 and not opened & (before | responder.cards):
                    row = table.rows[node] + bucket_on(game, responder.hand, street, before, before | opened)
                    total += weight * table.value[responder.seat, row]
                    weights += weight
    return total / weights


@inlined
def compare_randomly(game, responder):
    """Compare hands on random boards, all-in before the flop."""
    opponent, cards, state = game.opponent, game.cards, responder.state
    opponent.compared[0] = True
    opponent.wins[0], opponent.met[:] = 0.0, 0.0
    for _ in range(_BOARDS):
        board, missing = np.uint64(0), 5
        while missing > 0:
            state = step(state)
            card = cards.sets[cards.deck[np.int64(uniform(state) * cards.deck.shape[0])]]
            if not card & (board | responder.cards):
                board |= card
                missing -= 1
        compare_all(opponent, 0, board, responder, board)
    for hand in range(opponent.sets.shape[0]):
        opponent.wins[0, hand] /= max(opponent.met[hand], 1.0)


@inlined
def show_range(game, responder, row, street, level):
    """Return the agent's mean payoff at a showdown with a row's range, over all boards after a street."""
    if street == 0 and not game.opponent.compared[0]:
        compare_randomly(game, responder)
    compare_hands(game, street, responder)
    mass, beaten = weigh_range(game.opponent, row, street)
    return level * (1.0 - 2.0 * beaten / mass)


@inlined
def value_after(game, table, responder, buckets, node, action, own, level):
    """Return the agent's value after its own action, with the range of row 1."""
    child, street = game.graph.child[node, action], game.graph.street[node]
    if action == 0:
        return -own
    if child == SHOWDOWN:
        return show_range(game, responder, 1, street, level + game.graph.rise[node, action])
    start = table.early[child] if table.early[child] >= 0 else table.rows[child]
    return -table.value[responder.seat, start + buckets[street]]


@inlined
def action_luck(game, table, responder, buckets, node, action, own, level):
    """Return the mean value of the agent's actions minus that of the action taken; update the range."""
    mass, mean, taken = game.opponent.range[0].sum(), 0.0, np.nan
    for other in range(game.graph.low[node], game.graph.low[node] + game.graph.size[node]):
        reach = weigh_action(game, 0, 1, node, other)
        if reach > 0.0:
            value = value_after(game, table, responder, buckets, node, other, own, level)
            mean += reach / mass * value
            if other == action:
                taken = value
    weigh_action(game, 0, 0, node, action)
    return mean - taken


@kernel
def estimate(game, table, responder, line):
    """Return the agent's payoff in a hand by AIVAT; nan if its strategy never takes its actions."""
    graph, player, buckets = game.graph, responder.seat, np.zeros(4, dtype=np.int64)
    chips, level, street, node = graph.paid.copy(), max(graph.paid[0], graph.paid[1]), np.int64(-1), np.int64(0)
    game.opponent.range[0] = 1.0
    luck = -mean_over_deals(game, table, player)
    for action in line:
        if graph.street[node] != street:
            opens, street = street >= 0, graph.street[node]
            if opens:
                luck -= mean_over_cards(game, table, responder, node)
            before, board = board_at(game.cards, max(street - 1, 0), _HELD), board_at(game.cards, street, _HELD)
            buckets[street] = bucket_on(game, responder.hand, street, before, board)
            luck += table.value[player, table.rows[node] + buckets[street]]
            open_node(game, 0, node, np.int64(-1))
        acting = graph.player[node]
        if acting != player:
            luck += action_luck(game, table, responder, buckets, node, action, chips[acting], level)
        if action == 0:
            return luck + (chips[player] if acting == player else -chips[acting])
        level += graph.rise[node, action]
        chips[acting], node = level, graph.child[node, action]
    return luck + show_range(game, responder, 0, street, level)


@kernel
def estimate_hands(game, table, decks, lines, agent, key, estimates):
    """Fill `estimates` `[K]` of an agent's seat; lines: `[K, L]` actions, -1 after the last."""
    cards, deck, other = game.cards, game.cards.deck, 1 - agent
    for number in range(decks.shape[0]):
        deck[:] = decks[number]
        held, length = cards.sets[deck[2 * other]] | cards.sets[deck[2 * other + 1]], 0
        state = stream(key, number, 0, 0)
        responder = ResponderHand(other, hand_index(deck[2 * other], deck[2 * other + 1]), held, state)
        open_streets(game, responder)
        while length < lines.shape[1] and lines[number, length] >= 0:
            length += 1
        estimates[number] = estimate(game, table, responder, lines[number, :length])
