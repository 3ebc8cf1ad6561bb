"""Fitting of value networks to solved subgames: gradient descent in PyTorch.

Dimension letters: S public states, A the most seats a player has in one, N samples, H units.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch.nn import functional

from tefuda.resolving.limited.network import ValueNetwork
from tefuda.resolving.limited.samples import SampleGenerator, Samples, ValueTraining
from tefuda.solvers.deep.modules import single_thread

#: Weights and biases of all layers.
Layers = tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]
#: Weights and biases of a layer.
Layer = tuple[torch.Tensor, torch.Tensor]
_DELTA = 0.1  # of the Huber loss, in units of a public state


def fit(
    samples: Samples,
    generator: SampleGenerator,
    way: ValueTraining,
    network: ValueNetwork | None,
    rng: np.random.Generator,
) -> Layers:
    """Return layers fitted to the samples for training, from those of `network`, or random ones, on."""
    with single_thread():
        layers = _tensors(first_layers(generator, way, rng) if network is None else (network.weights, network.biases))
        _descend(layers, samples, generator, way, rng)
    found = [[one.detach().numpy().astype(np.float64) for one in pair] for pair in layers]
    return tuple(weights for weights, _ in found), tuple(biases for _, biases in found)


def _descend(
    layers: list[Layer], samples: Samples, generator: SampleGenerator, way: ValueTraining, rng: np.random.Generator
) -> None:
    """Change layers step by step."""
    trained, places = np.flatnonzero(~samples.held_out), torch.from_numpy(samples.places)
    ranges, values, there = (
        torch.from_numpy(one.reshape(len(one), -1)).float() for one in (samples.ranges, samples.values, generator.there)
    )
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


def first_layers(generator: SampleGenerator, way: ValueTraining, rng: np.random.Generator) -> Layers:
    """Return weights from U(-1 / sqrt(fan in), 1 / sqrt(fan in)), the public state as one input, and biases of 0."""
    sizes = [len(generator.states) + 2 * generator.width, *[way.hidden] * way.layers, 2 * generator.width]
    fans = [1 + 2 * generator.width, *sizes[1:-1]]
    pairs = zip(sizes[:-1], sizes[1:], fans, strict=True)
    weights = tuple(rng.uniform(-1, 1, (before, after)) / math.sqrt(fan) for before, after, fan in pairs)
    return weights, tuple(np.zeros(size) for size in sizes[1:])


def _tensors(layers: Layers) -> list[Layer]:
    """Return pairs of weights and biases that gradients are taken of."""
    made = [[torch.from_numpy(one.astype(np.float32)).requires_grad_() for one in kind] for kind in layers]
    return list(zip(*made, strict=True))


def _asked(layers: list[Layer], places: torch.Tensor, ranges: torch.Tensor) -> torch.Tensor:
    """Return `[N, 2 A]` as `ValueNetwork.predict` does, for ranges `[N, 2 A]`."""
    (first, bias), *rest = layers
    between = first[places] + bias + ranges @ first[-ranges.shape[1] :]
    for weights, biases in rest:
        between = functional.relu(between) @ weights + biases
    return between - (between * ranges).sum(dim=1, keepdim=True) / 2
