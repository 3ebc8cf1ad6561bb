"""Method, solver and evaluator of phantom games that a referee numbers."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from tefuda.errors import ParameterError, RunError, check_range
from tefuda.files import NOT_NEGATIVE
from tefuda.phantom.form import Referee, RefereePolicy, referee
from tefuda.phantom.kernels import sweeps
from tefuda.phantom.rules import REFEREED
from tefuda.phantom.simulator import BoardSimulator
from tefuda.settings import option
from tefuda.solvers.protocol import Method, Solver, require_average
from tefuda.solvers.runs.evaluators import Evaluation, LongEvaluator, reported_strategy
from tefuda.workers import ProgressFunction


@dataclass(frozen=True)
class RefereeMethod(Method):
    """Predictive CFR+ with discounted regrets, alternating updates and a weighted average.

    Before iteration t the regrets are multiplied by (t - 1)^discount / ((t - 1)^discount + 1), for the prediction by
    the same factor of t + 1 (Xu et al. 2024). The average weighs iteration t by t^average.

    Args:
        name: name of the method.
        discount: exponent of the discount; 0: half of the regrets remain.
        average: exponent of the weights of the average.

    Raises:
        ParameterError: a value out of range.
    """

    name: str = "pcfr+"
    discount: float = option(1.5, high=10)
    average: float = option(2.0, high=10)

    reported = "better"
    default_iterations = 30
    accepts = ("referee",)
    parallel = True

    def factor(self, iteration: int) -> float:
        """Return the factor of the regrets before an iteration."""
        weight = (iteration - 1.0) ** self.discount if iteration > 1 else 0.0
        return weight / (weight + 1)

    def solver(self, form: Referee, seed: int = 0, workers: int | Executor | None = None) -> RefereeSolver:
        """See `Method`: workers are threads.

        Raises:
            ParameterError: workers is not a number of threads from 1 to 9.
        """
        threads = 1 if workers is None else workers
        check_range("workers", threads, 1, REFEREED)
        return RefereeSolver(form, self, threads)  # type: ignore[arg-type]


#: Methods by name.
METHODS = {RefereeMethod.name: RefereeMethod(source="farina2021")}


class RefereeSolver(Solver):
    """Solver of a phantom game; the result does not depend on the number of threads.

    Args:
        form: the game.
        method: settings.
        threads: number of threads.
    """

    def __init__(self, form: Referee, method: RefereeMethod, threads: int = 1) -> None:
        self.method, self.iterations, self._form, self._threads = method, 0, form, threads
        self._strategy, self._regret, self._total = form.probabilities(), form.zeros(), form.zeros()
        self._plans = form.plans(self._strategy)

    @property
    def form(self) -> Referee:
        return self._form

    def advance(self, iterations: int) -> None:
        """Run a number of iterations; in each, both players are updated once."""
        for iteration in range(self.iterations + 1, self.iterations + 1 + iterations):
            before, after = self.method.factor(iteration), self.method.factor(iteration + 1)
            for player, table in enumerate(self._form.tables):
                strategy, plan, total = self._strategy[player], self._plans[player], self._total[player]
                utility = self._form.utilities(self._plans, (player,), self._threads)[player]
                sweeps.improve(table, utility, strategy, self._regret[player], before, after)
                sweeps.realise(table, strategy, plan)
                total += np.multiply(plan, float(iteration) ** self.method.average, out=utility)
            self.iterations = iteration

    def average(self) -> RefereePolicy:
        require_average(self.iterations, 0)
        return RefereePolicy(self._form, (self._total[0].copy(), self._total[1].copy()))

    def current(self) -> RefereePolicy:
        return RefereePolicy(self._form, (self._strategy[0].copy(), self._strategy[1].copy()))

    def arrays(self) -> dict[str, np.ndarray]:
        parts = {"strategy": self._strategy, "regret": self._regret, "total": self._total}
        return {f"{name}{player}": pair[player] for name, pair in parts.items() for player in (0, 1)}

    def ranges(self) -> dict[str, tuple[float, float]]:
        return dict.fromkeys(self.arrays(), NOT_NEGATIVE)

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """See `Solver`; strategies must be probabilities."""
        super().restore(state)
        for strategy, weights in zip(self._strategy, self._form.probabilities(self._strategy), strict=True):
            if not np.allclose(weights, strategy, rtol=0, atol=1e-9):
                raise RunError("the state is damaged: its strategies are no probabilities.")
        self._plans = self._form.plans(self._strategy)


@dataclass(frozen=True)
class PhantomExploitability(LongEvaluator):
    """Exact exploitability of a strategy of a phantom game, half of NashConv.

    It evaluates the solvers of a referee, and learners over a `BoardSimulator`, whose strategies answer for all
    infosets in batches.

    Args:
        threads: number of threads; the figure has the same bits with any number.

    >>> solution = td.solve(td.load_game("dark_hex", rows=2, columns=2), td.phantom.RefereeMethod(), iterations=100)
    >>> solution.evaluator.title
    'exploitability'
    """

    threads: int = option(1, 1, REFEREED)

    name = "phantom-exploitability"
    title = "exploitability"
    is_gap = True
    growth = (3.4, 1.5)

    def check(self, solver: Solver, until: float | None) -> None:
        """See `Evaluator`; raise SizeError for boards of more than 9 cells."""
        super().check(solver, until)
        form = solver.form
        if not isinstance(form, (Referee, BoardSimulator)):
            raise ParameterError(
                f"evaluator {self.name!r} needs a phantom game, of a referee or a simulator; got {form.title}."
            )
        Referee.require_room(form.game, {})

    def evaluate_with_progress(self, solver: Solver, progress: ProgressFunction) -> Evaluation:
        """See `LongEvaluator`."""
        form = solver.form if isinstance(solver.form, Referee) else referee(solver.form.game)
        strategies = dict([reported_strategy(solver)])
        if isinstance(solver, RefereeSolver):  # a learner's average without a tree is its last policy
            strategies["current"] = solver.current()
        found = {
            name: form.evaluate(strategy, threads=self.threads, progress=progress)
            for name, strategy in strategies.items()
        }
        iterate = min(found, key=lambda name: (found[name].exploitability, name))
        figure, values = found[iterate].exploitability, tuple(found[iterate].values.tolist())
        return Evaluation(iterate, strategies[iterate], figure, figure, figure, values)
