"""The sequence form: sequences too many to pack into one word."""

import numpy as np

from tefuda.forms import sequence


def test_sequences_too_many_to_pack():
    """Where packed numbers would not fit 64 bits rows are sorted by columns: 2^31 times 2^33 would be 0."""
    rows = np.array([[0, 5], [2**31, 5], [0, 5]])
    order, starts = sequence._groups_of_equal(rows, np.array([0, 2**33]))
    assert (order.tolist(), starts.tolist()) == ([0, 2, 1], [0, 2])
