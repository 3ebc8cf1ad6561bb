"""Rounds of Koi-Koi on bit masks: scoring, dealing, and single actions.

The rules are those of koikoi/game.py; tests compare the two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import below, count
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.world import (
    CALL,
    CALLS,
    DRAWN,
    END,
    FIELD,
    HAND,
    KOI,
    LEVEL,
    PHASE,
    PICK_DRAW,
    PICK_HAND,
    PILE,
    PLAY,
    POINTS,
    SHOWN,
    STOP,
    TURN,
    bit,
    calls_of,
    month,
    mover,
    settle,
)

BRIGHT = 1  # the group of the bright yaku
FIELD_QUAD, FIELD_TRIPLE, FIELD_PAIRS, HAND_QUAD, TEYAKU = 1, 2, 4, 8, 16  # why cards are dealt again, as `REDEALS`
_ONE, _ZERO, _FOUR = np.uint64(1), np.uint64(0), np.uint64(4)
_ONES, _THREES, _FOURS, _SEVENS = (np.uint64(0x111111111111 * digit) for digit in (1, 3, 4, 7))
_S1, _S2, _S3 = np.uint64(1), np.uint64(2), np.uint64(3)


class Values(NamedTuple):
    """Rules as kernels read them; Y: number of yaku.

    cards: `[Y]` uint64, the cards of each yaku. counted: `[Y]` uint64, those and the further cards that add points.
    unless: `[Y]` uint64, cards that cancel it. numbers: `[Y, 5]` int64: cards needed, points, points after a call,
    points for each further card, the group of yaku that exclude each other as a bit (0: none).
    options: `[8]` int64: the bonus for own calls (0 none, 1 added, 2 multiplied), double_at, opponent_called,
    bright_factor, max_koikoi (-1: any), exhaustion, turns, why cards are dealt again (a mask, see `dealt_again`).
    worth: `[48]` int64, the value of each card for greedy play.
    """

    cards: np.ndarray
    counted: np.ndarray
    unless: np.ndarray
    numbers: np.ndarray
    options: np.ndarray
    worth: np.ndarray


@inlined
def base(values, pile, calls):
    """Return the sum of the yaku in a pile, and whether a bright one is among them."""
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
    """Return the sum of yaku with the bonus for own calls."""
    if values.options[0] == 0 or total == 0:
        return total
    if values.options[0] == 2:
        return total * (1 + calls)
    return total + calls if calls <= 3 else total * (calls - 2)


@inlined
def held(values, pile, calls):
    """Return the points of a pile before multipliers."""
    return bonus(values, base(values, pile, calls)[0], calls)


@inlined
def score(values, pile, calls, opponent_calls):
    """Return the points of a player who stops."""
    total, bright = base(values, pile, calls)
    points = bonus(values, total, calls) * (values.options[2] if opponent_calls > 0 else 1)
    if values.options[1] > 0 and total >= values.options[1]:
        points *= 2
    return points * values.options[3] if bright else points


@inlined
def stopping(values, world, player):
    """Return the points of a player who stops in this world."""
    calls, theirs = calls_of(world, player)
    return score(values, world[PILE + player], calls, theirs)


@inlined
def holds_more(values, world, player):
    """Return whether the pile of a player has more points than at its last call, so that it may stop."""
    return held(values, world[PILE + player], np.int64(world[CALLS + player])) > np.int64(world[LEVEL + player])


@inlined
def may_call(values, world, player):
    """Return whether a player that may stop may call koi-koi instead."""
    calls, theirs = calls_of(world, player)
    return world[HAND + player] != _ZERO and (values.options[4] < 0 or calls + theirs < values.options[4])


@inlined
def call(values, world, player):
    """Note a call of koi-koi."""
    world[CALLS + player] += _ONE
    world[LEVEL + player] = np.uint64(held(values, world[PILE + player], np.int64(world[CALLS + player])))


@inlined
def dealt_again(reasons, world):
    """Return whether hands and field are dealt again for one of the reasons in a mask."""
    one, two, lying = month_counts(world[HAND]), month_counts(world[HAND + 1]), month_counts(world[FIELD])
    again = reasons & FIELD_QUAD != 0 and lying & _FOURS != _ZERO
    again |= reasons & (HAND_QUAD | TEYAKU) != 0 and (one | two) & _FOURS != _ZERO
    again |= reasons & TEYAKU != 0 and (pairs(one) >= _FOUR or pairs(two) >= _FOUR)
    again |= reasons & FIELD_TRIPLE != 0 and lying & (lying >> _S1) & _ONES != _ZERO
    return again or (reasons & FIELD_PAIRS != 0 and pairs(lying) == _FOUR)


@inlined
def pairs(counts):
    """Return the number of months with two cards; 0 if a month has more."""
    if counts & (_FOURS | ((counts >> _S1) & _ONES)) != _ZERO:
        return _ZERO
    return count(counts & (_ONES << _S1))


@inlined
def month_counts(cards):
    """Return the number of cards of each month, in the month's own four bits."""
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
def open_round(world, deck, hand=8, field=8):
    """Open a world before its first turn with the cards of a deck: the dealer's hand, the other hand, the field."""
    world[:] = _ZERO
    for place in range(2 * hand + field):
        world[HAND if place < hand else HAND + 1 if place < 2 * hand else FIELD] |= bit(deck[place])
    world[PHASE], world[TURN] = np.uint64(PLAY), _ONE


