"""Routes of the chapters: their list, texts, pictures and widgets."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from tefuda.apps.web.calls import Call, NotFound, get
from tefuda.apps.web.messages.chapters import Node, chapter_nodes, chapters, glossary_nodes, pictures
from tefuda.apps.web.messages.widgets import WIDGETS, widget_numbers, widget_settings
from tefuda.apps.web.workspace import Workspace

_HEADINGS = ("h1", "h2", "h3")
#: Pages that follow a chapter.
_FURTHER = {
    "cfr-by-hand": "/learn/step?game=kuhn&method=cfr&iteration=1&times=24",
    "the-answer": "/solve?game=kuhn&method=cfr%2B",
    "family": "/solve?game=leduc&method=cfr,cfr%2B,dcfr,pcfr%2B",
    "sampling": "/solve?game=leduc&method=external,outcome",
    "exploiting": "/exploit?game=leduc",
    "large-games": "/play",
}


def listing(workspace: Workspace, call: Call) -> list[dict[str, Any]]:
    """Return the names and titles of all chapters, and the Japanese titles of those that have one."""
    japanese = {name: chapter.title for name, chapter in chapters("ja").items()}
    return [
        {"name": name, "title": chapter.title, "japanese": japanese.get(name)} for name, chapter in chapters().items()
    ]


def chapter(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return a chapter in its languages, its neighbours, and the settings of its widget."""
    name, names = call.path["chapter"], list(chapters())
    if name not in names:
        raise NotFound(f"there is no chapter {name[:80]!r}; open the list of chapters.", key="chapter")
    place = names.index(name)
    near = {"previous": names[place - 1] if place else None, "next": names[place + 1] if name != names[-1] else None}
    settings = WIDGETS[name].settings if name in WIDGETS else {}
    about = {"name": name, "further": _FURTHER.get(name), "settings": settings, **near}
    return {**about, **_text(name, "en"), "japanese": _text(name, "ja") if name in chapters("ja") else None}


def _text(name: str, language: str) -> dict[str, Any]:
    """Return the title and the nodes of a chapter, and the place of its widget among them."""
    nodes = chapter_nodes(name, language)
    headings = [place for place, node in enumerate(nodes) if node[0] in _HEADINGS]
    place = headings[1] if len(headings) > 1 else len(nodes)
    return {"title": chapters(language)[name].title, "nodes": nodes, "widget_at": place}


def widget(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the numbers of a chapter's widget for the settings of the query."""
    name = call.path["chapter"]
    if name not in WIDGETS:
        raise NotFound(f"the chapter {name[:80]!r} has no widget.", key="chapter")
    return widget_numbers(name, *widget_settings(name, call.query).values())


def glossary(workspace: Workspace, call: Call) -> tuple[Node, ...]:
    """Return the glossary."""
    return glossary_nodes()


def picture(workspace: Workspace, call: Call) -> Response:
    """Return a picture of a chapter."""
    data = pictures().get(call.path["name"])
    if data is None:
        raise NotFound("there is no such picture.", key="name")
    return Response(data, media_type="image/svg+xml", headers={"Cache-Control": "no-cache"})


ROUTES = (
    get("/api/learn", listing),
    get("/api/learn/chapters/{chapter}", chapter),
    get("/api/learn/widgets/{chapter}", widget),
    get("/api/learn/glossary", glossary),
    get("/api/learn/pictures/{name}", picture),
)
