"""Self-play over simulators, compared with self-play over a tree; simulators compared with the rules."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda._kernels.learned import observed
from tefuda._kernels.learned.network import uniform_integer
from tefuda._kernels.learned.training import OFFERED, STORED, VALUE_STEPS, next_uniform
from tefuda.apps.cli import app
from tefuda.forms.simulate import TreeSimulator
from tefuda.settings import with_options
from tefuda.solvers.learned.observed import ObservedNfspSolver
from tefuda.solvers.runs import driver
from tests.conftest import compiled, preset
from tests.simulated import SMALL, Listed, labels_of
from tests.spread import bar


def altered(method, **options):
    """Return a method with changed options."""
    return with_options(method, options)


@pytest.mark.learner
def test_dense_learns_as_the_compiled_loop_does(leduc):
    """NashConv on Leduc after 40,000 games has equal means: 2.63 and 2.62 over eight seeds, from 4.7.

    The deviations are .09 and .11, that of the difference .11.
    """
    method = altered(td.METHODS["nfsp-d"], policy_rate=0.05, eta=0.3)
    dense, fused = ObservedNfspSolver(TreeSimulator(leduc), method, 1), td.make_solver(leduc, method, seed=1)
    for solver in (dense, fused):
        solver.advance(40_000)
    found = [td.nash_conv(solver.average()) for solver in (dense, fused)]
    assert max(found) <= bar(2.63, 0.11) and abs(found[0] - found[1]) <= bar(0, 0.11)


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_resuming_is_exact(leduc, optimiser, tmp_path):
    """Restored states and resumed runs equal the uninterrupted run."""
    method = altered(td.METHODS["nfsp-d"], optimiser=optimiser, value_rate=0.01, **SMALL)
    one, other = (ObservedNfspSolver(TreeSimulator(leduc), method, seed=3) for _ in range(2))
    one.advance(500)
    other.restore(one.state())
    for solver in (one, other):
        solver.advance(300)
    assert all(np.array_equal(array, other.state()[name]) for name, array in one.state().items())
    solution = driver.drive(other, driver.Goal(iterations=1000), record=driver.Record(tmp_path / "run"))
    assert solution.iterations == 1000 and (tmp_path / "run" / "checkpoint.npz").exists()


def test_a_run_over_rules_is_the_run_over_the_tree():
    """On 3-player Leduc, networks are equal to the bit and the profile is the same."""
    tree = compiled("leduc", players=3)
    method = altered(td.METHODS["nfsp-d"], value_rate=0.01, **SMALL)
    simulators = TreeSimulator(tree), td.forms.RulesSimulator(Listed(tree.game), labels_of(tree))
    solvers = [td.make_solver(simulator, method, seed=4) for simulator in simulators]
    for solver in solvers:
        solver.advance(400)
    one, other = (solver.state() for solver in solvers)
    assert set(one) == set(other) and one["counts"][0, VALUE_STEPS] > 0  # networks have learned
    assert all(np.array_equal(one[name], other[name]) for name in one if name != "position")
    with pytest.raises(td.errors.SolverError, match="encoded=True"):
        solvers[1].average().strategy(0, tree.keys[0], tree.labels(0))


def test_runs_over_rules_resume_bit_for_bit(tmp_path):
    """Runs over encoded views resume exactly; the policy equals that of the tree's profile."""
    game, tree = td.load_game("leduc"), compiled("leduc")
    method = altered(td.METHODS["nfsp-d"], value_rate=0.01, **SMALL)
    whole = td.solve(td.forms.RulesSimulator(game, encoded=True), method, iterations=700, seed=3)
    begun = td.solve(
        td.forms.RulesSimulator(game, encoded=True), method, iterations=300, seed=3, checkpoint=tmp_path / "run"
    )
    assert (begun.evaluator, begun.form.source, begun.form.name) == (td.NoEvaluation(), "views", "leduc")
    found = td.resume(tmp_path / "run", iterations=700)
    assert found.iterations == 700 and found.curve[-1].iteration == 700
    profiles = [td.Profile.from_function(tree, solution.strategy.strategy) for solution in (whole, found)]
    assert np.array_equal(profiles[0].probabilities, profiles[1].probabilities)
    assert not np.array_equal(profiles[0].probabilities, td.Profile.uniform(tree).probabilities)
    greedy = td.Profile.from_function(
        tree, td.make_solver(td.forms.RulesSimulator(game, encoded=True), method).current().strategy
    )
    assert set(np.unique(greedy.probabilities)) == {0.0, 1.0}
    kept = td.load(tmp_path / "run", td.RulesForm(game))
    assert kept.iterations == 700 and kept.form.source == "views" and not (tmp_path / "run" / "profile.npz").exists()
    for what in ("tree", "nash_conv", "values"):
        with pytest.raises(td.errors.SolverError):
            getattr(kept, what)
    for other in (tree, TreeSimulator(tree), td.forms.RulesSimulator(game)):
        with pytest.raises(td.errors.ParameterError, match=r"resumed with its form|give the rules"):
            td.resume(tmp_path / "run", game=other)
    narrow = td.forms.RulesSimulator(game, encoded=True, width=100)
    with pytest.raises(td.errors.RunError, match="is float32 of shape"):
        td.resume(tmp_path / "run", game=narrow, iterations=800)
    with pytest.raises(td.errors.ParameterError, match="needs a compiled game"):
        td.solve(td.forms.RulesSimulator(game), method, evaluator=td.NashConv())


