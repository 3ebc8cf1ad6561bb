"""Sampling: exact expectations, kernels against independent implementations, streams, state, workers."""

import dataclasses
import os
import signal
import warnings
import zlib
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

import tefuda as td
from tefuda._kernels import mccfr as kernels
from tefuda.forms.arrays import ranges
from tefuda.solvers.sampled import mccfr
from tests import oracle
from tests.conftest import compiled, refused, rules
from tests.edge_games import Driver, Forgets
from tests.exact import exact_game, exact_regrets, exact_weights, random_strategy
from tests.processes import lives, wait_until
from tests.sampling import Stream, Twin, expectations
from tests.spread import bar

MINI = {"ranks": 2, "cap": 1}


GAMES = {"rps": ("rps", {}), "kuhn": ("kuhn", {}), "mini-leduc": ("leduc", MINI)}


SCHEMES = [
    ("external", 1),
    ("outcome", 1),
    ("uniform", 1),
    ("uniform", 2),
    ("uniform", 99),
    ("successive", 2),
    ("successive", 99),
    ("systematic", 1),
    ("systematic", 2),
    ("repeated", 2),
    ("average", 1),
]


def make_twin(game, strategy, table, scheme, k, **options):
    total = {name: {a: 2 * p + 1 for a, p in row.items()} for name, row in table.items()}
    return lambda: Twin(game, strategy, scheme, k, total=total, **options)


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("scheme, k", SCHEMES)
def test_expected_regret_is_exact(scheme, k, name, zeros):
    """Expected regrets and weights of the average are exact in Fractions, for both players."""
    game = exact_game(GAMES[name][0], **GAMES[name][1])
    if name == "mini-leduc" and scheme in ("repeated", "average"):
        game = exact_game("kuhn", cards=4)  # that case has a hundred thousand outcomes
    strategy, table = random_strategy(game, 1, zeros)
    for player in (0, 1):
        twin = make_twin(game, strategy, table, scheme, k)
        gain, weight, _ = expectations(twin, lambda walker, rng, player=player: walker.walk(player, rng))
        exact = exact_regrets(game, strategy, player)
        assert {name: gain.get(name, 0) for name in exact} == exact
        expected = exact_weights(game, strategy, 1 - player)
        assert {name: weight.get(name, 0) for name in expected} == expected


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1)])
@pytest.mark.parametrize("scheme, k", [("outcome", 1), ("successive", 2), ("systematic", 2), ("repeated", 2)])
def test_expected_regret_is_exact_with_any_exploration(scheme, k, epsilon):
    game = exact_game("rps")
    strategy, table = random_strategy(game, 2, True)
    for player in (0, 1):
        twin = make_twin(game, strategy, table, scheme, k, epsilon=epsilon)
        gain, _, _ = expectations(twin, lambda walker, rng, player=player: walker.walk(player, rng))
        exact = exact_regrets(game, strategy, player)
        assert {name: gain.get(name, 0) for name in exact} == exact


OUTCOMES = [
    ("external", 1, (24, 18), (27, 3)),
    ("outcome", 1, (30, 30), (9, 9)),
    ("uniform", 2, (24, 18), (27, 9)),
    ("successive", 2, (24, 18), None),
]


@pytest.mark.parametrize("scheme, k, kuhn, rps", OUTCOMES)
def test_number_of_outcomes(scheme, k, kuhn, rps):
    """Ordered draws (successive on RPS, repeated) are counted in the table without their order."""
    for name, counts in (("kuhn", kuhn), ("rps", rps)):
        game = exact_game(name)
        strategy, table = random_strategy(game, 3)
        for player in (0, 1) if counts else ():
            twin = make_twin(game, strategy, table, scheme, k)
            outcomes = expectations(twin, lambda walker, rng, player=player: walker.walk(player, rng))[2]
            assert outcomes == counts[player]


def test_a_misprinted_line_of_a_paper_is_biased():
    """Line 32 of takizawa2020, algorithm 5, is biased as printed when two actions are sampled."""
    game = exact_game("kuhn")
    strategy, table = random_strategy(game, 1)
    twin = make_twin(game, strategy, table, "uniform", 2, biased=True)
    gain, _, _ = expectations(twin, lambda walker, rng: walker.walk(0, rng))
    exact = exact_regrets(game, strategy, 0)
    assert max(abs(gain[name] - exact[name]) for name in exact) > Fraction(1, 2)


