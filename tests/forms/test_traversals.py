"""Traversals: their records, lengths and chance probabilities."""

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.simulate import cumulative_probabilities, traversal_histories
from tests.conftest import compiled


def test_traversal_records(tree):
    """Records hold the player, the children, the row or the payoffs; chances sum to 1."""
    found, sums = traversal_histories(tree), cumulative_probabilities(tree)
    assert traversal_histories(tree) is found and np.array_equal(found.nodes[:, 0], tree.player + 2)
    for node in range(0, len(tree.player), 5):
        mover, first, place, count = found.nodes[node].tolist()
        assert (first if count else 0, count) == (tree.first_child[node], tree.child_count[node])
        if mover >= 2:
            assert place == tree.rows_of(tree.infoset[node]).start
        elif mover == 0:
            assert tuple(found.payoffs[place]) == tree.payoffs_at(node)
        else:
            assert sums[tree.children(node)] == pytest.approx(np.cumsum(tree.chance[tree.children(node)]))
    dealt = traversal_histories(compiled("kuhn"), (0.5, 0.1, 0.1, 0.1, 0.1, 0.1))
    assert dealt.deal.tolist() == pytest.approx([0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    with pytest.raises(td.ParameterError, match="deal"):
        traversal_histories(compiled("kuhn"), (0.5, 0.5))
