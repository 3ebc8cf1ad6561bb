"""Random playthroughs."""

import numpy as np
import pytest

import tefuda as tf
from tests.conftest import rules


@pytest.mark.parametrize("seed", range(3))
def test_playthrough_is_repeatable(seed):
    lines = [list(tf.playthrough(rules("goofspiel"), np.random.default_rng(seed))) for _ in range(2)]
    assert lines[0] == lines[1] and lines[0][-1].startswith("end: ")
