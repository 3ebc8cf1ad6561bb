"""Networks of one hidden layer, as neural fictitious self-play has them, and what they play."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from torch import nn
from torch.nn import functional


def strategies(net: nn.Module, seen: np.ndarray, legal: np.ndarray, greedy: bool) -> np.ndarray:
    """`[n, U]` what a network plays: its best legal unit, or its softmax."""
    with torch.no_grad():
        out = masked(net(torch.from_numpy(seen)), torch.from_numpy(legal))
    found = functional.one_hot(out.argmax(dim=1), out.shape[1]).double() if greedy else out.softmax(dim=1)
    return np.asarray(found.numpy())


def network(features: int, hidden: int, units: int, rng: np.random.Generator) -> nn.Sequential:
    """One hidden layer of rectifiers, weights from U(-1 / sqrt(fan in), 1 / sqrt(fan in))."""
    net = nn.Sequential(nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, units))
    with torch.no_grad():
        for weights, fan in zip(net.parameters(), (features, features, hidden, hidden), strict=True):
            weights.copy_(torch.from_numpy(rng.uniform(-1, 1, tuple(weights.shape)) / np.sqrt(fan)))
    return net


def masked(out: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Outputs with illegal units at minus infinity."""
    return out.masked_fill(~legal, -torch.inf)


def tensors(arrays: Iterable[np.ndarray]) -> tuple[torch.Tensor, ...]:
    """Arrays as tensors that share their memory."""
    return tuple(torch.from_numpy(array) for array in arrays)
