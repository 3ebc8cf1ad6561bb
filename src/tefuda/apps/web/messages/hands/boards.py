"""Tables as elements of a page: the drawing of a game that has one, or players and cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tefuda.apps.web.messages.hands.sentences import Words, amount_text, filled_by
from tefuda.games.kit import kit_of
from tefuda.games.picture import Picture, element

Node = list[Any]


def drawing_message(
    rules: Any,
    picture: Picture,
    names: Sequence[Words],
    seat: int,
    actions: Mapping[Any, int],
    ended: Any,
    known: Words,
) -> dict[str, Any]:
    """Return the drawing of a table: ``table``, and ``side`` if the game draws more beside it.

    Args:
        rules: rules of the hand.
        picture: picture of the person's view.
        names: names of the players by seat.
        seat: the person's seat.
        actions: numbers of the actions by label; empty if none can be taken.
        ended: the end of the hand, `end_message`; None before.
        known: the person's view in words, for games without cards.
    """
    drawn = kit_of(rules).drawing(picture, seat) or {"table": _board(picture, names, seat, ended, known)}
    return {
        name: _numbered(node, {str(label): index for label, index in actions.items()}) for name, node in drawn.items()
    }


def _numbered(node: Any, actions: Mapping[str, int]) -> Any:
    """Return an element whose buttons have the numbers of their actions; other buttons become pictures."""
    if not isinstance(node, list):
        return node
    tag, attributes, *children = node
    if tag == "button" and "data-label" in attributes:
        label = attributes["data-label"]
        kept = {name: value for name, value in attributes.items() if name != "data-label"}
        chosen = {"data-action": actions[label]} if label in actions else {"role": "img"}
        tag, attributes = "button" if label in actions else "div", {**kept, **chosen}
    return [tag, attributes, *(_numbered(child, actions) for child in children)]


def _text(key: str, **values: Any) -> dict[str, str]:
    """Return a phrase of the board; values are texts, or words by language."""
    return filled_by("board", key, values)


def _fact(key: str, amount: float | None) -> Node | None:
    return None if amount is None else element("span", None, _text(key, amount=amount_text(amount)))


def _cards(codes: Sequence[str], deck: str, label: Words, hidden: int = 0) -> Node:
    """Return a list of cards with a name; face-down cards are counted in words."""
    faces = [element("li", None, element("card", {"deck": deck, "code": code})) for code in codes]
    backs = element("ul", {"class": "cards-row list", "aria-hidden": "true"},
                    *[element("li", None, element("card", {"deck": deck}))] * hidden)  # fmt: skip
    count = element("span", {"class": "unseen"}, _text("hidden", n=hidden))
    return element("ul", {"class": "cards-row list", "aria-label": label}, *faces,
                   element("li", None, count, backs) if hidden else None)  # fmt: skip


def _board(picture: Picture, names: Sequence[Words], seat: int, ended: Any, known: Words) -> Node:
    """Return the table of any game: opponents above, public cards in the middle, own cards below."""
    if not picture.deck:
        return element("div", {"class": "felt"}, element("p", {"class": "known"}, known))
    shown = {entry["seat"]: entry["hand"] for entry in ended["shown"]} if ended else {}
    seats = {other: _seat(picture, names[other], other, seat, shown.get(other, ())) for other in range(len(names))}
    others = element("div", {"class": "others"}, *(node for other, node in seats.items() if other != seat))
    wild = picture.more.get("wild")
    facts = [_fact("pot", picture.pot)]
    facts += [element("span", None, _text("wild", face=wild, dice=picture.more["dice"]))] if wild else []
    middle = element(
        "section", {"class": "middle", "aria-label": _text("table")},
        element("p", {"class": "row chips"}, *facts),
        _cards(picture.table, picture.deck, _text("public cards")),
    )  # fmt: skip
    return element("div", {"class": "felt"}, others, middle if picture.table or any(facts) else None, seats[seat])


def _seat(picture: Picture, who: Words, player: int, own: int, shown: Sequence[str]) -> Node:
    """Return a player's part of the table: chips, cards, and cards won."""

    def of(values: Sequence[Any]) -> Any:
        return values[player] if player < len(values) else None

    facts = [
        _fact("bet", of(picture.bets) or None), _fact("stack", of(picture.stacks)), _fact("points", of(picture.points)),
        element("span", None, _text("folded")) if of(picture.folded) else None,
        element("span", None, _text("button")) if picture.more.get("button") == player else None,
    ]  # fmt: skip
    cards = picture.hand if player == own else shown
    label = _text("own cards") if player == own else _text("cards of", who=who)
    hidden = 0 if player == own or shown else of(picture.hidden) or 0
    pile = of(picture.piles)
    return element(
        "section", {"class": f"seat{' own' * (player == own)}", "aria-label": who}, element("h2", None, who),
        element("p", {"class": "row chips"}, *facts), _cards(cards, picture.deck, label, hidden),
        _cards(pile, picture.deck, _text("pile", who=who)) if pile else None,
    )  # fmt: skip
