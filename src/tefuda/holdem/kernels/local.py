"""Local best response at heads-up hold'em, deal by deal, against strategies in buckets.

The responder's hand and the board are dealt. All actions of the opponent are followed, each with its probability over
the range; or one action is drawn for a dealt hand. The expectation is the same; drawn actions have more variance.

Letters: H 1,326 hands, K deals, M menus, R opposing decisions of a line plus two, A actions, S sizes. A line is played
with real chips. They differ from those of the graph after a bet that the graph does not have. Such a bet is answered
like the graph's size with the larger probability in the pseudo-harmonic mapping (ganzfried2013). A later bet of the
graph is the same part of the real pot, and all-in is all-in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.draw import pick, step, stream, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels.buckets import BucketTables, bucket_of, first_of, rank_of
from tefuda.holdem.kernels.rank import evaluate
from tefuda.holdem.kernels.response import TIE, bet_value, fold_or_call
from tefuda.holdem.kernels.sampler import SHOWDOWN, WON, Cards, Graph, board_at, hand_index, probability, shuffle

_HELD = 4  # cards of both hands at the front of the deck; the board follows them
#: Chips of a line: highest bet so far, that of the graph, bets of responder and opponent, smallest raise.
LEVEL, PLANNED, OWN, OTHER, LEAST = range(5)


class OpponentHands(NamedTuple):
    """The opponent's hands."""

    sets: np.ndarray  # [H] sets of cards
    start: np.ndarray  # [H] bool, the hands in the deck
    range: np.ndarray  # [R, H] probability of the opponent's actions on a line
    buckets: np.ndarray  # [4, H] on each street; -1 for hands that the responder's hand or the board blocks
    number: np.ndarray  # [4] float64, of the hands that are not blocked
    wins: np.ndarray  # [4, H] probability that the responder's hand beats each, ties half
    met: np.ndarray  # [H] scratch
    compared: np.ndarray  # [4] bool, whether a street has `wins`


class ResponderHand(NamedTuple):
    """The responder's hand."""

    seat: int
    hand: int
    cards: np.uint64
    state: np.uint64  # stream of the random boards


class Menus(NamedTuple):
    """Actions of the responder on each street."""

    folds: np.ndarray  # [M, 4] bool, whether it may fold
    tree: np.ndarray  # [M, 4] bool, whether it may bet the sizes of the graph
    sizes: np.ndarray  # [M, 4, S] other bets as rising parts of the pot; 0 for none
    stack: float  # chips of each player
    least: float  # smallest bet


class Lines(NamedTuple):
    """The line that is followed, by opposing decisions, and scratch of the responder's decision."""

    node: np.ndarray  # [R] int64
    at: np.ndarray  # [R] int64, number of actions followed
    drawn: np.ndarray  # [R] int64, the drawn action; -1: all actions
    chips: np.ndarray  # [R, 5]
    folding: np.ndarray  # [A] reach of the hands that fold to a bet; nan: not computed
    rest: np.ndarray  # [A] reach of the others that the responder's hand beats


class Response(NamedTuple):
    """A local best response to a strategy."""

    graph: Graph
    sigma: np.ndarray
    cards: Cards
    tables: BucketTables
    opponent: OpponentHands
    menus: Menus
    lines: Lines
    class_wins: np.ndarray  # [169, 169] probability that a class beats another all-in before the flop, ties half
    boards: int  # number of random boards for comparisons on the flop; 0: all boards
    draws: bool  # whether actions of the opponent are drawn


@inlined
def open_streets(game, responder):
    """Store which hands are possible on each street, their number and buckets."""
    opponent, tables = game.opponent, game.tables
    opponent.compared[:] = False
    for street in range(game.graph.street[0], 4):
        before, board = board_at(game.cards, max(street - 1, 0), _HELD), board_at(game.cards, street, _HELD)
        begin, number = first_of(tables, street, before, board), 0
        for hand in range(opponent.sets.shape[0]):
            opponent.buckets[street, hand] = -1
            if opponent.start[hand] and not opponent.sets[hand] & (board | responder.cards):
                opponent.buckets[street, hand] = begin + bucket_of(tables, street, board, hand)
                number += 1
        opponent.number[street] = number


@inlined
def record_comparison(opponent, street, hand, own_strength, strength):
    """Record a comparison with a hand of the opponent."""
    opponent.wins[street, hand] += 1.0 if own_strength > strength else 0.5 if own_strength == strength else 0.0
    opponent.met[hand] += 1.0


