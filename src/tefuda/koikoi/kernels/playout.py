"""Worlds of Koi-Koi played on: what may be done, a candidate and the turn behind it, turns by tables, their worth."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.rounds import (
    CALLS,
    DRAWN,
    FIELD,
    HAND,
    KOI,
    LEVEL,
    PHASE,
    PICK_DRAW,
    PICK_HAND,
    PILE,
    PLAY,
    SHOWN,
    STOP,
    TURN,
    WIDTH,
    bit,
    capture,
    held,
    lay,
    month,
    score,
)
from tefuda.koikoi.kernels.values import (
    AFTER_TURN,
    BEFORE_DRAW,
    choose_card,
    draw_and_settle,
    finish_turn,
    lay_card,
    phase_of,
    value,
)

BY_TABLES = 2  # as a way to play out, beside RANDOM and GREEDY
FINAL, EXPECTED = 0, 1  # rows of a utility
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def copy(known, world):
    """One world over another."""
    for column in range(WIDTH):
        world[column] = known[column]


@inlined
def hidden_from(world, player, cards):
    """Fill in the cards that a player has not seen; return how many these are."""
    seen, size = world[HAND + player] | world[PILE] | world[PILE + 1] | world[FIELD], 0
    if world[PHASE] == PICK_HAND or world[PHASE] == PICK_DRAW:
        seen |= bit(world[SHOWN])
    for card in range(48):
        if not bit(card) & seen:
            cards[size] = card
            size += 1
    return size


@inlined
def call(values, world, player):
    """Koi-koi by the player in turn: its turn is over."""
    world[CALLS + player] += _ONE
    world[LEVEL + player] = np.uint64(held(values, world[PILE + player], np.int64(world[CALLS + player])))
    world[TURN] += _ONE


@inlined
def stopping(values, world, player):
    """What stopping brings the player in turn."""
    theirs = np.int64(world[CALLS + 1 - player])
    return score(values, world[PILE + player], np.int64(world[CALLS + player]), theirs)


@inlined
def lay_candidate(values, worth, world, stock, card, taken, player, rollout, random, found):
    """Lay a candidate's card, or take what it picks, and settle the card drawn then; return how many are left."""
    left, phase = np.int64(count(world[HAND + player])), world[PHASE]
    if phase == PLAY:
        left -= 1
        world[HAND + player] &= ~bit(card)
    if taken == _ZERO:
        world[FIELD] |= bit(card)
    else:
        capture(world, card, taken)
    if phase == PICK_DRAW:
        return left
    if worth is not None and rollout == BY_TABLES:
        number = phase_of(left, np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]))
        draw_and_settle(worth, number, world, stock, player, found)
        return left
    field, own = lay(values, rollout, world[FIELD], world[PILE + player], stock[np.int64(world[DRAWN])], random)
    world[FIELD], world[PILE + player] = field, own
    world[DRAWN] += _ONE
    return left


@inlined
def end_candidate(values, worth, world, player, left, rollout, random, found):
    """Stop or call; return whether the round is over, and what the player gets."""
    if worth is not None and rollout == BY_TABLES:
        return finish_turn(values, worth, world, player, left, 0.0, random, found)
    more = held(values, world[PILE + player], np.int64(world[CALLS + player])) > np.int64(world[LEVEL + player])
    return more, stopping(values, world, player)


@inlined
def begin(values, worth, world, stock, card, taken, player, rollout, random, found):
    """Do a candidate and end the turn by simple play; return whether the round is over, and points to the player."""
    if world[PHASE] == KOI:
        if card == STOP:
            return True, stopping(values, world, player)
        call(values, world, player)
        return False, np.int64(0)
    left = lay_candidate(values, worth, world, stock, card, taken, player, rollout, random, found)
    over, points = end_candidate(values, worth, world, player, left, rollout, random, found)
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
def horizon(values, world, depth):
    """The turn before which the tables say what a position is worth, `depth` turns behind the one that is under way."""
    after = values.options[6] + 1
    return min(np.int64(world[TURN]) + 1 + depth, after) if depth > 0 else after


@inlined
def play_on(values, worth, world, stock, last, searcher, found):
    """Play a world on by the tables; return the points to the dealer, and whether they are FINAL or EXPECTED.

    last: the turn before which it ends, with what the searcher thinks of the position.
    """
    while np.int64(world[TURN]) <= values.options[6]:
        player = np.int64(world[TURN] - _ONE) & 1
        if np.int64(world[TURN]) >= last:
            return stand(worth, world, searcher, found), EXPECTED
        left = np.int64(count(world[HAND + player])) - 1
        phase = phase_of(left, np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]))
        lay_card(worth, phase, world, player, 0.0, _ZERO, found)
        draw_and_settle(worth, phase, world, stock, player, found)
        over, points = finish_turn(values, worth, world, player, left, 0.0, _ZERO, found)
        if over:
            return np.float64(points if player == 0 else -points), FINAL
        world[TURN] += _ONE
    return np.float64(values.options[5]), FINAL


@inlined
def stand(worth, world, player, found):
    """What a player thinks the position between two turns is worth, as points to the dealer.

    It knows its own hand only: before its turn, it looks at the best card it can lay.
    """
    own, other, hand, field = world[PILE + player], world[PILE + 1 - player], world[HAND + player], world[FIELD]
    calls, theirs, left = np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]), np.int64(count(hand))
    kind = AFTER_TURN
    if np.int64(world[TURN] - _ONE) & 1 == player:
        kind, left = BEFORE_DRAW, left - 1
        laid, taken = choose_card(
            worth, phase_of(left, calls, theirs), own, other, hand, field, 0.0, _ZERO, found
        )  # fmt: skip
        hand ^= laid
        own, field = (own, field | laid) if taken == _ZERO else (own | taken | laid, field & ~taken)
    points = np.float64(value(worth, kind, phase_of(left, calls, theirs), own, other, hand, field, found))
    return points if player == 0 else -points
