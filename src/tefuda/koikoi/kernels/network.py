"""The value network of Koi-Koi, and the choices of a player by it.

A position is one player's view, encoded by `SLOTS` questions with one answer each: the location of
each card, the counts of each month by location, how often the opponent skipped a month, the
distance of both piles to yaku, points, and turns left. Each answer is a row of the first layer. The
first layer of a candidate is updated from the position before it by the rows that change (as NNUE,
Nasu 2018). Values are before the draw and after the turn, in tens of points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined
from tefuda.koikoi.kernels.belief import PAST_CARD, PAST_FIELD, PAST_TAKEN
from tefuda.koikoi.kernels.rounds import may_call, pile_points, score, yaku_points
from tefuda.koikoi.kernels.state import HAND, LEVEL, after_play, bit, calls_of, copy, month, next_play, visible_cards
from tefuda.koikoi.kernels.tables import AFTER_TURN, BEFORE_DRAW, PHASES, phase_of

POINTS_PER_OUTPUT = 10.0  # points
SECOND = THIRD = 32  # units of the second and third layer; the first has any number
_PLACES, _TRIPLES, _SKIP_COUNTS, _HELD = 7, 35, 12, 16
# First rows: cards, months, skipped months, contents of piles, points, kind and phase.
_MONTHS = 48 * _PLACES
_SKIPPED = _MONTHS + 12 * _TRIPLES
_PILES = _SKIPPED + 12 * _SKIP_COUNTS
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
    """Weights, or a gradient of the same shape, all float32; A: units of the first layer.

    Attributes:
        rows: `[ROWS, A]`.
        b1: `[A]`.
        w2: `[SECOND, A]`.
        b2: `[SECOND]`.
        w3: `[SECOND, THIRD]`.
        b3: `[THIRD]`.
        w4: `[THIRD]`.
        b4: `[1]`.
    """

    rows: np.ndarray
    b1: np.ndarray
    w2: np.ndarray
    b2: np.ndarray
    w3: np.ndarray
    b3: np.ndarray
    w4: np.ndarray
    b4: np.ndarray


class Accumulator(NamedTuple):
    """Scratch for the positions of one player.

    Attributes:
        known_rows: `[SLOTS]` int64, the rows of a known position; the first is -1 if there is none.
        rows: `[SLOTS]` int64, the rows of another position.
        layer: `[A]` float32, first layer of the known position.
        candidate_layer: `[A]` float32, first layer of the other position, which later layers may
            overwrite.
        second: `[SECOND]`, second layer.
        third: `[THIRD]`, third layer.
    """

    known_rows: np.ndarray
    rows: np.ndarray
    layer: np.ndarray
    candidate_layer: np.ndarray
    second: np.ndarray
    third: np.ndarray


@inlined
def months_in(cards):
    """Return the months of cards, as the lowest bit of each month's four bits."""
    return (cards | cards >> _ONE | cards >> _TWO | cards >> _THREE) & _ONES


@inlined
def skipped_months(field, card):
    """Return the months on the field that a laid card skips, as in `months_in`."""
    return months_in(field) & ~month(lowest(card))


@inlined
def count_skipped(past_plays):
    """Count the opponent's skips of each month in its plays `[n, 6]`: while capturing, and while not.

    Both counts are twelve counters of four bits.
    """
    taking, discarding = _ZERO, _ZERO
    for play in range(past_plays.shape[0]):
        months = skipped_months(past_plays[play, PAST_FIELD], past_plays[play, PAST_CARD])
        if past_plays[play, PAST_TAKEN] != _ZERO:
            taking += months
        else:
            discarding += months
    return taking, discarding


@inlined
def put_cards(cards, location, rows):
    """Fill in the location of cards."""
    while cards:
        card = np.int64(lowest(cards))
        cards &= cards - _ONE
        rows[card] = _PLACES * card + location


@inlined
def put_months(hand, field, taken, rows):
    """Fill in the number of cards of each month in hand, on the field and in the piles."""
    for k in range(12):
        first = np.uint64(4 * k)
        h = np.int64(count((hand >> first) & _MONTH))
        f, t = np.int64(count((field >> first) & _MONTH)), np.int64(count((taken >> first) & _MONTH))
        more = (0, 15, 25, 31, 34)[h] + f * (5 - h) - f * (f - 1) // 2 + t
        rows[48 + k] = _MONTHS + _TRIPLES * k + more