@inlined
def compare_all(opponent, street, board, responder, blocked):
    """Compare hands that share no card with `blocked` on a complete board."""
    own_strength = evaluate(board | responder.cards)
    for hand in range(opponent.sets.shape[0]):
        if opponent.buckets[street, hand] >= 0 and not opponent.sets[hand] & blocked:
            record_comparison(opponent, street, hand, own_strength, evaluate(board | opponent.sets[hand]))


@inlined
def compare_levels(game, board, responder):
    """Compare hands of the flop on a complete board by tabulated strengths: nearly equal, much faster."""
    opponent, tables, rank = game.opponent, game.tables, rank_of(board)
    levels, permuted = tables.river[tables.rivers.number[rank]], tables.permuted[tables.rivers.turn[rank]]
    own_strength = levels[permuted[responder.hand]]
    for hand in range(opponent.sets.shape[0]):
        if opponent.buckets[1, hand] >= 0 and not opponent.sets[hand] & board:
            record_comparison(opponent, 1, hand, own_strength, levels[permuted[hand]])


@inlined
def compare_on_flop(game, board, responder):
    """Compare hands on all complete boards, or on random ones."""
    deck, sets, blocked, state = game.cards.deck, game.cards.sets, board | responder.cards, responder.state
    for i in range(deck.shape[0] if game.boards == 0 else 0):
        for j in range(i):
            if not (sets[deck[i]] | sets[deck[j]]) & blocked:
                more = sets[deck[i]] | sets[deck[j]]
                compare_all(game.opponent, 1, board | more, responder, more)
    for _ in range(game.boards):
        full, missing = board, 2
        while missing > 0:
            state = step(state)
            card = sets[deck[np.int64(uniform(state) * deck.shape[0])]]
            if not card & (full | responder.cards):
                full |= card
                missing -= 1
        compare_levels(game, full, responder)


@inlined
def compare_hands(game, street, responder):
    """Fill `wins` of a street with the responder's probability to beat each hand, unless it is filled.

    Over all rivers on the turn, by `compare_on_flop` on the flop, and by hand class before the flop.
    """
    opponent, cards, board = game.opponent, game.cards, board_at(game.cards, street, _HELD)
    if opponent.compared[street]:
        return
    opponent.compared[street] = True
    opponent.wins[street], opponent.met[:] = 0.0, 0.0
    if street == 0:
        for hand in range(opponent.sets.shape[0]):
            classes = game.tables.class_of[responder.hand], game.tables.class_of[hand]
            opponent.wins[0, hand], opponent.met[hand] = game.class_wins[classes], 1.0
    elif street == 1:
        compare_on_flop(game, board, responder)
    elif street == 2:
        for position in range(cards.deck.shape[0]):
            card = cards.sets[cards.deck[position]]
            if not card & (board | responder.cards):
                compare_all(opponent, 2, board | card, responder, card)
    else:
        compare_all(opponent, 3, board, responder, board)
    for hand in range(opponent.sets.shape[0]):
        opponent.wins[street, hand] /= max(opponent.met[hand], 1.0)


@inlined
def nearest_bet(graph, node, planned, share):
    """Return the graph's bet that answers a bet of this part of the pot, as the module describes."""
    action, last = np.int64(2), graph.low[node] + graph.size[node] - 1
    while action < last:
        below, above = graph.rise[node, action] / (2.0 * planned), graph.rise[node, action + 1] / (2.0 * planned)
        if 2.0 * (above - share) * (1.0 + below) >= (above - below) * (1.0 + share):
            break
        action += 1
    return action


@inlined
def real_rise(game, row, node, action):
    """Return the chips that a bet of the graph adds to the real level."""
    chips, stack = game.lines.chips[row], game.menus.stack
    rise = game.graph.rise[node, action]
    if chips[PLANNED] + rise >= stack:
        return stack - chips[LEVEL]
    return min(max(rise * (chips[LEVEL] / chips[PLANNED]), chips[LEAST]), stack - chips[LEVEL])


@inlined
def offered_bet(game, menu, row, node, index):
    """Return a bet by its index: the graph's action and the addition to the level; 0: not offered."""
    graph, menus, chips = game.graph, game.menus, game.lines.chips[row]
    street, bets = graph.street[node], graph.low[node] + graph.size[node] - 2
    if index < bets:
        return np.int64(index + 2), real_rise(game, row, node, index + 2) if menus.tree[menu, street] else 0.0
    share, room = menus.sizes[menu, street, index - bets], menus.stack - chips[LEVEL]
    if share <= 0.0:
        return np.int64(2), 0.0
    add = min(max(np.floor(share * 2.0 * chips[LEVEL] + 0.5), chips[LEAST]), room)
    if add == room:  # all-in is the graph's largest bet
        return np.int64(bets + 1), add
    return nearest_bet(graph, node, chips[PLANNED], add / (2.0 * chips[LEVEL])), add


