"""Anchored methods: CFR in games whose payoffs pull each plan to a reference plan, which follows it.

With the pull, every equilibrium of a two-player zero-sum game is the only one of its game, and the last iterate
converges to it. The reference then moves to the iterate. So the last iterates converge to one of the equilibria, and no
average is needed.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from tefuda._kernels import programs as kernels
from tefuda.errors import ParameterError
from tefuda.forms.programs import Instruction, padded
from tefuda.forms.sequence import sequence_form
from tefuda.forms.tree import Tree
from tefuda.settings import option, option_group
from tefuda.solvers.exact.cfr import CFRMethod, CfrSolver
from tefuda.solvers.protocol import Method

_PLUS = CFRMethod("rm+", clip=True, averaging=2.0)


@dataclass(frozen=True)
class Anchored(Method):
    """A method of the CFR family on utilities u - magnet * (x - reference), with falling floors.

    x is the realisation plan of the player's own strategy. `reference` is x at the start of the last iteration whose
    number was a multiple of `every`, and the uniform plan before the first one.

    Args:
        name: name in tables.
        rule: update rule of the regrets; its averages are for comparison alone.
        magnet: strength of the pull, in the game's unit.
        floor: least probability of an action before iteration `every`. The reported strategy has no floors, and
            values of an infoset are those of its play without floors.
        every: iterations from one reference to the next; with each of them the floor halves.

    Raises:
        ParameterError: a value is out of range, or the rule has best responses, floors or a delay of its own.

    >>> td.solve(td.load_game("kuhn"), "rtcfr+", iterations=1000)
    Solution(kuhn, rtcfr+, 1,000 done, NashConv 0.0079, finished)
    """

    name: str
    rule: CFRMethod = option_group(_PLUS, prefix="rule_")
    magnet: float = option(1e-3, 0, 1e9)
    floor: float = option(1e-10, 0, 0.1)
    every: int = option(100, 1)

    reported = "current"
    parallel = True
    accepts = ("tree",)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, wanted in {"opponent": "regret", "floor": 0.0, "delay": 0}.items():
            if getattr(self.rule, name) != wanted:
                raise ParameterError(
                    f"{name} of the rule of {self.name} must be {wanted!r}, got {getattr(self.rule, name)!r}."
                )

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> AnchoredSolver:
        """See `Method`; the method is deterministic. workers: number of threads, see `team_size`."""
        return AnchoredSolver(form, self, workers)

    def schedule(self, first: int, count: int) -> np.ndarray:
        """Return the numbers of the update, see `CFRMethod.schedule`."""
        rule = self.rule.schedule(first, count)
        rule[:, kernels.FLOOR] = self.floor * 0.5 ** (np.arange(first, first + count) // self.every)
        rule[:, kernels.MAGNET] = self.magnet
        return rule


#: Meng et al. 2025, "Efficient last-iterate convergence in solving extensive-form games": reward transformation CFR+.
RTCFR_PLUS = Anchored("rtcfr+", source="meng2025last")
#: The same with predicted regrets, which a comment of its program names.
RTPCFR_PLUS = Anchored("rtpcfr+", CFRMethod("prm+", clip=True, prediction=1.0, averaging=2.0), source="meng2025last")

FAMILY = (RTCFR_PLUS, RTPCFR_PLUS)


class AnchoredSolver(CfrSolver):
    """The solver of an `Anchored` on a tree; splitting the iterations does not change the result."""

    method: Anchored

    def __init__(self, tree: Tree, method: Anchored, workers: int | Executor | None = None) -> None:
        most = int(tree.action_counts.max(initial=1))
        if method.floor * most >= 1:
            raise ParameterError(f"floor must be less than 1 / {most} in this game, got {method.floor:g}.", key="floor")
        # With forced moves: the pull counts their plans too.
        super().__init__(tree, method.rule, workers, sequence_form(tree).derived(padded), "reference played")
        self.method = method
        self._reference = self._work["reference"]
        self._reference[:] = self._x
        self._saved["reference"] = (self._reference, self._form.sequence)

    def _match(self, player: int) -> list[Instruction]:
        return [self._work.layout.pull(player), *super()._match(player)]

    def _play(self, player: int) -> list[Instruction]:
        layout = self._work.layout
        return [layout.lift(player), layout.realise(player, "played")]

    def advance(self, iterations: int) -> None:
        """See `Solver`; the reference moves before each iteration whose number is a multiple of `every`."""
        while iterations > 0:
            past = (self.iterations + 1) % self.method.every
            if past == 0:
                self._reference[:] = self._x
            count = min(iterations, self.method.every - past)
            super().advance(count)
            iterations -= count

    def ranges(self) -> dict[str, tuple[float, float]]:
        return super().ranges() | {"reference": (0, 1)}
