"""Small networks evaluated per infoset: one hidden ReLU layer, sparse inputs, exact gradients.

A minibatch is summed per distinct infoset before it enters the network: 128 rows contain about 52 of
Leduc's infosets, and the gradient is the same. All numbers are float32; sums have no fixed order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import inlined, shared


class Inputs(NamedTuple):
    """Network inputs and actions of all infosets.

    start: `[I + 1]` int32, the active inputs of infoset i are feature[start[i]..start[i + 1]].
    feature, value: index and value (float32) of each active input.
    legal: `[I, U]` uint8, 1 where an output unit is a legal action.
    action: `[I, U]` int32, the action of each unit; an illegal unit has the action of the nearest legal one.
    owner: `[I]` int32, the player to move.
    """

    start: np.ndarray
    feature: np.ndarray
    value: np.ndarray
    legal: np.ndarray
    action: np.ndarray
    owner: np.ndarray


class Net(NamedTuple):
    """Float32 weights of all players' networks of one kind; also a gradient or a moment of that shape.

    w1 `[P, F, H]`, b1 `[P, H]`, w2 `[P, U, H]`, b2 `[P, U]`.
    """

    w1: np.ndarray
    b1: np.ndarray
    w2: np.ndarray
    b2: np.ndarray


class Learner(NamedTuple):
    """A network, the gradient of its loss, and Adam's first and second moments."""

    net: Net
    gradient: Net
    first: Net
    second: Net


class Batch(NamedTuple):
    """A minibatch summed per infoset, and buffers for one evaluation.

    counts, targets: `[I, U]` number of rows and sum of targets.
    stamps: `[I]` number of the last batch that contained each infoset.
    infosets: `[I]` infosets of the current batch.
    hidden, hidden_gradient: `[H]` buffers. out: `[U]` buffer.
    """

    counts: np.ndarray
    targets: np.ndarray
    stamps: np.ndarray
    infosets: np.ndarray
    hidden: np.ndarray
    hidden_gradient: np.ndarray
    out: np.ndarray


@shared(fastmath=True)
def forward(net, inputs, player, infoset, hidden, out):
    """Evaluate a network at an infoset into `hidden` `[H]` and `out` `[U]`."""
    for h in range(hidden.shape[0]):
        hidden[h] = net.b1[player, h]
    for n in range(inputs.start[infoset], inputs.start[infoset + 1]):
        feature, value = inputs.feature[n], inputs.value[n]
        for h in range(hidden.shape[0]):
            hidden[h] += value * net.w1[player, feature, h]
    for h in range(hidden.shape[0]):
        hidden[h] = max(hidden[h], np.float32(0.0))
    for u in range(out.shape[0]):
        total = net.b2[player, u]
        for h in range(hidden.shape[0]):
            total += net.w2[player, u, h] * hidden[h]
        out[u] = total


@shared(fastmath=True)
def backward(net, gradient, inputs, player, infoset, hidden, hidden_gradient, out):
    """Add to the gradient at an infoset, given `hidden` and the loss gradient by outputs in `out`."""
    for h in range(hidden.shape[0]):
        hidden_gradient[h] = np.float32(0.0)
    for u in range(out.shape[0]):
        slope = out[u]
        if slope != 0.0:
            gradient.b2[player, u] += slope
            for h in range(hidden.shape[0]):
                gradient.w2[player, u, h] += slope * hidden[h]
                hidden_gradient[h] += slope * net.w2[player, u, h]
    for h in range(hidden.shape[0]):
        hidden_gradient[h] = hidden_gradient[h] if hidden[h] > 0.0 else np.float32(0.0)
        gradient.b1[player, h] += hidden_gradient[h]
    for n in range(inputs.start[infoset], inputs.start[infoset + 1]):
        feature, value = inputs.feature[n], inputs.value[n]
        for h in range(hidden.shape[0]):
            gradient.w1[player, feature, h] += value * hidden_gradient[h]


@inlined(fastmath=True)
def best_unit(inputs, masked, infoset, out):
    """Return the legal unit with the largest output (any unit unless masked); the first one on ties."""
    best = -1
    for u in range(out.shape[0]):
        if (not masked or inputs.legal[infoset, u]) and (best < 0 or out[u] > out[best]):
            best = u
    return best


@inlined(fastmath=True)
def softmax(inputs, masked, infoset, out):
    """Replace outputs by their softmax in place; illegal units get 0 if masked."""
    top = out[best_unit(inputs, masked, infoset, out)]
    total = np.float32(0.0)
    for u in range(out.shape[0]):
        out[u] = np.exp(out[u] - top) if (not masked or inputs.legal[infoset, u]) else np.float32(0.0)
        total += out[u]
    for u in range(out.shape[0]):
        out[u] /= total


