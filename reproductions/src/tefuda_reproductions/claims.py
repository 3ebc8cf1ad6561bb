"""Published tables and claims compared with our figures: met, not met, or not evaluated."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tefuda.figure import Panel
from tefuda.lazy import load_reference
from tefuda.words import count

Grid = tuple[tuple[float | None, ...], ...]
STATUS = {True: "met", False: "not met", None: "not evaluated"}


@dataclass(frozen=True)
class Claim:
    """Claim and our figure.

    Attributes:
        claim: the claim in words; empty for a claim of a `Source`, which has them.
        published: published figure.
        ours: our figure.
        condition: condition for meeting the claim, such as ``"within 1e-7"``, or the reason for not evaluating it.
        met: True if our figure meets the claim; None: not evaluated.
        name: name such as ``"004-c8"``; empty for our own claims.
    """

    claim: str
    published: str
    ours: str
    condition: str
    met: bool | None
    name: str = ""

    @property
    def status(self) -> str:
        """``"met"``, ``"not met"`` or ``"not evaluated"``."""
        return STATUS[self.met]

    def summary(self) -> dict[str, Any]:
        """Return the claim as JSON values."""
        fields = ("name", "claim", "published", "ours", "condition", "met", "status")
        return {name: getattr(self, name) for name in fields}


def verdict(met: Any, ours: str, condition: str, published: str = "-") -> Claim:
    """Return our figure for a claim of a source; any true value of `met` counts as met."""
    return Claim("", published, ours, condition, bool(met))


def unevaluated(reason: str, ours: str = "-") -> Claim:
    """Return a claim of a source that is not evaluated."""
    return Claim("", "-", ours, reason, None)


OPINION = unevaluated("an opinion or an outlook")


@dataclass(frozen=True)
class Source:
    """Publication.

    Attributes:
        number: number among our sources.
        key: short key, such as ``"furui2011"``.
        cite: citation.
        claims: claims by name.
    """

    number: str
    key: str
    cite: str
    claims: Mapping[str, str]

    def evaluated(self, found: Mapping[str, Claim]) -> tuple[Claim, ...]:
        """Return the claims that were found, with their texts, in the source's order."""
        texts = ((name, text) for name, text in self.claims.items() if name in found)
        return tuple(replace(found[name], claim=text, name=f"{self.number}-{name}") for name, text in texts)

    def summary(self) -> dict[str, str]:
        """Return the source as JSON values."""
        return {"number": self.number, "key": self.key, "cite": self.cite}


def below(claim: str, published: str, ours: float, bound: float) -> Claim:
    """Return a claim that is met if our figure is at most `bound`."""
    return Claim(claim, published, f"{ours:.4g}", f"at most {bound:g}", bool(ours <= bound))


def above(claim: str, published: str, ours: float, bound: float) -> Claim:
    """Return a claim that is met if our figure is at least `bound`."""
    return Claim(claim, published, f"{ours:.4g}", f"at least {bound:g}", bool(ours >= bound))


def within(claim: str, published: float, ours: Sequence[float], tolerance: float) -> Claim:
    """Return a claim that is met if our figure is within `tolerance` of the published one for every seed."""
    shown = f"{min(ours):.4g} to {max(ours):.4g}"
    met = all(abs(one - published) <= tolerance for one in ours)
    return Claim(claim, f"{published:.4g}", shown, f"within {tolerance:g}, {len(ours)} seeds", met)


class Cell(NamedTuple):
    """Cell of a table: published and our number (None: missing), our error, and True if they agree."""

    row: tuple[str, ...]
    column: str
    published: float | None
    ours: float | None
    error: float | None
    met: bool | None


