"""A view of Koi-Koi as data for pages: the cards of `Picture`, and the board's facts as JSON values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from tefuda.games.picture import Picture, PictureEvent
from tefuda.koikoi.game import CALL, END, KOI, PLAY, KoiKoi, Round
from tefuda.koikoi.people.board import is_near
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

    Cards are codes. `more` has the facts of the board, `BoardFacts`, as codes and numbers. The events have the moves of
    both players in order: the card that was laid or drawn, then the cards that it captured.
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
        more={
            **codes.board(facts, player),
            "choice": _choice(game, state, player),
            "ending": codes.ending(ending_of(game, view, player)),
        },
    )


def _actions(game: KoiKoi, state: Round, player: int) -> Mapping[Hashable, PictureEvent]:
    if state.phase == END or game.player(state) != player:
        return {}
    labels = game.actions(state)
    if state.phase == KOI:
        return {label: PictureEvent(label, player) for label in labels}
    verb = "lay" if state.phase == PLAY else "take"
    return {label: PictureEvent(verb, player, cards=(label,)) for label in labels}


def _choice(game: KoiKoi, state: Round, player: int) -> str | None:
    """Return the verb of a choice: lay, take, stop, or koi-koi if it may be called; None if not to move."""
    actions = _actions(game, state, player)
    return CALL if CALL in actions else next((event.verb for event in actions.values()), None)


class _Codes:
    """Writes facts of a game as JSON values with codes of cards."""

    def __init__(self, game: KoiKoi) -> None:
        self.game = game

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
            "own": self.side(facts.own, player),
            "opponent": self.side(facts.opponent, 1 - player),
            "doubles": self.doubles(facts.own.score),
        }

    def capture(self, capture: Capture) -> dict[str, Any]:
        completes = [{"name": _name(yaku), "points": points} for yaku, points in capture.completes]
        return {"takes": self.game.labels(capture.taken), "completes": completes}

    def side(self, side: Side, seat: int) -> dict[str, Any]:
        return {
            "hand": side.hand,
            "pile": self.game.labels(side.pile),
            "calls": side.calls,
            "progress": [self.progress(step) for step in side.progress],
            "score": self.score(side.score, seat),
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

    def score(self, score: Score, owner: int) -> dict[str, Any]:
        """Return points with the parts of their sum; a factor for a call names the player who called."""
        names = {yaku.name: yaku for yaku in self.game.rules.yaku}
        return {
            "yaku": [{"name": _name(names[name]), "points": points} for name, points in score.yaku],
            "base": score.base,
            "bonus": score.bonus,
            "factors": [
                {
                    "reason": reason,
                    "factor": factor,
                    "limit": self.game.rules.payment.double_at if reason == "double_at" else None,
                    "caller": 1 - owner if reason == "opponent_called" else None,
                }
                for reason, factor in score.factors
            ],
            "points": score.points,
        }

    def doubles(self, score: Score) -> dict[str, Any]:
        """Return the multipliers that a pile may still gain, or give to the opponent."""
        payment = self.game.rules.payment
        return {
            "limit": payment.double_at,
            "lacks": max(0, payment.double_at - score.base),
            "called": payment.opponent_called,
            "is_called": "opponent_called" in dict(score.factors),
        }

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

    def ending(self, ending: Ending | None) -> dict[str, Any] | None:
        if ending is None:
            return None
        score = self.score(ending.score, ending.winner) if ending.score and ending.winner is not None else None
        return {"reason": ending.reason, "winner": ending.winner, "points": ending.points, "score": score}


def _name(yaku: Yaku) -> dict[str, str]:
    return {"en": yaku.name, "ja": yaku.japanese}
