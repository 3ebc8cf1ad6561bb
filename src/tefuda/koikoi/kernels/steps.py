"""Rounds of Koi-Koi stepped side by side, for learners: nobody is asked where there is no choice.

A round is a world `[WIDTH]` with its deck `[48]` uint8. What is observed is what the player in turn sees, as numbers.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.rounds import (
    CALLS,
    END,
    FIELD,
    HAND,
    KOI,
    LEVEL,
    PHASE,
    PICK_DRAW,
    PICK_HAND,
    PILE,
    SHOWN,
    STOP,
    TURN,
    act,
    bit,
    deal_round,
    options,
    score,
)

DEALT = 24
#: Inputs: where each card lies (own hand, field, own pile, other's pile, shown), then numbers.
CARDS, NUMBERS = 5 * 48, 9
INPUTS = CARDS + NUMBERS
_ONE = np.uint64(1)


@inlined
def go_on(values, world, stock):
    """Do what is forced."""
    while world[PHASE] != END:
        may = options(values, world)
        if count(may) > 1:
            return
        act(values, world, stock, np.int64(lowest(may)))


@kernel
def deal_all(values, worlds, decks, state):
    """Deal rounds `[G, WIDTH]` from decks `[G, 48]`, which are shuffled."""
    for game in range(worlds.shape[0]):
        state, _ = deal_round(values, worlds[game], decks[game], state)


@kernel
def step_all(values, worlds, decks, actions):
    """An action in each round, and what is forced behind it."""
    for game in range(worlds.shape[0]):
        act(values, worlds[game], decks[game, DEALT:], actions[game])
        go_on(values, worlds[game], decks[game, DEALT:])


@kernel
def legal_all(values, worlds, legal):
    """Fill `legal` `[G, 50]` bool with what may be done; nothing where a round is over."""
    for game in range(worlds.shape[0]):
        may = np.uint64(0) if worlds[game, PHASE] == END else options(values, worlds[game])
        for action in range(legal.shape[1]):
            legal[game, action] = (may >> np.uint64(action)) & _ONE != 0


@kernel
def observe_mover(values, worlds, seen):
    """Fill `seen` `[G, INPUTS]` float32 with what the player in turn sees; 0 where a round is over."""
    for game in range(worlds.shape[0]):
        seen[game] = 0.0
        if worlds[game, PHASE] != END:
            observe(values, worlds[game], np.int64(worlds[game, TURN] - _ONE) & 1, seen[game])


@kernel
def observe_both(values, worlds, seen):
    """Fill `seen` `[G, 2, INPUTS]` float32 with what both players see; 0 where a round is over."""
    for game in range(worlds.shape[0]):
        seen[game] = 0.0
        if worlds[game, PHASE] != END:
            for player in range(2):
                observe(values, worlds[game], player, seen[game, player])


@inlined
def observe(values, world, player, row):
    """What a player sees: cards, turns left, the phase, calls, what both hold, what stopping brings."""
    picking = world[PHASE] == PICK_HAND or world[PHASE] == PICK_DRAW
    shown = bit(world[SHOWN]) if picking else np.uint64(0)
    places = (world[HAND + player], world[FIELD], world[PILE + player], world[PILE + 1 - player], shown)
    for place in range(5):
        for card in range(48):
            row[48 * place + card] = np.float32((places[place] >> np.uint64(card)) & _ONE)
    calls, theirs = np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player])
    row[CARDS] = (17 - np.int64(world[TURN])) / 16
    row[CARDS + 1], row[CARDS + 2] = world[PHASE] == PICK_HAND, world[PHASE] == PICK_DRAW
    row[CARDS + 3], row[CARDS + 4], row[CARDS + 5] = world[PHASE] == KOI, calls, theirs
    row[CARDS + 6], row[CARDS + 7] = np.int64(world[LEVEL + player]) / 10, np.int64(world[LEVEL + 1 - player]) / 10
    row[CARDS + 8] = score(values, world[PILE + player], calls, theirs) / 10


@kernel
def again(values, worlds, decks, acts, lengths, found):
    """Play rounds again from decks by actions `[G, A]`; fill `found` `[G]` with whether each may be done."""
    for game in range(worlds.shape[0]):
        world, found[game] = worlds[game], True
        for place in range(lengths[game]):
            action = np.int64(acts[game, place])
            if world[PHASE] == END or action > STOP + 1 or not (options(values, world) >> np.uint64(action)) & _ONE:
                found[game] = False
                break
            act(values, world, decks[game, DEALT:], action)
            go_on(values, world, decks[game, DEALT:])
