"""Networks of one hidden layer, and what they play: as profiles of trees, or as policies where there is no tree."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from tefuda.errors import SolverError
from tefuda.forms.features import unit_weights
from tefuda.forms.rules_simulator import RulesSimulator
from tefuda.forms.simulate import TreeSimulator
from tefuda.judging.profile import Profile


def strategies(net: nn.Module, seen: np.ndarray, legal: np.ndarray, greedy: bool) -> np.ndarray:
    """`[n, U]` what a network plays: its best legal unit, or its softmax."""
    with torch.no_grad():
        out = masked(net(torch.from_numpy(seen)), torch.from_numpy(legal))
    found = functional.one_hot(out.argmax(dim=1), out.shape[1]).double() if greedy else out.softmax(dim=1)
    return np.asarray(found.numpy())


def tabulated(simulator: TreeSimulator, nets: Sequence[nn.Module], greedy: bool) -> Profile:
    """Networks, one for each player, as a profile."""
    tree, seen, legal = simulator.tree, simulator.infoset_features, simulator.infoset_legal
    found = np.zeros(legal.shape)
    for player, net in enumerate(nets):
        mine = tree.infoset_player == player
        found[mine] = strategies(net, seen[mine], legal[mine], greedy)
    return Profile.from_weights(tree, unit_weights(tree, simulator.infoset_action, found))


class NetworkPolicy:
    """What networks, one for each player, play where there is no tree."""

    def __init__(self, simulator: RulesSimulator, nets: Sequence[nn.Module], greedy: bool) -> None:
        self.simulator, self.nets, self.greedy = simulator, nets, greedy

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """See `Policy`.

        Raises:
            SolverError: the networks see features of states, which do not follow from a view.
        """
        if not self.simulator.sees_views:
            raise SolverError(
                f"networks of {self.simulator.game.name} see features() of states, which no view tells; "
                "simulate it with RulesSimulator(game, encoded=True)."
            )
        seen, legal = np.zeros((1, self.simulator.features), np.float32), np.zeros((1, self.simulator.units), bool)
        self.simulator.encode(key, seen[0])
        units = [self.simulator.unit_of(label) for label in actions]
        legal[0, units] = True
        shares = strategies(self.nets[player], seen, legal, self.greedy)[0, units].astype(np.float64)
        return list((shares / shares.sum()).tolist())


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
