"""Rounds of Koi-Koi on bit masks: settling, scoring, whole rounds played by simple rules.

Worlds are rows of uint64 (`[WIDTH]`, the columns below) and their stock in the order of drawing (`[stock]` uint8). What
an action may be, and when phases come, is told in koikoi/game.py; tests hold these kernels against it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import below, count, lowest, pick_bit
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import inlined, kernel

PLAY, PICK_HAND, DRAW, PICK_DRAW, KOI, END = range(1, 7)
# Columns of a world. LEVEL: what each holds, at its number of calls. DRAWN: cards drawn. POINTS: to the dealer, int64.
HAND, FIELD, PILE, LEVEL, CALLS, PHASE, TURN, SHOWN, DRAWN, POINTS = 0, 2, 3, 5, 7, 9, 10, 11, 12, 13
WIDTH = 14
STOP, CALL = 48, 49
RANDOM, GREEDY, BRIGHT = 0, 1, 1  # kinds of simple players; the group of the bright yaku
FIELD_QUAD, FIELD_TRIPLE, FIELD_PAIRS, HAND_QUAD, TEYAKU = 1, 2, 4, 8, 16  # why cards are dealt again, as `REDEALS`
_ONE, _ZERO, _MONTH, _LOW2 = np.uint64(1), np.uint64(0), np.uint64(0xF), np.uint64(3)
_ONES, _THREES, _FOURS, _SEVENS = (np.uint64(0x111111111111 * digit) for digit in (1, 3, 4, 7))
_FOUR, _S1, _S2, _S3, _S32 = np.uint64(4), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(32)


class Values(NamedTuple):
    """Rules as kernels read them.

    cards: `[Y]` uint64, the masks of the yaku. counted: `[Y]` uint64, those and the further cards that add points.
    unless: `[Y]` uint64, cards that cancel them. numbers: `[Y, 5]` int64: cards needed, points, points once called,
    points for each further card, the group of yaku that exclude each other as a bit (0: none).
    options: `[8]` int64: the bonus for own calls (0 none, 1 added, 2 multiplied), double_at, opponent_called,
    bright_factor, max_koikoi (-1: any), exhaustion, turns, why cards are dealt again (a mask, see `dealt_again`).
    worth: `[48]` int64, what greedy play takes cards for.
    """

    cards: np.ndarray
    counted: np.ndarray
    unless: np.ndarray
    numbers: np.ndarray
    options: np.ndarray
    worth: np.ndarray


class Style(NamedTuple):
    """How simple players play: kind `[2]` RANDOM or GREEDY; call `[2]` uint64, koi-koi if 32 random bits are below."""

    kind: np.ndarray
    call: np.ndarray


@inlined
def bit(card):
    """The mask of a card."""
    return _ONE << np.uint64(card)


@inlined
def month(card):
    """The mask of the four cards of a card's month."""
    return _MONTH << (np.uint64(card) & ~_LOW2)


@inlined
def base(values, pile, calls):
    """The sum of the yaku in a pile, and whether a bright one is among them."""
    total, groups = 0, 0
    for y in range(values.cards.shape[0]):
        need, group = values.numbers[y, 0], values.numbers[y, 4]
        there = np.int64(count(pile & values.cards[y])) >= need and groups & group == 0
        if there and pile & values.unless[y] == _ZERO:
            more = np.int64(count(pile & values.counted[y])) - need
            total += values.numbers[y, 2 if calls else 1] + more * values.numbers[y, 3]
            groups |= group
    return total, groups & BRIGHT


@inlined
def bonus(values, total, calls):
    """The sum of yaku after the bonus for own calls."""
    if values.options[0] == 0 or total == 0:
        return total
    if values.options[0] == 2:
        return total * (1 + calls)
    return total + calls if calls <= 3 else total * (calls - 2)


@inlined
def held(values, pile, calls):
    """What a pile is worth before multipliers."""
    return bonus(values, base(values, pile, calls)[0], calls)


