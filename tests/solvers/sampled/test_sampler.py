"""Sampling over rules alone does what sampling over trees does."""

import re

import numpy as np
import pytest

import tefuda as td
from tefuda.files import read_arrays, write_arrays
from tefuda.solvers.sampled.mccfr import EXTERNAL, OUTCOME
from tests.conftest import compiled, rules
from tests.sampling import _GOLDEN, _MASK, Stream, mix
from tests.small_games import Good
from tests.spread import bar


class Listed:
    """A game without its `draw`, so that chance takes one number, as in kernels."""

    def __init__(self, game):
        for name in ("name", "players", "root", "player", "actions", "chances", "child", "payoffs", "view"):
            setattr(self, name, getattr(game, name))


class Numbers(Stream):
    def uniform(self):
        self.state = (self.state + _GOLDEN) & _MASK
        return (mix(self.state) >> 11) / 2**53


@pytest.mark.parametrize("method", [EXTERNAL, OUTCOME], ids=lambda method: method.name)
@pytest.mark.parametrize("name, parameters", [("kuhn", {}), ("leduc", {}), ("goofspiel", {}), ("kuhn", {"players": 3})])
def test_it_does_what_the_kernel_does(name, parameters, method):
    """The same draws: the same regrets and averages, infoset by infoset."""
    tree, game = compiled(name, **parameters), Listed(rules(name, **parameters))
    kernel, plain = method.solver(tree, seed=2), td.RulesSolver(game, method)
    kernel.advance(200)
    for iteration in range(1, 201):
        for player in range(game.players):
            plain.uniform = Numbers(kernel._key, iteration, player + 1, 0).uniform
            plain._walk(game.root(), player, 1.0)
            if game.players != 2:
                plain.uniform = Numbers(kernel._key, iteration, player + 1 + game.players, 0).uniform
                plain._walk_for_average(player)
    assert plain.nodes == kernel.nodes
    for (player, key), (regret, total) in plain.tables.items():
        rows = td.Profile.uniform(tree).rows((player, key))
        assert kernel.regrets()[rows] == pytest.approx(regret, rel=1e-6, abs=1e-9)
        assert kernel.state()["total"][rows] == pytest.approx(total, rel=1e-6, abs=1e-9)


#: NashConv over rules after so many nodes: mean and deviation over 8 seeds.
REACHED = [
    ("kuhn", EXTERNAL, 30_000, (0.034, 0.009)),
    ("leduc", EXTERNAL, 60_000, (1.16, 0.11)),
    ("kuhn", td.OOS, 40_000, (0.066, 0.023)),
]


@pytest.mark.learner
@pytest.mark.parametrize("name, method, nodes, reached", REACHED)
def test_it_converges(name, method, nodes, reached):
    """Uniform play: .917 and 4.75."""
    tree = compiled(name)
    found = [
        td.nash_conv(td.sample_rules(rules(name), method, nodes=nodes, seed=seed).average(tree)) for seed in range(2)
    ]
    assert np.mean(found) <= bar(*reached, 2)


@pytest.mark.parametrize("method", [OUTCOME, td.OOS], ids=lambda method: method.name)
def test_saved_runs_go_on_bit_for_bit(tmp_path, method):
    game = rules("kuhn")
    whole, half, rest = (td.RulesSolver(game, method, seed=3) for _ in range(3))
    whole.advance(50)
    half.advance(20)
    half.save(tmp_path / "half.npz")
    rest.load(tmp_path / "half.npz")
    rest.advance(30)
    assert rest.tables == whole.tables and (rest.nodes, rest.memory) == (whole.nodes, whole.memory)
    with pytest.raises(td.RunError, match="external"):
        td.RulesSolver(game, EXTERNAL).load(tmp_path / "half.npz")


def test_memory_is_bounded_and_what_there_is_stays():
    game = rules("leduc", players=3, ranks=12)
    solver = td.sample_rules(game, iterations=10**9, limit=200_000)
    assert 200_000 < solver.memory < 400_000 and solver.strategy(0, next(iter(solver.tables))[1], "cr")
    with pytest.raises(td.SizeError, match="memory"):
        solver.advance(1)


@pytest.mark.parametrize("name", ["cfr+", "chance", "mccfr+", "vr-mccfr", "lp"])
def test_methods_that_need_a_tree_are_refused(name):
    with pytest.raises(td.ParameterError, match=rf"^{re.escape(name)}.* needs a tree"):
        td.RulesSolver(rules("kuhn"), td.find_method(name))
    with pytest.raises(td.ParameterError, match="find_method"):
        td.sample_rules(rules("kuhn"), name)


