"""Blocks of leaves beside plain sums over terminal histories, on random card games of every shape."""

import numpy as np
import pytest

import tefuda as td
from tefuda._kernels.lanes import HALF
from tefuda._kernels.sequence import HANDS
from tefuda.forms import blocks
from tefuda.forms.programs import Workspace, program
from tefuda.forms.sequence import chance_reach, last_rows, merge_leaves
from tests.card_games import CASES, Cards, tree_of
from tests.conftest import compiled


def sums(tree, x):
    """The utilities `[P, Q]` for opponents' reach x: terminal history by terminal history."""
    form = td.forms.sequence_form(tree)
    last, reach = last_rows(tree)[0][tree.terminals], chance_reach(tree)[tree.terminals]
    sequences = np.stack([np.append(form.sequence, form.span[p])[last[:, p]] for p in range(tree.players)], axis=1)
    plans = x[sequences]
    return np.stack([
        np.bincount(sequences[:, p], reach * tree.payoffs[:, p] * np.delete(plans, p, axis=1).prod(axis=1), len(x))
        for p in range(tree.players)
    ])  # fmt: skip


@pytest.mark.parametrize("case", range(len(CASES)))
def test_gathered_utilities_are_sums_over_histories(case):
    """Any reach gives the sums of the plain list, and only the player's sequences are written."""
    tree = tree_of(case)
    form = td.forms.sequence_form(tree)
    for seed in range(2):
        x = np.random.default_rng(seed).random(form.sequences)
        expected = sums(tree, x)
        for player in range(tree.players):
            work, own = Workspace(form, "x u"), form.own(player)
            work["x"][:], work["u"][:] = x, 7.0
            work.run(program(work.layout.gather(player)))
            u = work["u"]
            assert u[own] == pytest.approx(expected[player, own], rel=1e-12, abs=1e-12 * form.scale)
            assert np.all(np.delete(u, np.arange(own.start, own.stop)) == 7)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_leaves_are_the_merged_histories(case):
    """Blocks and lists together are the list that a form without blocks has."""
    tree = tree_of(case)
    form = td.forms.sequence_form(tree)
    last, reach = last_rows(tree)[0][tree.terminals], chance_reach(tree)[tree.terminals]
    sequences = np.stack([np.append(form.sequence, form.span[p])[last[:, p]] for p in range(tree.players)], axis=1)
    plain = merge_leaves(sequences, reach[:, None] * tree.payoffs, form.span)
    assert len(plain["leaf_value"]) == form.leaf_count
    for player in range(tree.players):
        leaves, span = form.leaves(player), slice(*plain["leaf_start"][form.span[player : player + 2]])
        other = plain["leaf_other"][span]
        others = plain["pairs"][other] if tree.players > 2 else other[:, None][:, : tree.players - 1]
        counts = np.diff(plain["leaf_start"])[form.own(player)]
        assert np.array_equal(leaves.own, np.repeat(np.arange(form.sequences)[form.own(player)], counts))
        assert np.array_equal(leaves.others, others)
        assert leaves.value == pytest.approx(plain["leaf_value"][span], rel=1e-12, abs=1e-12 * form.scale)


@pytest.mark.parametrize("shape, low, high", [
    ({}, 1, 1),
    ({"board": True}, 0.9, 1),
    ({"zero": 0.9}, 0, 0),
    ({"few": True}, 1, 1),
    ({"cards": 20, "special": True}, 0.9, 1),
    ({"players": 3, "cards": 5}, 0.9, 1),
    ({"players": 4, "cards": 4, "dice": True}, 0.5, 1),
    ({"cards": 3}, 0, 0),
])  # fmt: skip
def test_share_of_leaves_in_blocks(shape, low, high):
    """Dense ends are blocks; ends with too few leaves, or too few hands to fill a vector, are listed."""
    form = td.forms.sequence_form(td.compile_game(Cards(0, **shape)))
    assert low <= 1 - len(form.leaf_value) / form.leaf_count <= high


def test_a_block_has_the_hands_of_a_vector():
    assert HANDS == HALF


def test_blocks_of_leduc():
    """All 9,840 leaves are in 548 blocks; they share ten matrices, and the pots are factors."""
    form = td.forms.sequence_form(compiled("leduc", distinct_suits=True))
    assert (form.leaf_count, len(form.leaf_value), len(form.block_scale), len(form.block_matrix)) == (9840, 0, 548, 416)
    assert sorted(set(np.abs(form.block_scale).tolist())) == [1, 3, 5, 7, 9, 11, 13]


def test_a_payoff_of_its_own_has_its_own_matrix():
    """One special payoff must not share the matrix of the other ends, whatever its size."""
    forms = [td.forms.sequence_form(td.compile_game(Cards(6, special=special))) for special in (False, True)]
    assert len(forms[0].block_matrix) < len(forms[1].block_matrix)
    assert max(forms[1].leaves(0).value) > 500 / 30 > max(forms[0].leaves(0).value)


def test_equal_hashes_do_not_merge_matrices(monkeypatch):
    """With all multipliers 1, matrices with permuted entries have equal hashes."""
    ones = type("Ones", (), {"integers": lambda _, high, size: np.zeros(size, dtype=np.int64)})
    monkeypatch.setattr(np.random, "default_rng", lambda seed: ones())
    unit, scale = blocks._units(np.array([[4.0, 2, 1], [4, 1, 2], [-12, -6, -3]]))
    assert (unit.tolist(), scale.tolist()) == ([0, 1, 0], [1, 1, -3])


def test_runs_end_with_their_group():
    """Hands with other numbers of actions are a group of their own, also in one public state."""
    groups = np.array([[0, 3, 2, 0], [3, 2, 1, 6], [5, 1, 1, 8]])  # first infoset, infosets, actions, first sequence
    nodes = np.array([[4], [7], [7], [7], [7], [7]])
    first, size = blocks.runs_of(np.array([0, 9]), groups, nodes)
    assert first.tolist() == [0, 1, 1, 3, 4, 4, 6, 6, 8]
    assert size.tolist() == [1, 2, 2, 1, 2, 2, 2, 2, 1]
