"""Self-play whose networks learn from all of memory: rings, sums, gradients, presets, training."""

import dataclasses
from collections import Counter

import numpy as np
import pytest

import tefuda as td
from tefuda._kernels.learned import training
from tefuda.forms.features import infoset_features
from tefuda.settings import with_options
from tefuda.solvers.learned import nfsp, self_play
from tests.conftest import compiled, preset
from tests.oracle import dense_gradient
from tests.spread import bar

SMALL = {"tables": 8, "behaviour": 100, "hidden": 16}
#: Rings of different shapes: one per player that wraps often, one partly counted, one per decision.
RINGS = {
    "one": {"rings": "player", "transitions": 70, "window_rate": 0.0},
    "a part of one": {"rings": "player", "transitions": 700, "window_rate": 0.9, "window_power": 0.8},
    "each": {"rings": "decision", "transitions": 9, "window_rate": 0.0},
    "a part of each": {"rings": "decision", "transitions": 60, "window_rate": 0.7, "window_power": 0.65},
}


def altered(method, **options):
    """Return a method with changed options."""
    return with_options(method, options)


def made(name, rings, seed=5, **options):
    settings = SMALL | RINGS[rings] | {"min_rows": 20} | options
    return td.make_solver(compiled(name), altered(preset("nfsp-d-neural"), **settings), seed=seed)


def rows_that_count(solver):
    """Return (infoset, unit, reward, following) of all counted rows, ring by ring, in plain Python."""
    method, run, found = solver.method.values, solver._run, []
    for ring, rows in enumerate(run.ring):
        of_each = method.rings == "decision"
        seen = int(run.statistics.visits.flat[ring] if of_each else run.counts[ring, training.STORED])
        last = min(seen, method.transitions)
        if method.window_rate:
            last = min(last, max(1, int(method.window_rate * seen**method.window_power)))
        for place in range(seen - last, seen):
            infoset, unit, reward, following = rows[place % method.transitions].tolist()
            found.append((int(infoset), int(unit), reward, int(following)))
    return found


@pytest.mark.parametrize("rings", RINGS)
def test_sums_are_a_recount_of_the_rings(rings):
    """Sums equal a recount of rows, rewards and successors after rings wrapped; also after a restore."""
    solver = made("leduc", rings, min_rows=10**8)
    solver.advance(700)
    rows, sums = rows_that_count(solver), solver._run.sums
    counted, followed = Counter(row[:2] for row in rows), Counter((row[3], row[1]) for row in rows if row[3] >= 0)
    assert {place: int(sums.rows[place]) for place in zip(*sums.rows.nonzero(), strict=True)} == counted
    assert {place: int(sums.arrivals[place]) for place in zip(*sums.arrivals.nonzero(), strict=True)} == followed
    assert all(sums.previous[row[3]] == row[0] for row in rows if row[3] >= 0)
    rewards = np.zeros(sums.rewards.shape)
    for infoset, unit, reward, _ in rows:
        rewards[infoset, unit] += reward
    assert sums.rewards * sums.resolution == pytest.approx(rewards, abs=1e-4) and np.abs(rewards).max() > 5
    again = made("leduc", rings, seed=6, min_rows=10**8)
    again.advance(300)
    again.restore(solver.state())
    for name in ("rows", "rewards", "arrivals"):
        assert np.array_equal(getattr(again._run.sums, name), getattr(sums, name))


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("rings", RINGS)
def test_a_value_step_has_the_dense_gradient_of_all_rows(rings, masked):
    """The gradient equals a loop over rows in float64; the target is the network before the step."""
    options = {"optimiser": "sgd", "value_rate": 0.1, "value_decay": 0.0, "target_every": 0, "masked": masked}
    solver = made("leduc", rings, min_rows=10**8, **options)
    solver.advance(400)
    run, old = solver._run, [array.copy() for array in solver._run.networks.value.net]
    w1, b1, w2, b2 = (array[1].astype(float) for array in old)
    values = np.maximum(infoset_features(solver.tree) @ w1 + b1, 0) @ w2.T + b2
    best = np.where(run.inputs.legal.astype(bool) | (not masked), values, -np.inf).max(axis=1)
    rows = [
        (infoset, unit, reward + (best[following] if following >= 0 else 0.0))
        for infoset, unit, reward, following in rows_that_count(solver)
        if solver.tree.infoset_player[infoset] == 1
    ]
    exact = dense_gradient(solver, rows, old, "value")
    training.learn_values(run, 1)
    for ours, was, gradient in zip(run.networks.value.net, old, exact, strict=True):
        assert was[1] - ours[1] == pytest.approx(0.1 * gradient, abs=1e-6)
        assert np.array_equal(ours[0], was[0])


