"""Handling of Ctrl-C, SIGTERM and SIGHUP.

Each signal raises `Interrupted`, which ends the command with exit code 130. A command that has to save its work uses
`interruption_requested`. This module is loaded first and imports nothing slow.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interrupted(KeyboardInterrupt):
    """Interruption of a command, with a message on saved work and on resuming.

    A bare KeyboardInterrupt that passes through ``exec``, in any import, would make Python end by the signal.
    """


def install_signal_handlers() -> None:
    """Make Ctrl-C, SIGTERM and the end of the terminal raise `Interrupted`."""
    for number in _handled_signals():
        signal.signal(number, _interrupt)


def _handled_signals() -> list[int]:
    """Return the signals to handle: without SIGHUP under nohup, which ignores it."""
    hangup = getattr(signal, "SIGHUP", None)
    return [number for number in _SIGNALS if number != hangup or signal.getsignal(number) != signal.SIG_IGN]


def _interrupt(number: int, frame: Any) -> NoReturn:
    raise Interrupted


@contextmanager
def interruption_requested() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns True after the first signal; a second signal interrupts."""
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
def on_interruption(message: str | Callable[[], str]) -> Iterator[None]:
    """Set the message of an interruption of the block: a text, or a function that returns it."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(message() if callable(message) else message) from None
