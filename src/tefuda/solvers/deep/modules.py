"""Networks by name: connected ones over features; recurrent ones, with attention or without, and transformers.

Attention is that of Li et al. 2019, "Double neural counterfactual regret minimization": e = sum over steps j of
relu(w . e_j + c) e_j, with a c that starts at 1; without it, as in the paper, rows whose sums are all negative never
learn anything. n rows, F features, L tokens (0: padding, behind the others), U units.
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
        """Return `[n, H]` the inputs of the last layer."""
        raise NotImplementedError


class RecurrentNetwork(TokenNetwork):
    """A recurrent cell, one of `CELLS`, for each token, and its last state or an attention over all states.

    words: number of tokens. hidden: width of embeddings and states.
    """

    def __init__(self, vocabulary: int, hidden: int, units: int, cell: str, attends: bool) -> None:
        super().__init__()
        self.embed, self.cell = nn.Embedding(vocabulary, hidden), CELLS[cell](hidden, hidden, batch_first=True)
        self.attend = nn.Linear(hidden, 1) if attends else None
        self.out = nn.Linear(hidden, units)

    def body(self, tokens: torch.Tensor) -> torch.Tensor:
        """See `TokenNetwork`."""
        states, held = self.cell(self.embed(tokens))[0], tokens > 0
        if self.attend is None:
            last = held.sum(dim=1) - 1
            return states[torch.arange(len(tokens), device=tokens.device), last]
        shares = torch.relu(self.attend(states)[..., 0]) * held
        return torch.relu((shares[..., None] * states).sum(dim=1))


class Transformer(TokenNetwork):
    """Self-attention over tokens with learned places, and the mean of its outputs.

    words: number of tokens. length: largest number of tokens in a row. hidden: width.
    """

    def __init__(self, vocabulary: int, length: int, hidden: int, units: int, layers: int) -> None:
        super().__init__()
        self.embed, self.place = nn.Embedding(vocabulary, hidden), nn.Embedding(length, hidden)
        heads = next(heads for heads in (4, 2, 1) if hidden % heads == 0)
        one = nn.TransformerEncoderLayer(hidden, heads, 2 * hidden, dropout=0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(one, layers, enable_nested_tensor=False)
        self.out = nn.Linear(hidden, units)

    def body(self, tokens: torch.Tensor) -> torch.Tensor:
        """See `TokenNetwork`."""
        held = tokens > 0
        places = torch.arange(tokens.shape[1], device=tokens.device)
        states = self.layers(self.embed(tokens) + self.place(places), src_key_padding_mask=~held)
        return (states * held[..., None]).sum(dim=1) / held.sum(dim=1, keepdim=True)


def connected(features: int, hidden: int, units: int, layers: int) -> nn.Sequential:
    """Return layers of rectifiers over features `[n, F]`."""
    widths = [features, *[hidden] * layers]
    inner = [part for a, b in pairwise(widths) for part in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*inner, nn.Linear(widths[-1], units))


def build(
    kind: str, width: int, vocabulary: int, hidden: int, layers: int, units: int, rng: np.random.Generator
) -> nn.Module:
    """Return a network with weights from a normal distribution of deviation 1 / sqrt(fan in), its last layer zero.

    Args:
        kind: of `neural.NETWORKS`, but for ``"table"``.
        width: features of a row, or tokens.
        vocabulary: number of different tokens.
        hidden: width of the layers.
        layers: number of layers; recurrent networks have one.
        units: number of outputs.
        rng: draws the weights, not torch's own generator.
    """
    with torch.device("meta"):
        if kind == "connected":
            net: nn.Module = connected(width, hidden, units, layers)
        elif kind == "transformer":
            net = Transformer(vocabulary, width, hidden, units, layers)
        else:
            cell, _, attends = kind.partition("+")
            net = RecurrentNetwork(vocabulary, hidden, units, cell, bool(attends))
    net.to_empty(device="cpu")
    with torch.no_grad():
        for name, weights in net.named_parameters():
            shape = tuple(weights.shape)
            if len(shape) == 1:
                ones = name == "attend.bias" or ("norm" in name and name.endswith("weight"))
                drawn = np.full(shape, float(ones))
            else:
                fan = 1 if "embed" in name or "place" in name else shape[1]
                drawn = np.clip(rng.standard_normal(shape), -2, 2) / math.sqrt(fan)
            weights.copy_(torch.from_numpy(drawn))
        for weights in last_layer(net).parameters():
            weights.zero_()
    return net


def descend(net: nn.Module, rows: torch.Tensor, pull: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """Write the gradients of all weights, which are 0 before.

    Args:
        net: the network.
        rows: its inputs.
        pull: takes outputs `[n, U]` and returns the loss's gradient by them.
    """
    # Connected layers are walked back here: for networks this small PyTorch's recording takes longer than the sums.
    if not isinstance(net, nn.Sequential):
        out: torch.Tensor = net(rows)
        out.backward(pull(out.detach()))
        return
    layers, held = [layer for layer in net if isinstance(layer, nn.Linear)], [rows]
    with torch.no_grad():
        for layer in layers[:-1]:
            held.append(functional.linear(held[-1], layer.weight, layer.bias).relu_())
        back = pull(functional.linear(held[-1], layers[-1].weight, layers[-1].bias))
        for layer, read in zip(reversed(layers), reversed(held), strict=True):
            assert layer.weight.grad is not None and layer.bias.grad is not None
            torch.mm(back.t(), read, out=layer.weight.grad)
            torch.sum(back, dim=0, out=layer.bias.grad)
            if read is not rows:
                back = torch.mm(back, layer.weight).mul_(read > 0)


def last_layer(net: nn.Module) -> nn.Module:
    """Return the layer of the outputs."""
    return net[-1] if isinstance(net, nn.Sequential) else net.get_submodule("out")


def last_layer_inputs(net: nn.Module, rows: torch.Tensor) -> torch.Tensor:
    """Return `[n, H]` what the last layer reads when the network reads these rows."""
    found: torch.Tensor = net[:-1](rows) if isinstance(net, nn.Sequential) else net.body(rows.long())
    return found


@contextmanager
def single_thread() -> Iterator[None]:
    """Let PyTorch work in one thread: more slow small networks down, and bits would depend on their number."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def device() -> torch.device:
    """Return the device of networks: a graphics card where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
