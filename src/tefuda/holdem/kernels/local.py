"""Local best response at heads-up limit hold'em, hand by hand, against strategies in buckets.

Letters: H 1,326 hands, K hands played. The opponent's hand is dealt and acts, but the payoff is the mean over its
range at the end: the same in the mean, with less variance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.draw import pick, step, stream, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels.buckets import bucket_of, first_of, rank_of
from tefuda.holdem.kernels.limit import SHOWDOWN, board_at, chance, hand_of, shuffle
from tefuda.holdem.kernels.rank import evaluate
from tefuda.holdem.kernels.response import best

_HELD = 4  # cards of both hands at the front of the deck; the board follows them


class Other(NamedTuple):
    """The opponent's hands, `[H]` each."""

    sets: np.ndarray  # sets of cards
    start: np.ndarray  # bool, the hands in the deck
    range: np.ndarray  # how likely the opponent holds each
    wins: np.ndarray  # how often the responder's hand beats each from here on
    met: np.ndarray  # scratch
    buckets: np.ndarray


class Own(NamedTuple):
    """The responder's hand, and how it is compared with others."""

    hand: int
    cards: np.uint64
    ahead: np.ndarray  # [169, 169] how often a class beats another all-in before the flop, ties half
    boards: int  # number of random boards by which hands are compared on the flop


@inlined
def open_cards(other, sorted_, street, before, board):
    """Open a street's cards: remove hands with them from the range, and note the buckets of the others."""
    first = first_of(sorted_, street, before, board)
    for hand in range(other.sets.shape[0]):
        if other.sets[hand] & board:
            other.range[hand] = 0.0
        elif other.range[hand] > 0.0:
            other.buckets[hand] = first + bucket_of(sorted_, street, board, hand)


@inlined
def note(other, hand, mine, its):
    """Note a comparison with a hand of the opponent."""
    other.wins[hand] += 1.0 if mine > its else 0.5 if mine == its else 0.0
    other.met[hand] += 1.0


@inlined
def against_all(other, board, own, blocked):
    """Compare hands without the cards `blocked` on a complete board."""
    mine = evaluate(board | own)
    for hand in range(other.sets.shape[0]):
        if other.range[hand] > 0.0 and not other.sets[hand] & blocked:
            note(other, hand, mine, evaluate(board | other.sets[hand]))


@inlined
def against_levels(other, sorted_, board, own):
    """Compare hands by their levels of strength, which are looked up: nearly the same, ten times as fast."""
    rank = rank_of(board)
    levels, moved = sorted_.river[sorted_.rivers.number[rank]], sorted_.moved[sorted_.rivers.turn[rank]]
    mine = levels[moved[own.hand]]
    for hand in range(other.sets.shape[0]):
        if other.range[hand] > 0.0 and not other.sets[hand] & board:
            note(other, hand, mine, levels[moved[hand]])


@inlined
def look_ahead(other, cards, sorted_, street, board, own, state):
    """Fill `wins`: over all rivers on the turn, over random boards on the flop, by class before; return the stream."""
    other.wins[:], other.met[:] = 0.0, 0.0
    if street == 0:
        for hand in range(other.sets.shape[0]):
            other.wins[hand] = own.ahead[sorted_.class_of[own.hand], sorted_.class_of[hand]]
            other.met[hand] = 1.0
    elif street == 1:
        for _ in range(own.boards):
            full, missing = board, 2
            while missing > 0:
                state = step(state)
                card = cards.sets[cards.deck[np.int64(uniform(state) * cards.deck.shape[0])]]
                if not card & (full | own.cards):
                    full |= card
                    missing -= 1
            against_levels(other, sorted_, full, own)
    elif street == 2:
        for place in range(cards.deck.shape[0]):
            card = cards.sets[cards.deck[place]]
            if not card & (board | own.cards):
                against_all(other, board | card, own.cards, card)
    else:
        against_all(other, board, own.cards, board)
    for hand in range(other.sets.shape[0]):
        other.wins[hand] /= max(other.met[hand], 1.0)
    return state


