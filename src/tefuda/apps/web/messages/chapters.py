"""The chapters of docs/learn as trees of elements, from which the page makes its nodes.

A node is a text, or a list ``[tag, attributes, *nodes]``. Only tags and attributes of a fixed list pass.
"""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import tefuda

_TEXT = {
    "h1", "h2", "h3", "p", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "table", "thead", "tbody",
    "tr", "th", "td", "a", "img", "details", "summary", "div", "hr", "br",
}  # fmt: skip
_MATH = {
    "math", "mrow", "mi", "mo", "mn", "mtext", "msub", "msup", "msubsup", "mfrac", "msqrt", "mroot", "munder", "mover",
    "munderover", "mtable", "mtr", "mtd", "mspace", "mstyle", "mpadded",
}  # fmt: skip
_ATTRIBUTES = {
    "alt", "start", "src", "href", "alttext", "display", "stretchy", "fence", "form", "separator", "largeop",
    "movablelimits", "mathvariant", "columnalign", "linethickness", "width", "lspace", "rspace", "displaystyle",
    "accent", "minsize", "maxsize",
}  # fmt: skip
_FOLDERS = {"en": "learn", "ja": "learn/ja"}
_EMPTY = {"img", "hr", "br"}
#: Tags between whose nodes spaces mean nothing.
_BLANK = {"root", "table", "thead", "tbody", "tr", "ul", "ol", "math", "mrow"}
_EXTENSIONS = ["tables", "fenced_code", "md_in_html", "sane_lists", "tefuda.apps.formulas"]
_PACKED, _CLONE = Path(__file__).parents[1] / "docs", Path(tefuda.__file__).parents[2] / "docs"
#: A tag with its attributes and nodes, or a text.
Node = list[Any] | str


class Chapter(NamedTuple):
    """A chapter: its title, and its text in Markdown."""

    title: str
    text: str


@cache
def chapters(language: str = "en") -> dict[str, Chapter]:
    """Return the chapters of a language by their names in addresses, in order; some have no Japanese text."""
    found = []
    for path in (_folder() / _FOLDERS[language]).glob("*.md"):
        text = path.read_text(encoding="utf-8")
        number, title = re.match(r"# (\d+)\. (.*)", text).groups()  # type: ignore[union-attr]
        found.append((int(number), path.stem, Chapter(title, text)))
    return {name: chapter for _, name, chapter in sorted(found)}


@cache
def pictures() -> dict[str, bytes]:
    """Return the pictures of the chapters by file name."""
    return {path.name: path.read_bytes() for path in (_folder() / "learn").glob("*.svg")}


@cache
def chapter_nodes(name: str, language: str = "en") -> tuple[Node, ...]:
    """Return the nodes of a chapter. Links lead to other chapters; all other links become plain text."""
    return markdown_nodes(chapters(language)[name].text)


@cache
def glossary_nodes() -> tuple[Node, ...]:
    """Return the nodes of the glossary."""
    return markdown_nodes((_folder() / "glossary.md").read_text(encoding="utf-8"))


def markdown_nodes(text: str) -> tuple[Node, ...]:
    """Return the nodes of a text in Markdown."""
    from markdown import markdown

    return nodes_of_html(markdown(text, extensions=_EXTENSIONS))


def nodes_of_html(text: str) -> tuple[Node, ...]:
    """Return the nodes of an HTML text."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return tuple(reader.root[2:])


def _folder() -> Path:
    """Return the folder of the documentation: in the installed package, or in a clone of the repository."""
    return _PACKED if _PACKED.is_dir() else _CLONE


class _Reader(HTMLParser):
    """Builds the nodes of an HTML text; other tags than the listed ones are left out, their texts stay."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root: list[Any] = ["root", {}]
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TEXT | _MATH:
            return
        node: list[Any] = [tag, _attributes(tag, attrs)]
        if tag == "a" and not node[1]:
            node[0] = "span"
        self._open[-1].append(node)
        if tag not in _EMPTY:
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        names = ("a", "span") if tag == "a" else (tag,)
        if self._open[-1][0] in names:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if data.strip() or self._open[-1][0] not in _BLANK:
            self._open[-1].append(data)


def _attributes(tag: str, attrs: list[tuple[str, str | None]]) -> dict[str, str]:
    """Return the listed attributes, with addresses of the page."""
    found = {name: value or "" for name, value in attrs if name in _ATTRIBUTES}
    if "src" in found:
        found["src"] = f"/api/learn/pictures/{found['src'].removeprefix('../')}"
    if "href" in found:
        match = re.fullmatch(r"(?:\.\./)?([\w-]+)\.md", found.pop("href"))
        if match and match[1] in chapters():
            found["href"] = f"/learn/{match[1]}"
    return found
