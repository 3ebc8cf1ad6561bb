"""What regret networks are fitted to: a learner for each target of `neural.REGRETS`. n rows, U units."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tefuda.solvers.deep.models import Model
from tefuda.solvers.learned.encoders import Encoder, Targets, TreeEncoder, distinct, targets_of
from tefuda.solvers.learned.memories import Column, Reservoir
from tefuda.solvers.learned.neural import DeepCFR, Discounted, InfosetFit, Mean, Sum
from tefuda.solvers.sampled.waves import Decisions


class Home(NamedTuple):
    """What learners share: settings, how the game is read, and a maker of models of infosets."""

    method: DeepCFR
    encoder: Encoder
    units: int
    model: Callable[[InfosetFit, np.random.Generator], Model]

    def reservoir(self, capacity: int) -> Reservoir:
        """Return room for so many rows of targets."""
        exact = np.float64 if self.method.fit.network == "table" else np.float32
        columns: dict[str, Column] = {
            "seen": self.encoder.column, "legal": ((self.units,), bool), "target": ((self.units,), exact),
            "weight": ((), np.float64),
        }  # fmt: skip
        return Reservoir(capacity, **columns)

    def weight(self, rows: Decisions) -> np.ndarray:
        """`[n]` weight of rows met with probability q; of outcomes, compared with uniform draws."""
        return (rows.even if self.method.drawing.compared else 1.0) / rows.q


class RegretLearner(ABC):
    """Learns one player's regrets.

    Args:
        home: what learners share.
        target: settings, one of `neural.REGRETS`.
        player: number of the player.
        rng: draws the first weights.
    """

    errors: tuple[str, ...] = ("regrets",)

    def __init__(self, home: Home, target: Any, player: int, rng: np.random.Generator) -> None:
        self.home, self.target, self.player = home, target, player
        self.model = home.model(home.method.fit, rng)

    def models(self) -> dict[str, Model]:
        """The models by name."""
        return {"regrets": self.model}

    def memories(self) -> dict[str, Reservoir]:
        """The reservoirs by name."""
        return {}

    def answers(self, seen: np.ndarray, legal: np.ndarray, iteration: int) -> np.ndarray:
        """`[n, U]` regrets that the strategies of an iteration match."""
        return self.model.answers(seen, legal)

    @abstractmethod
    def targets(self, rows: Decisions, iteration: int, rng: np.random.Generator) -> Targets:
        """Return the targets after an iteration in which the player met these decisions of its own."""

    def learn(self, rows: Decisions, iteration: int, rng: np.random.Generator) -> dict[str, float]:
        """Fit the models; return the mean squared errors by name."""
        targets = self.targets(rows, iteration, rng)
        return {"regrets": self.model.fit(targets, self.home.method.fit, rng, self.home.method.fresh)}


class MeanRegrets(RegretLearner):
    """See `neural.Mean`."""

    target: Mean

    def __init__(self, home: Home, target: Mean, player: int, rng: np.random.Generator) -> None:
        super().__init__(home, target, player, rng)
        self.rows = home.reservoir(target.rows)

    def memories(self) -> dict[str, Reservoir]:
        """See `RegretLearner`."""
        return {"rows": self.rows}

    def targets(self, rows: Decisions, iteration: int, rng: np.random.Generator) -> Targets:
        """See `RegretLearner`."""
        weight = float(iteration) ** self.target.weighting * self.home.weight(rows)
        self.rows.offer(rng, seen=rows.seen, legal=rows.legal, target=rows.regret, weight=weight)
        return targets_of(self.rows)


class SummedRegrets(RegretLearner):
    """See `neural.Sum`: a row for each infoset met, the last answer plus the walks' mean regret."""

    target: Sum

    def targets(self, rows: Decisions, iteration: int, rng: np.random.Generator) -> Targets:
        """See `RegretLearner`."""
        first, place = distinct(rows.seen)
        gained = np.zeros((len(first), rows.regret.shape[1]))
        np.add.at(gained, place, rows.regret / rows.q[:, None])
        seen, legal = rows.seen[first], rows.legal[first]
        total = self.model.answers(seen, legal) + gained / self.home.method.walks
        total = np.where(legal, np.maximum(total, 0.0) if self.target.floor else total, 0.0)
        met = Targets(seen, legal, total, legal.astype(np.float64))
        return completed(self.home.encoder, self.model, self.player, met) if self.target.unmet == "held" else met


class DiscountedRegrets(RegretLearner):
    """See `neural.Discounted`."""

    target: Discounted

    def __init__(self, home: Home, target: Discounted, player: int, rng: np.random.Generator) -> None:
        super().__init__(home, target, player, rng)
        self.now = home.model(home.method.fit, rng) if target.prediction else None
        self.errors = ("regrets", *["prediction"] * target.prediction)

    def models(self) -> dict[str, Model]:
        """See `RegretLearner`."""
        return super().models() | ({} if self.now is None else {"now": self.now})

    def answers(self, seen: np.ndarray, legal: np.ndarray, iteration: int) -> np.ndarray:
        """See `RegretLearner`."""
        regret = self.model.answers(seen, legal)
        if self.now is None:
            return regret
        return np.maximum(regret, 0.0) * self.target.discount(iteration) + self.now.answers(seen, legal)

    def targets(self, rows: Decisions, iteration: int, rng: np.random.Generator) -> Targets:
        """See `RegretLearner`."""
        before = np.maximum(self.model.answers(rows.seen, rows.legal), 0.0) * self.target.discount(iteration)
        return Targets(rows.seen, rows.legal, before + rows.regret, rows.legal.astype(np.float64))

    def learn(self, rows: Decisions, iteration: int, rng: np.random.Generator) -> dict[str, float]:
        """See `RegretLearner`."""
        errors = super().learn(rows, iteration, rng)
        if self.now is not None:
            now = Targets(rows.seen, rows.legal, rows.regret, rows.legal.astype(np.float64))
            errors["prediction"] = self.now.fit(now, self.home.method.fit, rng, fresh=False)
        return errors


#: Learners by the settings of their targets.
LEARNERS: dict[type, type[RegretLearner]] = {Mean: MeanRegrets, Sum: SummedRegrets, Discounted: DiscountedRegrets}


def completed(encoder: Encoder, model: Model, player: int, met: Targets | None) -> Targets:
    """A row for each of a player's infosets: what a model answers, but for those met."""
    assert isinstance(encoder, TreeEncoder)
    seen = encoder.all_of(player)
    legal = encoder.simulator.infoset_legal[seen]
    target = np.where(legal, model.answers(seen, legal), 0.0)
    if met is not None:
        target[np.searchsorted(seen, met.seen)] = met.target
    return Targets(seen, legal, target, legal.astype(np.float64))
