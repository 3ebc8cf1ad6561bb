"""Sessions: hands of a person, played a decision at a time, saved in a file and resumed from it.

A step replays the labels of the current hand with the rules and the same random streams, plays the other agents, and
stops at the person's next decision. A file contains the labels of the hands; resuming replays them without the agents.
A changed file that does not match raises an error.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from tefuda.errors import ParameterError, RunError, TefudaError, shortened
from tefuda.files import (
    LIST,
    OBJECT,
    TEXT,
    WHOLE,
    FieldSpec,
    as_tuples,
    check_fields,
    read_json,
    survives_json,
    write_json,
)
from tefuda.forms.tree import Tree
from tefuda.games.kit import kit_of
from tefuda.games.parameters import json_parameters
from tefuda.games.phrases import LANGUAGES, between
from tefuda.games.protocol import Game
from tefuda.playing.agents import Agent, Decision, ObservedHand, RandomAgent, traits
from tefuda.playing.deals import DealSource, Seating, rotated_seating
from tefuda.playing.human import HumanAgent
from tefuda.playing.phrases import PHRASES
from tefuda.playing.table import ActionHistory, HandEnd, RulesTable, chosen_action
from tefuda.words import count, significant

PERSON = 0  # the agent that is the person


class FinishedHand(NamedTuple):
    """A finished hand of a session.

    Attributes:
        seating: the agent in each seat.
        won: winnings of each agent.
        end: end of the hand.
    """

    seating: Seating
    won: tuple[float, ...]
    end: HandEnd


class Series(Protocol):
    """Protocol of the series of hands of a session. A game may bring its own series, see `Kit.series`.

    If a series has a method ``standing(ended)``, which returns the match state, agents with a method
    ``stand(state, agent)`` receive it before each hand.
    """

    def next(self, ended: Sequence[FinishedHand]) -> tuple[Game, Seating] | None:
        """Return the rules and the seating of the next hand; None at the end."""

    def title(self, ended: Sequence[FinishedHand], names: Sequence[str]) -> str:
        """Return the heading of the next hand."""

    def result(self, ended: Sequence[FinishedHand], names: Sequence[str]) -> str:
        """Return the result as text."""


@dataclass
class Rotation:
    """A series of hands of one game; all agents move by one seat after each hand.

    Attributes:
        game: the rules.
        hands: number of hands; 0: no limit.
        language: language of title and result.
        seat: seat of the person in all hands; None: it moves too.
    """

    game: Game
    hands: int = 0
    language: str = LANGUAGES[0]
    seat: int | None = None
    languages: ClassVar[tuple[str, ...]] = LANGUAGES

    def next(self, ended: Sequence[FinishedHand]) -> tuple[Game, Seating] | None:
        if self.hands and len(ended) >= self.hands:
            return None
        return self.game, rotated_seating(self.game.players, len(ended) if self.seat is None else self.seat)

    def title(self, ended: Sequence[FinishedHand], names: Sequence[str]) -> str:
        number, words = len(ended) + 1, PHRASES[self.language]
        return words["hand of"].format(number, self.hands) if self.hands else words["hand"].format(number)

    def result(self, ended: Sequence[FinishedHand], names: Sequence[str]) -> str:
        totals = [sum(hand.won[agent] for hand in ended) for agent in range(len(names))]
        words, hands = PHRASES[self.language], len(ended)
        pairs = zip((words["you"], *names[1:]), totals, strict=True)
        results = between(self.language).join(
            f"{name} {'+' * (total > 0)}{significant(total, 6)}" for name, total in pairs
        )
        return words["after a hand"].format(results) if hands == 1 else words["after hands"].format(hands, results)


def series_of(game: Game, hands: int | None = None) -> Series:
    """Return the game's own series, or a rotation with a number of hands."""
    own: Series | None = kit_of(game).series()
    if own is None:
        return Rotation(game, hands or 0)
    if hands is not None:
        raise ParameterError(f"the parameters of {game.name} set the number of hands; leave --hands out.")
    return own


