"""Double oracle: solve a restricted game, add the best responses of the full game, repeat.

Over plans: McMahan, Gordon, Blum 2003. Over sequences: Bosansky et al. 2014 (SDO). Over the actions of each infoset,
with CFR in the restricted game: McAleer et al. 2021 (XDO).
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from tefuda.errors import ParameterError
from tefuda.evaluating.profile import Profile
from tefuda.files import COUNT, NOT_NEGATIVE
from tefuda.forms.programs import Workspace, program, realised
from tefuda.forms.sequence import sequence_form
from tefuda.forms.tree import Tree
from tefuda.settings import option
from tefuda.solvers.exact.cfr import PCFR_PLUS
from tefuda.solvers.exact.linear_program import equilibrium_plans
from tefuda.solvers.exact.lp import plan_program, require_two_player_constant_sum
from tefuda.solvers.populations.plans import PlanSolver, PopulationSolver
from tefuda.solvers.populations.restriction import first_actions, respond, restrict
from tefuda.solvers.protocol import Method, TreeSolver

OVER = ("plans", "sequences", "actions")
_STEP = 50  # inner iterations between two evaluations
_STEPS = 20  # evaluations of a round at most; the next round continues if nothing is new


@dataclass(frozen=True)
class DoubleOracle(Method):
    """Double oracle for two players with constant sum; an iteration solves one restricted game.

    Args:
        name: name in tables.
        over: parts of the best responses that enter the restricted game: ``"plans"``: whole plans, so that it is a
            matrix game; ``"sequences"``: the sequences that a response plays, with first actions elsewhere;
            ``"actions"``: its actions at all infosets.
        inner: solver of the restricted game. ``"lp"``: exact; ``"pcfr+"``: until its NashConv in the restricted game
            is at most half of that in the full game; not over plans.

    >>> solution = td.solve(td.load_game("kuhn"), td.solvers.DoubleOracle(over="sequences"), until=1e-9)
    >>> solution.iterations < 10, round(18 * solution.values[0], 6)
    (True, -1.0)
    """

    name: str = "sdo"
    over: str = option("sequences", choices=OVER)
    inner: str = option("lp", choices=("lp", "pcfr+"))

    accepts = ("tree",)
    rounds = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.over == "plans" and self.inner != "lp":
            raise ParameterError(
                f"inner must be 'lp' over plans, got {self.inner!r}; use over='sequences' or over='actions'.",
                key="inner",
            )

    def require(self, form: Tree) -> None:
        require_two_player_constant_sum(form, "double oracle")

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> TreeSolver:
        self.require(form)
        return PlanSolver(form, self, "nash") if self.over == "plans" else DoubleOracleSolver(form, self)


#: McMahan, Gordon, Blum 2003, "Planning in the presence of cost functions controlled by an adversary".
DOUBLE_ORACLE = DoubleOracle("double-oracle", over="plans", source="mcmahan2003")
#: Bosansky, Kiekintveld, Lisy, Pechoucek 2014, "An exact double-oracle algorithm for zero-sum extensive-form games".
SDO = DoubleOracle("sdo", source="bosansky2014")
#: McAleer, Lanier, Wang, Baldi, Fox 2021, arXiv 2103.06426, "XDO: a double oracle algorithm for extensive-form games".
XDO = DoubleOracle("xdo", over="actions", inner="pcfr+", source="mcaleer2021")

FAMILY = (DOUBLE_ORACLE, SDO, XDO)


class DoubleOracleSolver(PopulationSolver):
    """The solver over sequences or actions."""

    def __init__(self, tree: Tree, method: DoubleOracle) -> None:
        self.tree, self.method, self.iterations = tree, method, 0
        self._form = form = sequence_form(tree)
        self._plans, self._allowed = np.zeros(form.sequences), np.zeros(form.sequences, dtype=np.uint8)
        self._allow(first_actions(form))
        names = ("regret", "expected", "g", "average") if method.inner == "pcfr+" else ()
        self._learner = {name: np.zeros(form.sequences) for name in names}
        self._learned = np.zeros(1, dtype=np.int64)  # iterations in the present restricted game
        self._restrict()

    @property
    def used(self) -> tuple[int, ...]:
        """Numbers of sequences of the players in the restricted game."""
        return tuple(self._restricted.sizes.tolist())

    def advance(self, iterations: int) -> None:
        """See `Solver`; an iteration adds the best responses to the last answer, and solves the part."""
        for _ in range(iterations):
            new = self.iterations == 0 or self._allow(respond(self._form, self._plans)[1])
            if new:
                self._restrict()
                self._learned[:] = 0
            if self._learner:
                self._set_plans(self._learn())
            elif new:
                self._set_plans(np.concatenate(equilibrium_plans(plan_program(self._restricted))))
            self.iterations += 1

    def _allow(self, strategy: np.ndarray) -> bool:
        """Add the actions or the sequences of a pure strategy `[Q]`; return whether any are new."""
        played = strategy if self.method.over == "actions" else realised(self._form, strategy)
        new = (played > 0) & (self._allowed == 0)
        self._allowed[new] = 1
        return bool(new.any())

    def _restrict(self) -> None:
        self._restricted, self._kept = restrict(self._form, self._allowed > 0)

    def _set_plans(self, plans: np.ndarray) -> None:
        self._plans[:] = 0.0
        self._plans[self._kept] = plans

    def _learn(self) -> np.ndarray:
        """Return the average plans of the restricted game, of regret as small as `DoubleOracle.inner` says."""
        form, starts, players = self._restricted, self._restricted.span[:-1], range(self.tree.players)
        work = Workspace(form, "regret expected g average x u v")
        layout = work.layout
        for name, array in self._learner.items():
            work[name][:] = array[self._kept] if self._learned else 0.0
        for _, actions in form.groups_of(None) if not self._learned else ():
            work["g"][actions] = 1.0 / len(actions)
        work["x"][starts] = 1.0
        work.run(program(map(layout.realise, players)))
        steps = program(
            *([*layout.gather(p), layout.match(p), layout.accumulate(p), layout.realise(p)] for p in players)
        )
        for _ in range(_STEPS):
            work.run(steps, PCFR_PLUS.schedule(int(self._learned[0]) + 1, _STEP))
            self._learned += _STEP
            plans = work["average"] / np.repeat(work["average"][starts], form.sizes)
            self._set_plans(plans)
            if respond(form, plans)[0] <= respond(self._form, self._plans)[0] / 2:
                break
        for name, array in self._learner.items():
            array[self._kept] = work[name]
        return plans

    def current(self) -> Profile:
        return Profile.from_weights(self.tree, np.maximum(self._plans, 0.0)[self._form.sequence])

    def summary(self) -> dict[str, Any]:
        """See `PopulationSolver`: the numbers of sequences in the restricted game, and in the game."""
        return {"sequences": list(self.used), "of": self._form.sizes.tolist()}

    def arrays(self) -> dict[str, np.ndarray]:
        return {"allowed": self._allowed, "plans": self._plans, "learned": self._learned, **self._learner}

    def ranges(self) -> dict[str, tuple[float, float]]:
        return {"allowed": (0, 1), "plans": NOT_NEGATIVE, "learned": COUNT, "g": (0, 1), "average": NOT_NEGATIVE}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        super().restore(state)
        self._restrict()
