"""Searching in Koi-Koi: worlds that fit what a player sees, each candidate played on in each of them.

In the last turns there are few worlds, and each is looked at once. What nobody at a table needs is None there, and is
not compiled: tables, simple play to the end, hands that are weighed, a tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.belief import cards_of, draw_set, following, pick_hand, sets_of, weigh
from tefuda.koikoi.kernels.playout import BY_TABLES, FINAL, begin, candidates, copy, horizon, play_on, worth_of
from tefuda.koikoi.kernels.rounds import DRAWN, HAND, TURN, bit, finish, shuffle
from tefuda.koikoi.kernels.tree import Nodes, clear, walk

EVENLY, HALVING, TREE = range(3)  # ways to search
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_GOLDEN = 0.6180339887498949  # its multiples fill [0, 1) evenly, however many there are


class Search(NamedTuple):
    """How to search.

    worlds: how many each candidate is played on in, on average. hands: of the other that are weighed before; 0: all
    alike. temperature: points; how far from the best the other's plays are thought to be. rollout: RANDOM, GREEDY (both
    stop at once) or BY_TABLES. depth: turns played before the tables say what the position is worth; 0: to the end.
    way: EVENLY; HALVING: the worse half of the candidates is dropped again and again, and the others get its worlds;
    TREE: so, and what was tried in positions behind the candidates is remembered (`tree`). prior: as many visits
    the tables' thoughts count there. explore: points; how much is done there to find out.
    """

    worlds: int
    hands: int
    temperature: float
    rollout: int
    depth: int
    way: int
    prior: float
    explore: float


class Room(NamedTuple):
    """Where a search works: a world, its stock, candidates, hands of the other.

    world: `[WIDTH]`. stock: `[48]` uint8. cards: `[C]` int64. takes: `[C]` uint64, what they take. sums: `[2, C]` of
    utilities and weights. order: `[C]` int64, candidates from the best. hands: `[H]` uint64, and their cumulative
    weights `[H]`; None: nobody weighs any. found: `[K]` int64. nodes: of a tree; None: nobody has one.
    """

    world: np.ndarray
    stock: np.ndarray
    cards: np.ndarray
    takes: np.ndarray
    sums: np.ndarray
    order: np.ndarray
    hands: np.ndarray | None
    weights: np.ndarray | None
    found: np.ndarray
    nodes: Nodes | None


@inlined
def put_stock(world, hand, unseen, stock):
    """Put what is neither seen nor in the other's hand behind what has been drawn; return where that ends."""
    size = np.int64(world[DRAWN])
    for place in range(unseen.shape[0]):
        if not bit(unseen[place]) & hand:
            stock[size] = unseen[place]
            size += 1
    return size


@inlined
def orders_of(left, draws, most):
    """How many orders of draws there are; `most` + 1 if more than that."""
    total = 1
    for drawn in range(draws):
        total *= left - drawn
        if total > most:
            return most + 1
    return total


@inlined
def arrange(stock, first, end, last, number):
    """Put the stock's places `first`..`last` - 1 into the order of a number, from the cards up to `end`."""
    for place in range(first, last):
        other = place + number % (end - place)
        number //= end - place
        stock[place], stock[other] = stock[other], stock[place]


@inlined
def try_candidate(values, worth, styles, nodes, search, utility, room, player, chosen, weight, state):
    """Play a candidate on in the world; return what comes of it, as utility to the player, and the stream."""
    state = step(state)
    last = horizon(values, room.world, search.depth)
    if nodes is not None and search.way == TREE:
        return walk(values, worth, search, utility, room, player, chosen, last, weight), state
    over, points = begin(
        values, worth, room.world, room.stock, room.cards[chosen], room.takes[chosen], player, search.rollout,
        mix(state), room.found,
    )  # fmt: skip
    if over:
        return worth_of(utility[FINAL], np.float64(points)), state
    gained, kind = 0.0, FINAL
    if worth is not None and search.rollout == BY_TABLES:
        gained, kind = play_on(values, worth, room.world, room.stock, last, player, room.found)
    if styles is not None and search.rollout != BY_TABLES:
        ended, state = finish(values, styles[search.rollout], room.world, room.stock, state)
        gained = np.float64(ended)
    return worth_of(utility[kind], gained if player == 0 else -gained), state


@inlined
def try_all(values, worth, styles, search, utility, known, player, hand, room, alive, weight, state):
    """Play all candidates that are alive on in a world of this hand and the room's stock; return the stream."""
    for place in range(alive):
        chosen = room.order[place]
        copy(known, room.world)
        room.world[HAND + 1 - player] = hand
        gained, state = try_candidate(
            values, worth, styles, room.nodes, search, utility, room, player, chosen, weight, state
        )
        room.sums[0, chosen] += weight * gained
        room.sums[1, chosen] += weight
    return state


