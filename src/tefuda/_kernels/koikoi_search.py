"""Searching in Koi-Koi: what the other may hold, worlds drawn from it, each candidate played out in each of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import inlined
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
from tefuda._kernels.koikoi_values import (
    AFTER_TURN,
    BEFORE_DRAW,
    draw_and_settle,
    finish_turn,
    lay_card,
    phase_of,
    value,
)  # fmt: skip

BY_TABLES = 2  # as a way to play out, beside RANDOM and GREEDY
# Columns of what is known of a past play of the other: what was open to it, the card, what it took.
SEEN_FIELD, SEEN_OWN, SEEN_OTHER, SEEN_PHASE, SEEN_CARD, SEEN_TAKEN = range(6)
_ONE, _ZERO, _S32 = np.uint64(1), np.uint64(0), np.uint64(32)


class Search(NamedTuple):
    """How to search.

    worlds: how many are drawn. hands: of the other that are weighed before; 0: all alike. temperature: points; how far
    from the best the other's plays are thought to be. rollout: RANDOM, GREEDY (both stop at once) or BY_TABLES. depth:
    turns played out before the tables say what the position is worth; 0: to the end.
    """

    worlds: int
    hands: int
    temperature: float
    rollout: int
    depth: int


class Room(NamedTuple):
    """Where a search works: a world, its stock, candidates (cards, what they take, means), hands of the other.

    world: `[WIDTH]`. stock: `[48]` uint8. cards: `[C]` int64. takes: `[C]` uint64. means: `[C]`. hands: `[H]` uint64,
    and their cumulative weights `[H]`. found: `[K]` int64.
    """

    world: np.ndarray
    stock: np.ndarray
    cards: np.ndarray
    takes: np.ndarray
    means: np.ndarray
    hands: np.ndarray
    weights: np.ndarray
    found: np.ndarray


@inlined
def log_likelihood(worth, hand, past, temperature, found):
    """How likely somebody with `hand` left has played as in `past` `[n, 6]`, if by the tables with noise."""
    total, now = 0.0, hand
    for at in range(past.shape[0] - 1, -1, -1):
        now |= past[at, SEEN_CARD]
        total += log_choice(
            worth, np.int64(past[at, SEEN_PHASE]), past[at, SEEN_OWN], past[at, SEEN_OTHER], now, past[at, SEEN_FIELD],
            past[at, SEEN_CARD], past[at, SEEN_TAKEN], temperature, found,
        )  # fmt: skip
    return total


@inlined
def log_choice(worth, phase, own, other, hand, field, played, took, temperature, found):
    """The logarithm of the probability of laying a card and taking what it took, by a soft maximum of worths."""
    most, chosen, total, left = -1e30, -1e30, 0.0, hand
    while left:
        card = lowest(left)
        left &= left - _ONE
        here, rest, mates = bit(card), hand & ~bit(card), field & month(card)
        options = count(mates) if count(mates) == 2 else np.uint64(1)
        for _ in range(options):
            take = mates if options == 1 else mates & (~mates + _ONE)
            mates ^= take
            if take == _ZERO:
                now = value(worth, BEFORE_DRAW, phase, own, other, rest, field | here, found)
            else:
                now = value(worth, BEFORE_DRAW, phase, own | take | here, other, rest, field & ~take, found)
            now /= temperature
            if now > most:
                total, most = total * np.exp(most - now) + 1.0, now
            else:
                total += np.exp(now - most)
            if here == played and take == took:
                chosen = now
    return chosen - most - np.log(total)


@inlined
def weigh(worth, search, past, unseen, held_cards, state, hands, weights, found):
    """Draw hands of the other and fill in cumulative weights; return the stream."""
    size = unseen.shape[0]
    most = -1e30
    for at in range(search.hands):
        state = shuffle(unseen, size, 0, held_cards, state)
        hand = _ZERO
        for place in range(held_cards):
            hand |= bit(unseen[place])
        hands[at] = hand
        weights[at] = log_likelihood(worth, hand, past, search.temperature, found)
        most = max(most, weights[at])
    total = 0.0
    for at in range(search.hands):
        total += np.exp(weights[at] - most)
        weights[at] = total
    return state


@inlined
def copy(known, world):
    """One world over another."""
    for column in range(WIDTH):
        world[column] = known[column]


@inlined
def fill_world(known, hand, unseen, world, stock, player, state):
    """A world with this hand of the other, its stock in random order; return the stream."""
    copy(known, world)
    world[HAND + 1 - player] = hand
    size = 0
    for place in range(unseen.shape[0]):
        if not bit(unseen[place]) & hand:
            stock[size] = unseen[place]
            size += 1
    return shuffle(stock, size, 0, min(size, 16), state)


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
def draw_hand(search, room, unseen, other, number, at, state):
    """The other's hand in a world: by weight if hands were weighed, else at random; and the stream, and the place."""
    if search.hands > 0:
        goal = room.weights[search.hands - 1] * (number + 0.5) / search.worlds
        while room.weights[at] < goal:
            at += 1
        return room.hands[at], at, state
    state = shuffle(unseen, unseen.shape[0], 0, other, state)
    hand = _ZERO
    for place in range(other):
        hand |= bit(unseen[place])
    return hand, at, state


