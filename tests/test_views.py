"""Results in a line and in a frame."""

import sys
from dataclasses import dataclass, field

import numpy as np
import pytest

import tefuda as td
from tefuda.views import data_frame, short_repr


@dataclass
class Thing:
    some: np.ndarray
    many: list
    few: tuple
    text: str
    hidden: int = field(default=0, repr=False)
    _own: int = 0


def test_a_line_says_kinds_and_sizes_and_never_megabytes():
    thing = Thing(np.zeros((2, 1_000_000), np.float32), list(range(1000)), (1, 2), "x" * 1000)
    line = short_repr(thing)
    assert line.startswith("Thing(some=float32[2, 1000000], many=<1,000 items>, few=(1, 2), text='xxx")
    assert line.endswith("...)") and len(line) < 170 and "hidden" not in line and "_own" not in line


def test_a_frame_has_the_columns():
    pandas = pytest.importorskip("pandas")
    frame = data_frame({"a": [1, 2], "b": ["x", "y"]})
    assert isinstance(frame, pandas.DataFrame) and frame.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}


def test_a_frame_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(td.errors.MissingExtraError, match="frame"):
        data_frame({"a": [1]})
