"""Matches of Koi-Koi between simple players, players by tables and searchers: each deal in both seatings."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest, pick_bit
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import kernel
from tefuda._kernels.koikoi import (
    CALLS,
    END,
    FIELD,
    GREEDY,
    HAND,
    KOI,
    PHASE,
    PICK_DRAW,
    PICK_HAND,
    PILE,
    PLAY,
    POINTS,
    SHOWN,
    STOP,
    TURN,
    WIDTH,
    act,
    bit,
    deal_round,
    greedy_card,
    month,
    open_round,
    score,
    taken_by,
)  # fmt: skip
from tefuda._kernels.koikoi_search import (
    SEEN_CARD,
    SEEN_FIELD,
    SEEN_OTHER,
    SEEN_OWN,
    SEEN_PHASE,
    SEEN_TAKEN,
    evaluate,
)  # fmt: skip
from tefuda._kernels.koikoi_values import AFTER_TURN, choose_card, phase_of, settle_drawn, value

BY_TABLES, SEARCHER = 2, 3  # kinds of players, behind RANDOM and GREEDY
_ONE, _ZERO, _S32 = np.uint64(1), np.uint64(0), np.uint64(32)


@kernel
def phase_in(world, player):
    """The tables' phase for the player in turn."""
    left = np.int64(count(world[HAND + player])) - (1 if world[PHASE] == PLAY else 0)
    return phase_of(left, np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]))


@kernel
def simple_choice(values, worth, kind, world, player, random, found):
    """The action of a player without search, and what the card takes."""
    hand, own, other, field = world[HAND + player], world[PILE + player], world[PILE + 1 - player], world[FIELD]
    phase = phase_in(world, player)
    if world[PHASE] == PLAY:
        if kind == BY_TABLES:
            chosen, taken = choose_card(worth, phase, own, other, hand, field, 0.0, random, found)
            return np.int64(lowest(chosen)), taken
        card = np.int64(greedy_card(values, hand, field, own) if kind == GREEDY else lowest(pick_bit(hand, random)))
        return card, taken_by(values, kind, own, card, field & month(card), random >> _S32)
    if world[PHASE] == KOI:
        calls, theirs = np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player])
        if kind != BY_TABLES or hand == _ZERO or (0 <= values.options[4] <= calls + theirs):
            return np.int64(STOP), _ZERO
        again = phase_of(np.int64(count(hand)), calls + 1, theirs)
        call = value(worth, AFTER_TURN, again, own, other, hand, field, found) > score(values, own, calls, theirs)
        return np.int64(STOP + 1 if call else STOP), _ZERO
    card = np.int64(world[SHOWN])
    if kind == BY_TABLES:
        left, _ = settle_drawn(worth, phase, own, other, hand, field, card, found)
        return card, field & ~left
    return card, taken_by(values, kind, own, card, field & month(card), random)


@kernel
def look(world, player, known, unseen):
    """What a player knows of a world, and the cards it has not seen; return how many these are."""
    known[:] = world
    known[HAND + 1 - player] = _ZERO
    seen = world[HAND + player] | world[PILE] | world[PILE + 1] | world[FIELD]
    if world[PHASE] == PICK_HAND or world[PHASE] == PICK_DRAW:
        seen |= bit(world[SHOWN])
    size = 0
    for card in range(48):
        if not bit(card) & seen:
            unseen[size] = card
            size += 1
    return size


@kernel
def search_choice(values, worth, style, search, utility, world, player, past, room, known, unseen, state):
    """The action of a searcher, what the card takes, and the stream."""
    size = look(world, player, known, unseen)
    done = (np.int64(world[TURN]) + player) // 2 if player == 0 else np.int64(world[TURN]) // 2
    found, state = evaluate(
        values, worth, style, search, utility, known, past[1 - player, :done], unseen[:size], room, state
    )
    best = 0
    for place in range(1, found):
        if room.means[place] > room.means[best]:
            best = place
    return room.cards[best], room.takes[best], state


@kernel
def do(values, world, stock, player, action, taken, past):
    """Do what was chosen, with what it takes, and note a play for those who watch."""
    if world[PHASE] == KOI:
        act(values, world, stock, action)
    elif world[PHASE] == PLAY:
        row = past[player, (np.int64(world[TURN]) - 1) // 2]
        row[SEEN_FIELD], row[SEEN_OWN], row[SEEN_OTHER] = world[FIELD], world[PILE + player], world[PILE + 1 - player]
        row[SEEN_PHASE], row[SEEN_CARD], row[SEEN_TAKEN] = np.uint64(phase_in(world, player)), bit(action), taken
        act(values, world, stock, action)
        if world[PHASE] == PICK_HAND:
            act(values, world, stock, np.int64(lowest(taken)))
    else:
        act(values, world, stock, np.int64(lowest(taken)))


@kernel
def duel(values, worth, style, searches, kinds, utility, room, deals, luck, won):
    """Fill `won` `[deals, 2]` with the points of player 0 as dealer and as the other; return the searched decisions.

    kinds: `[2]` of the players, searcher k as SEARCHER + k. deals, luck: the streams of cards and of choices.
    """
    deck, unseen = np.arange(48).astype(np.uint8), np.zeros(48, dtype=np.uint8)
    world, known = np.zeros(WIDTH, dtype=np.uint64), np.zeros(WIDTH, dtype=np.uint64)
    past, searched, state = np.zeros((2, 8, 6), dtype=np.uint64), 0, luck
    for deal in range(won.shape[0]):
        deals, _ = deal_round(values, world, deck, deals)
        for seating in range(2):
            open_round(world, deck)
            while world[PHASE] != END:
                player = np.int64(world[TURN] - _ONE) & 1
                kind = kinds[player ^ seating]
                forced = world[PHASE] == KOI and world[HAND + player] == _ZERO
                if kind >= SEARCHER and not forced:
                    action, taken, state = search_choice(
                        values, worth, style, searches[kind - SEARCHER], utility, world, player, past, room, known,
                        unseen, state,
                    )  # fmt: skip
                    searched += 1
                else:
                    state = step(state)
                    action, taken = simple_choice(values, worth, kind, world, player, mix(state), room.found)
                do(values, world, deck[24:], player, action, taken, past)
            points = np.int64(world[POINTS])
            won[deal, seating] = points if seating == 0 else -points
    return searched
