"""The consoles for results and for messages."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO, TextIOWrapper
from typing import Any

from rich.console import Console, ConsoleOptions
from rich.segment import Segment
from rich.text import Text

from tefuda.words import escaped


class SafeConsole(Console):
    """A console that prints text as it is: no markup, no emoji, no escape codes."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        """Return a text with escaped control characters, before its width is measured."""
        return super().render_str(escaped(text), **(settings | {"markup": False, "emoji": False}))

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the parts of anything with harmless texts; rich's own parts move the cursor."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=escaped(segment.text))


out = SafeConsole()
err = SafeConsole(stderr=True)


def show(*things: Any) -> None:
    """Print things one below the other; long lines of text are not wrapped."""
    for thing in things:
        out.print(thing, soft_wrap=isinstance(thing, str) or getattr(thing, "no_wrap", None) is True)


def text_of(thing: Any, width: int = 100) -> str:
    """Return anything printable as plain text, in characters that the output can show."""
    file = TextIOWrapper(BytesIO(), out.encoding, "backslashreplace")
    SafeConsole(file=file, width=width, color_system=None, force_jupyter=False).print(thing)
    file.flush()
    return file.buffer.getvalue().decode(out.encoding).rstrip("\n")


def terminal_width() -> int:
    """Return the width of the terminal in characters, limited to 40 to 200."""
    return min(max(out.width, 40), 200)