@inlined
def worth_of(utility, points):
    """What points are worth, between whole ones on a straight line."""
    most = (utility.shape[0] - 1) // 2
    points = min(max(points, -np.float64(most)), np.float64(most) - 1e-9)
    low = np.int64(np.floor(points))
    return utility[low + most] + (points - low) * (utility[low + 1 + most] - utility[low + most])


@inlined
def play_on(values, worth, search, room):
    """Play the world out by the tables, to the end or so many turns; return the expected points to the dealer."""
    world = room.world
    last = np.int64(world[TURN]) + search.depth if search.depth > 0 else values.options[6] + 1
    while np.int64(world[TURN]) <= values.options[6]:
        player = np.int64(world[TURN] - _ONE) & 1
        if np.int64(world[TURN]) >= last:
            return stand(worth, world, 1 - player, room.found)
        left = np.int64(count(world[HAND + player])) - 1
        phase = phase_of(left, np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]))
        lay_card(worth, phase, world, player, 0.0, _ZERO, room.found)
        draw_and_settle(worth, phase, world, room.stock, player, room.found)
        over, points = finish_turn(values, worth, world, player, left, 0.0, _ZERO, room.found)
        if over:
            return np.float64(points if player == 0 else -points)
        world[TURN] += _ONE
    return np.float64(values.options[5])


@inlined
def stand(worth, world, player, found):
    """What the player who moved last thinks the position is worth, as points to the dealer."""
    left = np.int64(count(world[HAND + player]))
    phase = phase_of(left, np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]))
    own, other = world[PILE + player], world[PILE + 1 - player]
    points = np.float64(value(worth, AFTER_TURN, phase, own, other, world[HAND + player], world[FIELD], found))
    return points if player == 0 else -points


@inlined
def evaluate(values, worth, style, search, utility, known, past, unseen, room, state):
    """Fill in the mean utility of each candidate; return how many there are, and the stream.

    utility: `[2 * most + 1]` what points to the player are worth to it, from -most to most.
    """
    player = np.int64(known[TURN] - _ONE) & 1
    size = candidates(values, known, player, room.cards, room.takes)
    other = 8 - np.int64(known[TURN]) // 2  # cards in the other's hand
    if search.hands > 0:
        state = weigh(worth, search, past, unseen, other, state, room.hands, room.weights, room.found)
    for chosen in range(size):
        room.means[chosen] = 0.0
    at = 0
    for number in range(search.worlds):
        hand, at, state = draw_hand(search, room, unseen, other, number, at, state)
        state = fill_world(known, hand, unseen, room.world, room.stock, player, state)
        for chosen in range(size):
            if chosen > 0:
                copy(known, room.world)
                room.world[HAND + 1 - player] = hand
            state = step(state)
            over, points = begin(
                values, worth, room.world, room.stock, room.cards[chosen], room.takes[chosen], player, search.rollout,
                mix(state), room.found,
            )  # fmt: skip
            if over:
                room.means[chosen] += worth_of(utility, np.float64(points))
            elif search.rollout == BY_TABLES:
                gained = play_on(values, worth, search, room)
                room.means[chosen] += worth_of(utility, gained if player == 0 else -gained)
            else:
                points, state = finish(values, style, room.world, room.stock, state)
                room.means[chosen] += worth_of(utility, np.float64(points if player == 0 else -points))
    for chosen in range(size):
        room.means[chosen] /= search.worlds
    return size, state
