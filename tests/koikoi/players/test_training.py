"""Training of the value network of Koi-Koi: gradients, checkpoints, strength."""

import json
import math

import numpy as np
import pytest

import tefuda as td
from tefuda.files import read_arrays, write_arrays
from tefuda.koikoi.kernels import network
from tefuda.koikoi.kernels import training as kernels
from tefuda.koikoi.players import training
from tefuda.koikoi.players.network import empty_accumulator, weight_count, weight_views
from tefuda.koikoi.players.training import CurvePoint, NetworkLearner, NetworkTraining, train
from tefuda.koikoi.rules import PRESETS, find_rules
from tests.conftest import refused
from tests.spread import bar

STANDARD = PRESETS["standard"]
LITTLE = NetworkTraining(rounds=700, units=8, batch=4)


@pytest.fixture(autouse=True)
def few_deals(monkeypatch):
    monkeypatch.setattr(training, "_DEALS", 20)


@pytest.mark.learner
def test_a_network_learns_to_beat_greedy_play(monkeypatch):
    """An untrained network loses.

    Five seeds, 16,000 rounds, 2,000 pairs of rounds: mean 1.58 points, deviation .073.
    """
    monkeypatch.setattr(training, "_DEALS", 2000)
    monkeypatch.setattr(training, "_BLOCKS_PER_POINT", 1)
    one = train(STANDARD, NetworkTraining(rounds=16_000, units=32, batch=32, rate=3e-3), seed=1)
    assert one.points[-1].points >= bar(1.58, -0.073) and one.points[-1].half_width < 0.3
    assert one.rounds == 16_000 and [point.rounds for point in one.points] == [2048 * n for n in range(1, 8)] + [16_000]
    assert one.points[-1].error < 400 and one.points[0].seconds < one.points[-1].seconds


def test_resumed_training_gives_the_same_bits(tmp_path):
    """With and without an interruption, weights, moments, stream and curve are equal."""
    whole, file = train(STANDARD, LITTLE, seed=2), tmp_path / "kept"
    first = NetworkLearner(STANDARD, LITTLE, 2)
    first.advance()
    first.save(file)
    again = train(STANDARD, LITTLE, seed=2, checkpoint=file)
    assert np.array_equal(whole._flat, again._flat) and whole._stream == again._stream and again.rounds == 700
    assert [(p.rounds, p.error, p.points) for p in whole.points] == [
        (p.rounds, p.error, p.points) for p in again.points
    ]
    assert not np.array_equal(whole._flat, train(STANDARD, LITTLE, seed=3)._flat)
    last = NetworkLearner(STANDARD, LITTLE, 2)
    last.restore(file)
    assert last.done and last.points == again.points


def test_checkpoints_are_written_during_training(tmp_path, monkeypatch):
    """A stop at any moment loses only the work since the last checkpoint."""
    monkeypatch.setattr(training, "_CHECKPOINT_SECONDS", 0.0)
    file = tmp_path / "kept"

    def stop(learner):
        if learner.batches == 128:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(STANDARD, LITTLE, seed=2, checkpoint=file, progress=stop)
    saved = NetworkLearner(STANDARD, LITTLE, 2)
    saved.restore(file)
    assert saved.batches == 64
    assert np.array_equal(train(STANDARD, LITTLE, seed=2, checkpoint=file)._flat, train(STANDARD, LITTLE, seed=2)._flat)


def test_other_or_damaged_checkpoints_are_refused(tmp_path):
    file, own = tmp_path / "kept", NetworkLearner(STANDARD, LITTLE, 2)
    own.advance()
    own.save(file)
    others = [(STANDARD, NetworkTraining(rounds=701, units=8, batch=4), 2), (STANDARD, LITTLE, 3)]
    for rules, settings, seed in [*others, (find_rules("no_sake"), LITTLE, 2)]:
        with pytest.raises(td.errors.RunError, match="training"):
            train(rules, settings, seed=seed, checkpoint=file)
    arrays, header = read_arrays(file)
    for name, value in (("weights", np.nan), ("sums", -1.0), ("counts", 10**6), ("weights", 1e17)):
        changed = {**arrays, name: np.full_like(arrays[name], value)}
        write_arrays(file, changed, header)
        with pytest.raises(td.errors.RunError, match=name):
            train(STANDARD, LITTLE, seed=2, checkpoint=file)
    for points in ([1], [["a"] * 5], [["1_0"] * 5], [[1, 2, 3, 4, math.nan]], [[1, 2]], [[None] * 5], 3):
        write_arrays(file, arrays, {**header, "points": points})
        with pytest.raises(td.errors.RunError):
            train(STANDARD, LITTLE, seed=2, checkpoint=file)
    file.write_bytes(json.dumps({}).encode())
    with pytest.raises(td.errors.RunError):
        train(STANDARD, LITTLE, seed=2, checkpoint=file)