@inlined
def score(values, pile, calls, opponent_calls):
    """What stopping brings."""
    total, bright = base(values, pile, calls)
    points = bonus(values, total, calls) * (values.options[2] if opponent_calls > 0 else 1)
    if values.options[1] > 0 and total >= values.options[1]:
        points *= 2
    return points * values.options[3] if bright else points


@inlined
def greedy_gain(values, pile, before, taken):
    """What a capture is worth to greedy play: new points of yaku above all, then the cards' own worth."""
    gain = 1000 * (base(values, pile | taken, 0)[0] - before)
    while taken:
        gain += values.worth[lowest(taken)]
        taken &= taken - _ONE
    return gain


@inlined
def greedy_pick(values, pile, before, card, mates):
    """Of two mates the one greedy play takes, as a mask; the lower of equals."""
    low, here = mates & (~mates + _ONE), bit(card)
    high = mates ^ low
    one = greedy_gain(values, pile, before, low | here)
    return high if greedy_gain(values, pile, before, high | here) > one else low


@inlined
def greedy_card(values, hand, field, pile):
    """The hand card greedy play lays; the lowest of equals."""
    before, best, chosen, left = base(values, pile, 0)[0], -(1 << 40), np.uint64(0), hand
    while left:
        card = lowest(left)
        left &= left - _ONE
        mates = field & month(card)
        if mates == _ZERO:
            gain = -values.worth[card]
        else:
            if count(mates) == 2:
                mates = greedy_pick(values, pile, before, card, mates)
            gain = greedy_gain(values, pile, before, mates | bit(card))
        if gain > best:
            best, chosen = gain, card
    return chosen


@inlined
def taken_by(values, kind, pile, card, mates, random):
    """What a simple player takes with a card: nothing, one, one of two by its style, or three; as a mask."""
    if count(mates) == 2:
        if kind == GREEDY:
            mates = greedy_pick(values, pile, base(values, pile, 0)[0], card, mates)
        else:
            mates = pick_bit(mates, random)
    return mates


@inlined
def lay(values, kind, field, pile, card, random):
    """Settle a card by a simple player; return field and pile."""
    mates = field & month(card)
    if mates == _ZERO:
        return field | bit(card), pile
    taken = taken_by(values, kind, pile, card, mates, random)
    return field & ~taken, pile | taken | bit(card)


@inlined
def finish(values, style, world, stock, state):
    """Play a world that stands before a PLAY to its end by simple rules; return points to the dealer, and the stream.

    `world` is left at the end: turn, piles, calls.
    """
    turns = values.options[6]
    turn, field, drawn = np.int64(world[TURN]), world[FIELD], np.int64(world[DRAWN])
    player = (turn - 1) & 1
    while turn <= turns:
        hand, before = world[HAND + player], world[PILE + player]
        state = step(state)
        random = mix(state)
        kind = style.kind[player]
        card = greedy_card(values, hand, field, before) if kind == GREEDY else lowest(pick_bit(hand, random))
        hand ^= bit(card)
        world[HAND + player] = hand
        field, pile = lay(values, kind, field, before, card, random >> _S32)
        if drawn < stock.shape[0]:
            state = step(state)
            random = mix(state)
            field, pile = lay(values, kind, field, pile, stock[drawn], random)
            drawn += 1
        if pile != before:
            world[PILE + player] = pile
            calls = np.int64(world[CALLS + player])
            now = held(values, pile, calls)
            if now > np.int64(world[LEVEL + player]):
                total = calls + np.int64(world[CALLS + 1 - player])
                free = hand != _ZERO and (values.options[4] < 0 or total < values.options[4])
                if not free or (random >> _S32) >= style.call[player]:
                    world[TURN], world[FIELD] = np.uint64(turn), field
                    points = score(values, pile, calls, np.int64(world[CALLS + 1 - player]))
                    return (points if player == 0 else -points), state
                world[CALLS + player] += _ONE
                world[LEVEL + player] = np.uint64(held(values, pile, calls + 1))
        turn += 1
        player = 1 - player
    world[TURN], world[FIELD] = np.uint64(turns), field
    return values.options[5], state


