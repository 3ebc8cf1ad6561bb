"""A Markdown extension: examples that begin with `>>>` become blocks of Python code."""

from __future__ import annotations

import re
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)


class Examples(Preprocessor):
    """Fences examples before Markdown reads them as quotations."""

    def run(self, lines: list[str]) -> list[str]:
        """Return the lines with each example in a fence of its own."""
        return EXAMPLE.sub(lambda match: f"\n```pycon\n{match[0]}\n```\n", "\n".join(lines)).split("\n")


class Doctests(Extension):
    """Examples of docstrings as code."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.preprocessors.register(Examples(md), "doctests", 30)  # before fences are read


def makeExtension(**options: Any) -> Doctests:
    return Doctests(**options)
