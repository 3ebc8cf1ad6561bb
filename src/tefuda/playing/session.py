"""Sittings: the hands of a person, with a seating for each, saved in a file and resumed from it.

A file holds the labels of the hands. Resuming replays them by the rules and the same luck, without asking the person:
so a changed file does not fit and is refused.
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
    """A hand that is over: the agent in each seat, the winnings of each agent, and the end."""

    seating: Seating
    won: tuple[float, ...]
    end: HandEnd


class Series(Protocol):
    """The hands of a session. A game may bring its own: its optional ``own_series``.

    If it has ``standing(ended)``, agents with ``stand(standing, agent)`` receive it before each hand.
    """

    def next(self, ended: Sequence[FinishedHand]) -> tuple[Game, Seating] | None:
        """Return the rules and the seating of the next hand; None at the end."""

    def title(self, ended: Sequence[FinishedHand], names: Sequence[str]) -> str:
        """Return the text before a hand."""

    def result(self, ended: Sequence[FinishedHand], names: Sequence[str]) -> str:
        """Return the text at the end."""


@dataclass(frozen=True)
class Rotation:
    """A number of hands (0: no limit); all agents move on by a seat after each."""

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
        totals = [sum(hand.won[place] for hand in ended) for place in range(len(names))]
        pairs = zip(names, totals, strict=True)
        told = ", ".join(f"{name} {'+' * (total > 0)}{significant(total, 6)}" for name, total in pairs)
        return f"After {count(len(ended), 'hands')}: {told}."


def series_of(game: Game, hands: int | None = None) -> Series:
    """Return the game's own series, for which `hands` must be None, or a rotation."""
    bring = own_function(game, "own_series")
    own: Series | None = bring() if bring is not None else None
    if own is None:
        return Rotation(game, hands or 0)
    if hands is not None:
        raise ParameterError(f"{game.name} says itself how many hands there are, by its parameters; leave --hands out.")
    return own


