"""Traversals level by level: exact expectations, equality with kernels, values without variance."""

from fractions import Fraction

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.simulate import TreeSimulator
from tefuda.games.protocol import CHANCE
from tefuda.games.small.matrix import Matrix
from tefuda.solvers.sampled import levels
from tests import oracle
from tests.conftest import compiled, own_reach
from tests.exact import exact_game, exact_regrets, exact_weights, random_strategy
from tests.sampling import Drawn, Enumerator
from tests.simulated import Listed


class Scripted(TreeSimulator):
    """Tree whose chance outcomes come from an enumerator."""

    def _after_chance(self, games, rng):
        for place, node in enumerate(games):
            while self.tree.player[node] == CHANCE:
                first, count = self.tree.first_child[node], self.tree.child_count[node]
                node = first + rng.choice([Fraction(p).limit_denominator(99) for p in self.tree.chance[first:][:count]])
            games[place] = node
        return games


def sample_each(probabilities, rng):
    return np.array(
        [rng.choice([Fraction(p).limit_denominator(9999) for p in row]) for row in probabilities], dtype=int
    )


def sample_subsets(legal, k, rng):
    """Choose k actions in turn, each with probability (still needed) / (still left)."""
    found = np.zeros_like(legal)
    for row, chosen in zip(legal, found, strict=True):
        wanted, units = k, np.flatnonzero(row)
        for place, unit in enumerate(units):
            take = min(Fraction(wanted, len(units) - place), Fraction(1))
            if rng.choice([take, 1 - take]) == 0:
                chosen[unit], wanted = True, wanted - 1
    return found


def by_table(simulator, table):
    """Strategies from probabilities by (player, key)."""
    tree = simulator.tree
    rows = np.zeros(simulator.infoset_legal.shape)
    for number in range(tree.infosets):
        found = table[int(tree.infoset_player[number]), tree.keys[number]]
        for unit in np.flatnonzero(simulator.infoset_legal[number]):
            rows[number, unit] = found[tree.labels(number)[simulator.infoset_action[number, unit]]]
    return lambda player, games, observations, legal: rows[tree.infoset[games]]


def environment_of(simulator, table, baseline=None):
    return levels.Environment(
        simulator, lambda games: simulator.tree.infoset[games][:, None], by_table(simulator, table), baseline
    )


def expectations(environment, player, scheme, estimate=levels.estimate_values):
    """Return mean regrets by (player, key, label) and mean weights by (player, key) of one traversal."""
    tree, gain, weight, mass = environment.simulator.tree, {}, {}, Fraction(0)
    rng, outcomes = Enumerator(), 0
    while True:
        found = levels.sample_levels(environment, player, 1, scheme, rng)
        estimate(found)
        chance = float(rng.prob)
        for one in zip(*levels.collect_decisions(found), strict=True):
            mover, (number,), legal, _, regret, q, _, _ = one
            name = (int(mover), tree.keys[number])
            if mover != player:
                weight[name] = weight.get(name, 0) + chance / q
            for unit in np.flatnonzero(legal) if mover == player else ():
                label = tree.labels(number)[environment.simulator.infoset_action[number, unit]]
                gain[(*name, label)] = gain.get((*name, label), 0) + chance * regret[unit] / q
        outcomes, mass = outcomes + 1, mass + rng.prob
        if not rng.advance():
            assert mass == 1
            return gain, weight, outcomes


def random_baseline(simulator):
    """Return a baseline of random numbers."""
    amounts = np.random.default_rng(5).integers(-4, 5, (2, len(simulator.tree.player), simulator.units)) / 2
    return lambda player, games: amounts[player, games]


def true_values(simulator, game, strategy):
    """Return the exact value of each action; before chance, the mean value."""
    tree, found = simulator.tree, np.zeros((2, len(simulator.tree.player), simulator.units))
    for node in np.flatnonzero(tree.player >= 0):
        number = tree.infoset[node]
        for unit in np.flatnonzero(simulator.infoset_legal[number]):
            child = tree.first_child[node] + simulator.infoset_action[number, unit]
            found[:, node, unit] = [float(v) for v in oracle.value(game, strategy, tree.state(int(child)))]
    return lambda player, games: found[player, games]


