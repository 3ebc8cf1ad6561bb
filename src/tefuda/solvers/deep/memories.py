"""What learners remember: the last transitions, and a uniform sample of all behaviour."""

from __future__ import annotations

import numpy as np
import torch


class Ring:
    """Transitions of one player: the last `capacity` of them.

    Observation, unit, reward, next observation, what is legal there, and whether the game goes on.
    """

    def __init__(self, capacity: int, features: int, units: int) -> None:
        self.seen = 0
        self.before, self.after = np.zeros((2, capacity, features), dtype=np.float32)
        self.unit, self.reward = np.zeros(capacity, dtype=np.int64), np.zeros(capacity, dtype=np.float32)
        self.legal, self.goes_on = np.ones((capacity, units), dtype=bool), np.zeros(capacity, dtype=np.float32)

    @property
    def filled(self) -> int:
        """How many rows hold something."""
        return min(self.seen, len(self.unit))

    def add(self, before: np.ndarray, unit: np.ndarray, reward: np.ndarray) -> np.ndarray:
        """Add rows of games that ended; return their places, for `lead_on`."""
        places = (self.seen + np.arange(len(unit))) % len(self.unit)
        self.before[places], self.unit[places], self.reward[places] = before, unit, reward
        self.goes_on[places] = 0.0
        self.seen += len(unit)
        return places

    def lead_on(self, places: np.ndarray, after: np.ndarray, legal: np.ndarray) -> None:
        """The games of these rows go on."""
        self.after[places], self.legal[places], self.goes_on[places] = after, legal, 1.0

    def draw(self, count: int, rng: np.random.Generator) -> tuple[torch.Tensor, ...]:
        """A minibatch, with replacement."""
        rows = rng.integers(min(self.seen, len(self.unit)), size=count)
        columns = (self.before, self.unit, self.reward, self.after, self.legal, self.goes_on)
        return tuple(torch.from_numpy(column[rows]) for column in columns)


class Reservoir:
    """A uniform sample of all behaviour offered (Vitter 1985, algorithm R): observation, unit, what was legal."""

    def __init__(self, capacity: int, features: int, units: int) -> None:
        self.seen = 0
        self.before, self.unit = np.zeros((capacity, features), dtype=np.float32), np.zeros(capacity, dtype=np.int64)
        self.legal = np.ones((capacity, units), dtype=bool)

    @property
    def filled(self) -> int:
        """How many rows hold something."""
        return min(self.seen, len(self.unit))

    def offer(self, before: np.ndarray, unit: np.ndarray, legal: np.ndarray, rng: np.random.Generator) -> None:
        """Offer rows, one after the other."""
        places = self.seen + np.arange(len(unit))
        drawn = (rng.random(len(unit)) * (places + 1)).astype(np.int64)
        places = np.where(places < len(self.unit), places, drawn)
        kept = places < len(self.unit)
        self.before[places[kept]], self.unit[places[kept]] = before[kept], unit[kept]
        self.legal[places[kept]] = legal[kept]
        self.seen += len(unit)

    def draw(self, count: int, rng: np.random.Generator) -> tuple[torch.Tensor, ...]:
        """A minibatch, with replacement."""
        rows = rng.integers(min(self.seen, len(self.unit)), size=count)
        return tuple(torch.from_numpy(column[rows]) for column in (self.before, self.unit, self.legal))
