"""Public states: histories that no player's information separates."""

from collections import defaultdict

import numpy as np

from tefuda.forms.public import public_states
from tefuda.forms.tree import states


def test_public_states_are_indistinguishable_infosets(tree):
    """Histories of equal length that some player cannot distinguish share a public state, transitively."""
    known, chosen, first = states(tree), list(range(len(tree.player))), {}

    def top(node):
        while chosen[node] != node:
            node = chosen[node]
        return node

    for node in np.flatnonzero(tree.infoset >= 0).tolist():
        for player in range(tree.players):
            twin = first.setdefault((int(tree.depth[node]), player, tree.game.view(known[node], player)), node)
            chosen[top(node)] = top(twin)
    groups = defaultdict(set)
    for node in np.flatnonzero(tree.infoset >= 0).tolist():
        groups[top(node)].add(int(public_states(tree)[tree.infoset[node]]))
    assert sorted(number for group in groups.values() for number in group) == list(range(len(groups)))
    assert list(dict.fromkeys(public_states(tree).tolist())) == list(range(len(groups)))  # in the order of play
