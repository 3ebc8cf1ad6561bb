"""Base classes of games of moves in turn: moves alone, or after a deal of private information."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from tefuda.games.phrases import between, phrases
from tefuda.games.protocol import CHANCE, TERMINAL, Observation, move_text


class Moves:
    """Moves alone: a state is the tuple of all moves so far. A derived class has the other functions."""

    def root(self):
        return ()

    def chances(self, state):
        return ()

    def child(self, state, action):
        return (*state, action)


class Dealt:
    """A deal, then a number of moves in turn, of which each player sees some.

    A state is (deal, moves). A view is the own part of the deal, and the moves that the player sees: ``"2|0 1"``.
    A derived class has `length`, `chances`, `actions`, `payoffs`, and phrases under its name: `hand` and the `verbs`.

    Attributes:
        length: largest number of moves.
        verbs: name of the phrase of each move, one after another, and then again from the first one.
        named: labels of actions that have a phrase of their own.
    """

    name: str
    length: int
    verbs: Sequence[str]
    named: Sequence[str] = ()
    players: int = 2

    def root(self):
        return ((), ())

    def over(self, moves: Sequence[str]) -> bool:
        """Return True after the last move; by default, that of number `length`."""
        return len(moves) == self.length

    def player(self, state):
        deal, moves = state
        if not deal:
            return CHANCE
        return TERMINAL if self.over(moves) else len(moves) % self.players

    def child(self, state, action):
        deal, moves = state
        return (deal, (*moves, action)) if deal else (action, ())

    def sees(self, turn: int, player: int) -> bool:
        """Return True if a player sees a move; by default, all see all moves."""
        return True

    def view(self, state, player):
        deal, moves = state
        seen = [move for turn, move in enumerate(moves) if self.sees(turn, player)]
        return f"{''.join(deal[player])}|{' '.join(seen)}"

    def hand(self, own: str, language: str) -> str:
        """Return the own part of the deal in words."""
        words = phrases(self.name, language)
        return words["hand"].format(words.get(own, own))

    def observe(self, view: str, player: int, language: str = "en") -> Observation:
        """Return a view in words; a label that has a phrase of its own is translated."""
        words = phrases(self.name, language)
        own, _, seen = view.partition("|")
        turns = [turn for turn in range(self.length) if self.sees(turn, player)]
        verbs = [
            (turn, words.get(move) or words[self.verbs[turn % len(self.verbs)]].format(move))
            for turn, move in zip(turns, seen.split(), strict=False)
        ]
        moves = [move_text(turn % self.players, player, verb, language) for turn, verb in verbs]
        names: dict[Hashable, str] = {label: words[label] for label in self.named}
        return Observation(self.hand(own, language), between(language).join(moves), names)