ALL_SCHEMES = [
    ("external", levels.External()),
    ("uniform 1", levels.Uniform(k=1)),
    ("uniform 2", levels.Uniform(k=2)),
    ("uniform all", levels.Uniform(k=99)),
    ("outcome", levels.Outcome(epsilon=0.25)),
]


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("baseline", [False, True])
@pytest.mark.parametrize("name", ["kuhn", "rps"])
@pytest.mark.parametrize("scheme", [one for _, one in ALL_SCHEMES], ids=[name for name, _ in ALL_SCHEMES])
def test_expected_regrets_are_exact(scheme, name, baseline, zeros, monkeypatch):
    """Expected regrets and weights of the average are exact with any baseline."""
    monkeypatch.setattr(levels, "sample_each", sample_each)
    monkeypatch.setattr(levels, "sample_subsets", sample_subsets)
    game, simulator = exact_game(name), Scripted(compiled(name))
    strategy, table = random_strategy(game, 1, zeros)
    environment = environment_of(simulator, table, random_baseline(simulator) if baseline else None)
    for player in (0, 1):
        gain, weight, outcomes = expectations(environment, player, scheme)
        exact = exact_regrets(game, strategy, player)
        assert all(gain.get(row, 0) == pytest.approx(float(regret), abs=1e-12) for row, regret in exact.items())
        expected = exact_weights(game, strategy, 1 - player)
        assert all(weight.get(row, 0) == pytest.approx(float(amount), abs=1e-12) for row, amount in expected.items())
        if scheme == levels.External() and not zeros:
            assert outcomes == {"kuhn": (24, 18), "rps": (27, 3)}[name][player]


@pytest.mark.parametrize("name", ["kuhn", "rps"])
def test_regrets_from_true_baselines_are_exact(name, monkeypatch):
    """With true values as baselines, expected regrets are exact under uniform sampling."""
    monkeypatch.setattr(levels, "sample_each", sample_each)
    game, simulator = exact_game(name), Scripted(compiled(name))
    strategy, table = random_strategy(game, 4)
    environment = environment_of(simulator, table, true_values(simulator, game, strategy))
    for player in (0, 1):
        gain, _, _ = expectations(environment, player, levels.Outcome(epsilon=1.0), levels.use_baseline_values)
        exact = exact_regrets(game, strategy, player)
        assert all(gain.get(row, 0) == pytest.approx(float(regret), abs=1e-12) for row, regret in exact.items())


def test_two_of_two_actions():
    """Payoffs 1 and 0 give regrets .5 and -.5; takizawa2020, algorithm 5, line 32 gives .5 twice."""
    simulator = TreeSimulator(td.compile_game(Matrix([[[1, -1], [1, -1]], [[0, 0], [0, 0]]])))
    half = levels.Environment(simulator, simulator.observe, lambda player, games, observations, legal: legal / 2)
    found = levels.sample_levels(half, 0, 1, levels.Uniform(k=2), np.random.default_rng(0))
    levels.estimate_values(found)
    rows = levels.collect_decisions(found)
    assert rows.regret[rows.player == 0].tolist() == [[0.5, -0.5]] and rows.q[0] == 1


@pytest.mark.parametrize("scheme", [one for _, one in ALL_SCHEMES], ids=[name for name, _ in ALL_SCHEMES])
def test_exact_baselines_leave_no_variance(scheme):
    """On Kuhn poker, exact baselines estimate each visited history at its true value."""
    game, simulator = exact_game("kuhn"), TreeSimulator(compiled("kuhn"))
    strategy, table = random_strategy(game, 3)
    environment = environment_of(simulator, table, true_values(simulator, game, strategy))
    for player in (0, 1):
        found = levels.sample_levels(environment, player, 200, scheme, np.random.default_rng(4))
        levels.estimate_values(found)
        for level in found:
            exact = [
                float(oracle.value(game, strategy, simulator.tree.state(int(node)))[player]) for node in level.positions
            ]
            assert np.allclose(level.values, exact, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "name, scheme, batch", [("kuhn", "external", 1), ("kuhn", "outcome", 3), ("leduc", "outcome", 2)]
)
def test_tables_are_the_tabular_solver(name, scheme, batch):
    """With tables as networks and the kernels' random numbers, regrets equal those of `SamplingSolver`."""
    tree, iterations = compiled(name), 40
    solver = td.make_solver(tree, td.solvers.Sampling("mine", scheme=scheme, batch=batch), seed=7)
    solver.advance(iterations)
    simulator = td.forms.RulesSimulator(Listed(tree.game), {"kuhn": "pb", "leduc": "fcr"}[name])
    regret = {key: np.zeros(simulator.units) for key in zip(tree.infoset_player.tolist(), tree.keys, strict=True)}

    def numbers(games):
        return np.array([[tree.numbers[game.mover, tree.game.view(game.state, game.mover)]] for game in games])

    def strategies(player, games, observations, legal):
        return levels.match_regrets(np.array([regret[player, tree.keys[number]] for (number,) in observations]), legal)

    environment = levels.Environment(simulator, numbers, strategies)
    for iteration in range(1, iterations + 1):
        for player in (0, 1):
            gains = []
            for walk in range(batch):
                rng = Drawn(solver._key, iteration, player + 1, walk)
                found = levels.sample_levels(environment, player, 1, levels.SCHEMES[scheme](), rng)
                levels.estimate_values(found)
                gains.append(levels.collect_decisions(found))
            for rows in gains:
                for mover, (number,), gain, q in zip(rows.player, rows.observations, rows.regret, rows.q, strict=True):
                    regret[int(mover), tree.keys[number]] += gain / q
    labels, kept = {"kuhn": "pb", "leduc": "fcr"}[name], solver.arrays()["regret"]
    for number in range(tree.infosets):
        mine = regret[int(tree.infoset_player[number]), tree.keys[number]]
        row = kept[tree.first_row[number] : tree.first_row[number + 1]]
        assert np.allclose([mine[labels.index(label)] for label in tree.labels(number)], row, rtol=1e-12, atol=1e-9)