def test_exploration_is_required():
    """With epsilon 0 actions of probability 0 are never sampled, so these methods are refused."""
    game = exact_game("kuhn")
    strategy, table = random_strategy(game, 4, True)
    twin = make_twin(game, strategy, table, "outcome", 1, epsilon=Fraction(0))
    wrong = False
    for player in (0, 1):
        gain, _, _ = expectations(twin, lambda walker, rng, player=player: walker.walk(player, rng))
        exact = exact_regrets(game, strategy, player)
        wrong |= any(gain[name] != exact[name] for name in exact)
    assert wrong
    for scheme in ("outcome", "successive", "systematic", "repeated", "average"):
        with pytest.raises(td.errors.ParameterError, match="bias"):
            td.solvers.Sampling("none", scheme=scheme, epsilon=0)


def test_off_policy_deals():
    """Root chance with other sampling probabilities, and weights on regret and average, is exact."""
    game = exact_game("kuhn")
    strategy, table = random_strategy(game, 5)
    deal = tuple(Fraction(w, 21) for w in (1, 2, 3, 4, 5, 6))
    for scheme, k in (("external", 1), ("outcome", 1)):
        gain, weight, _ = expectations(
            make_twin(game, strategy, table, scheme, k, deal=deal), lambda w, r: w.walk(0, r)
        )
        exact, expected = exact_regrets(game, strategy, 0), exact_weights(game, strategy, 1)
        assert {name: gain[name] for name in exact} == exact
        assert {name: weight[name] for name in expected} == expected


def test_any_baseline_is_unbiased():
    """VR-MCCFR: any baseline gives exact expected regrets, and good ones lower the variance."""
    game = exact_game("kuhn")
    strategy, table = random_strategy(game, 6, True)

    def some(state, player):
        return Fraction(zlib.crc32(repr((state, player)).encode()) % 7 - 3, 2)  # hash() differs between processes

    def true(state, player):
        return oracle.value(game, strategy, state)[player]

    for known in (some, true):
        twin = make_twin(game, strategy, table, "outcome", 1, known=known)
        gain, _, _ = expectations(twin, lambda walker, rng: walker.walk(0, rng))
        exact = exact_regrets(game, strategy, 0)
        assert {name: gain.get(name, 0) for name in exact} == exact


def test_chance_sampling_is_exact():
    game = exact_game("leduc", **MINI)
    strategy, table = random_strategy(game, 7, True)
    gain, weight, _ = expectations(make_twin(game, strategy, table, "chance", 1), lambda w, rng: w.walk_chance(rng))
    for player in (0, 1):
        exact, expected = exact_regrets(game, strategy, player), exact_weights(game, strategy, player)
        assert {name: gain.get(name, 0) for name in exact} == exact
        assert {name: weight.get(name, 0) for name in expected} == expected


def test_three_players_average():
    """In the separate traversal, expected weights are own reach times a constant of the infoset."""
    game, constants = exact_game("kuhn", players=3, cards=4), []
    for seed in (8, 9):
        strategy, table = random_strategy(game, seed)
        own = {}
        for state, _, reach, _ in oracle.histories(game, strategy):
            if game.player(state) == 1:
                own[1, game.view(state, 1)] = reach[1]
        twin = make_twin(game, strategy, table, "external", 1)
        _, weight, _ = expectations(twin, lambda walker, rng: walker.walk_for_average(1, rng))
        constants.append({name: weight[name] / own[name] for name in own})
    assert constants[0] == constants[1]


def solver_with(tree, method, profile, total=None, baseline=None):
    """Return a solver with the given strategies, average and baselines."""
    solver = td.make_solver(tree, method, seed=3)
    state = solver.state()
    state["strategy"] = profile.probabilities.copy()
    if total is not None:
        state["total"] = total
    if baseline is not None:
        state["baseline"] = baseline
    solver.restore(state)
    return solver


def kernel_changes(solver, player, walk):
    """Return the regret and weight changes of one traversal of a solver, by infoset-action pair."""
    none = np.zeros(3)
    kernels.run_block(
        solver._histories, solver.method.numbers(), solver._tables, none, False, solver._key, 5, player, walk, 1,
        solver._buffers, solver._scratch,
    )  # fmt: skip
    finding = mccfr._empty_buffers(solver._buffers, 0)
    gain, weight = np.zeros(solver.tree.rows), np.zeros(solver.tree.rows)
    gain[ranges(*finding.updated.T)] = finding.gain
    weight[finding.averaged[:, 0]] = finding.weight
    return gain, weight


