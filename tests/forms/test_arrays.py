"""Concatenated ranges, and arrays with their declared shapes and types."""

import inspect
import re

import numpy as np

import tefuda as td
from tefuda.forms.arrays import ranges


def test_ranges():
    assert ranges(np.array([5, 0, 7]), np.array([2, 0, 3])).tolist() == [5, 6, 7, 8, 9]
    assert ranges(np.zeros(0, np.uint32), np.zeros(0, np.int8)).tolist() == []
    assert ranges(np.array([2**32 - 1], np.uint32), np.array([2], np.int16)).tolist() == [2**32 - 1, 2**32]


def test_arrays_have_their_declared_types(tree):
    """A field declared `[N] int8` has that type, and N is the same for all fields that name it."""
    for form, count in ((tree, 12), (td.forms.sequence_form(tree), 17)):
        declared = re.findall(r"(\w+): np\.ndarray  # \[(.+)\] (\w+)", inspect.getsource(type(form)))
        assert len(declared) == count
        arrays = [(getattr(form, name), sizes.split(", "), kind) for name, sizes, kind in declared]
        known = {letter: n for array, sizes, _ in arrays for letter, n in zip(sizes, array.shape, strict=True)}
        known |= {"P": tree.players, "Q": td.forms.sequence_form(tree).sequences, "I": tree.infosets}
        for array, sizes, kind in arrays:
            assert array.dtype == kind and array.shape == tuple(eval(size, {}, known) for size in sizes)
