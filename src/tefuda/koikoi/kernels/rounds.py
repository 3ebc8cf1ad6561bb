"""Rounds of Koi-Koi on bit masks: scoring, dealing, and single actions.

The rules are those of koikoi/game.py; tests compare the two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import below, count
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.state import (
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

#: Indices of `CompiledRules.options`.
OWN_BONUS, DOUBLE_AT, OPPONENT_CALLED, BRIGHT_FACTOR, MAX_KOIKOI, EXHAUSTION, LAST_TURN, REDEALS, HIGHER = range(9)
BRIGHT = 1  # the group of the bright yaku
# Reasons for a redeal, in the order of `rules.REDEALS`.
FIELD_QUAD, FIELD_TRIPLE, FIELD_PAIRS, HAND_QUAD, TEYAKU, ONE_TEYAKU = 1, 2, 4, 8, 16, 32
_ONE, _ZERO, _FOUR = np.uint64(1), np.uint64(0), np.uint64(4)
_ONES, _THREES, _FOURS, _SEVENS = (np.uint64(0x111111111111 * digit) for digit in (1, 3, 4, 7))
_S1, _S2, _S3 = np.uint64(1), np.uint64(2), np.uint64(3)


class CompiledRules(NamedTuple):
    """Rules for kernels; Y: number of yaku.

    Attributes:
        cards: `[Y]` uint64, the cards of each yaku.
        counted: `[Y]` uint64, those cards and the further cards that add points.
        unless: `[Y]` uint64, cards that cancel the yaku.
        numbers: `[Y, 5]` int64: cards needed, points, points after a call, points for each further
            card, and a bit for the group of yaku that exclude each other (0: none).
        options: `[9]` int64: bonus for own calls (0 none, 1 added, 2 multiplied), double_at,
            opponent_called, bright_factor, max_koikoi (-1: unlimited), exhaustion, number of turns,
            mask of the reasons for a redeal (see `must_redeal`), exhaustion_yaku.
        card_values: `[48]` int64, the value of each card in greedy play.
    """

    cards: np.ndarray
    counted: np.ndarray
    unless: np.ndarray
    numbers: np.ndarray
    options: np.ndarray
    card_values: np.ndarray


@inlined
def yaku_points(rules, pile, calls):
    """Return the sum of the yaku in a pile, and whether a bright yaku is among them."""
    total, groups = 0, 0
    for y in range(rules.cards.shape[0]):
        need, group = rules.numbers[y, 0], rules.numbers[y, 4]
        complete = np.int64(count(pile & rules.cards[y])) >= need and groups & group == 0
        if complete and pile & rules.unless[y] == _ZERO:
            more = np.int64(count(pile & rules.counted[y])) - need
            total += rules.numbers[y, 2 if calls else 1] + more * rules.numbers[y, 3]
            groups |= group
    return total, groups & BRIGHT


@inlined
def add_bonus(rules, total, calls):
    """Return the sum of the yaku with the bonus for own calls."""
    if rules.options[OWN_BONUS] == 0 or total == 0:
        return total
    if rules.options[OWN_BONUS] == 2:
        return total * (1 + calls)
    return total + calls if calls <= 3 else total * (calls - 2)


@inlined
def pile_points(rules, pile, calls):
    """Return the points of a pile before multipliers."""
    return add_bonus(rules, yaku_points(rules, pile, calls)[0], calls)


@inlined
def score(rules, pile, calls, opponent_calls):
    """Return the points of a player who stops."""
    total, bright = yaku_points(rules, pile, calls)
    points = add_bonus(rules, total, calls) * (rules.options[OPPONENT_CALLED] if opponent_calls > 0 else 1)
    if rules.options[DOUBLE_AT] > 0 and total >= rules.options[DOUBLE_AT]:
        points *= 2
    return points * rules.options[BRIGHT_FACTOR] if bright else points


@inlined
def stop_points(rules, state, player):
    """Return the points of a player who stops in this state."""
    calls, theirs = calls_of(state, player)
    return score(rules, state[PILE + player], calls, theirs)


@inlined
def exhausted_points(rules, state):
    """Return the points to the dealer if no player stops."""
    if rules.options[HIGHER] != 0:
        dealer, opponent = stop_points(rules, state, 0), stop_points(rules, state, 1)
        if dealer != opponent:
            return dealer if dealer > opponent else -opponent
    return rules.options[EXHAUSTION]


@inlined
def may_stop(rules, state, player):
    """Return whether the pile of a player is worth more than at its last call, so that it may stop."""
    return pile_points(rules, state[PILE + player], np.int64(state[CALLS + player])) > np.int64(state[LEVEL + player])


@inlined
def may_call(rules, state, player):
    """Return whether a player that may stop may call koi-koi instead."""
    calls, theirs = calls_of(state, player)
    return state[HAND + player] != _ZERO and (
        rules.options[MAX_KOIKOI] < 0 or calls + theirs < rules.options[MAX_KOIKOI]
    )


@inlined
def call(rules, state, player):
    """Record a call of koi-koi."""
    state[CALLS + player] += _ONE
    state[LEVEL + player] = np.uint64(pile_points(rules, state[PILE + player], np.int64(state[CALLS + player])))


@inlined
def must_redeal(reasons, state):
    """Return whether hands and field must be dealt again for one of the reasons in a mask."""
    first, second, lying = count_months(state[HAND]), count_months(state[HAND + 1]), count_months(state[FIELD])
    again = reasons & FIELD_QUAD != 0 and lying & _FOURS != _ZERO
    again |= reasons & HAND_QUAD != 0 and (first | second) & _FOURS != _ZERO
    if reasons & (TEYAKU | ONE_TEYAKU) != 0:
        one, two = is_teyaku(first), is_teyaku(second)
        again |= (one or two) if reasons & TEYAKU != 0 else one != two
    again |= reasons & FIELD_TRIPLE != 0 and lying & (lying >> _S1) & _ONES != _ZERO
    return again or (reasons & FIELD_PAIRS != 0 and count_pairs(lying) == _FOUR)


@inlined
def is_teyaku(counts):
    """Return whether the cards of a hand, counted by month, are a teyaku."""
    return counts & _FOURS != _ZERO or count_pairs(counts) >= _FOUR


@inlined
def count_pairs(counts):
    """Return the number of months with two cards; 0 if a month has more."""
    if counts & (_FOURS | ((counts >> _S1) & _ONES)) != _ZERO:
        return _ZERO
    return count(counts & (_ONES << _S1))


@inlined
def count_months(cards):
    """Return the number of cards of each month, in the month's own four bits."""
    return cards - ((cards >> _S1) & _SEVENS) - ((cards >> _S2) & _THREES) - ((cards >> _S3) & _ONES)


