"""A Markdown extension: formulas between dollars become MathML.

`$...$` is a formula in a line, `$$...$$` on lines of their own is displayed.
The TeX stays as the `alttext` of the formula.
"""

from __future__ import annotations

import html
import re
from typing import Any
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.preprocessors import Preprocessor

DISPLAYED = re.compile(r"^\$\$\n(.*?)\n\$\$$", re.DOTALL | re.MULTILINE)
INLINE = r"(?<![\\$\w])\$(?=\S)([^$\n]+?)(?<=\S)\$(?![\w$])"


def mathml(tex: str, display: str = "inline") -> str:
    """Return a formula as MathML."""
    return convert(tex, display=display).replace("<math ", f'<math alttext="{html.escape(tex)}" ', 1)


class Displayed(Preprocessor):
    """Replaces displayed formulas before Markdown reads their text."""

    def run(self, lines: list[str]) -> list[str]:
        """Return the lines with formulas as blocks of HTML."""
        return DISPLAYED.sub(self._block, "\n".join(lines)).split("\n")

    def _block(self, match: re.Match[str]) -> str:
        return "\n" + self.md.htmlStash.store(f'<div class="formula">{mathml(match[1], "block")}</div>') + "\n"


class Inline(InlineProcessor):
    """Replaces formulas within a line."""

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str | Element, int, int]:
        """Return the MathML of a match."""
        return self.md.htmlStash.store(mathml(m[1])), m.start(0), m.end(0)


class Formulas(Extension):
    """The extension: formulas between dollars."""

    def extendMarkdown(self, md: Markdown) -> None:
        """See Python-Markdown."""
        md.preprocessors.register(Displayed(md), "formulas", 24)  # after fenced code has been taken out
        md.inlinePatterns.register(Inline(INLINE, md), "formulas", 185)  # after code in backticks


def makeExtension(**options: Any) -> Formulas:
    """Return the extension; Python-Markdown calls it."""
    return Formulas(**options)
