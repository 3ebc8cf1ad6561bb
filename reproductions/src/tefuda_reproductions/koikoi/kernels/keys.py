"""A player's view of Koi-Koi as a key of 64 bits, and classes of its actions.

A key depends on the player's hand, the field, both piles, calls and the card being settled, never
on hidden cards.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.rounds import legal_actions, pile_points, score, yaku_points
from tefuda.koikoi.kernels.simple import GREEDY, captured_by
from tefuda.koikoi.kernels.state import (
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
    visible_cards,
)

CLASSES = 10
# Classes of plays and picks; the first that fits counts. The best card by greedy value represents its class.
YAKU, SMALL_YAKU, DENY, WANTED, GOOD, CHAFF, LAY_SAFE, LAY, LAY_GOOD, LAY_BAD = range(CLASSES)
BIG = 3  # points of a big yaku, at least
# Parts of a key: (first bit, number of bits). MASK: available classes. OWN, OTHER: big yaku, small yaku.
MASK, POINTS, OWN_HELD, OTHER_HELD = (0, 10), (10, 3), (38, 2), (40, 2)
OWN_BIG, OWN_SMALL, OTHER_BIG, OTHER_SMALL, CALLED, LEFT = (42, 2), (44, 2), (46, 2), (48, 2), (50, 2), (52, 4)
STAGE, SEAT, TOP = (56, 3), (59, 1), (62, 1)
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_TOP = np.uint64(1 << 62)


@inlined
def pack(number, part):
    """Return a number as a part of a key."""
    return np.uint64(number) << np.uint64(part[0])


@inlined
def yaku_distances(rules, pile, opponent_pile, barred, reach):
    """Return the progress of a pile to big and to small yaku (0..3 each), and two masks of cards.

    The masks are the cards that lead to big yaku and the cards that complete any yaku at once. A
    big yaku counts 1 if two cards are missing, 2 if one is missing, 3 if that card is within reach;
    a small yaku counts 4 - missing cards. opponent_pile: cards of the opponent. barred: cards that
    the pile cannot get. reach: cards that can be captured now.
    """
    big, small, want, last = 0, 0, _ZERO, _ZERO
    for y in range(rules.cards.shape[0]):
        cards, points, further = rules.cards[y], rules.numbers[y, 1], rules.numbers[y, 3]
        missing = rules.numbers[y, 0] - np.int64(count(pile & cards))
        if missing <= 0:
            if further == 0:
                continue
            missing, points, cards = 1, further, rules.counted[y]
        left = cards & ~pile & ~opponent_pile & ~barred
        if np.int64(count(left)) < missing or missing > 3 or pile & rules.unless[y] != _ZERO:
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
def action_class(rules, own, unseen, before, card, taken, want, last):
    """Return the class of laying a card that captures `taken` (0: nothing), and its value there."""
    card_mask = bit(card)
    if taken == _ZERO:
        dear = rules.card_values[card] >= 5
        value = -rules.card_values[card]
        if card_mask & last:
            return LAY_BAD, value
        if dear or card_mask & want:
            return LAY_GOOD, value
        return (LAY if month(card) & unseen else LAY_SAFE), value
    won = taken | card_mask
    gain = yaku_points(rules, own | won, 0)[0] - before
    value, left, dear = 1000 * gain, won, False
    while left:
        card_value = rules.card_values[lowest(left)]
        value += card_value
        dear |= card_value >= 5
        left &= left - _ONE
    if gain > 0:
        return (YAKU if gain >= BIG else SMALL_YAKU), value
    if won & last:
        return DENY, value
    if won & want:
        return WANTED, value
    return (GOOD if dear else CHAFF), value


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
def read_key(rules, parts, state, actions, class_values):
    """Return the key of the view of the player to move, and the mask of its action classes.

    parts: mask of the parts of keys that count. actions: `[CLASSES]` int64, receives the action of
    each class. class_values: `[CLASSES]` int64, scratch.
    """
    player, phase, legal, mask = mover(state), state[PHASE], legal_actions(rules, state), _ZERO
    visible = visible_cards(state, player)
    calls, theirs = calls_of(state, player)
    own_big, own_small, want, _ = yaku_distances(
        rules, visible.own_pile, visible.opponent_pile, _ZERO, visible.hand | visible.field
    )
    other_big, other_small, _, last = yaku_distances(
        rules, visible.opponent_pile, visible.own_pile, visible.hand, visible.field
    )
    key = pack(own_big, OWN_BIG) | pack(own_small, OWN_SMALL) | pack(other_big, OTHER_BIG)
    key |= pack(other_small, OTHER_SMALL) | pack(count(visible.hand), LEFT)
    key |= pack(2 if theirs else 1 if calls else 0, CALLED)
    if calls + theirs:
        key |= pack(held_class(pile_points(rules, visible.own_pile, calls)), OWN_HELD)
        key |= pack(held_class(pile_points(rules, visible.opponent_pile, theirs)), OTHER_HELD)
    if phase == KOI:
        key |= pack(points_class(score(rules, visible.own_pile, calls, theirs)), POINTS)
        mask = legal >> np.uint64(STOP)
        actions[0], actions[1] = STOP, STOP + 1
    else:
        mask = classes(rules, state, visible, legal, want, last, actions, class_values)
    stage = 0 if phase == PLAY else 1 if phase == PICK_HAND else 2 if phase == PICK_DRAW else 3
    return (key & parts) | pack(stage, STAGE) | pack(player, SEAT) | mask | _TOP, mask


@inlined
def classes(rules, state, visible, legal, want, last, actions, class_values):
    """Fill `actions` with the best card of each class; return the mask of classes."""
    before, mask, unseen = (
        yaku_points(rules, visible.own_pile, 0)[0],
        _ZERO,
        ~(visible.hand | visible.field | visible.own_pile | visible.opponent_pile),
    )
    if state[PHASE] != PLAY:
        unseen &= ~bit(state[SHOWN])
    while legal:
        action = np.int64(lowest(legal))
        legal &= legal - _ONE
        card, taken = state[SHOWN], bit(action)
        if state[PHASE] == PLAY:
            card = np.uint64(action)
            taken = captured_by(rules, GREEDY, visible.own_pile, card, visible.field & month(card), _ZERO)
        number, value = action_class(rules, visible.own_pile, unseen, before, card, taken, want, last)
        if not (mask >> np.uint64(number)) & _ONE or value > class_values[number]:
            mask |= bit(number)
            actions[number], class_values[number] = action, value
    return mask