def by_row(tree, gain, weight):
    """Return the changes of the independent implementation by infoset-action pair."""
    rows, first = np.zeros(tree.rows), np.zeros(tree.rows)
    for (player, key, action), amount in gain.items():
        number = tree.numbers[player, key]
        rows[tree.first_row[number] + tree.labels(number).index(action)] += float(amount)
    for name, amount in weight.items():
        first[tree.first_row[tree.numbers[name]]] += float(amount)
    return rows, first


TWINS = [*SCHEMES, ("successive", 3), ("systematic", 3), ("repeated", 3)]


@pytest.mark.parametrize("name, parameters", [("rps", {}), ("leduc", {}), ("goofspiel", {}), ("kuhn", {"players": 3})])
@pytest.mark.parametrize("scheme, k", TWINS)
def test_kernels_equal_the_reference(scheme, k, name, parameters):
    """The same random numbers give the same changes, traversal by traversal."""
    tree, game = compiled(name, **parameters), rules(name, **parameters)
    profile = td.Profile.random(tree, np.random.default_rng(1))
    total = np.random.default_rng(2).exponential(size=tree.rows)
    method = td.solvers.Sampling("twin", scheme=scheme, k=k, epsilon=0.3, threshold=2.0, bonus=3.0, batch=2)
    solver = solver_with(tree, method, profile, total)
    totals = {
        name: dict(zip(tree.labels(i), total[profile.rows(i)].tolist(), strict=True))
        for name, i in tree.numbers.items()
    }
    for walk in range(40):
        for player in range(tree.players):
            twin = Twin(game, oracle.behaviour(profile), scheme, k, epsilon=0.3, total=totals)
            twin.walk(player, Stream(solver._key, 5, player + 1, walk))
            if tree.players == 3:
                twin.weight.clear()
                twin.walk_for_average(player, Stream(solver._key, 5, player + 4, walk))
            gain, weight = by_row(tree, twin.gain, twin.weight)
            found = kernel_changes(solver, player, walk)
            assert found[0] == pytest.approx(gain, abs=1e-9)
            assert found[1] == pytest.approx(weight, abs=1e-9)


@pytest.mark.parametrize("name, parameters", [("rps", {}), ("leduc", {}), ("kuhn", {"players": 3})])
def test_chance_kernel_equals_its_reference(name, parameters):
    tree, game = compiled(name, **parameters), rules(name, **parameters)
    profile = td.Profile.random(tree, np.random.default_rng(1))
    solver = solver_with(tree, "chance", profile)
    for walk in range(20):
        twin = Twin(game, oracle.behaviour(profile), "chance")
        twin.walk_chance(Stream(solver._key, 5, 0, walk))
        gain, weight = by_row(tree, twin.gain, twin.weight)
        found = kernel_changes(solver, -1, walk)
        assert found[0] == pytest.approx(gain, abs=1e-12) and found[1] == pytest.approx(weight, abs=1e-12)


@pytest.mark.parametrize("scheme", ["external", "outcome"])
def test_baseline_kernel_equals_its_reference(scheme):
    tree, game = compiled("leduc"), rules("leduc")
    profile = td.Profile.random(tree, np.random.default_rng(1))
    baseline = np.random.default_rng(2).normal(size=(len(tree.player), 2))
    nodes = {tree.history(node): node for node in range(len(tree.player))}
    states = {game.root(): ()}
    for node in range(len(tree.player)):
        state = game.root()
        for label in tree.history(node):
            state = game.child(state, label)
        states[state] = tree.history(node)
    method = td.solvers.Sampling("twin", scheme=scheme, epsilon=0.3, baseline=0.5)
    for walk in range(20):
        solver = solver_with(tree, method, profile, baseline=baseline.copy())
        twin = Twin(
            game, oracle.behaviour(profile), scheme, epsilon=0.3,
            known=lambda state, player: baseline[nodes[states[state]], player],
        )  # fmt: skip
        twin.walk(0, Stream(solver._key, 5, 1, walk))
        gain, weight = by_row(tree, twin.gain, twin.weight)
        found = kernel_changes(solver, 0, walk)
        assert found[0] == pytest.approx(gain, abs=1e-9) and found[1] == pytest.approx(weight, abs=1e-9)
        assert (solver._tables.baseline != baseline).any()


