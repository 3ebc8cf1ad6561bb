"""Messages of tables: a session as its person sees it.

A message is made of the person's pending decision, of finished hands as the person observed them, and of pictures of
its views. Nothing else of a session enters, so that nothing hidden can leave the server.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from tefuda.apps.web.messages.hands.boards import drawing_message
from tefuda.apps.web.messages.hands.panels import page_parts
from tefuda.apps.web.messages.hands.sentences import (
    Words,
    action_text,
    end_texts,
    event_text,
    in_languages,
    phrase,
    player_names,
)
from tefuda.apps.web.tables import PersonTable, Results
from tefuda.figure import bet_kind
from tefuda.games.kit import kit_of
from tefuda.games.parameters import json_parameters
from tefuda.games.picture import Picture, PictureEvent
from tefuda.playing.review import ReviewedDecision
from tefuda.playing.session import Rotation
from tefuda.words import distinct

_BUTTONS = 8  # bets and raises that are listed as buttons; of more the person writes an amount
_FRACTIONS = (1 / 3, 1 / 2, 2 / 3, 1.0)  # parts of the pot beside the field for amounts
_COLOURS = 6  # colours of actions that are not bets


def table_message(table: PersonTable) -> dict[str, Any]:
    """Return all that the person may know about a table."""
    session, decision, hand = table.session, table.session.pending, table.hand
    number = len(session.ended) - (decision is None)
    following = session.series.next(session.ended[:number])
    assert following is not None, "the hand on the table follows those before it"
    rules, seating = following
    seen = decision or session.observed_hands[-1]
    view, seat = seen.view, seen.seat
    picture, words = kit_of(rules).picture(view, seat), kit_of(rules).observe(view, seat)
    actions = _actions(table.decision.actions, picture, words.actions) if table.decision else []
    opponents = [name.removeprefix("run:") for name in session.names[1:]]
    names = player_names(opponents, seating, seat)
    known = known_text(rules, view, seat)
    ended = None if hand is None else end_message(rules, hand.payoffs, hand.shown, names, seat)
    numbers = {label: index for index, label in enumerate(table.decision.actions)} if table.decision else {}
    match = getattr(session.series, "facts", None)
    message = {
        "id": table.name,
        "version": table.version,
        "game": rules.name,
        "name": phrase("games", rules.name, rules.name),
        "parameters": json_parameters(session.game),
        "opponents": opponents,
        "players": names,
        "mode": table.setup.mode,
        "coach": table.players.reviewer.coach.name if table.players.reviewer is not None else None,
        "hand": number,
        "hands": session.series.hands if isinstance(session.series, Rotation) else 0,
        "match": match(session.ended, decision is None) if match else None,
        "seat": seat,
        "picture": picture_message(picture, names, seat),
        "text": known,
        "actions": [action for action in actions if not action["listed"]] if _many(actions) else actions,
        "amounts": _amounts(actions, picture, seat) if _many(actions) else None,
        "end": ended,
        "advice": _advice(rules, table),
        "helped": number in table.helped,
        "statistics": statistics_message(table),
        "closed": table.closed,
        "seed": str(session.seed) if table.closed else None,
    }
    return message | page_parts(message, drawing_message(rules, picture, names, seat, numbers, ended, known))


def known_text(rules: Any, view: Hashable, seat: int) -> dict[str, str]:
    """Return the observation of a view as one text, in all languages."""

    def known(language: str) -> str:
        words = kit_of(rules).observe(view, seat, language)
        return "; ".join(filter(None, (words.hand, words.table)))

    return in_languages(known)


def picture_message(picture: Picture, names: Sequence[Words], seat: int) -> dict[str, Any]:
    """Return a picture as JSON; its events are sentences too."""
    fields = {name: getattr(picture, name) for name in Picture.__dataclass_fields__ if name not in ("actions", "more")}
    events = [{**event._asdict(), "text": event_text(event, picture, names, seat)} for event in picture.events]
    return {**fields, "events": events}


def action_kind(event: PictureEvent, index: int, picture: Picture) -> str:
    """Return the kind of an action, which gives its colour: the size of a bet, or an order."""
    if event.verb not in ("bet", "raise"):
        known = event.verb in ("fold", "check", "call", "all-in")
        return event.verb if known else f"order {index % _COLOURS}"
    highest, own = max(picture.bets), picture.bets[event.player]
    part = ((event.amount or 0) - highest) / max((picture.pot or 0) + highest - own, 1)
    return bet_kind(part)


def _actions(labels: Sequence[Hashable], picture: Picture, words: Mapping[Hashable, str]) -> list[dict[str, Any]]:
    """Return the actions by index; `listed` marks amounts that a field replaces if there are many."""
    actions = []
    for index, (label, text) in enumerate(zip(labels, distinct([str(label) for label in labels]), strict=True)):
        event = picture.actions.get(label, PictureEvent(str(words.get(label, text))))
        actions.append(
            {
                "index": index,
                "label": text,
                "text": action_text(event, picture, str(words.get(label, text))),
                "kind": action_kind(event, index, picture),
                "verb": event.verb,
                "amount": event.amount,
                "cards": event.cards,
                "listed": event.verb in ("bet", "raise"),
            }
        )
    return actions


def _many(actions: Sequence[Mapping[str, Any]]) -> bool:
    return sum(action["listed"] for action in actions) > _BUTTONS


def _amounts(actions: Sequence[Mapping[str, Any]], picture: Picture, seat: int) -> dict[str, Any]:
    """Return the range of amounts, and the amounts of parts of the pot."""
    amounts = [int(action["amount"]) for action in actions if action["listed"]]
    highest = max(picture.bets)
    pot = (picture.pot or 0) + highest - picture.bets[seat]
    fractions = [
        {"part": part, "amount": min(max(int(highest + pot * part), amounts[0]), amounts[-1])} for part in _FRACTIONS
    ]
    verb = next(action["verb"] for action in actions if action["listed"])
    return {"low": amounts[0], "high": amounts[-1], "verb": verb, "fractions": fractions}


def end_message(
    rules: Any, payoffs: Sequence[float], shown: Sequence[Hashable | None], names: Sequence[Words], seat: int
) -> dict[str, Any]:
    """Return the end of a hand: payoffs by seat, the cards that other players showed, and sentences."""
    views = {other: view for other, view in enumerate(shown) if view is not None and other != seat}
    pictures = {other: kit_of(rules).picture(view, other) for other, view in views.items()}
    return {
        "payoffs": [float(amount) for amount in payoffs],
        "shown": [{"seat": other, "hand": picture.hand, "text": picture.text} for other, picture in pictures.items()],
        "text": end_texts(payoffs[seat], pictures, names),
    }


def _advice(rules: Any, table: PersonTable) -> dict[str, Any] | None:
    """Return the advice on the pending decision, or on the last one with its cost."""
    if table.advised is None:
        return None
    message = {"hint": table.hinted, **decision_message(rules, table.advised)}
    return message | {"chosen": None, "cost": None, "verdict": None} if table.hinted else message


def decision_message(rules: Any, entry: ReviewedDecision) -> dict[str, Any]:
    """Return a decision with its advice."""
    decision = entry.decision
    picture = kit_of(rules).picture(decision.view, decision.seat)
    words = kit_of(rules).observe(decision.view, decision.seat).actions
    actions = _actions(decision.actions, picture, words)
    parts = zip(actions, entry.advice.shares, entry.advice.values, entry.good, strict=True)
    return {
        "actions": [{**action, "share": share, "value": value, "good": good} for action, share, value, good in parts],
        "chosen": entry.chosen,
        "cost": entry.cost,
        "verdict": entry.verdict,
    }


def statistics_message(table: PersonTable) -> dict[str, Any]:
    """Return the results of the hands that the person played alone, and of helped hands."""
    return dict(zip(("own", "helped"), map(_results, table.statistics), strict=True))


def _results(results: Results) -> dict[str, Any]:
    return results._asdict() | {"aivat": results.aivat and results.aivat._asdict()}
