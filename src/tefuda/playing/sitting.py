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
from tefuda.playing.agents import Agent, RandomAgent, Sight, Turn
from tefuda.playing.deals import Dealing, Seating, rotated
from tefuda.playing.human import HumanAgent
from tefuda.playing.table import Course, End, RulesTable
from tefuda.words import count, significant

PERSON = 0  # the agent that is the person


class Ended(NamedTuple):
    """A hand that is over: the agent in each seat, the winnings of each agent, and the end."""

    seating: Seating
    won: tuple[float, ...]
    end: End


class Series(Protocol):
    """The hands of a sitting. A game may bring its own: its optional ``own_series``.

    If it has ``standing(ended)``, agents with ``stand(standing, agent)`` receive it before each hand.
    """

    def next(self, ended: Sequence[Ended]) -> tuple[Game, Seating] | None:
        """Return the rules and the seating of the next hand; None at the end."""

    def title(self, ended: Sequence[Ended], names: Sequence[str]) -> str:
        """Return the text before a hand."""

    def result(self, ended: Sequence[Ended], names: Sequence[str]) -> str:
        """Return the text at the end."""


@dataclass(frozen=True)
class Rotation:
    """A number of hands (0: no limit); all agents move on by a seat after each."""

    game: Game
    hands: int = 0

    def next(self, ended: Sequence[Ended]) -> tuple[Game, Seating] | None:
        """See `Series`."""
        if self.hands and len(ended) >= self.hands:
            return None
        return self.game, rotated(self.game.players, len(ended))

    def title(self, ended: Sequence[Ended], names: Sequence[str]) -> str:
        """See `Series`."""
        return f"Hand {len(ended) + 1}" + (f" of {self.hands}" if self.hands else "")

    def result(self, ended: Sequence[Ended], names: Sequence[str]) -> str:
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
class Sitting:
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
    ended: list[Ended] = field(default_factory=list, init=False)
    course: Course = field(default_factory=Course, init=False)
    _known: dict[tuple[int, int], Game] = field(default_factory=dict, init=False, repr=False)
    _sights: list[Sight] = field(default_factory=list, init=False, repr=False)

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
            self._hand(rules, seating, self.course.labels)
            self.person.see(self._sights[seating.index(PERSON)])
            self.course = Course()
        self.person.notify(self.series.result(self.ended, self.names))

    def again(self, hands: Sequence[Sequence[Hashable]], begun: Sequence[Hashable]) -> None:
        """Replay finished hands, which `play` continues with the begun one; raise ParameterError if they do not fit."""
        for labels in hands:
            coming = self.series.next(self.ended)
            if coming is None:
                raise ParameterError(f"{count(len(hands), 'hands')} are more than are played.")
            self.person.total += self._hand(*coming, labels, _Silent()).won[PERSON]
            self.person.hands += 1
            if len(self.course.labels) != len(labels):
                raise ParameterError("a hand ends before it is over.")
        self._check(begun)
        self.course = Course()
        self.course.labels = list(begun)

    def _check(self, begun: Sequence[Hashable]) -> None:
        """Raise ParameterError unless a hand can be resumed; no agent takes part."""
        coming, course = self.series.next(self.ended), Course(begun)
        if coming is None and begun:
            raise ParameterError("a hand is begun, and all are over.")
        if coming is None:
            return
        table = RulesTable(coming[0], self.tree)
        try:
            table.play([_Silent()] * len(coming[1]), Dealing(1, self.seed), len(self.ended), 0, course)
        except _Asked:
            if not course.again:
                return
            raise
        raise ParameterError("the hand that was begun is over.")

    def _hand(self, rules: Game, seating: Seating, labels: Sequence[Hashable], person: Agent | None = None) -> Ended:
        """Play a hand whose first labels are given; `person` takes the seat of the person."""
        table, self.course = RulesTable(rules, self.tree), Course(labels)
        seats = [self._seated(table, seat, agent, person) for seat, agent in enumerate(seating)]
        if standing := getattr(self.series, "standing", None):
            for number, seated in zip(seating, seats, strict=True):
                if hear := getattr(seated, "stand", None):
                    hear(standing(self.ended), number)
        end = table.play(seats, Dealing(1, self.seed), len(self.ended), 0, self.course)
        self._sights = [table.sight(end, seat) for seat in range(len(seats))]
        for sight, agent in zip(self._sights, seats, strict=True):
            if agent.profile is None and agent is not self.person:
                agent.see(sight)
        if self.course.again:
            raise ParameterError(f"the hand is over, and {shortened(labels[len(self.course.labels)])} follows.")
        done = Ended(seating, tuple(end.payoffs[seating.index(agent)] for agent in range(len(seating))), end)
        self.ended.append(done)
        return done

    def _seated(self, table: RulesTable, seat: int, agent: int, person: Agent | None) -> Agent:
        """Return the agent of a seat; other agents start when they first sit there, or when the rules change."""
        if agent == PERSON:
            return person or self.person
        other = self.others[seat][agent - 1]
        if self._known.get((seat, agent)) != table.rules:
            self._known[seat, agent] = table.rules
            other.start(table.game, seat)
        return other


