"""Somebody at the terminal: what is asked and told, in the words of the game, and never what is hidden."""

from __future__ import annotations

import shutil
import signal
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, NoReturn

from tefuda.errors import one_of
from tefuda.forms.tree import Tree
from tefuda.games.protocol import Told, told
from tefuda.judging.profile import Profile
from tefuda.playing.agents import Sight, Turn
from tefuda.playing.coach import Coach, Lesson, advice_text
from tefuda.playing.phrases import PHRASES, Words
from tefuda.words import Tell, brief, count, distinct, harmless, signed, wrapped


def say(text: str) -> None:
    """Print a text broken between words, as wide as the terminal."""
    wide = shutil.get_terminal_size().columns
    print("\n".join(row for line in harmless(text).split("\n") for row in wrapped(line, wide)))


def listen(question: str) -> str:
    """What a person answers; where it breaks off, what is told next begins a line."""
    try:
        return input(harmless(question))
    except (EOFError, KeyboardInterrupt):
        print()
        raise


class Left(KeyboardInterrupt):
    """A person has left the table, by ``q`` or the end of input."""


class Cancelled(Exception):
    """A person has cancelled, by Ctrl-C, what an answer asked for; the game goes on."""


def _cancel(number: int, frame: Any) -> NoReturn:
    raise Cancelled


