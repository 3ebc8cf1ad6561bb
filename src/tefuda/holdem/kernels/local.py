"""Local best response at heads-up limit hold'em, hand by hand, against strategies in buckets.

Letters: H 1,326 hands, K hands played. The opponent's hand is dealt and acts, but the payoff is the mean over its range
at the end. The expectation is the same, with less variance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.draw import pick, step, stream, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels.buckets import bucket_of, first_of, rank_of
from tefuda.holdem.kernels.limit import SHOWDOWN, board_at, hand_index, probability, shuffle
from tefuda.holdem.kernels.rank import evaluate
from tefuda.holdem.kernels.response import best_action

_HELD = 4  # cards of both hands at the front of the deck; the board follows them


class OpponentHands(NamedTuple):
    """The opponent's hands, `[H]` each."""

    sets: np.ndarray  # sets of cards
    start: np.ndarray  # bool, the hands in the deck
    range: np.ndarray  # probability of each up to a factor
    wins: np.ndarray  # probability that the responder's hand beats each, ties half
    met: np.ndarray  # scratch
    buckets: np.ndarray


class ResponderHand(NamedTuple):
    """The responder's hand and the settings of its comparison with others."""

    hand: int
    cards: np.uint64
    class_wins: np.ndarray  # [169, 169] probability that a class beats another all-in before the flop, ties half
    boards: int  # number of random boards for comparisons on the flop


@inlined
def open_street(opponent, tables, street, before, board):
    """Remove hands blocked by a street's cards from the range, and store the buckets of the others."""
    first = first_of(tables, street, before, board)
    for hand in range(opponent.sets.shape[0]):
        if opponent.sets[hand] & board:
            opponent.range[hand] = 0.0
        elif opponent.range[hand] > 0.0:
            opponent.buckets[hand] = first + bucket_of(tables, street, board, hand)


@inlined
def record_comparison(opponent, hand, own_strength, strength):
    """Record a comparison with a hand of the opponent."""
    opponent.wins[hand] += 1.0 if own_strength > strength else 0.5 if own_strength == strength else 0.0
    opponent.met[hand] += 1.0


@inlined
def compare_all(opponent, board, responder, blocked):
    """Compare hands that share no card with `blocked` on a complete board."""
    own_strength = evaluate(board | responder)
    for hand in range(opponent.sets.shape[0]):
        if opponent.range[hand] > 0.0 and not opponent.sets[hand] & blocked:
            record_comparison(opponent, hand, own_strength, evaluate(board | opponent.sets[hand]))


@inlined
def compare_levels(opponent, tables, board, responder):
    """Compare hands by their tabulated strength levels: nearly the same result, ten times as fast."""
    rank = rank_of(board)
    levels, permuted = tables.river[tables.rivers.number[rank]], tables.permuted[tables.rivers.turn[rank]]
    own_strength = levels[permuted[responder.hand]]
    for hand in range(opponent.sets.shape[0]):
        if opponent.range[hand] > 0.0 and not opponent.sets[hand] & board:
            record_comparison(opponent, hand, own_strength, levels[permuted[hand]])


@inlined
def compare_hands(opponent, cards, tables, street, board, responder, state):
    """Fill `wins` with the responder's probability to beat each hand; return the stream.

    Over all rivers on the turn, over random boards on the flop, and by hand class before the flop.
    """
    opponent.wins[:], opponent.met[:] = 0.0, 0.0
    if street == 0:
        for hand in range(opponent.sets.shape[0]):
            opponent.wins[hand] = responder.class_wins[tables.class_of[responder.hand], tables.class_of[hand]]
            opponent.met[hand] = 1.0
    elif street == 1:
        for _ in range(responder.boards):
            full, missing = board, 2
            while missing > 0:
                state = step(state)
                card = cards.sets[cards.deck[np.int64(uniform(state) * cards.deck.shape[0])]]
                if not card & (full | responder.cards):
                    full |= card
                    missing -= 1
            compare_levels(opponent, tables, full, responder)
    elif street == 2:
        for position in range(cards.deck.shape[0]):
            card = cards.sets[cards.deck[position]]
            if not card & (board | responder.cards):
                compare_all(opponent, board | card, responder.cards, card)
    else:
        compare_all(opponent, board, responder.cards, board)
    for hand in range(opponent.sets.shape[0]):
        opponent.wins[hand] /= max(opponent.met[hand], 1.0)
    return state