def test_runs_over_simulated_trees_are_evaluated_and_resumed(tmp_path):
    """Runs over simulated trees have NashConv and a profile, and resume by name."""
    tree = compiled("kuhn")
    method = altered(td.METHODS["nfsp-d"], **SMALL)
    td.solve(TreeSimulator(tree), method, iterations=200, checkpoint=tmp_path / "run")
    found, whole = td.resume(tmp_path / "run", iterations=500), td.solve(TreeSimulator(tree), method, iterations=500)
    assert np.array_equal(found.strategy.probabilities, whole.strategy.probabilities)
    assert found.nash_conv == td.nash_conv(found.strategy) and found.form.source == "tree"
    assert td.load(tmp_path / "run", tree).nash_conv == pytest.approx(found.nash_conv)


def test_koikoi_is_learned_over_its_rules(tmp_path):
    """Koi-Koi, too large for a tree, starts, trains its networks, and resumes."""
    simulator = td.forms.RulesSimulator(td.load_game("koikoi"))
    method = altered(td.METHODS["nfsp"], **SMALL)
    found = td.solve(simulator, method, iterations=12, checkpoint=tmp_path / "run")
    assert found.iterations == 12 and found.evaluator == td.NoEvaluation() and found.nodes == 0
    more = td.resume(tmp_path / "run", iterations=20)
    games = simulator.deal(1, np.random.default_rng(0))
    actions = simulator.game.actions(games[0].state)
    chances = more.strategy.strategy(0, simulator.game.view(games[0].state, 0), actions)
    evaluator = td.HeadToHead(td.RandomAgent(), deals=2)
    assert td.solve(simulator, method, iterations=1, evaluator=evaluator).curve[-1].high > -100
    assert len(chances) == len(actions) == 8 and sum(chances) == pytest.approx(1) and len(set(chances)) > 1


def test_settings_that_need_a_tree_are_refused(leduc):
    for name in ("fsp-even-d", "nfsp-lua"):
        with pytest.raises(td.errors.ParameterError, match="over simulators"):
            ObservedNfspSolver(TreeSimulator(leduc), preset(name))
    with pytest.raises(td.errors.SolverError, match="no games"):
        ObservedNfspSolver(TreeSimulator(leduc), td.METHODS["nfsp"]).average()


def test_dense_on_the_command_line(tmp_path, monkeypatch):
    """Compiled games are evaluated by NashConv; Koi-Koi starts, resumes and is shown without it."""
    monkeypatch.chdir(tmp_path)

    def tefuda(*arguments, code=0):
        result = CliRunner().invoke(app, [*map(str, arguments)])
        assert result.exit_code == code, result.output
        return result

    small = ["--tables", 8, "--behaviour", 100, "--transitions", 100]
    found = tefuda(
        "solve", "kuhn", "--method", "nfsp", "--as", "simulator", "--iterations", 20, *small, "--out", "k", "--json"
    )
    assert json.loads(found.stdout.splitlines()[-1])["form"] == {"representation": "simulator", "source": "tree"}
    assert "NashConv" in tefuda("solve", "--resume", "k", "--iterations", 30).stdout
    with pytest.warns(RuntimeWarning, match="Using the rules instead"):
        found = tefuda("solve", "koikoi", "--as", "simulator", "--iterations", 3, *small, "--out", "whole")
    assert "unevaluated" in found.stdout
    more = json.loads(tefuda("solve", "--resume", "whole", "--iterations", 6, "--json").stdout.splitlines()[-1])
    assert (more["iterations"], more["form"]["source"], more["evaluator"]) == (6, "own", {"name": "none"})
    assert "6 games of nfsp" in tefuda("show", "whole").stdout
    assert "no table of infosets" in tefuda("show", "whole", "--all", code=2).stderr
    met = tefuda("match", "whole", "--agents", "whole,random", "--deals", 1, "--json")
    assert json.loads(met.stdout.splitlines()[-1])["agents"] == ["whole", "random"]
    with pytest.warns(RuntimeWarning, match="Using the rules instead"):
        tefuda("solve", "goofspiel", "--cards", 9, "--as", "simulator", "--iterations", 20, *small, "--out", "cards")
    assert "cards" in tefuda("match", "cards", "--agents", "cards,random", "--deals", 1).stdout  # sees views


