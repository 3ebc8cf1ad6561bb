"""Regret matching on matrix games and regret over sequences of profiles."""

import dataclasses
import math

import numpy as np
import pytest

import tefuda as td
from tests.conftest import compiled, own_reach

RPS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], dtype=float)
RPS = np.stack([RPS, -RPS], axis=-1)
START = [[1, 0, 0], [0, 0, 0]]


def conv(strategies):
    tree = compiled("rps")
    return td.nash_conv(td.Profile.from_function(tree, lambda p, key, actions: strategies[p]))


@pytest.mark.parametrize("seed", range(5))
def test_sampled_matching_beats_a_fixed_opponent(seed):
    """Against rock .4, paper .3, scissors .3 the average plays paper."""
    fixed = {1: [0.4, 0.3, 0.3]}
    average = td.evaluating.matrix_regret_matching(RPS, 10**6, rng=np.random.default_rng(seed), fixed=fixed)
    assert average[0][1] >= 0.998 and average[1] == pytest.approx(fixed[1])


def test_sampled_matching_many_seeds():
    """C1, C2 at T = 10,000 over 40 seeds: medians .995 and .0092 measured, worst .941 and .0160."""
    paper, far = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        paper.append(td.evaluating.matrix_regret_matching(RPS, 10_000, rng=rng, fixed={1: [0.4, 0.3, 0.3]})[0][1])
        far.append(np.abs(np.array(td.evaluating.matrix_regret_matching(RPS, 10_000, rng=rng)) - 1 / 3).max())
    assert np.median(paper) > 0.98 and min(paper) > 0.85
    assert np.median(far) < 0.015 and max(far) < 0.03


@pytest.mark.parametrize("seed", range(5))
def test_sampled_self_play(seed):
    """C2."""
    average = td.evaluating.matrix_regret_matching(RPS, 10**6, rng=np.random.default_rng(seed))
    assert np.abs(np.array(average) - 1 / 3).max() <= 0.004


@pytest.mark.parametrize(
    "options, figures",
    [
        ({}, {100: 0.183, 1000: 0.0644, 10_000: 0.0187}),
        ({"clip": True, "averaging": 1.0}, {100: 0.142, 1000: 0.0375, 10_000: 0.0109}),
    ],
)
def test_deterministic_self_play(options, figures):
    """From regrets (1, 0, 0); from uniform it would stay uniform."""
    for iterations, figure in figures.items():
        assert conv(td.evaluating.matrix_regret_matching(RPS, iterations, start=START, **options)) == pytest.approx(
            figure, rel=0.02
        )
    assert conv(td.evaluating.matrix_regret_matching(RPS, 100)) == pytest.approx(0, abs=1e-12)


def test_matching():
    """C4."""
    assert td.evaluating.match_regrets(np.array([-1.0, -2.0, 0.0])) == pytest.approx([1 / 3] * 3)
    assert td.evaluating.match_regrets(np.array([[3.0, -1.0, 1.0]]))[0] == pytest.approx([0.75, 0, 0.25])


def run(tree, method, iterations, weight=lambda t: 1.0):
    """Return the regret of a solver's sequence of profiles, and the solver."""
    ledger, solver = td.evaluating.AverageRegret(tree), td.make_solver(tree, method)
    for t in range(1, iterations + 1):
        ledger.add(solver.current(), weight(t))
        solver.advance(1)
    return ledger, solver


TOGETHER = dataclasses.replace(td.METHODS["cfr"], order="simultaneous")
PLUS_TOGETHER = dataclasses.replace(td.METHODS["cfr+"], order="simultaneous")


