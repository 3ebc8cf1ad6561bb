"""A view of Koi-Koi as data for pages: the cards of `Picture`, and the board's facts as JSON values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from tefuda.games.phrases import LANGUAGES
from tefuda.games.picture import Picture, PictureEvent
from tefuda.koikoi.game import END, KOI, PLAY, KoiKoi, Round
from tefuda.koikoi.people.board import Board, is_near
from tefuda.koikoi.people.facts import (
    BoardFacts,
    Capture,
    Ending,
    Progress,
    Side,
    Turn,
    board_facts,
    ending_of,
    turns_of,
)
from tefuda.koikoi.rules import Score, Yaku
from tefuda.koikoi.view import read_view


def picture(game: KoiKoi, view: object, player: int) -> Picture:
    """Return a view as data; see `Picture`.

    Cards are codes. `more` has the facts of the board, `BoardFacts`, as JSON values, and in words of all languages.
    """
    state = read_view(game, view, player)
    facts, codes = board_facts(game, state, player), _Codes(game)
    sides = (facts.own, facts.opponent) if player == 0 else (facts.opponent, facts.own)
    return Picture(
        deck="hanafuda",
        hand=game.labels(facts.hand),
        table=game.labels(facts.field),
        hidden=tuple(side.hand * (seat != player) for seat, side in enumerate(sides)),
        piles=tuple(game.labels(side.pile) for side in sides),
        events=tuple(event for turn in turns_of(game, view, player) for event in codes.events(turn)),
        actions=_actions(game, state, player),
        more={**codes.board(facts, player), "ending": codes.ending(ending_of(game, view, player), player)},
    )


def _actions(game: KoiKoi, state: Round, player: int) -> Mapping[Hashable, PictureEvent]:
    if state.phase == END or game.player(state) != player:
        return {}
    labels = game.actions(state)
    if state.phase == KOI:
        return {label: PictureEvent(label, player) for label in labels}
    verb = "lay" if state.phase == PLAY else "take"
    return {label: PictureEvent(verb, player, cards=(label,)) for label in labels}


class _Codes:
    """Writes facts of a game as JSON values with codes of cards."""

    def __init__(self, game: KoiKoi) -> None:
        self.game = game
        self.boards = {language: Board(game, language) for language in LANGUAGES}

    def words(self, write: Callable[[Board], str]) -> dict[str, str]:
        """Return a text in all languages."""
        return {language: write(board) for language, board in self.boards.items()}

    def lists(self, write: Callable[[Board], Sequence[Any]]) -> list[dict[str, Any]]:
        """Return texts in all languages, from a function that writes a list in one."""
        columns = [write(board) for board in self.boards.values()]
        return [dict(zip(self.boards, texts, strict=True)) for texts in zip(*columns, strict=True)]

    def board(self, facts: BoardFacts, player: int) -> dict[str, Any]:
        ways = {self.game.codes[card]: captures for card, captures in facts.captures.items()}
        if facts.shown >= 0:  # an action names the field card that is taken
            (captures,) = facts.captures.values()
            ways = {code: (capture,) for capture in captures for code in self.game.labels(capture.taken)}
        return {
            "player": player,
            "turn": facts.turn,
            "of_turns": facts.turns,
            "stock": facts.stock,
            "shown": self.game.codes[facts.shown] if facts.shown >= 0 else None,
            "captures": {label: [self.capture(capture) for capture in captures] for label, captures in ways.items()},
            "effects": {label: self.effect(captures) for label, captures in ways.items()},
            "own": self.side(facts.own, True),
            "opponent": self.side(facts.opponent, False),
            "doubles": self.lists(lambda board: board.doubles(facts.own.score)),
        }

    def effect(self, captures: Sequence[Capture]) -> dict[str, str]:
        return self.words(lambda board: board.captures(captures))

    def capture(self, capture: Capture) -> dict[str, Any]:
        completes = [{"name": _name(yaku), "points": points} for yaku, points in capture.completes]
        return {"takes": self.game.labels(capture.taken), "completes": completes}

    def side(self, side: Side, own: bool) -> dict[str, Any]:
        return {
            "hand": side.hand,
            "pile": self.game.labels(side.pile),
            "calls": side.calls,
            "progress": [self.progress(step) for step in side.progress],
            "score": self.score(side.score, own),
        }

    def progress(self, step: Progress) -> dict[str, Any]:
        yaku = step.yaku
        return {
            "name": _name(yaku),
            "have": step.have,
            "need": yaku.need,
            "cards": self.game.labels(yaku.cards & self.game.deck),
            "missing": self.game.labels(step.missing),
            "value": yaku.points,
            "points": step.points,
            "status": step.status,
            "near": is_near(step),
        }

    def score(self, score: Score, own: bool) -> dict[str, Any]:
        lines = self.lists(lambda board: [text for text, _ in board.score_lines(score, own)])
        points = [points for _, points in self.boards[LANGUAGES[0]].score_lines(score, own)]
        return {"points": score.points, "lines": list(zip(lines, points, strict=True))}

    def events(self, turn: Turn) -> list[PictureEvent]:
        """Return a turn as events: a card laid or drawn with the cards that it captures, or a decision."""
        if turn.decision:
            return [PictureEvent(turn.decision, turn.mover)]
        steps = (("lay", "capture", turn.played), ("draw", "draw and capture", turn.drawn))
        return [
            PictureEvent(
                more if card.taken else verb,
                turn.mover,
                None,
                (self.game.codes[card.card], *self.game.labels(card.taken)),
            )
            for verb, more, card in steps
            if card is not None and not card.waits
        ]

    def ending(self, ending: Ending | None, player: int) -> dict[str, Any] | None:
        if ending is None:
            return None
        score = self.score(ending.score, ending.winner == player) if ending.score else None
        return {"reason": ending.reason, "winner": ending.winner, "points": ending.points, "score": score}


def _name(yaku: Yaku) -> dict[str, str]:
    return {"en": yaku.name, "ja": yaku.japanese}
