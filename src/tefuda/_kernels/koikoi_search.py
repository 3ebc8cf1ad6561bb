"""Searching in Koi-Koi: worlds that fit what a player sees, each candidate played on in each of them.

In the last turns there are few worlds, and each is looked at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.koikoi import (
    CALLS,
    DRAWN,
    FIELD,
    HAND,
    KOI,
    LEVEL,
    PHASE,
    PICK_DRAW,
    PILE,
    PLAY,
    SHOWN,
    STOP,
    TURN,
    WIDTH,
    bit,
    capture,
    finish,
    held,
    lay,
    month,
    score,
    shuffle,
)  # fmt: skip
from tefuda._kernels.koikoi_belief import cards_of, draw_set, following, pick_hand, sets_of, weigh
from tefuda._kernels.koikoi_values import (
    AFTER_TURN,
    draw_and_settle,
    finish_turn,
    lay_card,
    phase_of,
    value,
)  # fmt: skip

BY_TABLES = 2  # as a way to play out, beside RANDOM and GREEDY
FINAL, EXPECTED = 0, 1  # rows of a utility
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_GOLDEN = 0.6180339887498949  # its multiples fill [0, 1) evenly, however many there are


class Search(NamedTuple):
    """How to search.

    worlds: how many each candidate is played on in, on average. hands: of the other that are weighed before; 0: all
    alike. temperature: points; how far from the best the other's plays are thought to be. rollout: RANDOM, GREEDY (both
    stop at once) or BY_TABLES. depth: turns played before the tables say what the position is worth; 0: to the end.
    halving: whether the worse half of the candidates is dropped again and again, and the others get its worlds.
    """

    worlds: int
    hands: int
    temperature: float
    rollout: int
    depth: int
    halving: int


class Room(NamedTuple):
    """Where a search works: a world, its stock, candidates, hands of the other.

    world: `[WIDTH]`. stock: `[48]` uint8. cards: `[C]` int64. takes: `[C]` uint64, what they take. sums: `[2, C]` of
    utilities and weights. order: `[C]` int64, candidates from the best. hands: `[H]` uint64, and their cumulative
    weights `[H]`. found: `[K]` int64.
    """

    world: np.ndarray
    stock: np.ndarray
    cards: np.ndarray
    takes: np.ndarray
    sums: np.ndarray
    order: np.ndarray
    hands: np.ndarray
    weights: np.ndarray
    found: np.ndarray


@inlined
def copy(known, world):
    """One world over another."""
    for column in range(WIDTH):
        world[column] = known[column]


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
def begin(values, worth, world, stock, card, taken, player, rollout, random, found):
    """Do a candidate and end the turn by simple play; return whether the round is over, and points to the player."""
    left = np.int64(count(world[HAND + player]))
    phase = world[PHASE]
    if phase == KOI:
        if card == STOP:
            theirs = np.int64(world[CALLS + 1 - player])
            return True, score(values, world[PILE + player], np.int64(world[CALLS + player]), theirs)
        world[CALLS + player] += _ONE
        world[LEVEL + player] = np.uint64(held(values, world[PILE + player], np.int64(world[CALLS + player])))
        world[TURN] += _ONE
        return False, np.int64(0)
    if phase == PLAY:
        left -= 1
        world[HAND + player] &= ~bit(card)
    if taken == _ZERO:
        world[FIELD] |= bit(card)
    else:
        capture(world, card, taken)
    number = phase_of(left, np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]))
    if phase != PICK_DRAW:
        if rollout == BY_TABLES:
            draw_and_settle(worth, number, world, stock, player, found)
        else:
            drawn = np.int64(world[DRAWN])
            field, own = lay(values, rollout, world[FIELD], world[PILE + player], stock[drawn], random)
            world[FIELD], world[PILE + player] = field, own
            world[DRAWN] += _ONE
    if rollout == BY_TABLES:
        over, points = finish_turn(values, worth, world, player, left, 0.0, random, found)
    else:
        calls, theirs = np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player])
        over = held(values, world[PILE + player], calls) > np.int64(world[LEVEL + player])
        points = score(values, world[PILE + player], calls, theirs)
    world[TURN] += _ONE
    return over, points


@inlined
def candidates(values, known, player, cards, takes):
    """List what may be done: cards and what they take; return how many."""
    size, phase = 0, known[PHASE]
    if phase == KOI:
        cards[0], cards[1] = STOP, STOP + 1
        return 2
    left = known[HAND + player] if phase == PLAY else bit(known[SHOWN])
    while left:
        card = lowest(left)
        left &= left - _ONE
        mates = known[FIELD] & month(card)
        options = count(mates) if count(mates) == 2 else np.uint64(1)
        for _ in range(options):
            take = mates if options == 1 else mates & (~mates + _ONE)
            mates ^= take
            cards[size], takes[size] = card, take
            size += 1
    return size


@inlined
def worth_of(utility, points):
    """What points are worth, between whole ones on a straight line."""
    most = (utility.shape[0] - 1) // 2
    points = min(max(points, -np.float64(most)), np.float64(most) - 1e-9)
    low = np.int64(np.floor(points))
    return utility[low + most] + (points - low) * (utility[low + 1 + most] - utility[low + most])


@inlined
def play_on(values, worth, search, room):
    """Play the world on by the tables; return the points to the dealer, and whether they are FINAL or EXPECTED."""
    world = room.world
    last = np.int64(world[TURN]) + search.depth if search.depth > 0 else values.options[6] + 1
    while np.int64(world[TURN]) <= values.options[6]:
        player = np.int64(world[TURN] - _ONE) & 1
        if np.int64(world[TURN]) >= last:
            return stand(worth, world, 1 - player, room.found), EXPECTED
        left = np.int64(count(world[HAND + player])) - 1
        phase = phase_of(left, np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]))
        lay_card(worth, phase, world, player, 0.0, _ZERO, room.found)
        draw_and_settle(worth, phase, world, room.stock, player, room.found)
        over, points = finish_turn(values, worth, world, player, left, 0.0, _ZERO, room.found)
        if over:
            return np.float64(points if player == 0 else -points), FINAL
        world[TURN] += _ONE
    return np.float64(values.options[5]), FINAL


@inlined
def stand(worth, world, player, found):
    """What the player who moved last thinks the position is worth, as points to the dealer."""
    left = np.int64(count(world[HAND + player]))
    phase = phase_of(left, np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]))
    own, other = world[PILE + player], world[PILE + 1 - player]
    points = np.float64(value(worth, AFTER_TURN, phase, own, other, world[HAND + player], world[FIELD], found))
    return points if player == 0 else -points


@inlined
def try_candidate(values, worth, styles, search, utility, room, player, chosen, state):
    """Play a candidate on in the world; return what comes of it, as utility to the player, and the stream."""
    state = step(state)
    over, points = begin(
        values, worth, room.world, room.stock, room.cards[chosen], room.takes[chosen], player, search.rollout,
        mix(state), room.found,
    )  # fmt: skip
    if over:
        return worth_of(utility[FINAL], np.float64(points)), state
    if search.rollout == BY_TABLES:
        gained, kind = play_on(values, worth, search, room)
    else:
        ended, state = finish(values, styles[search.rollout], room.world, room.stock, state)
        gained, kind = np.float64(ended), FINAL
    return worth_of(utility[kind], gained if player == 0 else -gained), state


@inlined
def try_all(values, worth, styles, search, utility, known, player, hand, room, alive, weight, state):
    """Play all candidates that are alive on in a world of this hand and the room's stock; return the stream."""
    for place in range(alive):
        chosen = room.order[place]
        copy(known, room.world)
        room.world[HAND + 1 - player] = hand
        gained, state = try_candidate(values, worth, styles, search, utility, room, player, chosen, state)
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
                    weight = room.weights[number // orders] - before
                    before += weight
        elif weighed > 0:
            hand = pick_hand(room.hands, room.weights, weighed, (number + 0.5) * _GOLDEN % 1.0)
        else:
            hand, state = draw_set(unseen, many, state)
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
    size, weighed = candidates(values, known, player, room.cards, room.takes), 0
    for chosen in range(size):
        room.order[chosen] = chosen
        room.sums[0, chosen], room.sums[1, chosen] = 0.0, 0.0
    if search.hands > 0:
        weighed, state = weigh(
            worth, search.hands, search.temperature, past, unseen, others_cards(values, known), state, room.hands,
            room.weights, room.found,
        )  # fmt: skip
    orders, sets = list_worlds(values, search, known, unseen, weighed)
    alive, rounds, first = size, 1, 0
    while search.halving and orders == 0 and (1 << rounds) < size:
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