@pytest.mark.parametrize("name", ["kuhn", "leduc", "nonlocal"])
@pytest.mark.parametrize("method, weight", [(TOGETHER, lambda t: 1.0), (PLUS_TOGETHER, float)])
def test_nash_conv_is_the_sum_of_average_regrets(name, method, weight):
    """The identity also holds with weights."""
    tree = compiled(name)
    ledger, solver = run(tree, method, 1000, weight)
    average, overall = solver.average(), ledger.overall()
    assert overall.sum() == pytest.approx(td.nash_conv(average), abs=1e-10)
    assert td.evaluating.epsilon(average) <= 2 * overall.max() + 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_the_identity_holds_for_any_profiles(leduc, seed):
    """The identity also holds for realisation-weighted averages of random profiles."""
    rng, ledger = np.random.default_rng(seed), td.evaluating.AverageRegret(leduc)
    sums = np.zeros(leduc.rows)
    for weight in rng.random(7):
        profile = td.Profile.random(leduc, rng)
        ledger.add(profile, weight)
        sums += weight * own_reach(leduc, profile) * profile.probabilities
    average = td.Profile.from_weights(leduc, sums)
    assert ledger.overall().sum() == pytest.approx(td.nash_conv(average), abs=1e-10)


@pytest.mark.parametrize("players", [2, 3])
def test_weights_count_as_repetitions(players):
    """Overall and immediate regret of weighted profiles equal those of repeated profiles."""
    tree, rng = compiled("kuhn", players=players), np.random.default_rng(5)
    profiles, weights = [td.Profile.random(tree, rng) for _ in range(3)], (1, 4, 2)
    weighted, repeated, total = (
        td.evaluating.AverageRegret(tree),
        td.evaluating.AverageRegret(tree),
        np.zeros(tree.rows),
    )
    for profile, weight in zip(profiles, weights, strict=True):
        weighted.add(profile, weight)
        for _ in range(weight):
            repeated.add(profile)
        total += weight * td.evaluating.counterfactual(profile).regrets
    by_hand = np.maximum.reduceat(total, tree.first_row[:-1]) / 7
    assert weighted.immediate() == pytest.approx(by_hand, abs=1e-12)
    assert repeated.immediate() == pytest.approx(by_hand, abs=1e-12)
    assert weighted.overall() == pytest.approx(repeated.overall(), abs=1e-12)
    alone = td.evaluating.AverageRegret(tree)
    alone.add(profiles[0], 5.0)
    assert alone.overall() == pytest.approx(td.evaluate(profiles[0]).gains, abs=1e-12)


@pytest.mark.parametrize(
    "name, overall, immediate",
    [("leduc", (0.0428, 0.0368), (0.0995, 0.0674)), ("kuhn", (0.00782, 0.00672), (0.00807, 0.00672))],
)
def test_overall_regret_is_bounded(name, overall, immediate):
    """The immediate counterfactual regrets and Zinkevich's bound are upper bounds."""
    tree = compiled(name)
    ledger, _ = run(tree, TOGETHER, 1000)
    found, positive = ledger.overall(), np.maximum(ledger.immediate(), 0)
    for player in (0, 1):
        mine = tree.infoset_player == player
        bound = positive[mine].sum()
        assert found[player] <= bound + 1e-12
        assert found[player] == pytest.approx(overall[player], rel=0.01)
        assert bound == pytest.approx(immediate[player], rel=0.01)
        spread, widest = np.ptp(tree.payoffs[:, player]), tree.action_counts[mine].max()
        assert found[player] <= spread * mine.sum() * math.sqrt(widest) / math.sqrt(1000)


def test_cumulative_and_averaged_regrets_give_the_same_strategies(leduc):
    """Matching is invariant to a common factor."""
    solver = td.make_solver(leduc, td.METHODS["cfr"])
    solver.advance(77)
    for number in range(0, leduc.infosets, 7):
        regrets = solver.arrays()["regret"][leduc.first_row[number] : leduc.first_row[number + 1]]
        assert td.evaluating.match_regrets(regrets) == pytest.approx(
            td.evaluating.match_regrets(regrets / 77), abs=1e-12
        )


def test_regret_of_three_players():
    """The sum of regrets is no bound with three players; each regret is its best response's gain."""
    tree = compiled("kuhn", players=3)
    profile, ledger = td.Profile.uniform(tree), td.evaluating.AverageRegret(tree)
    ledger.add(profile)
    gains = td.evaluate(profile).gains
    assert ledger.overall() == pytest.approx(gains, abs=1e-12)