@inlined
def choose(graph, sigma, other, node, pot, asked):
    """Return the best of fold, call and raise if both players only check and call from then on."""
    met, won, gone, kept = 0.0, 0.0, 0.0, 0.0
    raises = graph.low[node] + graph.size[node] == 3
    after = graph.child[node, 2] if raises else np.int64(-1)
    for hand in range(other.sets.shape[0]):
        weight = other.range[hand]
        if weight > 0.0:
            met += weight
            won += weight * other.wins[hand]
            if raises:
                out = weight * chance(graph, sigma, after, other.buckets[hand], 0)
                gone += out
                kept += (weight - out) * other.wins[hand]
    return best(met, won, gone, kept, raises, graph.low[node] == 0, pot, asked, graph.bets[graph.street[node]])


@inlined
def settled(other, own, board, paid, its):
    """Return what is won on average at a showdown."""
    other.wins[:], other.met[:] = 0.0, 0.0
    against_all(other, board, own.cards, board)
    mass, won = 0.0, 0.0
    for hand in range(other.sets.shape[0]):
        mass += other.range[hand]
        won += other.range[hand] * other.wins[hand]
    return won / mass * its - (1.0 - won / mass) * paid


@inlined
def hear(graph, sigma, other, node, hand, state):
    """Let the opponent act with its hand, and weigh its range by the action; return the action and the stream."""
    state, count = step(state), graph.size[node]
    row = graph.base[node] + other.buckets[hand] * count
    action = graph.low[node] + pick(sigma, row, count, uniform(state))
    for one in range(other.sets.shape[0]):
        if other.range[one] > 0.0:
            other.range[one] *= chance(graph, sigma, node, other.buckets[one], action)
    return action, state


@inlined
def respond(graph, sigma, cards, sorted_, other, own, hand, seat, state):
    """Play a hand from the first node; return what the responder wins. hand: the opponent's."""
    node, level, street, looked = np.int64(0), max(graph.paid[0], graph.paid[1]), np.int64(-1), False
    paid, its = graph.paid[seat], graph.paid[1 - seat]
    board = cards.given[0]
    while node >= 0:
        if graph.street[node] != street:
            street, looked = graph.street[node], False
            board = board_at(cards, street, _HELD)
            open_cards(other, sorted_, street, board_at(cards, max(street - 1, 0), _HELD), board)
        if graph.player[node] == seat:
            if not looked:
                state, looked = look_ahead(other, cards, sorted_, street, board, own, state), True
            action = choose(graph, sigma, other, node, paid + its, level - paid)
            if action == 0:
                return -paid
        else:
            action, state = hear(graph, sigma, other, node, hand, state)
            if action == 0:
                return its
        if action == 2:
            level += graph.bets[street]
        if graph.player[node] == seat:
            paid = level
        else:
            its = level
        node = graph.child[node, action]
    if node == SHOWDOWN:
        return settled(other, own, board_at(cards, 3, _HELD), paid, its)
    return np.nan


@kernel
def play(graph, sigma, cards, sorted_, other, ahead, boards, key, first, seat, won):
    """Play hands from number `first` on in a seat; `won` `[K]` gets what the responder wins, in chips."""
    order, deck = cards.deck.copy(), cards.deck
    for number in range(won.shape[0]):
        deck[:] = order
        state = shuffle(deck, 9 - cards.opened, stream(key, first + number, 0, 0))
        own = Own(
            hand_of(deck[2 * seat], deck[2 * seat + 1]), cards.sets[deck[2 * seat]] | cards.sets[deck[2 * seat + 1]],
            ahead, boards,
        )  # fmt: skip
        place = 2 * (1 - seat)
        hand = hand_of(deck[place], deck[place + 1])
        for one in range(other.sets.shape[0]):
            other.range[one] = 1.0 if other.start[one] and not other.sets[one] & own.cards else 0.0
        won[number] = respond(graph, sigma, cards, sorted_, other, own, hand, seat, state)
