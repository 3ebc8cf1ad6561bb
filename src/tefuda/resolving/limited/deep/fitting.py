"""Fitting of value networks to solved subgames by gradient descent in PyTorch.

Dimension letters: S public states, A the most augmented infosets a player has in one, N samples, H units.
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
    settings: ValueTraining,
    network: ValueNetwork | None,
    rng: np.random.Generator,
) -> Layers:
    """Return layers fitted to the training samples, starting from a network's layers or random ones."""
    with single_thread():
        layers = _tensors(
            first_layers(generator, settings, rng) if network is None else (network.weights, network.biases)
        )
        _gradient_descent(layers, samples, generator, settings, rng)
    arrays = [[tensor.detach().numpy().astype(np.float64) for tensor in pair] for pair in layers]
    return tuple(weights for weights, _ in arrays), tuple(biases for _, biases in arrays)


def _gradient_descent(
    layers: list[Layer], samples: Samples, generator: SampleGenerator, settings: ValueTraining, rng: np.random.Generator
) -> None:
    """Update layers in place."""
    trained, places = np.flatnonzero(~samples.held_out), torch.from_numpy(samples.places)
    ranges, values, masks = (
        torch.from_numpy(array.reshape(len(array), -1)).float()
        for array in (samples.ranges, samples.values, generator.mask)
    )
    descent = torch.optim.Adam([tensor for pair in layers for tensor in pair], lr=settings.rate)
    for step in range(settings.steps):
        rows = torch.from_numpy(trained[rng.integers(len(trained), size=settings.batch)])
        mask, predicted = masks[places[rows]], _predict(layers, places[rows], ranges[rows])
        losses = functional.huber_loss(predicted, values[rows], reduction="none", delta=_DELTA)
        loss = (losses * mask).sum() / mask.sum()
        descent.param_groups[0]["lr"] = settings.rate * (1 + math.cos(math.pi * step / settings.steps)) / 2
        descent.zero_grad()
        loss.backward()
        descent.step()


def first_layers(generator: SampleGenerator, settings: ValueTraining, rng: np.random.Generator) -> Layers:
    """Return weights from U(-1 / sqrt(fan in), 1 / sqrt(fan in)) and biases of 0; the state is one input."""
    sizes = [len(generator.states) + 2 * generator.width, *[settings.hidden] * settings.layers, 2 * generator.width]
    fans = [1 + 2 * generator.width, *sizes[1:-1]]
    pairs = zip(sizes[:-1], sizes[1:], fans, strict=True)
    weights = tuple(rng.uniform(-1, 1, (before, after)) / math.sqrt(fan) for before, after, fan in pairs)
    return weights, tuple(np.zeros(size) for size in sizes[1:])


def _tensors(layers: Layers) -> list[Layer]:
    """Return pairs of weights and biases with gradients."""
    tensors = [[torch.from_numpy(array.astype(np.float32)).requires_grad_() for array in kind] for kind in layers]
    return list(zip(*tensors, strict=True))


def _predict(layers: list[Layer], places: torch.Tensor, ranges: torch.Tensor) -> torch.Tensor:
    """Return `[N, 2 A]` as `ValueNetwork.predict` does, for ranges `[N, 2 A]`."""
    (first, bias), *rest = layers
    hidden = first[places] + bias + ranges @ first[-ranges.shape[1] :]
    for weights, biases in rest:
        hidden = functional.relu(hidden) @ weights + biases
    return hidden - (hidden * ranges).sum(dim=1, keepdim=True) / 2
