"""Neural fictitious self-play: gradients, data flow, memories, schedules, training."""

import numpy as np
import pytest

import tefuda as td
from tefuda._kernels.learned import nfsp as kernels
from tefuda._kernels.learned import training
from tefuda.forms.features import infoset_features
from tefuda.settings import with_options
from tefuda.solvers.learned import nfsp
from tests.conftest import compiled, preset
from tests.oracle import dense_gradient
from tests.spread import bar

SMALL = {
    "tables": 8,
    "batch": 16,
    "transitions": 500,
    "behaviour": 100,
    "min_rows": 20,
    "hidden": 16,
    "target_every": 7,
}


class Twin:
    """Independent implementation: one decision at a time in Python, with the kernel's random numbers."""

    def __init__(self, solver):
        tree, method = solver.tree, solver.method
        self.solver, self.tree, self.method = solver, tree, method
        self.greedy, self.policy = solver._tabulated()
        self.random_source, self.node = (
            training.RandomSource(*map(np.copy, solver._run.random_source)),
            solver._run.tables.node.copy(),
        )
        self.mode = [[None] * tree.players for _ in self.node]
        self.last = [[None] * tree.players for _ in self.node]
        self.transitions = [[] for _ in range(tree.players)]
        self.behaviour = [[] for _ in range(tree.players)]
        self.games = 0

    def next_uniform(self):
        return training.next_uniform(self.random_source.generator)

    def follow_chance(self, node):
        return int(kernels.deal(self.solver._run.game, node, self.random_source))

    def decide(self, table, epsilon):
        tree, inputs, method = self.tree, self.solver._run.inputs, self.method
        node = int(self.node[table])
        infoset, player = int(tree.infoset[node]), int(tree.player[node])
        if self.mode[table][player] is None:
            self.mode[table][player] = "respond" if self.next_uniform() < method.eta else "average"
        allowed = np.flatnonzero(inputs.legal[infoset]) if method.masked else np.arange(inputs.legal.shape[1])
        if self.mode[table][player] == "respond":
            explored = self.next_uniform() < epsilon
            unit = int(allowed[int(self.next_uniform() * len(allowed))]) if explored else int(self.greedy[infoset])
            if method.exploration.keep_exploration or not explored:
                self.behaviour[player].append((infoset, unit))
        else:
            left, unit = self.next_uniform(), -1
            for u, chance in enumerate(self.policy[infoset].tolist()):
                if unit < 0 and left < chance > 0:
                    unit = u
                left -= chance
        assert unit in allowed
        if self.last[table][player] is not None:
            self.transitions[player].append((*self.last[table][player], 0.0, infoset))
        self.last[table][player] = (infoset, unit)
        node = self.follow_chance(int(tree.first_child[node]) + int(inputs.action[infoset, unit]))
        if tree.player[node] == td.TERMINAL:
            self.games += 1
            payoffs = tree.payoffs[np.searchsorted(tree.terminals, node)]
            for seat, last in enumerate(self.last[table]):
                if last is not None:
                    self.transitions[seat].append((*last, float(np.float32(payoffs[seat] * method.scale)), -1))
            self.mode[table], self.last[table] = [None] * tree.players, [None] * tree.players
            node = self.follow_chance(0)
        self.node[table] = node


def altered(method, **options):
    """Return a method with changed options."""
    return with_options(method, options)


@pytest.mark.parametrize("name, parameters", [("leduc", {}), ("kuhn", {"players": 3})])
@pytest.mark.parametrize("method", ["nfsp-a", "nfsp-c", "nfsp-d", "nfsp-lua"])
def test_data_flow(method, name, parameters):
    """Every transition is stored, behaviour of best responses only; exploration depends on the preset."""
    value = altered(preset(method), min_rows=10**8, eta=0.4, epsilon=0.3, schedule="constant", tables=16)
    solver = td.make_solver(compiled(name, **parameters), value, seed=5)
    twin = Twin(solver)
    solver.advance(400)
    for _ in range(solver.steps):
        for table in range(16):
            twin.decide(table, value.exploration.epsilon)
    assert twin.games >= 400 and np.array_equal(twin.node, solver._run.tables.node)
    ring = solver._run.ring
    for player in range(solver.tree.players):
        stored = ring[player, : len(twin.transitions[player])].tolist()
        assert [tuple(row) for row in stored] == twin.transitions[player]
        behaved = [divmod(row, 3 if name == "leduc" else 2) for row in solver._run.reservoir[player].tolist()]
        assert behaved[: len(twin.behaviour[player])] == twin.behaviour[player]
        assert solver._run.counts[player, training.OFFERED] == len(twin.behaviour[player])


