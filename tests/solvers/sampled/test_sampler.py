"""Sampling over rules: equality with sampling over trees."""

import dataclasses
import json
import re

import numpy as np
import pytest

import tefuda as td
from tefuda.solvers.sampled.mccfr import EXTERNAL, OUTCOME
from tests.conftest import compiled, rules
from tests.sampling import _GOLDEN, _MASK, Stream, mix
from tests.small_games import Good
from tests.spread import bar


def sampler(game, method="external", seed=0):
    return td.make_solver(td.RulesForm(game), method, seed=seed)


class Listed:
    """Game without its own `draw`, so that chance uses one random number, as in kernels."""

    def __init__(self, game):
        for name in ("name", "players", "root", "player", "actions", "chances", "child", "payoffs", "view"):
            setattr(self, name, getattr(game, name))


class Numbers(Stream):
    def uniform(self):
        self.state = (self.state + _GOLDEN) & _MASK
        return (mix(self.state) >> 11) / 2**53


@pytest.mark.parametrize("method", [EXTERNAL, OUTCOME], ids=lambda method: method.name)
@pytest.mark.parametrize("name, parameters", [("kuhn", {}), ("leduc", {}), ("goofspiel", {}), ("kuhn", {"players": 3})])
def test_the_sampler_equals_the_kernel(name, parameters, method):
    """The same draws give the same regrets and averages at each infoset."""
    tree, game = compiled(name, **parameters), Listed(rules(name, **parameters))
    kernel, plain = method.solver(tree, seed=2), sampler(game, method)
    kernel.advance(200)
    for iteration in range(1, 201):
        for player in range(game.players):
            plain.uniform = Numbers(kernel._key, iteration, player + 1, 0).uniform
            plain._traverse(game.root(), player, 1.0)
            if game.players != 2:
                plain.uniform = Numbers(kernel._key, iteration, player + 1 + game.players, 0).uniform
                plain._traverse_for_average(player)
    assert plain.nodes == kernel.nodes
    for (player, key), (regret, total) in plain.tables.items():
        rows = td.Profile.uniform(tree).rows((player, key))
        assert kernel.arrays()["regret"][rows] == pytest.approx(regret, rel=1e-6, abs=1e-9)
        assert kernel.state()["total"][rows] == pytest.approx(total, rel=1e-6, abs=1e-9)


#: NashConv over rules after a number of nodes: mean and deviation over 8 seeds.
REACHED = [
    ("kuhn", EXTERNAL, 30_000, (0.034, 0.009)),
    ("leduc", EXTERNAL, 60_000, (1.16, 0.11)),
    ("kuhn", td.METHODS["oos"], 40_000, (0.066, 0.023)),
]


@pytest.mark.learner
@pytest.mark.parametrize("name, method, nodes, reached", REACHED)
def test_it_converges(name, method, nodes, reached):
    """Uniform play has .917 and 4.75."""
    tree = compiled(name)
    found = [td.solve(td.RulesForm(rules(name)), method, nodes=nodes, seed=seed).strategy.strategy for seed in range(2)]
    assert np.mean([td.nash_conv(td.Profile.from_function(tree, one)) for one in found]) <= bar(*reached, 2)


@pytest.mark.parametrize("method", [OUTCOME, td.METHODS["oos"]], ids=lambda method: method.name)
def test_states_resume_bit_for_bit(method):
    game = rules("kuhn")
    whole, half, rest = (sampler(game, method, seed=3) for _ in range(3))
    whole.advance(50)
    half.advance(20)
    rest.restore(half.state())
    rest.advance(30)
    assert rest.tables == whole.tables and (rest.nodes, rest.memory) == (whole.nodes, whole.memory)


def test_memory_is_bounded_and_the_tables_remain():
    game = rules("leduc", players=3, ranks=12)
    solver = td.make_solver(td.RulesForm(game, memory=200_000), "external")
    with pytest.raises(td.errors.SizeError, match="memory"):
        solver.advance(10**9)
    player, key = next(iter(solver.tables))
    assert 200_000 < solver.memory < 400_000 and solver.average().strategy(player, key, "cr")


@pytest.mark.parametrize("name", ["chance", "mccfr+", "vr-mccfr"])
def test_methods_that_need_a_tree_are_refused(name):
    """The message names the methods that work."""
    with pytest.raises(td.errors.ParameterError, match=rf"^{re.escape(name)} .*external, outcome, oos"):
        sampler(rules("kuhn"), name)
    with pytest.raises(td.errors.ParameterError, match="as rules"):
        sampler(rules("kuhn"), dataclasses.replace(EXTERNAL, batch=10))