def test_progress_says_how_many_are_done_and_of_how_many():
    told, game = [], rules("kuhn")
    td.sample_rules(game, iterations=3, progress=lambda *far: told.append(far))
    assert told == [(1, 3), (2, 3), (3, 3)]
    told.clear()
    solver = td.sample_rules(game, nodes=50, progress=lambda *far: told.append(far))
    assert {of for _, of in told} == {50} and told[-1][0] == solver.nodes >= 50 > told[-2][0]


@pytest.mark.parametrize("method", [OUTCOME, td.OOS], ids=lambda method: method.name)
def test_deals_too_many_to_list_are_sampled(method):
    """11! deals: nothing lists them."""
    game = Listed(whole := rules("kuhn", players=10))
    game.draw = whole.draw
    solver = td.RulesSolver(game, method)
    game.chances = pytest.fail
    solver.advance(2)
    assert solver.iterations == 2 and np.isfinite([x for row, _ in solver.tables.values() for x in row]).all()


def test_views_that_cannot_be_saved_are_named(tmp_path):
    game = Listed(rules("kuhn"))
    game.view = lambda state, player: frozenset([rules("kuhn").view(state, player)])
    with pytest.raises(td.ParameterError, match="frozenset"):
        td.sample_rules(game, iterations=1).save(tmp_path / "x.npz")


@pytest.mark.parametrize("method", [EXTERNAL, td.OOS], ids=lambda method: method.name)
def test_rules_that_lie_later_end_in_words(method):
    """They raise, or say another number of actions, only after they were checked."""
    for late, words in ((lambda: 1 / 0, "raised ZeroDivisionError"), (lambda: ("a", "b", "c"), "had 2 actions before")):
        game = Listed(rules("kuhn"))
        solver = td.RulesSolver(game, method)
        solver.advance(20)
        game.actions = lambda state, late=late: late()
        with pytest.raises(td.GameError, match=words):
            solver.advance(20)
    with pytest.raises(td.GameError, match="sampled"):
        td.RulesSolver(type("Broken", (Good,), {"payoffs": lambda s, _: {1: -1}})(), method)


FORGED = {
    "a table that is short": lambda arrays, header: arrays.update(regret=arrays["regret"][1:]),
    "no actions": lambda arrays, header: arrays.update(actions=arrays["actions"] * 0),
    "sums below 0": lambda arrays, header: arrays.update(total=arrays["total"] - 1e9),
    "one key twice": lambda arrays, header: header["keys"].__setitem__(1, header["keys"][0]),
    "a player too many": lambda arrays, header: header["keys"].__setitem__(1, [2, "K"]),
    "keys that are objects": lambda arrays, header: header["keys"].__setitem__(1, [0, {"K": 1}]),
    "keys of text": lambda arrays, header: header.update(keys="keys"),
    "another generator": lambda arrays, header: arrays.update(random=arrays["random"] + 2**40),
    "half an iteration": lambda arrays, header: header.update(iterations=0.5),
}


@pytest.mark.parametrize("what", FORGED)
def test_forged_files_are_refused(tmp_path, what):
    td.sample_rules(rules("kuhn"), iterations=5).save(tmp_path / "x.npz")
    arrays, header = read_arrays(tmp_path / "x.npz")
    FORGED[what](arrays, header)
    write_arrays(tmp_path / "x.npz", arrays, header)
    with pytest.raises(td.RunError, match=r"x\.npz"):
        td.RulesSolver(rules("kuhn")).load(tmp_path / "x.npz")


@pytest.mark.parametrize("name", ["external", "outcome", "oos"])
def test_rules_are_solved_through_the_one_door(name, tmp_path):
    """With a curve, checkpoints and resume to the bit; a full memory ends the run with what there is."""
    form, tree = td.Uncompiled(td.load_game("leduc")), compiled("leduc")
    whole = td.solve(form, name, iterations=300, seed=3)
    td.solve(form, name, iterations=100, seed=3, checkpoint=tmp_path / "run")
    found = td.resume(tmp_path / "run", iterations=300)
    profiles = [
        td.Profile.from_function(tree, solution.strategy.strategy).probabilities
        for solution in (whole, found, td.load(tmp_path / "run"))
    ]
    assert all(np.array_equal(profiles[0], other) for other in profiles[1:]) and found.nodes == whole.nodes > 0
    full = td.solve(td.Uncompiled(td.load_game("leduc"), memory=50_000), name, iterations=10**9)
    assert "fill the memory" in full.stop and full.iterations > 0
    with pytest.raises(td.ParameterError, match="as rules"):
        td.make_solver(form, "cfr+")
