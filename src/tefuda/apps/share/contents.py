"""Contents of shared files: the pages of a run or a chapter, and all addresses that they ask for."""

from __future__ import annotations

import base64
import heapq
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from tefuda.apps.share.answers import answer
from tefuda.apps.web.messages.chapters import chapters, pictures
from tefuda.apps.web.messages.widgets import WIDGETS
from tefuda.apps.web.routes.explore import DRAWN, strategy_of, tree_of
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError, UnknownNameError
from tefuda.forms.paths import path_of
from tefuda.forms.tree import Tree
from tefuda.solvers.runs.job import Job
from tefuda.solvers.runs.run import read_run

_BUDGET = 900_000  # compressed bytes of the nodes of a spot
_SHARED_BOARD = 4  # cards of boards of which all next cards are shared: those of a flop take minutes
_LARGEST = 5_000  # histories of a tree that is shared whole
_NEIGHBOURS = 10  # hands before and after a reviewed one
_RAW = ":;=,"  # letters that names of runs in addresses leave as they are
_COMPONENT = "!'()*-._~"  # letters that JavaScript's encodeURIComponent leaves
_METHODS, _ITERATIONS = ("cfr", "cfr+", "dcfr"), 10  # of the walk through iterations


@dataclass(frozen=True)
class Contents:
    """The contents of a file: title, first address, pages, JSON values by address, deck of cards."""

    title: str
    start: str
    pages: tuple[str, ...]
    data: dict[str, Any]
    deck: str = ""


def contents_of(target: str, folder: Path = Path("runs"), game: str = "") -> Contents:
    """Return the contents of a target.

    Args:
        target: folder of a run, ``learn/CHAPTER``, ``learn/step``, or ``tables/ID/hands/NUMBER`` as in the address of
            a review.
        folder: folder of the server, which has the tables.
        game: ``"file.py:Class"``, the game of a run if it is the user's own.

    Raises:
        InputError: there is no such run, chapter or hand, or the run cannot be shared.
    """
    if game or (Path(target) / "run.json").is_file():
        return run_contents(Path(target), game)
    match target.strip("/").split("/"):
        case ["learn", "step"]:
            return step_contents()
        case ["learn", name]:
            return chapter_contents(name)
        case ["tables", table, "hands", hand] if hand.isdecimal():
            return hand_contents(folder, table, int(hand))
    return run_contents(Path(target))


def run_contents(folder: Path, game: str = "") -> Contents:
    """Return the contents of a run: every history of a small tree, or the likeliest nodes of a spot.

    Raises:
        ParameterError: the run has neither, or its tree is too large.
    """
    content = read_run(folder)
    workspace, name = Workspace(folder.parent), quote(folder.name, safe=_RAW)
    title = content.get("title") or f"{content['game']}, {content['method_parameters']['name']}"
    representation = content["form"]["representation"]
    if representation not in ("tree", "hands"):
        raise ParameterError(
            f"{folder} has the representation {representation}; share a run of a tree or of a spot of hold'em.",
            key="run",
        )
    form = {f"/api/forms/{name}": {"representation": representation}}
    if representation == "hands":
        return Contents(title, f"/explore/{name}/-", ("explore", "spot"), form | _spot(workspace, name), "suits")
    tree = strategy_of(workspace, folder.name, Job.read(folder, game=game).game if game else None).profile.tree
    if len(tree.player) > _LARGEST:
        raise ParameterError(
            f"the tree of {folder.name} has {len(tree.player):,} histories; files hold at most {_LARGEST:,}.", key="run"
        )
    start = f"/api/explore/{name}"
    data = {start + asked: answer(workspace, start + asked) for asked in _tree_addresses(tree)}
    states = {page["public_state"] for page in data.values() if "public_state" in page} - {None}
    tables = (f"{start}/public?number={number}" for number in sorted(states))
    data |= {table: answer(workspace, table) for table in tables}
    return Contents(title, f"/explore/{name}/-", ("explore", "place"), form | data)


def _tree_addresses(tree: Tree) -> Iterator[str]:
    """Yield the ends of the addresses that the page of a strategy asks for; only small trees are drawn."""
    yield ""
    for node in range(len(tree.player)):
        path = f"/at/{quote(path_of(tree, node), safe=_COMPONENT)}"
        yield path
        yield from (f"{path}?seat={seat}" for seat in range(tree.players))
    yield from (f"/infoset?name={_query(name)}" for name in tree.names)
    if len(tree.player) <= DRAWN:
        yield "/whole"
        yield from (f"/whole?seat={seat}" for seat in range(tree.players))


