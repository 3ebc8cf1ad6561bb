"""The share of the pot that a hand wins from random hands, by sampling hands and boards."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import below
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import kernel
from tefuda.holdem.kernels.rank import evaluate


@kernel
def mean_share(own, board, deck, missing, opponents, samples, state):
    """Return the mean share of the pot.

    `own` and `board` are sets, `deck` `[N]` the other cards, each a set of one.
    """
    total = 0.0
    for _ in range(samples):
        full_board, best, ties = board, 0, 1
        for position in range(missing + 2 * opponents):
            state = step(state)
            index = position + np.int64(below(mix(state), deck.shape[0] - position))
            deck[position], deck[index] = deck[index], deck[position]
        for position in range(missing):
            full_board |= deck[position]
        own_strength = evaluate(own | full_board)
        for position in range(missing, missing + 2 * opponents, 2):
            opponent_strength = evaluate(deck[position] | deck[position + 1] | full_board)
            best = max(best, opponent_strength)
            ties += opponent_strength == own_strength
        if own_strength >= best:
            total += 1.0 / ties
    return total / samples
