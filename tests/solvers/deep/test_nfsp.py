"""Self-play in PyTorch over simulators, beside the compiled loop; simulators beside the rules."""

import dataclasses
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import tefuda as tf
from tefuda.apps.cli import app
from tefuda.forms.simulate import TreeSimulator
from tefuda.solvers import driver
from tests.conftest import compiled
from tests.simulated import Listed, labels_of

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-deep")
torch.set_num_threads(1)  # more than one slows tiny networks down
from tefuda.solvers.deep import nfsp as dense  # noqa: E402

SMALL = {"tables": 16, "batch": 16, "transitions": 300, "behaviour": 100, "least": 20, "hidden": 16, "target_every": 7}


@pytest.mark.parametrize(
    "games, seeds, bar, gap", [(15_000, 1, 4.3, 0.3), pytest.param(30_000, 2, 3.8, 0.5, marks=pytest.mark.slow)]
)
def test_dense_learns_as_the_compiled_loop_does(leduc, games, seeds, bar, gap):
    """NashConv on Leduc: both ways within each other's spread, 3.99 to 4.22 after 15,000 games, 4.4 to 4.7 before."""
    method = dataclasses.replace(tf.METHODS["nfsp-d"], policy_rate=0.05, eta=0.3)
    ends = {"dense": [], "fused": []}
    for seed in range(1, seeds + 1):
        for kind, solver in (
            ("dense", dense.DenseNfspSolver(TreeSimulator(leduc), method, seed)),
            ("fused", tf.make_solver(leduc, method, seed=seed)),
        ):
            solver.advance(games)
            ends[kind].append(tf.nash_conv(leduc, solver.average()))
    assert max(ends["dense"] + ends["fused"]) < bar and abs(np.mean(ends["dense"]) - np.mean(ends["fused"])) < gap


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_going_on_is_exact(leduc, optimiser, tmp_path):
    """State, restore, and the driver's checkpoints give the run that was not interrupted."""
    method = dataclasses.replace(tf.METHODS["nfsp-d"], optimiser=optimiser, value_rate=0.01, **SMALL)
    one, other = (dense.DenseNfspSolver(TreeSimulator(leduc), method, seed=3) for _ in range(2))
    one.advance(500)
    other.restore(one.state())
    for solver in (one, other):
        solver.advance(300)
    assert all(np.array_equal(array, other.state()[name]) for name, array in one.state().items())
    solution = driver.drive(other, driver.Goal(iterations=1000), record=driver.Record(tmp_path / "run"))
    assert solution.iterations == 1000 and (tmp_path / "run" / "checkpoint.npz").exists()


def test_a_run_over_rules_is_the_run_over_the_tree():
    """3-player Leduc, with the same units, features and luck: the same networks to the bit, the same profile."""
    tree = compiled("leduc", players=3)
    method = dataclasses.replace(tf.METHODS["nfsp-d"], value_rate=0.01, **SMALL)
    simulators = TreeSimulator(tree), tf.RulesSimulator(Listed(tree.rules), labels_of(tree))
    solvers = [tf.make_solver(simulator, method, seed=4) for simulator in simulators]
    for solver in solvers:
        solver.advance(400)
    one, other = (solver.state() for solver in solvers)
    assert set(one) == set(other) and one["0.numbers"][2] > 0  # networks have learned
    assert all(np.array_equal(one[name], other[name]) for name in one if name != "position")
    with pytest.raises(tf.SolverError, match="encoded=True"):
        solvers[1].average().strategy(0, tree.keys[0], tree.labels(0))


def test_runs_over_rules_go_on_to_the_bit(tmp_path):
    """Views encoded: kept and gone on with as if never interrupted; the policy is that of a profile of the tree."""
    game, tree = tf.load_game("leduc"), compiled("leduc")
    method = dataclasses.replace(tf.METHODS["nfsp-d"], value_rate=0.01, **SMALL)
    whole = tf.solve(tf.RulesSimulator(game, encoded=True), method, iterations=700, seed=3)
    begun = tf.solve(tf.RulesSimulator(game, encoded=True), method, iterations=300, seed=3, checkpoint=tmp_path / "run")
    assert (begun.judge, begun.held, begun.game.name) == (tf.Unjudged(), "simulated views", "leduc")
    found = tf.resume(tmp_path / "run", iterations=700)
    assert found.iterations == 700 and found.curve[-1].iteration == 700
    profiles = [tf.Profile.from_function(tree, solution.policy.strategy) for solution in (whole, found)]
    assert np.array_equal(profiles[0].probabilities, profiles[1].probabilities)
    assert not np.array_equal(profiles[0].probabilities, tf.Profile.uniform(tree).probabilities)
    greedy = tf.Profile.from_function(
        tree, tf.make_solver(tf.RulesSimulator(game, encoded=True), method).current().strategy
    )
    assert set(np.unique(greedy.probabilities)) == {0.0, 1.0}
    kept = tf.read_solution(tmp_path / "run", tf.Uncompiled(game))
    assert kept.iterations == 700 and kept.held == "simulated views" and not (tmp_path / "run" / "profile.npz").exists()
    for what in ("tree", "profile", "policy", "nash_conv", "values"):
        with pytest.raises(tf.SolverError):
            getattr(kept, what)
    for other in (tree, TreeSimulator(tree), tf.RulesSimulator(game)):
        with pytest.raises(tf.ParameterError, match=r"it cannot go on over|give the rules"):
            tf.resume(tmp_path / "run", game=other)
    narrow = tf.RulesSimulator(game, encoded=True, width=100)
    with pytest.raises(tf.RunError, match="is float32 of shape"):
        tf.resume(tmp_path / "run", game=narrow, iterations=800)
    with pytest.raises(tf.ParameterError, match="needs a compiled game"):
        tf.solve(tf.RulesSimulator(game), method, judge=tf.NashConv())