@pytest.mark.parametrize("weighting", [0, 1.5])
def test_reservoir_is_uniform_or_weighted(leduc, weighting):
    """After 600 offers to 100 places, each thirtieth of the offers has the expected counts (chi-square).

    An offer is stored with its chance, and stays unless a later one takes its place.
    """
    run = td.make_solver(leduc, altered(td.METHODS["nfsp"], behaviour=100, policy_weighting=weighting), seed=1)._run
    stored = np.minimum(100 / np.maximum(100, np.floor(np.arange(1, 601) / (1 + weighting))), 1.0)
    stays = np.append(np.cumprod((1 - stored / 100)[:99:-1])[-2::-1], 1.0)  # from the 101st offer on
    share = np.append(np.full(100, stays[0] * (1 - stored[100] / 100)), stored[100:] * stays)
    counts = np.zeros(30)
    for _ in range(150):
        run.counts[:], run.statistics.imitated[:] = 0, 0
        for item in range(600):
            kernels.offer_to_reservoir(run, 0, item // 20, 0)
        counts += np.bincount(run.reservoir[0] // 3, minlength=30)
        assert np.array_equal(run.statistics.imitated[:30, 0], np.bincount(run.reservoir[0] // 3, minlength=30))
    expected = 150 * share.reshape(30, -1).sum(axis=1)
    assert expected.sum() == pytest.approx(150 * 100) and (weighting or np.ptp(expected) < 1e-9)
    assert ((counts - expected) ** 2 / expected).sum() < 58.3  # chi-square, 29 degrees of freedom, p = .001


def test_ring_keeps_the_last_in_order():
    """The ring contains the last C transitions in order."""
    solver = td.make_solver(compiled("leduc"), altered(td.METHODS["nfsp"], transitions=50, min_rows=10**8), seed=1)
    long = td.make_solver(compiled("leduc"), altered(td.METHODS["nfsp"], min_rows=10**8), seed=1)
    solver.advance(300)
    long.advance(300)
    for player in (0, 1):
        seen = int(long._run.counts[player, training.STORED])
        kept = np.arange(seen - 50, seen)
        assert np.array_equal(solver._run.ring[player, kept % 50], long._run.ring[player, kept])


#: Schedule, epsilon, exploration in the averages, steps between targets, illegal units included.
CONDITIONS = {
    "nfsp": ("inverse root", 0.06, True, 300, True),  # Heinrich and Silver 2016, section 4
    "nfsp-lua": ("released", 0.06, True, 0, False),  # their code
    "nfsp-a": ("inverse root", 0.06, True, 300, True),  # the four conditions of kawamura2018
    "nfsp-b": ("inverse root", 0.06, False, 300, True),
    "nfsp-c": ("constant", 0.1, True, 300, True),
    "nfsp-d": ("constant", 0.1, False, 300, True),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions(name):
    method = preset(name)
    explored = method.exploration
    found = (explored.schedule, explored.epsilon, explored.keep_exploration, method.values.target_every, method.masked)
    assert found == CONDITIONS[name] and (method.eta, method.values.batch, method.hidden) == (0.1, 128, 64)
    assert (method.values.rate, method.policy.rate) == (0.1, 0.005)
    assert (method.values.transitions, method.policy.behaviour) == (200_000, 2_000_000)


SCHEDULES = [
    ("nfsp-a", {1: 0.06, 10_000: 0.0006, 360_000: 0.0001}),
    ("nfsp-b", {1: 0.06, 10_000: 0.0006}),
    ("nfsp-lua", {1: 0.06 / 1.01, 10_000: 0.03, 360_000: 0.06 / 7}),
    ("nfsp-c", {1: 0.1, 360_000: 0.1}),
    ("nfsp-d", {1: 0.1, 360_000: 0.1}),
]


@pytest.mark.parametrize("name, rates", SCHEDULES)
def test_exploration_schedules(name, rates):
    for iteration, rate in rates.items():
        assert preset(name).exploration_rate(iteration) == pytest.approx(rate, abs=1e-12)


def test_update_schedule():
    """Count steps of each network: none before `min_rows` rows, a refit every 7 value steps."""
    method = altered(td.METHODS["nfsp"], **SMALL | {"min_rows": 100}, value_updates=3, policy_updates=2)
    solver = td.make_solver(compiled("leduc"), method, seed=1)
    run, owner = solver._run, compiled("leduc").infoset_player
    counters, counts, begun = run.counters, run.counts, np.zeros((2, 2), dtype=int)
    for _ in range(300):
        earlier, before, target = counters.copy(), counts.copy(), run.cached.target.copy()
        # Run until the next game is over: one iteration or several, with or without enough rows.
        solver.iterations = int(counters[training.GAMES])
        solver.advance(1)
        iterations = counters[training.ITERATION] - earlier[training.ITERATION]
        for player in (0, 1):
            for kind, (memory, steps, each) in enumerate(
                ((training.STORED, training.VALUE_STEPS, 3), (training.OFFERED, training.POLICY_STEPS, 2))
            ):
                done = counts[player, steps] - before[player, steps]
                if before[player, memory] > 100:
                    assert done == each * iterations
                elif counts[player, memory] <= 100:
                    assert done == 0
                elif iterations == 1:
                    assert done == each  # the rows of this iteration are included
                    begun[kind, player] += 1
            refits = counts[player, training.VALUE_STEPS] // 7 - before[player, training.VALUE_STEPS] // 7
            changed = (run.cached.target != target)[owner == player].any()
            assert changed == (refits > 0)
    assert (begun.sum(axis=1) >= 1).all()


@pytest.mark.parametrize("target_every", [0, 2])
def test_targets_of_value_steps(target_every):
    """In minibatches of four steps, targets use the network before each step, or of two steps ago."""
    settings = SMALL | {"min_rows": 10**8, "batch": 40, "target_every": target_every}
    solver = td.make_solver(compiled("leduc"), altered(td.METHODS["nfsp"], **settings), seed=3)
    solver.advance(300)
    run, size = solver._run, min(500, int(solver._run.counts[0, training.STORED]))
    assert size == 500
    target = [array.copy() for array in run.networks.value.net]
    for step in range(4):
        old = [array.copy() for array in run.networks.value.net]
        if target_every == 0 or step % target_every == 0:
            target = old
        w1, b1, w2, b2 = (np.asarray(array[0], dtype=np.float64) for array in target)
        values = np.maximum(infoset_features(solver.tree) @ w1 + b1, 0) @ w2.T + b2
        best = np.where(run.inputs.legal, values, -np.inf).max(axis=1)
        random, rows = run.random_source.generator.copy(), []
        for _ in range(40):
            infoset, unit, reward, following = run.ring[0, int(training.next_uniform(random) * size)].tolist()
            rows.append((int(infoset), int(unit), reward + (best[int(following)] if following >= 0 else 0.0)))
        # dense_gradient reads the second player's entry.
        exact = dense_gradient(solver, rows, [array[::-1] for array in old], "value")
        training.learn_values(run, 0)
        for ours, was, gradient in zip(run.networks.value.net, old, exact, strict=True):
            assert was[0] - ours[0] == pytest.approx(0.1 * gradient, abs=1e-6)


def test_learning_rates_decay():
    """The rate is rate / (1 + iteration / decay), constant for 0, for each network separately."""
    assert training.decayed_rate(0.1, 100.0, 300) == pytest.approx(0.025)
    assert training.decayed_rate(0.1, 100.0, 0) == training.decayed_rate(0.1, 0.0, 300) == pytest.approx(0.1)
    for name in ("value", "policy"):
        method = altered(td.METHODS["nfsp"], **SMALL, **{f"{name}_decay": 1e-12})
        solver = td.make_solver(compiled("kuhn"), method, seed=1)
        moved = {}
        for net in ("value", "policy"):
            moved[net] = [array.copy() for array in getattr(solver._run.networks, net).net]
        solver.advance(400)
        for net, before in moved.items():
            far = max(
                np.abs(ours - was).max()
                for ours, was in zip(getattr(solver._run.networks, net).net, before, strict=True)
            )
            assert (far < 1e-9) == (net == name), (net, far)


def test_results_depend_on_the_seed_only(leduc):
    """The result depends on the seed only, and no global generator is used."""
    before = np.random.get_state()[1].copy()
    method = altered(td.METHODS["nfsp"], **SMALL)
    one, other = td.make_solver(leduc, method, seed=9), td.make_solver(leduc, method, seed=9)
    one.advance(3000)
    for games in (1, 999, 1500, 500):
        other.advance(games)
    assert all(np.array_equal(array, other.state()[name]) for name, array in one.state().items())
    third = td.make_solver(leduc, method, seed=9)
    third.restore(one.state())
    third.advance(500)
    one.advance(500)
    assert np.array_equal(one.average().probabilities, third.average().probabilities)
    assert not np.array_equal(
        one.average().probabilities, td.solve(leduc, method, iterations=3500, seed=8).strategy.probabilities
    )
    assert np.array_equal(before, np.random.get_state()[1])


def test_values_in_a_table_learn_as_by_hand():
    """The table equals Q-learning over the stored transitions, one after another."""
    method = altered(preset("fsp-even-d"), tables=16, min_rows=10**8, table_rate=1.5)
    solver = td.make_solver(compiled("leduc"), method, seed=5)
    solver.advance(400)
    run, value = solver._run, np.zeros(solver._run.statistics.value.shape)
    visits = np.zeros_like(run.statistics.visits)
    for player in range(2):
        seen = int(run.counts[player, training.STORED])
        for row in run.ring[player, :seen]:
            infoset, unit, following, reward = *row[[0, 1, 3]].astype(int), row[2]
            legal = np.flatnonzero(run.inputs.legal[following])
            target = reward + (value[following, legal].max() if following >= 0 else 0.0)
            visits[infoset, unit] += 1
            rate = min(1.0, 1.5 * visits[infoset, unit] ** -0.65)
            value[infoset, unit] += rate * (target - value[infoset, unit])
    assert np.array_equal(run.statistics.visits, visits) and visits.sum() > 1000
    assert run.statistics.value == pytest.approx(value, abs=1e-5)  # rewards are stored in float32


def test_low_discrepancy_draws_have_their_frequencies():
    """Each deal of Leduc occurs within 2 of its expectation; random deals would stray by some 30."""
    tree = compiled("leduc")
    run = td.make_solver(tree, altered(preset("fsp-even-d"), min_rows=10**8), seed=1)._run
    first, count = int(tree.first_child[0]), int(tree.child_count[0])
    before, dealt = run.random_source.rotors[0, 0], np.zeros(count)
    for _ in range(20_000):
        node = kernels.deal(run.game, 0, run.random_source)
        while tree.parent[node] != 0:
            node = tree.parent[node]
        dealt[node - first] += 1
    assert run.random_source.rotors[0, 0] != before
    assert np.abs(dealt - 20_000 * tree.chance[first : first + count]).max() < 2


def test_the_whole_memory_is_one_large_minibatch(leduc):
    """A step on the whole behaviour memory equals its dense gradient."""
    method = altered(preset("fsp-even-d"), min_rows=10**8)
    solver = td.make_solver(leduc, method, seed=2)
    solver.advance(300)
    run, before = solver._run, [array.copy() for array in solver._run.networks.policy.net]
    rows = [(*divmod(row, 3), 0.0) for row in run.reservoir[1, : run.counts[1, training.OFFERED]].tolist()]
    exact = dense_gradient(solver, rows, before, "policy")
    training.learn_policy(run, 1)
    for ours, old, gradient in zip(run.networks.policy.net, before, exact, strict=True):
        assert old[1] - ours[1] == pytest.approx(method.policy.rate * gradient, abs=1e-6)


#: Mean and deviation of NashConv over eight seeds, the same on a generic processor.
TRAINED = [
    ("nfsp-d", "kuhn", {}, 500_000, 0.183, 0.019),
    ("nfsp-d", "kuhn", {"players": 3}, 300_000, 0.364, 0.011),
    ("fsp-even-d", "rps", {}, 200_000, 0.0023, 0.0006),
    ("fsp-even-d", "kuhn", {}, 200_000, 0.0146, 0.0018),
    ("fsp-even-d", "kuhn", {"players": 3}, 200_000, 0.0343, 0.0033),
]


@pytest.mark.learner
@pytest.mark.parametrize("method, name, parameters, games, mean, deviation", TRAINED)
def test_other_games_train(method, name, parameters, games, mean, deviation):
    tree = compiled(name, **parameters)
    solver = td.make_solver(tree, nfsp.scale_rewards(tree, preset(method)), seed=1)
    solver.advance(games)
    assert td.nash_conv(solver.average()) <= bar(mean, deviation)


@pytest.mark.learner
@pytest.mark.parametrize("name", ["nfsp-a", "nfsp-d"])
def test_leduc_after_a_hundred_thousand_games(leduc, name):
    """Eight seeds: mean 3.38, deviation .11; uniform play has 4.75, 50,000 games 4.04 to 4.43."""
    solver = td.make_solver(leduc, name, seed=2)
    solver.advance(100_000)
    assert abs(td.nash_conv(solver.average()) - 3.38) <= bar(0, 0.11)


@pytest.mark.slow
@pytest.mark.learner
def test_leduc_after_a_million_games(leduc):
    """Conditions A and D reach 1.1 +- .35."""
    for name in ("nfsp-a", "nfsp-d"):
        solver = td.make_solver(leduc, name, seed=2)
        solver.advance(1_000_000)
        assert 0.75 <= td.nash_conv(solver.average()) <= 1.45


@pytest.mark.slow
@pytest.mark.learner
def test_ten_million_games(leduc):
    """One seed of each condition, faithful and with low-discrepancy draws; takes about six minutes."""
    found = {}
    for name in "abcd":
        for kind in ("nfsp", "fsp-even"):
            solver = td.make_solver(leduc, preset(f"{kind}-{name}"), seed=1)
            solver.advance(10_000_000)
            found[name if kind == "nfsp" else f"even {name}"] = td.nash_conv(solver.average())
            if kind == "nfsp" and name in "ac":
                offered = np.mean(solver._run.counts[:, training.OFFERED])
                assert 2.05e6 <= offered <= 2.55e6  # 2.64e6 in the first seat, 1.92e6 in the second
    assert max(found["a"], found["b"], found["d"]) < 0.5 and min(found["c"], found["even c"]) > 0.1693
    assert found["c"] - max(found["a"], found["d"]) >= 0.1
    assert all(found[f"even {name}"] < found[name] / 3 for name in "abd")
    assert max(found["even a"], found["even b"], found["even d"]) < 0.06


def test_runs_under_a_custom_name_resume(tmp_path):
    """A run under the user's own method name resumes bit for bit."""
    tree = compiled("kuhn")
    method = altered(preset("fsp-even-d"), name="my-own", tables=32)
    folder = tmp_path / "run"
    td.solve(tree, method, iterations=2000, checkpoint=folder)
    found = td.resume(folder, game=tree, iterations=4000)
    straight = td.solve(tree, method, iterations=4000)
    assert found.method == method.parameters() and found.iterations == 4000
    assert np.array_equal(found.strategy.probabilities, straight.strategy.probabilities)


def test_wrong_values_are_refused():
    for options, words in (
        ({"eta": 0}, "eta is 0"),
        ({"schedule": "none"}, "inverse root"),
        ({"hidden": 0}, "hidden is 0"),
    ):
        with pytest.raises(td.errors.ParameterError, match=words):
            td.find_method("nfsp", options)
    with pytest.raises(td.errors.SolverError, match="no games"):
        td.make_solver(compiled("rps"), altered(td.METHODS["nfsp"], **SMALL)).average()
