"""Search in Koi-Koi: determinizations of what a player sees, in each of which the candidates are played on.

In the last turns there are few determinizations, and each is tried once. Parts that nobody at a table needs are None,
so that they are not compiled: tables, playouts by simple players, hands that are weighed, a tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.belief import cards_of, draw_set, following, pick_hand, sets_of, weigh
from tefuda.koikoi.kernels.playout import BY_TABLES, FINAL, begin, candidates, horizon, play_on, worth_of
from tefuda.koikoi.kernels.rounds import shuffle
from tefuda.koikoi.kernels.simple import finish
from tefuda.koikoi.kernels.tree import Nodes, clear, walk
from tefuda.koikoi.kernels.world import DRAWN, HAND, TURN, bit, copy, hidden_from, mover

EVENLY, HALVING, TREE = range(3)  # ways to search
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_GOLDEN = 0.6180339887498949  # its multiples fill [0, 1) evenly, however many there are


class Search(NamedTuple):
    """Settings of a search.

    worlds: mean number of worlds of a candidate. hands: number of the opponent's hands that are weighed; 0: all hands
    are equally likely. temperature: noise of the opponent's plays, in points. rollout: RANDOM, GREEDY (both stop at
    once) or BY_TABLES. depth: number of turns before the tables value the position; 0: to the end. way: EVENLY;
    HALVING: the worse half of the candidates is dropped repeatedly, and the others get its worlds; TREE: halving, and
    results behind the candidates are stored in a tree. prior: visits that the tables' values count there. explore:
    exploration there, in points.
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
    """Scratch of a search; C: candidates, H: hands, K: tables.

    known: `[WIDTH]`, the world without the hidden hand. unseen: `[48]` uint8. world: `[WIDTH]`. stock: `[48]` uint8.
    cards: `[C]` int64. takes: `[C]` uint64. sums: `[2, C]` of utilities and weights. order: `[C]` int64, candidates
    from the best. hands: `[H]` uint64, weights: `[H]`, cumulative; None if no hands are weighed. found: `[K]` int64.
    nodes: None without a tree.
    """

    known: np.ndarray
    unseen: np.ndarray
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
def look(world, player, room):
    """Note what a player knows of a world in the room; return the number of cards that it has not seen."""
    copy(room.known, world)
    room.known[HAND + 1 - player] = _ZERO
    return hidden_from(world, player, room.unseen)


@inlined
def put_stock(world, hand, unseen, stock):
    """Put the cards that are neither seen nor in a hand behind the drawn ones; return the end of the stock."""
    size = np.int64(world[DRAWN])
    for place in range(unseen.shape[0]):
        if not bit(unseen[place]) & hand:
            stock[size] = unseen[place]
            size += 1
    return size


@inlined
def orders_of(left, draws, most):
    """Return the number of orders of draws; `most` + 1 if it is larger than `most`."""
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
def try_candidate(values, worth, rollouts, nodes, search, utility, room, player, chosen, weight, state):
    """Play a candidate on in the world; return the utility of the player and the stream."""
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
    if rollouts is not None and search.rollout != BY_TABLES:
        ended, state = finish(values, rollouts[search.rollout], room.world, room.stock, state)
        gained = np.float64(ended)
    return worth_of(utility[kind], gained if player == 0 else -gained), state


@inlined
def try_all(values, worth, rollouts, search, utility, known, player, hand, room, alive, weight, state):
    """Play the first `alive` candidates on in a world with this hand and the room's stock; return the stream."""
    for place in range(alive):
        chosen = room.order[place]
        copy(room.world, known)
        room.world[HAND + 1 - player] = hand
        gained, state = try_candidate(
            values, worth, rollouts, room.nodes, search, utility, room, player, chosen, weight, state
        )
        room.sums[0, chosen] += weight * gained
        room.sums[1, chosen] += weight
    return state


