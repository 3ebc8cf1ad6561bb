"""The share of the pot that a hand wins from random hands, by sampling these and the rest of the board."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import below
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import kernel
from tefuda.holdem.kernels.rank import evaluate


@kernel
def share(own, board, left, missing, opponents, samples, state):
    """Return the mean share; `own` and `board` are sets, `left` `[N]` the cards of the deck, each a set of one."""
    total = 0.0
    for _ in range(samples):
        table, best, ties = board, 0, 1
        for place in range(missing + 2 * opponents):
            state = step(state)
            other = place + np.int64(below(mix(state), left.shape[0] - place))
            left[place], left[other] = left[other], left[place]
        for place in range(missing):
            table |= left[place]
        mine = evaluate(own | table)
        for place in range(missing, missing + 2 * opponents, 2):
            theirs = evaluate(left[place] | left[place + 1] | table)
            best = max(best, theirs)
            ties += theirs == mine
        if mine >= best:
            total += 1.0 / ties
    return total / samples
