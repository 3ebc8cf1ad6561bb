"""Local best response at heads-up limit hold'em: hands against strategies in buckets, all hands of the other at once.

Letters: H 1,326 hands, K hands played. The other's hand is dealt and acts, but what is won at the end is the mean over
all hands it may have by then: the same in the mean, with less luck.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.draw import pick, step, stream, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels.buckets import bucket_of, first_of, rank_of
from tefuda.holdem.kernels.limit import SHOWDOWN, board_at, hand_of
from tefuda.holdem.kernels.rank import evaluate

_TIE = 1e-12
_HELD = 4  # cards of the deck that are both hands; the board follows them


class Other(NamedTuple):
    """What is known of the other, `[H]` each: sets, its hands as sets of cards; start, bool, those of the deck; range;
    wins, how often one's own hand beats each from here on; met, scratch; buckets.
    """

    sets: np.ndarray
    start: np.ndarray
    range: np.ndarray
    wins: np.ndarray
    met: np.ndarray
    buckets: np.ndarray


class Own(NamedTuple):
    """One's own hand: its number and its set of cards; ahead: `[169, 169]` how often a class beats another all-in
    before the flop, ties half; boards: by how many drawn at random a hand is judged on the flop.
    """

    hand: int
    cards: np.uint64
    ahead: np.ndarray
    boards: int


@inlined
def open_cards(other, sorted_, street, before, board):
    """A street's cards are open: the other holds none of them; in which bucket each of its hands is."""
    first = first_of(sorted_, street, before, board)
    for hand in range(other.sets.shape[0]):
        if other.sets[hand] & board:
            other.range[hand] = 0.0
        elif other.range[hand] > 0.0:
            other.buckets[hand] = first + bucket_of(sorted_, street, board, hand)


@inlined
def against_all(other, board, own, blocked):
    """Add who wins on a complete board to `wins`, for hands without the cards `blocked`."""
    mine = evaluate(board | own)
    for hand in range(other.sets.shape[0]):
        if other.range[hand] > 0.0 and not other.sets[hand] & blocked:
            its = evaluate(board | other.sets[hand])
            other.wins[hand] += 1.0 if mine > its else 0.5 if mine == its else 0.0
            other.met[hand] += 1.0


@inlined
def against_levels(other, sorted_, board, own):
    """As `against_all` by levels of strength, which are looked up: nearly the same, ten times as fast."""
    rank = rank_of(board)
    levels, moved = sorted_.river[sorted_.rivers.number[rank]], sorted_.moved[sorted_.rivers.turn[rank]]
    mine = levels[moved[own.hand]]
    for hand in range(other.sets.shape[0]):
        if other.range[hand] > 0.0 and not other.sets[hand] & board:
            its = levels[moved[hand]]
            other.wins[hand] += 1.0 if mine > its else 0.5 if mine == its else 0.0
            other.met[hand] += 1.0


@inlined
def look_ahead(other, cards, sorted_, street, board, own, state):
    """Fill `wins`: over all rivers on the turn, over boards drawn on the flop, by class before. Returns the stream."""
    for hand in range(other.sets.shape[0]):
        other.wins[hand], other.met[hand] = 0.0, 0.0
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
def chance(graph, sigma, node, bucket, action):
    """With which probability a strategy does an action at a node."""
    return sigma[graph.base[node] + bucket * graph.size[node] + action - graph.low[node]]


@inlined
def choose(graph, sigma, other, node, pot, asked):
    """What a local best responder does: fold, call, or raise, as if both only checked and called from then on."""
    mass, won, folding, kept = 0.0, 0.0, 0.0, 0.0
    raises = graph.low[node] + graph.size[node] == 3
    after = graph.child[node, 2] if raises else np.int64(-1)
    for hand in range(other.sets.shape[0]):
        weight = other.range[hand]
        if weight > 0.0:
            mass += weight
            won += weight * other.wins[hand]
            if raises:
                out = weight * chance(graph, sigma, after, other.buckets[hand], 0)
                folding += out
                kept += (weight - out) * other.wins[hand]
    w = won / mass
    call = w * pot - (1.0 - w) * asked
    best, action = call, 1
    if graph.low[node] == 0 and call < 0.0:
        best, action = 0.0, 0
    if raises:
        add, rest = graph.bets[graph.street[node]], mass - folding
        worth = folding / mass * pot
        if rest > 0.0:
            w = kept / rest
            worth += rest / mass * (w * (pot + add) - (1.0 - w) * (asked + add))
        if worth > best + _TIE * (pot + add):
            action = 2
    return action


@inlined
def settled(other, own, board, paid, its):
    """What is won on average at a showdown."""
    for hand in range(other.sets.shape[0]):
        other.wins[hand], other.met[hand] = 0.0, 0.0
    against_all(other, board, own.cards, board)
    mass, won = 0.0, 0.0
    for hand in range(other.sets.shape[0]):
        mass += other.range[hand]
        won += other.range[hand] * other.wins[hand]
    return won / mass * its - (1.0 - won / mass) * paid


@inlined
def shuffle(cards, number, state):
    """Bring so many cards of the deck to the front at random; return the stream."""
    for place in range(number):
        state = step(state)
        swap = place + np.int64(uniform(state) * (cards.deck.shape[0] - place))
        cards.deck[place], cards.deck[swap] = cards.deck[swap], cards.deck[place]
    return state


@inlined
def hear(graph, sigma, other, node, hand, state):
    """The other acts with the hand it has, which tells of all it may have; return the action and the stream."""
    count, point = graph.size[node], 0.0
    state = step(state)
    point, action = uniform(state), 0
    row = graph.base[node] + other.buckets[hand] * count
    action = graph.low[node] + pick(sigma, row, count, point)
    for one in range(other.sets.shape[0]):
        if other.range[one] > 0.0:
            other.range[one] *= chance(graph, sigma, node, other.buckets[one], action)
    return action, state


@inlined
def respond(graph, sigma, cards, sorted_, other, own, hand, seat, state):
    """One hand from the first node; returns what the responder wins. hand: the other's."""
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
    """Play hands number `first` on from a seat; `won` `[K]` gets what the responder wins, in chips."""
    order = cards.deck.copy()
    for number in range(won.shape[0]):
        for place in range(order.shape[0]):
            cards.deck[place] = order[place]
        state = shuffle(cards, 9 - cards.opened, stream(key, first + number, 0, 0))
        deck = cards.deck
        own = Own(
            hand_of(deck[2 * seat], deck[2 * seat + 1]), cards.sets[deck[2 * seat]] | cards.sets[deck[2 * seat + 1]],
            ahead, boards,
        )  # fmt: skip
        place = 2 * (1 - seat)
        hand = hand_of(deck[place], deck[place + 1])
        for one in range(other.sets.shape[0]):
            other.range[one] = 1.0 if other.start[one] and not other.sets[one] & own.cards else 0.0
        won[number] = respond(graph, sigma, cards, sorted_, other, own, hand, seat, state)
