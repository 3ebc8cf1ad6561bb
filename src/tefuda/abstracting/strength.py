"""Strengths of infosets, computed from the tree alone.

A strength is the value under uniform play. Uniform actions carry no information about private cards. The strength of a
hand therefore depends only on the cards, up to a linear map that is the same for all hands after the same betting.

Dimension letters: I infosets, N histories, Q quantiles.
"""

from __future__ import annotations

import numpy as np

from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import counterfactual, own_reach
from tefuda.forms.arrays import derived
from tefuda.forms.paths import along_paths
from tefuda.forms.public import public_states
from tefuda.forms.sequence import action_paths, last_rows
from tefuda.forms.tree import Tree
from tefuda.games.protocol import CHANCE

#: Groups in which infosets are compared: equal public actions, or equal public actions and cards.
APART = ("actions", "public states")
_QUANTILES = 32


@derived
def strengths(tree: Tree) -> np.ndarray:
    """Return the expected payoff `[I]` of each infoset's owner under uniform play, in the game's unit.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> [round(float(strengths(tree)[tree.number(f"0: {card}|")]), 3) for card in "JQK"]
    [-0.875, 0.125, 1.125]
    """
    weight = weights(tree)
    value = counterfactual(Profile.uniform(tree)).infosets
    return np.divide(value, weight, out=np.zeros(tree.infosets), where=weight > 0)


@derived
def weights(tree: Tree) -> np.ndarray:
    """Return the counterfactual reach `[I]` of each infoset under uniform play."""
    return own_reach(Profile.uniform(tree))


@derived
def chance_moves(tree: Tree) -> np.ndarray:
    """Return the round `[I]` of each infoset, from 0; a move of chance starts a new round."""
    moves = along_paths(tree, (tree.player == CHANCE).astype(np.int64))
    return np.unique(moves[tree.first_history], return_inverse=True)[1]


@derived
def comparison_groups(tree: Tree, apart: str) -> np.ndarray:
    """Return the comparison group `[I]` of each infoset; a group has one player and equal legal actions.

    Args:
        tree: the game.
        apart: ``"public states"``: a group has equal public information; ``"actions"``: moves of chance are ignored,
            so hands on all boards are compared.

    Raises:
        GameError: the tree does not know its rules.
    """
    state = public_states(tree)
    if apart == "actions":
        state = _join_states(tree, state)
    kind = np.stack([state, tree.infoset_player, tree.infoset_labels])
    return np.unique(kind, axis=1, return_inverse=True)[1].ravel()


def _join_states(tree: Tree, state: np.ndarray) -> np.ndarray:
    """Merge public states `[I]` that have histories with the same actions of all players."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    path = action_paths(tree)
    nodes = np.flatnonzero(tree.infoset >= 0)
    count = int(state.max(initial=-1)) + 1
    links = (np.ones(len(nodes)), (state[tree.infoset[nodes]], count + path[nodes]))
    size = count + int(path.max()) + 1
    return connected_components(coo_array(links, (size, size)), False)[1][state]


@derived
def relative_strengths(tree: Tree, apart: str) -> np.ndarray:
    """Return strengths `[I]` scaled to each group: 0 is its weakest infoset, 1 its strongest."""
    group, strength = comparison_groups(tree, apart), strengths(tree)
    low, high = np.full((2, group.max(initial=-1) + 1), np.inf) * np.array([[1.0], [-1.0]])
    np.minimum.at(low, group, strength)
    np.maximum.at(high, group, strength)
    spread = (high - low)[group]
    return np.divide(strength - low[group], spread, out=np.zeros(tree.infosets), where=spread > 0).round(9)


@derived
def futures(tree: Tree, apart: str) -> np.ndarray:
    """Return quantiles `[I, Q]` of the relative strength after the next move of chance.

    The Euclidean distance of two rows is the earth mover's distance of second order, which suits k-means.
    """
    level, weight, moves = relative_strengths(tree, apart), weights(tree), chance_moves(tree)
    parent = last_rows(tree)[1]
    before = np.where(parent >= 0, tree.infoset_of_row[parent], -1)
    later: list[list[int]] = [[] for _ in range(tree.infosets)]
    for infoset_ in range(tree.infosets):
        if (infoset := int(before[infoset_])) >= 0 and moves[infoset] < moves[infoset_]:
            stage = moves[infoset]
            while infoset >= 0 and moves[infoset] == stage:  # all of the stage before, back to where it began
                later[infoset].append(infoset_)
                infoset = int(before[infoset])
    compared = [members or [infoset] for infoset, members in enumerate(later)]
    return np.stack([_quantiles(level[members], weight[members]) for members in compared])


def _quantiles(values: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Return the quantiles `[Q]` of a distribution, at the centres of Q equal parts."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(masses[order])
    if total[-1] <= 0:
        return np.full(_QUANTILES, values.mean())
    positions = (np.arange(_QUANTILES) + 0.5) / _QUANTILES * total[-1]
    return values[order][np.minimum(np.searchsorted(total, positions), len(values) - 1)]
