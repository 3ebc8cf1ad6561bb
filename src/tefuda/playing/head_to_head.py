"""The evaluator `HeadToHead`: the winnings of a solver's answer against a fixed agent."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from tefuda.errors import ParameterError, check_range, check_seed
from tefuda.evaluating.profile import Profile
from tefuda.forms.tree import Tree
from tefuda.playing.agents import Agent, PolicyAgent, ProfileAgent, check_agents
from tefuda.playing.match import duplicate_match
from tefuda.solvers.protocol import Solver
from tefuda.solvers.runs.evaluators import Evaluation, LongEvaluator, reported_strategy
from tefuda.workers import ProgressFunction


@dataclass(frozen=True)
class HeadToHead(LongEvaluator):
    """Evaluates an answer by what it wins a hand from an agent, which holds all other seats.

    Exact where both play profiles of the same tree. Otherwise the mean over deals, each played in every seating, with
    a 95 % interval. All points of a curve use the same cards.

    Args:
        agent: the opponent; it should play alike in every hand, as each evaluation begins a new match.
        deals: number of deals, at least 2.
        seed: random seed.

    Raises:
        ParameterError: something that is no agent, or a value out of range.

    >>> evaluator = td.HeadToHead(td.RandomAgent(), deals=200)
    >>> found = td.solve(td.load_game("kuhn"), "cfr+", iterations=100, evaluator=evaluator)
    >>> found.evaluation.low < found.evaluation.figure < found.evaluation.high, evaluator.title
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
        """See `Evaluator`; the agent by its name."""
        return {"name": self.name, "agent": self.agent.name, "deals": self.deals, "seed": self.seed}

    def check(self, solver: Solver, until: float | None) -> None:
        """See `Evaluator`."""
        super().check(solver, until)
        if solver.game.players < 2:
            raise ParameterError(f"{solver.game.name} has one player; there is no opponent to win from.")

    def evaluate_with_progress(self, solver: Solver, progress: ProgressFunction) -> Evaluation:
        """See `LongEvaluator`; it can stop between seatings."""
        iterate, answer = reported_strategy(solver)
        own: Agent = ProfileAgent("answer", answer) if isinstance(answer, Profile) else PolicyAgent("answer", answer)
        agents = [own, *(copy.deepcopy(self.agent) for _ in range(solver.game.players - 1))]
        game = solver.game if isinstance(solver.game, Tree) else solver.game.rules
        match = duplicate_match(game, agents, deals=self.deals, seed=self.seed, shared="cards", progress=progress)
        low, high = match.interval()[0].tolist()
        return Evaluation(iterate, answer, float(match.mean[0]), low, high)
