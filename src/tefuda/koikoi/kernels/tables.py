"""Value tables of Koi-Koi: values of positions as sums of table entries, and learning by self-play.

A position is one player's view (`VisibleCards`): the opponent's hand and the stock are unseen. The
locations of a few cards together index an entry of a table, and the value of the position is the
sum of its entries (n-tuple networks, as Jaskowski 2016 for 2048). There are tables for the cards of
some yaku, for the counts of each kind of card, and for the four cards of each month. A position has
two values: before the draw and after the turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest, pick_bit
from tefuda._kernels.draw import fraction, mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.rounds import LAST_TURN, call, deal_round, exhausted_points, may_call, may_stop, stop_points
from tefuda.koikoi.kernels.state import (
    DRAWN,
    HAND,
    TURN,
    WIDTH,
    after_play,
    bit,
    calls_of,
    month,
    mover,
    next_play,
    settle,
    visible_cards,
)

BEFORE_DRAW, AFTER_TURN = 0, 1
#: Locations: unseen, own pile, opponent's pile, in hand with a mate on the field, in hand without one, on the field
#: with a mate in hand, on the field without one.
LOCATIONS = 7
PHASES = 27  # own turns left (0..8) times three cases: no call, own calls only, a call of the opponent
MAX_TABLES = 24
_ONE, _ZERO, _MONTH, _S32 = np.uint64(1), np.uint64(0), np.uint64(0xF), np.uint64(32)


class ValueTables(NamedTuple):
    """Value tables; K: number of groups of cards, E: number of entries.

    Attributes:
        groups: `[K, 5]` uint64, the cards of each group, padded with 48.
        sizes: `[K]` int64, number of cards of each group.
        sets: `[3]` uint64, masks of animals, ribbons, chaff.
        touched: `[12]` int64, the groups with cards of each month, as bits.
        fives: `[16]` int64, a set of a month's cards as a number in base 5.
        offset: `[K + 16]` int64, the beginning of each table (groups, sets, months) and the end.
        entries: `[2, PHASES, E]` float32, points of the player.
    """

    groups: np.ndarray
    sizes: np.ndarray
    sets: np.ndarray
    touched: np.ndarray
    fives: np.ndarray
    offset: np.ndarray
    entries: np.ndarray


@inlined
def card_location(card, visible):
    """Return the location of a card, 0..6."""
    card_mask = bit(card)
    if card_mask & visible.field:
        return 5 if visible.hand & month(card) else 6
    if card_mask & visible.hand:
        return 3 if visible.field & month(card) else 4
    return 1 if card_mask & visible.own_pile else 2 if card_mask & visible.opponent_pile else 0


@inlined
def group_entry(tables, k, visible):
    """Return the entry of the cards of a group."""
    number = np.int64(0)
    for j in range(tables.sizes[k]):
        number = number * LOCATIONS + card_location(tables.groups[k, j], visible)
    return tables.offset[k] + number


@inlined
def set_entry(tables, k, visible):
    """Return the entry of the counts of one kind in both piles, in hand, and on the field."""
    most, cap = (12, 4) if k == 2 else (6, 3)
    mine, theirs = (
        min(count(visible.own_pile & tables.sets[k]), most),
        min(count(visible.opponent_pile & tables.sets[k]), most),
    )
    in_hand, lying = min(count(visible.hand & tables.sets[k]), cap), min(count(visible.field & tables.sets[k]), cap)
    number = ((mine * (most + 1) + theirs) * (cap + 1) + in_hand) * (cap + 1) + lying
    return tables.offset[tables.groups.shape[0] + k] + np.int64(number)


@inlined
def month_entry(tables, k, visible):
    """Return the entry of the four cards of a month 0..11."""
    first = np.uint64(4 * k)
    mine, theirs = (
        tables.fives[(visible.own_pile >> first) & _MONTH],
        tables.fives[(visible.opponent_pile >> first) & _MONTH],
    )
    in_hand, lying = tables.fives[(visible.hand >> first) & _MONTH], tables.fives[(visible.field >> first) & _MONTH]
    return tables.offset[tables.groups.shape[0] + 3 + k] + mine + 2 * theirs + 3 * in_hand + 4 * lying


@inlined
def find_entries(tables, visible, indices):
    """Fill `indices` with the entries of a position, without the phase; return their number."""
    table_count = tables.groups.shape[0]
    for k in range(table_count):
        indices[k] = group_entry(tables, k, visible)
    for k in range(3):
        indices[table_count + k] = set_entry(tables, k, visible)
    for k in range(12):
        indices[table_count + 3 + k] = month_entry(tables, k, visible)
    return table_count + 15


@inlined
def value_near(tables, kind, phase, total, card_mask, visible, indices):
    """Return the value of a position from the value `total` of a position that differs in one month only.

    card_mask: mask of a card of this month. indices: the entries of the other position. This is
    four times as fast as `value`.
    """
    entries, table_count, k_month = (
        tables.entries[kind, phase],
        tables.groups.shape[0],
        np.int64(lowest(card_mask)) >> 2,
    )
    for k in range(table_count):
        if tables.touched[k_month] >> k & 1:
            total += entries[group_entry(tables, k, visible)] - entries[indices[k]]
    for k in range(3):
        total += entries[set_entry(tables, k, visible)] - entries[indices[table_count + k]]
    return total + entries[month_entry(tables, k_month, visible)] - entries[indices[table_count + 3 + k_month]]


@inlined
def phase_of(left, calls, other_calls):
    """Return the number of a phase, from own turns left and the players who have called."""
    return left * 3 + (2 if other_calls > 0 else 1 if calls > 0 else 0)


@inlined
def phase_in(state, player, laid=0):
    """Return the phase of a player after laying `laid` more cards."""
    calls, theirs = calls_of(state, player)
    return phase_of(np.int64(count(state[HAND + player])) - laid, calls, theirs)


@inlined
def value(tables, kind, phase, visible, indices):
    """Return the value of a position."""
    total = np.float32(0.0)
    for k in range(find_entries(tables, visible, indices)):
        total += tables.entries[kind, phase, indices[k]]
    return total


@inlined
def value_of_calling(tables, state, player, indices):
    """Return the value to a player of calling koi-koi now."""
    calls, theirs = calls_of(state, player)
    phase = phase_of(np.int64(count(state[HAND + player])), calls + 1, theirs)
    return value(tables, AFTER_TURN, phase, visible_cards(state, player), indices)


@inlined
def choose_card(tables, phase, visible, explore, random, indices):
    """Return masks of the best card and its capture; a random card with probability `explore`."""
    left = pick_bit(visible.hand, random << np.uint64(11)) if fraction(random) < explore else visible.hand
    best, chosen, taken, second = np.float32(-1e9), _ZERO, _ZERO, _ZERO
    total = value(tables, BEFORE_DRAW, phase, visible, indices)
    while left:
        card_mask, take, left, second = next_play(left, visible.field, second)
        estimate = value_near(
            tables, BEFORE_DRAW, phase, total, card_mask, after_play(visible, card_mask, take), indices
        )
        if estimate > best:
            best, chosen, taken = estimate, card_mask, take
    return chosen, taken


@inlined
def captured_by_draw(tables, phase, visible, card, indices):
    """Return the capture of a drawn card, as a mask: all mates, but the better one of two."""
    card_mask, mates = bit(card), visible.field & month(card)
    if count(mates) != 2:
        return mates
    low = mates & (~mates + _ONE)
    high = mates ^ low
    low_value = value(tables, AFTER_TURN, phase, after_play(visible, card_mask, low), indices)
    return high if value(tables, AFTER_TURN, phase, after_play(visible, card_mask, high), indices) > low_value else low


@inlined
def record_position(tables, kind, phase, state, records, lengths, player, indices):
    """Record the position of a player for learning, unless `records` is None."""
    if records is not None:
        index = lengths[player]
        records[player, index, 0], records[player, index, 1] = kind, phase
        for k in range(find_entries(tables, visible_cards(state, player), indices)):
            records[player, index, 2 + k] = indices[k]
        lengths[player] += 1


@inlined
def draw_and_settle(tables, phase, state, stock, player, indices):
    """Turn over the next card of the stock, which captures the better one of two mates."""
    drawn = np.int64(state[DRAWN])
    if drawn < stock.shape[0]:
        taken = captured_by_draw(tables, phase, visible_cards(state, player), stock[drawn], indices)
        settle(state, player, bit(stock[drawn]), taken)
        state[DRAWN] += _ONE


@inlined
def finish_turn(rules, tables, state, player, explore, random, indices):
    """Stop or call, if the player may stop; return whether the round is over, and the player's points."""
    if not may_stop(rules, state, player):
        return False, np.int64(0)
    points = stop_points(rules, state, player)
    if not may_call(rules, state, player):
        return True, points
    better = value_of_calling(tables, state, player, indices) > points
    if better == (fraction(random) < explore):
        return True, points
    call(rules, state, player)
    return False, np.int64(0)