def test_runs_over_simulated_trees_are_judged_and_go_on(tmp_path):
    """As runs on trees: NashConv, a profile, and resume by name."""
    tree = compiled("kuhn")
    method = dataclasses.replace(tf.METHODS["nfsp-d"], **SMALL)
    tf.solve(TreeSimulator(tree), method, iterations=200, checkpoint=tmp_path / "run")
    found, whole = tf.resume(tmp_path / "run", iterations=500), tf.solve(TreeSimulator(tree), method, iterations=500)
    assert np.array_equal(found.profile.probabilities, whole.profile.probabilities)
    assert found.nash_conv == tf.nash_conv(tree, found.profile) and found.held == "simulated tree"
    assert tf.read_solution(tmp_path / "run", tree).nash_conv == pytest.approx(found.nash_conv)


def test_koikoi_is_learned_over_its_rules(tmp_path):
    """It starts, its networks step, and its run goes on: no tree could hold it."""
    simulator = tf.RulesSimulator(tf.load_game("koikoi"))
    method = dataclasses.replace(tf.METHODS["nfsp"], **SMALL)
    found = tf.solve(simulator, method, iterations=12, checkpoint=tmp_path / "run")
    assert found.iterations == 12 and found.judge == tf.Unjudged() and found.nodes == 0
    more = tf.resume(tmp_path / "run", iterations=20)
    games = simulator.deal(1, np.random.default_rng(0))
    actions = simulator.game.rules.actions(games[0].state)
    chances = more.policy.strategy(0, simulator.game.rules.view(games[0].state, 0), actions)
    judge = tf.HeadToHead(tf.RandomAgent(), deals=2)
    assert tf.solve(simulator, method, iterations=1, judge=judge).curve[-1].high > -100
    assert len(chances) == len(actions) == 8 and sum(chances) == pytest.approx(1) and len(set(chances)) > 1


def test_what_needs_a_tree_is_refused(leduc):
    for name in ("fsp-even-d", "nfsp-lua"):
        with pytest.raises(tf.ParameterError, match="over simulators"):
            dense.DenseNfspSolver(TreeSimulator(leduc), tf.METHODS[name])
    with pytest.raises(tf.SolverError, match="no games"):
        dense.DenseNfspSolver(TreeSimulator(leduc), tf.METHODS["nfsp"]).average()


def test_dense_on_the_command_line(tmp_path, monkeypatch):
    """What is compiled is judged by NashConv; Koi-Koi, which is not, starts, goes on and can be looked at."""
    monkeypatch.chdir(tmp_path)

    def tefuda(*arguments, code=0):
        result = CliRunner().invoke(app, [*map(str, arguments)])
        assert result.exit_code == code, result.output
        return result

    small = ["--tables", 8, "--behaviour", 100, "--transitions", 100]
    found = tefuda("solve", "kuhn", "--method", "nfsp", "--dense", "--iterations", 20, *small, "--out", "k", "--json")
    assert json.loads(found.stdout.splitlines()[-1])["held"] == "simulated tree"
    assert "NashConv" in tefuda("solve", "--resume", "k", "--iterations", 30).stdout
    found = tefuda("solve", "koikoi", "--dense", "--iterations", 3, *small, "--out", "whole")
    assert "Going by the rules" in found.stderr and "unjudged" in found.stdout
    more = json.loads(tefuda("solve", "--resume", "whole", "--iterations", 6, "--json").stdout.splitlines()[-1])
    assert (more["iterations"], more["held"], more["judge"]) == (6, "compiled rules", {"name": "none"})
    assert "6 games of nfsp" in tefuda("show", "whole").stdout
    assert "no table of its infosets" in tefuda("show", "whole", "--all", code=2).stderr


def test_checkpoints_hold_what_is_filled_and_no_more(leduc):
    """Memories of two million rows that hold a few make a small state; rows that were never seen are refused."""
    solver = dense.DenseNfspSolver(TreeSimulator(leduc), dataclasses.replace(tf.METHODS["nfsp"], tables=4))
    solver.advance(20)
    state = solver.state()
    assert (
        sum(array.nbytes for array in state.values()) < 1e6 and len(state["0.ring.unit"]) == solver._seats[0].ring.seen
    )
    fresh = dense.DenseNfspSolver(TreeSimulator(leduc), dataclasses.replace(tf.METHODS["nfsp"], tables=4))
    for name in ("0.ring.unit", "1.reservoir.before"):
        with pytest.raises(tf.RunError, match="rows of"):
            fresh.restore({**state, name: state[name][:-1]})
    fresh.restore(state)
    assert all(np.array_equal(array, state[name]) for name, array in fresh.state().items())
