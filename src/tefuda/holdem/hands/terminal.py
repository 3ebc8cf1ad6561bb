"""Whole hands of hold'em at the terminal: positions, answers and hints for a human player."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tefuda.errors import one_of
from tefuda.forms.tree import Tree
from tefuda.games.protocol import move_text
from tefuda.holdem.cards import cards_text
from tefuda.holdem.hands.hand import CALL, FOLD, NEXT, Hand, replay
from tefuda.holdem.hands.odds import pot_share
from tefuda.holdem.hands.rules import BOARD, STREETS
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.rank import strength, strength_text
from tefuda.playing.agents import Decision, ObservedHand
from tefuda.playing.human import HumanAgent
from tefuda.words import count, percent, significant

_LISTED = 8  # maximum number of amounts that are listed one by one
_HINTED = 5000  # random deals for a hint
_WORDS = re.compile(r"(?:raise|bet|r|b)?\s*(?:to\s*)?(\d{1,12})", re.IGNORECASE)
_AMOUNTS = ", or {}: {} or raise {} raises to {} on this street, all-in bets all chips"
_HELP = "Type an action or its first letters{}. ? shows hints; q leaves the table and shows the result."


@dataclass
class HoldemPerson(HumanAgent):
    """Human player of whole hands; each turn shows the actions since the last one, the table and the hand."""

    _shown_length: int = field(default=0, init=False, repr=False)  # number of letters of the line already shown
    _game: Holdem = field(init=False, repr=False)

    def start(self, game: Any, seat: int) -> None:
        self._game, self._seat, self._shown_length = game.rules if isinstance(game, Tree) else game, seat, 0
        self._rules = self._game
        position = self._position_in_words(seat)
        self.notify(
            f"You are player {seat} of {self._game.players}{f', {position}' if position else ''}. (? helps, q leaves)"
        )

    def show(self, turn: Decision) -> None:
        """See `HumanAgent`: the actions since the last turn, the table, the cards."""
        state = self._game.read_view(turn.view, turn.seat)
        holding = f"You hold {self._hand_in_words(state, turn.seat)}."
        self.notify("\n".join([*self._new_actions(state), *self._table(state), holding]))

    def names(self, turn: Decision) -> list[tuple[str, str]]:
        words = self._game.action_names(self._game.read_view(turn.view, turn.seat))
        return [(str(action), words[action]) for action in turn.actions]

    def parse_action(self, answer: str, names: Sequence[tuple[str, str]]) -> int | None:
        """See `HumanAgent`; also accepts amounts, as in the names of actions."""
        answer = answer.lower()
        if amount := _WORDS.fullmatch(answer):  # a number is an amount, and not the start of 50%
            amounts = [re.sub(r"\D", "", word) if label not in (FOLD, CALL) else "" for label, word in names]
            return amounts.index(amount[1]) if amount[1] in amounts else None
        if (index := super().parse_action(answer, names)) is not None:
            return index
        if answer in ("k", "x") and (CALL, "check") in names:
            return names.index((CALL, "check"))
        if re.fullmatch(r"all[ -]?in", answer):
            return next((index_ for index_, (_, word) in enumerate(names) if word.startswith("all-in")), None)
        return None

    def question(self, shown: Sequence[str]) -> str:
        """See `HumanAgent`; of many amounts it lists the first and the last."""
        return f"{one_of(_shortened(shown))}? "

    def refusal(self, answer: str, shown: Sequence[str]) -> str:
        return f"{answer!r} is none of: {', '.join(_shortened(shown))}."

    def help(self, turn: Decision) -> str:
        """See `HumanAgent`: equity against random hands, and the equity that a call needs."""
        state = self._game.read_view(turn.view, turn.seat)
        opponents, choices = len(state.wagers.live) - 1, self._game.choices(state)
        share = pot_share(state.hole(turn.seat), state.board, opponents, _HINTED)
        hint = f"Against {count(opponents, 'random hands')} yours wins {percent(share)} of the pot"
        if choices.facing_bet:
            hint += f"; to call {choices.call:,} it must win {percent(self._game.pot_odds(state))}"
        other = ["To bet other amounts, play with --bets any."]
        if self._game.rules.limit or self._game.menu.any_amount:
            other = []
        return "\n".join([f"{hint}.", _HELP.format(self._on_amounts(state)), *other, *self.command_lines()])

    def _on_amounts(self, state: Hand) -> str:
        """Return the help on amounts, with a legal example; empty if there are none."""
        amounts = [] if self._game.rules.limit else list(self._game.amounts(state).values())
        kind = "an amount" if self._game.menu.any_amount else "a listed amount"
        return _AMOUNTS.format(kind, *[amounts[0]] * 3) if amounts else ""

    def observe_hand(self, sight: ObservedHand) -> None:
        """See `Agent`: shows the end of the hand, the cards shown and the winners."""
        won = sight.payoffs[sight.seat]
        self.total, self.hands = self.total + won, self.hands + 1
        state = self._game.read_view(sight.view, sight.seat)
        lines = self._new_actions(state)
        for seat, view in enumerate(sight.shown):
            if view is not None:
                sentence = move_text(
                    seat, sight.seat, f"show {self._hand_in_words(self._game.read_view(view, seat), seat)}"
                )
                lines.append(f"{_capital(sentence)}.")
        winnings = {seat: amount for seat, amount in enumerate(sight.payoffs) if amount > 0}
        lines += [
            f"{_capital(move_text(seat, sight.seat, f'win {significant(chips, 6)}'))}."
            for seat, chips in winnings.items()
        ]
        if won < 0:
            lines.append(f"You lose {significant(-won, 6)}.")
        self.notify("\n".join([*lines, self.result(), ""]))
        self._shown_length = 0

    def _position_in_words(self, seat: int) -> str:
        """Return a description of a seat: button and blinds."""
        rules = self._game.rules
        words = ["the button"] * (seat == rules.players - 1)
        if blind := rules.blinds[seat]:
            words.append(f"{'big' if blind == max(rules.blinds) else 'small'} blind {blind:,}")
        return ", ".join(words)

    def _new_actions(self, state: Hand) -> list[str]:
        """Return the actions since the last turn, a line for each street."""
        lines, length = [""], 0
        for before, token in replay(self._game.rules, state.line):
            length += len(token)
            if length <= self._shown_length:
                continue
            if token == NEXT:
                street = before.street + 1
                lines.append(f"The {STREETS[street]}: {cards_text(state.board[: BOARD[street]])}.")
            else:
                action_in_words = _capital(self._game.action_in_words(before, token, self._seat))
                lines[-1] += f"{' ' * bool(lines[-1])}{action_in_words}."
        self._shown_length = length
        return [line for line in lines if line]

    def _table(self, state: Hand) -> list[str]:
        """Return a line for each player with its stack and its bet on this street, and a line with the pot."""
        wagers, rows = state.wagers, []
        for seat in range(self._game.players):
            folded = wagers.folded >> seat & 1
            stack = "folded" if folded else f"{wagers.stacks[seat]:,}" if wagers.stacks[seat] else "all-in"
            bet = f"bet {wagers.bets[seat]:,}" if wagers.bets[seat] else ""
            rows.append(("you" if seat == self._seat else f"player {seat}", stack, bet, self._position_in_words(seat)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            f"  {name:<{widths[0]}}  {stack:>{widths[1]}}  {bet:<{widths[2]}}  {position}".rstrip()
            for name, stack, bet, position in rows
        ]
        board = f", board {cards_text(state.board)}" if state.board else ""
        return [*lines, f"The pot is {self._game.rules.pot(wagers):,}{board}."]

    @staticmethod
    def _hand_in_words(state: Hand, seat: int) -> str:
        """Return a player's hole cards and their strength with the board, as text."""
        hole = state.hole(seat)
        made = f", {strength_text(strength((*hole, *state.board)))}" if len(state.board) >= BOARD[1] else ""
        return f"{cards_text(sorted(hole, reverse=True))}{made}"


def _shortened(shown: Sequence[str]) -> list[str]:
    """Return the names of actions; of more than `_LISTED` amounts only the first and the last."""
    amounts = [word for word in shown if re.search(r"\(r\d+\)$", word)]
    if len(amounts) <= _LISTED:
        return list(shown)
    first, last = (re.sub(r" \(r\d+\)$", "", word) for word in (amounts[0], amounts[-1]))
    others = [word for word in shown if word not in set(amounts)]
    return [*others, f"{first} up to {last}"]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
