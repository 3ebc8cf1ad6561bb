"""A person at a table for some hands: who sits where in the next one, and files to go on with another day.

What is kept of a sitting are the labels of its hands. To go on they are played again by the rules and the same luck,
without asking anybody: so a file that was changed does not fit, and is refused.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tefuda.errors import ParameterError, RunError, TefudaError, shortened
from tefuda.files import LIST, OBJECT, TEXT, WHOLE, Field, check_fields, read_json, survives, tuples, write_json
from tefuda.forms.tree import Tree
from tefuda.games.parameters import json_parameters
from tefuda.games.protocol import Game, own_function
from tefuda.playing.agents import Agent, RandomAgent, Sight, Turn
from tefuda.playing.deals import Dealing, Seating
from tefuda.playing.human import HumanAgent
from tefuda.playing.table import Course, End, RulesTable
from tefuda.words import brief, count

PERSON = 0  # the agent that is the person


class Ended(NamedTuple):
    """A hand that is over: who sat where, what each agent won, and how it ended."""

    seating: Seating
    won: tuple[float, ...]
    end: End


class Series(Protocol):
    """What hands of a game follow each other. A game may bring its own: its optional ``own_series``.

    One with a ``standing(ended)`` has it told before each hand to agents with a ``stand(standing, agent)``.
    """

    def next(self, ended: Sequence[Ended]) -> tuple[Game, Seating] | None:
        """The rules and the seating of the next hand; None: it is over."""

    def title(self, ended: Sequence[Ended], names: Sequence[str]) -> str:
        """What is told before a hand."""

    def result(self, ended: Sequence[Ended], names: Sequence[str]) -> str:
        """What is told at the end."""


def rotated(players: int, hand: int) -> Seating:
    """The agent in each seat of a hand, counted from 0: everybody moves on by a seat after each."""
    return tuple((seat - hand) % players for seat in range(players))


@dataclass(frozen=True)
class Rotation:
    """So many hands, everybody moving on by a seat after each; 0: as many as one likes."""

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
        told = ", ".join(f"{name} {'+' * (total > 0)}{brief(total, 6)}" for name, total in pairs)
        return f"After {count(len(ended), 'hands')}: {told}."


def series_of(game: Game, hands: int | None = None) -> Series:
    """The series a game brings, or hands in rotation.

    Raises:
        ParameterError: a number of hands for a game that says itself when it is over.
    """
    bring = own_function(game, "own_series")
    own: Series | None = bring() if bring is not None else None
    if own is None:
        return Rotation(game, hands or 0)
    if hands is not None:
        raise ParameterError(f"{game.name} says itself how many hands there are, by its parameters; leave --hands out.")
    return own


@dataclass
class Sitting:
    """Hands between a person, agent 0, and others.

    Args:
        game: the rules.
        person: who is asked.
        others: for each seat, the other agents as they sit there: an agent learns in each seat by itself.
        seed: of cards and luck.
        series: what hands there are.
        tree: of the rules, if others need it.
        ended: hands that are over.
        course: the labels of the hand that is played.
    """

    game: Game
    person: HumanAgent
    others: Sequence[Sequence[Agent]]
    seed: int
    series: Series
    tree: Tree | None = None
    ended: list[Ended] = field(default_factory=list)
    course: Course = field(default_factory=Course)
    _known: dict[tuple[int, int], Game] = field(default_factory=dict, repr=False)
    _sights: list[Sight] = field(default_factory=list, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Of all agents, the person first."""
        return ("you", *(agent.name for agent in self.others[0]))

    def play(self) -> None:
        """Play until the series is over.

        Raises:
            Left: the person leaves the table.
        """
        while (coming := self.series.next(self.ended)) is not None:
            rules, seating = coming
            self.person.tell(self.series.title(self.ended, self.names))
            self.person.start(rules, seating.index(PERSON))
            self._hand(rules, seating, self.course.labels)
            self.person.see(self._sights[seating.index(PERSON)])
            self.course = Course()
        self.person.tell(self.series.result(self.ended, self.names))

    def again(self, hands: Sequence[Sequence[Hashable]], begun: Sequence[Hashable]) -> None:
        """Play hands again that are over; one that was begun is gone on with by `play`.

        Raises:
            ParameterError: they do not fit these rules and this luck.
        """
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
        """Raise ParameterError unless a hand can be gone on with; nobody is asked or told anything."""
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
        """A hand, its first labels as given; `person` sits there instead of the person."""
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
        """Who sits at a seat; others are told of the game when they first sit there, or its rules change."""
        if agent == PERSON:
            return person or self.person
        other = self.others[seat][agent - 1]
        if self._known.get((seat, agent)) != table.rules:
            self._known[seat, agent] = table.rules
            other.start(table.game, seat)
        return other


