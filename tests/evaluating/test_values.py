"""Trees, reach, values, best responses."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

import tefuda as td
from tests import oracle
from tests.conftest import compiled, rules
from tests.edge_games import Forgets

KUHN_FAMILY = (0, Fraction(1, 12), Fraction(1, 6), Fraction(1, 4), Fraction(1, 3))


def family(alpha):
    """Return Kuhn's equilibrium of a parameter: the probability of bet or call at each infoset."""
    third = Fraction(1, 3)
    return {
        (0, "J|"): alpha, (0, "Q|"): 0, (0, "K|"): 3 * alpha,
        (0, "J|pb"): 0, (0, "Q|pb"): alpha + third, (0, "K|pb"): 1,
        (1, "J|p"): third, (1, "Q|p"): 0, (1, "K|p"): 1,
        (1, "J|b"): 0, (1, "Q|b"): third, (1, "K|b"): 1,
    }  # fmt: skip


def betting_profile(tree, bets):
    return td.Profile.from_function(tree, lambda p, key, actions: (1 - bets[p, key], bets[p, key]))


def random_profile(tree, seed, zeros=0.0):
    """Return a random profile, with some probabilities exactly 0."""
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=tree.rows) * (rng.random(tree.rows) >= zeros)
    return td.Profile.from_weights(tree, weights)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "nonlocal"])
def test_reach_identities(name):
    """Terminals' reach sums to 1; a history's is its children's sum; zeros give no NaN."""
    tree = compiled(name)
    profile = random_profile(tree, 1, zeros=0.25)
    reach = td.evaluating.reach(profile)
    total = reach.total
    assert total[tree.terminals].sum() == pytest.approx(1, abs=1e-12)
    sums = np.bincount(tree.parent[1:], total[1:], minlength=len(total))
    inner = tree.player != -2
    assert np.allclose(sums[inner], total[inner], rtol=0, atol=1e-12)
    assert np.isfinite(reach.own).all() and ((total == 0).any() or name == "nonlocal")  # too few rows for a zero
    expected = total[tree.terminals] @ tree.payoffs
    assert np.allclose(td.values(profile), expected, rtol=0, atol=1e-12)
    assert np.allclose(td.evaluating.history_values(profile)[0], expected, rtol=0, atol=1e-12)
    for player in range(tree.players):
        assert np.allclose(reach.counterfactual(player) * reach.own[:, player], total, rtol=0, atol=1e-15)


def test_values_need_no_recall():
    """Best responses do: figures that use them are nan or refused."""
    profile = td.Profile.uniform(td.compile_game(Forgets()))
    found = td.evaluate(profile)
    assert found.values.tolist() == td.values(profile).tolist() == profile.game_values().tolist() == [1.5, -1.5]
    assert np.isnan([*found.best, found.nash_conv, found.exploitability, found.epsilon]).all()
    for figure in (td.nash_conv, td.exploitability, td.evaluating.epsilon):
        with pytest.raises(td.errors.GameError, match="imperfect recall"):
            figure(profile)


def test_uniform_kuhn_by_hand():
    """A9."""
    tree = compiled("kuhn")
    uniform = td.Profile.uniform(tree)
    reach, values = td.evaluating.reach(uniform), td.evaluating.history_values(uniform)
    nodes = {tree.history(node): node for node in range(len(tree.player))}
    assert reach.total[nodes[("J", "Q"), "p"]] == pytest.approx(1 / 12, abs=1e-12)
    assert reach.total[tree.infoset == tree.names["1: Q|p"]].sum() == pytest.approx(1 / 6, abs=1e-12)
    pass_bet = nodes[("Q", "J"), "p", "b"]
    assert reach.own[pass_bet, 0] == pytest.approx(1 / 2) and reach.counterfactual(0)[pass_bet] == pytest.approx(1 / 12)
    assert values[0, 0] == pytest.approx(1 / 8, abs=1e-12)
    assert values[nodes[("K", "J"), "b"], 0] == pytest.approx(3 / 2, abs=1e-12)


