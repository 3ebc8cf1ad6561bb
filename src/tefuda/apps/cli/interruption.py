"""Ctrl-C and SIGTERM: one way out of every command, from its first moment on.

Either signal raises `Interrupted`, which leaves the command with exit code 130; a command that would rather end its
work in order asks `collected`. This module imports nothing that takes time: it is loaded before everything else.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """The command was interrupted; the text says what is kept and how to go on.

    Never a bare KeyboardInterrupt: one that passes through ``exec`` (of any import) makes Python end by the signal.
    """


def take_over() -> None:
    """From now on both signals raise `Interrupted`, in this process for good."""
    for number in _SIGNALS:
        signal.signal(number, _interrupt)


def _interrupt(number: int, frame: Any) -> NoReturn:
    raise Interrupted


@contextmanager
def collected() -> Iterator[Callable[[], bool]]:
    """Within, the first signal is only noted, for what is yielded to tell; the second one interrupts."""
    caught: list[int] = []

    def catch(number: int, frame: Any) -> None:
        if caught:
            raise Interrupted
        caught.append(number)

    before = {number: signal.signal(number, catch) for number in _SIGNALS}
    try:
        yield lambda: bool(caught)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def going_on(words: str | Callable[[], str]) -> Iterator[None]:
    """Say these words, or what they are by then, if what is within is interrupted: what is kept, and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(words() if callable(words) else words) from None