@pytest.mark.parametrize("scheme", ["external", "outcome"])
def test_baselines_learn_at_their_rate(scheme):
    """The same traversal moves each baseline twice as far at twice the rate."""
    tree, moved = compiled("kuhn"), []
    baseline = np.random.default_rng(2).normal(size=(len(tree.player), 2))
    for rate in (0.25, 0.5):
        method = td.solvers.Sampling("twin", scheme=scheme, epsilon=0.3, baseline=rate)
        total = np.zeros_like(baseline)
        for walk in range(10):
            solver = solver_with(tree, method, td.Profile.uniform(tree), baseline=baseline.copy())
            kernel_changes(solver, 0, walk)
            total += solver._tables.baseline - baseline
        moved.append(total)
    assert np.abs(moved[0]).max() > 0.1 and moved[1] == pytest.approx(2 * moved[0], abs=1e-12)


@pytest.mark.learner
def test_baselines_lower_the_variance(leduc):
    """NashConv on Leduc after 500,000 nodes, 16 seeds: .938 +- .094 without, .574 +- .057 with baselines."""
    plain, learned = (
        np.mean([td.solve(leduc, method, nodes=500_000, seed=seed).nash_conv for seed in range(4)])
        for method in ("outcome", "vr-mccfr")
    )
    assert learned <= bar(0.574, 0.057, 4) and learned < 0.79 * plain  # the ratio of such means: .612 +- .043


def test_off_policy_deal_in_the_kernel():
    """The mean of many traversals agrees with the game's own deal within five standard errors."""
    tree = compiled("leduc")
    profile = td.Profile.random(tree, np.random.default_rng(1))
    deal = tuple((np.arange(9) + 1.0) / 45)
    exact = td.evaluating.counterfactual(profile).regrets * (tree.player_of_row == 0)
    solver = solver_with(tree, td.solvers.Sampling("deal", deal=deal, batch=2), profile)
    walks = np.array([kernel_changes(solver, 0, walk)[0] for walk in range(4000)])
    often = (walks != 0).sum(axis=0) >= 100
    error = walks.std(axis=0)[often] / np.sqrt(len(walks))
    assert often.sum() > 100 and (np.abs(walks.mean(axis=0) - exact)[often] <= 5 * error).all()


def test_one_traversal_a_batch_is_the_same_with_and_without_buffers(leduc):
    """Direct writes to the tables (batch 1) equal buffered ones up to round-off."""
    for scheme in ("external", "outcome", "uniform"):
        method = td.solvers.Sampling("both", scheme=scheme, k=2 if scheme == "uniform" else 1)
        direct, buffered = td.make_solver(leduc, method, seed=1), td.make_solver(leduc, method, seed=1)
        buffered._direct = False
        assert direct._direct
        for solver in (direct, buffered):
            solver.advance(50)
        assert direct.arrays()["regret"] == pytest.approx(buffered.arrays()["regret"], abs=1e-9)
        assert direct.average().probabilities == pytest.approx(buffered.average().probabilities, abs=1e-9)


def test_means_of_batches():
    """After one batch of RM the regrets are the sum over its traversals."""
    tree = compiled("leduc")
    one = td.make_solver(tree, td.solvers.Sampling("batch", batch=300), seed=4)
    one.advance(1)
    other = solver_with(tree, td.solvers.Sampling("batch", batch=2), td.Profile.uniform(tree))
    other._key = one._key
    other._histories = one._histories
    total = np.zeros(tree.rows)
    for walk in range(300):
        kernels.run_block(
            other._histories, other.method.numbers(), other._tables, np.zeros(3), False, one._key, 1, 0, walk, 1,
            other._buffers, other._scratch,
        )  # fmt: skip
        finding = mccfr._empty_buffers(other._buffers, 0)
        total[ranges(*finding.updated.T)] += finding.gain
    mine = tree.player_of_row == 0
    assert one.arrays()["regret"][mine] == pytest.approx(total[mine], abs=1e-9)


RULES = [("rm", {}), ("rm+", {}), ("linear", {}), ("discounted", {"period": 10}), ("rm", {"averaging": 2, "delay": 7})]