def test_own_decisions_occur_by_own_reach():
    """With three players, counts of infosets are proportional to own reach, whatever the opponents do."""
    tree, walks = compiled("kuhn", players=3, cards=4), 20_000
    game, simulator = exact_game("kuhn", players=3, cards=4), TreeSimulator(tree)
    for seed in (8, 9):
        _, table = random_strategy(game, seed)
        rows = levels.sample_own_decisions(environment_of(simulator, table), 1, walks, np.random.default_rng(seed))
        assert (rows.player == 1).all() and (rows.q == 1).all() and not rows.regret.any()
        met = rows.observations[:, 0] == tree.numbers[1, "K|ppbp"]
        own, chance = table[1, "K|ppbp"], float(table[1, "K|p"]["p"]) / 32
        assert met.sum() / walks == pytest.approx(chance, abs=4.5 * np.sqrt(chance / walks))
        assert rows.strategy[met][0].tolist() == [float(p) for p in own.values()]


@pytest.mark.parametrize("scheme", ["external", "outcome"])
def test_decisions_contain_their_reach(scheme):
    """Reach is the profile's own reach; q and uniform_q are products of inclusion probabilities."""
    simulator = TreeSimulator(compiled("leduc", ranks=2, cap=1))
    tree, epsilon = simulator.tree, 0.3
    _, table = random_strategy(exact_game("leduc", ranks=2, cap=1), 5)
    rows = levels.collect_decisions(
        sampled_levels(
            environment_of(simulator, table),
            1,
            levels.Outcome(epsilon=epsilon) if scheme == "outcome" else levels.External(),
        )
    )
    profile = td.Profile.from_function(
        tree, lambda player, key, actions: [float(table[player, key][a]) for a in actions]
    )
    uniform = td.Profile.uniform(tree)
    mixed = epsilon * uniform.probabilities + (1 - epsilon) * profile.probabilities
    numbers = rows.observations[:, 0]
    own, uniform_q, sampled = (own_reach_of(tree, one) for one in (profile, uniform, td.Profile(tree, mixed)))
    assert np.allclose(rows.reach, own[numbers], rtol=1e-12)
    mine = rows.player == 1
    assert np.allclose(rows.uniform_q[mine], uniform_q[numbers[mine]], rtol=1e-12)
    assert np.allclose(rows.q[mine], sampled[numbers[mine]] if scheme == "outcome" else 1.0, rtol=1e-12)


def sampled_levels(environment, player, scheme):
    found = levels.sample_levels(environment, player, 50, scheme, np.random.default_rng(6))
    levels.estimate_values(found)
    return found


def own_reach_of(tree, profile):
    """Return the owner's reach of each infoset, `[I]`."""
    return own_reach(tree, profile)[tree.first_row[:-1]]


def test_unsampled_actions_have_regrets_too():
    """One choice of 1 or 0: mean regrets are +-.5; without unsampled actions they would be .5 and 0."""
    simulator, means = TreeSimulator(td.compile_game(Matrix(payoffs=[[1], [0]]))), {}
    for unsampled in (True, False):
        environment = levels.Environment(
            simulator, simulator.observe, lambda p, games, observations, legal: legal / legal.sum(1)[:, None]
        )
        found = levels.sample_levels(environment, 0, 50, levels.Uniform(k=1), np.random.default_rng(0))
        levels.estimate_values(found)
        rows = levels.collect_decisions(found, unsampled)
        kinds = np.unique(rows.regret[rows.player == 0][:, :2], axis=0)  # mean of both draws, which are equally likely
        means[unsampled] = kinds.mean(axis=0).tolist()
    assert means == {True: [0.5, -0.5], False: [0.5, 0.0]}


def test_illegal_actions_are_never_matched():
    """Without positive regret the strategy is the best legal action, or uniform over legal actions."""
    regret = np.array([[9.0, -3.0, -2.0], [9.0, 1.0, 3.0], [-1.0, -5.0, -5.0]])
    legal = np.array([[False, True, True], [False, True, True], [True, True, False]])
    assert levels.match_regrets(regret, legal, "argmax").tolist() == [[0, 0, 1], [0, 0.25, 0.75], [1, 0, 0]]
    assert levels.match_regrets(regret, legal, "uniform").tolist() == [[0, 0.5, 0.5], [0, 0.25, 0.75], [0.5, 0.5, 0]]
