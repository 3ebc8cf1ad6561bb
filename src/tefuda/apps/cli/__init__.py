"""The command ``tefuda``. Commands import heavy modules themselves, to keep ``--help`` fast."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from tefuda.apps.cli.shared.encoding import flushing, wrap_streams
from tefuda.apps.cli.shared.interruption import install_signal_handlers


def main() -> None:
    """Entry point of the command ``tefuda``."""
    try:
        warnings.showwarning = warn  # type: ignore[assignment]
        install_signal_handlers()  # before the imports, which take longer than an early Ctrl-C
        wrap_streams()
        with flushing():
            __getattr__("app")()
    except KeyboardInterrupt:
        print("tefuda: interrupted before the command started", file=sys.stderr)
        sys.exit(130)


def warn(message: Warning | str, *position: Any) -> None:
    """Print a warning as one line, without its position in the source."""
    from tefuda.words import escaped

    print(f"tefuda: {escaped(str(message))}", file=sys.stderr)


def __getattr__(name: str) -> Any:
    """Return `app` with all commands, which are imported in the order of ``--help`` at the first use."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # isort: off
    from tefuda.apps.cli import solving, steps, evaluating, abstracting, resolving, exploiting  # noqa: F401
    from tefuda.apps.cli import play, playing, catalogue, holdem, koikoi, reproducing, serving  # noqa: F401

    # isort: on
    from tefuda.apps.cli.shared.common import app

    return app