@dataclass
class Session:
    """Hands between a person, agent 0, and other agents.

    others: for each seat, the other agents in order, as agents learn in each seat separately. tree: of the rules, if
    the other agents need it. ended: the hands that are over. course: of the hand in progress.
    """

    game: Game
    person: HumanAgent
    others: Sequence[Sequence[Agent]]
    seed: int
    series: Series
    tree: Tree | None = None
    ended: list[FinishedHand] = field(default_factory=list, init=False)
    history: ActionHistory = field(default_factory=ActionHistory, init=False)
    _known: dict[tuple[int, int], Game] = field(default_factory=dict, init=False, repr=False)
    _observed_hands: list[ObservedHand] = field(default_factory=list, init=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all agents, the person first."""
        return ("you", *(agent.name for agent in self.others[0]))

    def play(self) -> None:
        """Play until the end of the series; raise `Left` if the person leaves the table."""
        while (coming := self.series.next(self.ended)) is not None:
            rules, seating = coming
            self.person.notify(self.series.title(self.ended, self.names))
            self.person.start(rules, seating.index(PERSON))
            self._hand(rules, seating, self.history.labels)
            self.person.observe_hand(self._observed_hands[seating.index(PERSON)])
            self.history = ActionHistory()
        self.person.notify(self.series.result(self.ended, self.names))

    def replay(self, hands: Sequence[Sequence[Hashable]], begun: Sequence[Hashable]) -> None:
        """Replay finished hands, which `play` continues with the begun one; raise ParameterError if they do not fit."""
        for labels in hands:
            coming = self.series.next(self.ended)
            if coming is None:
                raise ParameterError(f"{count(len(hands), 'hands')} are more than are played.")
            self.person.total += self._hand(*coming, labels, _Placeholder()).won[PERSON]
            self.person.hands += 1
            if len(self.history.labels) != len(labels):
                raise ParameterError("a hand ends before it is over.")
        self._check(begun)
        self.history = ActionHistory()
        self.history.labels = list(begun)

    def _check(self, begun: Sequence[Hashable]) -> None:
        """Raise ParameterError unless a hand can be resumed; no agent takes part."""
        coming, history = self.series.next(self.ended), ActionHistory(begun)
        if coming is None and begun:
            raise ParameterError("a hand is begun, and all are over.")
        if coming is None:
            return
        table = RulesTable(coming[0], self.tree)
        try:
            table.play([_Placeholder()] * len(coming[1]), DealSource(1, self.seed), len(self.ended), 0, history)
        except _UnexpectedDecision:
            if not history.replaying:
                return
            raise
        raise ParameterError("the hand that was begun is over.")

    def _hand(
        self, rules: Game, seating: Seating, labels: Sequence[Hashable], person: Agent | None = None
    ) -> FinishedHand:
        """Play a hand whose first labels are given; `person` takes the seat of the person."""
        table, self.history = RulesTable(rules, self.tree), ActionHistory(labels)
        seats = [self._start_agent(table, seat, agent, person) for seat, agent in enumerate(seating)]
        if standing := getattr(self.series, "standing", None):
            for number, seated in zip(seating, seats, strict=True):
                if hear := getattr(seated, "stand", None):
                    hear(standing(self.ended), number)
        end = table.play(seats, DealSource(1, self.seed), len(self.ended), 0, self.history)
        self._observed_hands = [table.observed_hand(end, seat) for seat in range(len(seats))]
        for hand, agent in zip(self._observed_hands, seats, strict=True):
            if agent.profile is None and agent is not self.person:
                agent.observe_hand(hand)
        if self.history.replaying:
            raise ParameterError(f"the hand is over, and {shortened(labels[len(self.history.labels)])} follows.")
        done = FinishedHand(seating, tuple(end.payoffs[seating.index(agent)] for agent in range(len(seating))), end)
        self.ended.append(done)
        return done

    def _start_agent(self, table: RulesTable, seat: int, agent: int, person: Agent | None) -> Agent:
        """Return the agent of a seat; other agents start when they first sit there, or when the rules change."""
        if agent == PERSON:
            return person or self.person
        other = self.others[seat][agent - 1]
        if self._known.get((seat, agent)) != table.rules:
            self._known[seat, agent] = table.rules
            other.start(table.game, seat)
        return other


def unattended_session(game: Game, seed: int, series: Series, tree: Tree | None) -> Session:
    """Return a session without agents, to check a file before making agents that take long to make."""
    nobody = [[_Placeholder()] * (game.players - 1)] * game.players
    return Session(game, HumanAgent(), nobody, seed, series, tree)


class _UnexpectedDecision(ParameterError):
    """An agent had to act that cannot."""


class _Placeholder(RandomAgent):
    """Holds a seat where all labels are given."""

    def act(self, decision: Decision) -> int:
        """See `Agent`."""
        raise _UnexpectedDecision("a hand ends before it is over.")


class SavedSession(NamedTuple):
    """The content of a file: the game and its parameters, the other agents, seed, labels of hands, further options."""

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
    """Write a session to a file, completely or not at all; raise ParameterError for labels that JSON cannot hold."""
    game, begun = session.game, tuple(session.history.labels)
    hands = [hand.end.labels for hand in session.ended if hand.end.labels is not None]
    if not survives_json((*hands, begun)):
        raise ParameterError("labels must be texts, numbers or tuples of them for a game to be saved.")
    kept = SavedSession(game.name, json_parameters(game), list(against), session.seed, hands, begun, dict(options))
    write_json(path, {"format": 1, **kept._asdict()})


def read_session(path: Path) -> SavedSession:
    """Read the file of a session; raise RunError if it is none, or damaged."""
    content = read_json(path)
    check_fields(path, content, _FIELDS)
    hands, begun, names = as_tuples(content["hands"]), as_tuples(content["begun"]), content["against"]
    if not all(isinstance(hand, tuple) for hand in hands) or not all(isinstance(name, str) for name in names):
        raise RunError(f"{path} is no game that was saved: its hands are no lists of labels. Use an intact copy.")
    return SavedSession(**{name: content[name] for name in SavedSession._fields} | {"hands": hands, "begun": begun})


def restore_session(path: Path, session: Session, kept: SavedSession) -> None:
    """Bring a session to the state in a file; raise RunError if the content does not fit the game."""
    try:
        session.replay(kept.hands, kept.begun)
    except (TefudaError, ValueError, TypeError, KeyError) as error:
        raise RunError(f"{path} does not fit the rules of {session.game.name}: {error}") from None
