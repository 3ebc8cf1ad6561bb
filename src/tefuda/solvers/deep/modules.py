"""Networks by name: connected, recurrent (with or without attention), transformers.

Attention is that of Li et al. 2019, "Double neural counterfactual regret minimization": e = sum over steps j of
relu(w . e_j + c) e_j, with c initially 1. Without it, as in the paper, rows whose sums are all negative
never learn. n rows, F features, L tokens (0: padding, last), U units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

CELLS: dict[str, Any] = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}


class TokenNetwork(nn.Module):
    """A network over tokens `[n, L]` whose outputs `[n, U]` come from a linear layer `out`."""

    out: nn.Linear

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return `[n, U]`."""
        return self.out(self.body(tokens.long()))

    def body(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return `[n, H]` inputs of the last layer."""
        raise NotImplementedError


class RecurrentNetwork(TokenNetwork):
    """A recurrent cell, one of `CELLS`, over tokens, and its last state or attention over all states.

    vocabulary: number of different tokens. hidden: width of embeddings and states.
    """

    def __init__(self, vocabulary: int, hidden: int, units: int, cell: str, attention: bool) -> None:
        super().__init__()
        self.embed, self.cell = nn.Embedding(vocabulary, hidden), CELLS[cell](hidden, hidden, batch_first=True)
        self.attention_layer = nn.Linear(hidden, 1) if attention else None
        self.out = nn.Linear(hidden, units)

    def body(self, tokens: torch.Tensor) -> torch.Tensor:
        states, mask = self.cell(self.embed(tokens))[0], tokens > 0
        if self.attention_layer is None:
            last = mask.sum(dim=1) - 1
            return states[torch.arange(len(tokens), device=tokens.device), last]
        shares = torch.relu(self.attention_layer(states)[..., 0]) * mask
        return torch.relu((shares[..., None] * states).sum(dim=1))


class Transformer(TokenNetwork):
    """Self-attention over tokens with learned positions, and the mean of its outputs.

    vocabulary: number of different tokens. length: largest number of tokens in a row. hidden: width.
    """

    def __init__(self, vocabulary: int, length: int, hidden: int, units: int, layers: int) -> None:
        super().__init__()
        self.embed, self.position = nn.Embedding(vocabulary, hidden), nn.Embedding(length, hidden)
        heads = next(heads for heads in (4, 2, 1) if hidden % heads == 0)
        layer = nn.TransformerEncoderLayer(hidden, heads, 2 * hidden, dropout=0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.out = nn.Linear(hidden, units)

    def body(self, tokens: torch.Tensor) -> torch.Tensor:
        mask = tokens > 0
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        states = self.layers(self.embed(tokens) + self.position(positions), src_key_padding_mask=~mask)
        return (states * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)


def connected(features: int, hidden: int, units: int, layers: int) -> nn.Sequential:
    """Return fully connected layers with ReLU over features `[n, F]`."""
    widths = [features, *[hidden] * layers]
    inner = [part for a, b in pairwise(widths) for part in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*inner, nn.Linear(widths[-1], units))


def build(
    kind: str, width: int, vocabulary: int, hidden: int, layers: int, units: int, rng: np.random.Generator
) -> nn.Module:
    """Return a network with normal weights of deviation 1 / sqrt(fan in), and 0 in its last layer.

    Args:
        kind: one of `neural.NETWORKS` except ``"table"``.
        width: features of a row, or tokens.
        vocabulary: number of different tokens.
        hidden: width of the layers.
        layers: number of layers; recurrent networks have one.
        units: number of outputs.
        rng: source of the weights, instead of torch's own generator.
    """
    with torch.device("meta"):
        if kind == "connected":
            net: nn.Module = connected(width, hidden, units, layers)
        elif kind == "transformer":
            net = Transformer(vocabulary, width, hidden, units, layers)
        else:
            cell, _, attention = kind.partition("+")
            net = RecurrentNetwork(vocabulary, hidden, units, cell, bool(attention))
    net.to_empty(device="cpu")
    with torch.no_grad():
        for name, weights in net.named_parameters():
            shape = tuple(weights.shape)
            if len(shape) == 1:
                ones = name == "attention_layer.bias" or ("norm" in name and name.endswith("weight"))
                drawn = np.full(shape, float(ones))
            else:
                fan = 1 if "embed" in name or "position" in name else shape[1]
                drawn = np.clip(rng.standard_normal(shape), -2, 2) / math.sqrt(fan)
            weights.copy_(torch.from_numpy(drawn))
        for weights in last_layer(net).parameters():
            weights.zero_()
    return net


def backpropagate(net: nn.Module, rows: torch.Tensor, loss_gradient: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """Write the gradients of all weights, which must be 0 before.

    Args:
        net: the network.
        rows: its inputs.
        loss_gradient: function of outputs `[n, U]` that returns the loss's gradient by them.
    """
    # Connected layers are differentiated here: for small networks PyTorch's recording takes longer than the sums.
    if not isinstance(net, nn.Sequential):
        out: torch.Tensor = net(rows)
        out.backward(loss_gradient(out.detach()))
        return
    layers, inputs = [layer for layer in net if isinstance(layer, nn.Linear)], [rows]
    with torch.no_grad():
        for layer in layers[:-1]:
            inputs.append(functional.linear(inputs[-1], layer.weight, layer.bias).relu_())
        back = loss_gradient(functional.linear(inputs[-1], layers[-1].weight, layers[-1].bias))
        for layer, layer_input in zip(reversed(layers), reversed(inputs), strict=True):
            assert layer.weight.grad is not None and layer.bias.grad is not None
            torch.mm(back.t(), layer_input, out=layer.weight.grad)
            torch.sum(back, dim=0, out=layer.bias.grad)
            if layer_input is not rows:
                back = torch.mm(back, layer.weight).mul_(layer_input > 0)


def last_layer(net: nn.Module) -> nn.Module:
    """Return the output layer."""
    return net[-1] if isinstance(net, nn.Sequential) else net.get_submodule("out")


def last_layer_inputs(net: nn.Module, rows: torch.Tensor) -> torch.Tensor:
    """Return `[n, H]` inputs of the last layer for these rows."""
    found: torch.Tensor = net[:-1](rows) if isinstance(net, nn.Sequential) else net.body(rows.long())
    return found


@contextmanager
def single_thread() -> Iterator[None]:
    """Run PyTorch in one thread: more threads slow small networks down, and bits depend on their number."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.autograd.set_multithreading_enabled(False):
            yield
    finally:
        torch.set_num_threads(threads)


def device() -> torch.device:
    """Return the device of networks: a graphics card if available."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
