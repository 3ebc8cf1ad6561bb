"""A judge that plays: what a solver's answer wins from a fixed agent, compiled or not."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tefuda.errors import ParameterError, check_range, check_seed, shortened
from tefuda.forms.tree import Tree
from tefuda.games.playthrough import pick
from tefuda.games.protocol import Game, has_method
from tefuda.judging.profile import Profile
from tefuda.playing.agents import Agent, ProfileAgent, Sight, Turn, check_agents
from tefuda.playing.match import duplicate_match
from tefuda.solvers.protocol import Policy, Solver
from tefuda.solvers.runs.judges import LongJudge, Verdict, answer_of
from tefuda.workers import Counting


@dataclass
class PolicyAgent:
    """Plays a policy: what was learned without a tree.

    >>> policy = td.Profile.uniform(td.compile_game(td.load_game("kuhn")))
    >>> agents = [td.PolicyAgent("a", policy), td.RandomAgent("b")]
    >>> td.duplicate_match(td.load_game("kuhn"), agents, deals=10).agents
    ('a', 'b')
    """

    name: str
    policy: Policy
    profile: Profile | None = None
    learns: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not has_method(self.policy, "strategy"):
            raise ParameterError(
                f"a policy has strategy(player, key, actions); got {shortened(self.policy)}. "
                "That of a solution is .strategy; a function plays as td.StrategyAgent."
            )

    def start(self, game: Tree | Game, seat: int) -> None:
        """See `Agent`."""

    def act(self, turn: Turn) -> int:
        """See `Agent`."""
        return pick(self.policy.strategy(turn.seat, turn.view, turn.actions), turn.point)

    def see(self, sight: Sight) -> None:
        """A policy learns nothing."""


@dataclass(frozen=True)
class HeadToHead(LongJudge):
    """Judges by what the answer wins from an agent a hand, with the agent in all other seats.

    Exact where both play profiles of the same tree; else the mean over deals, each played in every seating, with an
    interval of 95 %. All points see the same cards, so that they differ by what is played.

    Args:
        agent: whom to play; it should play alike in every hand, for each judging begins a new match.
        deals: how many, 2 at least.
        seed: of cards and luck.

    Raises:
        ParameterError: something that is no agent, or a value out of range.

    >>> judge = td.HeadToHead(td.RandomAgent(), deals=200)
    >>> found = td.solve(td.load_game("kuhn"), "cfr+", iterations=100, judge=judge)
    >>> found.verdict.low < found.verdict.figure < found.verdict.high, judge.title
    (True, 'won from random')
    """

    agent: Agent
    deals: int = 1000
    seed: int = 0
    title: str = field(init=False, default="")

    name = "against"
    unit = "the game's unit a hand"
    falls = False

    def __post_init__(self) -> None:
        check_agents([self.agent])
        check_range("deals", self.deals, 2)
        check_seed(self.seed)
        object.__setattr__(self, "title", f"won from {self.agent.name}")

    def parameters(self) -> dict[str, Any]:
        """See `Judge`; the agent by its name."""
        return {"name": self.name, "agent": self.agent.name, "deals": self.deals, "seed": self.seed}

    def check(self, solver: Solver, until: float | None) -> None:
        """See `Judge`."""
        super().check(solver, until)
        if solver.game.players < 2:
            raise ParameterError(f"{solver.game.name} has one player; there is nobody to win from.")

    def judge_telling(self, solver: Solver, progress: Counting) -> Verdict:
        """See `LongJudge`; it may be broken off between seatings."""
        iterate, answer = answer_of(solver)
        own: Agent = ProfileAgent("answer", answer) if isinstance(answer, Profile) else PolicyAgent("answer", answer)
        others: Sequence[Agent] = [copy.deepcopy(self.agent) for _ in range(solver.game.players - 1)]
        game = solver.game if isinstance(solver.game, Tree) else solver.game.rules
        match = duplicate_match(
            game, [own, *others], deals=self.deals, seed=self.seed, shared="cards", progress=progress
        )
        low, high = match.interval()[0].tolist()
        return Verdict(iterate, answer, float(match.mean[0]), low, high)