@pytest.mark.parametrize("rule, options", RULES)
def test_rules_by_hand(rule, options):
    """Chance sampling on a game without chance equals CFR with the same rule."""
    tree = compiled("rps")
    start = td.Profile.random(tree, np.random.default_rng(5))
    method = td.solvers.Sampling("rule", scheme="chance", rule=rule, **options)
    solver = solver_with(tree, method, start)
    regret, sums, sigma = np.zeros(6), np.zeros(6), start.probabilities.copy()
    for t in range(1, 31):
        found = td.evaluating.counterfactual(td.Profile(tree, sigma)).regrets
        weight = max(t - method.delay, 0) ** method.averaging if t > method.delay else 0
        sums += weight * sigma
        regret += found * (t if rule == "linear" else 1)
        if rule == "rm+":
            regret = np.maximum(regret, 0)
        positive = np.maximum(regret, 0).reshape(2, 3)
        totals = positive.sum(axis=1, keepdims=True)
        sigma = np.where(totals > 0, positive / np.where(totals > 0, totals, 1), 1 / 3).ravel()
        if rule == "discounted" and t % 10 == 0:
            n = (t / 10) ** 1.5
            regret *= np.where(regret > 0, n / (n + 1), 0.5)
    solver.advance(30)
    assert solver.arrays()["regret"] == pytest.approx(regret, abs=1e-9)
    assert solver.average().probabilities == pytest.approx(
        (sums.reshape(2, 3) / sums.reshape(2, 3).sum(1)[:, None]).ravel()
    )


#: Mean and standard deviation over 20 seeds of the average's NashConv, after 200,000 nodes of Kuhn and 1e6 of Leduc.
H1 = [
    (td.solvers.Sampling("chance", scheme="chance"), (0.0098, 0.0025), (0.224, 0.030)),
    (td.solvers.Sampling("external"), (0.0146, 0.0039), (0.192, 0.027)),
    (td.solvers.Sampling("external rm+", rule="rm+", averaging=0), (0.0176, 0.0041), (0.330, 0.016)),
    (td.solvers.Sampling("external rm+ linear", rule="rm+"), (0.0154, 0.0049), (0.248, 0.019)),
    (td.solvers.Sampling("outcome", scheme="outcome"), (0.0286, 0.0100), (0.663, 0.073)),
    (td.solvers.Sampling("uniform 1", scheme="uniform", k=1), (0.0298, 0.0112), (0.720, 0.070)),
    (td.solvers.Sampling("uniform 2", scheme="uniform", k=2), (0.0146, 0.0039), (0.257, 0.030)),
    (td.solvers.Sampling("successive 2", scheme="successive", k=2), (0.0146, 0.0039), (0.222, 0.026)),
    (td.solvers.Sampling("systematic 2", scheme="systematic", k=2), (0.0146, 0.0039), (0.212, 0.024)),
    (td.solvers.Sampling("repeated 2", scheme="repeated", k=2), (0.0198, 0.0059), (0.306, 0.038)),
    (td.solvers.Sampling("external batch 10", batch=10), (0.0150, 0.0054), (0.181, 0.018)),
    (td.solvers.Sampling("external batch 100", batch=100), (0.0180, 0.0051), (0.224, 0.020)),
    (td.solvers.Sampling("external batch 1000", batch=1000), (0.0859, 0.0082), (0.788, 0.073)),
    (td.solvers.Sampling("mccfr+ 10", rule="rm+", batch=10), (0.0151, 0.0046), (0.239, 0.012)),
    (td.solvers.Sampling("mccfr+ 100", rule="rm+", batch=100), (0.0143, 0.0045), (0.206, 0.015)),
    (td.solvers.Sampling("mccfr+ 1000", rule="rm+", batch=1000), (0.0293, 0.0060), (0.351, 0.033)),
    (td.solvers.Sampling("mccfr+ 5000", rule="rm+", batch=5000), (0.1485, 0.0162), (1.681, 0.174)),
    (
        td.solvers.Sampling("robust mccfr+", scheme="uniform", k=2, rule="rm+", batch=1000),
        (0.0293, 0.0060),
        (0.338, 0.028),
    ),
]


