"""Rounds of Koi-Koi by simple agents of a match: each choice by its own point, everything done and drawn kept.

Each of the three compiled tables has a loop of its own, as luck comes otherwise: here a choice takes one point, in
`duel` players draw from one stream, in `match` luck depends on where the round stands. Simple play is that of `duel`.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.duel import simple
from tefuda.koikoi.kernels.rounds import DRAWN, END, PHASE, RANDOM, TURN, act, options

#: What a round can have at most: choices of a player (8 cards, 16 of two mates, 8 calls), labels behind the deal.
CHOICES, STEPS = 32, 80
_ONE = np.uint64(1)


@inlined
def wanted(values, kind, world, allowed, point):
    """Which of the allowed actions an agent does, as its class says: `RandomAgent`, `GreedyAgent`."""
    if kind == RANDOM:
        for _ in range(np.int64(point * count(allowed))):
            allowed &= allowed - _ONE
        return lowest(allowed)
    return np.uint64(simple(values, kind, world, _ONE))


@kernel
def play_all(values, kinds, worlds, stocks, points, labels):
    """Play worlds `[G, WIDTH]` with stocks `[G, S]` to their ends.

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
            player, allowed, drawn = np.int64(world[TURN] - _ONE) & 1, options(values, world), world[DRAWN]
            action = lowest(allowed)
            if count(allowed) > 1:  # what is forced takes no luck
                action = wanted(values, kinds[player], world, allowed, points[game, player, used[player]])
                used[player] += 1
            act(values, world, stock, np.int64(action))
            labels[game, done] = action
            done += 1
            if world[DRAWN] != drawn:
                labels[game, done] = stock[drawn]
                done += 1
