"""Base class of games with one deal: each player gets private information, then all move in turn."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from tefuda.games.phrases import between, phrases
from tefuda.games.protocol import CHANCE, TERMINAL, Observation, move_text


class Dealt:
    """A deal, then a fixed number of moves in turn, of which each player sees some.

    A state is (deal, moves). A view is the own part of the deal, and the moves that the player sees: ``"2|0 1"``.
    A derived class has `length`, `chances`, `actions`, `payoffs`, and phrases under its name: `hand` and the `verbs`.

    Attributes:
        length: number of moves.
        verbs: name of the phrase of each move.
        named: labels of actions that have a phrase of their own.
    """

    name: str
    length: int
    verbs: Sequence[str]
    named: Sequence[str] = ()
    players: int = 2

    def root(self):
        return ((), ())

    def player(self, state):
        deal, moves = state
        if not deal:
            return CHANCE
        return TERMINAL if len(moves) == self.length else len(moves) % self.players

    def child(self, state, action):
        deal, moves = state
        return (deal, (*moves, action)) if deal else (action, ())

    def sees(self, turn: int, player: int) -> bool:
        """Return True if a player sees a move; by default, all see all moves."""
        return True

    def view(self, state, player):
        deal, moves = state
        seen = [move for turn, move in enumerate(moves) if self.sees(turn, player)]
        return f"{deal[player]}|{' '.join(seen)}"

    def observe(self, view: str, player: int, language: str = "en") -> Observation:
        """Return a view in words; a label that has a phrase of its own is translated."""
        words = phrases(self.name, language)
        own, _, seen = view.partition("|")
        turns = [turn for turn in range(self.length) if self.sees(turn, player)]
        moves = [
            move_text(turn % self.players, player, words.get(move) or words[self.verbs[turn]].format(move), language)
            for turn, move in zip(turns, seen.split(), strict=False)
        ]
        names: dict[Hashable, str] = {label: words[label] for label in self.named}
        return Observation(words["hand"].format(words.get(own, own)), between(language).join(moves), names)
