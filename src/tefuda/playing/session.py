"""Sessions: hands of a person, saved in a file and resumed from it.

A file contains the labels of the hands. Resuming replays them with the rules and the same random streams, without the
person. A changed file that does not match raises an error.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

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
from tefuda.games.parameters import json_parameters
from tefuda.games.protocol import Game, own_function
from tefuda.playing.agents import Agent, Decision, ObservedHand, RandomAgent
from tefuda.playing.deals import DealSource, Seating, rotated_seating
from tefuda.playing.human import HumanAgent
from tefuda.playing.table import ActionHistory, HandEnd, RulesTable
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
    """Protocol of the series of hands of a session. A game may define its own series by ``own_series``.

    If a series has a method ``standing(ended)``, which returns the match state, agents with a method
    ``stand(state, agent)`` receive it before each hand.
    """

    def next(self, ended: Sequence[FinishedHand]) -> tuple[Game, Seating] | None:
        """Return the rules and the seating of the next hand; None at the end."""

    def title(self, ended: Sequence[FinishedHand], names: Sequence[str]) -> str:
        """Return the heading of the next hand."""

    def result(self, ended: Sequence[FinishedHand], names: Sequence[str]) -> str:
        """Return the result as text."""


@dataclass(frozen=True)
class Rotation:
    """A series of hands of one game; all agents move by one seat after each hand.

    Attributes:
        game: the rules.
        hands: number of hands; 0: no limit.
    """

    game: Game
    hands: int = 0

    def next(self, ended: Sequence[FinishedHand]) -> tuple[Game, Seating] | None:
        """See `Series`."""
        if self.hands and len(ended) >= self.hands:
            return None
        return self.game, rotated_seating(self.game.players, len(ended))

    def title(self, ended: Sequence[FinishedHand], names: Sequence[str]) -> str:
        """See `Series`."""
        return f"Hand {len(ended) + 1}" + (f" of {self.hands}" if self.hands else "")

    def result(self, ended: Sequence[FinishedHand], names: Sequence[str]) -> str:
        """See `Series`."""
        totals = [sum(hand.won[agent] for hand in ended) for agent in range(len(names))]
        pairs = zip(names, totals, strict=True)
        results = ", ".join(f"{name} {'+' * (total > 0)}{significant(total, 6)}" for name, total in pairs)
        return f"After {count(len(ended), 'hands')}: {results}."


def series_of(game: Game, hands: int | None = None) -> Series:
    """Return the game's own series, or a rotation with a number of hands."""
    make = own_function(game, "own_series")
    own: Series | None = make() if make is not None else None
    if own is None:
        return Rotation(game, hands or 0)
    if hands is not None:
        raise ParameterError(f"the parameters of {game.name} set the number of hands; leave --hands out.")
    return own


