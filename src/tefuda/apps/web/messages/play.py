"""Messages of tables: a session as its person sees it; see `messages.hands`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tefuda.apps.web.messages.hands import (
    ActionMessage,
    AdviceMessage,
    EndMessage,
    PictureMessage,
    action_messages,
    advice_message,
    end_message,
    known_text,
    opponent_names,
    picture_message,
    seat_names,
)
from tefuda.apps.web.messages.message import Message, Words
from tefuda.apps.web.messages.results import Statistics, Variation
from tefuda.apps.web.tables import PersonTable
from tefuda.games.kit import kit_of
from tefuda.games.parameters import json_parameters
from tefuda.games.picture import Picture
from tefuda.playing.session import Rotation

if TYPE_CHECKING:
    from tefuda.apps.web.messages.table_ranges import RangesMessage

_BUTTONS = 8  # bets and raises that are listed as buttons; of more the person writes an amount
_FRACTIONS = (1 / 3, 1 / 2, 2 / 3, 1.0)  # parts of the pot beside the field for amounts


class FractionMessage(Message):
    """A part of the pot with its amount."""

    part: float
    amount: int


class AmountsMessage(Message):
    """The range of the amounts of a bet or raise, and the amounts of parts of the pot."""

    low: int
    high: int
    verb: str
    fractions: Sequence[FractionMessage]


class MatchMessage(Message):
    """The state of a match from the person's side; see `MatchSeries.facts`."""

    round: int
    rounds: int
    points: Sequence[int]
    results: Sequence[int]
    deals: bool
    over: bool


class TableMessage(Message):
    """All that the person may know about a table.

    Attributes:
        id: name of the table.
        version: number of changes.
        game: name of the game, likewise `parameters`.
        opponents: names of the opponents.
        seats: names of the players by seat; the person's is "".
        mode: see `Setup`.
        coach: name of the coach; None without one.
        hand: number of the hand on the table, from 0.
        hands: number of hands; 0: no limit.
        match: the match, for games that have one.
        seat: the person's seat.
        picture: the person's view.
        text: the person's view in words.
        actions: actions that are buttons.
        amounts: further bets or raises; None if all are buttons.
        end: the end of the hand; None before.
        advice: advice that is to be shown.
        helped: whether a hint was asked for in this hand.
        statistics: results of the finished hands.
        closed: whether the session is over.
        seed: seed of the session as text, when it is over.
        ranges: both ranges at a decision in a solved spot with a coach, see `_ranges`; else None.
        line: line of a solved spot at which all hands begin; "": the start.
        variation: the place at which a variation begins; else None.
    """

    id: str
    version: int
    game: str
    parameters: Mapping[str, Any]
    opponents: Sequence[str]
    seats: Sequence[str]
    mode: str
    coach: str | None
    hand: int
    hands: int
    match: MatchMessage | None
    seat: int
    picture: PictureMessage
    text: Words
    actions: Sequence[ActionMessage]
    amounts: AmountsMessage | None
    end: EndMessage | None
    advice: AdviceMessage | None
    helped: bool
    statistics: Statistics
    closed: bool
    seed: str | None
    ranges: RangesMessage | None
    line: str
    variation: Variation | None


def table_message(table: PersonTable) -> TableMessage:
    """Return all that the person may know about a table."""
    session, hand, reviewer = table.session, table.hand, table.players.reviewer
    number = len(session.ended) - (session.pending is None)
    following = session.series.next(session.ended[:number])
    assert following is not None, "the hand on the table follows those before it"
    rules, seating = following
    seen = session.pending or session.observed_hands[-1]
    view, seat = seen.view, seen.seat
    picture, words = kit_of(rules).picture(view, seat), kit_of(rules).observe(view, seat)
    actions = action_messages(table.decision.actions, picture, words.actions) if table.decision else []
    amounts = [action for action in actions if action.verb in ("bet", "raise")]
    many = len(amounts) > _BUTTONS
    facts = getattr(session.series, "facts", None)
    return TableMessage(
        id=table.name,
        version=table.version,
        game=rules.name,
        parameters=json_parameters(session.game),
        opponents=opponent_names(session),
        seats=seat_names(session, seating),
        mode=table.setup.mode,
        coach=None if reviewer is None else reviewer.coach.name,
        hand=number,
        hands=session.series.hands if isinstance(session.series, Rotation) else 0,
        match=MatchMessage.of(facts(session.ended)) if facts else None,
        seat=seat,
        picture=picture_message(picture),
        text=known_text(rules, view, seat),
        actions=[action for action in actions if not (many and action in amounts)],
        amounts=_amounts(amounts, picture, seat) if many else None,
        end=None if hand is None else end_message(rules, hand.payoffs, hand.shown, seat),
        advice=None if table.advised is None else advice_message(rules, table.advised, table.hinted),
        helped=number in table.helped,
        statistics=table.statistics,
        closed=table.closed,
        seed=str(session.seed) if table.closed else None,
        ranges=_ranges(table),
        line=table.setup.line,
        variation=table.variation,
    )


def _ranges(table: PersonTable) -> RangesMessage | None:
    """Return both ranges at the pending or else the last advised decision, of a solved spot with a coach."""
    reviewer, decision = table.players.reviewer, table.decision or (table.advised and table.advised.decision)
    if decision is None or reviewer is None or table.session.game.name != "spot" or table.setup.mode == "off":
        return None
    from tefuda.apps.web.messages.table_ranges import ranges_message
    from tefuda.holdem.spots.practice import SpotCoach

    coach, advised = reviewer.coach, table.hinted or table.decision is None
    return ranges_message(coach, str(decision.view), decision.seat, advised) if isinstance(coach, SpotCoach) else None


def _amounts(actions: Sequence[ActionMessage], picture: Picture, seat: int) -> AmountsMessage:
    """Return the range of amounts, and the amounts of parts of the pot."""
    amounts = [int(action.amount or 0) for action in actions]
    highest = max(picture.bets)
    pot = (picture.pot or 0) + highest - picture.bets[seat]
    fractions = [
        FractionMessage(part, min(max(int(highest + pot * part), amounts[0]), amounts[-1])) for part in _FRACTIONS
    ]
    return AmountsMessage(amounts[0], amounts[-1], actions[0].verb, fractions)
