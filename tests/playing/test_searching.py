"""Agents that search while they play."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

import tefuda as td
from tefuda.playing import searching
from tefuda.playing.agents import Decision
from tests.conftest import compiled, rules

KING = Decision(-1, "K|", ("p", "b"), 0.5)


def test_draws_follow_their_probabilities():
    """Frequencies of 8,000 draws are within five deviations; impossible outcomes never occur."""
    choice = searching.choice_by(np.random.default_rng(1))
    counts = np.bincount([choice([0.0, 0.25, 0.0, 0.75]) for _ in range(8000)], minlength=4)
    assert counts[0] == counts[2] == 0 and abs(counts[1] / 8000 - 0.25) < 5 * np.sqrt(0.25 * 0.75 / 8000)
    assert {choice([0.0, 1e-9, 0.0]) for _ in range(20)} == {1}


def test_a_game_too_large_to_compile():
    """Liar's dice with two dice of six sides each has 2^24 bidding histories; a search plays it."""
    game = rules("liars_dice", dice=2)
    agent = td.playing.SearchAgent("s", iterations=30, seed=1)
    agent.start(game, 0)
    agent.observe(None)
    agent.observe("16|")
    actions = game.actions((("16", "23"), -1, ""))
    assert agent.act(Decision(-1, "16|", actions, 0.5)) in range(len(actions))
    assert 0 < len(agent.search.memory) <= 60


def test_budgets(monkeypatch):
    """A budget is iterations or seconds per decision, or 1,000 iterations; public targets need a tree."""
    tree = compiled("kuhn")
    agent = td.playing.SearchAgent("s", iterations=15, seed=1)
    agent.start(tree, 0)
    for number in (1, 2):
        agent.act(KING)
        assert agent.search.iterations == 15 * number
    without = td.playing.SearchAgent("s")
    without.start(tree, 0)
    without.act(KING)
    assert without.search.iterations == 1000
    short = td.playing.SearchAgent("s", seconds=0.01, seed=1)
    short.start(tree, 0)
    assert short.act(KING) in (0, 1) and short.search.iterations > 0
    now = itertools.count()
    monkeypatch.setattr(searching, "time", SimpleNamespace(perf_counter=lambda: next(now)))  # of a busy machine
    short.start(tree, 0)
    assert short.act(KING) in (0, 1) and short.search.iterations == 1
    with pytest.raises(td.errors.ParameterError, match="targets"):
        td.playing.SearchAgent("s", td.solvers.OnlineSampling(target="public")).start(rules("kuhn"), 0)


def test_a_match_begins_with_an_empty_memory():
    """The memory lasts for a match."""
    tree = compiled("kuhn")
    agent = td.playing.SearchAgent("s", iterations=5)
    against = td.ProfileAgent("u", td.Profile.uniform(tree))
    td.duplicate_match(tree, [agent, against], deals=3)
    assert agent.search.iterations > 5
    agent.start(tree, 0)
    assert agent.search.iterations == 0
