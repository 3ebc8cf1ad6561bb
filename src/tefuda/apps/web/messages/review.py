"""Messages of reviews: a finished hand as its person knew it at each decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tefuda.apps.web.messages.boards import drawing_message
from tefuda.apps.web.messages.play import decision_message, end_message, known_text, picture_message
from tefuda.apps.web.messages.sentences import Words, phrase, player_names
from tefuda.apps.web.tables import Table
from tefuda.games.parameters import json_parameters
from tefuda.games.picture import picture_of
from tefuda.playing.review import Review, ReviewedDecision, Thresholds


def review_message(table: Table, number: int, thresholds: Thresholds) -> dict[str, Any]:
    """Return the review of a finished hand, with verdicts by the thresholds of the person.

    Each decision has the fields of a table's message, so that the same functions draw it.
    """
    review, session = table.reviews()[number], table.session
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
        "name": phrase("games", game, game),
        "parameters": json_parameters(session.game),
        "players": names,
        "coach": reviewer.coach.name,
        "seat": review.seat,
    }
    observed = session.observed_hands[number]
    return {
        **shared,
        "hands": len(session.ended),
        "helped": number in table.helped,
        "payoff": review.payoff,
        "luck": review.luck,
        "skill": review.skill,
        "cost": sum(entry.cost for entry in entries if entry.verdict in ("slip", "blunder")),
        "thresholds": thresholds._asdict(),
        "picture": picture_message(picture_of(review.rules, observed.view, review.seat), names, review.seat),
        "end": end_message(review.rules, observed.payoffs, observed.shown, names, review.seat),
        "decisions": [
            {**shared, "match": None, "actions": [], "end": None, **_decision(review, entry, names)}
            for entry in entries
        ],
    }


def _decision(review: Review, entry: ReviewedDecision, names: Sequence[Words]) -> dict[str, Any]:
    """Return the person's information at a decision, and the advice."""
    view, seat = entry.decision.view, entry.decision.seat
    picture, known = picture_of(review.rules, view, seat), known_text(review.rules, view, seat)
    return {
        "picture": picture_message(picture, names, seat),
        "drawing": drawing_message(review.rules, picture, names, seat, {}, None, known),
        "text": known,
        "advice": {"hint": False, **decision_message(review.rules, entry)},
    }