def test_numbers_out_of_range_are_refused():
    for change in (
        {"rounds": 0},
        {"units": 0},
        {"units": 10**6},
        {"batch": 0},
        {"explore": 1.5},
        {"trace": float("nan")},
    ):
        with refused(td.errors.ParameterError, key=next(iter(change))):
            NetworkTraining(**change)
    with pytest.raises(td.errors.ParameterError):
        NetworkLearner(STANDARD, LITTLE, -1)


def batch_of(units, seed):
    """Return a network, its gradient, and a random batch of one round with three and two positions."""
    rng = np.random.default_rng(seed)
    net, gradient = weight_views(rng.normal(scale=0.3, size=weight_count(units)).astype(np.float32), units), None
    gradient = weight_views(np.zeros(weight_count(units), np.float32), units)
    batch = kernels.RoundBatch(
        np.zeros((1, 2, kernels.MAX_POSITIONS, network.SLOTS), np.int16),
        rng.normal(size=(1, 2, kernels.MAX_POSITIONS)), np.full((1, 2, kernels.MAX_POSITIONS + 1), np.nan),
        np.array([[3, 2]]), np.array([7.0]),
    )  # fmt: skip
    seen = rng.integers(network.ROWS, size=(2, 3, network.SLOTS))
    seen[:, 1:, ::2] = seen[:, :1, ::2]  # half of the rows do not change
    batch.rows[0, :, :3] = seen
    batch.greedy_values[0, 1, 1] = 4.0  # an exploring choice led to the last position of player 1
    return net, gradient, batch


def targets(batch, trace=0.6):
    """Return the targets of TD(lambda) for both players' positions, computed by hand."""
    values = batch.values[0]
    last = 0.4 * values[0, 2] + trace * 7.0
    return [[0.4 * values[0, 1] + trace * last, last, 7.0], [4.0, -7.0]]


@pytest.mark.deep
def test_gradients_equal_autograd():
    """The loss is half the squared error in tens of points, summed over the positions of a round."""
    import torch

    net, gradient, batch = batch_of(20, 5)
    for player in range(2):
        kernels.backpropagate(net, gradient, empty_accumulator(20), np.zeros(20, np.float32), batch, 0, player, 0.6)
    weights = {name: torch.tensor(one.copy(), requires_grad=True) for name, one in net._asdict().items()}
    loss = 0.0
    for player, wanted in enumerate(targets(batch)):
        for at, target in enumerate(wanted):
            rows = torch.tensor(batch.rows[0, player, at].astype(np.int64))
            first = torch.relu(weights["rows"][rows].sum(dim=0) + weights["b1"])
            second = torch.relu(weights["w2"] @ first + weights["b2"])
            third = torch.relu(second @ weights["w3"] + weights["b3"])
            loss = loss + 0.5 * (third @ weights["w4"] + weights["b4"][0] - target / 10) ** 2
    loss.backward()
    for name, one in gradient._asdict().items():
        exact = weights[name].grad.numpy()
        assert np.abs(one - exact).max() <= 1e-5 * np.abs(exact).max() and exact.any(), name


def test_a_curve_is_written(tmp_path):
    points = [CurvePoint(64, 1.5, 40.0, -0.25, 0.5), CurvePoint(128, 3.0, 39.5, 0.125, 0.5)]
    training.write_curve(points, tmp_path / "curve.csv")
    lines = (tmp_path / "curve.csv").read_text().splitlines()
    assert lines == ["rounds,seconds,error,points,half_width", "64,1.5,40,-0.25,0.5", "128,3,39.5,0.125,0.5"]
    learner = NetworkLearner(STANDARD, LITTLE)
    learner.advance()
    assert training.describe_progress(learner).startswith("round 256 of 700, ")
