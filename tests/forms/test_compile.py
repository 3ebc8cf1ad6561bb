"""Compiling rules to a tree: sizes, payoffs by hand, and invariants of every tree."""

import numpy as np
import pytest

import tefuda as td
from tefuda.forms import compile as compiling
from tests.conftest import compiled, rules

SIZES = [  # histories with one chance node for all private cards; terminals; infosets
    ("rps", {}, 13, 9, 2),
    ("kuhn", {}, 55, 30, 12),
    ("kuhn", {"players": 3}, 601, 312, 48),
    ("leduc", {}, 1936, 1116, 288),
    ("leduc", {"distinct_suits": True}, 9451, 5520, 936),
    ("leduc", {"ranks": 2, "cap": 1}, 199, 98, 56),
    ("leduc", {"players": 3}, 223_861, 126_996, 7428),
]


@pytest.mark.parametrize("name, parameters, histories, terminals, infosets", SIZES)
def test_sizes(name, parameters, histories, terminals, infosets):
    """Sizes agree with the engine page's table."""
    tree = compiled(name, **parameters)
    assert (len(tree.player), len(tree.terminals), tree.infosets) == (histories, terminals, infosets)


def test_kuhn_tree_and_payoffs():
    """1 chance, 24 decision and 30 terminal histories, 6 deals of 1/6, and all payoffs by the rule."""
    tree = compiled("kuhn")
    assert [(tree.player == kind).sum() for kind in (-1, -2)] == [1, 30] and (tree.player >= 0).sum() == 24
    assert np.array_equal(tree.chance[1:7], np.full(6, 1 / 6)) and np.all(tree.action_counts == 2)
    assert np.bincount(tree.infoset_player).tolist() == [6, 6]
    for node, payoffs in zip(tree.terminals, tree.payoffs, strict=True):
        (mine, theirs), *moves = tree.history(node)
        sign = 1 if "JQK".index(mine) > "JQK".index(theirs) else -1
        expected = {"pp": sign, "bp": 1, "pbp": -1, "bb": 2 * sign, "pbb": 2 * sign}["".join(moves)]
        assert payoffs.tolist() == [expected, -expected]


@pytest.mark.parametrize("name", ["rps", "kuhn", "leduc", "nonlocal"])
def test_structure(name):
    """Histories are prefix-closed; an infoset's actions are constant; chances sum to 1."""
    tree = compiled(name)
    nodes = np.arange(1, len(tree.player))
    assert np.all(tree.parent[nodes] < nodes)
    assert np.array_equal(tree.infoset >= 0, tree.player >= 0)
    decisions = np.flatnonzero(tree.player >= 0)
    assert np.array_equal(tree.infoset_player[tree.infoset[decisions]], tree.player[decisions])
    assert np.array_equal(tree.action_counts[tree.infoset[decisions]], tree.child_count[decisions])
    for node in np.flatnonzero(tree.player == -1):
        first = tree.first_child[node]
        assert tree.chance[first : first + tree.child_count[node]].sum() == pytest.approx(1, abs=1e-12)


def test_progress_counts_histories(monkeypatch):
    """Progress reports rising numbers of histories, at most the 1,936 of Leduc."""
    monkeypatch.setattr(compiling, "_REPORT_EVERY", 500)
    reports = []
    tree = td.compile_game(rules("leduc"), progress=reports.append)
    assert (
        reports == sorted(set(reports))
        and len(reports) == 3
        and reports[0] >= 500
        and reports[-1] <= len(tree.player) == 1936
    )
