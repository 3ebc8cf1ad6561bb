"""Values of positions of Koi-Koi as sums of table entries; rounds played and learned by them.

A position is what one player sees of it (`Sight`); the cards of the hidden hand and of the stock are unseen. The places
of a few cards together index an entry of a table, and the value of the position is the sum of its entries (n-tuple
networks, as Jaskowski 2016 for 2048). Tables are of the cards of a yaku, counts of a kind, and the four cards of each
month. A position has two values: before the draw and after the turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest, pick_bit
from tefuda._kernels.draw import fraction, mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.rounds import call, deal_round, holds_more, may_call, stopping
from tefuda.koikoi.kernels.world import (
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
    sight,
)

BEFORE_DRAW, AFTER_TURN = 0, 1
#: Unseen, own pile, other pile, in hand with a mate on the field, in hand without, on the field with a mate in hand,
#: on the field without.
PLACES = 7
PHASES = 27  # own turns left 0..8, times calls: none, only own ones, the opponent's
MOST_TABLES = 24
_ONE, _ZERO, _MONTH, _S32 = np.uint64(1), np.uint64(0), np.uint64(0xF), np.uint64(32)


class Worth(NamedTuple):
    """Value tables; K: number of groups of cards, E: number of entries.

    groups: `[K, 5]` uint64, the cards of each group, filled up with 48. sizes: `[K]` int64, their numbers. sets: `[3]`
    uint64, masks of animals, ribbons, chaff. touched: `[12]` int64, the groups with cards of a month, as bits.
    fives: `[16]` int64, a set of a month's cards as a number of base 5. offset: `[K + 16]` int64, the beginning of each
    table (groups, sets, months) and the end. entries: `[2, PHASES, E]` float32, points of the player.
    """

    groups: np.ndarray
    sizes: np.ndarray
    sets: np.ndarray
    touched: np.ndarray
    fives: np.ndarray
    offset: np.ndarray
    entries: np.ndarray


@inlined
def place(card, seen):
    """Return the place of a card, 0..6."""
    here = bit(card)
    if here & seen.field:
        return 5 if seen.hand & month(card) else 6
    if here & seen.hand:
        return 3 if seen.field & month(card) else 4
    return 1 if here & seen.own else 2 if here & seen.other else 0


@inlined
def group_entry(worth, k, seen):
    """Return the entry of the cards of a group."""
    number = np.int64(0)
    for j in range(worth.sizes[k]):
        number = number * PLACES + place(worth.groups[k, j], seen)
    return worth.offset[k] + number


@inlined
def set_entry(worth, k, seen):
    """Return the entry of the numbers of cards of a kind in both piles, in hand, and on the field."""
    most, cap = (12, 4) if k == 2 else (6, 3)
    mine, theirs = min(count(seen.own & worth.sets[k]), most), min(count(seen.other & worth.sets[k]), most)
    in_hand, lying = min(count(seen.hand & worth.sets[k]), cap), min(count(seen.field & worth.sets[k]), cap)
    number = ((mine * (most + 1) + theirs) * (cap + 1) + in_hand) * (cap + 1) + lying
    return worth.offset[worth.groups.shape[0] + k] + np.int64(number)


@inlined
def month_entry(worth, k, seen):
    """Return the entry of the four cards of a month 0..11."""
    first = np.uint64(4 * k)
    mine, theirs = worth.fives[(seen.own >> first) & _MONTH], worth.fives[(seen.other >> first) & _MONTH]
    in_hand, lying = worth.fives[(seen.hand >> first) & _MONTH], worth.fives[(seen.field >> first) & _MONTH]
    return worth.offset[worth.groups.shape[0] + 3 + k] + mine + 2 * theirs + 3 * in_hand + 4 * lying


@inlined
def find(worth, seen, found):
    """Fill `found` with the entries of a position, without the phase; return their number."""
    tables = worth.groups.shape[0]
    for k in range(tables):
        found[k] = group_entry(worth, k, seen)
    for k in range(3):
        found[tables + k] = set_entry(worth, k, seen)
    for k in range(12):
        found[tables + 3 + k] = month_entry(worth, k, seen)
    return tables + 15


@inlined
def value_near(worth, kind, phase, total, here, seen, found):
    """Return the value of a position that differs from one of value `total` in the places of cards of one month.

    here: the mask of a card of this month. found: the entries of the other position. This is four times as fast as
    `value`.
    """
    entries, tables, k_month = worth.entries[kind, phase], worth.groups.shape[0], np.int64(lowest(here)) >> 2
    for k in range(tables):
        if worth.touched[k_month] >> k & 1:
            total += entries[group_entry(worth, k, seen)] - entries[found[k]]
    for k in range(3):
        total += entries[set_entry(worth, k, seen)] - entries[found[tables + k]]
    return total + entries[month_entry(worth, k_month, seen)] - entries[found[tables + 3 + k_month]]


@inlined
def phase_of(left, calls, other_calls):
    """Return the number of a phase: own turns left, and who has called."""
    return left * 3 + (2 if other_calls > 0 else 1 if calls > 0 else 0)


@inlined
def phase_in(world, player, laid=0):
    """Return the phase of a player once it has laid so many cards more."""
    calls, theirs = calls_of(world, player)
    return phase_of(np.int64(count(world[HAND + player])) - laid, calls, theirs)


@inlined
def value(worth, kind, phase, seen, found):
    """Return the value of a position."""
    total = np.float32(0.0)
    for k in range(find(worth, seen, found)):
        total += worth.entries[kind, phase, found[k]]
    return total


@inlined
def value_of_calling(worth, world, player, found):
    """Return the value of the position in which a player who may stop has called koi-koi."""
    calls, theirs = calls_of(world, player)
    phase = phase_of(np.int64(count(world[HAND + player])), calls + 1, theirs)
    return value(worth, AFTER_TURN, phase, sight(world, player), found)


@inlined
def choose_card(worth, phase, seen, explore, random, found):
    """Return the best card to lay and what it takes, as masks; a random card with probability `explore`."""
    left = pick_bit(seen.hand, random << np.uint64(11)) if fraction(random) < explore else seen.hand
    best, chosen, taken, second = np.float32(-1e9), _ZERO, _ZERO, _ZERO
    total = value(worth, BEFORE_DRAW, phase, seen, found)
    while left:
        here, take, left, second = next_play(left, seen.field, second)
        now = value_near(worth, BEFORE_DRAW, phase, total, here, after_play(seen, here, take), found)
        if now > best:
            best, chosen, taken = now, here, take
    return chosen, taken


@inlined
def taken_by_drawn(worth, phase, seen, card, found):
    """Return what a drawn card takes, as a mask: all mates, but the better of two."""
    here, mates = bit(card), seen.field & month(card)
    if count(mates) != 2:
        return mates
    low = mates & (~mates + _ONE)
    high = mates ^ low
    one = value(worth, AFTER_TURN, phase, after_play(seen, here, low), found)
    return high if value(worth, AFTER_TURN, phase, after_play(seen, here, high), found) > one else low


@inlined
def keep(worth, kind, phase, world, records, lengths, player, found):
    """Note the position of a player for learning, unless there are no records."""
    if records is not None:
        at = lengths[player]
        records[player, at, 0], records[player, at, 1] = kind, phase
        for k in range(find(worth, sight(world, player), found)):
            records[player, at, 2 + k] = found[k]
        lengths[player] += 1


@inlined
def draw_and_settle(worth, phase, world, stock, player, found):
    """Turn over the next card of the stock, which takes the better of two mates."""
    drawn = np.int64(world[DRAWN])
    if drawn < stock.shape[0]:
        taken = taken_by_drawn(worth, phase, sight(world, player), stock[drawn], found)
        settle(world, player, bit(stock[drawn]), taken)
        world[DRAWN] += _ONE


@inlined
def finish_turn(values, worth, world, player, explore, random, found):
    """Stop or call, if the player may stop; return whether the round is over, and the points of the player."""
    if not holds_more(values, world, player):
        return False, np.int64(0)
    points = stopping(values, world, player)
    if not may_call(values, world, player):
        return True, points
    better = value_of_calling(worth, world, player, found) > points
    if better == (fraction(random) < explore):
        return True, points
    call(values, world, player)
    return False, np.int64(0)


@inlined
def play_turn(values, worth, world, stock, player, explore, random, records, lengths, found):
    """Play a whole turn by tables, of which positions are noted in `records` unless it is None.

    Return whether the round is over, the points of the player, the card that was laid, and what it took.
    """
    phase = phase_in(world, player, 1)
    chosen, taken = choose_card(worth, phase, sight(world, player), explore, random, found)
    world[HAND + player] ^= chosen
    settle(world, player, chosen, taken)
    keep(worth, BEFORE_DRAW, phase, world, records, lengths, player, found)
    draw_and_settle(worth, phase, world, stock, player, found)
    over, points = finish_turn(values, worth, world, player, explore, random << _S32, found)
    if not over:
        keep(worth, AFTER_TURN, phase_in(world, player), world, records, lengths, player, found)
    return over, points, chosen, taken


@inlined
def self_play(values, worth, world, stock, explore, state, records, lengths, found):
    """Play a world that is before a PLAY to its end by tables; return the dealer's points and the stream."""
    lengths[:] = 0
    while np.int64(world[TURN]) <= values.options[6]:
        player = mover(world)
        state = step(state)
        over, points, _, _ = play_turn(
            values, worth, world, stock, player, explore, mix(state), records, lengths, found
        )  # fmt: skip
        if over:
            return (points if player == 0 else -points), state
        world[TURN] += _ONE
    return values.options[5], state