@dataclass(frozen=True)
class PublishedTable:
    """Table of the source with our figures.

    Attributes:
        name: name such as ``"table 2"``.
        title: content and unit.
        heads: headings of the row names.
        rows: row names, one text for each head.
        columns: headings of the columns.
        published: `[row][column]` published numbers; None: missing.
        ours: `[row][column]` our numbers.
        tolerance: largest difference of a cell that agrees, for all cells or by cell; None: not evaluated.
        error: `[row][column]` our errors.
        error_is: meaning of the errors.
        condition: description of the tolerance.
        form: format of the numbers.
        reference: heading of the published numbers.
    """

    name: str
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...]
    published: Grid
    ours: Grid
    tolerance: float | Grid | None = None
    error: Grid | None = None
    error_is: str = ""
    condition: str = ""
    form: str = ".4f"
    reference: str = "published"

    def cells(self) -> Iterator[Cell]:
        """Yield all numbers, row by row."""
        for i, row in enumerate(self.rows):
            for j, column in enumerate(self.columns):
                published, ours = self.published[i][j], self.ours[i][j]
                limit = self.tolerance[i][j] if isinstance(self.tolerance, tuple) else self.tolerance
                met = None
                if limit is not None and published is not None:
                    met = ours is not None and abs(ours - published) <= limit
                yield Cell(row, column, published, ours, self.error[i][j] if self.error else None, met)

    @property
    def _evaluated(self) -> list[bool]:
        return [cell.met for cell in self.cells() if cell.met is not None]

    @property
    def met(self) -> bool | None:
        """True if every evaluated cell agrees; None if no cell is evaluated."""
        return all(evaluated) if (evaluated := self._evaluated) else None

    @property
    def score(self) -> str:
        """Number of cells that agree, such as ``"met (12 of 12 cells, within 1e-7)"``."""
        evaluated = self._evaluated
        return (
            f"{STATUS[self.met]} ({sum(evaluated)} of {len(evaluated)} cells {self.condition})"
            if evaluated
            else "not evaluated"
        )

    def number(self, value: float | None) -> str:
        """Return a number as this table prints it; an empty text if there is none."""
        return "" if value is None else format(0.0 if value == 0 else value, self.form)

    def shown(self) -> tuple[list[str], list[list[str]]]:
        """Return headings and rows as texts, published and ours side by side; a star marks disagreement."""
        printed = any(cell.published is not None for cell in self.cells())
        heads, rows = list(self.heads), [list(row) for row in self.rows]
        for column in self.columns:
            heads += [f"{column}, {self.reference}", f"{column}, ours"] if printed else [column]
        for number, cell in enumerate(self.cells()):
            row = rows[number // len(self.columns)]
            error = f" ± {self.number(cell.error).lstrip('+')}" if cell.error is not None else ""
            ours = f"{self.number(cell.ours)}{error}{'*' if cell.met is False else ''}"
            row += [self.number(cell.published), ours] if printed else [ours]
        return heads, rows

    def summary(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        heads, rows = self.shown()
        names = "name title heads rows columns reference published ours error error_is met score".split()
        return {name: getattr(self, name) for name in names} | {"shown": {"heads": heads, "rows": rows}}


def grid(numbers: Any) -> Grid:
    """Return nested sequences or an array as the numbers of a table; nan becomes None."""
    return tuple(tuple(None if x is None or np.isnan(x) else float(x) for x in row) for row in numbers)


def table(
    name: str, title: str, heads: str | tuple[str, ...], rows: Iterable[str | tuple[str, ...]],
    columns: Iterable[str], ours: Any, published: Any = None, *, tolerance: Any = None, error: Any = None, **more: str,
) -> PublishedTable:  # fmt: skip
    """Return a `PublishedTable` from nested sequences or arrays; nan means a missing number.

    If every row has one name, `heads` and `rows` may be plain texts. `published` is None if the source has no figures.
    """
    names, columns, numbers = [(row,) if isinstance(row, str) else row for row in rows], tuple(columns), grid(ours)
    return PublishedTable(
        name, title, (heads,) if isinstance(heads, str) else heads, tuple(names), columns,
        ((None,) * len(columns),) * len(names) if published is None else grid(published), numbers,
        tolerance if tolerance is None or isinstance(tolerance, float) else grid(tolerance),
        None if error is None else grid(error), **more,
    )  # fmt: skip


def points(title: str, upwards: str, lines: Mapping[str, Any], ticks: Iterable[str], **levels: float) -> Panel:
    """Return a plot of points over `ticks`, with horizontal levels.

    Args:
        title: title of the plot.
        upwards: label of the y axis.
        lines: `[K, 2]` heights and half-widths of the error bars, by name; no bars if a half-width is nan.
        ticks: labels of the x axis.
        levels: heights of horizontal lines, by name.
    """
    drawn = {name: [(float(x), float(height)) for x, (height, _) in enumerate(line)] for name, line in lines.items()}
    bars = {name: [float(half) for _, half in line] for name, line in lines.items() if not np.isnan(line).any()}
    return Panel(title, "", drawn, levels, upwards, ("linear", "linear"), bars, list(ticks))


def mean_and_half(values: Any) -> tuple[float, float]:
    """Return the mean of values and the half-width of its 95 % interval; nan for a single value."""
    from scipy.stats import t

    count = len(values)
    half = t.ppf(0.975, count - 1) * np.std(values, ddof=1) / np.sqrt(count) if count > 1 else math.nan
    return float(np.mean(values)), float(half)


@dataclass(frozen=True)
class ClaimTable:
    """Tables and claims of a source, with notes and plots."""

    title: str
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()
    panels: tuple[Panel, ...] = ()
    tables: tuple[PublishedTable, ...] = ()
    source: Source | None = None

    @property
    def met(self) -> bool:
        """True if every evaluated claim and table is met."""
        return not self.unmet

    @property
    def unmet(self) -> tuple[str, ...]:
        """Names of the evaluated tables and claims that are not met; the text of a claim without a name."""
        tables = [one.name for one in self.tables if one.met is False]
        return (*tables, *(one.name or one.claim for one in self.claims if one.met is False))

    @property
    def score(self) -> str:
        """Counts such as ``"11 claims met, 1 not met, 0 not evaluated; 1 of 2 tables met"``."""
        counts = [sum(claim.met is met for claim in self.claims) for met in STATUS]
        evaluated = [table.met for table in self.tables if table.met is not None]
        tables = f"; {sum(evaluated)} of {len(evaluated)} tables met" if evaluated else ""
        return f"{count(counts[0], 'claims')} met, {counts[1]} not met, {counts[2]} not evaluated{tables}"

    def summary(self) -> dict[str, Any]:
        """Return tables, claims and notes as JSON values."""
        return {
            "title": self.title,
            "source": self.source.summary() if self.source else None,
            "met": self.met,
            "score": self.score,
            "tables": [table.summary() for table in self.tables],
            "claims": [claim.summary() for claim in self.claims],
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        return load_reference("tefuda_reproductions.report:html_of")(self)

    def csv(self) -> str:
        """Return all numbers of the tables as CSV, one number a line."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("table", "row", "column", "published", "ours", "error", "met"))
        for table in self.tables:
            for cell in table.cells():
                status = "" if cell.met is None else STATUS[cell.met]
                numbers = ("" if one is None else one for one in (cell.published, cell.ours, cell.error))
                writer.writerow((table.name, " ".join(cell.row), cell.column, *numbers, status))
        return text.getvalue()
