"""The page of an iteration of CFR: its form, stages, drawing and tables as nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tefuda.apps.web.messages.nodes import Node, address, field, link, number, percent, rows, scroll, signed, word
from tefuda.apps.web.messages.stages import short

METHODS = ("cfr", "cfr+", "lcfr", "dcfr", "dcfr+", "pcfr+", "pdcfr+", "cfr-br")
_GAMES = ("kuhn", "leduc", "kuhn;players=3")
_ORDERS = ("simultaneous", "alternating")
Message = Mapping[str, Any]


def step_page(walk: Message, game: str, method: str) -> dict[str, Any]:
    """Return the page of an iteration; its links have only their changes.

    Args:
        walk: see `explore.walk`.
        game: the game and its parameters as the address has them.
        method: the method as the address has it.
    """
    shown = next(update for update in walk["infosets"] if update["infoset"] == walk["at"])
    title = {name: walk[name] for name in ("game", "method", "iteration")}
    return {
        **{name: walk[name] for name in ("at", "names", "iteration")},
        "head": [["h1", {}, word("step.title", **title)], _form(walk, game, method), _tabs(walk["stages"])],
        "about": ["p", {"class": "quiet"}, word("step.drawingAbout", player=shown["player"])],
        "stages": {name: _stage(walk, shown, name) for name in walk["stages"]},
        "histories": [_history(history, walk["at"]) for history in walk["histories"]],
        "tables": [_histories(walk, shown["player"]), ["h2", {}, word("step.all")], _numbers(walk)],
    }


def _form(walk: Message, game: str, method: str) -> Node:
    chosen = {"game": game, "method": method, "order": walk["order"], "at": walk["at"]}
    values = {"game": (*_GAMES, game), "method": (*METHODS, method), "order": _ORDERS, "at": walk["names"]}
    controls = {name: _select(name, values[name], chosen[name]) for name in chosen}
    controls |= {name: _whole(name, walk[name], most) for name, most in (("iteration", 100_000), ("times", 1_000_000))}
    order = ("game", "method", "iteration", "order", "at", "times")
    return ["div", {"class": "row"}, *(controls[name] for name in order)]


def _select(name: str, values: Iterable[str], chosen: str) -> Node:
    options = [
        [
            "option",
            {"value": value, "selected": value == chosen},
            word(f"step.order.{value}") if name == "order" else value,
        ]
        for value in dict.fromkeys(values)
    ]
    return field(word(f"step.field.{name}"), "select", {"name": name}, *options)


def _whole(name: str, value: int, most: int) -> Node:
    return field(
        word(f"step.field.{name}"), "input", {"name": name, "type": "number", "value": value, "min": 1, "max": most}
    )


def _tabs(stages: Iterable[str]) -> Node:
    tabs = [
        link(address("", stage=name), f"{place}. ", word(f"step.{name}"), **{"class": "button"})
        for place, name in enumerate(stages, 1)
    ]
    return ["nav", {"class": "row stages", "aria-label": word("step.stages")}, *tabs]


def _stage(walk: Message, shown: Message, stage: str) -> dict[str, Any]:
    """Return the nodes of a stage, the title of its drawing, and the figures in the drawing."""
    note = walk["notes"].get(stage)
    formulas = [*walk["formulas"][stage], *([["p", {}, note]] if note else [])]
    about = [["h2", {}, word(f"step.{stage}")], ["p", {}, word(f"step.{stage}.about")]]
    at = ["h2", {}, word("step.at", infoset=walk["at"], player=shown["player"])]
    panels = [
        ["section", {"class": "panel"}, *about],
        ["section", {"class": "panel formulas"}, at, scroll(word("step.formulas"), *formulas)],
    ]
    title = word("step.drawing", stage=word(f"step.{stage}"))
    return {"nodes": [["div", {"class": "place"}, *panels]], "title": title, "figures": walk["stages"][stage]}


def _history(history: Message, at: str) -> dict[str, Any]:
    known = {name: history[name] for name in ("parent", "label", "mover", "infoset")}
    return known | ({"chosen": True} if history["infoset"] == at else {})


def _histories(walk: Message, player: int) -> Node:
    """Return the drawing as a table."""
    head = [word(f"step.{name}") for name in ("history", "infoset", "share", "own", "others", "value")]
    body = [
        [
            *(history["path"].replace("~", " "), history["infoset"] or ""),
            *(number(short(history[name][player], 4)) for name in ("shares", "own", "others")),
            signed(short(history["values"][player], 4)),
        ]
        for history in walk["histories"]
    ]
    return ["details", {}, ["summary", {}, word("as table")], rows(word("step.history"), head, body)]


def _numbers(walk: Message) -> Node:
    """Return the figures of all actions of all infosets."""
    scaled = walk["times"] > 1
    names = ("infoset", "action", "value", "regret", "scaled", "cumulative", "next", "averageShare")
    head = [word(f"step.{name}", times=walk["times"]) for name in names if scaled or name != "scaled"]
    body = []
    for update in walk["infosets"]:
        infoset = update["infoset"]
        here = {"aria-current": "true"} if infoset == walk["at"] else {}
        for action in update["actions"]:
            name = {"data-scaled": f"{infoset} {action['action']}"}
            body.append(
                [
                    *(link(address("", at=infoset), infoset, **here), action["action"]),
                    *(signed(short(action["value"], 4)), signed(short(action["regret"], 4))),
                    *([["span", name, signed(short(action["scaled"], 4))]] if scaled else []),
                    *(
                        signed(short(action["after"], 4)),
                        percent(short(action["next"], 4)),
                        percent(short(action["average"], 4)),
                    ),
                ]
            )
    return rows(word("step.all"), head, body)
