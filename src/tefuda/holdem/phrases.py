"""The phrases of hold'em in English and Japanese; their texts are in phrases.toml."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tefuda.games import phrases as reader

_PATH = Path(__file__).with_name("phrases.toml")


def phrases(part: str, language: str) -> Mapping[str, str]:
    """Return the phrases of a part in a language.

    Args:
        part: ``"strength"``, ``"table"``, the view of a player, or ``"person"``, play at the terminal.
        language: ``"en"`` or ``"ja"``.
    """
    return reader.phrases(part, language, _PATH)
