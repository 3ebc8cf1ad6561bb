"""A player of Koi-Koi that sees all cards: the best it can do against one who plays by a rule it knows.

The other is asked what it would do, so only the seer chooses: the best of all its ways to the end, by depth first. No
honest player wins more from that other on these cards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.rounds import (
    CALLS,
    DRAWN,
    FIELD,
    GREEDY,
    HAND,
    LEVEL,
    PILE,
    STOP,
    TURN,
    WIDTH,
    bit,
    greedy_card,
    held,
    lay,
    month,
    score,
)
from tefuda.koikoi.kernels.values import draw_and_settle, finish_turn, lay_card, phase_of

_ONE, _ZERO = np.uint64(1), np.uint64(0)


class Seer(NamedTuple):
    """Where a seer thinks.

    worlds: `[10, WIDTH]` uint64, before its turns. left: `[10]` uint64, cards not tried there. variant: `[10]` int64,
    which picks come next with the lowest of them. plan: `[4]`, trial: `[4]` uint64: card, what it takes, what the drawn
    card takes, STOP or CALL; of the best way, and of the one being tried. spare: `[4]`. found: `[K]` int64.
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
    """Lay a card, of two mates take the lower or the higher; return what it takes, and whether there is that choice."""
    here, mates = bit(card), world[FIELD] & month(card)
    if count(mates) == 2:
        low = mates & (~mates + _ONE)
        mates = mates ^ low if high else low
    elif high:
        return _ZERO, False
    if mates == _ZERO:
        world[FIELD] |= here
    else:
        world[FIELD] &= ~mates
        world[PILE + player] |= mates | here
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
    """A turn of the other as it is known to play; return whether the round is over, and what it gets."""
    if kind > GREEDY:
        left = np.int64(count(world[HAND + player])) - 1
        phase = phase_of(left, np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]))
        lay_card(worth, phase, world, player, 0.0, _ZERO, found)
        draw_and_settle(worth, phase, world, stock, player, found)
        return finish_turn(values, worth, world, player, left, 0.0, _ZERO, found)
    card = greedy_card(values, world[HAND + player], world[FIELD], world[PILE + player])
    world[HAND + player] ^= bit(card)
    field, pile = lay(values, GREEDY, world[FIELD], world[PILE + player], card, _ZERO)
    drawn = np.int64(world[DRAWN])
    if drawn < stock.shape[0]:
        field, pile = lay(values, GREEDY, field, pile, stock[drawn], _ZERO)
        world[DRAWN] += _ONE
    world[FIELD], world[PILE + player] = field, pile
    calls, theirs = np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player])
    return held(values, pile, calls) > np.int64(world[LEVEL + player]), score(values, pile, calls, theirs)


@inlined
def better(seer, points, best, level, choice):
    """The larger of two results; the plan becomes that of the new one if it is."""
    if points <= best:
        return best
    if level == 0:
        seer.trial[3] = np.uint64(choice)
    for place in range(4):
        seer.plan[place] = seer.trial[place]
    return points


@inlined
def go_on(values, worth, kind, world, stock, player, found):
    """The other's turn, if there is one; return whether the round is over, and points to the seer."""
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
    """Fill in the plan of the turn; return what it brings in the end, if the other plays by `kind` and `worth`."""
    for column in range(WIDTH):
        seer.worlds[0, column] = world[column]
    seer.left[0], seer.variant[0], level, best = world[HAND + player], 0, 0, -(1 << 40)
    while level >= 0:
        if seer.left[level] == _ZERO:
            level -= 1
            continue
        card, variant, here = lowest(seer.left[level]), seer.variant[level], seer.worlds[level + 1]
        seer.variant[level] = (variant + 1) & 3
        if variant == 3:
            seer.left[level] &= seer.left[level] - _ONE
        for column in range(WIDTH):
            here[column] = seer.worlds[level, column]
        if not try_turn(here, stock, player, card, variant, seer.trial if level == 0 else seer.spare):
            continue
        calls, theirs = np.int64(here[CALLS + player]), np.int64(here[CALLS + 1 - player])
        if held(values, here[PILE + player], calls) > np.int64(here[LEVEL + player]):
            best = better(seer, score(values, here[PILE + player], calls, theirs), best, level, STOP)
            if here[HAND + player] == _ZERO or (0 <= values.options[4] <= calls + theirs):
                continue
            here[CALLS + player] += _ONE
            here[LEVEL + player] = np.uint64(held(values, here[PILE + player], calls + 1))
        if level == 0:
            seer.trial[3] = np.uint64(STOP + 1)
        over, points = go_on(values, worth, kind, here, stock, player, seer.found)
        if over:
            best = better(seer, points, best, level, STOP + 1)
            continue
        level += 1
        seer.left[level], seer.variant[level] = here[HAND + player], 0
    return best
