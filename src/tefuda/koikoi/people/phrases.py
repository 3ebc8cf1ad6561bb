"""The phrases of Koi-Koi in English and Japanese; their texts are in phrases.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path


@cache
def phrases(part: str, language: str) -> dict[str, str]:
    """Return the phrases of a part in a language.

    Args:
        part: ``"table"``, a match at the terminal, or ``"guide"``, the page of rules.
        language: ``"en"`` or ``"ja"``.
    """
    book = tomllib.loads((Path(__file__).parent / "phrases.toml").read_text("utf-8"))
    return {name: texts[language] for name, texts in book[part].items()}
