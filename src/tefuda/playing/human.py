"""An agent for a person at the terminal."""

from __future__ import annotations

import shutil
import signal
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, NoReturn

from tefuda.evaluating.profile import Profile
from tefuda.forms.tree import game_behind
from tefuda.games.kit import kit_of
from tefuda.games.phrases import LANGUAGES, between
from tefuda.games.protocol import Observation
from tefuda.playing.agents import Decision, ObservedHand
from tefuda.playing.coach import Coach, CoachReport, advice_text
from tefuda.playing.phrases import PHRASES, Words
from tefuda.words import Notify, distinct, escaped, signed, significant, wrapped


def print_wrapped(text: str) -> None:
    """Print text, wrapped to the width of the terminal."""
    wide = shutil.get_terminal_size().columns
    print("\n".join(row for line in escaped(text).split("\n") for row in wrapped(line, wide)))


def read_answer(question: str) -> str:
    """Return the answer to a question; after an interruption print a newline."""
    try:
        return input(escaped(question))
    except (EOFError, KeyboardInterrupt):
        print()
        raise


class PlayerQuit(KeyboardInterrupt):
    """Quit signal of the person: ``q`` or the end of input."""


class Cancelled(Exception):
    """Ctrl-C during the reply to a command; the game continues."""


def _cancel(number: int, frame: Any) -> NoReturn:
    raise Cancelled


