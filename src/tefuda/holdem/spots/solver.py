"""Discounted CFR over all hands of a spot at once: its method, solver and evaluator.

Updates alternate. A player's average takes the strategy that the opponent faces, times the player's own reach:
convention ``"opp"`` of `solvers.exact.cfr.CFRMethod`.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tefuda._kernels import programs as columns
from tefuda.errors import ParameterError, check_choice, check_range, shortened
from tefuda.files import NOT_NEGATIVE
from tefuda.holdem.kernels import arrays
from tefuda.holdem.spots.compiled import CompiledSpot
from tefuda.holdem.spots.size import PRECISIONS
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.traversal import Traversal
from tefuda.settings import option_group
from tefuda.solvers.exact import cfr
from tefuda.solvers.protocol import Method, Solver, require_average
from tefuda.solvers.runs.evaluators import Evaluation, Evaluator
from tefuda.solvers.runs.points import AnyPoint
from tefuda.words import non_negative

_CHUNK = 64  # iterations per call: passing the arrays costs some 20 µs


@dataclass(frozen=True)
class HandMethod(Method):
    """A member of the CFR family over hands.

    Args:
        name: name of the method.
        rule: update rule with alternating updates and convention ``"opp"``.
        precision: type of stored numbers: ``"single"`` (4 bytes), ``"half"`` (2, parts of the largest number of a node)
            or ``"double"``, for proofs.

    Raises:
        ParameterError: the rule is not supported over hands.
    """

    name: str
    rule: cfr.CFRMethod = option_group(cfr.DCFR, prefix="rule_")
    precision: str = "single"

    accepts = ("hands",)
    parallel = True
    default_until = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("precision", self.precision, PRECISIONS)
        wanted = {
            "order": "alternating", "convention": "opp", "opponent": "regret", "delay": 0, "floor": 0.0,
            "precision": "double",  # the method over hands has a precision of its own
        }  # fmt: skip
        if self.precision == "half":
            wanted["prediction"] = 0.0
        for name, value in wanted.items():
            if getattr(self.rule, name) != value:
                raise ParameterError(
                    f"{name} of {self.rule.name} is {getattr(self.rule, name)!r}; over hands it must be {value!r}."
                )

    def solver(self, form: CompiledSpot, seed: int = 0, workers: int | Executor | None = None) -> HandSolver:
        """See `Method`; nothing is random. workers: number of threads, over which later boards are spread."""
        threads = 1 if workers is None else workers
        if not isinstance(threads, int):
            raise ParameterError(f"workers of a spot are threads, a whole number; got {shortened(workers)}.")
        return HandSolver(form, self, threads)

    def rules(self, first: int, count: int) -> np.ndarray:
        """Return `[count, 6]` rules of iterations from `first` (from 1) on; columns as in the kernel."""
        schedule = self.rule.schedule(first, count)
        rules = np.zeros((count, arrays.RULE_COLUMNS), PRECISIONS[self.precision].work)
        rules[:, arrays.PREDICTION], rules[:, arrays.MEMORY] = self.rule.prediction, self.rule.memory
        for name in ("POSITIVE", "NEGATIVE", "DECAY", "WEIGHT"):
            rules[:, getattr(arrays, name)] = schedule[:, getattr(columns, name)]
        if self.rule.clip:
            rules[:, arrays.NEGATIVE] = 0.0
        return rules


def _hand_method(rule: cfr.CFRMethod, name: str = "", **changes: Any) -> HandMethod:
    return HandMethod(name or rule.name, replace(rule, name=name or rule.name, convention="opp", **changes))


#: Methods by name; the first is the default.
METHODS = {
    method.name: method
    for method in (
        _hand_method(cfr.DCFR, "dcfr-3", averaging=3.0),
        *map(
            _hand_method,
            (
                cfr.DCFR,
                cfr.CFR,
                cfr.CFR_PLUS,
                cfr.CFR_PLUS_QUADRATIC,
                cfr.LCFR,
                cfr.PCFR_PLUS,
                cfr.PDCFR_PLUS,
                cfr.EMA,
            ),
        ),
    )
}
DEFAULT = METHODS["dcfr-3"]


class HandSolver(Solver):
    """A solver of a spot. Results are bit-identical for any number of threads and any split of iterations.

    threads: number of threads for the boards after the first; 1 for a river.
    """

    def __init__(self, form: CompiledSpot, method: HandMethod = DEFAULT, threads: int = 1) -> None:
        self.method, self.iterations, self.compiled, self.threads = method, 0, form, threads
        numbers = PRECISIONS[method.precision]
        self._traversal = Traversal(self.compiled, numbers.work, threads)
        self._regrets = np.zeros(self.compiled.stored, numbers.regrets)
        self._sums = np.zeros(self.compiled.stored, numbers.sums)
        self._scales = np.zeros((2, self.compiled.scaled if numbers.scaled else 0), numbers.work)
        self._expected = np.zeros(self.compiled.stored if method.rule.prediction else 0, numbers.regrets)
        scales, expected = (array if array.size else None for array in (self._scales, self._expected))
        self._stored = self._regrets, self._sums, scales, expected
        self._iterate(0)  # loads the kernel, so that timings contain only iterations

    def close(self) -> None:
        self._traversal.close()

    @property
    def form(self) -> CompiledSpot:
        return self.compiled

    def advance(self, iterations: int) -> None:
        """Run a number of iterations; in each, both players are updated once."""
        while iterations > 0:
            count = min(iterations, _CHUNK)
            self._iterate(count)
            iterations -= count

    def _iterate(self, count: int) -> None:
        rules = self.method.rules(self.iterations + 1, count)
        self._traversal.learn(rules, self._stored)
        self.iterations += count

    def average(self) -> SpotStrategy:
        require_average(self.iterations, 0)
        return self.average_so_far()

    def average_so_far(self) -> SpotStrategy:
        """Return the average strategies so far, uniform before the first iteration."""
        return SpotStrategy(self.compiled, self._sums.copy())

    def current(self) -> SpotStrategy:
        return SpotStrategy(self.compiled, np.maximum(self._regrets, 0))

    def arrays(self) -> dict[str, np.ndarray]:
        further = {"scales": self._scales, "expected": self._expected}
        used = {name: array for name, array in further.items() if array.size}
        return {"regrets": self._regrets, "sums": self._sums, **used}

    def ranges(self) -> dict[str, tuple[float, float]]:
        return {"sums": NOT_NEGATIVE, "scales": NOT_NEGATIVE}


@dataclass(frozen=True)
class Exploitability(Evaluator):
    """Exact exploitability by best responses: NashConv / 2 in percent of the starting pot."""

    name = "exploitability"
    title = "exploitability (NashConv / 2)"
    unit = "% of the starting pot"
    growth = (1.2, 1.05)
    step = 10
    exact = True

    def check(self, solver: Solver, until: float | None) -> None:
        if not isinstance(solver, HandSolver):
            raise ParameterError(f"evaluator {self.name!r} is for spots of hold'em; choose nash-conv.")
        if until is not None:
            check_range("until", until, 0, whole=False)

    def evaluate(self, solver: Solver) -> Evaluation:
        """See `Evaluator`; before the first iteration, it evaluates uniform play."""
        assert isinstance(solver, HandSolver)
        iterate = "average" if solver.iterations else "uniform"
        strategy = solver.average_so_far()
        values, gain = evaluate_strategy(strategy, solver.threads)
        figure = 100 * gain / 2 / solver.compiled.spot.betting.pot
        return Evaluation(iterate, strategy, figure, figure, figure, values)

    def describe(self, result: AnyPoint | Evaluation) -> str:
        return f"{self.title} {non_negative(result.figure)} {self.unit}"


def evaluate_strategy(strategy: SpotStrategy, threads: int = 1) -> tuple[tuple[float, float], float]:
    """Return both players' values and NashConv, in chips, of the locked game.

    A value has the chips won from the pot less the chips bet.
    """
    pot, rake = strategy.compiled.spot.betting.pot, strategy.compiled.spot.rake_rate
    first = strategy.value(0, threads=threads)
    second = strategy.value(1, threads=threads) if rake else -first
    best = sum(strategy.value(player, arrays.BEST, threads) for player in (0, 1))
    return (first + pot / 2, second + pot / 2), best - first - second