@pytest.mark.learner
@pytest.mark.parametrize("method, kuhn, leduc", H1, ids=[row[0].name for row in H1])
def test_convergence(method, kuhn, leduc):
    """Four seeds against the table; nodes are all visited histories, and Leduc merges suits."""
    for name, nodes, (mean, sigma) in (("kuhn", 200_000, kuhn), ("leduc", 10**6, leduc)):
        solutions = [td.solve(compiled(name), method, nodes=nodes, seed=seed) for seed in range(4)]
        assert np.mean([solution.nash_conv for solution in solutions]) <= bar(mean, sigma, len(solutions))
        for solution in solutions:  # after few batches the current strategies may be better
            assert solution.iterate == "average" or solution.iterations < 10
            assert 0.99 * nodes <= solution.nodes <= 1.02 * nodes + 100_000 + 100 * method.batch  # one more iteration


#: Nodes per iteration, slightly dependent on the strategies: mean and deviation, 12 seeds, 20,000 iterations.
NODES = [
    ("chance", (10, 0), (91, 0)),
    ("external", (12.57, 0.08), (42.4, 0.6)),
    ("outcome", (8.63, 0.065), (14.08, 0.2)),
]


@pytest.mark.learner
@pytest.mark.parametrize("method, kuhn, leduc", NODES)
def test_nodes_an_iteration(method, kuhn, leduc):
    for name, (mean, sigma) in (("kuhn", kuhn), ("leduc", leduc)):
        solver = td.make_solver(compiled(name), method, seed=1)
        solver.advance(20_000)
        assert abs(solver.nodes / solver.iterations - mean) <= 4 * sigma


#: Numbers common to all equilibria of Kuhn, computed from a solution; mean and deviation over 16 seeds each.
COMMON = [
    (lambda tree, found: td.nash_conv(found), 0.0026, 0.0008),
    (lambda tree, found: td.values(found)[0] + 1 / 18, 0.0, 0.00002),
    (lambda tree, found: found["0: K|"]["b"] - 3 * found["0: J|"]["b"], -0.0027, 0.0077),
    (lambda tree, found: found["0: Q|pb"]["b"] - found["0: J|"]["b"] - 1 / 3, 0.0008, 0.0052),
    (lambda tree, found: found["1: J|p"]["b"] - 1 / 3, 0.0017, 0.0030),
    (lambda tree, found: found["1: Q|b"]["b"] - 1 / 3, 0.0039, 0.0033),
]


@pytest.mark.learner
def test_chance_sampled_kuhn():
    """The setting of yamaoka2020 with 300,000 iterations."""
    tree = compiled("kuhn")
    profiles = [td.solve(tree, "chance", iterations=300_000, seed=seed).strategy for seed in range(4)]
    for figure, mean, sigma in COMMON:
        assert abs(np.mean([figure(tree, profile) for profile in profiles])) <= bar(abs(mean), sigma, len(profiles))


WORKED = [
    td.solvers.Sampling("external", batch=10_000, rule="rm+"),
    td.solvers.Sampling("chance", scheme="chance", batch=9000),
]


@pytest.mark.parametrize("method", WORKED, ids=lambda method: method.name)
@pytest.mark.parametrize("name, parameters", [("leduc", {}), ("kuhn", {"players": 3})])
def test_any_number_of_workers_gives_the_same_bits(method, name, parameters):
    tree = compiled(name, **parameters)
    alone = td.make_solver(tree, method, seed=7)
    alone.advance(6)
    for threads in (1, 3):
        with ThreadPoolExecutor(threads) as executor:
            spread = td.make_solver(tree, method, seed=7, workers=executor)
            spread.advance(4)
            spread.advance(2)
        assert same(alone, spread)


def same(one, other):
    return all(np.array_equal(array, other.state()[name]) for name, array in one.state().items())


def test_processes_and_killed_processes_change_nothing(leduc):
    """A worker killed during a run costs time only."""
    method = td.solvers.Sampling("many", rule="rm+", batch=10_000)
    alone, spread = td.make_solver(leduc, method, seed=7), td.make_solver(leduc, method, seed=7, workers=2)
    alone.advance(60)
    spread.advance(5)
    victim = next(iter(spread._workers._pool._processes))
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: not lives(victim))
    spread.advance(55)
    assert same(alone, spread)
    assert victim not in spread._workers._pool._processes
    spread.close()


