"""What positions of Koi-Koi are worth, by a network; the choices of one who plays by it.

A position is seen by one player, as `SLOTS` questions with one answer each: where a card lies, how many cards of a
month lie where, how often the other let a month lie, how near both are to what yaku need, what both hold, how many
turns are left. Each answer is a row of the first layer; a candidate's first layer is that of the position before it
with the rows that change (as NNUE, Nasu 2018). Worths are before the draw and after the turn, in tens of points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.belief import SEEN_CARD, SEEN_FIELD, SEEN_TAKEN
from tefuda.koikoi.kernels.rounds import CALLS, FIELD, HAND, LEVEL, PILE, base, bit, held, month, score
from tefuda.koikoi.kernels.values import AFTER_TURN, BEFORE_DRAW, PHASES, phase_of

UNIT = 10.0  # points an output of 1 stands for
SECOND = THIRD = 32  # units behind the first layer, whose number is free
_PLACES, _TRIPLES, _PASSED, _HELD = 7, 35, 12, 16
# Rows: of cards, of months, of months let lie, of what piles hold, of points held, of the kind and phase.
_MONTHS = 48 * _PLACES
_LET = _MONTHS + 12 * _TRIPLES
_PILES = _LET + 12 * _PASSED
_SIZES = (
    10,
    4,
    4,
    4,
    8,
    10,
    11,
    15,
)  # brights, boar-deer-butterfly, poems, blue ribbons, sake, animals, ribbons, chaff
_POINTS = _PILES + 2 * sum(_SIZES)
_STAGES = _POINTS + 3 * _HELD
ROWS, SLOTS = _STAGES + 2 * PHASES, 48 + 12 + 12 + 2 * len(_SIZES) + 3 + 1
_ONE, _ZERO, _FULL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFF)
_TWO, _THREE = np.uint64(2), np.uint64(3)
_ONES, _MONTH, _S1, _S2, _S3 = np.uint64(0x111111111111), np.uint64(0xF), np.uint64(1), np.uint64(2), np.uint64(3)


def _mask(*cards: int) -> np.uint64:
    return np.uint64(sum(1 << card for card in cards))


_RAIN, _DRY = _mask(40), _mask(0, 8, 28, 44)
_TRIO, _POEMS, _BLUE = _mask(20, 24, 36), _mask(1, 5, 9), _mask(21, 33, 37)
_CURTAIN, _MOON, _CUP = _mask(8), _mask(28), _mask(32)
_ANIMALS, _RIBBONS = _mask(4, 12, 16, 20, 24, 29, 32, 36, 41), _mask(1, 5, 9, 13, 17, 21, 25, 33, 37, 42)
_CHAFF = _CUP | (_FULL & ~(_RAIN | _DRY | _ANIMALS | _RIBBONS))


class Net(NamedTuple):
    """Weights, or a gradient of that shape: float32 rows `[ROWS, A]`, b1 `[A]`, w2 `[SECOND, A]`, b2 `[SECOND]`,
    w3 `[SECOND, THIRD]`, b3 `[THIRD]`, w4 `[THIRD]`, b4 `[1]`.
    """

    rows: np.ndarray
    b1: np.ndarray
    w2: np.ndarray
    b2: np.ndarray
    w3: np.ndarray
    b3: np.ndarray
    w4: np.ndarray
    b4: np.ndarray


class Desk(NamedTuple):
    """Where a network thinks about a player's positions.

    root: `[SLOTS]` int64, the rows of one that is known; its first is -1 where there is none yet. sums: `[A]` float32,
    the first layer there. seen, moved: those of another one, which the
    layers behind it may overwrite. second `[SECOND]`, third `[THIRD]`: layers.
    """

    root: np.ndarray
    seen: np.ndarray
    sums: np.ndarray
    moved: np.ndarray
    second: np.ndarray
    third: np.ndarray


@inlined
def months_in(cards):
    """The months of cards, as the lowest bit of each month's four."""
    return (cards | cards >> _S1 | cards >> _S2 | cards >> _S3) & _ONES


@inlined
def let_lie(field, card):
    """The months that lay open while a card of another month was laid, as in `months_in`."""
    return months_in(field) & ~month(lowest(card))


@inlined
def passed_in(past):
    """How often the other let each month lie, by its past plays `[n, 6]`: taking something else, taking nothing.

    Both are twelve counters of four bits.
    """
    taking, nothing = _ZERO, _ZERO
    for play in range(past.shape[0]):
        months = let_lie(past[play, SEEN_FIELD], past[play, SEEN_CARD])
        if past[play, SEEN_TAKEN] != _ZERO:
            taking += months
        else:
            nothing += months
    return taking, nothing


@inlined
def put_cards(cards, place, seen):
    """Say that cards lie in a place."""
    while cards:
        card = np.int64(lowest(cards))
        cards &= cards - _ONE
        seen[card] = _PLACES * card + place