@pytest.mark.parametrize("method", [OUTCOME, td.METHODS["oos"]], ids=lambda method: method.name)
def test_deals_too_many_to_list_are_sampled(method):
    """The 11! deals are too many to list."""
    game = Listed(whole := rules("kuhn", players=10))
    game.draw = whole.draw
    solver = sampler(game, method)
    game.chances = pytest.fail
    solver.advance(2)
    assert solver.iterations == 2 and np.isfinite([x for row, _ in solver.tables.values() for x in row]).all()


def test_views_that_cannot_be_saved_are_named(tmp_path):
    game = Listed(rules("kuhn"))
    game.view = lambda state, player: frozenset([rules("kuhn").view(state, player)])
    with pytest.raises(td.errors.ParameterError, match="frozenset"):
        td.solve(td.RulesForm(game), "external", iterations=1, checkpoint=tmp_path / "run")


@pytest.mark.parametrize("method", [EXTERNAL, td.METHODS["oos"]], ids=lambda method: method.name)
def test_rules_that_change_later_raise_errors(method):
    """The rules raise, or change the number of actions, only after they were checked."""
    for late, words in ((lambda: 1 / 0, "ZeroDivisionError"), (lambda: ("a", "b", "c"), "must have 2 actions")):
        game = Listed(rules("kuhn"))
        solver = sampler(game, method)
        solver.advance(20)
        game.actions = lambda state, late=late: late()
        with pytest.raises(td.errors.GameError, match=words):
            solver.advance(20)
    with pytest.raises(td.errors.GameError, match="payoffs"):
        sampler(type("Broken", (Good,), {"payoffs": lambda s, _: {1: -1}})(), method)


def with_keys(state, change):
    keys = json.loads(state["keys"].tobytes())
    change(keys)
    state["keys"] = np.frombuffer(json.dumps(keys).encode(), dtype=np.uint8)


FORGED = {
    "a table that is short": lambda state: state.update(regret=state["regret"][1:]),
    "no actions": lambda state: state.update(actions=state["actions"] * 0),
    "sums below 0": lambda state: state.update(total=state["total"] - 1e9),
    "one key twice": lambda state: with_keys(state, lambda keys: keys.__setitem__(1, keys[0])),
    "a player too many": lambda state: with_keys(state, lambda keys: keys.__setitem__(1, [2, "K"])),
    "keys that are objects": lambda state: with_keys(state, lambda keys: keys.__setitem__(1, [0, {"K": 1}])),
    "keys of text": lambda state: with_keys(state, lambda keys: keys.__setitem__(1, "text")),
    "another generator": lambda state: state.update(random=state["random"] + 2**40),
    "no JSON": lambda state: state.update(keys=state["keys"][:-1]),
    "counts below 0": lambda state: state.update(counts=state["counts"] - 2**20),
}


@pytest.mark.parametrize("what", FORGED)
def test_forged_states_are_refused(what):
    solver = sampler(rules("kuhn"))
    solver.advance(5)
    state = solver.state()
    FORGED[what](state)
    with pytest.raises(td.errors.RunError, match="the state"):
        sampler(rules("kuhn")).restore(state)


@pytest.mark.parametrize("name", ["external", "outcome", "oos"])
def test_rules_are_solved_by_solve(name, tmp_path):
    """Runs over rules have curves, checkpoints and exact resume; a full memory ends the run early."""
    form, tree = td.RulesForm(td.load_game("leduc")), compiled("leduc")
    whole = td.solve(form, name, iterations=300, seed=3)
    td.solve(form, name, iterations=100, seed=3, checkpoint=tmp_path / "run")
    found = td.resume(tmp_path / "run", iterations=300)
    profiles = [
        td.Profile.from_function(tree, solution.strategy.strategy).probabilities
        for solution in (whole, found, td.load(tmp_path / "run"))
    ]
    assert all(np.array_equal(profiles[0], other) for other in profiles[1:]) and found.nodes == whole.nodes > 0
    full = td.solve(td.RulesForm(td.load_game("leduc"), memory=50_000), name, iterations=10**9)
    assert "fill the memory" in full.stop and full.iterations > 0
    with pytest.raises(td.errors.ParameterError, match="as rules"):
        td.make_solver(form, "cfr+")
