"""Whole hands of hold'em at the terminal: positions, answers and hints for a person."""

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

_LISTED = 8  # maximum of amounts that are listed one by one
_HINTED = 5000
_WORDS = re.compile(r"(?:raise|bet|r|b)?\s*(?:to\s*)?(\d{1,12})", re.IGNORECASE)
_AMOUNTS = ", or {}: {} or raise {} raises to {} on this street, all-in everything"
_HELP = "Write an action, its letter, the start of it{}. ? hints; q leaves the table, and what was won is told."


@dataclass
class HoldemPerson(HumanAgent):
    """A person who plays whole hands, shown the actions since the last turn, stacks and bets, and the hand in words."""

    _heard: int = field(default=0, init=False, repr=False)  # letters of the line that were shown
    _game: Holdem = field(init=False, repr=False)

    def start(self, game: Any, seat: int) -> None:
        self._game, self._seat, self._heard = game.rules if isinstance(game, Tree) else game, seat, 0
        self._rules = self._game
        places = self._places(seat)
        self.notify(
            f"You are player {seat} of {self._game.players}{f', {places}' if places else ''}. (? helps, q leaves)"
        )

    def show(self, turn: Decision) -> None:
        """See `HumanAgent`: the actions since the last turn, the table, the cards."""
        state = self._game.read_view(turn.view, turn.seat)
        holding = f"You hold {self._in_words(state, turn.seat)}."
        self.notify("\n".join([*self._story(state), *self._table(state), holding]))

    def names(self, turn: Decision) -> list[tuple[str, str]]:
        words = self._game.verbs(self._game.read_view(turn.view, turn.seat))
        return [(str(action), words[action]) for action in turn.actions]

    def parse_action(self, answer: str, names: Sequence[tuple[str, str]]) -> int | None:
        """See `HumanAgent`: amounts too, as in the names of actions."""
        answer = answer.lower()
        if match := _WORDS.fullmatch(answer):  # a number is an amount, and not the start of 50%
            amounts = [re.sub(r"\D", "", word) if label not in (FOLD, CALL) else "" for label, word in names]
            return amounts.index(match[1]) if match[1] in amounts else None
        if (found := super().parse_action(answer, names)) is not None:
            return found
        if answer in ("k", "x") and (CALL, "check") in names:
            return names.index((CALL, "check"))
        if re.fullmatch(r"all[ -]?in", answer):
            return next((place for place, (_, word) in enumerate(names) if word.startswith("all-in")), None)
        return None

    def question(self, shown: Sequence[str]) -> str:
        """See `HumanAgent`: of many amounts the first and the last."""
        return f"{one_of(_shortened(shown))}? "

    def refusal(self, answer: str, shown: Sequence[str]) -> str:
        return f"{answer!r} is none of: {', '.join(_shortened(shown))}."

    def help(self, turn: Decision) -> str:
        """See `HumanAgent`: the share of the pot against random hands, and the share that a call needs."""
        state = self._game.read_view(turn.view, turn.seat)
        opponents, choices = len(state.wagers.live) - 1, self._game.choices(state)
        share = pot_share(state.hole(turn.seat), state.board, opponents, _HINTED)
        hint = f"Against {count(opponents, 'random hands')} yours wins {percent(share)} of the pot"
        if choices.facing_bet:
            hint += f"; to call {choices.call:,} it must win {percent(self._game.price(state))}"
        other = ["Amounts that are not listed: play with --bets any."]
        if self._game.rules.limit or self._game.menu.free:
            other = []
        return "\n".join([f"{hint}.", _HELP.format(self._on_amounts(state)), *other, *self.command_lines()])

    def _on_amounts(self, state: Hand) -> str:
        """Return the help on amounts, with a legal example."""
        amounts = [] if self._game.rules.limit else list(self._game.amounts(state).values())
        which = "an amount" if self._game.menu.free else "an amount that is listed"
        return _AMOUNTS.format(which, *[amounts[0]] * 3) if amounts else ""

    def observe_hand(self, sight: ObservedHand) -> None:
        """See `Agent`: shows the end of the hand, the cards shown and the winners."""
        won = sight.payoffs[sight.seat]
        self.total, self.hands = self.total + won, self.hands + 1
        state = self._game.read_view(sight.view, sight.seat)
        lines = self._story(state)
        for seat, view in enumerate(sight.shown):
            if view is not None:
                verb = move_text(seat, sight.seat, f"show {self._in_words(self._game.read_view(view, seat), seat)}")
                lines.append(f"{_capital(verb)}.")
        gains = {seat: amount for seat, amount in enumerate(sight.payoffs) if amount > 0}
        lines += [
            f"{_capital(move_text(seat, sight.seat, f'win {significant(gain, 6)}'))}." for seat, gain in gains.items()
        ]
        if won < 0:
            lines.append(f"You lose {significant(-won, 6)}.")
        self.notify("\n".join([*lines, self.result(), ""]))
        self._heard = 0

    def _places(self, seat: int) -> str:
        """Return the button and the blinds of a seat in words."""
        rules = self._game.rules
        words = ["the button"] * (seat == rules.players - 1)
        if blind := rules.blinds[seat]:
            words.append(f"{'big' if blind == max(rules.blinds) else 'small'} blind {blind:,}")
        return ", ".join(words)

    def _story(self, state: Hand) -> list[str]:
        """Return the actions since the last turn, a line for each street."""
        lines, done = [""], 0
        for before, token in replay(self._game.rules, state.line):
            done += len(token)
            if done <= self._heard:
                continue
            if token == NEXT:
                street = before.street + 1
                lines.append(f"The {STREETS[street]}: {cards_text(state.board[: BOARD[street]])}.")
            else:
                said = _capital(self._game.said(before, token, self._seat))
                lines[-1] += f"{' ' * bool(lines[-1])}{said}."
        self._heard = done
        return [line for line in lines if line]

    def _table(self, state: Hand) -> list[str]:
        """Return a line for each player with chips left and bet on this street, and the pot."""
        wagers, rows = state.wagers, []
        for seat in range(self._game.players):
            out = wagers.folded >> seat & 1
            left = "folded" if out else f"{wagers.stacks[seat]:,}" if wagers.stacks[seat] else "all-in"
            bet = f"bet {wagers.bets[seat]:,}" if wagers.bets[seat] else ""
            rows.append(("you" if seat == self._seat else f"player {seat}", left, bet, self._places(seat)))
        wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            f"  {name:<{wide[0]}}  {left:>{wide[1]}}  {bet:<{wide[2]}}  {place}".rstrip()
            for name, left, bet, place in rows
        ]
        board = f", board {cards_text(state.board)}" if state.board else ""
        return [*lines, f"The pot is {self._game.rules.pot(wagers):,}{board}."]

    @staticmethod
    def _in_words(state: Hand, seat: int) -> str:
        """Return a hand and its strength with the board."""
        hole = state.hole(seat)
        made = f", {strength_text(strength((*hole, *state.board)))}" if len(state.board) >= BOARD[1] else ""
        return f"{cards_text(sorted(hole, reverse=True))}{made}"


def _shortened(shown: Sequence[str]) -> list[str]:
    """Return actions in words; of too many amounts the first and the last."""
    amounts = [word for word in shown if re.search(r"\(r\d+\)$", word)]
    if len(amounts) <= _LISTED:
        return list(shown)
    first, last = (re.sub(r" \(r\d+\)$", "", word) for word in (amounts[0], amounts[-1]))
    others = [word for word in shown if word not in set(amounts)]
    return [*others, f"{first} up to {last}"]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