@dataclass
class Session:
    """Hands between a person, agent 0, and other agents.

    `step` plays up to the next decision and returns; `play` asks a person at the terminal.

    Args:
        game: the rules.
        person: the person at the terminal; None if the caller makes the steps.
        others: for each seat, the other agents in order; agents learn separately in each seat.
        seed: random seed.
        series: series of hands.
        tree: tree of the rules, if an agent needs it.

    Attributes:
        ended: finished hands.
        observed_hands: finished hands as the person observed them.
        history: action history of the current hand.
        pending: the person's decision that the next step answers; None before the first step of a hand.

    >>> from tefuda.playing.session import Rotation, Session
    >>> game, opponents = td.load_game("kuhn"), [[td.RandomAgent()], [td.RandomAgent()]]
    >>> session = Session(game, None, opponents, 1, Rotation(game))
    >>> session.step().actions
    ('p', 'b')
    >>> session.step("b").payoffs == session.observed_hands[0].payoffs
    True
    """

    game: Game
    person: HumanAgent | None
    others: Sequence[Sequence[Agent]]
    seed: int
    series: Series
    tree: Tree | None = None
    ended: list[FinishedHand] = field(default_factory=list, init=False)
    observed_hands: list[ObservedHand] = field(default_factory=list, init=False)
    history: ActionHistory = field(default_factory=ActionHistory, init=False)
    pending: Decision | None = field(default=None, init=False)
    _started: dict[tuple[int, int], Game] = field(default_factory=dict, init=False, repr=False)
    _hands_begun: int = field(default=0, init=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all agents, the person first."""
        return ("you", *(agent.name for agent in self.others[0]))

    def step(self, label: Hashable | None = None) -> Decision | ObservedHand | None:
        """Play up to the person's next decision or the end of the hand.

        Args:
            label: the person's action at the pending decision; None begins or continues a hand.

        Returns:
            The person's decision; the finished hand as the person observed it; None after the last hand.

        Raises:
            ParameterError: there is no pending decision, or the action is illegal.
        """
        if label is not None and (self.pending is None or label not in self.pending.actions):
            legal = "no decision is pending" if self.pending is None else shortened(self.pending.actions)
            raise ParameterError(f"legal actions are {legal}; got {shortened(label)}.", key="label", value=label)
        following = self.series.next(self.ended)
        if following is None:
            return None
        labels = self.history.labels if label is None else [*self.history.labels, label]
        try:
            self._hand(*following, ActionHistory(labels, self.history.observed, self.history.fixed))
        except _PendingDecision as pending:
            self.pending = pending.decision
            return self.pending
        self.history = ActionHistory()
        return self.observed_hands[-1]

    def play(self) -> None:
        """Ask the person until the end of the series; raise `PlayerQuit` if the person quits."""
        person = self.person
        assert person is not None, "the terminal has a person"
        while (following := self.series.next(self.ended)) is not None:
            rules, seating = following
            person.notify(self.series.title(self.ended, self.names))
            person.start(rules, seating.index(PERSON))
            step = self.step()
            while isinstance(step, Decision):
                step = self.step(step.actions[chosen_action(person, step)])
            person.observe_hand(self.observed_hands[-1])
        person.notify(self.series.result(self.ended, self.names))

    def replay(self, hands: Sequence[Sequence[Hashable]], begun: Sequence[Hashable]) -> None:
        """Replay finished hands, and set the current one; raise ParameterError if they do not match."""
        for labels in hands:
            following = self.series.next(self.ended)
            if following is None:
                raise ParameterError(f"{count(len(hands), 'hands')} exceed the length of the series.")
            finished = self._hand(*following, ActionHistory(labels))
            if self.person is not None:
                self.person.total += finished.won[PERSON]
                self.person.hands += 1
            if len(self.history.labels) != len(labels):
                raise ParameterError("the labels of a hand end before the hand.")
        self._check(begun)
        self.history, self.pending = ActionHistory(), None
        self.history.labels = list(begun)

    def begin(self, labels: Sequence[Hashable], seed: int) -> None:
        """Begin the next hand with given labels, outcomes of chance too; `seed` draws all others."""
        self.seed, self.history, self.pending = seed, ActionHistory(fixed=len(labels)), None
        self.history.labels = list(labels)

    def _check(self, begun: Sequence[Hashable]) -> None:
        """Raise ParameterError unless the current hand can be resumed."""
        following, history = self.series.next(self.ended), ActionHistory(begun)
        if following is None and begun:
            raise ParameterError("the file has a current hand after the last one.")
        if following is None:
            return
        table = RulesTable(following[0], self.tree)
        try:
            table.play([_Placeholder()] * len(following[1]), DealSource(1, self.seed), len(self.ended), 0, history)
        except _PendingDecision:
            if not history.replaying:
                return
            raise
        raise ParameterError("the current hand of the file is over.")

    def _hand(self, rules: Game, seating: Seating, history: ActionHistory) -> FinishedHand:
        """Play a hand with a history; raise `_PendingDecision` at a decision of the person that it lacks."""
        table, self.history, self.pending = RulesTable(rules, self.tree), history, None
        seats = [self._agent_at(table, seat, agent) for seat, agent in enumerate(seating)]
        self._begin_hand(seating, seats)
        end = table.play(seats, DealSource(1, self.seed), len(self.ended), 0, history)
        if history.replaying:
            raise ParameterError(f"the hand is over before {shortened(history.next_label)}.")
        for seat, agent in enumerate(seats):
            if agent.profile is None:
                agent.observe_hand(table.observed_hand(end, seat))
        self.observed_hands.append(table.observed_hand(end, seating.index(PERSON)))
        finished = FinishedHand(seating, tuple(end.payoffs[seating.index(agent)] for agent in range(len(seating))), end)
        self.ended.append(finished)
        return finished

    def _begin_hand(self, seating: Seating, seats: Sequence[Agent]) -> None:
        """Give agents with ``stand`` the match state, once before each hand."""
        match_state = getattr(self.series, "standing", None)
        if match_state is None or self._hands_begun > len(self.ended):
            return
        self._hands_begun = len(self.ended) + 1
        for number, seated in zip(seating, seats, strict=True):
            if stand := traits(seated).stand:
                stand(match_state(self.ended), number)

    def _agent_at(self, table: RulesTable, seat: int, agent: int) -> Agent:
        """Return the agent of a seat; start it if it is new there or the rules have changed."""
        if agent == PERSON:
            return _Placeholder()
        other = self.others[seat][agent - 1]
        if self._started.get((seat, agent)) != table.rules:
            self._started[seat, agent] = table.rules
            other.start(table.game, seat)
        return other


def unattended_session(game: Game, seed: int, series: Series, tree: Tree | None) -> Session:
    """Return a session without agents, to validate a file before slow agents are built."""
    placeholders = [[_Placeholder()] * (game.players - 1)] * game.players
    return Session(game, None, placeholders, seed, series, tree)


class _PendingDecision(ParameterError):
    """Decision of a placeholder: the given labels have ended."""

    decision: Decision


class _Placeholder(RandomAgent):
    """Agent of a seat whose labels are given."""

    def act(self, decision: Decision) -> int:
        pending = _PendingDecision("the labels of a hand end before the hand.")
        pending.decision = decision
        raise pending


class SavedSession(NamedTuple):
    """The content of a file.

    Attributes:
        play: name of the game.
        parameters: parameters of the game.
        against: names of the other agents.
        seed: random seed.
        hands: labels of the finished hands.
        begun: labels of the current hand.
        options: other options.
    """

    play: str
    parameters: dict[str, Any]
    against: list[str]
    seed: int
    hands: Sequence[tuple[Hashable, ...]]
    begun: tuple[Hashable, ...]
    options: dict[str, Any]


_FORMAT = FieldSpec((int,), 1, 1)
_FIELDS = {
    "format": _FORMAT,
    **dict(zip(SavedSession._fields, (TEXT, OBJECT, LIST, WHOLE, LIST, LIST, OBJECT), strict=True)),
}


def saved_session(session: Session, against: Sequence[str], options: Mapping[str, Any]) -> SavedSession:
    """Return the content of a session's file; raise ParameterError if JSON cannot represent its labels."""
    game, begun = session.game, tuple(session.history.labels)
    hands = [hand.end.labels for hand in session.ended if hand.end.labels is not None]
    if not survives_json((*hands, begun)):
        raise ParameterError("labels must be texts, numbers or tuples of them to save a game.")
    return SavedSession(game.name, json_parameters(game), list(against), session.seed, hands, begun, dict(options))


def write_session(path: Path, saved: SavedSession, durable: bool = True) -> None:
    """Write the content of a session to a file; see `files.write_bytes`."""
    write_json(path, {"format": 1, **saved._asdict()}, durable)


def save_session(path: Path, session: Session, against: Sequence[str], options: Mapping[str, Any]) -> None:
    """Write a session to a file; raise ParameterError if JSON cannot represent its labels."""
    write_session(path, saved_session(session, against, options))


def read_session(path: Path) -> SavedSession:
    """Return the content of a session file; raise RunError if it is invalid."""
    content = read_json(path)
    check_fields(path, content, _FIELDS)
    hands, begun, names = as_tuples(content["hands"]), as_tuples(content["begun"]), content["against"]
    if not all(isinstance(hand, tuple) for hand in hands) or not all(isinstance(name, str) for name in names):
        raise RunError(f"{path} is not a saved game: its hands are not lists of labels. Use an intact copy.")
    return SavedSession(**{name: content[name] for name in SavedSession._fields} | {"hands": hands, "begun": begun})


def restore_session(path: Path, session: Session, saved: SavedSession) -> None:
    """Restore a session from a file; raise RunError if the content does not match the game."""
    try:
        session.replay(saved.hands, saved.begun)
    except (TefudaError, ValueError, TypeError, KeyError) as error:
        raise RunError(f"{path} does not match the rules of {session.game.name}: {error}") from None