@inlined(fastmath=True)
def sample_unit(probabilities, uniform):
    """Return the unit that a uniform number in [0, 1) selects from probabilities."""
    last = 0
    for u in range(probabilities.shape[0]):
        if probabilities[u] > 0.0:
            if uniform < probabilities[u]:
                return u
            last = u
        uniform -= probabilities[u]
    return last


@inlined(fastmath=True)
def uniform_integer(uniform, count):
    """Convert a uniform number in [0, 1) to an integer in 0..count - 1."""
    return min(np.int64(uniform * count), count - 1)


@inlined(fastmath=True)
def sample_legal_unit(legal, uniform):
    """Return the legal unit that a uniform number in [0, 1) selects with equal probabilities."""
    remaining = uniform_integer(uniform, legal.sum())
    for u in range(legal.shape[0]):
        if legal[u]:
            if remaining == 0:
                return u
            remaining -= 1
    return -1


@inlined(fastmath=True)
def add_to_batch(batch, stamp, infoset, infoset_count):
    """Add an infoset with zero counts to the batch with this stamp, once; return the number of infosets."""
    if batch.stamps[infoset] != stamp:
        batch.stamps[infoset] = stamp
        batch.infosets[infoset_count] = infoset
        for u in range(batch.out.shape[0]):
            batch.counts[infoset, u] = np.float32(0.0)
            batch.targets[infoset, u] = np.float32(0.0)
        return infoset_count + 1
    return infoset_count


@shared(fastmath=True)
def value_gradient(learner, inputs, player, batch, infoset_count, size):
    """Add the gradient of half the mean squared error of Q(s, a) over a batch of `size` rows."""
    for n in range(infoset_count):
        infoset = batch.infosets[n]
        forward(learner.net, inputs, player, infoset, batch.hidden, batch.out)
        for u in range(batch.out.shape[0]):
            count = batch.counts[infoset, u]
            batch.out[u] = (count * batch.out[u] - batch.targets[infoset, u]) / size if count > 0.0 else np.float32(0.0)
        backward(learner.net, learner.gradient, inputs, player, infoset, batch.hidden, batch.hidden_gradient, batch.out)


@shared(fastmath=True)
def policy_gradient(learner, inputs, masked, player, batch, infoset_count, size):
    """Add the gradient of the mean of -log Pi(a | s) over a batch of `size` rows."""
    for n in range(infoset_count):
        infoset = batch.infosets[n]
        forward(learner.net, inputs, player, infoset, batch.hidden, batch.out)
        softmax(inputs, masked, infoset, batch.out)
        total = np.float32(0.0)
        for u in range(batch.out.shape[0]):
            total += batch.counts[infoset, u]
        for u in range(batch.out.shape[0]):
            batch.out[u] = (total * batch.out[u] - batch.counts[infoset, u]) / size
        backward(learner.net, learner.gradient, inputs, player, infoset, batch.hidden, batch.hidden_gradient, batch.out)


@shared(fastmath=True)
def descend(weights, gradient, first, second, player, rate, adam, step):
    """Take one gradient step on a player's weights `[P, n]`, and clear the gradient.

    adam: use Adam (Kingma and Ba 2015, betas 0.9 and 0.999, epsilon 1e-8) with moments `first` and `second`.
    """
    if not adam:
        for n in range(weights.shape[1]):
            weights[player, n] -= rate * gradient[player, n]
            gradient[player, n] = np.float32(0.0)
        return
    scale = rate * np.float32(np.sqrt(1.0 - 0.999**step) / (1.0 - 0.9**step))
    for n in range(weights.shape[1]):
        slope = gradient[player, n]
        first[player, n] = np.float32(0.9) * first[player, n] + np.float32(0.1) * slope
        second[player, n] = np.float32(0.999) * second[player, n] + np.float32(0.001) * slope * slope
        weights[player, n] -= scale * first[player, n] / (np.sqrt(second[player, n]) + np.float32(1e-8))
        gradient[player, n] = np.float32(0.0)


@inlined(fastmath=True)
def flattened(net):
    """Return the four arrays of a network as `[P, n]`."""
    players = net.b1.shape[0]
    return net.w1.reshape(players, -1), net.b1, net.w2.reshape(players, -1), net.b2


@inlined(fastmath=True)
def descend_all(learner, player, rate, adam, step):
    """Take one gradient step on all weights of a player."""
    net, gradient = flattened(learner.net), flattened(learner.gradient)
    first, second = flattened(learner.first), flattened(learner.second)
    for n in range(len(net)):
        descend(net[n], gradient[n], first[n], second[n], player, rate, adam, step)


@inlined(fastmath=True)
def copy_weights(net, to, player):
    """Copy a player's weights from one network to another."""
    new, old = flattened(net), flattened(to)
    for n in range(len(new)):
        for k in range(new[n].shape[1]):
            old[n][player, k] = new[n][player, k]
