"""The command ``tefuda``. Heavy modules are imported inside commands, so that ``--help`` answers at once."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from tefuda.apps.cli.shared.encoding import wrap_streams
from tefuda.apps.cli.shared.interruption import install_signal_handlers


def main() -> None:
    """Entry point of the command ``tefuda``."""
    try:
        warnings.showwarning = warn  # type: ignore[assignment]
        install_signal_handlers()  # before the imports: they take longer than a hasty Ctrl-C
        wrap_streams()
        __getattr__("app")()
    except KeyboardInterrupt:
        print("tefuda: interrupted before anything was done", file=sys.stderr)
        sys.exit(130)


def warn(message: Warning | str, *where: Any) -> None:
    """Print a warning as one line, without where in the source it arose."""
    from tefuda.words import escaped

    print(f"tefuda: {escaped(str(message))}", file=sys.stderr)


def __getattr__(name: str) -> Any:
    """`app` with all commands, registered in the order of ``--help`` when it is first asked for."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # isort: off
    from tefuda.apps.cli import solving, steps, evaluating, abstracting, resolving, lookahead, exploiting  # noqa: F401
    from tefuda.apps.cli import play, playing, catalogue, holdem, solved, limit, koikoi, papers  # noqa: F401

    # isort: on
    from tefuda.apps.cli.shared.common import app

    return app
