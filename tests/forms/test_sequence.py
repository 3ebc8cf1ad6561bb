"""The sequence form: sequence numbers beyond one word, and infosets without a history."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.blocks import groups_of_equal
from tefuda.forms.sequence import _depths, _pasts, _public_labels, action_paths, chance_reach
from tefuda.games.protocol import CHANCE, TERMINAL
from tests.conftest import compiled
from tests.edge_games import FewDecide


def test_sequences_too_many_to_pack():
    """Numbers beyond 64 bits are sorted by columns: 2^31 times 2^33 would overflow to 0."""
    rows = np.array([[0, 5], [2**31, 5], [0, 5]])
    order, starts = groups_of_equal(rows, np.array([0, 2**33]))
    assert (order.tolist(), starts.tolist()) == ([0, 2, 1], [0, 2])


def test_an_infoset_without_a_history_is_refused():
    """Its parent sequence does not exist, and a placeholder could be used as an index."""
    tree = compiled("kuhn")
    empty = replace(
        tree, keys=(*tree.keys, "nowhere"), infoset_player=np.append(tree.infoset_player, np.int8(1)),
        infoset_labels=np.append(tree.infoset_labels, tree.infoset_labels[-1:]),
        first_row=np.append(tree.first_row, tree.first_row[-1:] + 2),
    )  # fmt: skip
    with pytest.raises(td.errors.GameError, match="nowhere"):
        td.forms.sequence_form(empty)


def slow_pasts(tree):
    """The last row of each player at each history, and the first one that breaks perfect recall."""
    last, parent, bad = np.full((len(tree.player), tree.players), -1), {}, -1
    for node in range(len(tree.player)):
        mover, number = int(tree.player[node]), int(tree.infoset[node])
        if mover >= 0 and parent.setdefault(number, last[node, mover]) != last[node, mover] and bad < 0:
            bad = node
        for action in range(tree.child_count[node]):
            child = tree.first_child[node] + action
            last[child] = last[node]
            if mover >= 0:
                last[child, mover] = tree.first_row[number] + action
    return last, [parent.get(number, -2) for number in range(tree.infosets)], bad


def slow_labels(tree):
    """The smallest infoset of each component of infosets that follow one row, or precede one infoset."""
    labels = list(range(tree.infosets))
    moves = [
        (int(tree.infoset[parent]), int(node - tree.first_child[parent]), int(tree.infoset[node]))
        for node, parent in enumerate(tree.parent)
        if node and tree.infoset[node] >= 0 <= tree.infoset[parent] and tree.player[node] != tree.player[parent]
    ]
    pairs = [(a[2], b[2]) for a in moves for b in moves if a[:2] == b[:2]]
    pairs += [(a[0], b[0]) for a in moves for b in moves if a[2] == b[2]]
    for _ in labels:
        for one, two in pairs:
            labels[one] = labels[two] = min(labels[one], labels[two])
    return labels


class Waits(FewDecide):
    """Player 0 moves twice, player 1 once; where chance says "on", it moves again between them."""

    name = "waits"

    def player(self, state):
        order = (CHANCE, 0, 0, 1, TERMINAL) if state[:1] == ("over",) else (CHANCE, 0, CHANCE, 0, 1, TERMINAL)
        return order[len(state)]


@pytest.mark.parametrize("seed", range(11))
def test_loops_by_levels_equal_plain_loops(seed):
    """Random games, and one with action paths of two lengths."""
    tree = compiled("sampled", seed=seed, players=1 + seed % 5) if seed < 10 else td.compile_game(Waits("waits"))
    last, parent, bad = slow_pasts(tree)
    ours = _pasts(tree)
    assert np.array_equal(ours[0], last) and ours[1].tolist() == parent and ours[2] == bad
    assert _public_labels(tree).tolist() == slow_labels(tree)
    paths, actions = action_paths(tree), [()]
    for node, above in enumerate(tree.parent[1:].tolist(), 1):
        move = (node - int(tree.first_child[above]),) if tree.player[above] >= 0 else ()
        actions.append(actions[above] + move)
    decisions = np.flatnonzero(tree.infoset >= 0).tolist()
    assert len({(actions[node], paths[node]) for node in decisions}) == len({actions[node] for node in decisions})
    assert len({paths[node] for node in decisions}) == len({actions[node] for node in decisions})
    depth, rows = _depths(tree, np.array(parent)), tree.infoset_of_row
    assert depth.tolist() == [0 if row < 0 else 1 + depth[rows[row]] for row in parent]
    reach = chance_reach(tree)
    assert reach[0] == 1 and np.array_equal(reach[1:], reach[tree.parent[1:]] * tree.chance[1:])


def test_imperfect_recall_is_found_at_its_first_history():
    """Any two infosets of kuhn that become one are refused at the first history in the order of the tree."""
    tree, found = compiled("kuhn"), set()
    for one, two in itertools.combinations(range(tree.infosets), 2):
        merged = replace(tree, infoset=np.where(tree.infoset == two, one, tree.infoset))
        found.add(slow_pasts(merged)[2])
        assert _pasts(merged)[2] == slow_pasts(merged)[2]
    assert len(found) > 2