@contextmanager
def cancellable() -> Iterator[None]:
    """Let Ctrl-C raise `Cancelled` within; every other signal, and every other thread, is left as it is."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, _cancel)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Command(NamedTuple):
    """Something one can write instead of an action: what it does, and the doing, which gives what is told."""

    about: str
    do: Callable[[str], str]


@dataclass
class HumanAgent:
    """Somebody at the terminal.

    Told is what the view holds and, at the end, what others show; never what is hidden.

    Args:
        name: how it is called.
        ask: gives an answer to a question.
        tell: shows a line.
        commands: what else can be written, by its first word.
        coach: who says after each decision what it cost, and what it would do if asked for a hint.
        language: of all output, one of `languages`.

    >>> human = td.HumanAgent(ask=lambda question: "b", tell=lambda line: None)
    >>> against = td.ProfileAgent("u", td.Profile.uniform(tree := td.compile_game(td.load_game("kuhn"))))
    >>> td.duplicate_match(tree, [human, against], deals=1).agents, human.hands
    (('human', 'u'), 2)
    """

    name: str = "human"
    ask: Callable[[str], str] = listen
    tell: Tell = say
    profile: Profile | None = None
    total: float = 0.0
    hands: int = 0
    commands: dict[str, Command] = field(default_factory=dict, repr=False)
    coach: Coach | None = None
    lesson: Lesson = field(default_factory=Lesson)
    language: str = "en"
    languages: ClassVar[tuple[str, ...]] = ("en",)
    _rules: Any = field(default=None, repr=False)
    _seat: int = 0

    @property
    def phrases(self) -> Words:
        """The phrases of every game, in the person's language."""
        return PHRASES[self.language]

    def start(self, game: Any, seat: int) -> None:
        """See `Agent`: the running result goes on."""
        self._rules, self._seat = game.rules if isinstance(game, Tree) else game, seat
        self.tell(f"You are player {seat} of {game.players} at {game.name}. (? helps, q leaves)")

    def act(self, turn: Turn) -> int:
        """See `Agent`: an action by its name, or the start of it if that is enough.

        Raises:
            Left: the person leaves the table.
        """
        self.show(turn)
        names = self.names(turn)
        shown = [word if word == label else f"{word} ({label})" for label, word in names]
        if self.coach is not None:
            self.commands["hint"] = Command(self.phrases["hint"], lambda rest: self._advice(turn, names))
        while True:
            try:
                answer = self.ask(self.question(shown)).strip()
            except EOFError:
                raise Left from None
            if (place := self.understood(answer, names)) is not None:
                self._learn(turn, names, place)
                return place
            if answer in ("q", "quit"):
                raise Left
            self.tell(self._answered(turn, answer, shown))

    def _answered(self, turn: Turn, answer: str, shown: Sequence[str]) -> str:
        """The reply to an answer that is no action; Ctrl-C cancels the reply, never the game."""
        word, _, rest = answer.partition(" ")
        try:
            with cancellable():
                if word in self.commands:
                    return self.commands[word].do(rest.strip())
                return self.help(turn) if answer == "?" else self.refusal(answer, shown)
        except Cancelled:
            return self.phrases["cancelled"]

    def _learn(self, turn: Turn, names: Sequence[tuple[str, str]], place: int) -> None:
        """Hear from the coach what a decision cost."""
        if self.coach is not None:
            cost = self.lesson.learn(self.coach.advise(turn), place, self.coach.precision, self.phrases)
            verdict = self.phrases["verdict"].format(names[place][1].capitalize(), cost)
            self.tell(f"{self._advice(turn, names)} {verdict}")

    def _advice(self, turn: Turn, names: Sequence[tuple[str, str]]) -> str:
        assert self.coach is not None, "asked only where there is one"
        advice = advice_text(self.coach.advise(turn), [word for _, word in names], self.phrases)
        return self.phrases["verdict"].format(self.coach.name, advice)

    def show(self, turn: Turn) -> None:
        """Tell what is known where one must act."""
        known = self._told(turn.view, self._seat)
        self.tell(f"You hold {known.hand}{f'; {known.table}' if known.table else ''}.")

    def names(self, turn: Turn) -> list[tuple[str, str]]:
        """The names of each action: its label, numbered where labels print alike, and a word for it."""
        words, labels = self._told(turn.view, self._seat).actions, distinct([str(action) for action in turn.actions])
        return [(label, words.get(action, label)) for action, label in zip(turn.actions, labels, strict=True)]

    def understood(self, answer: str, names: Sequence[tuple[str, str]]) -> int | None:
        """The place of the action an answer means; None if there is none."""
        return meant(answer, names)

    def question(self, shown: Sequence[str]) -> str:
        """What is asked, of actions as they are shown."""
        return f"{one_of(shown)}? "

    def help(self, turn: Turn) -> str:
        """What ``?`` tells."""
        return "\n".join([_HELP, *self.known_commands()])

    def known_commands(self) -> list[str]:
        """What can be written besides actions, a line each."""
        return [self.phrases["command"].format(word, command.about) for word, command in self.commands.items()]

    def refusal(self, answer: str, shown: Sequence[str]) -> str:
        """What is said of an answer that names no action."""
        return f"{answer!r} is none of: {', '.join(shown)}."

    def see(self, sight: Sight) -> None:
        """See `Agent`: how it ended, what the others showed, what was won, and what was won in all."""
        won, known = sight.payoffs[sight.seat], self._told(sight.view, sight.seat)
        self.total, self.hands = self.total + won, self.hands + 1
        self.tell(f"The end: {known.table or known.hand}.")
        for seat, view in enumerate(sight.shown):
            if seat != sight.seat and view is not None:
                self.tell(f"Player {seat} shows {self._told(view, seat).hand}.")
        outcome = f"You {'win' if won > 0 else 'lose'} {brief(abs(won), 6)}" if won else "Nothing won, nothing lost"
        self.tell(f"{outcome}. {self.result()}\n")

    def result(self) -> str:
        """The running result: ``After 3 hands: +2, +0.667 a hand.``"""
        mean = f", {signed(self.total / self.hands, 3)} a hand" if self.hands > 1 else ""
        won = f"After {count(self.hands, 'hands')}: {'+' * (self.total > 0)}{brief(self.total, 6)}{mean}."
        return f"{won} {self.taught()}".rstrip()

    def taught(self) -> str:
        """The coach's report on all decisions; empty without a coach."""
        return self.lesson.result(self.phrases) if self.coach is not None else ""

    def _told(self, view: Hashable, seat: int) -> Told:
        return told(self._rules, view, seat)


_HELP = "Write an action, its letter, or the start of it. ? shows this; q leaves the table, and what was won is told."


def meant(answer: str, names: Sequence[tuple[str, str]]) -> int | None:
    """The place of the action an answer names: exactly, or by a start that fits no other; else None."""
    for kind in (0, 1):
        exactly = [name[kind] for name in names]
        if exactly.count(answer) == 1:
            return exactly.index(answer)
    fitting = [place for place, both in enumerate(names) if answer and any(name.startswith(answer) for name in both)]
    return fitting[0] if len(fitting) == 1 else None