@inlined
def play_turn(rules, tables, state, stock, player, explore, random, records, lengths, indices):
    """Play a whole turn by tables; record positions in `records` unless it is None.

    Return whether the round is over, the points of the player, the card laid, and its capture.
    """
    phase = phase_in(state, player, 1)
    chosen, taken = choose_card(tables, phase, visible_cards(state, player), explore, random, indices)
    state[HAND + player] ^= chosen
    settle(state, player, chosen, taken)
    record_position(tables, BEFORE_DRAW, phase, state, records, lengths, player, indices)
    draw_and_settle(tables, phase, state, stock, player, indices)
    over, points = finish_turn(rules, tables, state, player, explore, random << _S32, indices)
    if not over:
        record_position(tables, AFTER_TURN, phase_in(state, player), state, records, lengths, player, indices)
    return over, points, chosen, taken


@inlined
def self_play(rules, tables, state, stock, explore, stream, records, lengths, indices):
    """Play a state to its end by tables; return the dealer's points and the stream."""
    lengths[:] = 0
    while np.int64(state[TURN]) <= rules.options[LAST_TURN]:
        player = mover(state)
        stream = step(stream)
        over, points, _, _ = play_turn(
            rules, tables, state, stock, player, explore, mix(stream), records, lengths, indices
        )  # fmt: skip
        if over:
            return (points if player == 0 else -points), stream
        state[TURN] += _ONE
    return exhausted_points(rules, state), stream


