"""Messages of hands as their person sees them: views as data, actions, advice and ends.

They are made of the person's decisions, of finished hands as the person observed them, and of pictures of its views.
Nothing else of a session enters, so that nothing hidden can leave the server. The page writes their sentences.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from tefuda.apps.web.messages.message import Message, Words, in_languages
from tefuda.figure import ORDERS, bet_kind
from tefuda.games.kit import kit_of
from tefuda.games.phrases import LANGUAGES
from tefuda.games.picture import Picture, PictureEvent
from tefuda.playing.review import ReviewedDecision
from tefuda.playing.session import PERSON, Session
from tefuda.words import distinct


class EventMessage(Message):
    """A public event; see `PictureEvent`."""

    verb: str
    player: int
    amount: float | None
    cards: Sequence[str]


class PictureMessage(Message):
    """A view as data; see `Picture`."""

    deck: str
    hand: Sequence[str]
    table: Sequence[str]
    hidden: Sequence[int]
    piles: Sequence[Sequence[str]]
    pot: float | None
    bets: Sequence[float]
    stacks: Sequence[float]
    points: Sequence[float]
    folded: Sequence[bool]
    events: Sequence[EventMessage]
    text: str
    more: Mapping[str, Any]


class ActionMessage(Message):
    """An action of the person.

    Attributes:
        index: its number among the actions of the decision.
        label: its label as text, distinct from the others.
        name: its name in the words of the rules, where the page has none for the verb.
        kind: its colour: the size of a bet, a verb, or ``"order 2"``.
        verb: see `PictureEvent`, likewise `amount` and `cards`.
    """

    index: int
    label: str
    name: str
    kind: str
    verb: str
    amount: float | None
    cards: Sequence[str]


class AdvisedAction(ActionMessage):
    """An action with its probability and value under the coach's strategy; good: it is as good as any."""

    share: float
    value: float
    good: bool


class AdviceMessage(Message):
    """The advice at a decision; a hint has no choice, cost and verdict. See `ReviewedDecision`."""

    hint: bool
    actions: Sequence[AdvisedAction]
    chosen: int | None
    cost: float | None
    verdict: str | None


class ShownHand(Message):
    """The cards that another player showed at the end; `text` has other information."""

    seat: int
    hand: Sequence[str]
    text: str


class EndMessage(Message):
    """The end of a hand: payoffs by seat, and the cards that other players showed."""

    payoffs: Sequence[float]
    shown: Sequence[ShownHand]


def seat_names(session: Session, seating: Sequence[int]) -> tuple[str, ...]:
    """Return the names of the players by seat; equal opponents are numbered, and the person has none."""
    opponents = opponent_names(session)
    names = [f"{name} {n}" if opponents.count(name) > 1 else name for n, name in enumerate(opponents, 1)]
    return tuple("" if player == PERSON else names[player - 1] for player in seating)


def opponent_names(session: Session) -> list[str]:
    """Return the names of the opponents: agents, or runs by their ids."""
    return [name.removeprefix("run:") for name in session.names[1:]]


def known_text(rules: Any, view: Hashable, seat: int) -> Words:
    """Return the observation of a view as one text, in all languages."""
    known = [kit_of(rules).observe(view, seat, language) for language in LANGUAGES]
    return in_languages("; ".join(filter(None, (words.hand, words.table))) for words in known)


def picture_message(picture: Picture) -> PictureMessage:
    """Return a picture without its actions, which depend on the state of the table."""
    return PictureMessage.of(picture, events=[EventMessage.of(event) for event in picture.events])


def action_kind(event: PictureEvent, index: int, picture: Picture) -> str:
    """Return the kind of an action, which gives its colour: the size of a bet, or an order."""
    if event.verb not in ("bet", "raise"):
        known = event.verb in ("fold", "check", "call", "all-in")
        return event.verb if known else f"order {index % ORDERS}"
    highest, own = max(picture.bets), picture.bets[event.player]
    part = ((event.amount or 0) - highest) / max((picture.pot or 0) + highest - own, 1)
    return bet_kind(part)


def action_messages(labels: Sequence[Hashable], picture: Picture, words: Mapping[Hashable, str]) -> list[ActionMessage]:
    """Return the actions by index.

    Args:
        labels: labels of the actions.
        picture: picture of the person's view.
        words: names of the actions by label, see `Observation`.
    """
    actions = []
    for index, (label, text) in enumerate(zip(labels, distinct([str(label) for label in labels]), strict=True)):
        name = str(words.get(label, text))
        event = picture.actions.get(label, PictureEvent(name))
        kind = action_kind(event, index, picture)
        actions.append(ActionMessage.of(event, index=index, label=text, name=name, kind=kind))
    return actions


def advice_message(rules: Any, entry: ReviewedDecision, hinted: bool = False) -> AdviceMessage:
    """Return the advice on a decision with the cost of the choice; of a hint, the advice alone."""
    decision, kit = entry.decision, kit_of(rules)
    picture, words = kit.picture(decision.view, decision.seat), kit.observe(decision.view, decision.seat).actions
    parts = zip(action_messages(decision.actions, picture, words), *entry.advice, entry.good, strict=True)
    actions = [AdvisedAction.of(action, share=share, value=value, good=good) for action, share, value, good in parts]
    if hinted:
        return AdviceMessage(True, actions, None, None, None)
    return AdviceMessage.of(entry, hint=False, actions=actions)


def end_message(rules: Any, payoffs: Sequence[float], shown: Sequence[Hashable | None], seat: int) -> EndMessage:
    """Return the end of a hand for the player of a seat.

    Args:
        rules: rules of the hand.
        payoffs: payoffs by seat.
        shown: views by seat of the players who show them; None for the others.
        seat: the player's seat.
    """
    views = {other: view for other, view in enumerate(shown) if view is not None and other != seat}
    pictures = {other: kit_of(rules).picture(view, other) for other, view in views.items()}
    hands = [ShownHand(other, picture.hand, picture.text) for other, picture in pictures.items()]
    return EndMessage([float(amount) for amount in payoffs], hands)
