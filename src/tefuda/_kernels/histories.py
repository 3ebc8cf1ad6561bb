"""Arrays of a tree for traversals that visit a few of its histories."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels import draw
from tefuda._kernels.jit import inlined

END, CHANCE, FIRST_PLAYER = 0, 1, 2


class Histories(NamedTuple):
    """The arrays of a game.

    nodes: `[N, 4]` uint32: the mover (END, CHANCE or FIRST_PLAYER + player), the first child, the first infoset-action
    pair (at the end: the number of the terminal), the number of children.
    cumulative: `[N]` chance probability of a child and the siblings before it.
    payoffs: `[Z, P]`.
    deal: `[outcomes]` cumulative probabilities to draw the root's outcomes by, or empty.
    """

    nodes: np.ndarray
    cumulative: np.ndarray
    payoffs: np.ndarray
    deal: np.ndarray


@inlined
def outcome_probability(cumulative, first, a):
    """Return the probability of outcome a of a chance node."""
    return cumulative[first + a] - (cumulative[first + a - 1] if a > 0 else 0.0)


@inlined
def record(nodes, node):
    """Return the columns of `Histories.nodes` for a history."""
    return nodes[node, 0], np.int64(nodes[node, 1]), np.int64(nodes[node, 2]), np.int64(nodes[node, 3])


@inlined
def visit(histories, node, state):
    """Return the record of a history before the end, the next random state, and its number in [0, 1)."""
    state = draw.step(state)
    return *record(histories.nodes, node), state, draw.uniform(state)