@inlined
def sort(room, alive):
    """Sort candidates by their means."""
    for place in range(1, alive):
        chosen, at = room.order[place], place
        mean = room.sums[0, chosen] / room.sums[1, chosen]
        while at > 0 and room.sums[0, room.order[at - 1]] / room.sums[1, room.order[at - 1]] < mean:
            room.order[at] = room.order[at - 1]
            at -= 1
        room.order[at] = chosen


@inlined
def others_cards(values, known):
    """Return the number of cards of the opponent."""
    return np.int64(values.options[6]) // 2 - np.int64(known[TURN]) // 2


@inlined
def list_worlds(values, search, known, unseen, weighed):
    """Return the numbers of orders of draws and of the opponent's hands; 0 and 0 if there are too many worlds."""
    many, left = others_cards(values, known), np.int64(values.options[6]) - np.int64(known[DRAWN])
    sets = sets_of(unseen.shape[0], many, search.worlds)
    orders = orders_of(unseen.shape[0] - many, left, search.worlds)
    if sets * orders > search.worlds or (weighed > 0 and weighed != sets) or search.rollout != BY_TABLES:
        return np.int64(0), np.int64(0)
    return orders, sets


@inlined
def weigh_hands(hands, values, worth, search, known, past, unseen, room, state):
    """Weigh hands of the opponent, if the search asks for it; return their number and the stream."""
    if hands is not None and search.hands > 0:
        return weigh(
            worth, search.hands, search.temperature, past, unseen, others_cards(values, known), state, hands,
            room.weights, room.found,
        )  # fmt: skip
    return 0, state


@inlined
def weight_of(hand, weights, before):
    """Return the weight of a hand from its cumulative weight and that of the hand before."""
    if weights is not None:
        return weights[hand] - before
    return 1.0


@inlined
def draw_hand(hands, weights, weighed, number, unseen, many, state):
    """Return the opponent's hand in the world of a number, a weighed one or any, and the stream."""
    if hands is not None and weighed > 0:
        return pick_hand(hands, weights, weighed, (number + 0.5) * _GOLDEN % 1.0), state
    return draw_set(unseen, many, state)


@inlined
def try_worlds(
    values, worth, rollouts, search, utility, known, player, unseen, room, weighed, orders, worlds, alive, first, state
):
    """Play the first `alive` candidates on in so many worlds; return the stream.

    weighed: number of hands in the room; 0: all hands are equally likely. orders: number of orders of draws of each
    hand if every world is tried; 0 if worlds are drawn at random.
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
        state = try_all(values, worth, rollouts, search, utility, known, player, hand, room, alive, weight, state)
    return state


@kernel
def evaluate(values, worth, rollouts, search, utility, known, past, unseen, room, state):
    """Sort the candidates, the best first, with sums of utilities and weights; return their number and the stream.

    known: `[WIDTH]` a world without the hidden hand. past: `[turns, 6]` plays of the opponent. unseen: `[U]` uint8, the
    cards not seen, in any order. utility: `[2, 2 * most + 1]` of the player's points from -most to most: FINAL,
    EXPECTED.
    """
    player = mover(known)
    size = candidates(known, player, room.cards, room.takes)
    for chosen in range(size):
        room.order[chosen] = chosen
        room.sums[0, chosen], room.sums[1, chosen] = 0.0, 0.0
    weighed, state = weigh_hands(room.hands, values, worth, search, known, past, unseen, room, state)
    orders, sets = list_worlds(values, search, known, unseen, weighed)
    alive, rounds, first = size, 1, np.int64(0)
    clear(room.nodes)
    while search.way != EVENLY and orders == 0 and (1 << rounds) < size:
        rounds += 1
    for _ in range(rounds):
        worlds = orders * sets if orders > 0 else max(1, search.worlds * size // (rounds * alive))
        state = try_worlds(
            values, worth, rollouts, search, utility, known, player, unseen, room, weighed, orders, worlds, alive,
            first, state,
        )  # fmt: skip
        first += worlds
        sort(room, alive)
        alive = (alive + 1) // 2
    return size, state
