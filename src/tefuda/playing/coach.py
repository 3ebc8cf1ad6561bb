"""Coaches: probabilities and values of the actions at a decision, under a known strategy.

The value of an action is the expected payoff if all players follow the strategy afterwards. Its cost is its difference
from the best action's value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol, cast

import numpy as np

from tefuda.errors import ParameterError
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import action_values, exploitability, indifference
from tefuda.games.kit import kit_of
from tefuda.games.protocol import has_method
from tefuda.playing.agents import Agent, Decision, PolicyAgent
from tefuda.playing.phrases import PHRASES, Words
from tefuda.solvers.protocol import Policy
from tefuda.words import percent, signed, significant

_LISTED = 12  # actions of which advice also names those with probability 0


class Advice(NamedTuple):
    """Advice at a decision.

    Attributes:
        shares: probability of each action in the strategy.
        values: value of each action; nan if unknown.
    """

    shares: tuple[float, ...]
    values: tuple[float, ...]

    def cost(self, index: int) -> float:
        """Return the cost of an action by its index; nan if unknown."""
        return max(self.values) - self.values[index]

    def is_good(self, index: int, precision: float = 0.0) -> bool:
        """Return True if an action is as good as any: its cost is within the precision of the values."""
        return self.cost(index) <= indifference(self.values, precision)


class Coach(Protocol):
    """Protocol of coaches, which know a strategy of all players."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def precision(self) -> float:
        """Exploitability of the strategy, in the game's unit; smaller costs are ignored."""

    def advise(self, decision: Decision) -> Advice:
        """Return the advice for a decision."""


@dataclass(frozen=True, eq=False)
class ProfileCoach:
    """Coach with a profile of a tree."""

    name: str
    profile: Profile

    @cached_property
    def precision(self) -> float:
        return exploitability(self.profile)

    @cached_property
    def _values(self) -> np.ndarray:
        return action_values(self.profile)

    def advise(self, decision: Decision) -> Advice:
        """See `Coach`; the actions have the order of the tree."""
        rows = self.profile.rows(decision.number(self.profile.tree))
        return Advice(tuple(self.profile.probabilities[rows].tolist()), tuple(self._values[rows].tolist()))


@dataclass(frozen=True, eq=False)
class PolicyCoach:
    """Coach with a policy, without values: for games without a tree."""

    name: str
    policy: Policy
    precision: ClassVar[float] = 0.0

    def advise(self, decision: Decision) -> Advice:
        shares = tuple(map(float, self.policy.strategy(decision.seat, decision.view, decision.actions)))
        return Advice(shares, (float("nan"),) * len(shares))


def own_coach(game: Any, name: str = "") -> Coach | None:
    """Return the coach that a game has without a tree, see `Kit.coach`; None if another name is given."""
    coach: Coach | None = kit_of(game).coach()
    return coach if coach is not None and name in ("", coach.name) else None


def coach_of(agent: Agent, game: Any) -> Coach:
    """Return the coach with an agent's profile, or with its policy of a game, see `Kit.coach`.

    An agent with a method ``advise`` is a coach itself.
    """
    if has_method(agent, "advise"):
        agent.start(game, 0)
        return cast(Coach, agent)
    if agent.profile is not None:
        return ProfileCoach(agent.name, agent.profile)
    if isinstance(agent, PolicyAgent):
        coach: Coach | None = kit_of(game).coach(agent.policy, agent.name)
        return PolicyCoach(agent.name, agent.policy) if coach is None else coach
    raise ParameterError(
        f"{agent.name} has no fixed strategy, so the values of actions are unknown. Choose a run as coach, or "
        "equilibrium if the game has a tree."
    )


def advice_text(advice: Advice, names: Sequence[str], words: Words = PHRASES["en"]) -> str:
    """Return advice as text: ``check 72 %, worth +1.25; bet 28 %, worth +1.19``.

    Of many actions, those with probability 0 are left out.
    """
    parts = [
        f"{name} {percent(share)}" + ("" if value != value else words["worth"].format(signed(value, 3)))
        for name, share, value in zip(names, advice.shares, advice.values, strict=True)
        if share or len(names) <= _LISTED
    ]
    return "; ".join(parts)


@dataclass
class CoachReport:
    """Cost of a person's decisions so far.

    Attributes:
        decisions: number of decisions.
        mistakes: number of mistakes.
        cost: total cost, in the game's unit.
        unknown: number of decisions of unknown cost.
    """

    decisions: int = 0
    mistakes: int = 0
    cost: float = 0.0
    unknown: int = 0

    def add(self, advice: Advice, index: int, precision: float = 0.0, words: Words = PHRASES["en"]) -> str:
        """Add a decision, and return a text about its cost; costs up to `precision` are ignored."""
        cost = advice.cost(index)
        self.decisions += 1
        if cost != cost:
            self.unknown += 1
            return words["unknown"]
        if advice.is_good(index, precision):
            return words["good"]
        self.mistakes += 1
        self.cost += cost
        return words["costs"].format(significant(cost, 3))

    def result(self, words: Words = PHRASES["en"]) -> str:
        """Return the totals as text, ``7 decisions, 2 mistakes that cost 0.31.``; "" if all costs are unknown."""
        if self.decisions == self.unknown:
            return ""
        unknown = words["of unknown"].format(self.unknown) if self.unknown else ""
        decisions = words["a decision" if self.decisions == 1 else "decisions"].format(f"{self.decisions:,}")
        cost, mistakes = significant(self.cost, 3), f"{self.mistakes:,}"
        if self.mistakes > 1:
            mistake = words["mistakes"].format(mistakes, cost)
        else:
            mistake = words["a mistake"].format(cost) if self.mistakes else words["no mistake"]
        return words["lesson"].format(decisions, mistake, unknown)
