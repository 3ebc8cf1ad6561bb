"""Nodes: pages as trees of elements, with words and numbers that the page writes in its language.

A node is a text, a list ``[tag, attributes, *nodes]``, or a value to write: ``{"t": key, ...}`` is a word of
``static/words`` with its values, ``{"n": number}``, ``{"s": number}`` and ``{"p": number}`` are a number, a number with
its sign, and a share in per cent; ``{"d": time}`` is a time in ISO 8601. None shows nothing.
Some tags are parts that the page makes: ``rows`` is a table of a head and rows, ``bar`` a bar of actions, ``chart`` a
chart, ``tree`` a drawn game, ``setting`` a box of a setting that the browser keeps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, quote_plus, urlencode

#: A node of a page.
Node = Any

_COMPONENT = "!'()*-._~"  # letters that addresses leave as they are


def word(key: str, **values: Any) -> Node:
    """Return a word of the page with its values."""
    return {"t": key, **values}


def number(value: float | None, digits: int = 0) -> Node:
    """Return a number with at most `digits` significant digits; 0 for six."""
    return _written("n", value, digits)


def signed(value: float | None, digits: int = 0) -> Node:
    """Return a number with its sign and at most `digits` significant digits; 0 for four."""
    return _written("s", value, digits)


def percent(value: float | None, digits: int = 0) -> Node:
    """Return a share in per cent with at most `digits` significant digits; 0 for three."""
    return _written("p", value, digits)


def _written(kind: str, value: float | None, digits: int) -> Node:
    return {kind: value, "digits": digits} if digits else {kind: value}


def rows(label: Node, head: Sequence[Node], body: Sequence[Sequence[Node]]) -> Node:
    """Return a table with a name; the first cell of a row is its heading."""
    return ["rows", {"aria-label": label}, head, body]


def link(href: str, *nodes: Node, **attributes: Any) -> Node:
    """Return a link."""
    return ["a", {"href": href, **attributes}, *nodes]


def scroll(label: Node, *nodes: Node) -> Node:
    """Return a part that scrolls sideways."""
    return ["div", {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": label}, *nodes]


def field(label: Node, tag: str, attributes: Mapping[str, Any], *nodes: Node) -> Node:
    """Return a labelled control."""
    return ["label", {}, ["span", {}, label], [tag, dict(attributes), *nodes]]


def address(path: str, /, **query: Any) -> str:
    """Return an address with a query of the values that are not None, written as browsers write it.

    >>> address("/explore/kuhn/-", seat=0, show=None)
    '/explore/kuhn/-?seat=0'
    """
    known = {name: value for name, value in query.items() if value is not None}
    text = urlencode(known, quote_via=lambda part, *_: quote_plus(part, safe="*-._").replace("~", "%7E"))
    return path + (f"?{text}" if text else "")


def component(text: str) -> str:
    """Return a text as a part of the path of an address."""
    return quote(text, safe=_COMPONENT)
