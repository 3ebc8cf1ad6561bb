"""What positions of Koi-Koi are worth, as sums of table entries; rounds played and learned by them.

A position is seen by one player: own and other's pile, own hand, field; the rest is unseen. Where each of a few cards
lies, together, is the index of an entry of a table, and the position's worth is the sum of its entries (n-tuple
networks, as Jaskowski 2016 for 2048): cards of a yaku, counts of a kind, the four cards of each month. There are two
worths: of a position before the draw and after the turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest, pick_bit
from tefuda._kernels.draw import fraction, mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.rounds import (
    CALLS,
    DRAWN,
    FIELD,
    HAND,
    LEVEL,
    PILE,
    TURN,
    WIDTH,
    bit,
    deal_round,
    held,
    month,
    score,
)

BEFORE_DRAW, AFTER_TURN = 0, 1
PLACES = (
    7  # unseen, own pile, other's pile, hand with a mate lying open, hand without, field with a mate in hand, without
)
PHASES = 27  # own turns left 0..8 times calls: nobody, only oneself, the other
MOST_TABLES = 24
_ONE, _ZERO, _MONTH, _S32 = np.uint64(1), np.uint64(0), np.uint64(0xF), np.uint64(32)


class Worth(NamedTuple):
    """The tables.

    groups: `[K, 5]` uint64, the cards looked at together, 48 behind the last. sizes: `[K]` int64 of them. sets: `[3]`
    uint64 masks of animals, ribbons, chaff. touched: `[12]` int64, groups with cards of a month, as bits. fives: `[16]`
    int64, sets of a month's cards as numbers of base 5. offset: `[K + 16]` int64, where each table starts (groups,
    sets, months); the last is the end. entries: `[2, PHASES, E]` float32, points to the one who looks.
    """

    groups: np.ndarray
    sizes: np.ndarray
    sets: np.ndarray
    touched: np.ndarray
    fives: np.ndarray
    offset: np.ndarray
    entries: np.ndarray


@inlined
def place(card, own, other, hand, field):
    """Where a card lies, 0..6."""
    here = bit(card)
    if here & field:
        return 5 if hand & month(card) else 6
    if here & hand:
        return 3 if field & month(card) else 4
    return 1 if here & own else 2 if here & other else 0


@inlined
def group_entry(worth, k, own, other, hand, field):
    """The entry of the cards of a group."""
    number = np.int64(0)
    for j in range(worth.sizes[k]):
        number = number * PLACES + place(worth.groups[k, j], own, other, hand, field)
    return worth.offset[k] + number


@inlined
def set_entry(worth, k, own, other, hand, field):
    """The entry of how many cards of a kind both have, are in hand, and lie open."""
    most, cap = (12, 4) if k == 2 else (6, 3)
    mine, theirs = min(count(own & worth.sets[k]), most), min(count(other & worth.sets[k]), most)
    in_hand, lying = min(count(hand & worth.sets[k]), cap), min(count(field & worth.sets[k]), cap)
    number = ((mine * (most + 1) + theirs) * (cap + 1) + in_hand) * (cap + 1) + lying
    return worth.offset[worth.groups.shape[0] + k] + np.int64(number)


@inlined
def month_entry(worth, k, own, other, hand, field):
    """The entry of the four cards of a month 0..11."""
    first = np.uint64(4 * k)
    mine, theirs = worth.fives[(own >> first) & _MONTH], worth.fives[(other >> first) & _MONTH]
    in_hand, lying = worth.fives[(hand >> first) & _MONTH], worth.fives[(field >> first) & _MONTH]
    return worth.offset[worth.groups.shape[0] + 3 + k] + mine + 2 * theirs + 3 * in_hand + 4 * lying


@inlined
def find(worth, own, other, hand, field, found):
    """Fill `found` with the entries of a position, without the phase; return how many."""
    tables = worth.groups.shape[0]
    for k in range(tables):
        found[k] = group_entry(worth, k, own, other, hand, field)
    for k in range(3):
        found[tables + k] = set_entry(worth, k, own, other, hand, field)
    for k in range(12):
        found[tables + 3 + k] = month_entry(worth, k, own, other, hand, field)
    return tables + 15


@inlined
def value_near(worth, kind, phase, total, card, own, other, hand, field, found):
    """What a position is worth in which only cards of this card's month lie elsewhere than in one of worth `total`.

    found: the entries of that one. Four times as fast as looking at all tables again.
    """
    entries, tables, month_number = worth.entries[kind, phase], worth.groups.shape[0], card >> 2
    for k in range(tables):
        if worth.touched[month_number] >> k & 1:
            total += entries[group_entry(worth, k, own, other, hand, field)] - entries[found[k]]
    for k in range(3):
        total += entries[set_entry(worth, k, own, other, hand, field)] - entries[found[tables + k]]
    at = tables + 3 + month_number
    return total + entries[month_entry(worth, month_number, own, other, hand, field)] - entries[found[at]]


@inlined
def phase_of(left, calls, other_calls):
    """The number of a phase: own turns left, who has called."""
    return left * 3 + (2 if other_calls > 0 else 1 if calls > 0 else 0)


@inlined
def value(worth, kind, phase, own, other, hand, field, found):
    """What a position is worth."""
    total = np.float32(0.0)
    for k in range(find(worth, own, other, hand, field, found)):
        total += worth.entries[kind, phase, found[k]]
    return total


@inlined
def choose_card(worth, phase, own, other, hand, field, explore, random, found):
    """The best card to lay and what it takes, as masks; a random one with probability `explore`."""
    best, chosen, taken, left = np.float32(-1e9), _ZERO, _ZERO, hand
    lucky = fraction(random) < explore
    if lucky:
        left = pick_bit(hand, random << np.uint64(11))
    total = value(worth, BEFORE_DRAW, phase, own, other, hand, field, found)
    while left:
        card = np.int64(lowest(left))
        left &= left - _ONE
        here, mates = bit(card), field & month(card)
        options = count(mates) if count(mates) == 2 else np.uint64(1)
        for _ in range(options):
            take = mates if options == 1 else mates & (~mates + _ONE)
            mates ^= take
            pile, lying = (own, field | here) if take == _ZERO else (own | take | here, field & ~take)
            now = value_near(worth, BEFORE_DRAW, phase, total, card, pile, other, hand & ~here, lying, found)
            if now > best:
                best, chosen, taken = now, here, take
    return chosen, taken


@inlined
def settle_drawn(worth, phase, own, other, hand, field, card, found):
    """Field and own pile after a drawn card; of two mates the better."""
    here, mates = bit(card), field & month(card)
    if mates == _ZERO:
        return field | here, own
    if count(mates) == 2:
        best, left = np.float32(-1e9), mates
        while left:
            take = left & (~left + _ONE)
            left ^= take
            now = value(worth, AFTER_TURN, phase, own | take | here, other, hand, field & ~take, found)
            if now > best:
                best, mates = now, take
    return field & ~mates, own | mates | here


@inlined
def keep(worth, kind, phase, world, records, lengths, player, found):
    """Note where a player stands, for learning."""
    n = find(worth, world[PILE + player], world[PILE + 1 - player], world[HAND + player], world[FIELD], found)
    at = lengths[player]
    records[player, at, 0], records[player, at, 1] = kind, phase
    for k in range(n):
        records[player, at, 2 + k] = found[k]
    lengths[player] += 1


@inlined
def lay_card(worth, phase, world, player, explore, random, found):
    """The player in turn lays the best card (or a random one) and takes what it takes."""
    hand, own, other, field = world[HAND + player], world[PILE + player], world[PILE + 1 - player], world[FIELD]
    chosen, taken = choose_card(worth, phase, own, other, hand, field, explore, random, found)
    world[HAND + player] = hand ^ chosen
    if taken == _ZERO:
        world[FIELD] = field | chosen
    else:
        world[FIELD], world[PILE + player] = field & ~taken, own | taken | chosen


@inlined
def draw_and_settle(worth, phase, world, stock, player, found):
    """The player in turn turns over the next card of the stock and takes the better of two mates."""
    drawn = np.int64(world[DRAWN])
    if drawn < stock.shape[0]:
        own, other, hand = world[PILE + player], world[PILE + 1 - player], world[HAND + player]
        field, own = settle_drawn(worth, phase, own, other, hand, world[FIELD], stock[drawn], found)
        world[FIELD], world[PILE + player] = field, own
        world[DRAWN] += _ONE


@inlined
def finish_turn(values, worth, world, player, left, explore, random, found):
    """Stop or call, if more is held than before; return whether the round is over, and what the player gets."""
    own, other, hand = world[PILE + player], world[PILE + 1 - player], world[HAND + player]
    calls, theirs = np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player])
    if held(values, own, calls) <= np.int64(world[LEVEL + player]):
        return False, np.int64(0)
    points = score(values, own, calls, theirs)
    if hand == _ZERO or (0 <= values.options[4] <= calls + theirs):
        return True, points
    call = value(worth, AFTER_TURN, phase_of(left, calls + 1, theirs), own, other, hand, world[FIELD], found) > points
    if call == (fraction(random) < explore):
        return True, points
    world[CALLS + player] += _ONE
    world[LEVEL + player] = np.uint64(held(values, own, calls + 1))
    return False, np.int64(0)


@inlined
def self_play(values, worth, world, stock, explore, state, records, lengths, found):
    """Play a world that stands before a PLAY to its end by the tables; return points to the dealer, and the stream.

    Positions are noted in `records`.
    """
    while np.int64(world[TURN]) <= values.options[6]:
        player = np.int64(world[TURN] - _ONE) & 1
        left = np.int64(count(world[HAND + player])) - 1
        phase = phase_of(left, np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]))
        state = step(state)
        random = mix(state)
        lay_card(worth, phase, world, player, explore, random, found)
        keep(worth, BEFORE_DRAW, phase, world, records, lengths, player, found)
        draw_and_settle(worth, phase, world, stock, player, found)
        over, points = finish_turn(values, worth, world, player, left, explore, random << _S32, found)
        if over:
            return (points if player == 0 else -points), state
        phase = phase_of(left, np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]))
        keep(worth, AFTER_TURN, phase, world, records, lengths, player, found)
        world[TURN] += _ONE
    return values.options[5], state


@inlined
def learn_from(worth, records, lengths, points, rate, trace):
    """Move the entries of each player's positions towards what came of them: TD(lambda), from the end back."""
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
    """Count in `ended` `[2 P + 1]` the points to the dealer, in `thought` `[2 B + 1, 2 P + 1]` what came of positions
    after the turn by what they were thought worth, to the one who looks; beyond -B to B and -P to P as there.
    """
    world, deck = np.zeros(WIDTH, dtype=np.uint64), np.arange(48).astype(np.uint8)
    records, lengths = np.zeros((2, 17, 2 + MOST_TABLES), dtype=np.int64), np.zeros(2, dtype=np.int64)
    found, state = np.zeros(MOST_TABLES, dtype=np.int64), first
    most, widest = thought.shape[0] // 2, thought.shape[1] // 2
    for _ in range(rounds):
        state, _ = deal_round(values, world, deck, state)
        lengths[:] = 0
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
    """Play rounds against oneself and learn; return the mean points to the dealer and the last stream.

    first: uint64. A whole number of Python may become int64, whose bits are no numbers between 0 and 1.
    """
    world, deck = np.zeros(WIDTH, dtype=np.uint64), np.arange(48).astype(np.uint8)
    records, lengths = np.zeros((2, 17, 2 + MOST_TABLES), dtype=np.int64), np.zeros(2, dtype=np.int64)
    found, state, total = np.zeros(MOST_TABLES, dtype=np.int64), first, 0.0
    for _ in range(rounds):
        state, _ = deal_round(values, world, deck, state)
        lengths[:] = 0
        points, state = self_play(values, worth, world, deck[24:], explore, state, records, lengths, found)
        learn_from(worth, records, lengths, np.float64(points), rate, trace)
        total += points
    return total / rounds, state
