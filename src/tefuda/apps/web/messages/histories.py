"""Messages of the page Hands: a list of hands; statistics, groups and a graph of one player."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tefuda.apps.web.messages.message import Message
from tefuda.apps.web.messages.replays import HandName, PricedMessage, card_texts, hand_name, priced_messages, seen_cards
from tefuda.errors import ParameterError
from tefuda.holdem.histories.collection import HandCollection
from tefuda.holdem.histories.record import HandHistory
from tefuda.holdem.reports.counting import POSITIONS
from tefuda.holdem.reports.graph import OVER, ResultGraph
from tefuda.holdem.reports.table import POTS, SeatTable

PAGE = 50  # hands of a page of the list
_PRICED, _DEAREST = 1000, 10  # newest hands that are priced; decisions that are listed
_POINTS = 100  # of each line of the graph
_FINE = "best or mixed"  # kind of decisions that are no mistakes
_NAMES = 20  # players to choose from where no hand has a hero
_LINES = ("net", "half_width", "adjusted", "showdown", "no_showdown")
ByHand = dict[tuple[str, str], list[Mapping[str, Any]]]  # decisions by room and number
_GROUP = ("name", "hands", "cash_hands", "net_bb", "bb_per_100", "half_width")


class HandRow(HandName):
    """A hand of the list: start in ISO format, cards, position, pot; result and cost in big blinds."""

    start: str
    hand: Sequence[str]
    position: str
    board: Sequence[str]
    pot: str
    result: float | None
    cost: float | None


class DearMessage(HandName):
    """A priced decision of a hand, with its place in the list."""

    place: int
    decision: PricedMessage


class HandsMessage(Message):
    """Hands of a filter, one page of their list.

    Attributes:
        read: number of all hands.
        reasons: number of skipped hands by reason.
        found: number of hands of the filter.
        player: name of the player; "" for the hero.
        players: names to choose from where no hand has a hero.
        rows: the hands of the page, newest first.
        total: statistics of the filter, see `Statistics.summary`; None without hands.
        groups: name, number of hands and results of each group.
        graph: number of hands or days and results in big blinds at each point, see `ResultGraph`; None without cash
            hands.
        wrong: the reason why the filter cannot be read and is ignored, and the letters of the wrong condition.
        dearest: the dearest decisions in the newest hands.
        priced: numbers of priced and of all decisions in the hands of the last review.
    """

    read: int
    reasons: Mapping[str, int]
    found: int
    player: str
    players: Sequence[str]
    rows: Sequence[HandRow]
    total: Mapping[str, Any] | None
    groups: Sequence[Mapping[str, Any]]
    graph: Mapping[str, Sequence[float]] | None
    wrong: Mapping[str, Any] | None
    dearest: Sequence[DearMessage]
    priced: tuple[int, int]


@dataclass(frozen=True)
class Choice:
    """Hands of a filter, with the numbers of the hands in the order of the list; see `choose`."""

    hands: HandCollection
    player: str | None
    players: tuple[str, ...]
    order: Sequence[int]
    wrong: Mapping[str, Any] | None

    @cached_property
    def newest(self) -> list[HandHistory]:
        """The newest hands, whose decisions are priced."""
        return [self.hand(place) for place in range(min(_PRICED, len(self.order)))]

    def name(self, place: int) -> HandName | None:
        """Return the identity of the hand at a place of the list; None outside."""
        return hand_name(self.hand(place)) if 0 <= place < len(self.order) else None

    def hand(self, place: int) -> HandHistory:
        """Return the hand at a place of the list."""
        return self.hands.hands[self.order[place]]

    def place(self, name: HandName, expected: int) -> int | None:
        """Return the place of a hand in the list, which is probably the expected one; None if it is not there."""
        places = (each for each in (expected, *range(len(self.order))) if self.name(each) == name)
        return next(places, None)


def choose(hands: HandCollection, where: str, player: str) -> Choice:
    """Return the hands of a filter for a player.

    Without a name the player is the hero, or the player of most hands where none has a hero.

    Raises:
        UnknownNameError: the player is in no hand.
    """
    names = () if hands.table()["is_hero"].any() else tuple(hands.table().players[:_NAMES])
    name, wrong, found = player or (names[0] if names else None), None, hands
    try:
        found = hands.filter(where, name) if where else hands
    except ParameterError as error:
        wrong = {"text": error.message, "position": error.position}
    numbers, rows = np.unique(found.table()["hand"], return_index=True)
    starts = np.nan_to_num(found.table()["start"][rows], nan=-np.inf)
    return Choice(found, name, names, numbers[np.lexsort((numbers, starts))][::-1].tolist(), wrong)


def hands_message(
    read: int, reasons: Mapping[str, int], choice: Choice, review: Mapping[str, Any], by: str, page: int, over: str
) -> HandsMessage:
    """Return the message of the hands of a filter.

    Args:
        read: number of all hands.
        reasons: number of skipped hands by reason.
        choice: hands of the filter.
        review: the last review, see `Review.summary`.
        by: name of a grouping.
        page: page of the list, from 0.
        over: x axis of the graph; hands if no hand has a time.

    Raises:
        UnknownNameError: the grouping or the player is unknown.
    """
    table = choice.hands.table().of(choice.player)
    report = choice.hands.report(choice.player, by) if len(table) else None
    decisions, number = by_hand(review), len(review["decisions"])
    return HandsMessage(
        read=read,
        reasons=reasons,
        found=len(choice.hands),
        player=choice.player or "",
        players=choice.players,
        rows=_rows(choice, table, choice.order[PAGE * page :][:PAGE], decisions),
        total=report.total.summary() if report else None,
        groups=[{name: group.summary()[name] for name in _GROUP} for group in report.groups] if report else (),
        graph=_graph(choice.hands.graph(choice.player), over) if report and report.total.cash_hands else None,
        wrong=choice.wrong,
        dearest=_dearest(choice, decisions) if number else (),
        priced=(number, number + sum(review["unpriced"].values())),
    )


def by_hand(review: Mapping[str, Any]) -> ByHand:
    """Return the decisions of a review by the room and number of their hand."""
    decisions: ByHand = {}
    for decision in review["decisions"]:
        decisions.setdefault((decision.get("room", ""), decision["number"]), []).append(decision)
    return decisions


def _dearest(choice: Choice, decisions: ByHand) -> list[DearMessage]:
    """Return the dearest decisions in the newest hands."""
    hands = [(place, hand, decisions.get(hand.identity, ())) for place, hand in enumerate(choice.newest)]
    messages = [
        DearMessage.of(hand_name(hand), place=place, decision=decision)
        for place, hand, known in hands
        for decision in priced_messages(hand, known)
        if decision.kind != _FINE
    ]
    return sorted(messages, key=lambda each: -each.decision.cost)[:_DEAREST]


def _rows(choice: Choice, table: SeatTable, numbers: Sequence[int], decisions: ByHand) -> list[HandRow]:
    places = {int(table["hand"][row]): row for row in np.flatnonzero(np.isin(table["hand"], numbers)).tolist()}
    hands = ((choice.hands.hands[number], places.get(number)) for number in numbers)
    return [_row(hand, table, row, _cost(decisions.get(hand.identity))) for hand, row in hands]


def _cost(decisions: Sequence[Mapping[str, Any]] | None) -> float | None:
    """Return the cost of the mistakes among decisions; None if there are no decisions."""
    return decisions and sum(each["cost"] for each in decisions if each["kind"] != _FINE)  # type: ignore[return-value]


def _row(hand: HandHistory, table: SeatTable, row: int | None, cost: float | None) -> HandRow:
    """Return a row; `row` is that of the player in the table, None if the player was not dealt in."""
    known: dict[str, Any] = {"hand": (), "position": "", "pot": "", "result": None}
    if row is not None:
        seat = table.rows[row]
        known = {
            "hand": seen_cards(hand, int(seat["player"])), "position": POSITIONS[seat["position"]],
            "pot": POTS[seat["pot"]], "result": round(float(table.bb[row]), 2),
        }  # fmt: skip
    start = hand.start.isoformat() if hand.start else ""
    return HandRow.of(hand_name(hand), start=start, board=card_texts(hand.hand.board), cost=cost, **known)


def _graph(graph: ResultGraph, over: str) -> dict[str, list[float]]:
    shown = over if graph.days.any() else OVER[0]
    numbers, places = graph.points(_POINTS, shown)
    return {shown: numbers.tolist()} | {name: np.round(getattr(graph, name)[places], 2).tolist() for name in _LINES}
