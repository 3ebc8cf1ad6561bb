"""What networks see of an infoset: the game's own features if it has any, else one input for each infoset."""

from __future__ import annotations

from typing import Any

import numpy as np

from tefuda.errors import GameError
from tefuda.tree import Tree


def infoset_features(tree: Tree) -> np.ndarray:
    """`[I, F]` the features of every infoset, from the rules' ``features(state, player)`` where they have it.

    Raises:
        GameError: features that differ inside an infoset's game in length, or are not numbers.
    """
    features = getattr(tree.rules, "features", None)
    if features is None:
        return np.eye(tree.infosets)
    found: list[Any] = [None] * tree.infosets
    stack = [(0, tree.rules.root())]
    while stack:
        node, state = stack.pop()
        number = int(tree.infoset[node])
        if number >= 0 and found[number] is None:
            found[number] = tuple(map(float, features(state, int(tree.player[node]))))
        if tree.child_count[node]:
            labels = tree.label_sets[tree.label_set[node]]
            first = int(tree.first_child[node])
            stack += [(first + place, tree.rules.child(state, label)) for place, label in enumerate(labels)]
    if len({len(row) for row in found}) != 1:
        raise GameError(
            f"{tree.name}: features() gives {sorted({len(row) for row in found})} numbers; give always as many."
        )
    return np.array(found)