def unattended(game: Game, seed: int, series: Series, tree: Tree | None) -> Sitting:
    """A sitting at which nobody plays: what a file says is tried here before agents are made that take long."""
    nobody = [[_Silent()] * (game.players - 1)] * game.players
    return Sitting(game, HumanAgent(), nobody, seed, series, tree)


class _Asked(ParameterError):
    """Nobody is there to be asked."""


class _Silent(RandomAgent):
    """Sits where nobody is to be asked."""

    def act(self, turn: Turn) -> int:
        """See `Agent`."""
        raise _Asked("a hand ends before it is over.")


# Files.

_FIELDS = {
    "format": Field((int,), 1, 1),
    "play": TEXT,
    "parameters": OBJECT,
    "against": LIST,
    "seed": WHOLE,
    "hands": LIST,
    "begun": LIST,
    "options": OBJECT,
}


@dataclass(frozen=True)
class Kept:
    """What a file says of a sitting: the game and its parameters, the others, seed, labels of hands, other options."""

    play: str
    parameters: dict[str, Any]
    against: list[str]
    seed: int
    hands: list[tuple[Hashable, ...]]
    begun: tuple[Hashable, ...]
    options: dict[str, Any]


def keep(path: Path, sitting: Sitting, against: Sequence[str], options: Mapping[str, Any]) -> None:
    """Write a sitting to a file, whole or not at all.

    Raises:
        RunError: the place cannot be written.
        ParameterError: labels that JSON cannot hold.
    """
    hands = [[*hand.end.labels] for hand in sitting.ended if hand.end.labels is not None]
    content = {
        "format": 1,
        "play": sitting.game.name,
        "parameters": json_parameters(sitting.game),
        "against": list(against),
        "seed": sitting.seed,
        "hands": hands,
        "begun": list(sitting.course.labels),
        "options": dict(options),
    }
    if not survives(tuples([hands, content["begun"]])):
        raise ParameterError("labels must be texts, numbers or tuples of them for a game to be kept.")
    write_json(path, content)


def read_kept(path: Path) -> Kept:
    """What a file says of a sitting.

    Raises:
        RunError: it cannot be read, is damaged, or no file of a sitting.
    """
    content = read_json(path)
    check_fields(path, content, _FIELDS)
    hands, begun = tuples(content["hands"]), tuples(content["begun"])
    texts = [*content["against"]]
    if not all(isinstance(hand, tuple) for hand in hands) or not all(isinstance(name, str) for name in texts):
        raise RunError(f"{path} is no game that was kept: its hands are no lists of labels. Use an intact copy.")
    return Kept(
        content["play"], content["parameters"], texts, content["seed"], list(hands), begun, content["options"]
    )  # fmt: skip


def go_on(path: Path, sitting: Sitting, kept: Kept) -> None:
    """Bring a sitting to where a file says it was.

    Raises:
        RunError: what it says cannot be played.
    """
    try:
        sitting.again(kept.hands, kept.begun)
    except (TefudaError, ValueError, TypeError, KeyError) as error:
        raise RunError(f"{path} does not fit the rules of {sitting.game.name}: {error}") from None
