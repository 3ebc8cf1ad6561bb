"""Ranges of numbers, one after another."""

import numpy as np

from tefuda.forms.arrays import ranges


def test_ranges():
    assert ranges(np.array([5, 0, 7]), np.array([2, 0, 3])).tolist() == [5, 6, 7, 8, 9]
    assert ranges(np.zeros(0, np.uint32), np.zeros(0, np.int8)).tolist() == []
    assert ranges(np.array([2**32 - 1], np.uint32), np.array([2], np.int16)).tolist() == [2**32 - 1, 2**32]
