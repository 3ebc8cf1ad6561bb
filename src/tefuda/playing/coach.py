"""Who looks over a person's shoulder: what a known strategy would do at a decision, and what each action is worth.

Worth is what is won in the end on average if everybody goes on as the strategy says; what an action is worth less than
the best is what it costs. Such costs say after some hands what winnings say after thousands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from tefuda.errors import ParameterError
from tefuda.games.protocol import own_function
from tefuda.judging.profile import Profile
from tefuda.judging.values import counterfactual, exploitability, reach
from tefuda.playing.agents import Agent, Turn
from tefuda.playing.judge import PolicyAgent
from tefuda.playing.phrases import PHRASES, Words
from tefuda.solvers.protocol import Policy
from tefuda.words import brief, percent, signed

_AS_GOOD = 5e-3  # of the largest worth: where few come, what is solved for all is not solved to its precision


class Advice(NamedTuple):
    """At a decision, for each action: how often the strategy takes it, and what it is worth; nan where unknown."""

    shares: tuple[float, ...]
    worths: tuple[float, ...]

    def cost(self, place: int) -> float:
        """What the action at a place is worth less than the best; nan where unknown."""
        return max(self.worths) - self.worths[place]


class Coach(Protocol):
    """Knows a strategy of everybody."""

    @property
    def name(self) -> str:
        """How it is called."""

    @property
    def precision(self) -> float:
        """In the game's unit: what could be gained from its strategy; less cannot be told from nothing."""

    def advise(self, turn: Turn) -> Advice:
        """What it says of a decision."""


@dataclass(frozen=True, eq=False)
class ProfileCoach:
    """Knows a profile of a tree.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> from tefuda.playing.agents import Turn
    >>> coach, number = ProfileCoach("uniform", td.Profile.uniform(tree)), tree.number("1: K|b")
    >>> coach.advise(Turn(number, "K|b", ("p", "b"), 0.5, 1))
    Advice(shares=(0.5, 0.5), worths=(-1.0, 2.0))
    """

    name: str
    profile: Profile

    @cached_property
    def precision(self) -> float:
        """See `Coach`."""
        return exploitability(self.profile)

    @cached_property
    def _worths(self) -> np.ndarray:
        """`[R]` what each action is worth once its infoset is reached; nan where the others never let it."""
        tree = self.profile.tree
        found, weights = reach(self.profile), np.zeros(tree.infosets)
        for player in range(tree.players):
            own = np.flatnonzero(tree.player == player)
            np.add.at(weights, tree.infoset[own], found.counterfactual(player)[own])
        weights = np.where(weights > 0, weights, np.nan)
        return counterfactual(self.profile).actions / weights[tree.infoset_of_row]

    def advise(self, turn: Turn) -> Advice:
        """See `Coach`; actions stand as in the tree."""
        rows = self.profile.rows(turn.infoset if turn.infoset >= 0 else (turn.seat, turn.view))
        return Advice(tuple(self.profile.probabilities[rows].tolist()), tuple(self._worths[rows].tolist()))


@dataclass(frozen=True, eq=False)
class PolicyCoach:
    """Knows what is done and not what it is worth: games without a tree."""

    name: str
    policy: Policy
    precision: float = 0.0

    def advise(self, turn: Turn) -> Advice:
        """See `Coach`."""
        shares = tuple(map(float, self.policy.strategy(turn.seat, turn.view, turn.actions)))
        return Advice(shares, (float("nan"),) * len(shares))


def coach_of(agent: Agent) -> Coach:
    """The coach who knows what an agent plays: of its profile or policy; a policy's own, by its optional `own_coach`.

    Raises:
        ParameterError: it plays no strategy that is known beforehand.
    """
    if agent.profile is not None:
        return ProfileCoach(agent.name, agent.profile)
    if isinstance(agent, PolicyAgent):
        bring = own_function(agent.policy, "own_coach")
        coach: Coach = PolicyCoach(agent.name, agent.policy) if bring is None else bring(agent.name)
        return coach
    raise ParameterError(
        f"{agent.name} decides as it goes, so that nobody knows what else would be worth: let a run coach, or "
        "equilibrium where the game has a tree."
    )


def advice_text(advice: Advice, names: Sequence[str], words: Words = PHRASES["en"]) -> str:
    """``check 72 %, worth +1.25; bet 28 %, worth +1.19``, in the language of `words`."""
    parts = [
        f"{name} {percent(share)}" + ("" if worth != worth else words["worth"].format(signed(worth, 3)))
        for name, share, worth in zip(names, advice.shares, advice.worths, strict=True)
    ]
    return "; ".join(parts)


@dataclass
class Lesson:
    """What a person's decisions cost so far: how many there were, how many were mistakes, of how many nobody knows.

    Costs are in the game's unit; what cannot be told from nothing is no mistake.
    """

    decisions: int = 0
    mistakes: int = 0
    cost: float = 0.0
    unknown: int = 0

    def learn(self, advice: Advice, place: int, precision: float = 0.0, words: Words = PHRASES["en"]) -> str:
        """Count a decision, and say what it cost.

        Args:
            advice: what the coach said.
            place: of the action that was taken.
            precision: of the coach.
            words: phrases of the person's language.
        """
        cost = advice.cost(place)
        self.decisions += 1
        if cost != cost:
            self.unknown += 1
            return words["unknown"]
        if cost <= max(precision, _AS_GOOD * max(map(abs, advice.worths))):
            return words["good"]
        self.mistakes += 1
        self.cost += cost
        return words["costs"].format(brief(cost, 3))

    def result(self, words: Words = PHRASES["en"]) -> str:
        """``7 decisions, 2 mistakes that cost 0.31; of 1 it is not known.`` Empty if the cost of none is known."""
        if self.decisions == self.unknown:
            return ""
        unknown = words["of unknown"].format(self.unknown) if self.unknown else ""
        decisions = words["a decision" if self.decisions == 1 else "decisions"].format(f"{self.decisions:,}")
        cost, mistakes = brief(self.cost, 3), f"{self.mistakes:,}"
        if self.mistakes > 1:
            mistake = words["mistakes"].format(mistakes, cost)
        else:
            mistake = words["a mistake"].format(cost) if self.mistakes else words["no mistake"]
        return words["lesson"].format(decisions, mistake, unknown)
