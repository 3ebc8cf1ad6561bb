"""Values of positions of Koi-Koi by a network, and the choices of a player by it.

A position is what one player sees of it, as `SLOTS` questions with one answer each: the place of each card, the numbers
of cards of a month in each place, how often the opponent let a month lie, how near both piles are to yaku, points, and
turns left. Each answer is a row of the first layer; the first layer of a candidate is that of the position before it
with the rows that change (as NNUE, Nasu 2018). Values are before the draw and after the turn, in tens of points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.belief import SEEN_CARD, SEEN_FIELD, SEEN_TAKEN
from tefuda.koikoi.kernels.rounds import base, held, may_call, score
from tefuda.koikoi.kernels.values import AFTER_TURN, BEFORE_DRAW, PHASES, phase_of
from tefuda.koikoi.kernels.world import HAND, LEVEL, after_play, bit, calls_of, copy, month, next_play, sight

UNIT = 10.0  # points an output of 1 stands for
SECOND = THIRD = 32  # units behind the first layer, whose number is free
_PLACES, _TRIPLES, _PASSED, _HELD = 7, 35, 12, 16
# Rows: of cards, of months, of months let lie, of what piles hold, of points held, of the kind and phase.
_MONTHS = 48 * _PLACES
_LET = _MONTHS + 12 * _TRIPLES
_PILES = _LET + 12 * _PASSED
# Brights, boar-deer-butterfly, poems, blue ribbons, sake, animals, ribbons, chaff.
_SIZES = (10, 4, 4, 4, 8, 10, 11, 15)
_POINTS = _PILES + 2 * sum(_SIZES)
_STAGES = _POINTS + 3 * _HELD
ROWS, SLOTS = _STAGES + 2 * PHASES, 48 + 12 + 12 + 2 * len(_SIZES) + 3 + 1
_ZERO, _ONE, _TWO, _THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
_FULL, _ONES, _MONTH = np.uint64(0xFFFFFFFFFFFF), np.uint64(0x111111111111), np.uint64(0xF)


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
    """Scratch for the positions of one player.

    root: `[SLOTS]` int64, the rows of a known position; the first is -1 if there is none yet. sums: `[A]` float32, its
    first layer. seen, moved: those of another position, which the layers behind it may overwrite. second `[SECOND]`,
    third `[THIRD]`: layers.
    """

    root: np.ndarray
    seen: np.ndarray
    sums: np.ndarray
    moved: np.ndarray
    second: np.ndarray
    third: np.ndarray


@inlined
def months_in(cards):
    """Return the months of cards, as the lowest bit of each month's four."""
    return (cards | cards >> _ONE | cards >> _TWO | cards >> _THREE) & _ONES


@inlined
def let_lie(field, card):
    """Return the months on the field that a card of another month let lie, as in `months_in`."""
    return months_in(field) & ~month(lowest(card))


