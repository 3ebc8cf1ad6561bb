"""Coaches: the actions of a known strategy at a decision, and the worth of each.

The worth of an action is the expected payoff if all players follow the strategy afterwards. Its cost is the difference
from the best action.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from tefuda.errors import ParameterError
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import counterfactual, exploitability, reach
from tefuda.games.protocol import own_function
from tefuda.playing.agents import Agent, Decision, PolicyAgent
from tefuda.playing.phrases import PHRASES, Words
from tefuda.solvers.protocol import Policy
from tefuda.words import percent, signed, significant

_AS_GOOD = 5e-3  # of the largest worth: solutions are less precise at infosets that are rarely reached


class Advice(NamedTuple):
    """At a decision, for each action: its probability in the strategy, and its worth; nan where unknown."""

    shares: tuple[float, ...]
    values: tuple[float, ...]

    def cost(self, index: int) -> float:
        """Return the cost of the action at a position; nan where unknown."""
        return max(self.values) - self.values[index]


class Coach(Protocol):
    """Knows a strategy of all players."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def precision(self) -> float:
        """The exploitability of the strategy, in the game's unit; smaller costs count as nothing."""

    def advise(self, decision: Decision) -> Advice:
        """Return the advice for a decision."""


@dataclass(frozen=True, eq=False)
class ProfileCoach:
    """Knows a profile of a tree."""

    name: str
    profile: Profile

    @cached_property
    def precision(self) -> float:
        """See `Coach`."""
        return exploitability(self.profile)

    @cached_property
    def _values(self) -> np.ndarray:
        """`[R]` the worth of each action once its infoset is reached; nan where the opponents never reach it."""
        tree = self.profile.tree
        found, weights = reach(self.profile), np.zeros(tree.infosets)
        for player in range(tree.players):
            own = np.flatnonzero(tree.player == player)
            np.add.at(weights, tree.infoset[own], found.counterfactual(player)[own])
        weights = np.where(weights > 0, weights, np.nan)
        return counterfactual(self.profile).actions / weights[tree.infoset_of_row]

    def advise(self, decision: Decision) -> Advice:
        """See `Coach`; actions are in the order of the tree."""
        rows = self.profile.rows(decision.infoset if decision.infoset >= 0 else (decision.seat, decision.view))
        return Advice(tuple(self.profile.probabilities[rows].tolist()), tuple(self._values[rows].tolist()))


@dataclass(frozen=True, eq=False)
class PolicyCoach:
    """Knows a policy, and no values: for games without a tree."""

    name: str
    policy: Policy
    precision: ClassVar[float] = 0.0

    def advise(self, decision: Decision) -> Advice:
        """See `Coach`."""
        shares = tuple(map(float, self.policy.strategy(decision.seat, decision.view, decision.actions)))
        return Advice(shares, (float("nan"),) * len(shares))


def coach_of(agent: Agent) -> Coach:
    """Return the coach of an agent's profile or policy, which may bring its own, by its optional `own_coach`."""
    if agent.profile is not None:
        return ProfileCoach(agent.name, agent.profile)
    if isinstance(agent, PolicyAgent):
        bring = own_function(agent.policy, "own_coach")
        coach: Coach = PolicyCoach(agent.name, agent.policy) if bring is None else bring(agent.name)
        return coach
    raise ParameterError(
        f"{agent.name} decides as it goes, so other actions have no known worth: let a run coach, or equilibrium where "
        "the game has a tree."
    )


def advice_text(advice: Advice, names: Sequence[str], words: Words = PHRASES["en"]) -> str:
    """``check 72 %, worth +1.25; bet 28 %, worth +1.19``, in the language of `words`."""
    parts = [
        f"{name} {percent(share)}" + ("" if worth != worth else words["worth"].format(signed(worth, 3)))
        for name, share, worth in zip(names, advice.shares, advice.values, strict=True)
    ]
    return "; ".join(parts)


@dataclass
class CoachReport:
    """The cost of a person's decisions so far, in the game's unit; unknown: the number of decisions of unknown cost."""

    decisions: int = 0
    mistakes: int = 0
    cost: float = 0.0
    unknown: int = 0

    def add(self, advice: Advice, index: int, precision: float = 0.0, words: Words = PHRASES["en"]) -> str:
        """Count the action at a position, and return a text about its cost; up to `precision` it is no mistake."""
        cost = advice.cost(index)
        self.decisions += 1
        if cost != cost:
            self.unknown += 1
            return words["unknown"]
        if cost <= max(precision, _AS_GOOD * max(map(abs, advice.values))):
            return words["good"]
        self.mistakes += 1
        self.cost += cost
        return words["costs"].format(significant(cost, 3))

    def result(self, words: Words = PHRASES["en"]) -> str:
        """``7 decisions, 2 mistakes that cost 0.31; of 1 it is not known.`` Empty if all costs are unknown."""
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
