"""Pages that are nodes alone: chapters, strategies to explore, and help."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tefuda
from tefuda.apps.web.messages.chapters import chapters, glossary_nodes
from tefuda.apps.web.messages.nodes import Node, field, link, number, rows, word
from tefuda.apps.web.messages.places import Place
from tefuda.apps.web.messages.solving.run_nodes import can_explore

_MADE = ("kuhn", "kuhn;players=3", "leduc")  # games that are solved on demand
_KEYS = {
    "action": "1 … 9", "next": "Enter", "hint": "h", "known": "u", "mistakes": "j  k", "walk": "← → ↑ ↓", "go": "g",
    "seat": "s", "help": "?", "close": "Esc",
}  # fmt: skip


def learn_nodes() -> list[Node]:
    """Return the list of chapters."""
    items = [["li", {}, link(f"/learn/{chapter.name}", chapter.title)] for chapter in chapters().values()]
    step = link("/learn/step?game=kuhn&method=cfr&iteration=1&times=24", word("learn.step"))
    return [
        *(["h1", {}, word("learn.title")], ["p", {}, word("learn.intro")]),
        *(["ol", {"class": "chapters", "lang": "en"}, *items], ["p", {}, step]),
    ]


def help_nodes() -> list[Node]:
    """Return the keys, the glossary, and the version."""
    keys = [[["kbd", {}, key], word(f"help.key.{name}")] for name, key in _KEYS.items()]
    return [
        *(["h1", {}, word("nav.help")], ["h2", {}, word("help.keys")]),
        rows(word("help.keys"), [word("help.key"), word("help.does")], keys),
        ["setting", {"name": "keys"}, word("help.switch")],
        *(["h2", {}, word("help.words")], ["div", {"class": "glossary", "lang": "en"}, *glossary_nodes()[1:]]),
        *(["h2", {}, word("help.about")], ["p", {}, word("help.version", version=tefuda.__version__)]),
        ["p", {}, word("help.private")],
    ]


def strategies_nodes(runs: Sequence[Mapping[str, Any]]) -> list[Node]:
    """Return the strategies that can be explored: saved runs, and those that are made on demand."""
    saved = [
        (run["id"], run["title"] or run["id"], _about(run))
        for run in runs
        if not run["error"] and can_explore(run["representation"], run["game"])
    ]
    made: list[tuple[str, Node, list[Node]]] = [(f"new:{game}", game, [word("strategies.new")]) for game in _MADE]
    made += [
        ("uniform:kuhn", "kuhn", [word("strategies.uniform")]),
        ("pushfold:10", word("strategies.pushfold"), [word("strategies.exact")]),
    ]
    control = {"name": "game", "value": "kuhn", "autocomplete": "off", "required": True}
    none = ["p", {}, word("strategies.none"), " ", link("/solve", word("nav.solve"))]
    return [
        *(["h1", {}, word("strategies.title")], ["p", {}, word("strategies.about")]),
        *(["h2", {}, word("strategies.runs")], _links(saved) if saved else none),
        *(["h2", {}, word("strategies.made")], _links(made)),
        ["form", {"class": "row", "action": "/explore/new:"}, field(word("strategies.game"), "input", control),
         ["button", {}, word("strategies.open")]],
    ]  # fmt: skip


def _about(run: Mapping[str, Any]) -> list[Node]:
    value, parts = run["figure"].get("value"), [run["game"], run["method"]]
    nodes: list[Node] = [" · ".join(part for part in parts if part)]
    known = value is not None and math.isfinite(value)
    return [*nodes, f" · {run['figure']['title']} ", number(value, 3)] if known else nodes


def _links(strategies: Iterable[tuple[str, Node, list[Node]]]) -> Node:
    items = [
        ["li", {}, link(f"/explore/{Place(name).part}/-", text), " ", ["span", {"class": "quiet"}, *about]]
        for name, text, about in strategies
    ]
    return ["ul", {"class": "choices"}, *items]
