"""Output on terminals that cannot encode every character, and on disks that are full."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
    """Replace characters that cannot be encoded (an error handler of codecs): ``é`` by ``e``."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(map(_replacement, characters)), error.end


def _replacement(character: str) -> str:
    base = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return _REPLACEMENTS.get(character) or base or character.encode("ascii", "backslashreplace").decode()


class _Terminal(io.FileIO):
    """A terminal that ignores writes after it is closed."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return len(data)


def wrap_streams() -> None:
    """Make standard output and error replace characters and ignore a closed terminal."""
    codecs.register_error("tefuda", replace_unencodable)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="tefuda")
        if isinstance(stream, io.TextIOWrapper) and stream.isatty():
            buffer = io.BufferedWriter(_Terminal(os.dup(stream.fileno()), "w"))
            wrapper = io.TextIOWrapper(buffer, stream.encoding, "tefuda", line_buffering=True)
            setattr(sys, name, wrapper)


@contextmanager
def flushing() -> Iterator[None]:
    """Flush standard output at the end; exit with code 1 if its disk is full or its reader has ended."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:
        from tefuda.locks import STORAGE_ERRORS

        if error.errno not in {*STORAGE_ERRORS, errno.EPIPE}:
            raise
        if error.errno != errno.EPIPE:
            with suppress(OSError):  # standard error may be on the same disk
                print(f"tefuda: cannot write {error.filename or 'output or files'}: {error.strerror}.", file=sys.stderr)
        for stream in filter(None, (sys.stdout, sys.stderr)):  # Python flushes both once more at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        sys.exit(1)
