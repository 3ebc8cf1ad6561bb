"""The language of texts for players."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from tefuda.errors import check_choice

DEFAULT = "en"


def chosen_language(option: str, known: Sequence[str], environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of the option `--language`, or of the locale."""
    if option:
        check_choice("--language", option, known)
        return option
    locale = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    language = locale.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return language if language in known else DEFAULT