@inlined
def update_tables(tables, records, lengths, points, rate, trace):
    """Move the entries of each player's positions towards their results: TD(lambda), from the end back."""
    table_count = tables.offset.shape[0] - 1
    share = rate / table_count
    for player in range(2):
        target = points if player == 0 else -points
        for index in range(lengths[player] - 1, -1, -1):
            kind, phase = records[player, index, 0], records[player, index, 1]
            estimate = 0.0
            for k in range(table_count):
                estimate += tables.entries[kind, phase, records[player, index, 2 + k]]
            for k in range(table_count):
                tables.entries[kind, phase, records[player, index, 2 + k]] += share * (target - estimate)
            target = (1 - trace) * estimate + trace * target


@kernel
def count_outcomes(rules, tables, rounds, first, results, results_by_value):
    """Count the results of rounds of self-play, overall and by the values of positions after a turn.

    Args:
        rules: compiled rules.
        tables: value tables of both players.
        rounds: number of rounds.
        first: initial stream, uint64.
        results: `[2 P + 1]`, receives counts of the dealer's points, from -P or less to P or more.
        results_by_value: `[2 B + 1, 2 P + 1]`, receives counts by value (-B to B) and the player's
            points.
    """
    state, deck = np.zeros(WIDTH, dtype=np.uint64), np.arange(48).astype(np.uint8)
    records, lengths = np.zeros((2, 17, 2 + MAX_TABLES), dtype=np.int64), np.zeros(2, dtype=np.int64)
    indices, stream = np.zeros(MAX_TABLES, dtype=np.int64), first
    most, widest = results_by_value.shape[0] // 2, results_by_value.shape[1] // 2
    for _ in range(rounds):
        stream = deal_round(rules, state, deck, stream)
        points, stream = self_play(rules, tables, state, deck[24:], 0.0, stream, records, lengths, indices)
        results[min(max(points, -widest), widest) + widest] += 1
        for player in range(2):
            gained = points if player == 0 else -points
            for index in range(lengths[player]):
                if records[player, index, 0] == AFTER_TURN:
                    estimate = 0.0
                    for k in range(tables.offset.shape[0] - 1):
                        estimate += tables.entries[AFTER_TURN, records[player, index, 1], records[player, index, 2 + k]]
                    row = min(max(np.int64(np.rint(estimate)), -most), most) + most
                    results_by_value[row, min(max(gained, -widest), widest) + widest] += 1


@kernel
def learn(rules, tables, rounds, explore, rate, trace, first):
    """Learn by self-play; return the dealer's mean points and the last stream.

    first: initial stream, uint64. A Python int could become int64, whose bits do not map to numbers
    between 0 and 1.
    """
    state, deck = np.zeros(WIDTH, dtype=np.uint64), np.arange(48).astype(np.uint8)
    records, lengths = np.zeros((2, 17, 2 + MAX_TABLES), dtype=np.int64), np.zeros(2, dtype=np.int64)
    indices, stream, total = np.zeros(MAX_TABLES, dtype=np.int64), first, 0.0
    for _ in range(rounds):
        stream = deal_round(rules, state, deck, stream)
        points, stream = self_play(rules, tables, state, deck[24:], explore, stream, records, lengths, indices)
        update_tables(tables, records, lengths, np.float64(points), rate, trace)
        total += points
    return total / rounds, stream
