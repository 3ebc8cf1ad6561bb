"""Re-solving agents: equal to their tables, on trees and over rules, within their budget."""

import numpy as np
import pytest

import tefuda as td
from tefuda.playing import searching
from tefuda.playing.agents import Decision
from tefuda.resolving import agent as module
from tests.conftest import compiled, refused


@pytest.fixture(scope="module")
def blueprint():
    return td.solve(compiled("leduc"), "cfr", iterations=10).strategy


def duel(table, agent, other, deals):
    return td.duplicate_match(table, [agent, other], deals=deals, seed=1)


def test_it_plays_its_table_on_a_tree_and_over_rules(blueprint):
    tree = compiled("leduc")
    agent = td.resolving.ResolvingAgent("again", blueprint, "reach", iterations=20)
    whole = blueprint.replace(0, agent.tabulate(0)).replace(1, agent.tabulate(1))
    assert td.nash_conv(whole) < td.nash_conv(blueprint) / 3
    tabulated = td.ProfileAgent("again", whole)
    fresh = td.resolving.ResolvingAgent("again", blueprint, "reach", iterations=20)
    for table in (tree, td.playing.RulesTable(tree.game)):
        games = [duel(table, one, td.RandomAgent(), 60) for one in (tabulated, agent, fresh)]
        assert games[0].payoffs.shape[1] == 60 and np.array_equal(games[0].payoffs, games[1].payoffs)
        assert np.array_equal(games[0].payoffs, games[2].payoffs)


def test_it_beats_a_coarse_blueprint_without_a_tree():
    """From uniform play the agent wins 0.7 chips a hand over rules, the exact value of its table."""
    tree = compiled("leduc")
    uniform = td.Profile.uniform(tree)
    agent = td.resolving.ResolvingAgent("again", uniform, iterations=50)
    match = duel(td.playing.RulesTable(tree.game), agent, td.ProfileAgent("blueprint", uniform), 400)
    assert match.mean[0] - 3 * match.error[0] > 0
    edge = sum(td.values(uniform.replace(seat, agent.tabulate(seat)))[seat] for seat in (0, 1)) / 2
    assert edge > 0.5 and abs(match.mean[0] - edge) < 4 * match.error[0]


class Clock:
    """A clock that advances only during iterations."""

    now = 0.0

    def perf_counter(self):
        return self.now


def test_a_budget_in_seconds_ends_the_solving(blueprint, monkeypatch):
    clock, made = Clock(), []
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(searching, "time", clock)

    def solver(tree, method):
        found = td.make_solver(tree, method)
        clock.now += 0.06
        advance = found.advance

        def slowly(count):
            clock.now += 0.01 * count
            advance(count)

        found.advance = slowly
        made.append(found)
        return found

    monkeypatch.setattr(module, "make_solver", solver)
    agent = td.resolving.ResolvingAgent("again", blueprint, seconds=0.5)
    tree = compiled("leduc")
    agent.start(tree, 0)
    for name in ("0: J|", "0: JQ|rc/", "0: K|"):
        agent.act(turn_at(tree, tree.number(name), 0))
    # At first a tenth of the time is reserved; building took 0.06 seconds, so half as much is added: 0.09.
    assert [one.iterations for one in made] == [45, 41]  # at the third turn the first's public state is known
    agent.act(turn_at(tree, tree.number("0: JQ|rc/cr"), 0))
    late = td.resolving.ResolvingAgent("late", blueprint, seconds=0.5)
    late.start(tree, 0)
    late.act(turn_at(tree, tree.number("0: JQ|rc/"), 0))  # its time goes to the public states before this one
    assert [one.iterations for one in made[3:]] == [45]


def turn_at(tree, number, seat):
    return Decision(number, tree.keys[number], tree.labels(number), 0.3, seat)


def test_without_time_it_plays_its_blueprint(blueprint):
    for agent in (
        td.resolving.ResolvingAgent("again", blueprint, seconds=0.0),
        td.resolving.ResolvingAgent("again", blueprint, iterations=0),
    ):
        assert np.array_equal(agent.tabulate(0).probabilities, blueprint.probabilities)


def test_impossible_settings_are_refused(blueprint):
    with pytest.raises(td.errors.ParameterError, match="budget"):
        td.resolving.ResolvingAgent("again", blueprint)
    with pytest.raises(td.errors.ParameterError, match="stop"):
        td.resolving.ResolvingAgent("again", blueprint, method="lp", seconds=1)
    with refused(td.errors.ParameterError, key="iterations", value=-1):
        td.resolving.ResolvingAgent("again", blueprint, iterations=-1)
    with refused(td.errors.UnknownNameError, key="gadget", value="safely"):
        td.resolving.ResolvingAgent("again", blueprint, "safely", iterations=1)
    with pytest.raises(td.errors.ProfileError, match="Profile"):
        td.resolving.ResolvingAgent("again", "cfr", iterations=1)
    agent = td.resolving.ResolvingAgent("again", blueprint, iterations=1)
    with pytest.raises(td.errors.ProfileError, match="leduc"):
        agent.start(compiled("kuhn"), 0)
    with pytest.raises(td.errors.ProfileError, match="rules"):
        agent.start(td.load_game("leduc", cap=1), 0)
    three = compiled("kuhn", players=3)
    with pytest.raises(td.errors.GameError, match="players"):
        td.resolving.ResolvingAgent("again", td.Profile.uniform(three), iterations=1).start(three, 0)