@pytest.mark.parametrize("rings", RINGS)
def test_results_depend_on_the_seed_only(rings):
    """Pieces and restored states give the same bits."""
    one, other = made("kuhn", rings, seed=9), made("kuhn", rings, seed=9)
    one.advance(1500)
    for games in (1, 699, 300):
        other.advance(games)
    third = made("kuhn", rings, seed=1)
    third.restore(other.state())
    third.advance(500)
    assert all(np.array_equal(array, third.state()[name]) for name, array in one.state().items())


def test_each_network_has_its_optimiser():
    """Adam's first step equals the rate for each weight with a slope; the policy uses plain descent."""
    solver = made("leduc", "each", min_rows=10**8)
    solver.advance(300)
    run, value = solver._run, solver._run.networks.value.net.b2[0].copy()
    training.learn_values(run, 0)
    assert np.abs(run.networks.value.net.b2[0] - value) == pytest.approx(solver.method.values.rate, rel=0.01)
    training.learn_policy(run, 0)
    assert not run.networks.policy.second.b2.any() and run.networks.value.second.b2[0].all()
    same = altered(solver.method, optimiser="adam")
    assert same.kernel_settings().policy.adam and not solver.method.kernel_settings().policy.adam


@pytest.mark.parametrize("letter", "abcd")
def test_neural_conditions(letter):
    """Conditions vary like those of kawamura2018; values are networks only."""
    neural, faithful = preset(f"nfsp-{letter}-neural"), td.METHODS[f"nfsp-{letter}"]
    for name in ("exploration", "eta", "masked", "scale", "tables"):
        assert getattr(neural, name) == getattr(faithful, name)
    assert neural.policy.behaviour == faithful.policy.behaviour
    assert (type(neural.values), neural.values.batch, neural.policy.batch) == (self_play.ValueNetwork, 0, 0)


#: Mean and deviation of NashConv over eight seeds (rps: twelve), the same on a generic processor.
TRAINED = [
    ("rps", {}, 100_000, 0.119, 0.084),
    ("kuhn", {}, 200_000, 0.0318, 0.0037),
    ("kuhn", {"players": 3}, 100_000, 0.111, 0.0093),
]


@pytest.mark.learner
@pytest.mark.parametrize("name, parameters, games, mean, deviation", TRAINED)
def test_other_games_train(name, parameters, games, mean, deviation):
    tree = compiled(name, **parameters)
    solver = td.make_solver(tree, nfsp.scale_rewards(tree, preset("nfsp-d-neural")), seed=1)
    solver.advance(games)
    assert td.nash_conv(solver.average()) <= bar(mean, deviation)


@pytest.mark.learner
def test_leduc_after_a_hundred_thousand_games(leduc):
    """Eight seeds: mean .865, deviation .102; the faithful settings have 3.4."""
    solver = td.make_solver(leduc, preset("nfsp-d-neural"), seed=2)
    solver.advance(100_000)
    assert td.nash_conv(solver.average()) <= bar(0.865, 0.102)


@pytest.mark.slow
@pytest.mark.learner
@pytest.mark.parametrize("letter", "abd")
def test_ten_million_games(leduc, letter):
    """Three seeds each reach .042 to .052; a run takes about 80 seconds on one core."""
    solver = td.make_solver(leduc, preset(f"nfsp-{letter}-neural"), seed=1)
    solver.advance(10_000_000)
    assert td.nash_conv(solver.average()) <= 0.06


def test_impossible_settings_are_refused(leduc, monkeypatch):
    plain, neural = td.METHODS["nfsp"], preset("nfsp-d-neural")
    for method, options, words in (
        (plain, {"rings": "decision"}, "batch is 128"),
        (plain, {"window_rate": 0.5}, "give batch 0"),
        (neural, {"values": "table", "rings": "decision"}, "needs values='network'"),
        (neural, {"rings": "some"}, "decision"),
        (neural, {"policy_optimiser": "newton"}, "policy_optimiser is .newton"),
        (neural, {"window_power": 1.5}, "window_power is 1.5"),
    ):
        with pytest.raises(td.errors.ParameterError, match=words):
            altered(method, **options)
    monkeypatch.setattr(nfsp, "MAX_RING_BYTES", 1 << 20)
    with pytest.raises(td.errors.ParameterError, match=r"3,000 transitions of each of 864 decisions.* at most 75,"):
        td.make_solver(leduc, neural)
    state = made("kuhn", "each").state()
    more = state | {"ring": np.zeros((24, 3, 4), np.float32)}
    with pytest.raises(td.errors.RunError, match="more or fewer rows"):
        made("kuhn", "each").restore(more)


def test_payoffs_of_any_size_are_summed():
    """Sums are integer multiples of a fraction of the largest reward and never overflow."""
    tree = compiled("kuhn")
    large = dataclasses.replace(tree, payoffs=tree.payoffs * 1e17)
    sums = nfsp.empty_sums(large, 2, 1.0, used=True)
    assert sums.resolution == 2e17 * 2.0**-24 and nfsp.empty_sums(tree, 2, 0.0, used=True).resolution == 1.0