def _query(text: str) -> str:
    """Return a text as URLSearchParams writes it."""
    return quote_plus(text, safe="*-._").replace("~", "%7E")


def _spot(workspace: Workspace, name: str) -> dict[str, Any]:
    """Return the likeliest nodes of a spot and the data of their views by their addresses, as many as fit."""
    data, size = dict[str, Any](), 0
    waiting = [(-1.0, "")]
    while waiting and size < _BUDGET:
        _, line = heapq.heappop(waiting)
        address = f"/api/spots/{name}/{quote(line.replace('/', '~'), safe=_COMPONENT) or '-'}"
        node = data[address] = answer(workspace, address)
        views = {"evs": node["player"] is not None, "cards": node["cards"] and len(node["board"]) == _SHARED_BOARD}
        more = {f"{address}/{view}": answer(workspace, f"{address}/{view}") for view, has in views.items() if has}
        data |= more
        size += len(zlib.compress(json.dumps([node, *more.values()]).encode(), 9))
        for action in node["actions"]:
            heapq.heappush(waiting, (-node["probability"] * (action["share"] or 0), action["line"]))
        for card in node["cards"] if node["player"] is None else ():
            heapq.heappush(waiting, (-node["probability"] / len(node["cards"]), f"{line}/{card}"))
    return data


def hand_contents(folder: Path, table: str, hand: int) -> Contents:
    """Return the contents of a finished hand and its neighbours, as the person at the table saw them.

    Raises:
        NotFound: there is no such hand, or its table has no coach.
    """
    workspace, data = Workspace(folder), dict[str, Any]()
    address = f"/api/tables/{table}/hands/{{}}?slip=&blunder="
    review = answer(workspace, address.format(hand))
    for number in range(max(0, hand - _NEIGHBOURS), min(review["hands"], hand + _NEIGHBOURS + 1)):
        data[address.format(number)] = answer(workspace, address.format(number))
    workspace.close()
    title = f"{review['game']}, {table[:6]}, {hand + 1}"
    return Contents(title, f"/tables/{table}/hands/{hand}", ("review",), data, review["picture"]["deck"])


def step_contents() -> Contents:
    """Return the contents of the walk through the first iterations of CFR on Kuhn poker, at every infoset."""
    workspace, data = Workspace(Path()), dict[str, Any]()
    tree = tree_of(workspace, "kuhn")
    infosets = ("", *(f"at={_query(name)}" for name in tree.names))
    for method, iteration, infoset in product(_METHODS, range(1, _ITERATIONS + 1), infosets):
        first = "" if method == "cfr" else f"method={_query(method)}"
        second = "" if iteration == 1 else f"iteration={iteration}"
        query = "&".join(part for part in (first, second, infoset) if part)
        address = f"/api/step?{query}" if query else "/api/step"
        data[address] = answer(workspace, address)
    return Contents("CFR", "/learn/step", ("step",), data)


def chapter_contents(name: str) -> Contents:
    """Return the contents of a chapter: its text and pictures, and all numbers of its widget.

    Raises:
        UnknownNameError: there is no such chapter.
    """
    if name not in chapters():
        raise UnknownNameError("chapter", name, chapters())
    workspace, address = Workspace(Path()), f"/api/learn/chapters/{name}"
    text = json.dumps(answer(workspace, address))
    for picture, content in pictures().items():
        if picture in text:
            inside = f"data:image/svg+xml;base64,{base64.b64encode(content).decode()}"
            text = text.replace(f"/api/learn/pictures/{picture}", inside)
    data = {address: {**json.loads(text), "previous": None, "next": None}}
    return Contents(chapters()[name].title, f"/learn/{name}", ("chapter",), data | _widget(workspace, name))


def widget_contents(name: str) -> Contents:
    """Return the contents of a chapter's widget alone."""
    workspace, address = Workspace(Path()), f"/api/learn/chapters/{name}"
    data = {address: {**answer(workspace, address), "nodes": [], "previous": None, "next": None}}
    start = f"/learn/{name}?widget=only"
    return Contents(chapters()[name].title, start, ("chapter",), data | _widget(workspace, name))


def _widget(workspace: Workspace, name: str) -> dict[str, Any]:
    """Return the numbers of a widget by address, for all its settings."""
    data, settings = dict[str, Any](), WIDGETS[name].settings
    for values in product(*settings.values()):
        query = "&".join(f"{key}={_query(value)}" for key, value in zip(settings, values, strict=True))
        data[f"/api/learn/widgets/{name}?{query}"] = answer(workspace, f"/api/learn/widgets/{name}?{query}")
    return data