def unattended(game: Game, seed: int, series: Series, tree: Tree | None) -> Sitting:
    """Return a sitting without agents, to check a file before making agents that take long to make."""
    nobody = [[_Silent()] * (game.players - 1)] * game.players
    return Sitting(game, HumanAgent(), nobody, seed, series, tree)


class _Asked(ParameterError):
    """An agent had to act that cannot."""


class _Silent(RandomAgent):
    """Holds a seat where all labels are given."""

    def act(self, turn: Turn) -> int:
        """See `Agent`."""
        raise _Asked("a hand ends before it is over.")


class Kept(NamedTuple):
    """The content of a file: the game and its parameters, the other agents, seed, labels of hands, further options."""

    play: str
    parameters: dict[str, Any]
    against: list[str]
    seed: int
    hands: Sequence[tuple[Hashable, ...]]
    begun: tuple[Hashable, ...]
    options: dict[str, Any]


_FORMAT = FieldSpec((int,), 1, 1)
_FIELDS = {"format": _FORMAT, **dict(zip(Kept._fields, (TEXT, OBJECT, LIST, WHOLE, LIST, LIST, OBJECT), strict=True))}


def keep(path: Path, sitting: Sitting, against: Sequence[str], options: Mapping[str, Any]) -> None:
    """Write a sitting to a file, completely or not at all; raise ParameterError for labels that JSON cannot hold."""
    game, begun = sitting.game, tuple(sitting.course.labels)
    hands = [hand.end.labels for hand in sitting.ended if hand.end.labels is not None]
    if not survives_json((*hands, begun)):
        raise ParameterError("labels must be texts, numbers or tuples of them for a game to be saved.")
    kept = Kept(game.name, json_parameters(game), list(against), sitting.seed, hands, begun, dict(options))
    write_json(path, {"format": 1, **kept._asdict()})


def read_kept(path: Path) -> Kept:
    """Read the file of a sitting; raise RunError if it is none, or damaged."""
    content = read_json(path)
    check_fields(path, content, _FIELDS)
    hands, begun, names = as_tuples(content["hands"]), as_tuples(content["begun"]), content["against"]
    if not all(isinstance(hand, tuple) for hand in hands) or not all(isinstance(name, str) for name in names):
        raise RunError(f"{path} is no game that was saved: its hands are no lists of labels. Use an intact copy.")
    return Kept(**{name: content[name] for name in Kept._fields} | {"hands": hands, "begun": begun})


def go_on(path: Path, sitting: Sitting, kept: Kept) -> None:
    """Bring a sitting to the state in a file; raise RunError if the content does not fit the game."""
    try:
        sitting.again(kept.hands, kept.begun)
    except (TefudaError, ValueError, TypeError, KeyError) as error:
        raise RunError(f"{path} does not fit the rules of {sitting.game.name}: {error}") from None