@inlined
def dealt_again(reasons, world):
    """Whether hands and field are dealt again for one of the reasons in a mask."""
    one, two, lying = month_counts(world[HAND]), month_counts(world[HAND + 1]), month_counts(world[FIELD])
    again = reasons & FIELD_QUAD != 0 and lying & _FOURS != _ZERO
    again |= reasons & (HAND_QUAD | TEYAKU) != 0 and (one | two) & _FOURS != _ZERO
    again |= reasons & TEYAKU != 0 and (pairs(one) >= _FOUR or pairs(two) >= _FOUR)
    again |= reasons & FIELD_TRIPLE != 0 and lying & (lying >> _S1) & _ONES != _ZERO
    return again or (reasons & FIELD_PAIRS != 0 and pairs(lying) == _FOUR)


@inlined
def pairs(counts):
    """Months with two cards, if none has more."""
    if counts & (_FOURS | ((counts >> _S1) & _ONES)) != _ZERO:
        return _ZERO
    return count(counts & (_ONES << _S1))


@inlined
def month_counts(cards):
    """How many cards of each month there are, in the months' own four bits (each at most 4)."""
    return cards - ((cards >> _S1) & _SEVENS) - ((cards >> _S2) & _THREES) - ((cards >> _S3) & _ONES)


@inlined
def shuffle(cards, size, first, last, state):
    """Draw places `first`..`last` - 1 of the first `size` cards at random from `first` on; return the stream."""
    for place in range(first, last):
        state = step(state)
        other = place + np.int64(below(mix(state), size - place))
        cards[place], cards[other] = cards[other], cards[place]
    return state


@inlined
def open_round(world, deck):
    """A world before its first turn, from a deck: dealer's hand, other's, field."""
    world[:] = _ZERO
    for place in range(24):
        world[HAND if place < 8 else HAND + 1 if place < 16 else FIELD] |= bit(deck[place])
    world[PHASE], world[TURN] = np.uint64(PLAY), _ONE


@inlined
def deal_round(values, world, deck, state):
    """Shuffle and deal until nothing is dealt again; return the stream and the deals."""
    deals = 0
    while True:
        state = shuffle(deck, deck.shape[0], 0, 40, state)
        deals += 1
        open_round(world, deck)
        if not dealt_again(values.options[7], world):
            return state, deals


@kernel
def rounds(values, style, first, deck, points, turns, piles, calls):
    """Play whole rounds: fill points to the dealer `[G]`, turns `[G]`, piles `[G, 2]`, calls `[G, 2]`; return deals."""
    world, state, deals = np.zeros(WIDTH, dtype=np.uint64), first, 0
    for game in range(points.shape[0]):
        state, tried = deal_round(values, world, deck, state)
        deals += tried
        points[game], state = finish(values, style, world, deck[24:], state)
        turns[game] = world[TURN]
        for player in range(2):
            piles[game, player] = world[PILE + player]
            calls[game, player] = world[CALLS + player]
    return deals


# Single steps, as agents take them.


@inlined
def options(values, world):
    """What the player in turn may do, as a mask of actions 0..49."""
    player = (world[TURN] - _ONE) & _ONE
    if world[PHASE] == PLAY:
        return world[HAND + player]
    if world[PHASE] == KOI:
        total = np.int64(world[CALLS]) + np.int64(world[CALLS + 1])
        free = world[HAND + player] != _ZERO and (values.options[4] < 0 or total < values.options[4])
        return bit(STOP) | bit(CALL) if free else bit(STOP)
    return world[FIELD] & month(world[SHOWN])


