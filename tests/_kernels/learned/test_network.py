"""Compiled networks: exact gradients and gradient descent."""

import dataclasses

import numpy as np
import pytest

import tefuda as td
from tefuda._kernels.learned import network
from tefuda.forms.features import infoset_features
from tests.conftest import compiled
from tests.oracle import dense_gradient


def filled_batch(solver, player, rng, size=128):
    """Return a random minibatch in summed form, and its rows (infoset, unit, target)."""
    mine = np.flatnonzero(solver.tree.infoset_player == player)
    rows, infoset_count = [], 0
    for _ in range(size):
        infoset = int(rng.choice(mine))
        unit = int(rng.choice(np.flatnonzero(solver._run.inputs.legal[infoset])))
        rows.append((infoset, unit, float(rng.normal())))
        infoset_count = network.add_to_batch(solver._run.batch, 1, infoset, infoset_count)
        solver._run.batch.counts[infoset, unit] += 1
        solver._run.batch.targets[infoset, unit] += np.float32(rows[-1][2])
    return rows, infoset_count


def gradients(kind, masked=True):
    """Return the kernel's gradient on a random minibatch of Leduc, with all inputs needed to check it."""
    solver = td.make_solver(compiled("leduc"), dataclasses.replace(td.METHODS["nfsp"], masked=masked), seed=3)
    rows, infoset_count = filled_batch(solver, 1, np.random.default_rng(4))
    run, size = solver._run, np.float32(len(rows))
    learner = run.networks.value if kind == "value" else run.networks.policy
    if kind == "value":
        network.value_gradient(learner, run.inputs, 1, run.batch, infoset_count, size)
    else:
        network.policy_gradient(learner, run.inputs, masked, 1, run.batch, infoset_count, size)
    return solver, rows, learner.net, learner.gradient


@pytest.mark.parametrize("kind, masked", [("value", True), ("policy", True), ("policy", False)])
def test_gradients_are_exact(kind, masked):
    """The gradients equal those of a dense computation."""
    solver, rows, net, gradient = gradients(kind, masked)
    for ours, exact in zip(gradient, dense_gradient(solver, rows, net, kind, masked), strict=True):
        assert np.abs(ours[1] - exact).max() <= 1e-6 * max(1e-2, np.abs(exact).max()) and not ours[0].any()


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["value", "policy"])
def test_gradients_equal_autograd(kind):
    """The gradients equal PyTorch's to 1e-6 of the largest entry."""
    import torch

    solver, rows, net, gradient = gradients(kind)
    weights = [torch.tensor(array[1].copy(), requires_grad=True) for array in net]
    w1, b1, w2, b2 = weights
    features = torch.tensor(infoset_features(solver.tree)[[row[0] for row in rows]], dtype=torch.float32)
    out = torch.relu(features @ w1 + b1) @ w2.T + b2
    units = torch.tensor([row[1] for row in rows])
    chosen = torch.arange(len(rows)), units
    if kind == "value":
        loss = 0.5 * ((out[chosen] - torch.tensor([row[2] for row in rows])) ** 2).mean()
    else:
        legal = torch.tensor(solver._run.inputs.legal[[row[0] for row in rows]], dtype=torch.bool)
        loss = -torch.log_softmax(out.masked_fill(~legal, -torch.inf), dim=1)[chosen].mean()
    loss.backward()
    for ours, theirs in zip(gradient, weights, strict=True):
        scale = float(theirs.grad.abs().max())
        assert np.abs(ours[1] - theirs.grad.numpy()).max() <= 1e-6 * max(scale, 1e-2)


@pytest.mark.parametrize("adam", [False, True])
def test_descent(adam):
    """One step of plain descent and of Adam (Kingma and Ba 2015, algorithm 1) equals a hand computation."""
    rng = np.random.default_rng(1)
    weights, gradient = rng.normal(size=(2, 5)).astype(np.float32), rng.normal(size=(2, 5)).astype(np.float32)
    before, slope = weights.copy(), gradient.copy()
    first, second = np.zeros((2, 5), np.float32), np.zeros((2, 5), np.float32)
    network.descend(weights, gradient, first, second, 1, np.float32(0.1), adam, 1)
    expected = 0.1 * (np.sign(slope[1]) if adam else slope[1])
    assert weights[1] == pytest.approx(before[1] - expected, abs=1e-6)
    assert np.array_equal(weights[0], before[0]) and not gradient[1].any()