@pytest.mark.parametrize("name", ["kuhn", "nonlocal", "leduc"])
@pytest.mark.parametrize("zeros", [0.0, 0.25])
def test_counterfactual_values_by_history_and_by_infoset(name, zeros):
    """Two implementations agree; the regrets weighted by the strategy sum to 0."""
    tree = compiled(name) if name != "leduc" else compiled("leduc", ranks=2, cap=1)
    game = td.load_game("leduc", ranks=2, cap=1) if name == "leduc" else rules(name)
    profile = random_profile(tree, 2, zeros)
    ours = td.evaluating.counterfactual(profile)
    infosets, actions = oracle.counterfactual(game, oracle.behaviour(profile))
    for (player, key), number in tree.numbers.items():
        assert ours.infosets[number] == pytest.approx(infosets[player, key], abs=1e-12)
        by_action = [actions[player, key, action] for action in tree.labels(number)]
        assert ours.actions[profile.rows(number)] == pytest.approx(by_action, abs=1e-12)
    balance = np.add.reduceat(profile.probabilities * ours.regrets, tree.first_row[:-1])
    assert np.abs(balance).max() < 1e-12


@pytest.mark.parametrize("alpha", KUHN_FAMILY)
def test_kuhn_family_is_in_equilibrium(alpha):
    """Arrays agree to 1e-12, Fractions exactly."""
    tree = compiled("kuhn")
    bets = family(alpha)
    profile = betting_profile(tree, bets)
    assert td.nash_conv(profile) == pytest.approx(0, abs=1e-12)
    assert td.values(profile)[0] == pytest.approx(-1 / 18, abs=1e-12)

    def exact(player, key):
        return {"p": 1 - bets[player, key], "b": bets[player, key]}

    game = td.load_game("kuhn")
    assert oracle.value(game, exact) == [Fraction(-1, 18), Fraction(1, 18)]
    assert oracle.best_by_brute_force(game, exact, 0) == Fraction(-1, 18)


def test_uniform_profiles_by_hand():
    """B2, B3, A4, B7."""
    tree = compiled("kuhn")
    evaluated = td.evaluate(td.Profile.uniform(tree))
    assert evaluated.values[0] == pytest.approx(1 / 8, abs=1e-12)
    assert evaluated.best == pytest.approx([1 / 2, 5 / 12], abs=1e-12)
    assert evaluated.nash_conv == pytest.approx(11 / 12, abs=1e-12)
    for suits in (False, True):
        tree = compiled("leduc", distinct_suits=suits)
        evaluated = td.evaluate(td.Profile.uniform(tree))
        assert evaluated.values[0] == pytest.approx(-5 / 64, abs=1e-12)
        assert evaluated.best == pytest.approx([2.0875, 1709 / 360 - 2.0875], abs=1e-12)
        assert evaluated.nash_conv == pytest.approx(1709 / 360, abs=1e-12)
    assert td.nash_conv(td.Profile.uniform(compiled("rps"))) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("x, second, value, uniform", [(1, 1 / 3, 1, 1 / 4), (2, 1 / 6, 5 / 4, 1 / 2)])
def test_nonlocal_game(x, second, value, uniform):
    """B7."""
    tree = compiled("nonlocal", x=x)
    profile = td.Profile.from_function(tree, lambda p, key, actions: (0.5, 0.5) if p == 0 else (second, 1 - second))
    assert td.nash_conv(profile) == pytest.approx(0, abs=1e-12)
    assert td.values(profile)[0] == pytest.approx(value, abs=1e-12)
    assert td.nash_conv(td.Profile.uniform(tree)) == pytest.approx(uniform, abs=1e-12)


def test_leduc_value():
    """-0.0856064240780005, by linear programming (exact rational solution)."""
    solution = td.solve(compiled("leduc"), "cfr+", iterations=20_000)
    assert solution.values[0] == pytest.approx(-0.0856064240780005, abs=2e-5)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("players", [2, 3])
def test_best_response_is_the_best_of_all_pure_strategies(seed, players):
    """The best of all 64 pure strategies of each Kuhn player; with three players the best of a sample."""
    sampled = {"players": 3, "seed": (1, 4, 5, 9)[seed], "depth": 4}
    game = td.load_game("kuhn") if players == 2 else td.load_game("sampled", **sampled)
    tree = td.compile_game(game)
    profile = random_profile(tree, seed, zeros=0.2)
    for player in range(players):
        best = td.best_response(profile, player)
        brute = oracle.best_by_brute_force(game, oracle.behaviour(profile), player)
        assert best.value == pytest.approx(brute, abs=1e-12)
        assert td.values(best.profile)[player] == pytest.approx(best.value, abs=1e-12)
        assert td.evaluate(profile).best[player] == pytest.approx(best.value, abs=1e-12)


