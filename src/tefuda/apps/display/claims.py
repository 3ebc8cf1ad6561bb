"""Published tables beside ours in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from tefuda.apps.display.consoles import out
from tefuda.apps.display.tables import table_of
from tefuda.apps.grids import claims_grid, published_grid

if TYPE_CHECKING:
    from tefuda.papers.claims import ClaimTable


def show_claims(table: ClaimTable) -> None:
    """Print a source's tables beside ours, its claims with our verdicts, and what to know about them."""
    if table.source is not None:
        out.print(Text(f"{table.source.key}: {table.source.cite}\n"))
    for one in table.tables:
        out.print(table_of(published_grid(one)))
        out.print(Text(f"{one.score}{f'; ± {one.error_is}' if one.error_is else ''}\n"))
    out.print(table_of(claims_grid(table)))
    for note in table.notes:
        out.print(Text(f"- {note}"))
    out.print(table.score)
