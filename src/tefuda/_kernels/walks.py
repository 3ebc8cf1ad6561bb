"""A tree as walks read it that visit a few of its histories."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels import draw
from tefuda._kernels.jit import inlined

END, CHANCE, FIRST_PLAYER = 0, 1, 2


class Histories(NamedTuple):
    """A game as walks read it.

    nodes: `[N, 4]` uint32: who moves (END, CHANCE, FIRST_PLAYER + player), the first child, the first row (at the end:
    which terminal), the number of children. cumulative: `[N]` the chance probability of a child and its elder siblings.
    payoffs: `[Z, P]`. deal: empty, or `[outcomes]` cumulative probabilities to draw the root's outcomes by.
    """

    nodes: np.ndarray
    cumulative: np.ndarray
    payoffs: np.ndarray
    deal: np.ndarray


@inlined
def share(cumulative, first, a):
    """The probability of outcome a of a chance node."""
    return cumulative[first + a] - (cumulative[first + a - 1] if a > 0 else 0.0)


@inlined
def record(nodes, node):
    """Who moves at a history, its first child, its first row (at the end: which terminal), how many children."""
    return nodes[node, 0], np.int64(nodes[node, 1]), np.int64(nodes[node, 2]), np.int64(nodes[node, 3])


@inlined
def meet(histories, node, state):
    """The record of a history that is no end, the next random state, and its number in [0, 1)."""
    state = draw.step(state)
    return *record(histories.nodes, node), state, draw.uniform(state)
