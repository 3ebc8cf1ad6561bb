"""Cross tables of matches."""

import numpy as np
import pytest

import tefuda as td
from tefuda.playing import agents, match, stereotypes
from tests.conftest import compiled
from tests.players import Learner


def test_cross_table(in_threads):
    """All pairs play: exact for profiles, independent of workers, zero-sum."""
    tree = compiled("leduc")
    table = [
        agents.ProfileAgent("raise", stereotypes.always_raise(tree)),
        agents.ProfileAgent("u", td.Profile.uniform(tree)),
        Learner(),
    ]
    one = td.cross_table(tree, table, deals=30, seed=1)
    two = td.cross_table(tree, table, deals=30, seed=1, workers=2)
    assert np.array_equal(one.won, two.won) and one.won == pytest.approx(-one.won.T)
    both = match.exact_payoffs(tree, table[:2], [(0, 1), (1, 0)]).mean(axis=0)
    assert one.won[0, 1] == pytest.approx(both[0]) and one.error[0, 1] == 0 < one.error[0, 2]
    with pytest.raises(td.errors.ParameterError, match="players"):
        td.cross_table(compiled("leduc", players=3), table)
