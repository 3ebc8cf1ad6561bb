"""Fitting a network of values to subgames solved: gradient descent in PyTorch.

Dimension letters: S public states, A the most seats a player has in one, N samples, H units.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch.nn import functional

from tefuda.resolving.limited.network import ValueNetwork
from tefuda.resolving.limited.samples import Course, Samples, ValueTraining

#: Weights and biases.
Layer = tuple[torch.Tensor, torch.Tensor]
_DELTA = 0.1  # of the Huber loss, in units of a public state


def fitted(
    samples: Samples, course: Course, way: ValueTraining, network: ValueNetwork | None, rng: np.random.Generator
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """Weights and biases of a network that fits the samples it may be trained on.

    Args:
        samples: what was solved so far.
        course: the public states.
        way: how to train.
        network: where to begin; at random if there is none.
        rng: of first weights and minibatches.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # more slow small networks down, and sum in another order
    try:
        layers = _tensors(first_layers(course, way, rng) if network is None else (network.weights, network.biases))
        _descend(layers, samples, course, way, rng)
    finally:
        torch.set_num_threads(threads)
    found = [[one.detach().numpy().astype(np.float64) for one in pair] for pair in layers]
    return tuple(weights for weights, _ in found), tuple(biases for _, biases in found)


def _descend(
    layers: list[Layer], samples: Samples, course: Course, way: ValueTraining, rng: np.random.Generator
) -> None:
    """Change layers step by step."""
    trained, places = np.flatnonzero(~samples.held_out), torch.from_numpy(samples.places)
    ranges, values = (torch.from_numpy(_flat(one)).float() for one in (samples.ranges, samples.values))
    there = torch.from_numpy(course.there().reshape(len(course.states), -1)).float()
    descent = torch.optim.Adam([one for pair in layers for one in pair], lr=way.rate)
    for step in range(way.steps):
        rows = torch.from_numpy(trained[rng.integers(len(trained), size=way.batch)])
        counts, found = there[places[rows]], _asked(layers, places[rows], ranges[rows])
        wrong = functional.huber_loss(found, values[rows], reduction="none", delta=_DELTA)
        loss = (wrong * counts).sum() / counts.sum()
        descent.param_groups[0]["lr"] = way.rate * (1 + math.cos(math.pi * step / way.steps)) / 2
        descent.zero_grad()
        loss.backward()
        descent.step()


def first_layers(
    course: Course, way: ValueTraining, rng: np.random.Generator
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """Weights from U(-1 / sqrt(fan in), 1 / sqrt(fan in)), the public state counting as one input, and biases of 0."""
    sizes = [len(course.states) + 2 * course.width, *[way.hidden] * way.layers, 2 * course.width]
    fans = [1 + 2 * course.width, *sizes[1:-1]]
    pairs = zip(sizes[:-1], sizes[1:], fans, strict=True)
    weights = tuple(rng.uniform(-1, 1, (before, after)) / math.sqrt(fan) for before, after, fan in pairs)
    return weights, tuple(np.zeros(size) for size in sizes[1:])


def _tensors(layers: tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]) -> list[Layer]:
    """Pairs of weights and biases that gradients are taken of."""
    made = [[torch.from_numpy(one.astype(np.float32)).requires_grad_() for one in kind] for kind in layers]
    return list(zip(*made, strict=True))


def _flat(both: np.ndarray) -> np.ndarray:
    """`[N, 2 A]` of `[2, N, A]`."""
    return np.concatenate([both[0], both[1]], axis=1)


def _asked(layers: list[Layer], places: torch.Tensor, ranges: torch.Tensor) -> torch.Tensor:
    """`[N, 2 A]` what `ValueNetwork.predict` gives for ranges `[N, 2 A]`."""
    (first, bias), *rest = layers
    between = first[places] + bias + ranges @ first[-ranges.shape[1] :]
    for weights, biases in rest:
        between = functional.relu(between) @ weights + biases
    return between - (between * ranges).sum(dim=1, keepdim=True) / 2
