"""Letters that a terminal lacks, written with those it has."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
import unicodedata
from typing import Any

_REPLACEMENTS = {
    "±": "+-",
    "–": "-",
    "—": "-",
    "…": "...",
    "×": "x",
    "’": "'",
    "“": '"',
    "”": '"',
    "≥": ">=",
    "≤": "<=",
}


def replace_unencodable(error: UnicodeError) -> tuple[str, int]:
    """Replace letters that cannot be written (a handler of codecs): ``é`` by ``e``."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = (_replacement(letter) for letter in error.object[error.start : error.end])
    return "".join(letters), error.end


def _replacement(letter: str) -> str:
    base = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return _REPLACEMENTS.get(letter) or base or letter.encode("ascii", "backslashreplace").decode()


class _Terminal(io.FileIO):
    """A terminal; after it is closed, writing to it is no error."""

    def write(self, data: Any) -> int:
        """Write some bytes; see `io.FileIO`."""
        try:
            return super().write(data)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return len(data)


def wrap_streams() -> None:
    """Use both for the streams of this process."""
    codecs.register_error("tefuda", replace_unencodable)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="tefuda")
        if isinstance(stream, io.TextIOWrapper) and stream.isatty():
            buffer = io.BufferedWriter(_Terminal(os.dup(stream.fileno()), "w"))
            again = io.TextIOWrapper(buffer, stream.encoding, "tefuda", line_buffering=True)
            setattr(sys, name, again)