@inlined
def deal_round(values, world, deck, state):
    """Shuffle and deal until nothing is dealt again; return the stream."""
    while True:
        state = shuffle(deck, deck.shape[0], 0, 40, state)
        open_round(world, deck)
        if not dealt_again(values.options[7], world):
            return state


# Single actions.


@inlined
def options(values, world):
    """Return the actions of the player in turn, as a mask of 0..49."""
    player = mover(world)
    if world[PHASE] == PLAY:
        return world[HAND + player]
    if world[PHASE] == KOI:
        return bit(STOP) | bit(CALL) if may_call(values, world, player) else bit(STOP)
    return world[FIELD] & month(world[SHOWN])


@inlined
def offer(world, player, card, pick):
    """Settle a card unless it has two mates: then phase `pick` begins. Return whether it is settled."""
    mates = world[FIELD] & month(card)
    if count(mates) == 2:
        world[PHASE], world[SHOWN] = np.uint64(pick), np.uint64(card)
        return False
    settle(world, player, bit(card), mates)
    return True


@inlined
def end_turn(values, world, player):
    """Begin the decision to stop if the player in turn may, else the next turn."""
    if holds_more(values, world, player):
        world[PHASE] = np.uint64(KOI)
    else:
        next_turn(values, world)


@inlined
def next_turn(values, world):
    """Begin the opponent's turn, or end the round by exhaustion."""
    if np.int64(world[TURN]) < values.options[6]:
        world[TURN] += _ONE
        world[PHASE] = np.uint64(PLAY)
    else:
        world[PHASE], world[POINTS] = np.uint64(END), np.uint64(values.options[5])


@inlined
def draw_card(values, world, stock, player):
    """Turn over the next card of the stock, if there is one, and play on up to the next choice."""
    drawn = np.int64(world[DRAWN])
    if drawn < stock.shape[0]:
        world[DRAWN] += _ONE
        if not offer(world, player, stock[drawn], PICK_DRAW):
            return
    end_turn(values, world, player)


@inlined
def act(values, world, stock, action):
    """Do one action of the player in turn, and draw the card behind it."""
    player, phase = mover(world), world[PHASE]
    if phase == PLAY:
        world[HAND + player] &= ~bit(action)
        if offer(world, player, action, PICK_HAND):
            draw_card(values, world, stock, player)
    elif phase == PICK_HAND:
        settle(world, player, bit(world[SHOWN]), bit(action))
        draw_card(values, world, stock, player)
    elif phase == PICK_DRAW:
        settle(world, player, bit(world[SHOWN]), bit(action))
        end_turn(values, world, player)
    elif action == STOP:
        points = stopping(values, world, player)
        world[PHASE], world[POINTS] = np.uint64(END), np.uint64(points if player == 0 else -points)
    else:
        call(values, world, player)
        next_turn(values, world)


@kernel
def open_all(worlds, decks):
    """Open worlds `[G, WIDTH]` before their first turn with decks `[G, 48]`."""
    for game in range(worlds.shape[0]):
        open_round(worlds[game], decks[game])
