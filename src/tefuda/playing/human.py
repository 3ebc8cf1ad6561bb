"""Somebody at the terminal: what is asked and told, in the words of the game, and never what is hidden."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from tefuda.errors import one_of
from tefuda.forms.tree import Tree
from tefuda.games.protocol import Game, Told, told
from tefuda.judging.profile import Profile
from tefuda.playing.agents import Sight, Turn
from tefuda.words import brief, count, harmless, signed


def say(text: str) -> None:
    """Print a text broken between words, as wide as the terminal."""
    wide = shutil.get_terminal_size().columns
    print("\n".join(textwrap.fill(line, wide) for line in harmless(text).split("\n")))


def listen(question: str) -> str:
    """What a person answers."""
    return input(harmless(question))


class Left(KeyboardInterrupt):
    """A person has left the table, by ``q`` or the end of input."""


@dataclass
class HumanAgent:
    """Somebody at the terminal.

    Told is what the view holds and, at the end, what others show; never what is hidden.

    Args:
        name: how it is called.
        ask: gives an answer to a question.
        tell: shows a line.

    >>> human = tf.HumanAgent(ask=lambda question: "b", tell=lambda line: None)
    >>> against = tf.ProfileAgent("u", tf.Profile.uniform(tree := tf.compile_game(tf.load_game("kuhn"))))
    >>> tf.duplicate_match(tree, [human, against], deals=1).agents, human.hands
    (('human', 'u'), 2)
    """

    name: str = "human"
    ask: Callable[[str], str] = listen
    tell: Callable[[str], None] = say
    profile: Profile | None = None
    total: float = 0.0
    hands: int = 0
    _rules: object = field(default=None, repr=False)
    _seat: int = 0

    def start(self, game: Tree | Game, seat: int) -> None:
        """See `Agent`: the running result goes on."""
        self._rules, self._seat = game.rules if isinstance(game, Tree) else game, seat
        self.tell(f"You are player {seat} of {game.players} at {game.name}. (? helps, q leaves)")

    def act(self, turn: Turn) -> int:
        """See `Agent`: an action by its name, or the start of it if that is enough.

        Raises:
            Left: the person leaves the table.
        """
        known = self._told(turn.view, self._seat)
        self.tell(f"You hold {known.hand}{f'; {known.table}' if known.table else ''}.")
        labels = [str(action) for action in turn.actions]
        words = [known.actions.get(action, label) for action, label in zip(turn.actions, labels, strict=True)]
        shown = [word if word == label else f"{word} ({label})" for word, label in zip(words, labels, strict=True)]
        while True:
            try:
                answer = self.ask(f"{one_of(shown)}? ").strip()
            except EOFError:
                raise Left from None
            if (place := _meant(answer, labels, words)) is not None:
                return place
            if answer in ("q", "quit"):
                raise Left
            self.tell(_HELP if answer == "?" else f"{answer!r} is none of: {', '.join(shown)}.")

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
        return f"After {count(self.hands, 'hands')}: {'+' * (self.total > 0)}{brief(self.total, 6)}{mean}."

    def _told(self, view: Hashable, seat: int) -> Told:
        return told(self._rules, view, seat)


_HELP = "Write an action, its letter, or the start of it. ? shows this; q leaves the table, and what was won is told."


def _meant(answer: str, labels: Sequence[str], words: Sequence[str]) -> int | None:
    """The place of the action an answer names: exactly, or by a start that fits no other; else None."""
    for names in (labels, words):
        if answer in names:
            return names.index(answer)
    pairs = enumerate(zip(labels, words, strict=True))
    fitting = [place for place, names in pairs if answer and any(name.startswith(answer) for name in names)]
    return fitting[0] if len(fitting) == 1 else None
