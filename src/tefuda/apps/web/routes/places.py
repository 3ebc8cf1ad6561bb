"""Routes of the pages that explore strategies of trees: nodes with the numbers of `routes.explore`."""

from __future__ import annotations

from typing import Any

from tefuda.apps.web.calls import Call, get
from tefuda.apps.web.messages import places
from tefuda.apps.web.messages.nodes import Node
from tefuda.apps.web.messages.places import Place
from tefuda.apps.web.routes import explore
from tefuda.apps.web.workspace import Workspace


def head(workspace: Workspace, call: Call) -> list[Node]:
    """Return the head of all pages of a strategy."""
    return places.head_nodes(_about(workspace, call))


def page(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the page of a history, or of a public state; an infoset leads to its likeliest history."""
    place = _place(call)
    if "infoset" in call.query:
        found = explore.infoset(workspace, _with_query(call, name=call.query["infoset"]))
        return {"moved": place._replace(path=found["path"]).address()}
    about = _about(workspace, call)
    if "public" in call.query:
        table = explore.public(workspace, _with_query(call, number=call.query["public"]))
        return {"nodes": places.public_nodes(place, about, table)}
    position = explore.position(workspace, call)
    if "moved" in position:
        return {"moved": place._replace(path=position["moved"]).address()}
    return places.place_page(place, about, position)


def table(workspace: Workspace, call: Call) -> list[Node]:
    """Return the strategy in a public state."""
    return places.table_nodes(_place(call), explore.public(workspace, call))


def time(workspace: Workspace, call: Call) -> list[Node]:
    """Return charts of an infoset over the iterations."""
    return places.time_nodes(call.query.get("infoset", ""), explore.series(workspace, call))


def tree(workspace: Workspace, call: Call) -> list[Node]:
    """Return a drawing of the game around a history."""
    inner = call._replace(path={**call.path, "path": call.query.get("path", places.ROOT)})
    position = explore.position(workspace, inner)
    histories = explore.drawn_tree(workspace, _with_query(call, infoset=position["infoset"] or ""))["histories"]
    return places.drawing_nodes(_place(inner), position, histories)


def _about(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the summary of a strategy, made once."""
    key = ("about", explore.strategy_of(workspace, call.path["id"]).key, call.query.get("lang"))
    return workspace.values.get(key, lambda: explore.about(workspace, call))


def _place(call: Call) -> Place:
    seat = call.number("seat", -1) if "seat" in call.query else None
    return Place(call.path["id"], call.path.get("path", places.ROOT), seat)


def _with_query(call: Call, **query: str) -> Call:
    return call._replace(query={**call.query, **query})


ROUTES = (
    get("/api/places/{id}", head),
    get("/api/places/{id}/{path:path}", page),
    get("/api/panels/{id}/table", table),
    get("/api/panels/{id}/time", time),
    get("/api/panels/{id}/tree", tree),
)
