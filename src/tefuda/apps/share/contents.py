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
from tefuda.apps.web.routes.explore import DRAWN, strategy_of
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError, UnknownNameError
from tefuda.forms.paths import path_of
from tefuda.solvers.runs.run import read_run

_BUDGET = 900_000  # compressed bytes of the nodes of a spot
_LARGEST = 5_000  # histories of a tree that is shared whole


@dataclass(frozen=True)
class Contents:
    """What a file shows: its title, first address, pages, and JSON values by address."""

    title: str
    start: str
    pages: tuple[str, ...]
    data: dict[str, Any]


def contents_of(target: str) -> Contents:
    """Return the contents of a run by its folder, or of ``learn/CHAPTER``.

    Raises:
        InputError: there is no such run or chapter, or the run cannot be shared.
    """
    kind, slash, name = target.partition("/")
    if kind == "learn" and slash and not Path(target).is_dir():
        if name not in chapters():
            raise UnknownNameError("chapter", name, chapters())
        return chapter_contents(name)
    return run_contents(Path(target))


def run_contents(folder: Path) -> Contents:
    """Return the contents of a run: every history of a small tree, or the likeliest nodes of a spot.

    Raises:
        ParameterError: the run has neither, or its tree is too large.
    """
    content = read_run(folder)
    workspace, name = Workspace(folder.parent), quote(folder.name, safe="")
    title = content.get("title") or f"{content['game']}, {content['method_parameters']['name']}"
    representation = content["form"]["representation"]
    if representation not in ("tree", "hands"):
        raise ParameterError(
            f"{folder} has the representation {representation}; share a run of a tree or of a spot of hold'em.",
            key="run",
        )
    form = {f"/api/forms/{name}": {"representation": representation}}
    if representation == "hands":
        return Contents(title, f"/explore/{name}/-", ("explore", "spot"), form | _spot(workspace, name))
    data = {address: answer(workspace, address) for address in _tree_addresses(workspace, folder.name)}
    return Contents(title, f"/explore/{name}/-", ("explore", "place"), form | data)


def _tree_addresses(workspace: Workspace, run: str) -> Iterator[str]:
    """Yield all addresses that the page of a strategy asks for."""
    tree = strategy_of(workspace, run).profile.tree
    if len(tree.player) > _LARGEST:
        raise ParameterError(
            f"the tree of {run} has {len(tree.player):,} histories; files hold at most {_LARGEST:,}.", key="run"
        )
    start = f"/api/explore/{quote(run, safe='')}"
    yield start
    if len(tree.player) <= DRAWN:
        yield f"{start}/tree"
    for node in range(len(tree.player)):
        position = f"{start}/at/{quote(path_of(tree, node), safe=_COMPONENT)}"
        yield position
        yield from (f"{position}?seat={seat}" for seat in range(tree.players))
    for name in tree.names:
        yield f"{start}/infoset?name={_query(name)}"
    for state in answer(workspace, start)["public_states"]:
        yield f"{start}/public?number={state['number']}"


_COMPONENT = "!'()*-._~"  # letters that JavaScript's encodeURIComponent leaves


def _query(text: str) -> str:
    """Return a text as URLSearchParams writes it."""
    return quote_plus(text, safe="*-._").replace("~", "%7E")


def _spot(workspace: Workspace, name: str) -> dict[str, Any]:
    """Return the likeliest nodes of a spot by their addresses, as many as fit."""
    data, size = dict[str, Any](), 0
    waiting = [(-1.0, "")]
    while waiting and size < _BUDGET:
        _, line = heapq.heappop(waiting)
        address = f"/api/spots/{name}/{quote(line.replace('/', '~'), safe=_COMPONENT + ';,?:@&=+$#') or '-'}"
        node = data[address] = answer(workspace, address)
        size += len(zlib.compress(json.dumps(node).encode(), 9))
        for action in node["actions"]:
            heapq.heappush(waiting, (-node["probability"] * (action["share"] or 0), action["line"]))
        for card in node["cards"] if node["player"] is None else ():
            heapq.heappush(waiting, (-node["probability"] / len(node["cards"]), f"{line}/{card}"))
    return data


def chapter_contents(name: str) -> Contents:
    """Return the contents of a chapter: its text and pictures, and all numbers of its widget."""
    workspace, address = Workspace(Path()), f"/api/learn/chapters/{name}"
    text = json.dumps(answer(workspace, address))
    for picture, content in pictures().items():
        if picture in text:
            inside = f"data:image/svg+xml;base64,{base64.b64encode(content).decode()}"
            text = text.replace(f"/api/learn/pictures/{picture}", inside)
    data = {address: {**json.loads(text), "previous": None, "next": None}}
    settings = WIDGETS[name].settings
    for values in product(*settings.values()):
        query = "&".join(f"{key}={_query(value)}" for key, value in zip(settings, values, strict=True))
        data[f"/api/learn/widgets/{name}?{query}"] = answer(workspace, f"/api/learn/widgets/{name}?{query}")
    return Contents(chapters()[name].title, f"/learn/{name}", ("chapter",), data)
