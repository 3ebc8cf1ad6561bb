"""Where things are printed, and how wide that is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions
from rich.segment import Segment
from rich.text import Text

from tefuda.words import harmless


class Screen(Console):
    """A console on which text from files and labels never acts: no markup, no emoji, no escape codes.

    Everything printed is rendered by `render`; strings are cleaned before their width is measured.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        """A string as it can be printed; never markup."""
        return super().render_str(harmless(text), **(settings | {"markup": False, "emoji": False}))

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The parts of anything, their texts cleaned; those that move the cursor are rich's own."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=harmless(segment.text))


out = Screen()
err = Screen(stderr=True)


def wide() -> int:
    """Characters in a line, within what can be read: 40 to 200."""
    return min(max(out.width, 40), 200)