@inlined
def passed_in(past):
    """Return how often the opponent let each month lie in its plays `[n, 6]`: while it took others, and nothing.

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
    """Note the place of cards."""
    while cards:
        card = np.int64(lowest(cards))
        cards &= cards - _ONE
        seen[card] = _PLACES * card + place


@inlined
def put_months(hand, field, taken, seen):
    """Note the number of cards of each month in hand, on the field and in the piles."""
    for k in range(12):
        first = np.uint64(4 * k)
        h = np.int64(count((hand >> first) & _MONTH))
        f, t = np.int64(count((field >> first) & _MONTH)), np.int64(count((taken >> first) & _MONTH))
        more = (0, 15, 25, 31, 34)[h] + f * (5 - h) - f * (f - 1) // 2 + t
        seen[48 + k] = _MONTHS + _TRIPLES * k + more


@inlined
def put_passed(taking, nothing, seen):
    """Note how often the opponent let each month lie."""
    for k in range(12):
        first = np.uint64(4 * k)
        one, two = min((taking >> first) & _MONTH, _THREE), min((nothing >> first) & _MONTH, _TWO)
        seen[60 + k] = _LET + _PASSED * k + 3 * np.int64(one) + np.int64(two)


@inlined
def put_pile(pile, slot, row, seen):
    """Note how near a pile is to yaku."""
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
def look(values, kind, left, calls, levels, at, seen):
    """Fill `seen` with the rows of a position, except those of months let lie.

    calls, levels: of the player and of the opponent. at: the cards that the player sees.
    """
    put_cards(_FULL & ~(at.own | at.other | at.hand | at.field), 0, seen)
    put_cards(at.own, 1, seen)
    put_cards(at.other, 2, seen)
    lying, held_in = months_in(at.field) * _MONTH, months_in(at.hand) * _MONTH
    put_cards(at.hand & lying, 3, seen)
    put_cards(at.hand & ~lying, 4, seen)
    put_cards(at.field & held_in, 5, seen)
    put_cards(at.field & ~held_in, 6, seen)
    put_months(at.hand, at.field, at.own | at.other, seen)
    put_pile(at.own, 72, _PILES, seen)
    put_pile(at.other, 80, _PILES + 66, seen)
    now = base(values, at.own, calls[0])[0]
    seen[88] = _POINTS + min(now, _HELD - 1)
    seen[89] = _POINTS + _HELD + min(levels[0], _HELD - 1)
    seen[90] = _POINTS + 2 * _HELD + min(levels[1], _HELD - 1)
    seen[91] = _STAGES + PHASES * kind + phase_of(left, calls[0], calls[1])


@inlined(fastmath=True)
def sum_rows(net, seen, sums):
    """Fill in the first layer of a position."""
    for a in range(sums.shape[0]):
        sums[a] = net.b1[a]
    for slot in range(0, SLOTS, 4):
        i, j, k, m = seen[slot], seen[slot + 1], seen[slot + 2], seen[slot + 3]
        for a in range(sums.shape[0]):
            sums[a] += (net.rows[i, a] + net.rows[j, a]) + (net.rows[k, a] + net.rows[m, a])


@inlined(fastmath=True)
def move_rows(net, root, seen, sums):
    """Turn the first layer of one position into that of another."""
    for slot in range(SLOTS):
        one, two = root[slot], seen[slot]
        if one != two:
            for a in range(sums.shape[0]):
                sums[a] += net.rows[two, a] - net.rows[one, a]


@inlined(fastmath=True)
def output(net, sums, on, second, third):
    """Return the output for a first layer; `on` becomes its positive part."""
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
    """Return the value of the position in `desk.seen`, in points, from the one in `desk.root`."""
    copy(desk.moved, desk.sums)
    move_rows(net, desk.root, desk.seen, desk.moved)
    return UNIT * np.float64(output(net, desk.moved, desk.moved, desk.second, desk.third))


@inlined
def open_desk(values, net, desk, kind, left, world, player, taking, nothing):
    """Put the position of a player into `desk.root`, and its first layer into `desk.sums`."""
    look(values, kind, left, calls_of(world, player), levels_of(world, player), sight(world, player), desk.seen)
    put_passed(taking, nothing, desk.seen)
    if desk.root[0] < 0:
        sum_rows(net, desk.seen, desk.sums)
    else:
        move_rows(net, desk.root, desk.seen, desk.sums)
    copy(desk.root, desk.seen)


@inlined
def levels_of(world, player):
    """Return the levels of a player and of its opponent."""
    return np.int64(world[LEVEL + player]), np.int64(world[LEVEL + 1 - player])


@inlined
def best_play(values, net, desk, world, player, card, taking, nothing):
    """Return the best play as masks of the card and what it takes, and the value of the position after it.

    card: the card that was laid and picks one of two mates; -1 if a card is to be chosen from the hand.
    """
    at, calls, levels = sight(world, player), calls_of(world, player), levels_of(world, player)
    cards, left = (at.hand, np.int64(count(at.hand)) - 1) if card < 0 else (bit(card), np.int64(count(at.hand)))
    open_desk(values, net, desk, BEFORE_DRAW, left, world, player, taking, nothing)
    best, chosen, taken, second = -1e9, _ZERO, _ZERO, _ZERO
    while cards:
        here, take, cards, second = next_play(cards, at.field, second)
        look(values, BEFORE_DRAW, left, calls, levels, after_play(at, here, take), desk.seen)
        now = worth_near(net, desk)
        if now > best:
            best, chosen, taken = now, here, take
    return chosen, taken, best


@inlined
def worth_after(values, net, desk, world, player, at):
    """Return the points of stopping after a turn, -1e9 if the player may not, and the value of going on, likewise.

    `desk` is open at a position of this player. at: the cards that it sees after the turn.
    """
    calls, levels, stop = calls_of(world, player), levels_of(world, player), -1e9
    if held(values, at.own, calls[0]) > levels[0]:
        stop = np.float64(score(values, at.own, calls[0], calls[1]))
        if not may_call(values, world, player):
            return stop, -1e9
        calls = (calls[0] + 1, calls[1])
        levels = (held(values, at.own, calls[0]), levels[1])
    look(values, AFTER_TURN, np.int64(count(at.hand)), calls, levels, at, desk.seen)
    return stop, worth_near(net, desk)


@inlined
def pick_drawn(values, net, desk, world, player, card, taking, nothing):
    """Return what a drawn card takes, as a mask: all mates, but the better of two."""
    at, here = sight(world, player), bit(card)
    mates = at.field & month(card)
    if count(mates) != 2:
        return mates
    open_desk(values, net, desk, AFTER_TURN, np.int64(count(at.hand)), world, player, taking, nothing)
    low = mates & (~mates + _ONE)
    one = max(*worth_after(values, net, desk, world, player, after_play(at, here, low)))
    two = max(*worth_after(values, net, desk, world, player, after_play(at, here, mates ^ low)))
    return mates ^ low if two > one else low


@inlined
def stop_or_call(values, net, desk, world, player, taking, nothing):
    """Return the points of stopping at the end of a turn, and the value of going on, as `worth_after` does."""
    open_desk(values, net, desk, AFTER_TURN, np.int64(count(world[HAND + player])), world, player, taking, nothing)
    return worth_after(values, net, desk, world, player, sight(world, player))
