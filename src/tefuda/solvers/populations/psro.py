"""Policy-space response oracles (PSRO; Lanctot et al. 2017), with exact payoffs and responses."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

from tefuda.forms.tree import Tree
from tefuda.settings import option
from tefuda.solvers.exact.lp import require_two_player_constant_sum
from tefuda.solvers.populations.meta import META_SOLVERS
from tefuda.solvers.populations.plans import PlanSolver
from tefuda.solvers.protocol import Method


@dataclass(frozen=True)
class PSRO(Method):
    """PSRO for any number of players; an iteration adds a best response of each player.

    The strategy is each player's mixture of its plans.

    Args:
        name: name in tables.
        meta: meta-solver of the mixture. ``"nash"``: double oracle over plans, for two players with constant sum;
            ``"uniform"``: fictitious play in plans; ``"prd"``: projected replicator dynamics; ``"alpha-rank"``: at most
            2,500 combinations of plans, with best responses in payoff, not in preference; ``"regret-matching"``.

    >>> solution = td.solve(td.load_game("kuhn"), td.solvers.PSRO(meta="uniform"), iterations=100)
    >>> solution.nash_conv < 0.1
    True
    """

    name: str = "psro"
    meta: str = option("nash", choices=META_SOLVERS)

    default_iterations = 100
    accepts = ("tree",)
    rounds = True

    def require(self, form: Tree) -> None:
        if self.meta == "nash":
            require_two_player_constant_sum(form, "meta-solver nash", "use --meta prd")

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> PlanSolver:
        self.require(form)
        return PlanSolver(form, self, self.meta)
