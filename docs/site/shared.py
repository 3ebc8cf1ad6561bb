"""Shared files in the pages: live widgets of the chapters, and strategies to explore."""

from __future__ import annotations

import posixpath
import tempfile
from collections.abc import Callable
from pathlib import Path

import tefuda as td
from tefuda.apps.share.contents import Contents, run_contents, step_contents, widget_contents
from tefuda.apps.share.making import shared_file
from tefuda.apps.web.messages.widgets import WIDGETS

FOLDER = "shared"


def strategy(game: str, iterations: int) -> Contents:
    """Return the strategy of a small game to explore."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / game
        td.solve(td.load_game(game), "cfr+", iterations=iterations, checkpoint=run)
        return run_contents(run)


#: The contents of each file, and the page that embeds it before its second heading.
EMBEDDED: dict[str, tuple[str, Callable[[], Contents]]] = {
    "kuhn": ("first-steps.md", lambda: strategy("kuhn", 1_000)),
    "leduc": ("games.md", lambda: strategy("leduc", 3_000)),
    "step": ("learn/cfr-by-hand.md", step_contents),
    **{
        name: (f"learn/{name}.md", lambda name=name: widget_contents(name)) for name in WIDGETS if name != "cfr-by-hand"
    },
}


def embedded(page: str, text: str) -> str:
    """Return the text of a page of the site with the shared file that belongs to it."""
    for name, (target, _) in EMBEDDED.items():
        if target == page:
            file = posixpath.relpath(f"{FOLDER}/{name}.html", posixpath.dirname(page) or ".")
            frame = f'<iframe class="shared" src="{file}" title="Live: {name}" loading="lazy"></iframe>'
            link = f'<p><a href="{file}" target="_blank">Open it in a window of its own.</a></p>'
            start, heading, end = text.partition("\n## ")
            return f"{start}\n{frame}\n{link}\n{heading}{end}"
    return text


def write_shared(folder: Path) -> None:
    """Write all shared files into the folder of the pages."""
    (folder / FOLDER).mkdir(exist_ok=True)
    for name, (_, contents) in EMBEDDED.items():
        (folder / FOLDER / f"{name}.html").write_text(shared_file(contents()), encoding="utf-8")
