"""Ctrl-C, SIGTERM and SIGHUP: one way out of every command, from its first moment on.

Either signal raises `Interrupted`, which leaves the command with exit code 130; a command that would rather end its
work in order asks `collected`. This module imports nothing that takes time: it is loaded before everything else.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interrupted(KeyboardInterrupt):
    """The command was interrupted; the text says what is kept and how to go on.

    Never a bare KeyboardInterrupt: one that passes through ``exec`` (of any import) makes Python end by the signal.
    """


def install_signal_handlers() -> None:
    """Let Ctrl-C, SIGTERM and the end of the terminal raise `Interrupted`."""
    for number in _handled_signals():
        signal.signal(number, _interrupt)


def _handled_signals() -> list[int]:
    """Return the signals that interrupt, without SIGHUP if nohup ignores it."""
    hangup = getattr(signal, "SIGHUP", None)
    return [number for number in _SIGNALS if number != hangup or signal.getsignal(number) != signal.SIG_IGN]


def _interrupt(number: int, frame: Any) -> NoReturn:
    raise Interrupted


@contextmanager
def interruption_requested() -> Iterator[Callable[[], bool]]:
    """Yield whether there was a signal within; the second one interrupts."""
    caught: list[int] = []

    def catch(number: int, frame: Any) -> None:
        if caught:
            raise Interrupted
        caught.append(number)

    before = {number: signal.signal(number, catch) for number in _handled_signals()}
    try:
        yield lambda: bool(caught)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def on_interruption(words: str | Callable[[], str]) -> Iterator[None]:
    """Say these words, or what they are by then, if the work within is interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(words() if callable(words) else words) from None
