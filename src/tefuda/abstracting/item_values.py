"""Values of items at all betting nodes of a round, as features of buckets.

An *item* is all that chance has shown a player in a round: a hand, or a hand with a board. Its vector has values at
every node of the round where the player moves, under a warm-up profile. The idea is that of arXiv 2605.10900, whose
weights could not be read; nodes weigh equally here.

Dimension letters: I infosets, R rows, M items.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda.abstracting.strength import chance_moves, comparison_groups
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import action_values, counterfactual, reach
from tefuda.forms.arrays import derived, ranges
from tefuda.forms.paths import along_paths
from tefuda.forms.sequence import chance_reach, last_rows
from tefuda.forms.tree import Tree
from tefuda.games.protocol import CHANCE
from tefuda.solvers.runs.evaluators import NoEvaluation
from tefuda.solvers.runs.solving import solve

#: Values of a node: of each action if it is reached, of the infoset, of each action times the opponents' reach, of each
#: action less the infoset's, or of each action times the player's own reach.
FEATURES = ("action", "conditional", "counterfactual", "advantage", "reach")


class Items(NamedTuple):
    """The items of a tree."""

    item: np.ndarray  # [I] item of each infoset
    kind: np.ndarray  # [M, 2] round and owner
    mass: np.ndarray  # [M] probability by chance
    before: np.ndarray  # [M] an item of the round before, or -1


@derived
def items(tree: Tree) -> Items:
    """Return the items: infosets of one player and round whose histories have the same moves of chance."""
    moves, random = along_paths(tree, (tree.player == CHANCE).astype(np.int64)), np.random.default_rng(0)
    drawn = np.flatnonzero(tree.player[tree.parent] == CHANCE)
    drawn = drawn[tree.parent[drawn] >= 0]
    index, earlier = drawn - tree.first_child[tree.parent[drawn]], moves[tree.parent[drawn]]
    labels = np.zeros(len(tree.player), dtype=np.int64)
    labels[drawn] = random.integers(2**62, size=(moves.max() + 1, index.max(initial=0) + 1))[earlier, index]
    path = np.unique(along_paths(tree, labels), return_inverse=True)[1]
    nodes = np.flatnonzero(tree.infoset >= 0)
    pairs, first = np.unique(np.stack([tree.infoset[nodes], path[nodes]]), axis=1, return_index=True)
    key, mass = np.zeros(tree.infosets, dtype=np.int64), np.zeros(tree.infosets)
    np.add.at(key, pairs[0], random.integers(2**62, size=len(path))[pairs[1]])  # equal for equal sets of paths
    np.add.at(mass, pairs[0], chance_reach(tree)[nodes[first]])
    stage, parent = chance_moves(tree), last_rows(tree)[1]
    kinds, sample, item = np.unique(
        np.stack([stage, tree.infoset_player, key]), axis=1, return_index=True, return_inverse=True
    )
    item, above = item.ravel(), np.where(parent >= 0, tree.infoset_of_row[parent], -1)
    before = np.full(kinds.shape[1], -1)
    later = np.flatnonzero((above >= 0) & (stage[above] < stage))
    before[item[later]] = item[above[later]]
    return Items(item, kinds[:2].T, mass[sample], before)


@derived
def vectors(tree: Tree, warm_up: int, feature: str) -> np.ndarray:
    """Return `[M, .]` the values of each item at the nodes of its player; 0 where it has none.

    Args:
        tree: the game.
        warm_up: number of iterations of CFR whose average profile gives the values; 0: uniform play.
        feature: one of `FEATURES`.
    """
    profile = Profile.uniform(tree)
    if warm_up:
        profile = solve(tree, "cfr", iterations=warm_up, evaluator=NoEvaluation()).strategy
    owner, action = tree.infoset_of_row, ranges(np.zeros(tree.infosets), tree.action_counts)
    values, found = np.nan_to_num(action_values(profile)), items(tree)
    means = np.add.reduceat(profile.probabilities * values, tree.first_row[:-1])[owner]
    if feature == "conditional":
        values = np.where(action == 0, means, 0.0)
    elif feature == "counterfactual":
        values = counterfactual(profile).actions / found.mass[found.item[owner]]
    elif feature == "advantage":
        values = values - means
    elif feature == "reach":
        nodes = tree.first_history
        values = values * reach(profile).own[nodes, tree.infoset_player][owner]
    column = np.unique(np.stack([comparison_groups(tree, "actions")[owner], action]), axis=1, return_inverse=True)[1]
    table = np.zeros((len(found.mass), column.max() + 1))
    table[found.item[owner], column.ravel()] = values
    return table.round(9)
