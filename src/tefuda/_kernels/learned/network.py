"""Tiny networks evaluated infoset by infoset: one hidden layer of rectifiers, sparse inputs, exact gradients.

A minibatch is summed up per distinct infoset before it meets the network: 128 rows hit about 52 of Leduc's infosets,
and the gradient is the same. float32 throughout, reductions in any order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import inlined


class Inputs(NamedTuple):
    """The inputs of infosets, and their actions.

    start: `[I + 1]` int32, the active inputs of infoset i are feature[start[i]..start[i + 1]]; value: theirs, float32.
    legal: `[I, U]` uint8, which output units are actions there. action: `[I, U]` int32, which action a unit stands
    for; an illegal unit for the legal one nearest to it. owner: `[I]` int32.
    """

    start: np.ndarray
    feature: np.ndarray
    value: np.ndarray
    legal: np.ndarray
    action: np.ndarray
    owner: np.ndarray


class Net(NamedTuple):
    """Weights of one kind of network for all players, or a gradient or a moment of that shape: float32
    w1 `[P, F, H]`, b1 `[P, H]`, w2 `[P, U, H]`, b2 `[P, U]`.
    """

    w1: np.ndarray
    b1: np.ndarray
    w2: np.ndarray
    b2: np.ndarray


class Learner(NamedTuple):
    """A network with the gradient of its loss, and the two moments of Adam."""

    net: Net
    gradient: Net
    first: Net
    second: Net


class Batch(NamedTuple):
    """A minibatch summed per infoset: counts and sums of targets `[I, U]`, marks `[I]` of the batch an infoset was in
    last, listed `[I]` the infosets; and room for one evaluation: hidden and back `[H]`, out `[U]`.
    """

    counts: np.ndarray
    targets: np.ndarray
    marks: np.ndarray
    listed: np.ndarray
    hidden: np.ndarray
    back: np.ndarray
    out: np.ndarray


@inlined(fastmath=True)
def forward(net, inputs, player, infoset, hidden, out):
    """Fill hidden `[H]` and out `[U]`."""
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


@inlined(fastmath=True)
def backward(net, gradient, inputs, player, infoset, hidden, back, out):
    """Add to the gradient, by d loss / d output given in `out`, at an infoset whose `hidden` is at hand."""
    for h in range(hidden.shape[0]):
        back[h] = np.float32(0.0)
    for u in range(out.shape[0]):
        slope = out[u]
        if slope != 0.0:
            gradient.b2[player, u] += slope
            for h in range(hidden.shape[0]):
                gradient.w2[player, u, h] += slope * hidden[h]
                back[h] += slope * net.w2[player, u, h]
    for h in range(hidden.shape[0]):
        back[h] = back[h] if hidden[h] > 0.0 else np.float32(0.0)
        gradient.b1[player, h] += back[h]
    for n in range(inputs.start[infoset], inputs.start[infoset + 1]):
        feature, value = inputs.feature[n], inputs.value[n]
        for h in range(hidden.shape[0]):
            gradient.w1[player, feature, h] += value * back[h]


@inlined(fastmath=True)
def best_unit(inputs, masked, infoset, out):
    """Return the legal unit (any, unless masked) with the largest output; the first of equals."""
    best = -1
    for u in range(out.shape[0]):
        if (not masked or inputs.legal[infoset, u]) and (best < 0 or out[u] > out[best]):
            best = u
    return best


@inlined(fastmath=True)
def softmax(inputs, masked, infoset, out):
    """Turn outputs into probabilities in place; illegal units get 0 if masked."""
    top = out[best_unit(inputs, masked, infoset, out)]
    total = np.float32(0.0)
    for u in range(out.shape[0]):
        out[u] = np.exp(out[u] - top) if (not masked or inputs.legal[infoset, u]) else np.float32(0.0)
        total += out[u]
    for u in range(out.shape[0]):
        out[u] /= total


@inlined(fastmath=True)
def drawn_unit(chances, point):
    """Return a unit drawn by its chance."""
    last = 0
    for u in range(chances.shape[0]):
        if chances[u] > 0.0:
            if point < chances[u]:
                return u
            last = u
        point -= chances[u]
    return last


@inlined(fastmath=True)
def below(point, count):
    """Return a number in [0, 1) as a whole number below `count`."""
    return min(np.int64(point * count), count - 1)


@inlined(fastmath=True)
def legal_unit(legal, point):
    """Return a legal unit, drawn uniformly."""
    left = below(point, legal.sum())
    for u in range(legal.shape[0]):
        if legal[u]:
            if left == 0:
                return u
            left -= 1
    return -1


@inlined(fastmath=True)
def open_batch(batch, stamp, infoset, listed):
    """Put an infoset into the batch with this stamp, cleared, unless it is in; return how many are."""
    if batch.marks[infoset] != stamp:
        batch.marks[infoset] = stamp
        batch.listed[listed] = infoset
        for u in range(batch.out.shape[0]):
            batch.counts[infoset, u] = np.float32(0.0)
            batch.targets[infoset, u] = np.float32(0.0)
        return listed + 1
    return listed


@inlined(fastmath=True)
def value_gradient(learner, inputs, player, batch, listed, size):
    """Add the gradient of half the mean squared error of Q(s, a) over a batch of `size` rows."""
    for n in range(listed):
        infoset = batch.listed[n]
        forward(learner.net, inputs, player, infoset, batch.hidden, batch.out)
        for u in range(batch.out.shape[0]):
            count = batch.counts[infoset, u]
            batch.out[u] = (count * batch.out[u] - batch.targets[infoset, u]) / size if count > 0.0 else np.float32(0.0)
        backward(learner.net, learner.gradient, inputs, player, infoset, batch.hidden, batch.back, batch.out)


@inlined(fastmath=True)
def policy_gradient(learner, inputs, masked, player, batch, listed, size):
    """Add the gradient of the mean of -log Pi(a | s) over a batch of `size` rows."""
    for n in range(listed):
        infoset = batch.listed[n]
        forward(learner.net, inputs, player, infoset, batch.hidden, batch.out)
        softmax(inputs, masked, infoset, batch.out)
        total = np.float32(0.0)
        for u in range(batch.out.shape[0]):
            total += batch.counts[infoset, u]
        for u in range(batch.out.shape[0]):
            batch.out[u] = (total * batch.out[u] - batch.counts[infoset, u]) / size
        backward(learner.net, learner.gradient, inputs, player, infoset, batch.hidden, batch.back, batch.out)


@inlined(fastmath=True)
def descend(weights, gradient, first, second, player, rate, adam, step):
    """Take one step of gradient descent on an array of a player's weights `[P, n]`; clear the gradient.

    adam: Kingma and Ba 2015 with betas .9, .999 and epsilon 1e-8; its moments are `first` and `second`.
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
def flat(net):
    """Return the four arrays of a network as `[P, n]`."""
    players = net.b1.shape[0]
    return net.w1.reshape(players, -1), net.b1, net.w2.reshape(players, -1), net.b2


@inlined(fastmath=True)
def descend_all(learner, player, rate, adam, step):
    """Take one step of descent on all weights of a player."""
    net, gradient = flat(learner.net), flat(learner.gradient)
    first, second = flat(learner.first), flat(learner.second)
    for n in range(len(net)):
        descend(net[n], gradient[n], first[n], second[n], player, rate, adam, step)


@inlined(fastmath=True)
def copy_weights(net, to, player):
    """Copy a player's weights to another network."""
    new, old = flat(net), flat(to)
    for n in range(len(new)):
        for k in range(new[n].shape[1]):
            old[n][player, k] = new[n][player, k]
