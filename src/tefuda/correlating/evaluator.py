"""The evaluator `CorrelationGap`: the gap of the device of a solver's iterates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from tefuda.correlating.device import Device
from tefuda.correlating.gaps import CONCEPTS, CONVENTIONS
from tefuda.errors import wrong_type
from tefuda.evaluating.profile import Profile, check_player
from tefuda.forms.sequence import last_rows
from tefuda.settings import Validated, option
from tefuda.solvers.protocol import Solver, TreeSolver, WrappedSolver
from tefuda.solvers.runs.evaluators import Evaluation, Evaluator, reported_strategy, tree_of_solver


class DeviceSolver(TreeSolver):
    """The base class of solvers with the device of their iterates, `device`."""

    device: Device


class RecordingSolver(WrappedSolver, DeviceSolver):
    """A solver that records the device of another solver's iterates.

    An iterate is the strategy before an iteration; the first one is that of a new solver.

    Args:
        inner: the solver.
        averaging: exponent g of the weights t^g of the iterations t after the method's delay.
    """

    def __init__(self, inner: TreeSolver, averaging: float = 0.0) -> None:
        super().__init__(inner)
        self.averaging, self.device = averaging, Device(inner.tree)

    def advance(self, iterations: int) -> None:
        for _ in range(iterations):
            number = self.iterations + 1 - self.method.delay
            if number > 0:
                # Weights t^g as a decay ((t - 1) / t)^g of those so far: no weight can overflow.
                self.device.add(self.current(), decay=(1.0 - 1.0 / number) ** self.averaging)
            super().advance(1)

    def arrays(self) -> dict[str, np.ndarray]:
        return self.inner.arrays()

    def state(self) -> dict[str, np.ndarray]:
        """See `Solver`; the arrays of the recorder are added to those of the other solver."""
        return super().state() | {name: array.copy() for name, array in self.device.arrays().items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        own = self.device.arrays()
        super().restore({name: array for name, array in state.items() if name not in own})
        self.device.restore(state)


@dataclass(frozen=True)
class CorrelationGap(Validated, Evaluator):
    """Exact gap of the device of a solver's iterates to the correlated equilibria of a concept.

    The device mixes the strategies that the method plays in its iterations, not its average. No-regret methods with
    simultaneous updates approach NFCCE in any game; `Triggers` approaches EFCE and EFCCE.

    Args:
        concept: ``"nfcce"``, ``"efcce"`` or ``"efce"``; see `Gaps`.
        how: ``"total"``: gains of best responses to the device, summed over the players; ``"largest"``: largest gain
            by one trigger.
        averaging: exponent g of the weights t^g of the iterates.
        player: the only player whose gains count, as the follower of a leader that is committed; None: all count.

    >>> game = td.load_game("kuhn", players=3)
    >>> solution = td.solve(game, "cfr", iterations=100, evaluator=td.correlating.CorrelationGap("efce"))
    >>> 0.05 < solution.evaluation.figure < 0.15
    True
    """

    concept: str = option("efce", choices=CONCEPTS)
    how: str = option("total", choices=CONVENTIONS)
    averaging: float = option(0.0, 0, 50)
    player: int | None = option(None)

    name = "correlation-gap"
    is_gap = True
    evaluated = "device of the iterates"
    growth = (1.2, 1.05)

    @property
    def title(self) -> str:  # type: ignore[override]
        """Title with the convention."""
        player = "" if self.player is None else f" of player {self.player}"
        return f"{self.concept.upper()} gap{player} ({self.how})"

    def check(self, solver: Solver, until: float | None) -> None:
        """See `Evaluator`; raise GameError for imperfect recall, ParameterError if there is no such player."""
        tree = tree_of_solver(solver, self)
        last_rows(tree)
        check_player(tree, self.player or 0)
        if not isinstance(solver, TreeSolver):
            raise wrong_type("a solver on a tree", solver, f"{solver.method.name} has no profiles; use another method.")
        super().check(solver, until)

    def recording(self, solver: Solver) -> Solver:
        """See `Evaluator`; solvers with a device of their own record it themselves."""
        return solver if isinstance(solver, DeviceSolver) else RecordingSolver(cast(TreeSolver, solver), self.averaging)

    def evaluate(self, solver: Solver) -> Evaluation:
        """See `Evaluator`; before the first iteration, the device recommends by the reported strategy alone."""
        iterate, strategy = reported_strategy(solver)
        device = cast(DeviceSolver, solver).device
        gaps = (device if device.mass[0] > 0 else Device.of([cast(Profile, strategy)])).gaps
        figure = gaps.gap(self.concept, self.how, self.player)
        return Evaluation(iterate, strategy, figure, figure, figure, gaps.values)
