"""Phrases in English and Japanese, read from toml files beside the code that uses them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tefuda.errors import check_choice

#: Languages of all texts for players; the first is the default.
LANGUAGES = ("en", "ja")

_OWN = Path(__file__).with_name("phrases.toml")


@cache
def phrases(section: str, language: str = LANGUAGES[0], path: Path = _OWN) -> Mapping[str, str]:
    """Return the phrases of a section in a language, with braces for values.

    Args:
        section: name of a table of the file.
        language: one of `LANGUAGES`.
        path: toml file; by default that of the small games.

    >>> phrases("betting", "ja")["fold"]
    'フォールド'
    """
    check_choice("language", language, LANGUAGES)
    book = tomllib.loads(path.read_text("utf-8"))
    return {name: texts[language] for name, texts in book[section].items()}


def between(language: str) -> str:
    """Return the separator of listed things: ``", "`` in English."""
    return phrases("moves", language)["between"]
