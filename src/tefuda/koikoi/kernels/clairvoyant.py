"""A clairvoyant player of Koi-Koi: its best result against an opponent with a known rule.

The opponent's plays are known, so only the clairvoyant player chooses: it tries all its plays to
the end, depth first. No player wins more from that opponent with these cards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.playout import play_candidate
from tefuda.koikoi.kernels.rounds import LAST_TURN, call, exhausted_points, may_call, may_stop, stop_points
from tefuda.koikoi.kernels.simple import GREEDY, simple_choice
from tefuda.koikoi.kernels.state import DRAWN, FIELD, HAND, STOP, TURN, bit, copy, month, settle
from tefuda.koikoi.kernels.tables import play_turn

_ONE, _ZERO = np.uint64(1), np.uint64(0)


class ClairvoyantScratch(NamedTuple):
    """Scratch of a clairvoyant player.

    Attributes:
        states: `[10, WIDTH]` uint64, states before its turns.
        untried: `[10]` uint64, cards not tried there.
        variant: `[10]` int64, next picks with the lowest of these cards.
        plan, trial: `[4]` uint64, the best and the current turn: card, its capture, the drawn
            card's capture, STOP or CALL.
        spare: `[4]`.
        indices: `[K]` int64.
    """

    states: np.ndarray
    untried: np.ndarray
    variant: np.ndarray
    plan: np.ndarray
    trial: np.ndarray
    spare: np.ndarray
    indices: np.ndarray


@inlined
def lay_card(state, player, card, high):
    """Lay a card that captures the lower or higher mate; return the capture, and whether it exists."""
    mates = state[FIELD] & month(card)
    if count(mates) == 2:
        low = mates & (~mates + _ONE)
        mates = mates ^ low if high else low
    elif high:
        return _ZERO, False
    settle(state, player, bit(card), mates)
    return mates, True


@inlined
def try_turn(state, stock, player, card, variant, trial):
    """Lay a card and the drawn one with these picks; return whether the picks exist."""
    state[HAND + player] &= ~bit(card)
    taken, possible = lay_card(state, player, card, variant & 1)
    if not possible:
        return False
    drawn, drawn_taken = np.int64(state[DRAWN]), _ZERO
    if drawn < stock.shape[0]:
        drawn_taken, possible = lay_card(state, player, stock[drawn], variant >> 1)
        state[DRAWN] += _ONE
    elif variant >> 1:
        return False
    trial[0], trial[1], trial[2] = np.uint64(card), taken, drawn_taken
    return possible


@inlined
def opponent_turn(rules, tables, kind, state, stock, player, indices):
    """Play a turn of the opponent; return whether the round is over, and the opponent's points."""
    if kind > GREEDY:
        over, points, _, _ = play_turn(rules, tables, state, stock, player, 0.0, _ZERO, None, None, indices)
        return over, points
    card, taken = simple_choice(rules, GREEDY, state, player, _ZERO)
    play_candidate(rules, None, state, stock, card, taken, player, GREEDY, _ZERO, indices)
    return may_stop(rules, state, player), stop_points(rules, state, player)


@inlined
def update_plan(scratch, points, best, level, choice):
    """Return the larger of two results, and store the plan of the new one if it is better."""
    if points <= best:
        return best
    if level == 0:
        scratch.trial[3] = np.uint64(choice)
    copy(scratch.plan, scratch.trial)
    return points


@inlined
def advance_to_own_turn(rules, tables, kind, state, stock, player, indices):
    """Play the opponent's turn, if there is one; return whether the round is over, and own points."""
    sign = 1 if player == 0 else -1
    state[TURN] += _ONE
    if np.int64(state[TURN]) > rules.options[LAST_TURN]:
        return True, sign * exhausted_points(rules, state)
    over, points = opponent_turn(rules, tables, kind, state, stock, 1 - player, indices)
    if over:
        return True, -points
    state[TURN] += _ONE
    return np.int64(state[TURN]) > rules.options[LAST_TURN], sign * exhausted_points(rules, state)


@kernel
def plan_turn(rules, tables, kind, state, stock, player, scratch):
    """Fill in the plan of the turn; return its final points against an opponent by `kind` and `tables`."""
    copy(scratch.states[0], state)
    scratch.untried[0], scratch.variant[0], level, best = state[HAND + player], 0, 0, -(1 << 40)
    while level >= 0:
        if scratch.untried[level] == _ZERO:
            level -= 1
            continue
        card, variant, after = (
            lowest(scratch.untried[level]),
            scratch.variant[level],
            scratch.states[level + 1],
        )
        scratch.variant[level] = (variant + 1) & 3
        if variant == 3:
            scratch.untried[level] &= scratch.untried[level] - _ONE
        copy(after, scratch.states[level])
        if not try_turn(after, stock, player, card, variant, scratch.trial if level == 0 else scratch.spare):
            continue
        if may_stop(rules, after, player):
            best = update_plan(scratch, stop_points(rules, after, player), best, level, STOP)
            if not may_call(rules, after, player):
                continue
            call(rules, after, player)
        if level == 0:
            scratch.trial[3] = np.uint64(STOP + 1)
        over, points = advance_to_own_turn(rules, tables, kind, after, stock, player, scratch.indices)
        if over:
            best = update_plan(scratch, points, best, level, STOP + 1)
            continue
        level += 1
        scratch.untried[level], scratch.variant[level] = after[HAND + player], 0
    return best
