"""Continuation strategies of the opponent below the cut."""

import numpy as np
import pytest

import tefuda as td
from tests.conftest import compiled, refused


def always(tree, action):
    """Return a profile that takes one action wherever it is legal."""
    return td.Profile.from_function(tree, lambda player, key, actions: [float(one == action) for one in actions])


def test_all_continuation_strategies_are_exact():
    """After a pass and a bet Kuhn poker has one decision left, so two continuation strategies are all."""
    tree = compiled("kuhn")
    found = td.depth_limited(tree, 2, td.resolving.Continuations([always(tree, "p"), always(tree, "b")], own=2))
    assert found.nash_conv == pytest.approx(0, abs=1e-12)


def test_one_continuation_strategy_may_be_inexact():
    tree = compiled("kuhn")
    found = td.depth_limited(tree, 2, td.resolving.Continuations([always(tree, "p")]))
    assert found.nash_conv > 0.05


def test_a_few_continuation_strategies_make_a_blueprint_safe():
    """The blueprint alone misleads; strategies biased to fold, call, raise do not (brown2018)."""
    tree = compiled("leduc")
    blueprint = td.solve(tree, "cfr+", iterations=100).strategy
    one, four = td.resolving.Continuations([blueprint]), td.resolving.Continuations.biased(blueprint, "fcr")
    found = [td.depth_limited(tree, "deal", leaves).nash_conv for leaves in (one, four)]
    assert found == pytest.approx([0.184, 0.0173], abs=5e-4)
    assert found[1] < td.nash_conv(blueprint)  # 0.0268


def test_responses_found_during_solving():
    """Two best responses equal three biased strategies, and further responses change nothing."""
    tree = compiled("leduc")
    blueprint = td.solve(tree, "cfr+", iterations=100).strategy
    leaves = td.resolving.Continuations.best_responses(blueprint, "deal", 2)
    assert len(leaves.profiles) == 3 and leaves.profiles[0] is blueprint
    assert td.depth_limited(tree, "deal", leaves).nash_conv == pytest.approx(0.0177, abs=5e-4)
    kuhn = compiled("kuhn")
    all_choose = td.resolving.Continuations.best_responses(td.Profile.uniform(kuhn), 2, 3, own=4)
    assert td.depth_limited(kuhn, 2, all_choose).nash_conv < 0.01
    with refused(td.errors.ParameterError, key="count", value=-1):
        td.resolving.Continuations.best_responses(blueprint, "deal", -1)


def test_biased_profiles():
    tree = compiled("leduc")
    bent = td.resolving.Continuations.biased(td.Profile.uniform(tree), ["r"], factor=3.0)
    assert (bent.name, bent.own, len(bent.profiles)) == ("continuations", 1, 2)
    assert bent.profiles[1]["0: K|"] == pytest.approx({"c": 0.25, "r": 0.75})
    assert bent.profiles[1]["1: K|r"] == pytest.approx({"f": 0.2, "c": 0.2, "r": 0.6})


def test_refused():
    tree, uniform = compiled("leduc"), td.Profile.uniform(compiled("leduc"))
    with refused(td.errors.ParameterError, key="profiles"):
        td.resolving.Continuations([])
    with refused(td.errors.ParameterError, key="own", value=3):
        td.resolving.Continuations([uniform, uniform], own=3)
    with refused(td.errors.ParameterError, key="action", value="x"):
        td.resolving.Continuations.biased(uniform, "x")
    with refused(td.errors.ParameterError, key="factor"):
        td.resolving.Continuations.biased(uniform, "r", factor=np.nan)
    with pytest.raises(td.errors.ProfileError):
        td.resolving.Continuations([uniform, td.Profile.uniform(compiled("kuhn"))])
    with pytest.raises(td.errors.ProfileError):
        td.depth_limited(compiled("kuhn"), 1, td.resolving.Continuations([uniform]))
    assert tree.name in repr(uniform)
