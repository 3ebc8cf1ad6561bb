"""Agents with depth-limited solving."""

import numpy as np
import pytest

import tefuda as td
from tefuda.playing.agents import Decision
from tefuda.resolving.limited.planes import enclose
from tefuda.resolving.limited.trunk import root_lookahead, trunk_of
from tests.conftest import compiled, refused, rules


def strategies(agent, tree, numbers):
    """Return an agent's strategy at infosets, by querying it with many random numbers."""
    points = (np.arange(200) + 0.5) / 200
    found = {}
    for number in numbers:
        seat, actions = int(tree.infoset_player[number]), tree.labels(number)
        agent.start(tree, seat)
        asked = [agent.act(Decision(number, tree.keys[number], actions, point, seat)) for point in points]
        found[number] = np.bincount(asked, minlength=len(actions)) / len(points)
    return found


def test_it_plays_the_tabulated_strategy():
    tree = compiled("kuhn")
    whole = td.depth_limited(tree, 1).profile
    for number, found in strategies(td.resolving.DepthLimitedAgent("a", tree, 1), tree, range(tree.infosets)).items():
        assert found == pytest.approx(whole.probabilities[tree.rows_of(number)], abs=0.006)


def test_on_trees_and_over_rules_the_hands_are_the_same():
    tree = compiled("kuhn")
    agents = [td.resolving.DepthLimitedAgent("a", tree, 1), td.ProfileAgent("b", td.Profile.uniform(tree))]
    on_tree = td.duplicate_match(tree, agents, deals=300)
    over_rules = td.duplicate_match(td.playing.RulesTable(rules("kuhn"), tree), agents, deals=300)
    assert on_tree.mean.tolist() == over_rules.mean.tolist() and on_tree.mean[0] > 0


def test_an_agent_without_time_plays_its_proven_strategy():
    tree = compiled("leduc")
    agent = td.resolving.DepthLimitedAgent("a", tree, "deal", seconds=0.0)
    ahead = root_lookahead(trunk_of(tree, "deal"))
    first, last = enclose(ahead, seconds=0), enclose(ahead)
    number, there = int(tree.infoset_of_row[2]), slice(2, 4)  # the trunk's first rows are the tree's
    assert ahead.form.rows[there].tolist() == [2, 3] and tree.rows_of(number) == there
    shares = [one.plans[ahead.form.sequence[there]] for one in (first, last)]
    found = strategies(agent, tree, [number])[number]
    assert found == pytest.approx(shares[0] / shares[0].sum(), abs=0.006)
    assert found != pytest.approx(shares[1] / shares[1].sum(), abs=0.1)


def test_agents_by_name():
    leduc, kuhn = (td.named_agents(compiled(name), ["depth-limited"])[0] for name in ("leduc", "kuhn"))
    assert (leduc.cut, kuhn.cut, kuhn.name) == ("deal", 2, "depth-limited")


def test_refused():
    tree = compiled("kuhn")
    with refused(td.errors.ParameterError, key="seconds", value=-1):
        td.resolving.DepthLimitedAgent("a", tree, 1, seconds=-1)
    with refused(td.errors.ParameterError, key="cut", value="deal"):
        td.resolving.DepthLimitedAgent("a", tree)
    with refused(td.errors.ParameterError, key="leaves", value="near"):
        td.resolving.DepthLimitedAgent("a", tree, 1, leaves="near")
    agent = td.resolving.DepthLimitedAgent("a", tree, 1)
    with pytest.raises(td.errors.ProfileError, match="leduc"):
        td.duplicate_match(compiled("leduc"), [agent, agent], deals=1)
