"""The language of the texts for people: that of an option, else of the locale."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from tefuda.errors import check_choice

DEFAULT = "en"


def chosen_language(asked: str, known: Sequence[str], environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of the option `--language`, or of the locale."""
    if asked:
        check_choice("--language", asked, known)
        return asked
    locale = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    spoken = locale.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return spoken if spoken in known else DEFAULT
