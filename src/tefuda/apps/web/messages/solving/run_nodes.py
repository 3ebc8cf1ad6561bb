"""A run as nodes: a row of figures while it is solved, its facts, and its files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from tefuda.apps.web.messages.nodes import Node, component, link, number, signed, word
from tefuda.forms.form import EXPLORED
from tefuda.games.catalogue import is_registered
from tefuda.solvers.runs.evaluators import NashConv

_ENDING = ("pause", "stop")
_BUTTONS = {"waiting": ("pause",), "building": _ENDING, "running": _ENDING, "interrupted": ("resume",)}
_FILES = ("curve.csv", "run.json", "curve.svg", "strategy.csv", "profile.npz")  # the last two are those of trees
_TREES = ("tree", "partition")
Message = Mapping[str, Any]


def can_explore(representation: str, game: str) -> bool:
    """Return whether the page can explore a strategy; it does not load a user's own game."""
    return representation in EXPLORED and (representation not in _TREES or is_registered(game))


def run_nodes(run: Message) -> dict[str, Any]:
    """Return the state of a run with the head and the row of its figures, and its facts.

    Args:
        run: see `solve.run_message`.
    """
    return {**run, "head": _head(run), "row": _row(run), "about": [_facts(run), *_links(run)]}


def _head(run: Message) -> list[Node]:
    keys = ("method", "status", "act", "iterations", "seconds", "rate", _title(run), "values", "stops at")
    return [word(key) for key in keys]


def _title(run: Message) -> str:
    return str((run["evaluator"] or {}).get("title", NashConv.title))


def _row(run: Message) -> list[Node]:
    seconds, status = run["seconds"], run["status"]
    buttons = [
        ["button", {"data-act": name, "data-run": run["id"]}, word("cancel" if status == "waiting" else name)]
        for name in _BUTTONS.get(status, ())
    ]
    values = [node for value in run["values"] for node in (", ", signed(value))][1:]
    return [
        link(f"/runs/{component(run['id'])}", run["method"]),
        ["span", {"class": "status", "data-status": status}, _status(run)],
        ["span", {"class": "row acts"}, *buttons],
        number(run["iterations"]),
        number(seconds, 3),
        number(run["iterations"] / seconds if seconds > 0 else None, 3),
        _figure(run),
        ["span", {}, *(values or ["–"])],
        _goal(run),
    ]


def _status(run: Message) -> Node:
    building = run.get("building")
    if run["status"] != "building" or not building:
        return word(f"status.{run['status']}")
    return building if isinstance(building, str) else word("status.histories", n=number(building))


def _figure(run: Message) -> Node:
    """Return the last figure, with its interval if it has one."""
    value, low, high = run["curve"][-1][2:5] if run["curve"] else (None, None, None)
    if value is None or low == high:
        return number(value, 4)
    return ["span", {}, signed(value), " (", number(low, 3), " … ", number(high, 3), ")"]


def _goal(run: Message) -> Node:
    """Return the rules that stop a run."""
    goal, parts = run["goal"] or {}, list[list[Node]]()
    if goal.get("iterations"):
        parts.append([word("goal.iterations", n=number(goal["iterations"]), unit=word(run["unit"]))])
    if (until := goal.get("until")) is not None and math.isfinite(until):
        sign = " ≤ " if (run["evaluator"] or {}).get("lower_is_better", True) else " ≥ "
        parts.append([word(_title(run)), sign, number(until)])
    if goal.get("seconds"):
        parts.append([word("goal.seconds", n=number(goal["seconds"]))])
    nodes = [node for part in parts for node in (word("or"), *part)][1:]
    return ["span", {}, *(nodes or [word("goal.default")])]


def _facts(run: Message) -> Node:
    parameters = [
        f", {name} {value if isinstance(value, str) else '' if value is None else json.dumps(value)}"
        for name, value in run["game_parameters"].items()
    ]
    facts: dict[str, Node] = {
        "game": run["game"] + "".join(parameters),
        "method": run["method"],
        "form": word(f"form.{run['form']}"),
        "seed": str(run["seed"]),
        "stops at": _goal(run),
        "stopped by": run["stop"],
        "folder": run["id"],
    }
    pairs = [part for name, value in facts.items() if value for part in (["dt", {}, word(name)], ["dd", {}, value])]
    return ["dl", {"class": "facts"}, *pairs]


def _links(run: Message) -> list[Node]:
    """Return links to the files of a run, and to its strategy if it can be explored."""
    name, form, button = run["id"], run["form"], {"class": "button"}
    folder = f"/api/solve/{component(name)}/files"
    files = [
        link(f"{folder}/{file}", file, **button, download=f"{name}-{file}")
        for file in (_FILES if form in _TREES else _FILES[:3])
    ]
    nodes: list[Node] = [["p", {"class": "row"}, word("download"), *files]]
    if run["curve"] and can_explore(form, run["game"]):
        nodes.append(["p", {}, link(f"/explore/{component(name)}/-", word("explore"), **button)])
    return nodes