@inlined
def weigh_bet(game, row, node, action):
    """Store the reach of the hands that fold to a bet, and the beaten part of the others."""
    opponent, folding, rest, after = game.opponent, 0.0, 0.0, game.graph.child[node, action]
    street = game.graph.street[node]
    for hand in range(opponent.sets.shape[0]):
        weight = opponent.range[row, hand]
        if weight > 0.0:
            fold_reach = weight * probability(game.graph, game.sigma, after, opponent.buckets[street, hand], 0)
            folding += fold_reach
            rest += (weight - fold_reach) * opponent.wins[street, hand]
    game.lines.folding[action], game.lines.rest[action] = folding, rest


@inlined
def weigh_range(opponent, row, street):
    """Return the sum of a line's range, and its part that the responder's hand beats."""
    mass, beaten = 0.0, 0.0
    for hand in range(opponent.sets.shape[0]):
        if opponent.range[row, hand] > 0.0:
            mass += opponent.range[row, hand]
            beaten += opponent.range[row, hand] * opponent.wins[street, hand]
    return mass, beaten


@inlined
def choose_action(game, menu, row, node):
    """Return a menu's best action and its addition to the level, if both only call afterwards."""
    graph, lines, chips = game.graph, game.lines, game.lines.chips[row]
    street, pot, to_call = graph.street[node], chips[OWN] + chips[LEVEL], chips[LEVEL] - chips[OWN]
    reach, beaten = weigh_range(game.opponent, row, street)
    may_fold = graph.low[node] == 0 and game.menus.folds[menu, street]
    best, action = fold_or_call(reach, beaten, may_fold, pot, to_call)
    best_add, bets = 0.0, graph.low[node] + graph.size[node] - 2
    lines.folding[:] = np.nan
    for index in range(bets + game.menus.sizes.shape[2]):
        if reach <= 0.0 or bets == 0 or chips[LEVEL] >= game.menus.stack:
            break
        bet, add = offered_bet(game, menu, row, node, index)
        if add > 0.0:
            if np.isnan(lines.folding[bet]):
                weigh_bet(game, row, node, bet)
            value = bet_value(reach, lines.folding[bet], lines.rest[bet], pot, to_call, add)
            if value > best + TIE * (pot + add):
                best, action, best_add = value, bet, add
    return action, best_add


@inlined
def open_node(game, row, node, street):
    """Return the street of a node; on a new one, remove the hands that are blocked from the range."""
    if game.graph.street[node] == street:
        return street
    street = game.graph.street[node]
    game.lines.chips[row, LEAST] = game.menus.least
    for hand in range(game.opponent.sets.shape[0]):
        if game.opponent.buckets[street, hand] < 0:
            game.opponent.range[row, hand] = 0.0
    return street


@inlined
def weigh_action(game, before, after, node, action):
    """Fill the range of a row after the opponent's action on the line of another; return its sum."""
    opponent, street, mass = game.opponent, game.graph.street[node], 0.0
    for hand in range(opponent.sets.shape[0]):
        weight = opponent.range[before, hand]
        if weight > 0.0:
            weight *= probability(game.graph, game.sigma, node, opponent.buckets[street, hand], action)
            mass += weight
        opponent.range[after, hand] = weight
    return mass


@inlined
def weighted(game, mass, street, chips):
    """Return a payoff times the probability of its line; that of a drawn line is 1."""
    return chips if game.draws else chips * mass / game.opponent.number[street]


@inlined
def act(game, responder, menu, row, node):
    """Take the responder's action at a node; return the node after it, and the weighted payoff of a fold."""
    graph, chips, street = game.graph, game.lines.chips[row], game.graph.street[node]
    compare_hands(game, street, responder)
    action, add = choose_action(game, menu, row, node)
    if action == 0:
        return np.int64(WON), weighted(game, game.opponent.range[row].sum(), street, -chips[OWN])
    is_called = action == 1 and chips[LEVEL] >= game.menus.stack
    chips[LEVEL] += add
    chips[PLANNED] += graph.rise[node, action]
    chips[OWN], chips[LEAST] = chips[LEVEL], max(chips[LEAST], add)
    return np.int64(SHOWDOWN) if is_called else graph.child[node, action], 0.0


@inlined
def show_hands(game, responder, row, street):
    """Return the weighted payoff of a showdown, over all boards after a street."""
    compare_hands(game, street, responder)
    mass, beaten = weigh_range(game.opponent, row, street)
    value = game.lines.chips[row, LEVEL] * (2.0 * beaten / mass - 1.0) if mass > 0.0 else 0.0
    return weighted(game, mass, street, value)


