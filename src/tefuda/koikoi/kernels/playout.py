"""Playouts of determinizations of Koi-Koi: candidates, turns by tables, utilities of results."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import lowest
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.rounds import LAST_TURN, call, exhausted_points, may_call, may_stop, stop_points
from tefuda.koikoi.kernels.simple import lay
from tefuda.koikoi.kernels.state import (
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
    visible_cards,
)
from tefuda.koikoi.kernels.tables import (
    AFTER_TURN,
    BEFORE_DRAW,
    captured_by_draw,
    choose_card,
    draw_and_settle,
    finish_turn,
    phase_in,
    play_turn,
    value,
    value_of_calling,
)

BY_TABLES = 2  # a kind of playout, besides RANDOM and GREEDY
FINAL, EXPECTED = 0, 1  # rows of a utility: certain points, points expected by tables
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def play_candidate(rules, tables, state, stock, card, taken, player, rollout, random, indices):
    """Lay the card of a candidate, or let it pick, and settle the card drawn next."""
    phase = state[PHASE]
    if phase == PLAY:
        state[HAND + player] &= ~bit(card)
    settle(state, player, bit(card), taken)
    if phase == PICK_DRAW:
        return
    if tables is not None and rollout == BY_TABLES:
        draw_and_settle(tables, phase_in(state, player), state, stock, player, indices)
    elif np.int64(state[DRAWN]) < stock.shape[0]:
        drawn = stock[np.int64(state[DRAWN])]
        state[FIELD], state[PILE + player] = lay(rules, rollout, state[FIELD], state[PILE + player], drawn, random)
        state[DRAWN] += _ONE


@inlined
def start_playout(rules, tables, state, stock, card, taken, player, rollout, random, indices):
    """Play a candidate and end its turn; return whether the round is over, and the points of the player."""
    if state[PHASE] == KOI:
        if card == STOP:
            return True, stop_points(rules, state, player)
        call(rules, state, player)
        state[TURN] += _ONE
        return False, np.int64(0)
    play_candidate(rules, tables, state, stock, card, taken, player, rollout, random, indices)
    if tables is not None and rollout == BY_TABLES:
        over, points = finish_turn(rules, tables, state, player, 0.0, random, indices)
    else:
        over, points = may_stop(rules, state, player), stop_points(rules, state, player)
    state[TURN] += _ONE
    return over, points


@inlined
def candidates(known, player, cards, takes):
    """List the plays of the player to move: cards and their captures; return their number."""
    if known[PHASE] == KOI:
        cards[0], cards[1] = STOP, STOP + 1
        return 2
    left, second, size = known[HAND + player] if known[PHASE] == PLAY else bit(known[SHOWN]), _ZERO, 0
    while left:
        card_mask, takes[size], left, second = next_play(left, known[FIELD], second)
        cards[size] = lowest(card_mask)
        size += 1
    return size


@inlined
def utility_of(utility, points):
    """Return the utility of points, linear between integers."""
    most = (utility.shape[0] - 1) // 2
    points = min(max(points, -np.float64(most)), np.float64(most) - 1e-9)
    low = np.int64(np.floor(points))
    return utility[low + most] + (points - low) * (utility[low + 1 + most] - utility[low + most])


@inlined
def tables_choice(rules, tables, utility, sign, state, player, indices):
    """Return the action of a player by tables, and the capture of its card.

    The player calls if calling has more utility. sign: 1 for the player's own utility, -1 for the
    opponent's.
    """
    visible = visible_cards(state, player)
    if state[PHASE] == PLAY:
        chosen, taken = choose_card(tables, phase_in(state, player, 1), visible, 0.0, _ZERO, indices)
        return np.int64(lowest(chosen)), taken
    if state[PHASE] == KOI:
        if not may_call(rules, state, player):
            return np.int64(STOP), _ZERO
        expected = np.float64(value_of_calling(tables, state, player, indices))
        points = np.float64(stop_points(rules, state, player))
        more = sign * (utility_of(utility[EXPECTED], sign * expected) - utility_of(utility[FINAL], sign * points)) > 0
        return np.int64(STOP + 1 if more else STOP), _ZERO
    card = np.int64(state[SHOWN])
    return card, captured_by_draw(tables, phase_in(state, player), visible, card, indices)


@inlined
def horizon(rules, state, depth):
    """Return the turn at which a playout stops, `depth` turns ahead; 0: after the last turn."""
    after = rules.options[LAST_TURN] + 1
    return min(np.int64(state[TURN]) + 1 + depth, after) if depth > 0 else after


@inlined
def play_out(rules, tables, state, stock, last_turn, searcher, indices):
    """Play a state on by tables; return the dealer's points, and whether they are FINAL or EXPECTED.

    last_turn: turn at which the playout stops; the searcher's value of the position is returned
    then.
    """
    while np.int64(state[TURN]) <= rules.options[LAST_TURN]:
        player = mover(state)
        if np.int64(state[TURN]) >= last_turn:
            return position_value(tables, state, searcher, indices), EXPECTED
        over, points, _, _ = play_turn(rules, tables, state, stock, player, 0.0, _ZERO, None, None, indices)
        if over:
            return np.float64(points if player == 0 else -points), FINAL
        state[TURN] += _ONE
    return np.float64(exhausted_points(rules, state)), FINAL


@inlined
def position_value(tables, state, player, indices):
    """Return the value of a position between two turns to a player, as points of the dealer.

    The player knows its own hand only. Before its own turn, the value is the value after its best
    card.
    """
    visible, kind, laid = visible_cards(state, player), AFTER_TURN, 0
    if mover(state) == player:
        kind, laid = BEFORE_DRAW, 1
        visible = after_play(visible, *choose_card(tables, phase_in(state, player, laid), visible, 0.0, _ZERO, indices))
    points = np.float64(value(tables, kind, phase_in(state, player, laid), visible, indices))
    return points if player == 0 else -points