@inlined
def put_months(hand, field, taken, seen):
    """Say how many cards of each month are in hand, lie open and have been taken."""
    for k in range(12):
        first = np.uint64(4 * k)
        h = np.int64(count((hand >> first) & _MONTH))
        f, t = np.int64(count((field >> first) & _MONTH)), np.int64(count((taken >> first) & _MONTH))
        more = (0, 15, 25, 31, 34)[h] + f * (5 - h) - f * (f - 1) // 2 + t
        seen[48 + k] = _MONTHS + _TRIPLES * k + more


@inlined
def put_passed(taking, nothing, seen):
    """Say how often the other let each month lie."""
    for k in range(12):
        first = np.uint64(4 * k)
        one, two = min((taking >> first) & _MONTH, _THREE), min((nothing >> first) & _MONTH, _TWO)
        seen[60 + k] = _LET + _PASSED * k + 3 * np.int64(one) + np.int64(two)


@inlined
def put_pile(pile, slot, row, seen):
    """Say how near a pile is to what yaku need."""
    seen[slot] = row + np.int64(count(pile & _DRY)) * 2 + (1 if pile & _RAIN else 0)
    seen[slot + 1] = row + 10 + np.int64(count(pile & _TRIO))
    seen[slot + 2] = row + 14 + np.int64(count(pile & _POEMS))
    seen[slot + 3] = row + 18 + np.int64(count(pile & _BLUE))
    sake = (4 if pile & _CUP else 0) + (2 if pile & _CURTAIN else 0) + (1 if pile & _MOON else 0)
    seen[slot + 4] = row + 22 + sake
    seen[slot + 5] = row + 30 + np.int64(count(pile & _ANIMALS))
    seen[slot + 6] = row + 40 + np.int64(count(pile & _RIBBONS))
    seen[slot + 7] = row + 51 + min(np.int64(count(pile & _CHAFF)), 14)


@inlined
def look(values, kind, left, calls, levels, own, other, hand, field, seen):
    """Fill `seen` with the rows of a position but those of months let lie.

    calls, levels: of the one who looks and of the other.
    """
    put_cards(_FULL & ~(own | other | hand | field), 0, seen)
    put_cards(own, 1, seen)
    put_cards(other, 2, seen)
    lying, held_in = months_in(field) * _MONTH, months_in(hand) * _MONTH
    put_cards(hand & lying, 3, seen)
    put_cards(hand & ~lying, 4, seen)
    put_cards(field & held_in, 5, seen)
    put_cards(field & ~held_in, 6, seen)
    put_months(hand, field, own | other, seen)
    put_pile(own, 72, _PILES, seen)
    put_pile(other, 80, _PILES + 66, seen)
    now = base(values, own, calls[0])[0]
    seen[88] = _POINTS + min(now, _HELD - 1)
    seen[89] = _POINTS + _HELD + min(levels[0], _HELD - 1)
    seen[90] = _POINTS + 2 * _HELD + min(levels[1], _HELD - 1)
    seen[91] = _STAGES + PHASES * kind + phase_of(left, calls[0], calls[1])


@inlined(fastmath=True)
def sum_rows(net, seen, sums):
    """The first layer of a position."""
    for a in range(sums.shape[0]):
        sums[a] = net.b1[a]
    for slot in range(0, SLOTS, 4):
        i, j, k, m = seen[slot], seen[slot + 1], seen[slot + 2], seen[slot + 3]
        for a in range(sums.shape[0]):
            sums[a] += (net.rows[i, a] + net.rows[j, a]) + (net.rows[k, a] + net.rows[m, a])


@inlined(fastmath=True)
def move_rows(net, root, seen, sums):
    """Make the first layer of one position that of another."""
    for slot in range(SLOTS):
        one, two = root[slot], seen[slot]
        if one != two:
            for a in range(sums.shape[0]):
                sums[a] += net.rows[two, a] - net.rows[one, a]


@inlined(fastmath=True)
def output(net, sums, on, second, third):
    """What the layers behind the first make of it; `on` becomes what the first gives them."""
    for a in range(sums.shape[0]):
        on[a] = max(sums[a], np.float32(0.0))
    for c in range(THIRD):
        third[c] = net.b3[c]
    for b in range(SECOND):
        total = np.float32(0.0)
        for a in range(sums.shape[0]):
            total += on[a] * net.w2[b, a]
        second[b] = max(total + net.b2[b], np.float32(0.0))
        for c in range(THIRD):
            third[c] += second[b] * net.w3[b, c]
    total = net.b4[0]
    for c in range(THIRD):
        third[c] = max(third[c], np.float32(0.0))
        total += third[c] * net.w4[c]
    return total


@inlined
def worth_near(net, desk):
    """What the position in `desk.seen` is worth, in points, near the one in `desk.root`."""
    for a in range(desk.sums.shape[0]):
        desk.moved[a] = desk.sums[a]
    move_rows(net, desk.root, desk.seen, desk.moved)
    return UNIT * np.float64(output(net, desk.moved, desk.moved, desk.second, desk.third))


