"""Subgames solved at random ranges and at those that play reaches: the training data of networks.

Dimension letters: S public states, A the most seats a player has in one, N samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from tefuda.errors import check_range
from tefuda.files import ArraySpec
from tefuda.forms.tree import Tree
from tefuda.resolving.limited.equilibria import EquilibriumSolver, seat_values
from tefuda.resolving.limited.leaves import LookaheadSolver, PlayerVectors
from tefuda.resolving.limited.network import ValueNetwork, seat_mask
from tefuda.resolving.limited.trunk import Cut, Trunk, below, require_subgames, root_lookahead, trunk_of

_LOOKS = 100  # iterations over the trunk whose ranges are sampled
_HELD_OUT = 10  # one sample in so many is not trained on, but evaluators
_EVERY = 50  # samples between reports


@dataclass(frozen=True)
class ValueTraining:
    """Settings of training.

    Args:
        samples: subgames solved in each round.
        rounds: number of rounds; the ranges of the first are random, of the others half are near those of play.
        hidden: units of a layer.
        layers: number of hidden layers.
        steps: steps of gradient descent in each round (Adam, Huber loss).
        batch: samples a step.
        rate: learning rate at the start of a round; it falls to 0 as a cosine.

    >>> td.ValueTraining(samples=1000).rounds
    3
    """

    samples: int = 2_000
    rounds: int = 3
    hidden: int = 128
    layers: int = 3
    steps: int = 2_000
    batch: int = 512
    rate: float = 2e-3

    def __post_init__(self) -> None:
        highest = {"rounds": 1000, "hidden": 10**5, "layers": 99, "steps": 10**9, "batch": 10**6}
        for name, high in highest.items():
            check_range(name, getattr(self, name), 1, high)
        check_range("samples", self.samples, 10, 10**9)
        check_range("rate", self.rate, 0, 1, whole=False)


class Samples(NamedTuple):
    """Subgames solved.

    places: `[N]` the public states. ranges: `[N, 2, A]` of both players, each summing to 1. values: `[N, 2, A]` of
    their seats, in the state's unit; 0 where a state has no seat.
    """

    places: np.ndarray  # [N] int64
    ranges: np.ndarray  # [N, 2, A]
    values: np.ndarray  # [N, 2, A]

    @property
    def held_out(self) -> np.ndarray:
        """`[N]` which samples are not trained on."""
        return np.arange(len(self.places)) % _HELD_OUT == 0


class SampleGenerator:
    """The training data of a cut: all public states at the cut, and at the same cut from each of them.

    states, seats, units: see `ValueNetwork`. there: `[S, 2, A]` which seats there are.
    """

    def __init__(self, tree: Tree, cut: Cut) -> None:
        self.tree, self.trunk = tree, trunk_of(tree, cut)
        require_subgames(self.trunk, cut)
        found, waiting = set[int](), [self.trunk]
        while waiting:
            new = {one.public_state for one in waiting.pop().subgames} - found
            found |= new
            waiting += [trunk_of(tree, cut, one) for one in sorted(new)]
        self.states = np.array(sorted(found), dtype=np.int64)
        regions = [below(tree, state) for state in self.states.tolist()]
        self.seats = np.array([[region.starts(player) for player in range(2)] for region in regions])
        self.units = np.array([np.abs(region.leaf_value).max(initial=1e-300) for region in regions])
        self.there = seat_mask(self.seats)
        self.width = self.there.shape[2]  # A
        self._solved = [EquilibriumSolver(region) for region in regions]

    def solved(
        self, count: int, met: Sequence[np.ndarray] | None, rng: np.random.Generator, notify: Callable[[int], None]
    ) -> Samples:
        """Solve `count` subgames at random ranges, and `notify` the number solved.

        met: for each public state `[M, 2, A]` ranges of play, near which half of the samples are; None: none.
        """
        places = rng.integers(len(self.states), size=count)
        ranges, values = np.zeros((2, count, 2, self.width))
        for number, place in enumerate(places.tolist()):
            own = [random_range(rng, seats) for seats in self.seats[place].tolist()]
            if met is not None and len(met[place]) and number % 2:
                near, share = met[place][rng.integers(len(met[place]))], 0.3 * rng.random()
                own = [(1 - share) * near[p, : len(own[p])] + share * own[p] for p in range(2)]
            worth = seat_values(self._solved[place].region, self._solved[place].plans((own[0], own[1])))
            there = self.there[place]
            ranges[number][there] = np.concatenate(own)
            values[number][there] = np.concatenate(worth) / self.units[place]
            if (number + 1) % _EVERY == 0:
                notify(number + 1)
        return Samples(places, ranges, values)

    def met(self, network: ValueNetwork) -> list[np.ndarray]:
        """Return `[M, 2, A]` for each public state the ranges that a search with a network passes to it."""
        asked = list[PlayerVectors]()

        def values(trunk: Trunk, ranges: PlayerVectors) -> PlayerVectors:
            asked.append((ranges[0].copy(), ranges[1].copy()))
            return network.values(trunk, ranges)

        LookaheadSolver(root_lookahead(self.trunk), SimpleNamespace(values=values)).advance(_LOOKS)
        found = [np.zeros((0, 2, self.width)) for _ in self.states]
        for number, there in enumerate(self.trunk.subgames):
            place = int(np.searchsorted(self.states, there.public_state))
            met = np.zeros((len(asked), 2, self.width))
            for player in range(2):
                own = np.array([self.trunk.split(player, one[player])[number] for one in asked])
                met[:, player, : own.shape[1]] = own
            sums = met.sum(axis=2, keepdims=True)
            come = (sums > 0).all(axis=(1, 2))
            found[place] = met[come] / sums[come]
        return found

    def network(
        self, weights: tuple[np.ndarray, ...], biases: tuple[np.ndarray, ...], samples: Samples
    ) -> ValueNetwork:
        """Return layers as a network, with its error on the samples it was not trained on."""
        known = self.tree.name, self.tree.fingerprint, self.states, self.seats, self.units
        network = ValueNetwork(*known, weights, biases, 0.0)
        places, ranges, values = (one[samples.held_out] for one in samples)
        wrong = np.abs(network.predict(places, ranges) - values) * self.units[places][:, None, None]
        return replace(network, error=float(wrong[self.there[places]].mean()))

    def expected(self) -> dict[str, ArraySpec]:
        """Return the expected types, shapes and ranges of the arrays of samples."""
        return {
            "places": ArraySpec("int64", ("N",), 0, len(self.states) - 1),
            "ranges": ArraySpec("float64", ("N", 2, self.width), 0, 1),
            "values": ArraySpec("float64", ("N", 2, self.width)),
        }


def random_range(rng: np.random.Generator, seats: int) -> np.ndarray:
    """Return `[seats]` summing to 1, drawn from Dirichlets between nearly one seat alone and nearly equal ones."""
    drawn = rng.gamma(10.0 ** rng.uniform(-1.0, 0.5), size=seats) + 1e-12
    return drawn / drawn.sum()
