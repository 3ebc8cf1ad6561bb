"""Padded forms beside the forms that they are made of, on games of every shape."""

import numpy as np
import pytest

import tefuda as td
from tefuda._kernels.lanes import HALF
from tefuda.forms.programs import gathered, padded, realised, responded
from tefuda.forms.sequence import choices_form
from tests.card_games import CASES, tree_of


@pytest.mark.parametrize("case", range(len(CASES)))
def test_padding_changes_no_bit(case):
    """All rows have the same utilities, plans and best responses; added sequences have 0."""
    tree = tree_of(case)
    for form in (td.forms.sequence_form(tree), choices_form(tree)):
        wide, random = padded(form), np.random.default_rng(case)
        for player in range(tree.players):
            g, wide_g = random.random(form.sequences), np.zeros(wide.sequences)
            wide_g[wide.sequence] = g[form.sequence]
            x, wide_x = realised(form, g), realised(wide, wide_g)
            assert np.array_equal(wide_x[wide.sequence], x[form.sequence])
            u, wide_u = gathered(form, player, x), gathered(wide, player, wide_x)
            assert np.array_equal(wide_u[wide.sequence], u[form.sequence])
            for ours, expected in zip(responded(wide, player, wide_u), responded(form, player, u), strict=True):
                assert np.array_equal(ours[wide.sequence], expected[form.sequence])
                assert ours[wide.span[player]] == expected[form.span[player]]
            added = np.delete(np.arange(wide.sequences), np.append(wide.sequence, wide.span[:-1]))
            assert not wide_x[added].any() and not wide_u[added].any()


@pytest.mark.parametrize("case", range(len(CASES)))
def test_groups_begin_and_end_at_cache_lines(case):
    """Added infosets have no number and follow sequences of the same player that no infoset of it follows."""
    form = td.forms.sequence_form(tree_of(case))
    wide = padded(form)
    assert not (wide.groups[:, [0, 1, 3]] % HALF).any() and not (wide.span % HALF).any()
    added = wide.infoset < 0
    assert np.array_equal(wide.infoset[~added], form.infoset)
    parents = set(wide.parent[added].tolist())
    assert not parents & set(wide.parent[~added].tolist()) and not parents & set(wide.sequence.tolist())
    for player in range(form.players):
        for start, m, _, _ in wide.groups[wide.group_span[player] : wide.group_span[player + 1]].tolist():
            own = wide.parent[start : start + m]
            assert own.min() >= wide.span[player] and own.max() < wide.span[player + 1]