@inlined
def shuffle(cards, size, first, last, stream):
    """Draw places `first`..`last` - 1 of the first `size` cards at random; return the stream."""
    for index in range(first, last):
        stream = step(stream)
        swapped = index + np.int64(below(mix(stream), size - index))
        cards[index], cards[swapped] = cards[swapped], cards[index]
    return stream


@inlined
def open_round(state, deck, hand=8, field=8):
    """Set a state to the first turn: the deck holds the dealer's hand, the other hand, the field."""
    state[:] = _ZERO
    for index in range(2 * hand + field):
        state[HAND if index < hand else HAND + 1 if index < 2 * hand else FIELD] |= bit(deck[index])
    state[PHASE], state[TURN] = np.uint64(PLAY), _ONE


@inlined
def deal_round(rules, state, deck, stream):
    """Shuffle and deal until no reason for a redeal is left; return the stream."""
    while True:
        stream = shuffle(deck, deck.shape[0], 0, 40, stream)
        open_round(state, deck)
        if not must_redeal(rules.options[REDEALS], state):
            return stream


# Single actions.


@inlined
def legal_actions(rules, state):
    """Return the legal actions of the player to move, as a mask of 0..49."""
    player = mover(state)
    if state[PHASE] == PLAY:
        return state[HAND + player]
    if state[PHASE] == KOI:
        return bit(STOP) | bit(CALL) if may_call(rules, state, player) else bit(STOP)
    return state[FIELD] & month(state[SHOWN])


@inlined
def settle_or_pick(state, player, card, pick):
    """Settle a card, or begin phase `pick` if it has two mates; return whether it is settled."""
    mates = state[FIELD] & month(card)
    if count(mates) == 2:
        state[PHASE], state[SHOWN] = np.uint64(pick), np.uint64(card)
        return False
    settle(state, player, bit(card), mates)
    return True


@inlined
def end_turn(rules, state, player):
    """Begin the decision to stop if the player to move may stop, otherwise the next turn."""
    if may_stop(rules, state, player):
        state[PHASE] = np.uint64(KOI)
    else:
        next_turn(rules, state)


@inlined
def next_turn(rules, state):
    """Begin the opponent's turn, or end the round by exhaustion."""
    if np.int64(state[TURN]) < rules.options[LAST_TURN]:
        state[TURN] += _ONE
        state[PHASE] = np.uint64(PLAY)
    else:
        state[PHASE], state[POINTS] = np.uint64(END), np.uint64(exhausted_points(rules, state))


@inlined
def draw_card(rules, state, stock, player):
    """Turn over the next card of the stock, if there is one, and play to the next choice."""
    drawn = np.int64(state[DRAWN])
    if drawn < stock.shape[0]:
        state[DRAWN] += _ONE
        if not settle_or_pick(state, player, stock[drawn], PICK_DRAW):
            return
    end_turn(rules, state, player)


@inlined
def act(rules, state, stock, action):
    """Play one action of the player to move, and draw the card that follows it."""
    player, phase = mover(state), state[PHASE]
    if phase == PLAY:
        state[HAND + player] &= ~bit(action)
        if settle_or_pick(state, player, action, PICK_HAND):
            draw_card(rules, state, stock, player)
    elif phase == PICK_HAND:
        settle(state, player, bit(state[SHOWN]), bit(action))
        draw_card(rules, state, stock, player)
    elif phase == PICK_DRAW:
        settle(state, player, bit(state[SHOWN]), bit(action))
        end_turn(rules, state, player)
    elif action == STOP:
        points = stop_points(rules, state, player)
        state[PHASE], state[POINTS] = np.uint64(END), np.uint64(points if player == 0 else -points)
    else:
        call(rules, state, player)
        next_turn(rules, state)


@kernel
def open_all(states, decks):
    """Set states `[G, WIDTH]` to their first turn with decks `[G, 48]`."""
    for game in range(states.shape[0]):
        open_round(states[game], decks[game])
