"""What everybody knows where somebody moves: public states, found from the views alone.

Infosets of a player belong together if another player could take one for the other, and so on in chains.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from tefuda.errors import GameError
from tefuda.forms.sequence import past_rows
from tefuda.forms.tree import Tree, states
from tefuda.games.answers import asking


def public_states(tree: Tree) -> np.ndarray:
    """`[I]` the public state of every infoset, numbered in the order of play; found once.

    Raises:
        GameError: the tree does not know its rules.
    """
    return tree.derived(_public_states)


def public_groups(tree: Tree, player: int) -> list[np.ndarray]:
    """The infosets of each public state of a player, in the order of play.

    Raises:
        GameError: the tree does not know its rules, or infosets of a public state have different actions.
    """
    mine = tree.infosets_of(player)
    state = public_states(tree)[mine]
    groups = [mine[state == one] for one in np.unique(state)]
    for group in groups:
        for number in group[1:].tolist():
            if tree.labels(number) != tree.labels(int(group[0])):
                names = f"{tree.name_of(int(group[0]))!r} and {tree.name_of(number)!r}"
                raise GameError(f"{tree.name}: {names} look the same to others but have different actions.")
    return groups


def _public_states(tree: Tree) -> np.ndarray:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    known, last, numbers = states(tree), past_rows(tree), dict[Hashable, int]()
    infosets, seen = list[int](), list[int]()
    with asking(tree.rules):
        for node in np.flatnonzero(tree.infoset >= 0).tolist():
            mover, infoset = int(tree.player[node]), int(tree.infoset[node])
            for other in range(tree.players):
                if other != mover:  # views of those who do not move may lack what they did last
                    key = mover, other, tree.rules.view(known[node], other), int(last[node, other])
                    infosets.append(infoset)
                    seen.append(tree.infosets + numbers.setdefault(key, len(numbers)))
    size = tree.infosets + len(numbers)
    labels = connected_components(coo_array((np.ones(len(seen)), (infosets, seen)), (size, size)), False)[1]
    _, first, place = np.unique(labels[: tree.infosets], return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]
