"""Comparison of compiled trees, bit for bit."""

from dataclasses import fields

import numpy as np


def assert_same_tree(tree, expected):
    """Every field is equal; arrays have equal types and bits."""
    for one in fields(expected):
        value, wanted = getattr(tree, one.name), getattr(expected, one.name)
        if isinstance(wanted, np.ndarray):
            assert (value.dtype, value.shape) == (wanted.dtype, wanted.shape), one.name
            assert value.tobytes() == wanted.tobytes(), one.name
        else:
            assert value == wanted and repr(value) == repr(wanted), one.name
