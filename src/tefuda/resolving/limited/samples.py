"""Training data of value networks: subgames solved for random ranges and for ranges that play reaches.

Dimension letters: S public states, A the most augmented infosets a player has in one, N samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from tefuda.files import ArraySpec
from tefuda.forms.tree import Tree
from tefuda.resolving.limited.equilibria import EquilibriumSolver, region_response_values
from tefuda.resolving.limited.leaves import LookaheadSolver, PlayerVectors
from tefuda.resolving.limited.network import ValueNetwork, augmented_mask
from tefuda.resolving.limited.trunk import Cut, Trunk, region_below, require_subgames, root_lookahead, trunk_of
from tefuda.settings import Validated, option

_SEARCH_ITERATIONS = 100  # iterations over the trunk whose ranges are sampled
_HELD_OUT = 10  # every tenth sample is for validation, not for training
_REPORT_INTERVAL = 50  # samples between reports


@dataclass(frozen=True)
class ValueTraining(Validated):
    """Settings of the training of a `ValueNetwork`.

    Args:
        samples: subgames solved in each round.
        rounds: number of rounds. Ranges of the first round are random; later, half of them are near ranges of play.
        hidden: number of units of a hidden layer.
        layers: number of hidden layers.
        steps: gradient steps in each round (Adam, Huber loss).
        batch: number of samples in a step.
        rate: learning rate at the start of a round; a cosine schedule lowers it to 0.

    >>> td.resolving.ValueTraining(samples=1000).rounds
    3
    """

    samples: int = option(2_000, 10)
    rounds: int = option(3, 1, 1000)
    hidden: int = option(128, 1, 10**5)
    layers: int = option(3, 1, 99)
    steps: int = option(2_000, 1)
    batch: int = option(512, 1, 10**6)
    rate: float = option(2e-3, high=1)


class Samples(NamedTuple):
    """Solved subgames.

    places: `[N]` indices of the public states. ranges: `[N, 2, A]` of both players, each summing to 1. values:
    `[N, 2, A]` counterfactual values, in the state's unit; 0 where a state has no augmented infoset.
    """

    places: np.ndarray  # [N] int64
    ranges: np.ndarray  # [N, 2, A]
    values: np.ndarray  # [N, 2, A]

    @property
    def held_out(self) -> np.ndarray:
        """`[N]` whether each sample is for validation."""
        return np.arange(len(self.places)) % _HELD_OUT == 0


class SampleGenerator:
    """A generator of samples of subgames at a cut.

    Its public states are those at the cut, and at the same cut from each of them, and so on.

    states, augmented_counts, units: see `ValueNetwork`. mask: `[S, 2, A]` whether an augmented infoset exists.
    """

    def __init__(self, tree: Tree, cut: Cut) -> None:
        self.tree, self.trunk = tree, trunk_of(tree, cut)
        require_subgames(self.trunk, cut)
        states, pending = set[int](), [self.trunk]
        while pending:
            new = {sub.public_state for sub in pending.pop().subgames} - states
            states |= new
            pending += [trunk_of(tree, cut, state) for state in sorted(new)]
        self.states = np.array(sorted(states), dtype=np.int64)
        regions = [region_below(tree, state) for state in self.states.tolist()]
        self.augmented_counts = np.array([[region.starts(player) for player in range(2)] for region in regions])
        self.units = np.array([np.abs(region.leaf_value).max(initial=1e-300) for region in regions])
        self.mask = augmented_mask(self.augmented_counts)
        self.width = self.mask.shape[2]  # A
        self._solvers = [EquilibriumSolver(region) for region in regions]

    def sample(
        self, count: int, visited: Sequence[np.ndarray] | None, rng: np.random.Generator, notify: Callable[[int], None]
    ) -> Samples:
        """Solve `count` subgames for random ranges; call `notify` with the number solved.

        visited: for each public state `[M, 2, A]` ranges of play, near which half of the samples are; None: none.
        """
        places = rng.integers(len(self.states), size=count)
        ranges, values = np.zeros((2, count, 2, self.width))
        for number, place in enumerate(places.tolist()):
            own = [random_range(rng, size) for size in self.augmented_counts[place].tolist()]
            if visited is not None and len(visited[place]) and number % 2:
                near, share = visited[place][rng.integers(len(visited[place]))], 0.3 * rng.random()
                own = [(1 - share) * near[p, : len(own[p])] + share * own[p] for p in range(2)]
            solver, mask = self._solvers[place], self.mask[place]
            solution = region_response_values(solver.region, solver.plans((own[0], own[1])))
            ranges[number][mask] = np.concatenate(own)
            values[number][mask] = np.concatenate(solution) / self.units[place]
            if (number + 1) % _REPORT_INTERVAL == 0:
                notify(number + 1)
        return Samples(places, ranges, values)

    def visited_ranges(self, network: ValueNetwork) -> list[np.ndarray]:
        """Return `[M, 2, A]` for each public state the ranges that a search with a network passes to it."""
        calls = list[PlayerVectors]()

        def values(trunk: Trunk, ranges: PlayerVectors) -> PlayerVectors:
            calls.append((ranges[0].copy(), ranges[1].copy()))
            return network.values(trunk, ranges)

        LookaheadSolver(root_lookahead(self.trunk), SimpleNamespace(values=values)).advance(_SEARCH_ITERATIONS)
        visited = [np.zeros((0, 2, self.width)) for _ in self.states]
        for number, sub in enumerate(self.trunk.subgames):
            place = int(np.searchsorted(self.states, sub.public_state))
            ranges = np.zeros((len(calls), 2, self.width))
            for player in range(2):
                own = np.array([self.trunk.split(player, call[player])[number] for call in calls])
                ranges[:, player, : own.shape[1]] = own
            sums = ranges.sum(axis=2, keepdims=True)
            reached = (sums > 0).all(axis=(1, 2))
            visited[place] = ranges[reached] / sums[reached]
        return visited

    def make_network(
        self, weights: tuple[np.ndarray, ...], biases: tuple[np.ndarray, ...], samples: Samples
    ) -> ValueNetwork:
        """Return a network of these layers, with its error on the validation samples."""
        known = self.tree.name, self.tree.fingerprint, self.states, self.augmented_counts, self.units
        network = ValueNetwork(*known, weights, biases, 0.0)
        places, ranges, values = (column[samples.held_out] for column in samples)
        errors = np.abs(network.predict(places, ranges) - values) * self.units[places][:, None, None]
        return replace(network, error=float(errors[self.mask[places]].mean()))

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the expected types, shapes and limits of the arrays of samples."""
        return {
            "places": ArraySpec("int64", ("N",), 0, len(self.states) - 1),
            "ranges": ArraySpec("float64", ("N", 2, self.width), 0, 1),
            "values": ArraySpec("float64", ("N", 2, self.width)),
        }


def random_range(rng: np.random.Generator, size: int) -> np.ndarray:
    """Return `[size]` summing to 1, from Dirichlet distributions between concentrated and nearly uniform."""
    drawn = rng.gamma(10.0 ** rng.uniform(-1.0, 0.5), size=size) + 1e-12
    return drawn / drawn.sum()