@inlined
def follow_responder(game, responder, menu, row, node, street):
    """Play the responder's actions to the opponent's next decision, or to the end.

    street: that of the hands in the row's range; -1: none. Return the node, and at the end the weighted payoff.
    """
    while node >= 0:
        street = open_node(game, row, node, street)
        if game.graph.player[node] != responder.seat:
            return node, 0.0
        node, value = act(game, responder, menu, row, node)
        if node == WON:
            return node, value
    return node, show_hands(game, responder, row, street)


@inlined
def follow_opponent(game, row, node, action):
    """Take an opposing action on the line of a row and store the line after it in the next row.

    Return the node, and the weighted payoff of a fold.
    """
    graph, before, chips = game.graph, game.lines.chips[row], game.lines.chips[row + 1]
    mass = weigh_action(game, row, row + 1, node, action)
    if mass <= 0.0:
        return np.int64(WON), 0.0
    if action == 0:
        return np.int64(WON), weighted(game, mass, graph.street[node], before[OTHER])
    for kind in range(chips.shape[0]):
        chips[kind] = before[kind]
    is_all_in = before[LEVEL] >= game.menus.stack  # each answer but a fold is a call
    if action > 1 and not is_all_in:
        add = real_rise(game, row, node, action)
        chips[LEVEL], chips[LEAST] = before[LEVEL] + add, max(before[LEAST], add)
        chips[PLANNED] += graph.rise[node, action]
    chips[OTHER] = chips[LEVEL]
    return np.int64(SHOWDOWN) if is_all_in else graph.child[node, action], 0.0


@inlined
def open_decision(game, hand, row, node, state):
    """Store an opposing decision and draw the action of a hand, if actions are drawn; return the stream."""
    graph, lines, count = game.graph, game.lines, game.graph.size[node]
    lines.node[row], lines.at[row], lines.drawn[row] = node, 0, -1
    if game.draws:
        state = step(state)
        first = graph.base[node] + game.opponent.buckets[graph.street[node], hand] * count
        lines.drawn[row] = graph.low[node] + pick(game.sigma, first, count, uniform(state))
    return state


@inlined
def open_line(game, responder):
    """Store the chips and the range before the first decision."""
    chips, paid = game.lines.chips[0], game.graph.paid
    chips[LEVEL], chips[PLANNED], chips[LEAST] = max(paid[0], paid[1]), max(paid[0], paid[1]), game.menus.least
    chips[OWN], chips[OTHER] = paid[responder.seat], paid[1 - responder.seat]
    game.opponent.range[0] = 1.0


@inlined
def respond(game, responder, menu, hand, state):
    """Play from the first node and return the responder's payoff; `hand` acts if actions are drawn."""
    graph, lines = game.graph, game.lines
    open_line(game, responder)
    node, total = follow_responder(game, responder, menu, 0, np.int64(0), np.int64(-1))
    row = 0 if node >= 0 else -1
    if row == 0:
        state = open_decision(game, hand, row, node, state)
    while row >= 0:
        node, action = lines.node[row], graph.low[lines.node[row]] + lines.at[row]
        lines.at[row] += 1
        if lines.at[row] > graph.size[node]:
            row -= 1
        elif lines.drawn[row] < 0 or lines.drawn[row] == action:
            after, value = follow_opponent(game, row, node, action)
            if after != WON:
                after, value = follow_responder(game, responder, menu, row + 1, after, graph.street[node])
            total += value
            if after >= 0:
                row += 1
                state = open_decision(game, hand, row, after, state)
    return total


@kernel
def deal_hands(cards, key, first, decks):
    """Fill `decks` `[K, C]` from deal number `first` on: two hands, the board, the rest."""
    order = cards.deck.copy()
    for number in range(decks.shape[0]):
        cards.deck[:] = order
        shuffle(cards.deck, 9 - cards.opened, stream(key, first + number, 0, 0))
        decks[number] = cards.deck


@kernel
def play_hands(game, decks, key, first, seat, won):
    """Play deals with all menus in a seat; fill `won` `[K, M]` with the responder's payoffs in chips.

    first: number of the first deal, for the streams of random boards and actions.
    """
    cards, deck = game.cards, game.cards.deck
    for number in range(decks.shape[0]):
        deck[:] = decks[number]
        own, position = cards.sets[deck[2 * seat]] | cards.sets[deck[2 * seat + 1]], 2 * (1 - seat)
        responder = ResponderHand(
            seat, hand_index(deck[2 * seat], deck[2 * seat + 1]), own, stream(key, first + number, 1, seat)
        )
        open_streets(game, responder)
        other, state = hand_index(deck[position], deck[position + 1]), stream(key, first + number, 2, seat)
        for menu in range(won.shape[1]):
            won[number, menu] = respond(game, responder, menu, other, state)