@inlined
def open_desk(values, net, desk, kind, left, world, player, taking, nothing):
    """Put a player's position, as it is, into `desk.root` and its first layer into `desk.sums`."""
    calls, levels = calls_of(world, player), levels_of(world, player)
    own, other = world[PILE + player], world[PILE + 1 - player]
    look(values, kind, left, calls, levels, own, other, world[HAND + player], world[FIELD], desk.seen)
    put_passed(taking, nothing, desk.seen)
    if desk.root[0] < 0:
        sum_rows(net, desk.seen, desk.sums)
    else:
        move_rows(net, desk.root, desk.seen, desk.sums)
    for slot in range(SLOTS):
        desk.root[slot] = desk.seen[slot]


@inlined
def calls_of(world, player):
    """Of a player and of the other."""
    return np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player])


@inlined
def levels_of(world, player):
    """Of a player and of the other."""
    return np.int64(world[LEVEL + player]), np.int64(world[LEVEL + 1 - player])


@inlined
def choose_card(values, net, desk, world, player, taking, nothing):
    """The best card to lay and what it takes, as masks, and what the position then is worth."""
    hand, own, other, field = world[HAND + player], world[PILE + player], world[PILE + 1 - player], world[FIELD]
    left = np.int64(count(hand)) - 1
    calls, levels = calls_of(world, player), levels_of(world, player)
    open_desk(values, net, desk, BEFORE_DRAW, left, world, player, taking, nothing)
    best, chosen, taken, cards = -1e9, _ZERO, _ZERO, hand
    while cards:
        card = np.int64(lowest(cards))
        cards &= cards - _ONE
        here, mates = bit(card), field & month(card)
        options = count(mates) if count(mates) == 2 else _ONE
        for _ in range(options):
            take = mates if options == 1 else mates & (~mates + _ONE)
            mates ^= take
            pile, lying = (own, field | here) if take == _ZERO else (own | take | here, field & ~take)
            look(values, BEFORE_DRAW, left, calls, levels, pile, other, hand & ~here, lying, desk.seen)
            now = worth_near(net, desk)
            if now > best:
                best, chosen, taken = now, here, take
    return chosen, taken, best


@inlined
def worth_after(values, net, desk, world, player, own, field):
    """What stopping brings with this pile after a turn, -1e9 if that cannot be, and what going on is worth, so too.

    `desk` is open at a position of this player.
    """
    hand, other = world[HAND + player], world[PILE + 1 - player]
    calls, levels = calls_of(world, player), levels_of(world, player)
    stop, left = -1e9, np.int64(count(hand))
    if held(values, own, calls[0]) > levels[0]:
        stop = np.float64(score(values, own, calls[0], calls[1]))
        if hand == _ZERO or (0 <= values.options[4] <= calls[0] + calls[1]):
            return stop, -1e9
        calls = (calls[0] + 1, calls[1])
        levels = (held(values, own, calls[0]), levels[1])
    look(values, AFTER_TURN, left, calls, levels, own, other, hand, field, desk.seen)
    return stop, worth_near(net, desk)


@inlined
def better(worths):
    """The larger of what stopping brings and what going on is worth."""
    return max(worths[0], worths[1])


@inlined
def pick_drawn(values, net, desk, world, player, card, taking, nothing):
    """What a drawn card takes, as a mask: of two mates the better."""
    own, field, here = world[PILE + player], world[FIELD], bit(card)
    mates = field & month(card)
    if count(mates) != 2:
        return mates
    open_desk(values, net, desk, AFTER_TURN, np.int64(count(world[HAND + player])), world, player, taking, nothing)
    low = mates & (~mates + _ONE)
    high = mates ^ low
    one = better(worth_after(values, net, desk, world, player, own | low | here, field & ~low))
    two = better(worth_after(values, net, desk, world, player, own | high | here, field & ~high))
    return high if two > one else low


@inlined
def pick_laid(values, net, desk, world, player, card, taking, nothing):
    """What a card laid from the hand takes of two mates, as a mask; the card is in the hand no more."""
    hand, own, other, field = world[HAND + player], world[PILE + player], world[PILE + 1 - player], world[FIELD]
    calls, levels, left = calls_of(world, player), levels_of(world, player), np.int64(count(hand))
    open_desk(values, net, desk, BEFORE_DRAW, left, world, player, taking, nothing)
    mates, best, chosen = field & month(card), -1e9, _ZERO
    while mates:
        take = mates & (~mates + _ONE)
        mates ^= take
        look(values, BEFORE_DRAW, left, calls, levels, own | take | bit(card), other, hand, field & ~take, desk.seen)
        now = worth_near(net, desk)
        if now > best:
            best, chosen = now, take
    return chosen


@inlined
def stop_or_call(values, net, desk, world, player, taking, nothing):
    """What stopping brings and what going on is worth, as `worth_after` says, where a turn ends."""
    open_desk(values, net, desk, AFTER_TURN, np.int64(count(world[HAND + player])), world, player, taking, nothing)
    return worth_after(values, net, desk, world, player, world[PILE + player], world[FIELD])
