"""Determinizations of Koi-Koi played on: hidden cards, candidates, turns by tables, the value of results."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import lowest
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.rounds import call, holds_more, may_call, stopping
from tefuda.koikoi.kernels.simple import lay
from tefuda.koikoi.kernels.values import (
    AFTER_TURN,
    BEFORE_DRAW,
    choose_card,
    draw_and_settle,
    finish_turn,
    phase_in,
    play_turn,
    taken_by_drawn,
    value,
    value_of_calling,
)
from tefuda.koikoi.kernels.world import (
    DRAWN,
    FIELD,
    HAND,
    KOI,
    PHASE,
    PICK_DRAW,
    PILE,
    PLAY,
    SHOWN,
    STOP,
    TURN,
    after_play,
    bit,
    mover,
    next_play,
    settle,
    sight,
)

BY_TABLES = 2  # a kind of playout, beside RANDOM and GREEDY
FINAL, EXPECTED = 0, 1  # rows of a utility
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def lay_candidate(values, worth, world, stock, card, taken, player, rollout, random, found):
    """Lay the card of a candidate, or let it pick, and settle the card that is drawn then."""
    phase = world[PHASE]
    if phase == PLAY:
        world[HAND + player] &= ~bit(card)
    settle(world, player, bit(card), taken)
    if phase == PICK_DRAW:
        return
    if worth is not None and rollout == BY_TABLES:
        draw_and_settle(worth, phase_in(world, player), world, stock, player, found)
    elif np.int64(world[DRAWN]) < stock.shape[0]:
        drawn = stock[np.int64(world[DRAWN])]
        world[FIELD], world[PILE + player] = lay(values, rollout, world[FIELD], world[PILE + player], drawn, random)
        world[DRAWN] += _ONE


@inlined
def begin(values, worth, world, stock, card, taken, player, rollout, random, found):
    """Do a candidate and end its turn; return whether the round is over, and the points of the player."""
    if world[PHASE] == KOI:
        if card == STOP:
            return True, stopping(values, world, player)
        call(values, world, player)
        world[TURN] += _ONE
        return False, np.int64(0)
    lay_candidate(values, worth, world, stock, card, taken, player, rollout, random, found)
    if worth is not None and rollout == BY_TABLES:
        over, points = finish_turn(values, worth, world, player, 0.0, random, found)
    else:
        over, points = holds_more(values, world, player), stopping(values, world, player)
    world[TURN] += _ONE
    return over, points


@inlined
def candidates(known, player, cards, takes):
    """List the plays of the player in turn: cards and what they take; return their number."""
    if known[PHASE] == KOI:
        cards[0], cards[1] = STOP, STOP + 1
        return 2
    left, second, size = known[HAND + player] if known[PHASE] == PLAY else bit(known[SHOWN]), _ZERO, 0
    while left:
        here, takes[size], left, second = next_play(left, known[FIELD], second)
        cards[size] = lowest(here)
        size += 1
    return size


@inlined
def worth_of(utility, points):
    """Return the utility of points, linear between whole ones."""
    most = (utility.shape[0] - 1) // 2
    points = min(max(points, -np.float64(most)), np.float64(most) - 1e-9)
    low = np.int64(np.floor(points))
    return utility[low + most] + (points - low) * (utility[low + 1 + most] - utility[low + most])


@inlined
def tables_choice(values, worth, utility, sign, world, player, found):
    """Return the action of a player by tables, and what the card takes.

    It calls if that has more utility, of which `sign` is 1 if it is the player's own and -1 if it is the opponent's.
    """
    seen = sight(world, player)
    if world[PHASE] == PLAY:
        chosen, taken = choose_card(worth, phase_in(world, player, 1), seen, 0.0, _ZERO, found)
        return np.int64(lowest(chosen)), taken
    if world[PHASE] == KOI:
        if not may_call(values, world, player):
            return np.int64(STOP), _ZERO
        expected = np.float64(value_of_calling(worth, world, player, found))
        points = np.float64(stopping(values, world, player))
        more = sign * (worth_of(utility[EXPECTED], sign * expected) - worth_of(utility[FINAL], sign * points)) > 0
        return np.int64(STOP + 1 if more else STOP), _ZERO
    card = np.int64(world[SHOWN])
    return card, taken_by_drawn(worth, phase_in(world, player), seen, card, found)


@inlined
def horizon(values, world, depth):
    """Return the turn before which a playout ends: `depth` turns behind the current one, or the last one if it is 0."""
    after = values.options[6] + 1
    return min(np.int64(world[TURN]) + 1 + depth, after) if depth > 0 else after


@inlined
def play_on(values, worth, world, stock, last, searcher, found):
    """Play a world on by tables; return the dealer's points, and whether they are FINAL or EXPECTED.

    last: the turn before which it ends with the searcher's value of the position.
    """
    while np.int64(world[TURN]) <= values.options[6]:
        player = mover(world)
        if np.int64(world[TURN]) >= last:
            return stand(worth, world, searcher, found), EXPECTED
        over, points, _, _ = play_turn(values, worth, world, stock, player, 0.0, _ZERO, None, None, found)
        if over:
            return np.float64(points if player == 0 else -points), FINAL
        world[TURN] += _ONE
    return np.float64(values.options[5]), FINAL


@inlined
def stand(worth, world, player, found):
    """Return the value of a position between two turns to a player, as points of the dealer.

    The player knows its own hand only: before its turn, the value is that after its best card.
    """
    seen, kind, laid = sight(world, player), AFTER_TURN, 0
    if mover(world) == player:
        kind, laid = BEFORE_DRAW, 1
        seen = after_play(seen, *choose_card(worth, phase_in(world, player, laid), seen, 0.0, _ZERO, found))
    points = np.float64(value(worth, kind, phase_in(world, player, laid), seen, found))
    return points if player == 0 else -points
