"""Whole hands of hold'em at the terminal: positions, answers and hints for a human player."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tefuda.forms.tree import game_behind
from tefuda.games.phrases import between
from tefuda.games.protocol import move_text
from tefuda.holdem.cards import cards_text
from tefuda.holdem.hands.hand import CALL, FOLD, NEXT, Hand, replay
from tefuda.holdem.hands.odds import pot_share
from tefuda.holdem.hands.rules import BOARD, STREETS
from tefuda.holdem.phrases import phrases
from tefuda.holdem.rank import strength, strength_text
from tefuda.playing.agents import Decision, ObservedHand
from tefuda.playing.human import HumanAgent
from tefuda.words import display_width, padded, percent, significant

_LISTED = 8  # maximum number of amounts that are listed one by one
_HINTED = 5000  # random deals for a hint
_WORDS = re.compile(r"(?:raise|bet|r|b)?\s*(?:to\s*)?(\d{1,12})", re.IGNORECASE)


@dataclass
class HoldemPerson(HumanAgent):
    """Human player of whole hands; each turn shows the actions since the last one, the table and the hand."""

    _shown_length: int = field(default=0, init=False, repr=False)  # number of letters of the line already shown

    def start(self, game: Any, seat: int) -> None:
        self._rules, self._seat, self._shown_length = game_behind(game), seat, 0
        position = self._position_in_words(seat)
        welcome = self._words["welcome position" if position else "welcome"]
        self.notify(welcome.format(seat, self._rules.players, *[position] * bool(position)))

    @property
    def _words(self) -> Mapping[str, str]:
        return phrases("person", self.language)

    def show(self, turn: Decision) -> None:
        """See `HumanAgent`: the actions since the last turn, the table, the cards."""
        state = self._rules.read_view(turn.view, turn.seat)
        holding = self._words["hold"].format(self._hand_in_words(state, turn.seat))
        self.notify("\n".join([*self._new_actions(state), *self._table(state), holding]))

    def parse_action(self, answer: str, names: Sequence[tuple[str, str]]) -> int | None:
        """See `HumanAgent`; also accepts amounts, as in the names of actions."""
        answer = answer.lower()
        if amount := _WORDS.fullmatch(answer):  # a number is an amount, and not the start of 50%
            amounts = [re.sub(r"\D", "", word) if label not in (FOLD, CALL) else "" for label, word in names]
            return amounts.index(amount[1]) if amount[1] in amounts else None
        if (index := super().parse_action(answer, names)) is not None:
            return index
        check = (CALL, phrases("table", self.language)["check"])
        if answer in ("k", "x") and check in names:
            return names.index(check)
        if re.fullmatch(r"all[ -]?in", answer):
            all_in = self._words["all-in"]
            return next((index_ for index_, (_, word) in enumerate(names) if word.startswith(all_in)), None)
        return None

    def question(self, shown: Sequence[str]) -> str:
        """See `HumanAgent`; of many amounts it lists the first and the last."""
        return super().question(self._shortened(shown))

    def refusal(self, answer: str, shown: Sequence[str]) -> str:
        return super().refusal(answer, self._shortened(shown))

    def help(self, turn: Decision) -> str:
        """See `HumanAgent`: equity against random hands, and the equity that a call needs."""
        state = self._rules.read_view(turn.view, turn.seat)
        opponents, choices = len(state.wagers.live) - 1, self._rules.choices(state)
        share = pot_share(state.hole(turn.seat), state.board, opponents, _HINTED)
        words, won = self._words, percent(share)
        hint = words["one opponent"].format(won) if opponents == 1 else words["opponents"].format(opponents, won)
        if choices.facing_bet:
            hint += words["to call"].format(choices.call, percent(self._rules.pot_odds(state)))
        other = [] if self._rules.rules.limit or self._rules.menu.any_amount else [words["other amounts"]]
        usage = words["help"].format(self._on_amounts(state))
        return "\n".join([words["sentence"].format(hint), usage, *other, *self.command_lines()])

    def _on_amounts(self, state: Hand) -> str:
        """Return the help on amounts, with a legal example; empty if there are none."""
        amounts = [] if self._rules.rules.limit else list(self._rules.amounts(state).values())
        kind = self._words["an amount" if self._rules.menu.any_amount else "a listed amount"]
        return self._words["amounts"].format(kind, *[amounts[0]] * 3) if amounts else ""

    def observe_hand(self, sight: ObservedHand) -> None:
        """See `Agent`: shows the end of the hand, the cards shown and the winners."""
        won = sight.payoffs[sight.seat]
        self.total, self.hands = self.total + won, self.hands + 1
        state = self._rules.read_view(sight.view, sight.seat)
        lines = self._new_actions(state)
        words, deeds = self._words, list[tuple[int, str]]()
        for seat, view in enumerate(sight.shown):
            if view is not None:
                hand = self._hand_in_words(self._rules.read_view(view, seat), seat)
                deeds.append((seat, words["show"].format(hand)))
        winnings = {seat: amount for seat, amount in enumerate(sight.payoffs) if amount > 0}
        deeds += [(seat, words["win"].format(significant(chips, 6))) for seat, chips in winnings.items()]
        lines += [self._sentence(move_text(seat, sight.seat, verb, self.language)) for seat, verb in deeds]
        if won < 0:
            lines.append(words["lose"].format(significant(-won, 6)))
        self.notify("\n".join([*lines, self.result(), ""]))
        self._shown_length = 0

    def _position_in_words(self, seat: int) -> str:
        """Return a description of a seat: button and blinds."""
        rules, words = self._rules.rules, self._words
        parts = [words["button"]] * (seat == rules.players - 1)
        if blind := rules.blinds[seat]:
            parts.append(words["big blind" if blind == max(rules.blinds) else "small blind"].format(blind))
        return between(self.language).join(parts)

    def _new_actions(self, state: Hand) -> list[str]:
        """Return the actions since the last turn, a line for each street."""
        lines, length, words = [""], 0, self._words
        for before, token in replay(self._rules.rules, state.line):
            length += len(token)
            if length <= self._shown_length:
                continue
            if token == NEXT:
                street = before.street + 1
                name = phrases("table", self.language)[STREETS[street]]
                lines.append(words["street"].format(name, cards_text(state.board[: BOARD[street]])))
            else:
                sentence = self._sentence(self._rules.action_in_words(before, token, self._seat, self.language))
                lines[-1] += f"{words['space'] * bool(lines[-1])}{sentence}"
        self._shown_length = length
        return [line for line in lines if line]

    def _table(self, state: Hand) -> list[str]:
        """Return a line for each player with its stack and its bet on this street, and a line with the pot."""
        wagers, words, rows = state.wagers, self._words, []
        for seat in range(self._rules.players):
            folded = wagers.folded >> seat & 1
            left = f"{wagers.stacks[seat]:,}" if wagers.stacks[seat] else words["all-in"]
            bet = words["bet"].format(wagers.bets[seat]) if wagers.bets[seat] else ""
            name = words["you"] if seat == self._seat else words["player"].format(seat)
            rows.append((name, words["folded"] if folded else left, bet, self._position_in_words(seat)))
        widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
        lines = [
            f"  {padded(name, widths[0])}  {padded(stack, -widths[1])}  {padded(bet, widths[2])}  {position}".rstrip()
            for name, stack, bet, position in rows
        ]
        pot, board = self._rules.rules.pot(wagers), cards_text(state.board)
        return [*lines, words["pot and board"].format(pot, board) if board else words["pot"].format(pot)]

    def _hand_in_words(self, state: Hand, seat: int) -> str:
        """Return a player's hole cards and their strength with the board, as text."""
        hole = state.hole(seat)
        cards = cards_text(sorted(hole, reverse=True))
        if len(state.board) < BOARD[1]:
            return cards
        made = strength_text(strength((*hole, *state.board)), self.language)
        return phrases("table", self.language)["hand"].format(cards, made)

    def _shortened(self, shown: Sequence[str]) -> list[str]:
        """Return the names of actions; of more than `_LISTED` amounts only the first and the last."""
        amounts = [word for word in shown if re.search(r"\(r\d+\)$", word)]
        if len(amounts) <= _LISTED:
            return list(shown)
        ends = [re.sub(r" \(r\d+\)$", "", word) for word in (amounts[0], amounts[-1])]
        others = [word for word in shown if word not in set(amounts)]
        return [*others, self._words["up to"].format(*ends)]

    def _sentence(self, text: str) -> str:
        return self._words["sentence"].format(text[:1].upper() + text[1:])
