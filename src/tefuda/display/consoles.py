"""Where things are printed, and how wide that is."""

from __future__ import annotations

from rich.console import Console

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def wide() -> int:
    """Characters in a line, within what can be read: 40 to 200."""
    return min(max(out.width, 40), 200)
