"""Messages of reviews: a finished hand as its person knew it at each decision; see `messages.hands`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from tefuda.apps.web.messages.hands import (
    AdviceMessage,
    EndMessage,
    PictureMessage,
    advice_message,
    end_message,
    known_text,
    picture_message,
    seat_names,
)
from tefuda.apps.web.messages.message import Message, Words
from tefuda.apps.web.tables import PersonTable
from tefuda.games.kit import kit_of
from tefuda.games.parameters import json_parameters
from tefuda.games.protocol import CHANCE, Game
from tefuda.playing.review import Review, ReviewedDecision, Thresholds


class DecisionMessage(Message):
    """A decision: the person's view as data and in words, and the advice with the cost of the choice."""

    picture: PictureMessage
    text: Words
    advice: AdviceMessage


class MoveMessage(Message):
    """A move of any player, with the person's view before it.

    Attributes:
        player: seat of the player to move.
        decision: number of the person's decision, whose message has the view; None for moves of other players.
        picture: the person's view as data; None at its own decisions, likewise `text`.
    """

    player: int
    decision: int | None
    picture: PictureMessage | None
    text: Words | None


class ReviewMessage(Message):
    """A finished hand with its decisions.

    Attributes:
        id: name of the table.
        hand: number of the hand, from 0.
        hands: number of finished hands of the table.
        game: name of the game, likewise `parameters`.
        seats: names of the players by seat; the person's is "".
        coach: name of the coach.
        seat: the person's seat.
        helped: whether a hint was asked for.
        payoff: payoff of the person.
        luck: payoff minus the AIVAT estimate, which is `skill`; nan if unknown.
        cost: total cost of slips and blunders.
        thresholds: costs from which a decision is a slip or a blunder.
        picture: the person's view at the end.
        end: the end of the hand.
        decisions: the person's decisions.
        moves: the moves of all players in order.
    """

    id: str
    hand: int
    hands: int
    game: str
    parameters: Mapping[str, Any]
    seats: Sequence[str]
    coach: str
    seat: int
    helped: bool
    payoff: float
    luck: float
    skill: float
    cost: float
    thresholds: Mapping[str, float]
    picture: PictureMessage
    end: EndMessage
    decisions: Sequence[DecisionMessage]
    moves: Sequence[MoveMessage]


def review_message(table: PersonTable, number: int, thresholds: Thresholds) -> ReviewMessage:
    """Return the review of a finished hand, with verdicts by the thresholds of the person."""
    review, session, reviewer = table.reviews[number], table.session, table.players.reviewer
    assert reviewer is not None, "a table with reviews has a reviewer"
    entries = [
        entry._replace(verdict=thresholds.verdict(entry.advice, entry.chosen, reviewer.coach.precision))
        for entry in review.decisions
    ]
    observed = session.observed_hands[number]
    return ReviewMessage.of(
        review,
        id=table.name,
        hand=number,
        hands=len(session.ended),
        game=review.rules.name,
        parameters=json_parameters(session.game),
        seats=seat_names(session, session.ended[number].seating),
        coach=reviewer.coach.name,
        helped=number in table.helped,
        cost=sum(entry.cost for entry in entries if entry.verdict in ("slip", "blunder")),
        thresholds={"slip": thresholds.slip, "blunder": thresholds.blunder},
        picture=picture_message(kit_of(review.rules).picture(observed.view, review.seat)),
        end=end_message(review.rules, observed.payoffs, observed.shown, review.seat),
        decisions=[_decision(review, entry) for entry in entries],
        moves=list(_moves(review.rules, session.ended[number].end.labels or (), review.seat)),
    )


def _moves(rules: Game, labels: Sequence[Hashable], seat: int) -> Iterator[MoveMessage]:
    """Yield the moves of a hand as the player of a seat saw them; outcomes of chance are no moves."""
    state, kit, decisions = rules.root(), kit_of(rules), 0
    for label in labels:
        player = rules.player(state)
        if player == seat:
            yield MoveMessage(player, decisions, None, None)
            decisions += 1
        elif player != CHANCE:
            view = rules.view(state, seat)
            yield MoveMessage(player, None, picture_message(kit.picture(view, seat)), known_text(rules, view, seat))
        state = rules.child(state, label)


def _decision(review: Review, entry: ReviewedDecision) -> DecisionMessage:
    view, seat = entry.decision.view, entry.decision.seat
    return DecisionMessage(
        picture=picture_message(kit_of(review.rules).picture(view, seat)),
        text=known_text(review.rules, view, seat),
        advice=advice_message(review.rules, entry),
    )
