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
    """The learners' common part: settings, encoder, and a maker of models of infosets."""

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

    def asked(
        self, model: Model, player: int, seen: np.ndarray, legal: np.ndarray, total: np.ndarray, unmet: str
    ) -> Targets:
        """Return sums as targets at infosets met; at those not met none, or if they are held the model's answers."""
        met = Targets.of(seen, legal, total)
        return completed(self.encoder, model, player, met) if unmet == "held" else met

    def weight(self, rows: Decisions) -> np.ndarray:
        """`[n]` weight of rows met with probability q; of outcomes, compared with uniform draws."""
        return (rows.even if self.method.drawing.compared else 1.0) / rows.q


class RegretLearner(ABC):
    """Learns one player's regrets.

    models, memories: by name. errors: names of the fits.

    Args:
        home: settings and encoder.
        target: settings, one of `neural.REGRETS`.
        player: number of the player.
        rng: draws the first weights.
    """

    errors: tuple[str, ...] = ("regrets",)

    def __init__(self, home: Home, target: Any, player: int, rng: np.random.Generator) -> None:
        self.home, self.target, self.player = home, target, player
        self.model = home.model(home.method.fit, rng)
        self.models, self.memories = {"regrets": self.model}, dict[str, Reservoir]()

    def answers(self, seen: np.ndarray, legal: np.ndarray, iteration: int) -> np.ndarray:
        """Return `[n, U]` regrets that the strategies of an iteration match."""
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
        self.rows = self.memories["rows"] = home.reservoir(target.rows)

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
        return self.home.asked(self.model, self.player, seen, legal, total, self.target.unmet)


class DiscountedRegrets(RegretLearner):
    """See `neural.Discounted`."""

    target: Discounted

    def __init__(self, home: Home, target: Discounted, player: int, rng: np.random.Generator) -> None:
        super().__init__(home, target, player, rng)
        self.now = home.model(home.method.fit, rng) if target.prediction else None
        if self.now is not None:
            self.models["now"], self.errors = self.now, ("regrets", "prediction")

    def answers(self, seen: np.ndarray, legal: np.ndarray, iteration: int) -> np.ndarray:
        """See `RegretLearner`."""
        regret = self.model.answers(seen, legal)
        if self.now is None:
            return regret
        return np.maximum(regret, 0.0) * self.target.discount(iteration) + self.now.answers(seen, legal)

    def targets(self, rows: Decisions, iteration: int, rng: np.random.Generator) -> Targets:
        """See `RegretLearner`."""
        before = np.maximum(self.model.answers(rows.seen, rows.legal), 0.0) * self.target.discount(iteration)
        return Targets.of(rows.seen, rows.legal, before + rows.regret)

    def learn(self, rows: Decisions, iteration: int, rng: np.random.Generator) -> dict[str, float]:
        """See `RegretLearner`."""
        errors = super().learn(rows, iteration, rng)
        if self.now is not None:
            now = Targets.of(rows.seen, rows.legal, rows.regret)
            errors["prediction"] = self.now.fit(now, self.home.method.fit, rng, fresh=False)
        return errors


#: Learners by the settings of their targets.
LEARNERS: dict[type, type[RegretLearner]] = {Mean: MeanRegrets, Sum: SummedRegrets, Discounted: DiscountedRegrets}


def completed(encoder: Encoder, model: Model, player: int, met: Targets | None) -> Targets:
    """Return a row for each of a player's infosets: the targets of those met, else a model's answers."""
    assert isinstance(encoder, TreeEncoder)
    seen = encoder.all_of(player)
    legal = encoder.simulator.infoset_legal[seen]
    target = np.where(legal, model.answers(seen, legal), 0.0)
    if met is not None:
        target[np.searchsorted(seen, met.seen)] = met.target
    return Targets.of(seen, legal, target)
