"""Messages of recorded hands, move by move, as the hero saw them.

Cards of other players are sent if they were shown at the showdown; the file may know more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from pathlib import PurePath
from typing import Any

from tefuda.apps.web.messages.hands import (
    ActionMessage,
    EndMessage,
    PictureMessage,
    ShownHand,
    action_messages,
    picture_message,
)
from tefuda.apps.web.messages.message import Message
from tefuda.apps.web.own_hands import decision_spot
from tefuda.errors import ParameterError
from tefuda.holdem.cards import card_text
from tefuda.holdem.hands.hand import HIDDEN, NEXT
from tefuda.holdem.hands.rules import BOARD, STREETS
from tefuda.holdem.hands.sizing import Menu
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.histories.record import HandHistory
from tefuda.holdem.reports.counting import positions
from tefuda.holdem.reports.table import stake_text
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.spot import make_spot


class HandName(Message):
    """Identity of a hand: its room and number, else its file and line."""

    room: str
    number: str


class PricedMessage(Message):
    """A decision with its cost; see `PricedDecision`. `step` is its place in the hand."""

    step: int
    cards: str
    position: str
    board: str
    action: str
    evs: Mapping[str, float]
    cost: float
    cost_interval: Sequence[float] | None
    frequency: float | None
    pot: float
    exploitability: float
    ranges: Sequence[str]
    weight: float
    forced: bool
    certain: bool
    kind: str


class ReplayStep(Message):
    """The table before an action, or at the end of the hand; amounts are in chips.

    Attributes:
        player: player to act; -1 at the end.
        events: number of events before.
        table: number of cards on the board.
        pot: chips in the pot with all bets.
        bets: chips that each player has bet on this street.
        stacks: chips that each player has left; None if unknown.
        folded: whether each player has folded.
        spent: chips that the player of the seat has put in.
    """

    player: int
    events: int
    table: int
    pot: int
    bets: Sequence[int]
    stacks: Sequence[int | None]
    folded: Sequence[bool]
    spent: int


class TryMessage(Message):
    """A decision of the hero that can be taken again: its place in the hand, and its actions."""

    step: int
    actions: Sequence[ActionMessage]


class ReplayMessage(HandName):
    """A recorded hand.

    Attributes:
        start: start in ISO format; without a zone if the file names none, "" if unknown.
        stake: blinds and currency.
        game: name of the game, likewise `parameters`: the big blind is the unit of amounts.
        seats: names of the players in the order of acting after the flop; the hero's is "".
        positions: positions of the players.
        seat: seat from which the table is seen: the hero's, else the first.
        picture: the hero's view at the end.
        boards: all boards if the hand was run more than once.
        steps: the table before each action and at the end.
        end: results and shown cards; None if the results are unknown.
        priced: the hero's decisions that are priced.
        tries: the hero's decisions that can be taken again with another action.
        place: place in the list.
        after: the next hand of the list, if there is one.
    """

    start: str
    stake: str
    game: str
    parameters: dict[str, Any]
    seats: Sequence[str]
    positions: Sequence[str]
    seat: int
    picture: PictureMessage
    boards: Sequence[Sequence[str]]
    steps: Sequence[ReplayStep]
    end: EndMessage | None
    priced: Sequence[PricedMessage]
    tries: Sequence[TryMessage]
    place: int
    after: HandName | None


def hand_name(hand: HandHistory) -> HandName:
    """Return the identity of a hand."""
    if hand.room and hand.number:
        return HandName(hand.room, hand.number)
    return HandName(PurePath(hand.source).name, str(hand.line))


def seen_cards(hand: HandHistory, player: int) -> tuple[str, ...]:
    """Return the cards of a player that the hero saw: the own ones, or those shown at a showdown."""
    shown, live = dict(hand.shown), hand.hand.wagers.live
    at_showdown = hand.hand.wagers.is_over and len(live) > 1 and player in live
    if player == hand.hero or (at_showdown and player not in shown):
        return card_texts(sorted(hand.hand.hole(player), reverse=True))
    return card_texts(sorted(shown.get(player, ()), reverse=True))


def card_texts(cards: Sequence[int]) -> tuple[str, ...]:
    """Return the codes of the cards that are known."""
    return tuple(card_text(card) for card in cards if card != HIDDEN)


def replay_message(
    hand: HandHistory, decisions: Iterable[Mapping[str, Any]], place: int, after: HandName | None
) -> ReplayMessage:
    """Return a recorded hand with its decisions in a review, its place in a list, and the next hand there."""
    rules, seat = hand.rules, hand.hero or 0
    holes = [card if place // 2 == hand.hero else HIDDEN for place, card in enumerate(hand.hand.holes)]
    picture = Holdem(rules, Menu()).picture_of(hand.hand._replace(holes=tuple(holes)), seat)
    return ReplayMessage.of(
        hand_name(hand),
        start=hand.start.isoformat() if hand.start else "",
        stake=stake_text(hand),
        game="holdem",
        parameters={"blinds": [rules.smallest_bet(0)]},
        seats=["" if player == hand.hero else name for player, name in enumerate(hand.names)],
        positions=positions(rules),
        seat=seat,
        picture=picture_message(picture),
        boards=[card_texts(board) for board in hand.boards],
        steps=_steps(hand, seat),
        end=_end(hand),
        priced=priced_messages(hand, decisions),
        tries=list(_tries(hand)),
        place=place,
        after=after,
    )


def _steps(hand: HandHistory, seat: int) -> list[ReplayStep]:
    replayed = [*hand.replay(), (hand.hand.wagers, "")]
    rules, players = hand.rules, range(hand.rules.players)
    return [
        ReplayStep(
            player=wagers.mover if token else -1,
            events=events,
            table=BOARD[wagers.street],
            pot=rules.pot(wagers),
            bets=wagers.bets,
            stacks=[None if player in hand.unknown_stacks else wagers.stacks[player] for player in players],
            folded=[bool(wagers.folded >> player & 1) for player in players],
            spent=rules.stacks[seat] - wagers.stacks[seat],
        )
        for events, (wagers, token) in enumerate(replayed)
        if token != NEXT
    ]


def priced_messages(hand: HandHistory, decisions: Iterable[Mapping[str, Any]]) -> list[PricedMessage]:
    """Return the priced decisions of a hero: on each street they are the last ones."""
    actions = [before for before, token in hand.replay() if token != NEXT]
    messages = list[PricedMessage]()
    for street, known in groupby(decisions, lambda decision: str(decision["street"])):
        own = [step for step, each in enumerate(actions) if (each.mover, STREETS[each.street]) == (hand.hero, street)]
        priced = list(known)
        messages += [PricedMessage.of(each, step=step) for step, each in zip(own[-len(priced) :], priced, strict=False)]
    return messages


def _tries(hand: HandHistory) -> Iterator[TryMessage]:
    """Yield the hero's heads-up decisions on the turn and the river, with the actions of their spots."""
    if hand.hero is None or not (cards := card_texts(hand.hand.hole(hand.hero))):
        return
    movers = [before.mover for before, token in hand.replay() if token != NEXT]
    for step in (step for step, mover in enumerate(movers) if mover == hand.hero):
        with suppress(ParameterError):  # not heads-up, or before the turn
            decision = decision_spot(hand, step)
            game = SpotGame(make_spot(**decision.spot, oop="*", ip="*"))
            view = f"{''.join(cards)}|{decision.line}"
            labels = game.actions(game.read_view(view, decision.seat))
            actions = action_messages(labels, game.picture(view, decision.seat), {})
            yield TryMessage(
                step, [replace(each, amount=each.amount and each.amount * decision.chip) for each in actions]
            )


def _end(hand: HandHistory) -> EndMessage | None:
    if (payoffs := hand.won) is None:
        return None
    others = [player for player in range(hand.rules.players) if player != hand.hero]
    shown = [ShownHand(player, cards, "") for player in others if (cards := seen_cards(hand, player))]
    return EndMessage([float(chips) for chips in payoffs], shown)
