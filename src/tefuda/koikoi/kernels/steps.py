"""Many rounds of Koi-Koi: stepped side by side for learners, and played by simple agents of a match.

A round is a world `[WIDTH]` with its deck `[48]` uint8. Players choose only where they have a choice.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.rounds import act, deal_round, options, score
from tefuda.koikoi.kernels.simple import RANDOM, simple_choice, single
from tefuda.koikoi.kernels.world import (
    CALL,
    DRAWN,
    END,
    KOI,
    LEVEL,
    PHASE,
    PICK_DRAW,
    PICK_HAND,
    SHOWN,
    TURN,
    bit,
    calls_of,
    mover,
    sight,
)

DEALT = 24
#: Inputs: the place of each card (own hand, field, own pile, other pile, shown), then numbers.
CARDS, NUMBERS = 5 * 48, 9
INPUTS = CARDS + NUMBERS
#: The most choices of a player in a round (8 cards, 16 of two mates, 8 calls), and the most labels behind the deal.
CHOICES, STEPS = 32, 80
_ONE = np.uint64(1)


@inlined
def go_on(values, world, stock):
    """Do forced actions."""
    while world[PHASE] != END:
        may = options(values, world)
        if count(may) > 1:
            return
        act(values, world, stock, np.int64(lowest(may)))


@kernel
def deal_all(values, worlds, decks, state):
    """Deal rounds `[G, WIDTH]` from decks `[G, 48]`, which are shuffled."""
    for game in range(worlds.shape[0]):
        state = deal_round(values, worlds[game], decks[game], state)


@kernel
def step_all(values, worlds, decks, actions):
    """Do an action in each round, and the forced ones behind it."""
    for game in range(worlds.shape[0]):
        act(values, worlds[game], decks[game, DEALT:], actions[game])
        go_on(values, worlds[game], decks[game, DEALT:])


@kernel
def legal_all(values, worlds, legal):
    """Fill `legal` `[G, 50]` bool with the actions of the player in turn; none where a round is over."""
    for game in range(worlds.shape[0]):
        may = np.uint64(0) if worlds[game, PHASE] == END else options(values, worlds[game])
        for action in range(legal.shape[1]):
            legal[game, action] = (may >> np.uint64(action)) & _ONE != 0


@kernel
def observe_all(values, worlds, seen):
    """Fill `seen` `[G, P, INPUTS]` float32 with what both players see, or the one in turn if P is 1.

    All is 0 where a round is over.
    """
    for game in range(worlds.shape[0]):
        seen[game] = 0.0
        if worlds[game, PHASE] != END:
            for place in range(seen.shape[1]):
                player = mover(worlds[game]) if seen.shape[1] == 1 else place
                observe(values, worlds[game], player, seen[game, place])


@inlined
def observe(values, world, player, row):
    """Fill in what a player sees: cards, turns left, the phase, calls, points of both, points of stopping."""
    at, picking = sight(world, player), world[PHASE] == PICK_HAND or world[PHASE] == PICK_DRAW
    calls, theirs = calls_of(world, player)
    places = (at.hand, at.field, at.own, at.other, bit(world[SHOWN]) if picking else np.uint64(0))
    for place in range(5):
        for card in range(48):
            row[48 * place + card] = np.float32((places[place] >> np.uint64(card)) & _ONE)
    row[CARDS] = (17 - np.int64(world[TURN])) / 16
    row[CARDS + 1], row[CARDS + 2] = world[PHASE] == PICK_HAND, world[PHASE] == PICK_DRAW
    row[CARDS + 3], row[CARDS + 4], row[CARDS + 5] = world[PHASE] == KOI, calls, theirs
    row[CARDS + 6], row[CARDS + 7] = np.int64(world[LEVEL + player]) / 10, np.int64(world[LEVEL + 1 - player]) / 10
    row[CARDS + 8] = score(values, at.own, calls, theirs) / 10


@kernel
def again(values, worlds, decks, acts, lengths, found):
    """Play rounds again from decks by actions `[G, A]`; fill `found` `[G]` with whether all actions are legal."""
    for game in range(worlds.shape[0]):
        world, found[game] = worlds[game], True
        for place in range(lengths[game]):
            action = np.int64(acts[game, place])
            if world[PHASE] == END or action > CALL or not (options(values, world) >> np.uint64(action)) & _ONE:
                found[game] = False
                break
            act(values, world, decks[game, DEALT:], action)
            go_on(values, world, decks[game, DEALT:])


@inlined
def wanted(values, kind, world, player, allowed, point):
    """Return the action of an agent as its class chooses it: `RandomAgent`, `GreedyAgent`."""
    if kind == RANDOM:
        for _ in range(np.int64(point * count(allowed))):
            allowed &= allowed - _ONE
        return np.int64(lowest(allowed))
    action, taken = simple_choice(values, kind, world, player, _ONE)
    return single(world, action, taken)


@kernel
def play_all(values, kinds, worlds, stocks, points, labels):
    """Play worlds `[G, WIDTH]` with stocks `[G, S]` to their ends by simple agents.

    Args:
        values: the rules.
        kinds: `[2]` RANDOM or GREEDY, by seat.
        worlds: left at their ends.
        stocks: uint8, in the order of drawing.
        points: `[G, 2, CHOICES]` the numbers in [0, 1) of each seat, one for each choice between several actions.
        labels: `[G, STEPS]` int8 of -1, filled with actions and drawn cards.
    """
    used = np.zeros(2, dtype=np.int64)
    for game in range(worlds.shape[0]):
        world, stock, done = worlds[game], stocks[game], 0
        used[:] = 0
        while world[PHASE] != END:
            player, allowed, drawn = mover(world), options(values, world), world[DRAWN]
            action = np.int64(lowest(allowed))
            if count(allowed) > 1:  # forced actions use no luck
                action = wanted(values, kinds[player], world, player, allowed, points[game, player, used[player]])
                used[player] += 1
            act(values, world, stock, action)
            labels[game, done] = action
            done += 1
            if world[DRAWN] != drawn:
                labels[game, done] = stock[drawn]
                done += 1
