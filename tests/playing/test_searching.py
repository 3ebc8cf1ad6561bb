"""Agents that search while they play."""

import itertools
from types import SimpleNamespace

import pytest

import tefuda as td
from tefuda.playing import searching
from tests.conftest import compiled, rules


def test_a_game_too_large_to_compile():
    """Liar's dice with two dice of six sides each has 2^24 bidding histories; a search plays it."""
    game = rules("liars_dice", dice=2)
    agent = td.playing.OosAgent(game, iterations=30, seed=1)
    agent.start(0)
    agent.observe(None)
    agent.observe("16|")
    assert agent.act(game.actions((("16", "23"), -1, ""))) in game.actions((("16", "23"), -1, ""))
    assert 0 < len(agent.search.memory) <= 60


def test_budgets(monkeypatch):
    """A budget is iterations or seconds per decision; missing budgets and public targets are refused."""
    tree = compiled("kuhn")
    agent = td.playing.OosAgent(tree, iterations=15, seed=1)
    agent.start(0)
    for number in (1, 2):
        agent.observe("K|")
        agent.act(("p", "b"))
        assert agent.search.iterations == 15 * number
    short = td.playing.OosAgent(tree, seconds=0.01, seed=1)
    short.start(0)
    short.observe("K|")
    assert short.act(("p", "b")) in ("p", "b") and short.search.iterations > 0
    now = itertools.count()
    monkeypatch.setattr(searching, "time", SimpleNamespace(perf_counter=lambda: next(now)))  # of a busy machine
    late = td.playing.OosAgent(tree, seconds=0.01, seed=1)
    late.start(0)
    late.observe("K|")
    assert late.act(("p", "b")) in ("p", "b") and late.search.iterations == 1
    with pytest.raises(td.errors.ParameterError, match="budget"):
        td.playing.OosAgent(tree)
    with pytest.raises(td.errors.ParameterError, match="targets"):
        td.playing.OosAgent(rules("kuhn"), td.solvers.OnlineSampling(target="public"), iterations=1)


def test_a_match_begins_with_an_empty_memory():
    """The memory lasts for a match, the trace for a hand."""
    tree = compiled("kuhn")
    agent = td.playing.SearchAgent("s", iterations=5)
    against = td.ProfileAgent("u", td.Profile.uniform(tree))
    td.duplicate_match(tree, [agent, against], deals=3)
    assert agent._search.search.iterations > 5 and agent._search.trace == []
    agent.start(tree, 0)
    assert agent._search.search.iterations == 0
