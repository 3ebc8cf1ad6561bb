"""The evaluator `HeadToHead`: winnings of a solver's strategy against a fixed agent."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from tefuda.errors import ParameterError, check_range, check_seed
from tefuda.evaluating.profile import Profile
from tefuda.playing.agents import Agent, PolicyAgent, ProfileAgent, check_agents
from tefuda.playing.match import duplicate_match
from tefuda.solvers.protocol import Solver
from tefuda.solvers.runs.evaluators import Evaluation, LongEvaluator, reported_strategy
from tefuda.workers import ProgressFunction


@dataclass(frozen=True)
class HeadToHead(LongEvaluator):
    """Evaluator of a strategy by its winnings per hand against an agent in all other seats.

    The result is exact if both play profiles of the same tree. Otherwise it is the mean over deals, each played in all
    seatings, with a 95 % interval. All points of a curve use the same cards.

    Args:
        agent: the opponent; it should not learn, because each evaluation starts a new match.
        deals: number of deals, at least 2.
        seed: random seed.

    Raises:
        ParameterError: not an agent, or a value out of range.

    >>> evaluator = td.HeadToHead(td.RandomAgent(), deals=200)
    >>> solution = td.solve(td.load_game("kuhn"), "cfr+", iterations=100, evaluator=evaluator)
    >>> solution.evaluation.low < solution.evaluation.figure < solution.evaluation.high, evaluator.title
    (True, 'won from random')
    """

    agent: Agent
    deals: int = 1000
    seed: int = 0
    title: str = field(init=False, default="")

    name = "against"
    unit = "the game's unit a hand"
    lower_is_better = False

    def __post_init__(self) -> None:
        check_agents([self.agent])
        check_range("deals", self.deals, 2)
        check_seed(self.seed)
        object.__setattr__(self, "title", f"won from {self.agent.name}")

    def parameters(self) -> dict[str, Any]:
        """See `Evaluator`; the agent is given by name."""
        return {"name": self.name, "agent": self.agent.name, "deals": self.deals, "seed": self.seed}

    def check(self, solver: Solver, until: float | None) -> None:
        super().check(solver, until)
        if solver.form.players < 2:
            raise ParameterError(f"{solver.form.name} has one player; head-to-head evaluation needs an opponent.")

    def evaluate_with_progress(self, solver: Solver, progress: ProgressFunction) -> Evaluation:
        """See `LongEvaluator`; it can stop between seatings."""
        iterate, answer = reported_strategy(solver)
        own: Agent = ProfileAgent("answer", answer) if isinstance(answer, Profile) else PolicyAgent("answer", answer)
        agents = [own, *(copy.deepcopy(self.agent) for _ in range(solver.form.players - 1))]
        game = solver.form.game if solver.form.tree is None else solver.form.tree
        match = duplicate_match(game, agents, deals=self.deals, seed=self.seed, shared="cards", progress=progress)
        low, high = match.interval()[0].tolist()
        return Evaluation(iterate, answer, float(match.mean[0]), low, high)
