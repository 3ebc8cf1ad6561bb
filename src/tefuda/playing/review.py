"""Reviews of finished hands: the cost of each decision of the person, and luck apart from skill.

A review contains only information that the person had: its views at its decisions, its actions and its payoff. The luck
of a hand is the payoff minus the AIVAT estimate, which depends only on the person's infosets and actions (see
`estimates_against`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.evaluating.profile import Profile
from tefuda.forms.tree import Tree
from tefuda.games.protocol import Game
from tefuda.playing.agents import Decision
from tefuda.playing.coach import Advice, Coach, ProfileCoach
from tefuda.playing.session import PERSON, FinishedHand, Session
from tefuda.playing.variance import estimates_against

#: Verdicts, from the best to the worst, and the verdict of actions of unknown value.
VERDICTS = ("fine", "slip", "blunder", "unknown")


class Thresholds(NamedTuple):
    """Costs of decisions from which a verdict applies, in the game's unit.

    Attributes:
        slip: smallest cost of a slip; costs within the coach's precision are always fine.
        blunder: smallest cost of a blunder.
    """

    slip: float = 0.0
    blunder: float = 0.5

    def verdict(self, advice: Advice, index: int, precision: float = 0.0) -> str:
        """Return one of `VERDICTS` for an action, given by its index."""
        cost = advice.cost(index)
        if cost != cost:
            return "unknown"
        if cost < self.slip or advice.is_good(index, precision):
            return "fine"
        return "slip" if cost < self.blunder else "blunder"


DEFAULT_THRESHOLDS = Thresholds()


class ReviewedDecision(NamedTuple):
    """A decision of the person in a finished hand.

    Attributes:
        decision: the person's information; its random number is 0.
        chosen: index of the chosen action.
        advice: advice of the coach.
        cost: cost of the chosen action, in the game's unit; nan if unknown.
        good: for each action, whether it is as good as any.
        verdict: one of `VERDICTS`.
    """

    decision: Decision
    chosen: int
    advice: Advice
    cost: float
    good: tuple[bool, ...]
    verdict: str


class Review(NamedTuple):
    """A finished hand from the person's view.

    Attributes:
        rules: rules of the hand.
        seat: the person's seat.
        decisions: decisions of the person.
        payoff: payoff of the person.
        luck: payoff minus the AIVAT estimate; nan if unknown.
    """

    rules: Game
    seat: int
    decisions: tuple[ReviewedDecision, ...]
    payoff: float
    luck: float

    @property
    def skill(self) -> float:
        """AIVAT estimate: the payoff without luck; nan if unknown."""
        return self.payoff - self.luck

    @property
    def cost(self) -> float:
        """Total cost of slips and blunders."""
        return sum(entry.cost for entry in self.decisions if entry.verdict in ("slip", "blunder"))


@dataclass(eq=False)
class Reviewer:
    """Reviewer of the finished hands of a session.

    The luck of a hand is known if the coach and all opponents have profiles. The coach's profile is used as guess only.

    Args:
        coach: coach that evaluates the decisions.
        thresholds: costs of slips and blunders.
    """

    coach: Coach
    thresholds: Thresholds = DEFAULT_THRESHOLDS
    _estimates: dict[tuple[int, tuple[int, ...]], np.ndarray] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range("slip", self.thresholds.slip, 0, whole=False)
        check_range("blunder", self.thresholds.blunder, self.thresholds.slip, whole=False)

    def review(self, session: Session, number: int) -> Review:
        """Return the review of a finished hand.

        Args:
            session: the session.
            number: number of the hand, from 0.

        Raises:
            ParameterError: there is no such finished hand.
        """
        check_range("number", number, 0)
        if number >= len(session.ended):
            raise ParameterError(f"number must be a finished hand, below {len(session.ended)}; got {number}.")
        hand, following = session.ended[number], session.series.next(session.ended[:number])
        assert following is not None and hand.end.labels is not None, "a finished hand follows those before it"
        rules, seat = following[0], hand.seating.index(PERSON)
        decisions = tuple(
            self.reviewed(decision, index)
            for decision, index in decisions_of(rules, hand.end.labels, seat, session.tree)
        )
        payoff = float(hand.end.payoffs[seat])
        return Review(rules, seat, decisions, payoff, payoff - self._estimate(session, hand, seat))

    def reviewed(self, decision: Decision, index: int) -> ReviewedDecision:
        """Return a decision with the advice of the coach; `index` is the chosen action."""
        advice, precision = self.coach.advise(decision), self.coach.precision
        good = tuple(advice.is_good(action, precision) for action in range(len(decision.actions)))
        verdict = self.thresholds.verdict(advice, index, precision)
        return ReviewedDecision(decision, index, advice, advice.cost(index), good, verdict)

    def _estimate(self, session: Session, hand: FinishedHand, seat: int) -> float:
        """Return the AIVAT estimate of the person's payoff; nan without profiles."""
        if not isinstance(self.coach, ProfileCoach):
            return float("nan")
        profile = self.coach.profile
        if (seat, hand.seating) not in self._estimates:
            against = _opponents(session, hand.seating, profile)
            if against is None:
                return float("nan")
            self._estimates[seat, hand.seating] = estimates_against(against, seat).aivat
        end = reduce(profile.tree.child, hand.end.labels or (), 0)
        return float(self._estimates[seat, hand.seating][np.searchsorted(profile.tree.terminals, end)])


def _opponents(session: Session, seating: Sequence[int], profile: Profile) -> Profile | None:
    """Return a profile with the opponents' parts; None if an opponent has no profile."""
    for seat, agent in enumerate(seating):
        if agent == PERSON:
            continue
        own = session.others[seat][agent - 1].profile
        if own is None:
            return None
        profile = profile.replace(seat, own)
    return profile


def decisions_of(
    rules: Game, labels: Sequence[Hashable], seat: int, tree: Tree | None = None
) -> Iterator[tuple[Decision, int]]:
    """Yield the decisions of a player in a hand, and the indices of its actions.

    Args:
        rules: rules of the hand.
        labels: all labels from the root.
        seat: the player.
        tree: tree of the rules, for the numbers of infosets.
    """
    state = rules.root()
    for label in labels:
        if rules.player(state) == seat:
            view, actions = rules.view(state, seat), tuple(rules.actions(state))
            infoset = -1 if tree is None else tree.number((seat, view))
            yield Decision(infoset, view, actions, 0.0, seat), actions.index(label)
        state = rules.child(state, label)
