"""The language a person is spoken to: as asked by an option, else that of the locale."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from tefuda.errors import ParameterError

DEFAULT = "en"


def chosen_language(asked: str, known: Sequence[str], environment: Mapping[str, str] = os.environ) -> str:
    """Return the language to speak.

    Args:
        asked: the option `--language`; "" if it was not given.
        known: the languages there are.
        environment: the variables that name the locale.

    Raises:
        ParameterError: a language was asked for that is not known.
    """
    if asked:
        if asked not in known:
            raise ParameterError(f"--language must be one of {', '.join(known)} for this game, got {asked!r}.")
        return asked
    locale = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    spoken = locale.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return spoken if spoken in known else DEFAULT