@contextmanager
def cancellable() -> Iterator[None]:
    """Let Ctrl-C raise `Cancelled` inside the context, in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, _cancel)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Command(NamedTuple):
    """A command of the person: a description, and a function that returns the reply."""

    description: str
    run: Callable[[str], str]


@dataclass
class HumanAgent:
    """Agent for a person at the terminal.

    It shows the person's view, and at the end the views that other players show.

    Args:
        name: its name.
        ask: function that returns the answer to a question.
        notify: function that prints a line.
        profile: None.
        total: winnings so far.
        hands: number of hands so far.
        commands: commands by their first word.
        coach: coach that reports the cost of each decision and gives hints; None: no coach.
        coach_report: cost of the decisions so far.
        language: language of all output, one of `languages`.

    >>> human = td.HumanAgent(ask=lambda question: "b", notify=lambda line: None)
    >>> against = td.ProfileAgent("u", td.Profile.uniform(tree := td.compile_game(td.load_game("kuhn"))))
    >>> td.duplicate_match(tree, [human, against], deals=1).agents, human.hands
    (('human', 'u'), 2)
    """

    name: str = "human"
    ask: Callable[[str], str] = read_answer
    notify: Notify = print_wrapped
    profile: Profile | None = None
    total: float = 0.0
    hands: int = 0
    commands: dict[str, Command] = field(default_factory=dict, repr=False)
    coach: Coach | None = None
    coach_report: CoachReport = field(default_factory=CoachReport)
    language: str = "en"
    languages: ClassVar[tuple[str, ...]] = LANGUAGES
    _rules: Any = field(default=None, repr=False)
    _seat: int = 0

    @property
    def phrases(self) -> Words:
        """The phrases of all games in the person's language."""
        return PHRASES[self.language]

    def start(self, game: Any, seat: int) -> None:
        """See `Agent`; the totals continue."""
        self._rules, self._seat = game_behind(game), seat
        self.notify(self.phrases["welcome"].format(seat, game.players, game.name))

    def act(self, decision: Decision) -> int:
        """See `Agent`: read an action's name or a unique prefix of it; raise `PlayerQuit` at ``q``."""
        self.show(decision)
        names = self.names(decision)
        shown = [word if word == label else f"{word} ({label})" for label, word in names]
        if self.coach is not None:
            self.commands["hint"] = Command(self.phrases["hint"], lambda rest: self._advice(decision, names))
        while True:
            try:
                answer = self.ask(self.question(shown)).strip()
            except EOFError:
                raise PlayerQuit from None
            if (index := self.parse_action(answer, names)) is not None:
                self._learn(decision, names, index)
                return index
            if answer in ("q", "quit"):
                raise PlayerQuit
            self.notify(self._reply(decision, answer, shown))

    def _reply(self, decision: Decision, answer: str, shown: Sequence[str]) -> str:
        """Return the reply to a command; Ctrl-C cancels the reply only."""
        word, _, rest = answer.partition(" ")
        try:
            with cancellable():
                if word in self.commands:
                    return self.commands[word].run(rest.strip())
                return self.help(decision) if answer == "?" else self.refusal(answer, shown)
        except Cancelled:
            return self.phrases["cancelled"]

    def _learn(self, decision: Decision, names: Sequence[tuple[str, str]], index: int) -> None:
        """Report the cost of a decision, if there is a coach."""
        if self.coach is not None:
            cost = self.coach_report.add(self.coach.advise(decision), index, self.coach.precision, self.phrases)
            verdict = self.phrases["verdict"].format(names[index][1].capitalize(), cost)
            self.notify(f"{self._advice(decision, names)} {verdict}")

    def _advice(self, decision: Decision, names: Sequence[tuple[str, str]]) -> str:
        assert self.coach is not None, "called only with a coach"
        advice = advice_text(self.coach.advise(decision), [word for _, word in names], self.phrases)
        return self.phrases["verdict"].format(self.coach.name, advice)

    def show(self, decision: Decision) -> None:
        """Print the person's information at a decision."""
        known = self._observation(decision.view, self._seat)
        words = self.phrases["hold and table"] if known.table else self.phrases["hold"]
        self.notify(words.format(known.hand, known.table))

    def names(self, decision: Decision) -> list[tuple[str, str]]:
        """Return (label, word) of each action; labels with the same text are numbered."""
        words, labels = (
            self._observation(decision.view, self._seat).actions,
            distinct([str(action) for action in decision.actions]),
        )
        return [(label, words.get(action, label)) for action, label in zip(decision.actions, labels, strict=True)]

    def parse_action(self, answer: str, names: Sequence[tuple[str, str]]) -> int | None:
        """Return the index of the action named by an answer; None if there is none."""
        return matching_action(answer, names)

    def question(self, shown: Sequence[str]) -> str:
        """Return the question about the displayed actions."""
        return self.phrases["question"].format(self._listed(shown))

    def help(self, decision: Decision) -> str:
        """Return the reply to ``?``."""
        return "\n".join([self.phrases["help"], *self.command_lines()])

    def command_lines(self) -> list[str]:
        """Return a line for each command."""
        return [self.phrases["command"].format(word, command.description) for word, command in self.commands.items()]

    def refusal(self, answer: str, shown: Sequence[str]) -> str:
        """Return the reply to an invalid answer."""
        return self.phrases["refusal"].format(repr(answer), between(self.language).join(shown))

    def _listed(self, shown: Sequence[str]) -> str:
        """Return names as alternatives: ``check (p) or bet (b)``."""
        *names, last = shown
        return self.phrases["or"].format(between(self.language).join(names), last) if names else last

    def observe_hand(self, hand: ObservedHand) -> None:
        """See `Agent`: print the end, the shown views, the winnings and the total."""
        won, known = hand.payoffs[hand.seat], self._observation(hand.view, hand.seat)
        self.total, self.hands = self.total + won, self.hands + 1
        self.notify(self.phrases["end"].format(known.table or known.hand))
        for seat, view in enumerate(hand.shown):
            if seat != hand.seat and view is not None:
                self.notify(self.phrases["shows"].format(seat, self._observation(view, seat).hand))
        outcome = self.phrases["win" if won > 0 else "lose" if won < 0 else "even"]
        self.notify(f"{outcome.format(significant(abs(won), 6))} {self.result()}\n")

    def result(self) -> str:
        """Return the running result: ``After 3 hands: +2, +0.667 a hand.``"""
        total = "+" * (self.total > 0) + significant(self.total, 6)
        if self.hands == 1:
            won = self.phrases["after a hand"].format(total)
        else:
            won = self.phrases["mean after hands"].format(self.hands, total, signed(self.total / max(self.hands, 1), 3))
        return f"{won} {self.coach_summary()}".rstrip()

    def coach_summary(self) -> str:
        """Return the coach's report on all decisions; empty without a coach."""
        return self.coach_report.result(self.phrases) if self.coach is not None else ""

    def _observation(self, view: Hashable, seat: int) -> Observation:
        return kit_of(self._rules).observe(view, seat, self.language)


def matching_action(answer: str, names: Sequence[tuple[str, str]]) -> int | None:
    """Return the index of the action named by an answer, exactly or by a unique prefix; else None."""
    for column in (0, 1):
        exact = [name[column] for name in names]
        if exact.count(answer) == 1:
            return exact.index(answer)
    matches = [index for index, pair in enumerate(names) if answer and any(name.startswith(answer) for name in pair)]
    return matches[0] if len(matches) == 1 else None
