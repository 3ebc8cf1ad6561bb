"""The sequence form: sequence numbers beyond one word, and infosets without a history."""

from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.blocks import groups_of_equal
from tests.conftest import compiled


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
    with pytest.raises(td.GameError, match="nowhere"):
        td.sequence_form(empty)
