"""The phrases of Koi-Koi in English and Japanese; their texts are in phrases.toml."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tefuda.games import phrases as reader

_PATH = Path(__file__).with_name("phrases.toml")


def phrases(part: str, language: str) -> Mapping[str, str]:
    """Return the phrases of a part in a language.

    Args:
        part: ``"table"``, a match at the terminal, or ``"guide"``, the page of rules.
        language: ``"en"`` or ``"ja"``.
    """
    return reader.phrases(part, language, _PATH)