def test_checkpoints_contain_filled_rows_only(leduc):
    """Memories of two million rows with few filled make a small state; impossible states are refused."""
    method = altered(td.METHODS["nfsp"], tables=4)
    solver, fresh = (ObservedNfspSolver(TreeSimulator(leduc), method) for _ in range(2))
    solver.advance(20)
    state = solver.state()
    seen = int(state["counts"][:, STORED].max())
    assert sum(array.nbytes for array in state.values()) < 1e6 and state["ring.unit"].shape == (2, seen)
    assert state["tables.observation.value"].shape == (4, 2, 8)  # at most this many of 30 inputs were active
    for name in ("ring.unit", "reservoir.observation.value"):
        with pytest.raises(td.errors.RunError, match=r"is (int|float)32 of shape"):
            fresh.restore({**state, name: state[name][:, :-1]})
    with pytest.raises(td.errors.RunError, match="more or fewer rows"):
        fresh.restore({name: array[:, :-1] if name.startswith("ring.") else array for name, array in state.items()})
    for name, wrong in {
        "ring.observation.feature": 30,
        "ring.unit": -1,
        "reservoir.legal": 2,
        "tables.mode": 3,
    }.items():
        with pytest.raises(td.errors.RunError, match=name):
            fresh.restore({**state, name: np.full_like(state[name], wrong)})
    with pytest.raises(td.errors.RunError, match="games"):
        fresh.restore({**state, "iterations": np.array(2**40)})
    fresh.restore(state)
    assert all(np.array_equal(array, state[name]) for name, array in fresh.state().items())


def rows_of(seen, count, features):
    """Return stored observations `[P, n, K]` as rows `[P, count, F]`."""
    found = np.zeros((*seen.value.shape[:1], count, features), dtype=np.float32)
    for player, place in np.ndindex(*found.shape[:2]):
        for feature, value in zip(seen.feature[player, place], seen.value[player, place], strict=True):
            if value == 0:
                break
            found[player, place, feature] = value
    return found


def infosets_of(simulator, rows):
    """Return the infoset of each row, `[n]`; exactly one must match."""
    alike = (simulator.infoset_features[None] == rows[:, None]).all(axis=2)
    assert (alike.sum(axis=1) == 1).all()
    return alike.argmax(axis=1)


def possible_successors(simulator):
    """Return the player's possible next infosets by infoset and unit."""
    tree, found = simulator.tree, {}
    for node in np.flatnonzero(tree.player >= 0).tolist():
        at, above = node, int(tree.parent[node])
        while above >= 0 and tree.player[above] != tree.player[node]:
            at, above = above, int(tree.parent[above])
        if above >= 0:
            infoset, action = int(tree.infoset[above]), at - int(tree.first_child[above])
            unit = simulator.infoset_legal[infoset] & (simulator.infoset_action[infoset] == action)
            found.setdefault((infoset, int(unit.argmax())), set()).add(int(tree.infoset[node]))
    return found


def test_memories_contain_the_played_transitions(leduc, monkeypatch):
    """Each stored transition is in the tree; all behaviour of best responses is offered; memory grows."""
    monkeypatch.setattr("tefuda.solvers.learned.observed._SLOTS", 2)
    simulator = TreeSimulator(leduc)
    method = altered(td.METHODS["nfsp"], tables=8, transitions=200, behaviour=4000, min_rows=10**6, scale=0.5, eta=1.0)
    solver = ObservedNfspSolver(simulator, method, seed=2)
    solver.advance(300)
    run, follows, rewards = solver._run, possible_successors(simulator), []
    for player in range(2):
        seen, offered = (int(run.counts[player, kind]) for kind in (STORED, OFFERED))
        count = min(seen, 200)  # the ring has wrapped around
        before, after = (rows_of(one, count, 30)[player] for one in (run.ring.observation, run.ring.next_observation))
        unit, reward, legal = (one[player, :count] for one in (run.ring.unit, run.ring.reward, run.ring.legal))
        first, continues = infosets_of(simulator, before), legal.any(axis=1)
        assert (leduc.infoset_player[first] == player).all()
        assert not after[~continues].any() and not reward[continues].any()
        second = infosets_of(simulator, after[continues])
        assert (simulator.infoset_legal[second] == legal[continues]).all()
        assert all(b in follows[a, u] for a, u, b in zip(first[continues], unit[continues], second, strict=True))
        rewards.append(reward[~continues])
        met = infosets_of(simulator, rows_of(run.reservoir.observation, offered, 30)[player])
        assert simulator.infoset_legal[met, run.reservoir.unit[player, :offered]].all()
        assert (simulator.infoset_legal[met] == run.reservoir.legal[player, :offered]).all()
        assert (
            seen > count and offered == seen + (run.tables.unit[:, player] >= 0).sum()
        )  # the last transitions have no successor yet
    assert {0.5, 1.5, 3.5} <= set(np.abs(np.concatenate(rewards))) <= {0, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5}
    assert solver.games >= 300 and len(rewards[0]) <= solver.games  # a player who never acted has no rows


