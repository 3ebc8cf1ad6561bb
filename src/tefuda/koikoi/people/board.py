"""A round of Koi-Koi in words, English or Japanese, from one player's view."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from tefuda.games.protocol import Observation
from tefuda.koikoi.cards import DECK, KINDS, LANGUAGES, ids_of, month_of
from tefuda.koikoi.game import CALL, DRAW, END, KOI, PLAY, STOP, KoiKoi, Round, View
from tefuda.koikoi.people.facts import (
    COMPLETE,
    OPEN,
    Progress,
    Turn,
    board_facts,
    cards_by_kind,
    ending_of,
    turns_of,
)
from tefuda.koikoi.people.phrases import phrases
from tefuda.koikoi.rules import Score, Yaku
from tefuda.koikoi.view import read_view
from tefuda.words import significant

_NEAR = 2  # maximum number of missing cards of a reported yaku
_LISTED = 6  # maximum number of listed cards of a yaku


class Board:
    """A round in the words of a language.

    Args:
        game: the rules.
        language: ``"en"`` or ``"ja"``.
    """

    def __init__(self, game: KoiKoi, language: str = "en") -> None:
        self.game, self.language, self.words = game, language, phrases("table", language)
        cards = {game.codes[card]: DECK[card].name(language) for card in ids_of(game.deck)}
        self.names = cards | {label: self.words[label] for label in (STOP, CALL)}  # of actions

    def card(self, card: int) -> str:
        """Return code and name, ``"1B pine with crane"``."""
        return f"{self.game.codes[card]} {DECK[card].name(self.language)}"

    def cards(self, mask: int) -> str:
        return ", ".join(self.card(card) for card in ids_of(mask)) or self.words["nothing"]

    def pile(self, mask: int) -> str:
        """Return the codes of a mask by kind, with their counts."""
        groups = []
        for kind, cards in cards_by_kind(mask).items():
            name = KINDS[kind][LANGUAGES.index(self.language)]
            groups.append(" ".join([f"{name} {len(cards)}", *(self.game.codes[card] for card in cards)]))
        return self.words["between"].join(groups)

    def yaku(self, yaku: Yaku) -> str:
        return yaku.japanese if self.language == "ja" else yaku.name

    def progress(self, steps: Sequence[Progress]) -> list[str]:
        """Return lines for the yaku of a pile, and for the yaku that lack few available cards."""
        has = ", ".join(f"{self.yaku(step.yaku)} {step.points}" for step in steps if step.status == COMPLETE)
        near = "; ".join(self._near(step) for step in steps if is_near(step))
        lines = [f"  {self.words['has']}: {has}"] if has else []
        return [*lines, *([f"  {self.words['near']}: {near}"] if near else [])]

    def _near(self, step: Progress) -> str:
        """Return the missing cards of a yaku."""
        available, listed = step.missing.bit_count(), " ".join(self.game.codes[card] for card in ids_of(step.missing))
        text = f"{self.yaku(step.yaku)} {step.have}/{step.yaku.need}"
        if available == step.lacks:
            return f"{text} ({self.words['needs'].format(listed)})"
        return text + (f" ({self.words['wants'].format(step.lacks, listed)})" if available <= _LISTED else "")

    def effect(self, captures: Sequence[int]) -> str:
        """Return the capture of one of these masks in words."""
        if not any(captures):
            return self.words["stays"]
        return self.words["takes"].format(self.words["or"].join(self.cards(mask) for mask in captures))

    def _reason(self, factor: str, own: bool) -> str:
        """Return the reason of a factor of a score; own: whether the score is that of the reader."""
        called = factor == "opponent_called" and not own
        return self.words["you called" if called else factor].format(getattr(self.game.rules.payment, factor))

    def score(self, score: Score, own: bool = True) -> str:
        """Return the points of a pile, step by step: yaku, their sum, calls, multipliers, points."""
        names = {yaku.name: self.yaku(yaku) for yaku in self.game.rules.yaku}
        parts = [f"{names[name]} {points}" for name, points in score.yaku]
        if len(parts) > 1:
            parts.append(self.words["base"].format(score.base))
        if score.bonus != score.base:
            parts.append(self.words["bonus"].format(score.bonus))
        for option, factor in score.factors:
            parts.append(self.words["times"].format(factor, self._reason(option, own)))
        return f"{', '.join(parts)} = {self.points(score.points)}"

    def rounds(self, number: int) -> str:
        return self.words["one round" if number == 1 else "rounds"].format(number)

    def points(self, number: float) -> str:
        return self.words["one point" if number == 1 else "points"].format(significant(number, 6))

    def total(self, rounds: int, won: float) -> str:
        """Return the running result, ``After 2 rounds: +5 points.``"""
        return self.words["result"].format(self.rounds(rounds), "+" * (won > 0) + self.points(won))

    def situation(self, state: Round, player: int) -> list[str]:
        """Return lines for the field and both piles, the opponent's above, before a decision."""
        words, facts = self.words, board_facts(self.game, state, player)
        own, opponent = facts.own, facts.opponent
        lines = [words["turn"].format(facts.turn, facts.turns, facts.stock)]
        if own.calls or opponent.calls:
            lines.append(words["calls made"].format(own.calls, opponent.calls))
        lines += [f"{words['other pile']}: {self.pile(opponent.pile)}", *self.progress(opponent.progress)]
        lines += [f"{words['field']}: {self.cards(facts.field)}"]
        return [*lines, f"{words['your pile']}: {self.pile(own.pile)}", *self.progress(own.progress)]

    def choices(self, state: Round, player: int) -> list[str]:
        """Return numbered lines for the legal actions."""
        words = self.words
        if state.phase == KOI:
            stop = self.score(self.game.score(state, player))
            return [f"  1  {words['stop']}: {stop}", f"  2  {words['koi-koi']}"][: len(self.game.actions(state))]
        if state.phase == PLAY:
            cards = [self.game.find(state.hands[player], label) for label in self.game.actions(state)]
            lines = [f"{self.card(card)}: {self.effect(self.game.captures(state.field, card))}" for card in cards]
            return [f"{words['your hand']}:", *(f"  {n}  {line}" for n, line in enumerate(lines, 1))]
        event = words["played" if state.phase == PLAY + 1 else "drawn"].format(self.card(state.shown))
        mates = ids_of(state.field & month_of(state.shown))
        return [f"{event} {words['which']}", *(f"  {n}  {self.card(mate)}" for n, mate in enumerate(mates, 1))]

    def story(self, view: str, player: int, turns: int = 2) -> list[str]:
        """Return lines for the last turns of a view."""
        return [self._turn(turn, player) for turn in turns_of(self.game, view, player)][-turns:]

    def _who(self, mover: int, player: int) -> str:
        return self.words["you" if mover == player else "other"]

    def _turn(self, turn: Turn, player: int) -> str:
        """Return a turn in words: ``the opponent played 3C1 cherry chaff: takes ...; drew ...``."""
        who, words = self._who(turn.mover, player), self.words
        if turn.decision:
            return words["stops" if turn.decision == STOP else "calls"].format(who)
        parts = list[str]()
        for text, settled in ((words["plays"], turn.played), (words["draws"], turn.drawn)):
            if settled is not None:
                effect = words["which"] if settled.waits else self.effect((settled.taken,))
                parts.append(text.format(*((who,) if not parts else ()), self.card(settled.card), effect))
        return "; ".join(parts)

    def ending(self, view: str, player: int) -> str:
        """Return the end of a round in words."""
        ending = ending_of(self.game, view, player)
        end = "" if ending and ending.reason == "stop" else self.words[ending.reason if ending else "exhausted"]
        if ending is None or ending.winner is None or ending.score is None:
            return end
        own = ending.winner == player
        won = self.words["won"].format(self._who(ending.winner, player), self.score(ending.score, own))
        return f"{end} {won}".lstrip()


def observation(game: KoiKoi, view: View | str, player: int, language: str = "en") -> Observation:
    """Return a view in words; see `Observation`."""
    board, state = Board(game, language), read_view(game, view, player)
    if state.phase == END:
        return Observation(board.cards(state.hands[player]), board.ending(view, player))
    names = board.names if state.phase == KOI else {label: f"{label} {name}" for label, name in board.names.items()}
    actions: dict[Hashable, str] = {label: names[label] for label in game.actions(state)}
    table = "; ".join(line.strip() for line in board.situation(state, player))
    own = state.phase != DRAW and state.mover == player
    return Observation(board.cards(state.hands[player]), table, actions if own else {})


def is_near(step: Progress) -> bool:
    """Return whether few cards are missing of a yaku that has been begun."""
    return step.status == OPEN and step.have > 0 and step.lacks <= _NEAR
