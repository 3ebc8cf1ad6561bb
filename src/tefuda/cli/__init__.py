"""The command ``tefuda``. Heavy modules are imported inside commands, so that ``--help`` answers at once."""

from __future__ import annotations

# isort: off
from tefuda.cli import catalogue, solving, judging, playing  # noqa: F401 (registers them, in the order of --help)
from tefuda.cli.common import app
# isort: on


def main() -> None:
    """Entry point of the command ``tefuda``."""
    app()