def test_two_processes_of_dask(leduc):
    distributed = pytest.importorskip("distributed")
    method = td.solvers.Sampling("many", rule="rm+", batch=10_000)
    alone = td.make_solver(leduc, method, seed=7)
    alone.advance(10)
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
    )
    with warnings.catch_warnings(), cluster, distributed.Client(cluster) as client:
        warnings.simplefilter("ignore")
        spread = td.make_solver(leduc, method, seed=7, workers=client.get_executor())
        spread.advance(5)
        victim = next(iter(cluster.workers.values())).pid
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: not lives(victim))
        spread.advance(5)
    assert same(alone, spread)


def test_a_broken_executor_is_replaced_by_this_process(leduc):
    class Broken(ThreadPoolExecutor):
        def submit(self, *arguments, **options):
            raise BrokenExecutor("gone")

    method = td.solvers.Sampling("many", batch=10_000)
    alone, spread = td.make_solver(leduc, method, seed=7), td.make_solver(leduc, method, seed=7, workers=Broken(1))
    alone.advance(2)
    with pytest.warns(RuntimeWarning, match="gone"):
        spread.advance(2)
    assert same(alone, spread)


def test_workers_are_for_batches(leduc):
    with pytest.raises(td.errors.ParameterError, match="process"):
        td.make_solver(leduc, "lp", workers=2)
    with pytest.raises(td.errors.ParameterError, match="900,000 histories"):
        td.make_solver(leduc, "cfr+", workers=2)
    with refused(td.errors.ParameterError, key="workers", value=0):
        td.make_solver(leduc, "mccfr+", workers=0)


BAD = [
    ({"scheme": "internal"}, "external"),
    ({"rule": "rm++"}, "rm\\+"),
    ({"k": 0}, "k is 0"),
    ({"k": 2, "scheme": "outcome"}, "k is 2"),
    ({"batch": 0}, "batch is 0"),
    ({"epsilon": 2}, "epsilon is 2"),
    ({"baseline": 0.1, "batch": 10}, "batch=1"),
    ({"deal": (0.5, 0.6)}, "positive probabilities"),
    ({"deal": (1.0, 0.0)}, "positive probabilities"),
    ({"deal": (0.5, 0.5), "scheme": "chance"}, "scheme 'chance'"),
]


@pytest.mark.parametrize("options, words", BAD)
def test_wrong_values_are_refused(options, words):
    with pytest.raises(td.errors.ParameterError, match=words):
        td.solvers.Sampling("bad", **options)


def test_settings_that_do_not_fit_the_game_are_refused(leduc):
    with pytest.raises(td.errors.ParameterError, match="chance"):
        td.make_solver(leduc, td.solvers.Sampling("deal", deal=(0.5, 0.5)))
    wide = td.load_game("matrix", payoffs=np.arange(26).reshape(13, 2).tolist())
    with pytest.raises(td.errors.ParameterError, match="systematic"):
        td.make_solver(wide, td.solvers.Sampling("successive", scheme="successive", k=2))
    with pytest.raises(td.errors.ParameterError, match="nodes"):
        td.solve(leduc, "cfr+", nodes=1000)
    with pytest.raises(td.errors.SolverError, match="empty"):
        td.make_solver(leduc, dataclasses.replace(td.METHODS["external"], delay=10)).average()


def test_imperfect_recall_is_sampled():
    """Full traversals refuse imperfect recall; sampling finds the better of the last actions."""
    tree = td.compile_game(Forgets())
    solver = td.make_solver(tree, "external", seed=1)
    assert not solver._direct
    solver.advance(1000)
    assert solver.average()["0: move 2"]["c"] > 0.99


@pytest.mark.parametrize("method", ["external", "outcome", "oos", "fsp", "nfsp-a", "cfr+", "lp"])
def test_an_infoset_that_comes_twice_is_refused(method):
    """The absent-minded driver's two decisions are one choice; its values need no recall."""
    tree = td.compile_game(Driver())
    with pytest.raises(td.errors.GameError, match=r"twice|players"):
        td.solve(tree, method, iterations=1, evaluator=td.NoEvaluation())
    assert td.values(td.Profile(tree, [1 / 3, 2 / 3])).tolist() == pytest.approx([4 / 3])


def test_memory_does_not_grow(leduc):
    """The state's size is unchanged after ten times as many iterations."""
    sizes = []
    for iterations in (100, 1000):
        solver = td.make_solver(leduc, "external", seed=1)
        solver.advance(iterations)
        sizes.append(sum(array.nbytes for array in solver.state().values()))
    assert sizes[0] == sizes[1]
