"""Strengths of infosets, from the tree alone.

All players play uniformly: actions then carry no information about private cards, so that the strength of a hand
depends on the cards alone, up to a linear map that is the same for all hands after the same betting.
Dimension letters: I infosets, N histories, Q quantiles.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels import sequence as kernels
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import counterfactual, reach
from tefuda.forms.arrays import derived
from tefuda.forms.public import public_states
from tefuda.forms.sequence import last_rows
from tefuda.forms.tree import Tree
from tefuda.games.protocol import CHANCE

#: Groups that infosets are compared within: public states without the public cards, or with them.
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
    found = reach(Profile.uniform(tree))
    weight = np.zeros(tree.infosets)
    for player in range(tree.players):
        mine = np.flatnonzero(tree.player == player)
        weight += np.bincount(tree.infoset[mine], found.counterfactual(player)[mine], minlength=tree.infosets)
    return weight


@derived
def chance_moves(tree: Tree) -> np.ndarray:
    """Return the round `[I]` of each infoset, from 0: between moves of chance."""
    moves = np.zeros(len(tree.player), dtype=np.int64)
    for level in range(1, int(tree.depth.max()) + 1):
        nodes = np.flatnonzero(tree.depth == level)
        moves[nodes] = moves[tree.parent[nodes]] + (tree.player[tree.parent[nodes]] == CHANCE)
    return np.unique(moves[tree.first_history], return_inverse=True)[1]


@derived
def compared(tree: Tree, apart: str) -> np.ndarray:
    """Return the group `[I]` that each infoset is compared in: one owner, equal actions, and as `apart` says.

    ``"public states"``: equal public information. ``"actions"``: the same but for moves of chance, so that the hands on
    all boards are compared.

    Raises:
        GameError: the tree does not know its rules.
    """
    state = public_states(tree)
    if apart == "actions":
        state = _joined(tree, state)
    kind = np.stack([state, tree.infoset_player, tree.infoset_labels])
    return np.unique(kind, axis=1, return_inverse=True)[1].ravel()


def _joined(tree: Tree, state: np.ndarray) -> np.ndarray:
    """Join public states `[I]` that have histories with the same actions of all players."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    path, scratch = np.zeros((2, len(tree.player)), dtype=np.int32)
    kernels.number_action_paths(tree.player, tree.first_child, tree.child_count, path, scratch)
    nodes = np.flatnonzero(tree.infoset >= 0)
    count = int(state.max(initial=-1)) + 1
    links = (np.ones(len(nodes)), (state[tree.infoset[nodes]], count + path[nodes]))
    size = count + int(path.max()) + 1
    return connected_components(coo_array(links, (size, size)), False)[1][state]


@derived
def levels(tree: Tree, apart: str) -> np.ndarray:
    """Return strengths `[I]` from 0, the weakest of each group, to 1, the strongest."""
    group, strength = compared(tree, apart), strengths(tree)
    low, high = np.full((2, group.max(initial=-1) + 1), np.inf) * np.array([[1.0], [-1.0]])
    np.minimum.at(low, group, strength)
    np.maximum.at(high, group, strength)
    spread = (high - low)[group]
    return np.divide(strength - low[group], spread, out=np.zeros(tree.infosets), where=spread > 0).round(9)


@derived
def futures(tree: Tree, apart: str) -> np.ndarray:
    """Return quantiles `[I, Q]` of the level after the next move of chance.

    The Euclidean distance of two rows is the earth mover's distance of second order, as k-means assumes.
    """
    level, weight, moves = levels(tree, apart), weights(tree), chance_moves(tree)
    parent = last_rows(tree)[1]
    before = np.where(parent >= 0, tree.infoset_of_row[parent], -1)
    ahead: list[list[int]] = [[] for _ in range(tree.infosets)]
    for number in range(tree.infosets):
        if (one := int(before[number])) >= 0 and moves[one] < moves[number]:
            stage = moves[one]
            while one >= 0 and moves[one] == stage:  # all of the stage before, back to where it began
                ahead[one].append(number)
                one = int(before[one])
    return np.stack([_quantiles(level[to], weight[to]) for to in (seen or [n] for n, seen in enumerate(ahead))])


def _quantiles(values: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Return the quantiles `[Q]` of a distribution, at the middles of equal parts."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(masses[order])
    if total[-1] <= 0:
        return np.full(_QUANTILES, values.mean())
    at = (np.arange(_QUANTILES) + 0.5) / _QUANTILES * total[-1]
    return values[order][np.minimum(np.searchsorted(total, at), len(values) - 1)]