@inlined
def settle(world, card, pick):
    """Lay a card: it stays, takes one or three, or waits in phase `pick` for a choice; return whether it is settled."""
    mates = world[FIELD] & month(card)
    if mates == _ZERO:
        world[FIELD] |= bit(card)
    elif count(mates) == 2:
        world[PHASE], world[SHOWN] = np.uint64(pick), np.uint64(card)
        return False
    else:
        capture(world, card, mates)
    return True


@inlined
def capture(world, card, mates):
    """Move a card and its mates to the pile of the player in turn."""
    world[FIELD] &= ~mates
    world[PILE + ((world[TURN] - _ONE) & _ONE)] |= mates | bit(card)


@inlined
def end_turn(values, world):
    """The decision if the player in turn holds more than before, else the next turn or the end."""
    player = (world[TURN] - _ONE) & _ONE
    calls = np.int64(world[CALLS + player])
    if held(values, world[PILE + player], calls) > np.int64(world[LEVEL + player]):
        world[PHASE] = np.uint64(KOI)
    else:
        next_turn(values, world)


@inlined
def next_turn(values, world):
    """The other's turn, or the end by exhaustion."""
    if np.int64(world[TURN]) < values.options[6]:
        world[TURN] += _ONE
        world[PHASE] = np.uint64(PLAY)
    else:
        world[PHASE], world[POINTS] = np.uint64(END), np.uint64(values.options[5])


@inlined
def draw_card(values, world, stock):
    """Turn over the next card of the stock, if there is one, and go on as far as nobody is asked."""
    drawn = np.int64(world[DRAWN])
    if drawn < stock.shape[0]:
        world[DRAWN] += _ONE
        if not settle(world, stock[drawn], PICK_DRAW):
            return
    end_turn(values, world)


@inlined
def act(values, world, stock, action):
    """One action of the player in turn, and the draw behind it."""
    player = (world[TURN] - _ONE) & _ONE
    phase = world[PHASE]
    if phase == PLAY:
        world[HAND + player] &= ~bit(action)
        if settle(world, action, PICK_HAND):
            draw_card(values, world, stock)
    elif phase == PICK_HAND:
        capture(world, world[SHOWN], bit(action))
        draw_card(values, world, stock)
    elif phase == PICK_DRAW:
        capture(world, world[SHOWN], bit(action))
        end_turn(values, world)
    elif action == STOP:
        calls, others = np.int64(world[CALLS + player]), np.int64(world[CALLS + _ONE - player])
        points = score(values, world[PILE + player], calls, others)
        world[PHASE], world[POINTS] = np.uint64(END), np.uint64(points if player == _ZERO else -points)
    else:
        world[CALLS + player] += _ONE
        world[LEVEL + player] = np.uint64(held(values, world[PILE + player], np.int64(world[CALLS + player])))
        next_turn(values, world)


@kernel
def act_all(values, worlds, stocks, actions):
    """One action in each of many worlds `[G, WIDTH]` with stocks `[G, S]`."""
    for game in range(worlds.shape[0]):
        act(values, worlds[game], stocks[game], actions[game])


@kernel
def options_all(values, worlds, found):
    """Fill `found` `[G]` with the masks of what may be done; 0 where the round is over."""
    for game in range(worlds.shape[0]):
        found[game] = _ZERO if worlds[game, PHASE] == END else options(values, worlds[game])


@kernel
def open_all(worlds, decks):
    """Fill worlds `[G, WIDTH]` before their first turn from decks `[G, 48]`."""
    for game in range(worlds.shape[0]):
        open_round(worlds[game], decks[game])


@kernel
def finish_all(values, style, worlds, stocks, first, points):
    """Play worlds that stand before a PLAY to their ends by simple rules; fill points to the dealer `[G]`."""
    state = first
    for game in range(worlds.shape[0]):
        points[game], state = finish(values, style, worlds[game], stocks[game], state)