@dataclass
class Session:
    """Hands between a person, agent 0, and other agents.

    Args:
        game: the rules.
        person: the person.
        others: for each seat, the other agents in order; agents learn separately in each seat.
        seed: random seed.
        series: series of hands.
        tree: tree of the rules, if an agent needs it.

    Attributes:
        ended: finished hands.
        history: action history of the current hand.
    """

    game: Game
    person: HumanAgent
    others: Sequence[Sequence[Agent]]
    seed: int
    series: Series
    tree: Tree | None = None
    ended: list[FinishedHand] = field(default_factory=list, init=False)
    history: ActionHistory = field(default_factory=ActionHistory, init=False)
    _started: dict[tuple[int, int], Game] = field(default_factory=dict, init=False, repr=False)
    _observed_hands: list[ObservedHand] = field(default_factory=list, init=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all agents, the person first."""
        return ("you", *(agent.name for agent in self.others[0]))

    def play(self) -> None:
        """Play until the end of the series; raise `PlayerQuit` if the person quits."""
        while (following := self.series.next(self.ended)) is not None:
            rules, seating = following
            self.person.notify(self.series.title(self.ended, self.names))
            self.person.start(rules, seating.index(PERSON))
            self._hand(rules, seating, self.history.labels)
            self.person.observe_hand(self._observed_hands[seating.index(PERSON)])
            self.history = ActionHistory()
        self.person.notify(self.series.result(self.ended, self.names))

    def replay(self, hands: Sequence[Sequence[Hashable]], begun: Sequence[Hashable]) -> None:
        """Replay finished hands, and set the current one; raise ParameterError if they do not match."""
        for labels in hands:
            following = self.series.next(self.ended)
            if following is None:
                raise ParameterError(f"{count(len(hands), 'hands')} exceed the length of the series.")
            self.person.total += self._hand(*following, labels, _Placeholder()).won[PERSON]
            self.person.hands += 1
            if len(self.history.labels) != len(labels):
                raise ParameterError("the labels of a hand end before the hand.")
        self._check(begun)
        self.history = ActionHistory()
        self.history.labels = list(begun)

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
        except _UnexpectedDecision:
            if not history.replaying:
                return
            raise
        raise ParameterError("the current hand of the file is over.")

    def _hand(
        self, rules: Game, seating: Seating, labels: Sequence[Hashable], person: Agent | None = None
    ) -> FinishedHand:
        """Play a hand with given first labels; `person` replaces the person if given."""
        table, self.history = RulesTable(rules, self.tree), ActionHistory(labels)
        seats = [self._agent_at(table, seat, agent, person) for seat, agent in enumerate(seating)]
        if match_state := getattr(self.series, "standing", None):
            for number, seated in zip(seating, seats, strict=True):
                if receive := getattr(seated, "stand", None):
                    receive(match_state(self.ended), number)
        end = table.play(seats, DealSource(1, self.seed), len(self.ended), 0, self.history)
        self._observed_hands = [table.observed_hand(end, seat) for seat in range(len(seats))]
        for hand, agent in zip(self._observed_hands, seats, strict=True):
            if agent.profile is None and agent is not self.person:
                agent.observe_hand(hand)
        if self.history.replaying:
            raise ParameterError(f"the hand is over before {shortened(labels[len(self.history.labels)])}.")
        finished = FinishedHand(seating, tuple(end.payoffs[seating.index(agent)] for agent in range(len(seating))), end)
        self.ended.append(finished)
        return finished

    def _agent_at(self, table: RulesTable, seat: int, agent: int, person: Agent | None) -> Agent:
        """Return the agent of a seat; start it if it is new there or the rules have changed."""
        if agent == PERSON:
            return person or self.person
        other = self.others[seat][agent - 1]
        if self._started.get((seat, agent)) != table.rules:
            self._started[seat, agent] = table.rules
            other.start(table.game, seat)
        return other


def unattended_session(game: Game, seed: int, series: Series, tree: Tree | None) -> Session:
    """Return a session without agents, to validate a file before slow agents are built."""
    placeholders = [[_Placeholder()] * (game.players - 1)] * game.players
    return Session(game, HumanAgent(), placeholders, seed, series, tree)


class _UnexpectedDecision(ParameterError):
    """Decision of a placeholder: the given labels have ended."""


class _Placeholder(RandomAgent):
    """Agent of a seat whose labels are all given."""

    def act(self, decision: Decision) -> int:
        """See `Agent`."""
        raise _UnexpectedDecision("the labels of a hand end before the hand.")


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


def save_session(path: Path, session: Session, against: Sequence[str], options: Mapping[str, Any]) -> None:
    """Write a session to a file; raise ParameterError if JSON cannot represent its labels."""
    game, begun = session.game, tuple(session.history.labels)
    hands = [hand.end.labels for hand in session.ended if hand.end.labels is not None]
    if not survives_json((*hands, begun)):
        raise ParameterError("labels must be texts, numbers or tuples of them to save a game.")
    saved = SavedSession(game.name, json_parameters(game), list(against), session.seed, hands, begun, dict(options))
    write_json(path, {"format": 1, **saved._asdict()})


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
