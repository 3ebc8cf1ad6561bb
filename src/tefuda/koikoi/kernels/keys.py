"""A player's view of Koi-Koi as a key of 64 bits, and classes of its actions.

Keys are made of the player's hand, the field, both piles, calls and the card being settled, never of hidden cards.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.rounds import base, held, options, score
from tefuda.koikoi.kernels.simple import GREEDY, taken_by
from tefuda.koikoi.kernels.world import (
    KOI,
    PHASE,
    PICK_DRAW,
    PICK_HAND,
    PLAY,
    SHOWN,
    STOP,
    bit,
    calls_of,
    month,
    mover,
    sight,
)

CLASSES = 10
# Classes of plays and picks, the first that fits; of a class only the best card by greedy play's worth is kept.
YAKU, SMALL_YAKU, DENY, WANTED, GOOD, CHAFF, LAY_SAFE, LAY, LAY_GOOD, LAY_BAD = range(CLASSES)
BIG = 3  # points from which on a yaku is big
# Where the parts of a key stand: (first bit, bits). MASK: which classes there are. OWN, OTHER: big yaku, small ones.
MASK, POINTS, OWN_HELD, OTHER_HELD = (0, 10), (10, 3), (38, 2), (40, 2)
OWN_BIG, OWN_SMALL, OTHER_BIG, OTHER_SMALL, CALLED, LEFT = (42, 2), (44, 2), (46, 2), (48, 2), (50, 2), (52, 4)
STAGE, SEAT, TOP = (56, 3), (59, 1), (62, 1)
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_TOP = np.uint64(1 << 62)


@inlined
def put(number, part):
    """Return a number as a part of a key."""
    return np.uint64(number) << np.uint64(part[0])


@inlined
def near(values, pile, other, barred, reach):
    """Return how near a pile is to big yaku (0..3) and small ones (0..3), and cards for big yaku and for any at once.

    A big yaku counts 1 if two cards are missing, 2 if one is, 3 if that one is in reach; a small one 4 - cards missing.
    barred: cards that the pile cannot get. reach: cards that can be taken at once.
    """
    big, small, want, last = 0, 0, _ZERO, _ZERO
    for y in range(values.cards.shape[0]):
        cards, points, further = values.cards[y], values.numbers[y, 1], values.numbers[y, 3]
        missing = values.numbers[y, 0] - np.int64(count(pile & cards))
        if missing <= 0:
            if further == 0:
                continue
            missing, points, cards = 1, further, values.counted[y]
        left = cards & ~pile & ~other & ~barred
        if np.int64(count(left)) < missing or missing > 3 or pile & values.unless[y] != _ZERO:
            continue
        if missing == 1:
            last |= left
        if points >= BIG:
            if missing <= 2:
                want |= left
                big = max(big, 1 if missing == 2 else 3 if left & reach else 2)
        else:
            small = max(small, 4 - missing)
    return big, small, want, last


@inlined
def class_of(values, own, unseen, before, card, taken, want, last):
    """Return the class of laying a card that takes `taken` (0: nothing), and its value within the class."""
    here = bit(card)
    if taken == _ZERO:
        dear = values.worth[card] >= 5
        worth = -values.worth[card]
        if here & last:
            return LAY_BAD, worth
        if dear or here & want:
            return LAY_GOOD, worth
        return (LAY if month(card) & unseen else LAY_SAFE), worth
    won = taken | here
    gain = base(values, own | won, 0)[0] - before
    worth, left, dear = 1000 * gain, won, False
    while left:
        one = values.worth[lowest(left)]
        worth += one
        dear |= one >= 5
        left &= left - _ONE
    if gain > 0:
        return (YAKU if gain >= BIG else SMALL_YAKU), worth
    if won & last:
        return DENY, worth
    if won & want:
        return WANTED, worth
    return (GOOD if dear else CHAFF), worth


@inlined
def points_class(points):
    """Return points as one of eight classes."""
    if points <= 2:
        return points
    return 3 if points <= 4 else 4 if points <= 6 else 5 if points <= 12 else 6 if points <= 20 else 7


@inlined
def held_class(points):
    """Return the points of a pile as one of four classes."""
    return 0 if points == 0 else 1 if points <= 2 else 2 if points <= 6 else 3


@inlined
def look(values, parts, world, actions, worths):
    """Return the key of what the player in turn sees, and the mask of the classes of its actions.

    parts: mask of the parts of keys that count. actions: `[CLASSES]` int64, filled with the action of each class.
    worths: `[CLASSES]` int64, scratch.
    """
    player, phase, may, mask = mover(world), world[PHASE], options(values, world), _ZERO
    seen = sight(world, player)
    calls, theirs = calls_of(world, player)
    own_big, own_small, want, _ = near(values, seen.own, seen.other, _ZERO, seen.hand | seen.field)
    other_big, other_small, _, last = near(values, seen.other, seen.own, seen.hand, seen.field)
    key = put(own_big, OWN_BIG) | put(own_small, OWN_SMALL) | put(other_big, OTHER_BIG)
    key |= put(other_small, OTHER_SMALL) | put(count(seen.hand), LEFT)
    key |= put(2 if theirs else 1 if calls else 0, CALLED)
    if calls + theirs:
        key |= put(held_class(held(values, seen.own, calls)), OWN_HELD)
        key |= put(held_class(held(values, seen.other, theirs)), OTHER_HELD)
    if phase == KOI:
        key |= put(points_class(score(values, seen.own, calls, theirs)), POINTS)
        mask = may >> np.uint64(STOP)
        actions[0], actions[1] = STOP, STOP + 1
    else:
        mask = classes(values, world, seen, may, want, last, actions, worths)
    stage = 0 if phase == PLAY else 1 if phase == PICK_HAND else 2 if phase == PICK_DRAW else 3
    return (key & parts) | put(stage, STAGE) | put(player, SEAT) | mask | _TOP, mask


@inlined
def classes(values, world, seen, may, want, last, actions, worths):
    """Fill `actions` with the best card of each class; return the mask of classes."""
    before, mask, unseen = base(values, seen.own, 0)[0], _ZERO, ~(seen.hand | seen.field | seen.own | seen.other)
    if world[PHASE] != PLAY:
        unseen &= ~bit(world[SHOWN])
    while may:
        action = np.int64(lowest(may))
        may &= may - _ONE
        card, taken = world[SHOWN], bit(action)
        if world[PHASE] == PLAY:
            card = np.uint64(action)
            taken = taken_by(values, GREEDY, seen.own, card, seen.field & month(card), _ZERO)
        number, worth = class_of(values, seen.own, unseen, before, card, taken, want, last)
        if not (mask >> np.uint64(number)) & _ONE or worth > worths[number]:
            mask |= bit(number)
            actions[number], worths[number] = action, worth
    return mask
