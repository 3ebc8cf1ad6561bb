"""The head of a node of hold'em, and the actions or cards that may come next, as nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from tefuda.apps.web.messages.nodes import Node, link, number, percent, word
from tefuda.apps.web.messages.places import Place
from tefuda.holdem.cards import RANKS, SUITS

Message = Mapping[str, Any]


def node_page(node: Message, name: str) -> dict[str, Any]:
    """Return the message of a node with its head, its actions or cards, and its neighbours.

    Args:
        node: see `spots.node_message`.
        name: name of the run.
    """
    actions = [
        {**action, "text": _action_text(action["name"]), "href": line_address(name, action["line"])}
        for action in node["actions"]
    ]
    page = {**node, "actions": actions}
    choices = _cards(page, name) if node["player"] is None else _actions(actions)
    parent = line_address(name, node["parent"]) if node["line"] else None
    return {**page, "head": [_top(page, name), _title(page)], "choices": choices, "back": parent}


def line_address(name: str, line: str) -> str:
    """Return the address of a node's page; the slashes of its line are written as ``~``."""
    return f"/explore/{Place(name).part}/{line_part(line)}"


def line_part(line: str) -> str:
    """Return a line as a part of an address."""
    return quote(line.replace("/", "~"), safe="!'()*-._~;,?:@&=+$#") or "-"


def _action_text(name: str) -> Node:
    action, _, amount = name.removesuffix(")").partition("(")
    return word("spot.sized", action=word(f"spot.{action}"), amount=amount) if amount else word(f"spot.{action}")


def _top(node: Message, name: str) -> Node:
    """Return the way to a node as links, and the quality of its solution."""
    items = [["li", {}, link(line_address(name, ""), word("spot.start"), **_current(not node["line"]))]]
    for step in node["path"]:
        seat = None if step["player"] is None else ["small", {}, f"{node['seats'][step['player']]} "]
        text = [["cards-text", {}, step["name"]]] if step["kind"] == "card" else [seat, _action_text(step["name"])]
        here = _current(step["line"] == node["line"])
        items.append(["li", {}, link(line_address(name, step["line"]), *text, **here)])
    solution = node["solution"]
    figure, iterations = number(solution["figure"], 3), solution["iterations"]
    quality = word(f"spot.quality.{solution['quality']}", figure=figure, n=iterations)
    locks = [" · ", word("spot.locks", n=len(solution["locks"]))] if solution["locks"] else []
    way = ["nav", {"aria-label": word("spot.line")}, ["ol", {"class": "list row line"}, *items]]
    return ["div", {"class": "spot-top"}, way, ["p", {"class": "quiet"}, f"{solution['name']} · ", quality, *locks]]


def _current(here: bool) -> dict[str, str]:
    return {"aria-current": "page"} if here else {}


def _title(node: Message) -> Node:
    """Return the board, the player to act, and the figures of both players."""
    players, player = node["players"], node["player"]
    over = "spot.a card" if node["cards"] else "spot.over"
    where = word(over) if player is None else word("spot.to act", player=node["seats"][player])
    facts: list[tuple[Node, list[Node]]] = [(word("spot.pot"), [number(node["pot"])])]
    if node["behind"] is not None:
        facts.append((word("spot.behind"), [number(node["behind"])]))
    for figure, label, write in (
        ("ev", "EV", lambda value: number(value, 4)),
        ("equity", word("spot.equity"), percent),
    ):
        if any(one[figure] is not None for one in players):
            facts.append((label, [_of_player(one["name"], write(one[figure])) for one in players]))
    if node["probability"] is not None:
        facts.append((word("spot.reached"), [percent(node["probability"])]))
    board: Node = (
        ["div", {"class": "board"}, *(["card", {}, code] for code in node["board"])] if node["board"] else None
    )
    title: Node = ["h1", {}, word(f"spot.{node['street']}"), ": ", where]
    pairs: list[Node] = [["div", {}, ["dt", {}, name], ["dd", {}, *values]] for name, values in facts]
    return ["div", {"class": "spot-head"}, board, title, ["dl", {"class": "facts"}, *pairs]]


def _of_player(name: str, value: Node) -> Node:
    return ["span", {}, ["small", {}, f"{name} "], value, " "]


def _actions(actions: Sequence[Message]) -> list[Node]:
    """Return the actions as a bar and as links."""
    links = []
    for index, action in enumerate(actions):
        part = ["small", {"class": "quiet"}, " ", percent(action["part"], 2)] if action["part"] else None
        swatch = ["swatch", {}, {name: action[name] for name in ("kind", "label")}]
        content = [swatch, ["span", {}, action["text"], part], ["b", {}, percent(action["share"])]]
        links.append(link(action["href"], *content, **{"class": "button choose", "data-key": f"go-{index}"}))
    label = {"class": "spot-actions", "aria-label": word("spot.actions")}
    shares = [
        {**{name: action[name] for name in ("kind", "label", "share")}, "name": action["text"]} for action in actions
    ]
    return [["section", label, ["bar", {"aria-hidden": "true"}, shares], ["div", {"class": "row"}, *links]]]


def _cards(node: Message, name: str) -> list[Node]:
    """Return the cards that may come next as links, or the reason why none comes."""
    if not node["cards"]:
        return [["p", {"class": "quiet"}, word("spot.over.note")]]
    rows = list[Node]()
    for suit in reversed(SUITS):
        cards = [
            link(line_address(name, f"{node['line']}/{code}"), ["cards-text", {}, code], **{"class": "next-card"})
            if code in node["cards"]
            else ["span", {"class": "next-card", "aria-hidden": "true"}]
            for code in (rank + suit for rank in reversed(RANKS))
        ]
        rows.append(["div", {}, *cards])
    title = ["h2", {}, word("spot.choose card")]
    return [["section", {"aria-label": word("spot.a card")}, title, ["div", {"class": "next-cards"}, *rows]]]
