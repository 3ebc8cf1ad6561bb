"""Public states, computed from the views alone.

Two infosets of a player are in one public state if another player cannot distinguish them; the relation
is extended transitively.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from tefuda.errors import GameError
from tefuda.forms.arrays import derived
from tefuda.forms.sequence import components, past_rows
from tefuda.forms.tree import Tree, states
from tefuda.games.answers import calling_rules, revealed_views
from tefuda.games.protocol import CHANCE


@derived
def public_states(tree: Tree) -> np.ndarray:
    """Return `[I]` the public state of every infoset, in the order of play (cached; needs rules)."""
    nodes = np.flatnonzero(tree.infoset >= 0)
    numbers = np.repeat(tree.infoset[nodes], tree.players), augmented_infosets(tree)[nodes].ravel()
    labels = connected_labels(*numbers, tree.infosets, int(numbers[1].max(initial=0)) + 1)[0]
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]


def public_groups(tree: Tree, player: int) -> list[np.ndarray]:
    """Return the infosets of each public state of a player, in the order of play.

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
                raise GameError(f"{tree.name}: {names} are in one public state but have different actions.")
    return groups


@derived
def augmented_infosets(tree: Tree) -> np.ndarray:
    """Return `[N, P]` the augmented infoset of each player at each decision, else -1.

    Cached; the tree must know its rules. The number identifies the player's view and last row, since the
    view of a player who does not move may lack its last action. Players, and decisions of different movers,
    have different numbers; the mover's is its infoset.
    """
    known, last, numbers = states(tree), past_rows(tree), dict[Hashable, int]()
    found = np.full((len(tree.player), tree.players), -1, dtype=np.int64)
    with calling_rules(tree.game):
        for node in np.flatnonzero(tree.infoset >= 0).tolist():
            mover = int(tree.player[node])
            for other in range(tree.players):
                if other != mover:
                    key = mover, other, tree.game.view(known[node], other), int(last[node, other])
                    found[node, other] = tree.infosets + numbers.setdefault(key, len(numbers))
            found[node, mover] = tree.infoset[node]
    found.setflags(write=False)
    return found


def connected_labels(ones: np.ndarray, others: np.ndarray, count: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels `[count]` and `[size]` of the connected components of the edges ones[k], others[k]."""
    labels = components(np.asarray(ones), count + np.asarray(others, dtype=np.int64), count + size)
    return labels[:count], labels[count:]


def indistinguishable(tree: Tree, node: int, player: int) -> list[int]:
    """Return the histories that a player cannot distinguish from a history, rising.

    The tree must know its rules. At decisions of any player they are an augmented infoset. At an end the player also
    knows the payoffs and the views that are shown. At chance the player knows the last decision before it, and its
    own action there.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> [tree.history(node) for node in indistinguishable(tree, tree.child(0, ("J", "Q")), 1)]
    [(('J', 'Q'),), (('K', 'Q'),)]
    """
    if tree.infoset[node] >= 0:
        known = augmented_infosets(tree)[:, player]
        return np.flatnonzero(known == known[node]).tolist()
    parent = int(tree.parent[node])
    if parent < 0:
        return [node]
    siblings = [
        child
        for before in indistinguishable(tree, parent, player)
        for child in tree.children(before)
        if tree.player[child] == tree.player[node]
        and (tree.player[parent] != player or child - tree.first_child[before] == node - tree.first_child[parent])
    ]
    if tree.player[node] == CHANCE:
        return siblings
    seen = _seen_at_end(tree, node, player)
    return [end for end in siblings if _seen_at_end(tree, end, player) == seen]


def _seen_at_end(tree: Tree, end: int, player: int) -> tuple[Hashable, ...]:
    """Return a player's information at an end: views, those of others if they are shown, and payoffs."""
    views, shown = revealed_views(tree.game, tree.state(end))
    seen = (view if other == player or shown[other] else None for other, view in enumerate(views))
    return *seen, tree.payoffs_at(end)