@inlined
def learn_from(worth, records, lengths, points, rate, trace):
    """Move the entries of each player's positions towards their results: TD(lambda), from the end back."""
    tables = worth.offset.shape[0] - 1
    share = rate / tables
    for player in range(2):
        goal = points if player == 0 else -points
        for at in range(lengths[player] - 1, -1, -1):
            kind, phase = records[player, at, 0], records[player, at, 1]
            now = 0.0
            for k in range(tables):
                now += worth.entries[kind, phase, records[player, at, 2 + k]]
            for k in range(tables):
                worth.entries[kind, phase, records[player, at, 2 + k]] += share * (goal - now)
            goal = (1 - trace) * now + trace * goal


@kernel
def survey(values, worth, rounds, first, ended, thought):
    """Count the results of rounds, and those of positions after a turn by the values of these.

    Args:
        values: the rules.
        worth: the tables that both players play by.
        rounds: number of rounds.
        first: the stream, uint64.
        ended: `[2 P + 1]`, filled with counts of the dealer's points, -P or less to P or more.
        thought: `[2 B + 1, 2 P + 1]`, filled with counts of values, -B to B, and the player's points.
    """
    world, deck = np.zeros(WIDTH, dtype=np.uint64), np.arange(48).astype(np.uint8)
    records, lengths = np.zeros((2, 17, 2 + MOST_TABLES), dtype=np.int64), np.zeros(2, dtype=np.int64)
    found, state = np.zeros(MOST_TABLES, dtype=np.int64), first
    most, widest = thought.shape[0] // 2, thought.shape[1] // 2
    for _ in range(rounds):
        state = deal_round(values, world, deck, state)
        points, state = self_play(values, worth, world, deck[24:], 0.0, state, records, lengths, found)
        ended[min(max(points, -widest), widest) + widest] += 1
        for player in range(2):
            gained = points if player == 0 else -points
            for at in range(lengths[player]):
                if records[player, at, 0] == AFTER_TURN:
                    now = 0.0
                    for k in range(worth.offset.shape[0] - 1):
                        now += worth.entries[AFTER_TURN, records[player, at, 1], records[player, at, 2 + k]]
                    row = min(max(np.int64(np.rint(now)), -most), most) + most
                    thought[row, min(max(gained, -widest), widest) + widest] += 1


@kernel
def learn(values, worth, rounds, explore, rate, trace, first):
    """Play rounds in self-play and learn; return the dealer's mean points and the last stream.

    first: the stream, uint64. A whole number of Python may become int64, whose bits are no numbers between 0 and 1.
    """
    world, deck = np.zeros(WIDTH, dtype=np.uint64), np.arange(48).astype(np.uint8)
    records, lengths = np.zeros((2, 17, 2 + MOST_TABLES), dtype=np.int64), np.zeros(2, dtype=np.int64)
    found, state, total = np.zeros(MOST_TABLES, dtype=np.int64), first, 0.0
    for _ in range(rounds):
        state = deal_round(values, world, deck, state)
        points, state = self_play(values, worth, world, deck[24:], explore, state, records, lengths, found)
        learn_from(worth, records, lengths, np.float64(points), rate, trace)
        total += points
    return total / rounds, state