def test_a_best_response_is_the_first_of_equals():
    """Equal actions: the first one everywhere."""
    tree = td.compile_game(td.load_game("matrix", payoffs=[[1, 1, 1], [1, 1, 1]]))
    for player in (0, 1):
        chosen = td.best_response(td.Profile.uniform(tree), player).profile
        assert chosen.probabilities[chosen.rows(player)].tolist() == [1.0, 0.0, 0.0][: (2, 3)[player]]


@pytest.mark.parametrize("seed", [4, 57])
def test_four_players(seed):
    """Values and best responses against three opponents, by recursion."""
    game = td.load_game("sampled", players=4, seed=seed, depth=4)
    tree = td.compile_game(game)
    assert len(set(tree.infoset_player.tolist())) >= 3
    profile = random_profile(tree, seed)
    evaluated, strategy = td.evaluate(profile), oracle.behaviour(profile)
    assert evaluated.values == pytest.approx(oracle.value(game, strategy), abs=1e-12)
    for player in range(4):
        if tree.action_counts[tree.infoset_player == player].astype(float).prod() <= 128:
            assert evaluated.best[player] == pytest.approx(
                oracle.best_by_brute_force(game, strategy, player), abs=1e-12
            )


def test_distances_are_sum_mean_and_largest_gain(leduc):
    """The least eps with u_i + eps >= BR_i for all i is the largest gain."""
    profile = random_profile(leduc, 5)
    gains = [td.best_response(profile, p).value - td.values(profile)[p] for p in (0, 1)]
    assert td.nash_conv(profile) == pytest.approx(sum(gains), abs=1e-12)
    assert td.exploitability(profile) == pytest.approx(sum(gains) / 2, abs=1e-12)
    assert td.evaluating.epsilon(profile) == pytest.approx(max(gains), abs=1e-12)


def stereotype(tree, letters):
    """E always raises and calls when it cannot, F always calls, G is uniform."""

    def act(player, key, actions):
        wanted = {"E": "r" if "r" in actions else "c", "F": "c"}.get(letters[player])
        return [1 / len(actions)] * len(actions) if wanted is None else [float(a == wanted) for a in actions]

    return td.Profile.from_function(tree, act)


@pytest.mark.parametrize(
    "letters, values",
    [
        ("GGG", (-3289 / 20736, -11 / 576, 3685 / 20736)),
        ("EFG", (11 / 18, 11 / 18, -11 / 9)),
        ("EGF", (11 / 18, -11 / 9, 11 / 18)),
        ("FGE", (371 / 288, -371 / 144, 371 / 288)),
        ("EFE", (0, 0, 0)),
        ("FGF", (0, 0, 0)),
    ],
)
def test_three_player_leduc_by_exact_values(letters, values):
    """Exact values of stereotype line-ups in three-player Leduc."""
    tree = compiled("leduc", players=3)
    assert td.values(stereotype(tree, letters)) == pytest.approx(values, abs=1e-9)


@pytest.mark.parametrize(
    "letters, best",
    [("GGG", (3.83493614, 4.07680569, 4.69947951)), ("EEE", (108 / 35,) * 3), ("FFF", (16 / 7,) * 3)],
)
def test_three_player_leduc_best_responses(letters, best):
    """Exact best-response values in three-player Leduc; uniform NashConv 12.611221340388."""
    tree = compiled("leduc", players=3)
    evaluated = td.evaluate(stereotype(tree, letters))
    assert evaluated.best == pytest.approx(best, abs=1e-8)
    if letters == "GGG":
        assert evaluated.nash_conv == pytest.approx(12.611221340388, abs=1e-11)


def test_threads_evaluate_profiles_of_one_game_at_once(leduc):
    """An evaluation leaves its arrays to the next one, but never to two at once."""
    generator = np.random.default_rng(0)
    profiles = [td.Profile.random(leduc, generator) for _ in range(50)]
    alone = list(map(td.nash_conv, profiles))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(td.nash_conv, profiles * 20)) == alone * 20