@inlined
def sort(room, alive):
    """Put candidates in the order of their means."""
    for place in range(1, alive):
        chosen, at = room.order[place], place
        mean = room.sums[0, chosen] / room.sums[1, chosen]
        while at > 0 and room.sums[0, room.order[at - 1]] / room.sums[1, room.order[at - 1]] < mean:
            room.order[at] = room.order[at - 1]
            at -= 1
        room.order[at] = chosen


@inlined
def others_cards(values, known):
    """How many cards the other holds."""
    return np.int64(values.options[6]) // 2 - np.int64(known[TURN]) // 2


@inlined
def list_worlds(values, search, known, unseen, weighed):
    """How many orders of draws each hand of the other has and how many hands there are, if all worlds can be tried."""
    many, left = others_cards(values, known), np.int64(values.options[6]) - np.int64(known[DRAWN])
    sets = sets_of(unseen.shape[0], many, search.worlds)
    orders = orders_of(unseen.shape[0] - many, left, search.worlds)
    if sets * orders > search.worlds or (weighed > 0 and weighed != sets) or search.rollout != BY_TABLES:
        return np.int64(0), np.int64(0)
    return orders, sets


@inlined
def weigh_hands(hands, values, worth, search, known, past, unseen, room, state):
    """Weigh hands of the other, if the search asks for it; return how many, and the stream."""
    if hands is not None and search.hands > 0:
        return weigh(
            worth, search.hands, search.temperature, past, unseen, others_cards(values, known), state, hands,
            room.weights, room.found,
        )  # fmt: skip
    return 0, state


@inlined
def weight_of(hand, weights, before):
    """What a hand weighs, where weights are cumulative and that of the one before is known."""
    if weights is not None:
        return weights[hand] - before
    return 1.0


@inlined
def draw_hand(hands, weights, weighed, number, unseen, many, state):
    """The other's hand in the world of a number, one of those weighed or any; and the stream."""
    if hands is not None and weighed > 0:
        return pick_hand(hands, weights, weighed, (number + 0.5) * _GOLDEN % 1.0), state
    return draw_set(unseen, many, state)


@inlined
def try_worlds(
    values, worth, styles, search, utility, known, player, unseen, room, weighed, orders, worlds, alive, first, state
):
    """Play those alive on in so many worlds; return the stream.

    weighed: hands in the room; 0: all hands are alike. orders: every world is tried, with so many orders of draws of
    each hand; 0: worlds are drawn at random.
    """
    drawn, last, many = np.int64(known[DRAWN]), np.int64(values.options[6]), others_cards(values, known)
    places, hand, weight, before = (_ONE << np.uint64(many)) - _ONE, _ZERO, 1.0, 0.0
    for number in range(first, first + worlds):
        if orders > 0:
            if number % orders == 0:
                hand = cards_of(places, unseen)
                places = following(places) if many > 0 else places
                if weighed > 0:
                    weight = weight_of(number // orders, room.weights, before)
                    before += weight
        else:
            hand, state = draw_hand(room.hands, room.weights, weighed, number, unseen, many, state)
        end = put_stock(known, hand, unseen, room.stock)
        if orders > 0:
            arrange(room.stock, drawn, end, last, number % orders)
        else:
            state = shuffle(room.stock, end, drawn, min(end, last), state)
        state = try_all(values, worth, styles, search, utility, known, player, hand, room, alive, weight, state)
    return state


@kernel
def evaluate(values, worth, styles, search, utility, known, past, unseen, room, state):
    """Order the candidates, the best first, with sums of utilities and weights; return how many, and the stream.

    known: `[WIDTH]` a world without the other's hand. past: `[turns, 6]` what the other has played. unseen: `[U]`
    uint8, the cards not seen, in any order. utility: `[2, 2 * most + 1]`, what points to the player are worth to it,
    from -most to most: FINAL, EXPECTED.
    """
    player = np.int64(known[TURN] - _ONE) & 1
    size = candidates(values, known, player, room.cards, room.takes)
    for chosen in range(size):
        room.order[chosen] = chosen
        room.sums[0, chosen], room.sums[1, chosen] = 0.0, 0.0
    weighed, state = weigh_hands(room.hands, values, worth, search, known, past, unseen, room, state)
    orders, sets = list_worlds(values, search, known, unseen, weighed)
    alive, rounds, first = size, 1, 0
    clear(room.nodes)
    while search.way != EVENLY and orders == 0 and (1 << rounds) < size:
        rounds += 1
    for _ in range(rounds):
        worlds = orders * sets if orders > 0 else max(1, search.worlds * size // (rounds * alive))
        state = try_worlds(
            values, worth, styles, search, utility, known, player, unseen, room, weighed, orders, worlds, alive, first,
            state,
        )  # fmt: skip
        first += worlds
        sort(room, alive)
        alive = (alive + 1) // 2
    return size, state