@inlined
def put_skipped(taking, discarding, rows):
    """Fill in how often the opponent skipped each month."""
    for k in range(12):
        first = np.uint64(4 * k)
        first_count, second_count = min((taking >> first) & _MONTH, _THREE), min((discarding >> first) & _MONTH, _TWO)
        rows[60 + k] = _SKIPPED + _SKIP_COUNTS * k + 3 * np.int64(first_count) + np.int64(second_count)


@inlined
def put_pile(pile, slot, row, rows):
    """Fill in the distance of a pile to the yaku."""
    rows[slot] = row + np.int64(count(pile & _DRY)) * 2 + (1 if pile & _RAIN else 0)
    rows[slot + 1] = row + 10 + np.int64(count(pile & _TRIO))
    rows[slot + 2] = row + 14 + np.int64(count(pile & _POEMS))
    rows[slot + 3] = row + 18 + np.int64(count(pile & _BLUE))
    sake = (4 if pile & _CUP else 0) + (2 if pile & _CURTAIN else 0) + (1 if pile & _MOON else 0)
    rows[slot + 4] = row + 22 + sake
    rows[slot + 5] = row + 30 + np.int64(count(pile & _ANIMALS))
    rows[slot + 6] = row + 40 + np.int64(count(pile & _RIBBONS))
    rows[slot + 7] = row + 51 + min(np.int64(count(pile & _CHAFF)), 14)


@inlined
def fill_rows(rules, kind, left, calls, levels, visible, rows):
    """Fill `rows` with the rows of a position, except the rows of skipped months.

    calls, levels: of the player and of the opponent. visible: the cards visible to the player.
    """
    put_cards(_FULL & ~(visible.own_pile | visible.opponent_pile | visible.hand | visible.field), 0, rows)
    put_cards(visible.own_pile, 1, rows)
    put_cards(visible.opponent_pile, 2, rows)
    lying, held_in = months_in(visible.field) * _MONTH, months_in(visible.hand) * _MONTH
    put_cards(visible.hand & lying, 3, rows)
    put_cards(visible.hand & ~lying, 4, rows)
    put_cards(visible.field & held_in, 5, rows)
    put_cards(visible.field & ~held_in, 6, rows)
    put_months(visible.hand, visible.field, visible.own_pile | visible.opponent_pile, rows)
    put_pile(visible.own_pile, 72, _PILES, rows)
    put_pile(visible.opponent_pile, 80, _PILES + 66, rows)
    points = yaku_points(rules, visible.own_pile, calls[0])[0]
    rows[88] = _POINTS + min(points, _HELD - 1)
    rows[89] = _POINTS + _HELD + min(levels[0], _HELD - 1)
    rows[90] = _POINTS + 2 * _HELD + min(levels[1], _HELD - 1)
    rows[91] = _STAGES + PHASES * kind + phase_of(left, calls[0], calls[1])


@inlined(fastmath=True)
def sum_rows(net, rows, layer):
    """Compute the first layer of a position."""
    for a in range(layer.shape[0]):
        layer[a] = net.b1[a]
    for slot in range(0, SLOTS, 4):
        i, j, k, m = rows[slot], rows[slot + 1], rows[slot + 2], rows[slot + 3]
        for a in range(layer.shape[0]):
            layer[a] += (net.rows[i, a] + net.rows[j, a]) + (net.rows[k, a] + net.rows[m, a])


@inlined(fastmath=True)
def move_rows(net, known_rows, rows, layer):
    """Update the first layer of one position to that of another."""
    for slot in range(SLOTS):
        old, new = known_rows[slot], rows[slot]
        if old != new:
            for a in range(layer.shape[0]):
                layer[a] += net.rows[new, a] - net.rows[old, a]


@inlined(fastmath=True)
def output(net, layer, on, second, third):
    """Return the output for a first layer; `on` receives its positive part."""
    for a in range(layer.shape[0]):
        on[a] = max(layer[a], np.float32(0.0))
    for c in range(THIRD):
        third[c] = net.b3[c]
    for b in range(SECOND):
        total = np.float32(0.0)
        for a in range(layer.shape[0]):
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
def neighbour_value(net, accumulator):
    """Return the value of the position `accumulator.rows` in points, from `accumulator.known_rows`."""
    copy(accumulator.candidate_layer, accumulator.layer)
    move_rows(net, accumulator.known_rows, accumulator.rows, accumulator.candidate_layer)
    return POINTS_PER_OUTPUT * np.float64(
        output(net, accumulator.candidate_layer, accumulator.candidate_layer, accumulator.second, accumulator.third)
    )


