"""Training of the value network of Koi-Koi in self-play, with checkpoints."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tefuda.errors import ParameterError, RunError, check_seed
from tefuda.files import LIST, ArraySpec, check_arrays, check_fields, csv_text, read_arrays, write_arrays, write_bytes
from tefuda.forms.arrays import finite_numbers
from tefuda.koikoi.kernels import training as kernels
from tefuda.koikoi.kernels.network import SLOTS, Net
from tefuda.koikoi.players.ladder import PlayerConfiguration, duel
from tefuda.koikoi.players.network import LARGEST, empty_accumulator, weight_count, weight_views
from tefuda.koikoi.rules import KoiKoiRules, rules_after_deal
from tefuda.koikoi.simulator import compile_rules, streams
from tefuda.locks import locked
from tefuda.settings import Validated, option

BLOCK = 64  # batches with one learning rate, between two progress reports
_BLOCKS_PER_POINT = 32  # blocks per point of the curve
_CHECKPOINT_SECONDS = 60.0  # seconds between checkpoints
_DEALS = 2000  # deals per point of the curve


@dataclass(frozen=True)
class NetworkTraining(Validated):
    """The settings of training.

    Attributes:
        rounds: number of rounds of self-play.
        units: size of the first layer.
        batch: rounds between steps of Adam.
        explore: initial share of random choices, which falls to a tenth.
        rate: initial learning rate, which falls to 0.
        trace: lambda of TD(lambda).
    """

    rounds: int = option(1_800_000, 1)
    units: int = option(256, 1, 4096)
    batch: int = option(64, 1, 100_000)
    explore: float = option(0.1, high=1)
    rate: float = option(1e-3, high=1)
    trace: float = option(0.6, high=1)

    @property
    def batches(self) -> int:
        """Number of batches; the last one may exceed the number of rounds."""
        return -(-self.rounds // self.batch)


class CurvePoint(NamedTuple):
    """A point of the training curve.

    Attributes:
        rounds: number of rounds.
        seconds: CPU time.
        error: mean squared error of values since the previous point.
        points: points per round against greedy play.
        half_width: half the width of their 95 % interval.
    """

    rounds: int
    seconds: float
    error: float
    points: float
    half_width: float


class NetworkLearner:
    """A network in training.

    Args:
        rules: the rules.
        training: settings.
        seed: random seed of weights, cards and choices.
    """

    def __init__(self, rules: KoiKoiRules, training: NetworkTraining = NetworkTraining(), seed: int = 0) -> None:
        check_seed(seed)
        size, units = training.batch, training.units
        self.rules, self.training, self.seed, self.batches = rules, training, seed, 0
        self.points: list[CurvePoint] = []
        self.seconds, self._squared, self._blocks = 0.0, 0.0, 0
        self._flat = np.zeros((4, weight_count(units)), dtype=np.float32)
        self._stream = np.uint64(streams(seed, 1)[0])
        self.net, self._gradient = weight_views(self._flat[0], units), weight_views(self._flat[1], units)
        _initialise(self.net, np.random.default_rng(seed))
        self._accumulators = (empty_accumulator(units), empty_accumulator(units))
        self._batch = kernels.RoundBatch(
            np.zeros((size, 2, kernels.MAX_POSITIONS, SLOTS), np.int16), np.zeros((size, 2, kernels.MAX_POSITIONS)),
            np.zeros((size, 2, kernels.MAX_POSITIONS + 1)), np.zeros((size, 2), np.int64), np.zeros(size),
        )  # fmt: skip

    @property
    def rounds(self) -> int:
        """Number of rounds played so far."""
        return self.batches * self.training.batch

    @property
    def done(self) -> bool:
        """True if the training is complete."""
        return self.batches >= self.training.batches

    def advance(self) -> None:
        """Run a block of batches; add a point to the curve if it is due."""
        started, training = time.process_time(), self.training
        left, count = max(0.0, 1 - self.rounds / training.rounds), min(BLOCK, training.batches - self.batches)
        error, stream = kernels.learn(
            compile_rules(self.rules), self.net, self._gradient, self._flat, self.batches, self._accumulators,
            self._batch, count, training.explore * (0.1 + 0.9 * left), training.rate * left**1.5,
            training.trace, self._stream,
        )  # fmt: skip
        self.batches, self._stream = self.batches + count, np.uint64(stream)
        self._squared, self._blocks = self._squared + float(error), self._blocks + 1
        self.seconds += time.process_time() - started
        if self._blocks == _BLOCKS_PER_POINT or self.done:
            result = duel(
                self.rules,
                PlayerConfiguration("network"),
                PlayerConfiguration("greedy"),
                _DEALS,
                seed=self.seed,
                networks=(self.net, None),
            )
            error = self._squared / self._blocks
            self.points.append(CurvePoint(self.rounds, self.seconds, error, result.mean, 1.96 * result.error))
            self._squared, self._blocks = 0.0, 0

    def save(self, path: Path) -> None:
        """Save a checkpoint."""
        arrays: dict[str, np.ndarray] = {
            "weights": self._flat[[0, 2, 3]],
            "stream": np.array(self._stream),
            "sums": np.array([self.seconds, self._squared]),
            "counts": np.array([self.batches, self._blocks]),
        }
        write_arrays(path, arrays, {"format": 1, "points": self.points, "training": self._description()})

    def restore(self, path: Path) -> None:
        """Resume from a checkpoint.

        Raises:
            RunError: the checkpoint is damaged, or belongs to another training.
        """
        arrays, header = read_arrays(path)
        check_fields(path, header, {"points": LIST})
        if header.get("training") != self._description():
            raise RunError(
                f"{path} belongs to another training: {header.get('training')}, not {self._description()}. Use "
                "the same options or another file."
            )
        expected = {
            "weights": ArraySpec("float32", (3, weight_count(self.training.units)), -LARGEST, LARGEST),
            "stream": ArraySpec("uint64", ()),
            "sums": ArraySpec("float64", (2,), 0, 1e18),
            "counts": ArraySpec("int64", (2,), 0, self.training.batches),
        }
        check_arrays(path, arrays, expected)
        try:
            points = [finite_numbers("points", point, len(CurvePoint._fields)).tolist() for point in header["points"]]
        except ParameterError as error:
            raise RunError(f"{path} is damaged: {error} Use an intact copy.") from None
        self.points = [CurvePoint(int(rounds), *rest) for rounds, *rest in points]
        self._flat[[0, 2, 3]], self._stream = arrays["weights"], np.uint64(arrays["stream"])
        self.seconds, self._squared = map(float, arrays["sums"])
        self.batches, self._blocks = map(int, arrays["counts"])

    def _description(self) -> dict[str, object]:
        return {
            **asdict(self.training),
            "seed": self.seed,
            "rules": repr((played := rules_after_deal(self.rules), played.extra, self.rules.dealing.all_redeals)),
        }


def train(
    rules: KoiKoiRules,
    training: NetworkTraining = NetworkTraining(),
    *,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    progress: Callable[[NetworkLearner], None] | None = None,
) -> NetworkLearner:
    """Train a network by self-play.

    Args:
        rules: the rules.
        training: settings.
        seed: random seed of weights, cards and choices.
        checkpoint: file that is written every minute and at the end; an existing file is resumed.
        progress: callback after each block.

    Returns:
        The learner with its weights `net` and its curve `points`.

    Raises:
        RunError: the checkpoint is damaged, cannot be written, or belongs to another training.
    """
    learner = NetworkLearner(rules, training, seed)
    file = None if checkpoint is None else Path(checkpoint)
    with locked(file):
        if file is not None and os.path.exists(file):
            learner.restore(file)
        saved_at = time.perf_counter()
        while not learner.done:
            learner.advance()
            if progress is not None:
                progress(learner)
            if file is not None and (learner.done or time.perf_counter() - saved_at > _CHECKPOINT_SECONDS):
                learner.save(file)
                saved_at = time.perf_counter()
    return learner


def describe_progress(learner: NetworkLearner) -> str:
    """Return the progress of a training as text: rounds, speed, minutes left, the last point."""
    speed = learner.rounds / learner.seconds
    left = (learner.training.rounds - learner.rounds) / speed / 60
    last = ""
    if learner.points:
        last = f", {learner.points[-1].points:+.2f} ± {learner.points[-1].half_width:.2f} against greedy play"
    words = f"round {learner.rounds:,} of {learner.training.rounds:,}, {speed:,.0f} a second"
    return f"{words}, {max(left, 0):.0f} minutes of one core left{last}"


def write_curve(points: list[CurvePoint], path: Path) -> None:
    """Save a curve as CSV."""
    rows = ([f"{number:.9g}" for number in point] for point in points)
    write_bytes(path, csv_text(CurvePoint._fields, rows).encode())


def _initialise(net: Net, rng: np.random.Generator) -> None:
    """Initialise weights at random; the units of every layer have a variance of about 1."""
    for weights, inputs in ((net.rows, SLOTS), (net.w2, net.w2.shape[1] / 2), (net.w3, net.w3.shape[0] / 2)):
        weights[:] = rng.normal(scale=inputs**-0.5, size=weights.shape)
    net.w4[:] = rng.normal(scale=0.1, size=net.w4.shape)
