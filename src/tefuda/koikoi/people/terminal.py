"""Koi-Koi at the terminal: a human player, hints, and the rounds of a match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tefuda.forms.tree import game_behind
from tefuda.games.protocol import Game
from tefuda.koikoi.cards import LANGUAGES
from tefuda.koikoi.game import KOI, PLAY, KoiKoi
from tefuda.koikoi.match_state import MatchState
from tefuda.koikoi.people.board import Board
from tefuda.koikoi.players.network import trained_for
from tefuda.koikoi.view import read_view
from tefuda.playing.agents import Decision, ObservedHand
from tefuda.playing.deals import Seating
from tefuda.playing.human import HumanAgent
from tefuda.playing.session import PERSON, FinishedHand

#: Function of a game, a view and a seat that returns the candidates (label, value in points), the best first.
Hints = Callable[[KoiKoi, str, int], Sequence[tuple[str, float]]]


@dataclass
class KoiKoiPerson(HumanAgent):
    """A human player of Koi-Koi; the board is printed, and cards are chosen by number, code or name.

    Args:
        language: ``"en"`` or ``"ja"``.
        hints: function for the hints of ``?``.
    """

    hints: Hints | None = None
    languages = LANGUAGES
    _board: Board = field(init=False, repr=False)
    _greeted: bool = field(default=False, init=False, repr=False)

    def start(self, game: Any, seat: int) -> None:
        self._rules = game_behind(game)
        self._board = Board(self._rules, self.language)
        if not self._greeted:
            self.notify(self._board.words["welcome"])
            self._greeted = True

    def show(self, turn: Decision) -> None:
        view, state = str(turn.view), read_view(self._rules, turn.view, turn.seat)
        lines = self._board.story(view, turn.seat) if state.phase == PLAY else self._board.story(view, turn.seat, 1)
        if state.phase in (PLAY, KOI):
            lines = [*lines, "", *self._board.situation(state, turn.seat)]
        self.notify("\n".join([*lines, *self._board.choices(state, turn.seat)]))

    def names(self, turn: Decision) -> list[tuple[str, str]]:
        return [(label, self._board.names[label]) for label in map(str, turn.actions)]

    def question(self, shown: Sequence[str]) -> str:
        return self._board.words["ask"]

    def parse_action(self, answer: str, names: Sequence[tuple[str, str]]) -> int | None:
        """See `HumanAgent`; also accepts a number of the list, and codes in lower case."""
        if answer.isdecimal() and 1 <= int(answer) <= len(names):
            return int(answer) - 1
        index = super().parse_action(answer, names)
        if index is None:
            index = super().parse_action(answer.upper(), names)
        return index

    def help(self, turn: Decision) -> str:
        return "\n".join([*self._hint(turn), self._board.words["help"], *self.command_lines()])

    def _hint(self, turn: Decision) -> list[str]:
        words = self._board.words
        if self.hints is None:
            return [words["no hint"]]
        named = dict(self.names(turn))
        values = self.hints(self._rules, str(turn.view), turn.seat)
        parts = [words["hint"].format(f"{label} {named.get(label, '')}".strip(), value) for label, value in values]
        lines = [words["hints"], *parts]
        return lines if trained_for(self._rules.rules) else [*lines, words["other rules"]]

    def result(self) -> str:
        return f"{self._board.total(self.hands, self.total)} {self.coach_summary()}".rstrip()

    def refusal(self, answer: str, shown: Sequence[str]) -> str:
        return self._board.words["none"].format(repr(answer), ", ".join(shown))

    def observe_hand(self, sight: ObservedHand) -> None:
        self.total, self.hands = self.total + sight.payoffs[sight.seat], self.hands + 1
        view = str(sight.view)
        self.notify("\n".join([*self._board.story(view, sight.seat), self._board.ending(view, sight.seat), ""]))


@dataclass
class MatchSeries:
    """A match of Koi-Koi: the rounds of its rules; the winner of a round deals the next one.

    Args:
        game: the rules.
        language: ``"en"`` or ``"ja"``.
    """

    game: KoiKoi
    language: str = "en"
    languages = LANGUAGES

    def standing(self, ended: Sequence[FinishedHand]) -> MatchState:
        """Return the state of the match; player 0 is the human player, who deals first."""
        standing = MatchState(self.game.rules)
        for hand in ended:
            stopped = hand.end.state.events.endswith(("stop", "teyaku"))
            standing = standing.after(int(hand.end.payoffs[0]), stopped=stopped)
        return standing

    def facts(self, ended: Sequence[FinishedHand]) -> dict[str, Any]:
        """Return the state of the match after some rounds as JSON values, from the human player's side.

        It has the number of the next round and of all rounds, the points of both, the results of the finished rounds,
        whether the human player deals the next one, and whether the match is over.
        """
        standing = self.standing(ended)
        return {
            "round": standing.rounds_played + 1,
            "rounds": self.game.rules.match.rounds,
            "points": standing.points,
            "results": [int(hand.won[PERSON]) for hand in ended],
            "deals": standing.dealer == PERSON,
            "over": not standing.rounds_left,
        }

    def next(self, ended: Sequence[FinishedHand]) -> tuple[Game, Seating] | None:
        """Return the rules of the round's month, and the dealer in seat 0; see `Series`."""
        standing = self.standing(ended)
        if not standing.rounds_left:
            return None
        rules = self.game.rules.for_month(len(ended) % 12 + 1)
        game = self.game if rules is self.game.rules else replace(self.game, rules=rules)
        return game, (standing.dealer, 1 - standing.dealer)

    def title(self, ended: Sequence[FinishedHand], names: Sequence[str]) -> str:
        words, standing = Board(self.game, self.language).words, self.standing(ended)
        dealer = words["deal" if standing.dealer == PERSON else "dealt"]
        return words["round"].format(len(ended) + 1, self.game.rules.match.rounds, dealer, *standing.points)

    def result(self, ended: Sequence[FinishedHand], names: Sequence[str]) -> str:
        board, standing = Board(self.game, self.language), self.standing(ended)
        words, rounds = board.words, board.rounds(len(ended))
        end = "ahead" if standing.lead > 0 else "behind" if standing.lead < 0 else "even"
        return f"{words['match'].format(rounds, *standing.points)} {words[end]}"