@inlined
def update_accumulator(rules, net, accumulator, kind, left, state, player, taking, discarding):
    """Set `known_rows` and `layer` of an accumulator to a player's position."""
    fill_rows(
        rules,
        kind,
        left,
        calls_of(state, player),
        levels_of(state, player),
        visible_cards(state, player),
        accumulator.rows,
    )
    put_skipped(taking, discarding, accumulator.rows)
    if accumulator.known_rows[0] < 0:
        sum_rows(net, accumulator.rows, accumulator.layer)
    else:
        move_rows(net, accumulator.known_rows, accumulator.rows, accumulator.layer)
    copy(accumulator.known_rows, accumulator.rows)


@inlined
def levels_of(state, player):
    """Return the points at the last call of a player and of the opponent."""
    return np.int64(state[LEVEL + player]), np.int64(state[LEVEL + 1 - player])


@inlined
def best_play(rules, net, accumulator, state, player, card, taking, discarding):
    """Return the best play as masks of the card and its capture, and the value of the position after it.

    card: the laid card, which picks one of two mates; -1 if a card is chosen from the hand.
    """
    visible, calls, levels = visible_cards(state, player), calls_of(state, player), levels_of(state, player)
    cards, left = (
        (visible.hand, np.int64(count(visible.hand)) - 1) if card < 0 else (bit(card), np.int64(count(visible.hand)))
    )
    update_accumulator(rules, net, accumulator, BEFORE_DRAW, left, state, player, taking, discarding)
    best, chosen, taken, second = -1e9, _ZERO, _ZERO, _ZERO
    while cards:
        card_mask, take, cards, second = next_play(cards, visible.field, second)
        fill_rows(rules, BEFORE_DRAW, left, calls, levels, after_play(visible, card_mask, take), accumulator.rows)
        estimate = neighbour_value(net, accumulator)
        if estimate > best:
            best, chosen, taken = estimate, card_mask, take
    return chosen, taken, best


@inlined
def values_after_turn(rules, net, accumulator, state, player, visible):
    """Return the points of stopping after a turn and the value of playing on; -1e9 if not allowed.

    The accumulator holds a position of this player. visible: the cards visible to the player after
    the turn.
    """
    calls, levels, stop = calls_of(state, player), levels_of(state, player), -1e9
    if pile_points(rules, visible.own_pile, calls[0]) > levels[0]:
        stop = np.float64(score(rules, visible.own_pile, calls[0], calls[1]))
        if not may_call(rules, state, player):
            return stop, -1e9
        calls = (calls[0] + 1, calls[1])
        levels = (pile_points(rules, visible.own_pile, calls[0]), levels[1])
    fill_rows(rules, AFTER_TURN, np.int64(count(visible.hand)), calls, levels, visible, accumulator.rows)
    return stop, neighbour_value(net, accumulator)


@inlined
def pick_drawn(rules, net, accumulator, state, player, card, taking, discarding):
    """Return the capture of a drawn card, as a mask: all mates, but the better one of two."""
    visible, card_mask = visible_cards(state, player), bit(card)
    mates = visible.field & month(card)
    if count(mates) != 2:
        return mates
    update_accumulator(
        rules,
        net,
        accumulator,
        AFTER_TURN,
        np.int64(count(visible.hand)),
        state,
        player,
        taking,
        discarding,
    )
    low = mates & (~mates + _ONE)
    low_value = max(*values_after_turn(rules, net, accumulator, state, player, after_play(visible, card_mask, low)))
    high_value = max(
        *values_after_turn(rules, net, accumulator, state, player, after_play(visible, card_mask, mates ^ low))
    )
    return mates ^ low if high_value > low_value else low


@inlined
def stop_or_call(rules, net, accumulator, state, player, taking, discarding):
    """Return the points of stopping now and the value of calling; see `values_after_turn`."""
    update_accumulator(
        rules,
        net,
        accumulator,
        AFTER_TURN,
        np.int64(count(state[HAND + player])),
        state,
        player,
        taking,
        discarding,
    )
    return values_after_turn(rules, net, accumulator, state, player, visible_cards(state, player))