@inlined
def choose_action(graph, sigma, opponent, node, pot, to_call):
    """Return the best of fold, call and raise if both players only check and call afterwards."""
    reach, beaten, folding, rest = 0.0, 0.0, 0.0, 0.0
    raises = graph.low[node] + graph.size[node] == 3
    after = graph.child[node, 2] if raises else np.int64(-1)
    for hand in range(opponent.sets.shape[0]):
        weight = opponent.range[hand]
        if weight > 0.0:
            reach += weight
            beaten += weight * opponent.wins[hand]
            if raises:
                fold_reach = weight * probability(graph, sigma, after, opponent.buckets[hand], 0)
                folding += fold_reach
                rest += (weight - fold_reach) * opponent.wins[hand]
    return best_action(reach, beaten, folding, rest, raises, graph.low[node] == 0, pot, to_call, graph.rise[node, 2])


@inlined
def showdown_value(opponent, responder, board, paid, opponent_paid):
    """Return the mean payoff at a showdown."""
    opponent.wins[:], opponent.met[:] = 0.0, 0.0
    compare_all(opponent, board, responder.cards, board)
    mass, won = 0.0, 0.0
    for hand in range(opponent.sets.shape[0]):
        mass += opponent.range[hand]
        won += opponent.range[hand] * opponent.wins[hand]
    return won / mass * opponent_paid - (1.0 - won / mass) * paid


@inlined
def act_for_opponent(graph, sigma, opponent, node, hand, state):
    """Draw the opponent's action and update its range; return the action and the stream."""
    state, count = step(state), graph.size[node]
    row = graph.base[node] + opponent.buckets[hand] * count
    action = graph.low[node] + pick(sigma, row, count, uniform(state))
    for index in range(opponent.sets.shape[0]):
        if opponent.range[index] > 0.0:
            opponent.range[index] *= probability(graph, sigma, node, opponent.buckets[index], action)
    return action, state


@inlined
def respond(graph, sigma, cards, tables, opponent, responder, hand, seat, state):
    """Play a hand from the first node and return the responder's payoff. hand: the opponent's hand."""
    node, level, street, compared = np.int64(0), max(graph.paid[0], graph.paid[1]), np.int64(-1), False
    paid, opponent_paid = graph.paid[seat], graph.paid[1 - seat]
    board = cards.given[0]
    while node >= 0:
        if graph.street[node] != street:
            street, compared = graph.street[node], False
            board = board_at(cards, street, _HELD)
            open_street(opponent, tables, street, board_at(cards, max(street - 1, 0), _HELD), board)
        if graph.player[node] == seat:
            if not compared:
                state, compared = compare_hands(opponent, cards, tables, street, board, responder, state), True
            action = choose_action(graph, sigma, opponent, node, paid + opponent_paid, level - paid)
            if action == 0:
                return -paid
        else:
            action, state = act_for_opponent(graph, sigma, opponent, node, hand, state)
            if action == 0:
                return opponent_paid
        level += graph.rise[node, action]
        if graph.player[node] == seat:
            paid = level
        else:
            opponent_paid = level
        node = graph.child[node, action]
    if node == SHOWDOWN:
        return showdown_value(opponent, responder, board_at(cards, 3, _HELD), paid, opponent_paid)
    return np.nan


@kernel
def play_hands(graph, sigma, cards, tables, opponent, class_wins, boards, key, first, seat, won):
    """Play hands from number `first` on in a seat; fill `won` `[K]` with the responder's payoffs in chips."""
    order, deck = cards.deck.copy(), cards.deck
    for number in range(won.shape[0]):
        deck[:] = order
        state = shuffle(deck, 9 - cards.opened, stream(key, first + number, 0, 0))
        responder = ResponderHand(
            hand_index(deck[2 * seat], deck[2 * seat + 1]), cards.sets[deck[2 * seat]] | cards.sets[deck[2 * seat + 1]],
            class_wins, boards,
        )  # fmt: skip
        position = 2 * (1 - seat)
        hand = hand_index(deck[position], deck[position + 1])
        for index in range(opponent.sets.shape[0]):
            opponent.range[index] = 1.0 if opponent.start[index] and not opponent.sets[index] & responder.cards else 0.0
        won[number] = respond(graph, sigma, cards, tables, opponent, responder, hand, seat, state)
