"""A tree as sampling traversals read it: a record per history, and cumulative probabilities."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.histories import Histories
from tefuda.errors import GameError, ParameterError
from tefuda.forms.paths import require_distinct_visits
from tefuda.forms.sequence import has_perfect_recall
from tefuda.forms.tree import Tree
from tefuda.games.protocol import CHANCE

_MOST = 1 << 32  # histories; records store their numbers as uint32


def traversal_histories(tree: Tree, deal: tuple[float, ...] = ()) -> Histories:
    """Return a tree as sampling traversals read it, cached.

    deal: probabilities of the root's outcomes; empty: the game's own.

    Raises:
        ParameterError: probabilities that do not fit the root.
        GameError: an infoset comes twice in a history, or there are more than 2^32 histories.
    """
    return tree.derived(_traversal_histories, tuple(deal))


def _traversal_histories(tree: Tree, deal: tuple[float, ...]) -> Histories:
    count = len(tree.player)
    if not has_perfect_recall(tree):
        require_distinct_visits(tree)
    if count >= _MOST:
        raise GameError(f"{tree.name} has {count:,} histories; traversals support at most 2^32.")
    if deal and (tree.player[0] != CHANCE or len(deal) != tree.child_count[0]):
        raise ParameterError(
            f"deal has {len(deal)} probabilities, but the root of {tree.name} is not a chance node "
            "with as many outcomes."
        )
    nodes = np.zeros((count, 4), dtype=np.uint32)
    nodes[:, 0] = tree.player + 2  # END 0, CHANCE 1, players from 2 on
    nodes[:, 1], nodes[:, 3] = tree.first_child, tree.child_count
    decisions = np.flatnonzero(tree.infoset >= 0)
    nodes[decisions, 2] = tree.first_row[tree.infoset[decisions]]
    nodes[tree.terminals, 2] = np.arange(len(tree.terminals))
    payoffs = np.array(tree.payoffs)
    return Histories(nodes, cumulative_probabilities(tree), payoffs, np.cumsum(np.array(deal, dtype=np.float64)))


def cumulative_probabilities(tree: Tree) -> np.ndarray:
    """Return `[N]` the probability of a chance outcome plus its earlier siblings', else 0."""
    cumulative = np.zeros(len(tree.player))
    for node in np.flatnonzero(tree.player == CHANCE).tolist():
        children = slice((here := tree.children(node)).start, here.stop)
        cumulative[children] = np.cumsum(chances := tree.chance[children])
        if chances[-1] == 0:  # never drawn, even if the sum is slightly below 1
            cumulative[children][np.flatnonzero(chances)[-1] :] = 1.0
    return cumulative


def longest_history(tree: Tree) -> int:
    """Return the number of moves of the longest history, chance moves included."""
    return int(tree.depth.max())
