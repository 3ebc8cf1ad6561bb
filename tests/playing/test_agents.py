"""Agents do what they say."""

import numpy as np
import pytest

import tefuda as tf
from tefuda.playing import agents, match, stereotypes
from tests.conftest import compiled


def test_agents_of_every_kind_play_what_they_say():
    tree = compiled("kuhn")
    table = [
        tf.SearchAgent("search", iterations=30, seed=1),
        agents.ScriptedAgent("script", lambda player, view, actions: actions[-1]),
    ]
    played = match.duplicate_match(tree, table, deals=60, seed=3)
    best = np.mean([tf.best_response(tree, stereotypes.always_raise(tree), seat).value for seat in (0, 1)])
    assert 0 < played.mean[0] <= best + 2 * played.error[0] and played.mean.sum() == pytest.approx(0)
    # The last action always is what the profile of it does, card by card.
    uniform = agents.ProfileAgent("u", tf.Profile.uniform(tree))
    same = [match.duplicate_match(tree, [uniform, one], deals=20, play=True)
            for one in (table[1], agents.ProfileAgent("r", stereotypes.always_raise(tree)))]  # fmt: skip
    assert np.array_equal(same[0].payoffs, same[1].payoffs) and same[0].payoffs.any()
    table[1].script = lambda player, view, actions: "x"
    with pytest.raises(tf.ParameterError, match="allowed are"):
        match.duplicate_match(tree, table, deals=2)
    with pytest.raises(tf.ParameterError, match="got 1 agents"):
        match.duplicate_match(tree, table[:1])
    for play in (match.duplicate_match, tf.cross_table):
        with pytest.raises(tf.ParameterError, match=r"tf\.ProfileAgent"):
            play(tree, [tf.Profile.uniform(tree)] * 2)
        with pytest.raises(tf.ParameterError, match="seed is -1"):
            play(tree, table, seed=-1)
        with pytest.raises(tf.ParameterError, match="deals is"):
            play(tree, table, deals=1e3)
    with pytest.raises(tf.SizeError, match="GB are free"):
        match.duplicate_match(tree, table, deals=10**12)


def test_named_agents():
    tree = compiled("leduc")
    made = {name: make(tree) for name, (_, make) in stereotypes.NAMED.items()}
    assert tf.nash_conv(tree, made["equilibrium"]) <= 1e-3
    worth = {name: tf.nash_conv(tree, profile) for name, profile in made.items()}
    assert worth["equilibrium"] < worth["trembling"] < worth["tilted"] < worth["always-raise"]
    with pytest.raises(tf.ParameterError, match="always call"):
        stereotypes.always_call(compiled("kuhn"))
