"""Agents play their strategies."""

import numpy as np
import pytest

import tefuda as td
from tefuda.playing import agents, match, stereotypes
from tests.conftest import compiled, refused


def test_agents_of_every_kind_play_their_probabilities():
    tree = compiled("kuhn")
    table = [
        td.playing.SearchAgent("search", iterations=30, seed=1),
        agents.ScriptedAgent("script", lambda player, view, actions: actions[-1]),
    ]
    played = match.duplicate_match(tree, table, deals=60, seed=3)
    best = np.mean([td.best_response(stereotypes.always_raise(tree), seat).value for seat in (0, 1)])
    assert 0 < played.mean[0] <= best + 2 * played.error[0] and played.mean.sum() == pytest.approx(0)
    # Always choosing the last action equals its profile, card by card.
    uniform = agents.ProfileAgent("u", td.Profile.uniform(tree))
    same = [match.duplicate_match(tree, [uniform, one], deals=20, play=True)
            for one in (table[1], agents.ProfileAgent("r", stereotypes.always_raise(tree)))]  # fmt: skip
    assert np.array_equal(same[0].payoffs, same[1].payoffs) and same[0].payoffs.any()
    table[1].script = lambda player, view, actions: "x"
    with pytest.raises(td.errors.ParameterError, match="allowed"):
        match.duplicate_match(tree, table, deals=2)
    with pytest.raises(td.errors.ParameterError, match="agents"):
        match.duplicate_match(tree, table[:1])
    for play in (match.duplicate_match, td.cross_table):
        with pytest.raises(td.errors.ParameterError, match=r"td\.ProfileAgent"):
            play(tree, [td.Profile.uniform(tree)] * 2)
        with refused(td.errors.ParameterError, key="seed", value=-1):
            play(tree, table, seed=-1)
        with refused(td.errors.ParameterError, key="deals", value=1000.0):
            play(tree, table, deals=1e3)
    with pytest.raises(td.errors.SizeError, match="GB are free"):
        match.duplicate_match(tree, table, deals=10**12)


def test_named_agents():
    tree = compiled("leduc")
    made = {name: make(tree) for name, (_, make) in stereotypes.NAMED_PROFILES.items()}
    assert td.nash_conv(made["equilibrium"]) <= 1e-3
    worth = {name: td.nash_conv(profile) for name, profile in made.items()}
    assert worth["equilibrium"] < worth["trembling"] < worth["tilted"] < worth["always-raise"]
    with pytest.raises(td.errors.ParameterError, match="always"):
        stereotypes.always_call(compiled("kuhn"))


def test_a_strategy_is_played_like_its_profile():
    """Play equals play on the tree, hand by hand; invalid probabilities raise an error."""
    tree = compiled("kuhn")
    profile = td.Profile.random(tree, np.random.default_rng(3))
    against = td.ProfileAgent("u", td.Profile.uniform(tree))
    named = td.StrategyAgent("named", lambda player, view, actions: profile[player, view])
    won = [match.duplicate_match(tree, [one, against], deals=30, play=True, seed=5).payoffs
           for one in (td.ProfileAgent("p", profile), td.StrategyAgent("s", profile.strategy), named)]  # fmt: skip
    assert np.array_equal(won[0], won[1]) and np.array_equal(won[0], won[2]) and won[0].any()
    for wrong in ((0.5,), (0.5, 0.6), (-0.5, 1.5), (float("nan"), 1.0), {"x": 1.0}):
        with pytest.raises(td.errors.ProfileError, match="sum"):
            match.duplicate_match(tree, [td.StrategyAgent("w", lambda *_, wrong=wrong: wrong), against], deals=2)
