"""Letters a terminal lacks, written with those it has: nothing that is printed ever fails for its letters."""

from __future__ import annotations

import codecs
import sys
import unicodedata

_SPELT = {"±": "+-", "–": "-", "—": "-", "…": "...", "×": "x", "’": "'", "“": '"', "”": '"', "≥": ">=", "≤": "<="}


def spelt(error: UnicodeError) -> tuple[str, int]:
    """What stands for letters that cannot be written (a handler of codecs): ``e`` for ``é``, else an escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = (_spelt(letter) for letter in error.object[error.start : error.end])
    return "".join(letters), error.end


def _spelt(letter: str) -> str:
    base = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return _SPELT.get(letter) or base or letter.encode("ascii", "backslashreplace").decode()


def take_over_streams() -> None:
    """From now on what is printed in this process is spelt so."""
    codecs.register_error("spelt", spelt)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="spelt")
