"""Evaluation by play: winnings of a strategy from a fixed agent."""

import numpy as np
import pytest

import tefuda as td


def test_head_to_head_is_exact_against_a_profile(kuhn):
    """The figure is the average's winnings from uniform play over both seats; uniform play wins 0."""
    evaluator = td.HeadToHead(td.ProfileAgent("u", uniform := td.Profile.uniform(kuhn)))
    found = td.solve(kuhn, "cfr+", iterations=50, until=0.1, evaluator=evaluator)
    own = found.strategy
    seats = [td.values(own.replace(1, uniform))[0], td.values(own.replace(0, uniform))[1]]
    assert found.evaluation.figure == pytest.approx(np.mean(seats), abs=1e-12) and found.iterate == "average"
    assert found.evaluation.low == found.evaluation.figure == found.evaluation.high >= 0.1
    assert found.stop == "won from u reached 0.1" and found.curve[-2].figure < 0.1
    assert evaluator.evaluate(td.make_solver(kuhn, "xfp")).figure == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("players", [2, 3])
def test_head_to_head_by_play_has_an_interval(players):
    """The figure is close to the expected payoff; all points use the same cards."""
    tree = td.compile_game(td.load_game("kuhn", players=players))
    evaluator = td.HeadToHead(td.RandomAgent(), deals=300, seed=1)
    found = td.solve(tree, "cfr+", iterations=30, evaluator=evaluator)
    exact = td.HeadToHead(td.ProfileAgent("u", td.Profile.uniform(tree)))
    expected = td.solve(tree, "cfr+", iterations=30, evaluator=exact).evaluation.figure
    assert found.evaluation.low < expected < found.evaluation.high < found.evaluation.low + 1
    assert [point.iteration for point in found.curve] == [1, 2, 4, 8, 16, 30]
    again = td.solve(tree, "cfr+", iterations=30, evaluator=evaluator)
    assert [point[2:] for point in again.curve] == [point[2:] for point in found.curve]


def test_a_policy_agent_plays_the_policy(kuhn):
    """Over rules, hands equal those of the profile that defines the policy."""
    profile = td.Profile.random(kuhn, np.random.default_rng(1))
    one, two = (
        td.duplicate_match(td.playing.RulesTable(td.load_game("kuhn")), [agent, td.RandomAgent()], deals=40)
        for agent in (td.PolicyAgent("p", profile), td.StrategyAgent("p", profile.strategy))
    )
    assert np.array_equal(one.payoffs, two.payoffs) and one.payoffs.any()
