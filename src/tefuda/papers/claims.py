"""Published tables and claims beside our figures: met, not met, or not evaluated."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tefuda.figure import Panel
from tefuda.views import Displayable
from tefuda.words import count

Grid = tuple[tuple[float | None, ...], ...]
STATUS = {True: "met", False: "not met", None: "not evaluated"}


@dataclass(frozen=True)
class Claim:
    """A claim beside our figure.

    what: the claim in words. condition: the bar, such as ``"within 1e-7"``, or the reason why the claim is not
    evaluated. met: whether our figure meets the claim; None: not evaluated. name: such as ``"004-c8"``; empty if the
    claim is ours.
    """

    what: str
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
        fields = ("name", "what", "published", "ours", "condition", "met", "status")
        return {name: getattr(self, name) for name in fields}


class Verdict(NamedTuple):
    """Our finding about a claim; see `Claim`."""

    met: bool | None
    ours: str
    condition: str
    published: str = "-"


def verdict(met: Any, ours: str, condition: str, published: str = "-") -> Verdict:
    """Return a verdict; any true value counts as met."""
    return Verdict(bool(met), ours, condition, published)


def unevaluated(reason: str) -> Verdict:
    """Return a verdict that leaves a claim open."""
    return Verdict(None, "-", reason)


OPINION = unevaluated("an opinion or an outlook")


@dataclass(frozen=True)
class Source:
    """A publication: its number among our sources, a short key, its citation, and its claims by name."""

    number: str
    key: str
    cite: str
    claims: Mapping[str, str]

    def evaluated(self, found: Mapping[str, Verdict]) -> tuple[Claim, ...]:
        """Return the claims that have a verdict, in the source's order."""
        return tuple(
            Claim(text, one.published, one.ours, one.condition, one.met, f"{self.number}-{name}")
            for name, text in self.claims.items()
            if (one := found.get(name)) is not None
        )

    def summary(self) -> dict[str, str]:
        """Return the source as JSON values."""
        return {"number": self.number, "key": self.key, "cite": self.cite}


def below(what: str, published: str, ours: float, bound: float) -> Claim:
    """Return a claim that is met if our figure is at most `bound`."""
    return Claim(what, published, f"{ours:.4g}", f"at most {bound:g}", bool(ours <= bound))


def above(what: str, published: str, ours: float, bound: float) -> Claim:
    """Return a claim that is met if our figure is at least `bound`."""
    return Claim(what, published, f"{ours:.4g}", f"at least {bound:g}", bool(ours >= bound))


def within(what: str, published: float, ours: Sequence[float], tolerance: float) -> Claim:
    """Return a claim that is met if our figure is within `tolerance` of the published one for every seed."""
    shown = f"{min(ours):.4g} to {max(ours):.4g}"
    met = all(abs(one - published) <= tolerance for one in ours)
    return Claim(what, f"{published:.4g}", shown, f"within {tolerance:g}, {len(ours)} seeds", met)


class Cell(NamedTuple):
    """A number of a table: the published one and ours (None: there is none), our error, and whether they agree."""

    row: tuple[str, ...]
    column: str
    published: float | None
    ours: float | None
    error: float | None
    met: bool | None


@dataclass(frozen=True)
class PublishedTable:
    """A table in its source's form, with our figures.

    name: such as ``"table 2"``. title: content, with the unit. heads: headings of the rows' names; rows: a text for
    each head. columns: headings. published, ours, error: `[row][column]`, None where there is no figure. tolerance: the
    largest distance at which a cell is met, for all cells or by cell; None: nothing is evaluated. error_is: meaning of
    the errors. condition: the tolerance in words. form: format of the numbers. reference: heading of the published
    figures.
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
        """Whether every evaluated cell agrees; None if no cell is evaluated."""
        return all(evaluated) if (evaluated := self._evaluated) else None

    @property
    def score(self) -> str:
        """The number of cells that agree: ``"met (12 of 12 cells, within 1e-7)"``."""
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
        """Return headings and rows of texts: published and ours side by side, a star where they disagree."""
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
    """Return nested sequences or an array as a table's numbers; nan is no number."""
    return tuple(tuple(None if x is None or np.isnan(x) else float(x) for x in row) for row in numbers)


