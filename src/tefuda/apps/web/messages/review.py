"""Messages of reviews: a finished hand as its person knew it at each decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tefuda.apps.web.messages.hands.boards import drawing_message
from tefuda.apps.web.messages.hands.panels import advice_panel, log_panel, result_nodes, review_head
from tefuda.apps.web.messages.hands.sentences import Words, phrase, player_names
from tefuda.apps.web.messages.play import decision_message, end_message, known_text, picture_message
from tefuda.apps.web.tables import PersonTable
from tefuda.games.kit import kit_of
from tefuda.games.parameters import json_parameters
from tefuda.playing.review import Review, ReviewedDecision, Thresholds


def review_message(table: PersonTable, number: int, thresholds: Thresholds) -> dict[str, Any]:
    """Return the review of a finished hand, with verdicts by the thresholds of the person."""
    review, session = table.reviews[number], table.session
    reviewer = table.players.reviewer
    assert reviewer is not None, "a table with reviews has a reviewer"
    entries = [
        entry._replace(verdict=thresholds.verdict(entry.advice, entry.chosen, reviewer.coach.precision))
        for entry in review.decisions
    ]
    seating, game = session.ended[number].seating, review.rules.name
    names = player_names([name.removeprefix("run:") for name in session.names[1:]], seating, review.seat)
    shared = {
        "id": table.name,
        "hand": number,
        "game": game,
        "parameters": json_parameters(session.game),
        "players": names,
        "coach": reviewer.coach.name,
        "seat": review.seat,
    }
    observed, hands, helped = session.observed_hands[number], len(session.ended), number in table.helped
    picture = picture_message(kit_of(review.rules).picture(observed.view, review.seat), names, review.seat)
    message = {
        **shared,
        "head": review_head(phrase("games", game, game), table.name, number, hands, helped),
        "hands": hands,
        "helped": helped,
        "payoff": review.payoff,
        "luck": review.luck,
        "skill": review.skill,
        "cost": sum(entry.cost for entry in entries if entry.verdict in ("slip", "blunder")),
        "thresholds": thresholds._asdict(),
        "picture": picture,
        "end": end_message(review.rules, observed.payoffs, observed.shown, names, review.seat),
        "log": log_panel(picture["events"]),
    }
    decisions = [_decision(review, entry, names, reviewer.coach.name, picture["events"]) for entry in entries]
    return {**message, "result": result_nodes(message), "decisions": decisions}


def _decision(
    review: Review, entry: ReviewedDecision, names: Sequence[Words], coach: str, events: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return the person's information at a decision, and the advice; later events of the hand are quiet."""
    view, seat = entry.decision.view, entry.decision.seat
    picture, known = kit_of(review.rules).picture(view, seat), known_text(review.rules, view, seat)
    advice = {"hint": False, **decision_message(review.rules, entry)}
    return {
        "picture": picture_message(picture, names, seat),
        "drawing": drawing_message(review.rules, picture, names, seat, {}, None, known)["table"],
        "text": known,
        "advice": advice,
        "panel": advice_panel(advice, coach, picture.deck),
        "log": log_panel(events, len(picture.events)),
    }
