"""Phrases of all games at the terminal, in English and Japanese, with braces for values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tefuda.games.phrases import LANGUAGES, phrases

#: Phrases of one language by name.
Words = Mapping[str, str]

PHRASES: Mapping[str, Words] = {
    language: phrases("terminal", language, Path(__file__).with_name("phrases.toml")) for language in LANGUAGES
}