def table(
    name: str, title: str, heads: str | tuple[str, ...], rows: Iterable[str | tuple[str, ...]],
    columns: Iterable[str], ours: Any, published: Any = None, *, tolerance: Any = None, error: Any = None, **more: str,
) -> PublishedTable:  # fmt: skip
    """Return a `PublishedTable` of numbers in nested sequences or arrays, where nan is no number.

    heads, rows: one text where a row has one name. published: None if the source prints no figure.
    """
    names, columns, numbers = [(row,) if isinstance(row, str) else row for row in rows], tuple(columns), grid(ours)
    return PublishedTable(
        name, title, (heads,) if isinstance(heads, str) else heads, tuple(names), columns,
        ((None,) * len(columns),) * len(names) if published is None else grid(published), numbers,
        tolerance if tolerance is None or isinstance(tolerance, float) else grid(tolerance),
        None if error is None else grid(error), **more,
    )  # fmt: skip


def points(title: str, upwards: str, lines: Mapping[str, Any], ticks: Iterable[str], **levels: float) -> Panel:
    """Return a picture of points side by side over `ticks`, with levels across.

    lines: by name `[K, 2]`, heights and halves of the bars around them; without bars if one is nan.
    """
    drawn = {name: [(float(x), float(height)) for x, (height, _) in enumerate(line)] for name, line in lines.items()}
    bars = {name: [float(half) for _, half in line] for name, line in lines.items() if not np.isnan(line).any()}
    return Panel(title, "", drawn, levels, upwards, ("linear", "linear"), bars, list(ticks))


def mean_and_half(values: Any) -> tuple[float, float]:
    """Return the mean of values, and half of its 95 % interval by Student's t: nan of one value."""
    from scipy.stats import t

    count = len(values)
    half = t.ppf(0.975, count - 1) * np.std(values, ddof=1) / np.sqrt(count) if count > 1 else math.nan
    return float(np.mean(values)), float(half)


@dataclass(frozen=True)
class ClaimTable(Displayable):
    """All tables and claims of one source, with notes for their reader, and pictures."""

    title: str
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()
    panels: tuple[Panel, ...] = ()
    tables: tuple[PublishedTable, ...] = ()
    source: Source | None = None

    @property
    def met(self) -> bool:
        """Whether every evaluated claim and table is met."""
        return not self.unmet

    @property
    def unmet(self) -> tuple[str, ...]:
        """The evaluated tables and claims that are not met: their names, or the texts of claims without a name."""
        tables = [one.name for one in self.tables if one.met is False]
        return (*tables, *(one.name or one.what for one in self.claims if one.met is False))

    @property
    def score(self) -> str:
        """The counts: ``"11 claims met, 1 not met, 0 not evaluated; 1 of 2 tables met"``."""
        counts = [sum(claim.met is met for claim in self.claims) for met in STATUS]
        evaluated = [table.met for table in self.tables if table.met is not None]
        tables = f"; {sum(evaluated)} of {len(evaluated)} tables met" if evaluated else ""
        return f"{count(counts[0], 'claims')} met, {counts[1]} not met, {counts[2]} not evaluated{tables}"

    def summary(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "title": self.title,
            "source": self.source.summary() if self.source else None,
            "met": self.met,
            "score": self.score,
            "tables": [table.summary() for table in self.tables],
            "claims": [claim.summary() for claim in self.claims],
            "notes": list(self.notes),
        }

    def csv(self) -> str:
        """Return every number of the tables, one a line."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("table", "row", "column", "published", "ours", "error", "met"))
        for table in self.tables:
            for cell in table.cells():
                status = "" if cell.met is None else STATUS[cell.met]
                numbers = ("" if one is None else one for one in (cell.published, cell.ours, cell.error))
                writer.writerow((table.name, " ".join(cell.row), cell.column, *numbers, status))
        return text.getvalue()
