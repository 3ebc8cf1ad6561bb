"""Targets of regret networks: a learner for each of `neural.REGRETS`. n rows, U units."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tefuda.solvers.deep.models import Model
from tefuda.solvers.learned.encoders import Encoder, Targets, TreeEncoder, distinct_rows, memory_targets
from tefuda.solvers.learned.memories import Column, Reservoir
from tefuda.solvers.learned.neural import DeepCFR, DiscountedTarget, InfosetFit, MeanTarget, SumTarget
from tefuda.solvers.sampled.levels import Decisions


class LearnerContext(NamedTuple):
    """The common part of learners: settings, encoder, and a factory of models of infosets."""

    method: DeepCFR
    encoder: Encoder
    units: int
    make_model: Callable[[InfosetFit, np.random.Generator], Model]

    def reservoir(self, capacity: int) -> Reservoir:
        """Return an empty reservoir of targets."""
        exact = np.float64 if self.method.fit.network == "table" else np.float32
        columns: dict[str, Column] = {
            "observations": self.encoder.column, "legal": ((self.units,), bool), "target": ((self.units,), exact),
            "weight": ((), np.float64),
        }  # fmt: skip
        return Reservoir(capacity, self.encoder.bounds, **columns)

    def with_unvisited(
        self, model: Model, player: int, observations: np.ndarray, legal: np.ndarray, total: np.ndarray, unvisited: str
    ) -> Targets:
        """Return sums as targets at visited infosets.

        unvisited: ``"fixed"`` adds the model's outputs as targets at all other infosets.
        """
        met = Targets.of(observations, legal, total)
        return all_targets(self.encoder, model, player, met) if unvisited == "fixed" else met

    def weight(self, rows: Decisions) -> np.ndarray:
        """Return `[n]` weights of rows sampled with probability q, relative to uniform draws for outcomes."""
        return (rows.uniform_q if self.method.scheme.uniform_weights else 1.0) / rows.q


class RegretLearner(ABC):
    """Learner of one player's regrets, with the settings of one of `neural.REGRETS`.

    models, memories: by name. errors: names of the fits.
    """

    errors: tuple[str, ...] = ("regrets",)

    def __init__(self, context: LearnerContext, target: Any, player: int, rng: np.random.Generator) -> None:
        self.context, self.target, self.player = context, target, player
        self.model = context.make_model(context.method.fit, rng)
        self.models, self.memories = {"regrets": self.model}, dict[str, Reservoir]()

    def predict(self, observations: np.ndarray, legal: np.ndarray, iteration: int) -> np.ndarray:
        """Return `[n, U]` regrets for regret matching in an iteration."""
        return self.model.predict(observations, legal)

    @abstractmethod
    def targets(self, rows: Decisions, iteration: int, rng: np.random.Generator) -> Targets:
        """Return the targets after an iteration with these sampled decisions of the player."""

    def learn(self, rows: Decisions, iteration: int, rng: np.random.Generator) -> dict[str, float]:
        """Fit the models; return the mean squared errors by name."""
        targets = self.targets(rows, iteration, rng)
        return {"regrets": self.model.fit(targets, self.context.method.fit, rng, self.context.method.fresh)}


class MeanRegrets(RegretLearner):
    """See `neural.MeanTarget`."""

    target: MeanTarget

    def __init__(self, context: LearnerContext, target: MeanTarget, player: int, rng: np.random.Generator) -> None:
        super().__init__(context, target, player, rng)
        self.rows = self.memories["rows"] = context.reservoir(target.rows)

    def targets(self, rows: Decisions, iteration: int, rng: np.random.Generator) -> Targets:
        weight = float(iteration) ** self.target.weighting * self.context.weight(rows)
        self.rows.offer(rng, observations=rows.observations, legal=rows.legal, target=rows.regret, weight=weight)
        return memory_targets(self.rows)


class SummedRegrets(RegretLearner):
    """See `neural.SumTarget`: a row per sampled infoset, the last output plus the traversals' mean regret."""

    target: SumTarget

    def targets(self, rows: Decisions, iteration: int, rng: np.random.Generator) -> Targets:
        first, place = distinct_rows(rows.observations)
        gained = np.zeros((len(first), rows.regret.shape[1]))
        np.add.at(gained, place, rows.regret / rows.q[:, None])
        observations, legal = rows.observations[first], rows.legal[first]
        total = self.model.predict(observations, legal) + gained / self.context.method.traversals
        total = np.where(legal, np.maximum(total, 0.0) if self.target.clip_regrets else total, 0.0)
        return self.context.with_unvisited(self.model, self.player, observations, legal, total, self.target.unvisited)


class DiscountedRegrets(RegretLearner):
    """See `neural.DiscountedTarget`."""

    target: DiscountedTarget

    def __init__(
        self, context: LearnerContext, target: DiscountedTarget, player: int, rng: np.random.Generator
    ) -> None:
        super().__init__(context, target, player, rng)
        self.now = context.make_model(context.method.fit, rng) if target.prediction else None
        if self.now is not None:
            self.models["now"], self.errors = self.now, ("regrets", "prediction")

    def predict(self, observations: np.ndarray, legal: np.ndarray, iteration: int) -> np.ndarray:
        regret = self.model.predict(observations, legal)
        if self.now is None:
            return regret
        return np.maximum(regret, 0.0) * self.target.discount(iteration) + self.now.predict(observations, legal)

    def targets(self, rows: Decisions, iteration: int, rng: np.random.Generator) -> Targets:
        before = np.maximum(self.model.predict(rows.observations, rows.legal), 0.0) * self.target.discount(iteration)
        return Targets.of(rows.observations, rows.legal, before + rows.regret)

    def learn(self, rows: Decisions, iteration: int, rng: np.random.Generator) -> dict[str, float]:
        errors = super().learn(rows, iteration, rng)
        if self.now is not None:
            now = Targets.of(rows.observations, rows.legal, rows.regret)
            errors["prediction"] = self.now.fit(now, self.context.method.fit, rng, fresh=False)
        return errors


#: Learners by the settings of their targets.
LEARNERS: dict[type, type[RegretLearner]] = {
    MeanTarget: MeanRegrets,
    SumTarget: SummedRegrets,
    DiscountedTarget: DiscountedRegrets,
}


def all_targets(encoder: Encoder, model: Model, player: int, met: Targets | None) -> Targets:
    """Return a row for each of a player's infosets: targets if visited, else a model's outputs."""
    assert isinstance(encoder, TreeEncoder)
    observations = encoder.infosets_of(player)
    legal = encoder.simulator.infoset_legal[observations]
    target = np.where(legal, model.predict(observations, legal), 0.0)
    if met is not None:
        target[np.searchsorted(observations, met.observations)] = met.target
    return Targets.of(observations, legal, target)