@pytest.mark.parametrize("keeps, offered", [(True, True), (False, False)])
def test_exploration_is_offered_by_setting(leduc, keeps, offered):
    """All of the play is exploration."""
    method = altered(
        td.METHODS["nfsp"], tables=4, eta=1.0, epsilon=1.0, schedule="constant", keep_exploration=keeps, behaviour=50
    )
    solver = ObservedNfspSolver(TreeSimulator(leduc), method)
    solver.advance(20)
    assert (solver._run.counts[0, OFFERED] > 0) == offered


@pytest.mark.parametrize("every", [0, 5])
def test_steps_are_those_of_dense_networks(leduc, every):
    """Q-learning and imitation by plain descent equal NumPy row by row."""
    method = altered(
        td.METHODS["nfsp"],
        **{**SMALL, "target_every": every},
        policy_batch=16,
        eta=0.5,
        value_rate=0.3,
        policy_rate=0.2,
    )
    solver = ObservedNfspSolver(TreeSimulator(leduc), method, seed=1)
    solver.advance(300)
    run, player = solver._run, 1
    assert run.counts[1, STORED] > 300 and run.counts[1, OFFERED] > 100  # both memories are full
    weights = {
        kind: [array[player].astype(np.float64) for array in net]
        for kind, net in (
            ("value", run.networks.value.net),
            ("policy", run.networks.policy.net),
            ("target", run.target),
        )
    }
    before, after = (rows_of(one, 300, 30)[player] for one in (run.ring.observation, run.ring.next_observation))
    seen, random = rows_of(run.reservoir.observation, 100, 30)[player], run.random_source.generator.copy()
    places = [int(uniform_integer(next_uniform(random), 300)) for _ in range(16)]
    _, ahead = outputs(weights["target" if every else "value"], after[places])
    legal = run.ring.legal[player, places].astype(bool)
    target = np.where(legal, ahead, -np.inf).max(axis=1)
    target = run.ring.reward[player, places] + np.where(legal.any(axis=1), target, 0)
    _, values = outputs(weights["value"], before[places])
    slopes = np.zeros_like(values)
    chosen = np.arange(16), run.ring.unit[player, places]
    slopes[chosen] = (values[chosen] - target) / 16
    values_after = stepped(weights["value"], before[places], slopes, 0.3)
    observed.learn_values(run, player)
    for array, expected in zip(run.networks.value.net, values_after, strict=True):
        assert array[player] == pytest.approx(expected, abs=2e-6)
    places = [int(uniform_integer(next_uniform(random), 100)) for _ in range(16)]
    _, scores = outputs(weights["policy"], seen[places])
    chances = np.exp(scores) * run.reservoir.legal[player, places]
    chances /= chances.sum(axis=1, keepdims=True)
    chances[np.arange(16), run.reservoir.unit[player, places]] -= 1
    policy_after = stepped(weights["policy"], seen[places], chances / 16, 0.2)
    observed.learn_policy(run, player)
    for array, expected in zip(run.networks.policy.net, policy_after, strict=True):
        assert array[player] == pytest.approx(expected, abs=2e-6)


def outputs(weights, rows):
    """Return the hidden layer and the outputs."""
    w1, b1, w2, b2 = weights
    hidden = np.maximum(rows @ w1 + b1, 0)
    return hidden, hidden @ w2.T + b2


def stepped(weights, rows, slopes, rate):
    """Return the weights after a descent step."""
    _, _, w2, _ = weights
    hidden, _ = outputs(weights, rows)
    back = (slopes @ w2) * (hidden > 0)
    down = rows.T @ back, back.sum(axis=0), slopes.T @ hidden, slopes.sum(axis=0)
    return [array - rate * slope for array, slope in zip(weights, down, strict=True)]
