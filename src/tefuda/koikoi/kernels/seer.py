"""A clairvoyant player of Koi-Koi: its best result against an opponent that plays by a known rule.

Only the clairvoyant player chooses, as the opponent's plays are known: it tries all its ways to the end, depth first.
No other player wins more from that opponent with these cards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.playout import lay_candidate
from tefuda.koikoi.kernels.rounds import call, holds_more, may_call, stopping
from tefuda.koikoi.kernels.simple import GREEDY, simple_choice
from tefuda.koikoi.kernels.values import play_turn
from tefuda.koikoi.kernels.world import DRAWN, FIELD, HAND, STOP, TURN, bit, copy, month, settle

_ONE, _ZERO = np.uint64(1), np.uint64(0)


class Seer(NamedTuple):
    """Scratch of a clairvoyant player.

    worlds: `[10, WIDTH]` uint64, before its turns. left: `[10]` uint64, cards not tried there. variant: `[10]` int64,
    the next picks with the lowest of them. plan, trial: `[4]` uint64 of the best way and of the current one: card, what
    it takes, what the drawn card takes, STOP or CALL. spare: `[4]`. found: `[K]` int64.
    """

    worlds: np.ndarray
    left: np.ndarray
    variant: np.ndarray
    plan: np.ndarray
    trial: np.ndarray
    spare: np.ndarray
    found: np.ndarray


@inlined
def lay_with(world, player, card, high):
    """Lay a card, which takes the lower or higher of two mates; return what it takes, and whether the choice exists."""
    here, mates = bit(card), world[FIELD] & month(card)
    if count(mates) == 2:
        low = mates & (~mates + _ONE)
        mates = mates ^ low if high else low
    elif high:
        return _ZERO, False
    settle(world, player, here, mates)
    return mates, True


@inlined
def try_turn(world, stock, player, card, variant, trial):
    """Lay a card and the drawn one with these picks; return whether they exist."""
    world[HAND + player] &= ~bit(card)
    taken, possible = lay_with(world, player, card, variant & 1)
    if not possible:
        return False
    drawn, drawn_taken = np.int64(world[DRAWN]), _ZERO
    if drawn < stock.shape[0]:
        drawn_taken, possible = lay_with(world, player, stock[drawn], variant >> 1)
        world[DRAWN] += _ONE
    elif variant >> 1:
        return False
    trial[0], trial[1], trial[2] = np.uint64(card), taken, drawn_taken
    return possible


@inlined
def rival_turn(values, worth, kind, world, stock, player, found):
    """Play a turn of the opponent by its rule; return whether the round is over, and the opponent's points."""
    if kind > GREEDY:
        over, points, _, _ = play_turn(values, worth, world, stock, player, 0.0, _ZERO, None, None, found)
        return over, points
    card, taken = simple_choice(values, GREEDY, world, player, _ZERO)
    lay_candidate(values, None, world, stock, card, taken, player, GREEDY, _ZERO, found)
    return holds_more(values, world, player), stopping(values, world, player)


@inlined
def better(seer, points, best, level, choice):
    """Return the larger of two results, and store the plan of the new one if it is better."""
    if points <= best:
        return best
    if level == 0:
        seer.trial[3] = np.uint64(choice)
    copy(seer.plan, seer.trial)
    return points


@inlined
def go_on(values, worth, kind, world, stock, player, found):
    """Play the opponent's turn, if there is one; return whether the round is over, and the player's points."""
    sign = 1 if player == 0 else -1
    world[TURN] += _ONE
    if np.int64(world[TURN]) > values.options[6]:
        return True, sign * values.options[5]
    over, points = rival_turn(values, worth, kind, world, stock, 1 - player, found)
    if over:
        return True, -points
    world[TURN] += _ONE
    return np.int64(world[TURN]) > values.options[6], sign * values.options[5]


@kernel
def plan_turn(values, worth, kind, world, stock, player, seer):
    """Fill in the plan of the turn; return its final points against an opponent by `kind` and `worth`."""
    copy(seer.worlds[0], world)
    seer.left[0], seer.variant[0], level, best = world[HAND + player], 0, 0, -(1 << 40)
    while level >= 0:
        if seer.left[level] == _ZERO:
            level -= 1
            continue
        card, variant, here = lowest(seer.left[level]), seer.variant[level], seer.worlds[level + 1]
        seer.variant[level] = (variant + 1) & 3
        if variant == 3:
            seer.left[level] &= seer.left[level] - _ONE
        copy(here, seer.worlds[level])
        if not try_turn(here, stock, player, card, variant, seer.trial if level == 0 else seer.spare):
            continue
        if holds_more(values, here, player):
            best = better(seer, stopping(values, here, player), best, level, STOP)
            if not may_call(values, here, player):
                continue
            call(values, here, player)
        if level == 0:
            seer.trial[3] = np.uint64(STOP + 1)
        over, points = go_on(values, worth, kind, here, stock, player, seer.found)
        if over:
            best = better(seer, points, best, level, STOP + 1)
            continue
        level += 1
        seer.left[level], seer.variant[level] = here[HAND + player], 0
    return best
