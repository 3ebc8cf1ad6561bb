"""Claims and tables of a source as grids, as a report for terminals, and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from rich.text import Text

from tefuda.apps.grids import Grid
from tefuda.apps.notebook import table as html_table
from tefuda_reproductions.claims import ClaimTable, PublishedTable


def claims_grid(table: ClaimTable) -> Grid:
    """Return published claims beside our figures, with our verdicts."""
    rows = tuple(
        (claim.name, claim.claim, claim.published, claim.ours, claim.condition, claim.status) for claim in table.claims
    )
    named = int(not any(claim.name for claim in table.claims))  # without names no column for them
    columns = ("", "claim", "published", "ours", "met if", "status")
    return Grid(columns[named:], tuple(row[named:] for row in rows), table.title, tuple(range(6 - named)))


def published_grid(table: PublishedTable) -> Grid:
    """Return a published table with our figures beside it."""
    heads, rows = table.shown()
    title = f"{table.name}: {table.title}"
    return Grid(tuple(heads), tuple(map(tuple, rows)), title, tuple(range(len(table.heads))))


def claims_report(table: ClaimTable) -> Iterator[Any]:
    """Yield the published tables beside ours, the claims with our verdicts, and notes."""
    if table.source is not None:
        yield Text(f"{table.source.key}: {table.source.cite}\n")
    for published in table.tables:
        yield published_grid(published)
        yield Text(f"{published.score}{f'; ± {published.error_is}' if published.error_is else ''}\n")
    yield claims_grid(table)
    yield from (Text(f"- {note}") for note in table.notes)
    yield table.score


def html_of(claims: ClaimTable) -> str:
    """Return the HTML of tables, claims and notes; all text is escaped."""
    tables = [html_table(published_grid(one)) for one in claims.tables] + [html_table(claims_grid(claims))]
    notes = "".join(f"<li>{escape(note)}</li>" for note in claims.notes)
    return "".join(tables) + (f"<ul>{notes}</ul>" if notes else "") + f"<p>{escape(claims.score)}</p>"
