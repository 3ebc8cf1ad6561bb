"""Collection of hands that were read, and of those that were skipped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from tefuda.holdem.histories.aliases import aliased, numbered
from tefuda.holdem.histories.draft import REASONS
from tefuda.holdem.histories.export import Exported, export_hands
from tefuda.holdem.histories.record import HandHistory
from tefuda.holdem.reports.filters import read_filter
from tefuda.holdem.reports.graph import ResultGraph, result_graph
from tefuda.holdem.reports.statistics import Report, report
from tefuda.holdem.reports.table import SeatTable, seat_table
from tefuda.views import data_frame
from tefuda.words import count
from tefuda.workers import ProgressFunction


class SkippedHand(NamedTuple):
    """Hand that was not read.

    Attributes:
        reason: `game`, `players`, `cancelled`, `cut off`, `duplicate`, `does not balance`, `illegal action`,
            `unreadable line` or `hidden stacks`.
        detail: explanation; empty if the reason says all.
        source: name of the file.
        line: line of the file on which the problem is.
        text: text of the hand.
    """

    reason: str
    detail: str
    source: str
    line: int
    text: str

    def __str__(self) -> str:
        detail = f": {self.detail}" if self.detail else ""
        return f"{self.source}, line {self.line}: {self.reason}{detail}"


@dataclass(frozen=True)
class HandCollection:
    """Hands of files, in the order of the files.

    Attributes:
        hands: hands that were read.
        skipped: hands that were not read.
        files: names of the files that were read.
        ignored: names of files in folders that have no hands.

    >>> td.holdem.HandCollection().summary
    '0 hands: 0 read'
    """

    hands: Sequence[HandHistory] = ()
    skipped: tuple[SkippedHand, ...] = ()
    files: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.hands)

    def __iter__(self) -> Iterator[HandHistory]:
        return iter(self.hands)

    @property
    def reasons(self) -> dict[str, int]:
        """Number of skipped hands by reason, in a fixed order."""
        found = [skipped.reason for skipped in self.skipped]
        return {reason: found.count(reason) for reason in REASONS if reason in found}

    @property
    def summary(self) -> str:
        """Counts in words: ``"24 hands: 18 read, 2 not hold'em, 1 cancelled"``."""
        return summary_text(len(self.hands), self.reasons)

    def table(self, progress: ProgressFunction | None = None) -> SeatTable:
        """Return a row for each player in each hand, from which reports are made; it is computed once.

        Args:
            progress: called with the number of hands done and the total.
        """
        if (known := vars(self).get("_table")) is None:
            known = vars(self)["_table"] = seat_table(self.hands, progress)
        return known

    def filter(self, where: str, player: str | None = None) -> HandCollection:
        """Return the hands in which a player meets all conditions, such as ``position=BTN pot=3bet hero=KK+``.

        Args:
            where: conditions, separated by spaces.
            player: name of the player; default: the hero of each hand; ``"*"``: any player.

        Raises:
            ParameterError: a condition cannot be read (the error marks it), or no hand has a hero.
            UnknownNameError: the player is in no hand.
        """
        is_chosen, table = read_filter(where), self.table()
        rows = table.of(player)
        known = table.keep(sorted({*rows.take(is_chosen(rows))["hand"].tolist()}))
        kept = replace(self, hands=known.hands)
        vars(kept)["_table"] = known
        return kept

    def report(self, player: str | None = None, by: str = "") -> Report:
        """Return the statistics and results of a player, in total and by group.

        Args:
            player: name of the player; default: the hero of each hand; ``"*"``: all players.
            by: ``position``, ``pot``, ``flop``, ``players``, ``stack``, ``stake``, ``room``, ``month``, ``session``,
                ``class`` or ``player``; empty for no groups.

        Raises:
            ParameterError: no hand has a hero.
            UnknownNameError: the player is in no hand, or the grouping is unknown.
        """
        return report(self.table().of(player), player or "", by)

    def graph(self, player: str | None = None) -> ResultGraph:
        """Return the running sums of a player's results in cash hands; see `report` for the player."""
        return result_graph(self.table().of(player))

    def to_frame(self, player: str | None = "*") -> Any:
        """Return a pandas data frame (extra ``frame``) with a row for each player in each hand."""
        return data_frame(self.table().of(player).columns())

    def aliased(self) -> HandCollection:
        """Return the collection with names ``P1``, ``P2``, ..., and without tables, files and texts.

        Starts are rounded to hours.
        """
        skipped = tuple(each._replace(detail="", source="", text="") for each in self.skipped)
        return HandCollection(tuple(aliased(self.hands, numbered())), skipped)

    def export(self, path: str | Path, names: bool = False) -> Exported:
        """Write the hands to a file; its ending is the format.

        Args:
            path: ``.txt`` in the format of PokerStars, ``.ohh`` (Open Hand History), ``.phhs`` or ``.phh`` (one hand).
            names: keep names, tables and exact times; default: aliases P1, P2, ...

        Raises:
            ParameterError: the ending is unknown, or no hand can be written.
            RunError: the file cannot be written.
        """
        return export_hands(path, self.hands, names)


def summary_text(read: int, reasons: Mapping[str, int]) -> str:
    """Return the numbers of hands read, and of those skipped by reason, in words."""
    parts = [f"{read:,} read", *(f"{number:,} {REASONS[name]}" for name, number in reasons.items())]
    return f"{count(read + sum(reasons.values()), 'hands')}: {', '.join(parts)}"


def winnings(records: Iterable[HandHistory]) -> dict[str, dict[str, tuple[int, Decimal]]]:
    """Return the number of hands with a known result and the total winnings, by currency and player."""
    tables: dict[str, dict[str, tuple[int, Decimal]]] = {}
    for record in records:
        results = record.results
        for name, result in zip(record.names, results or (), strict=False):
            table = tables.setdefault(record.currency, {})
            hands, total = table.get(name, (0, Decimal(0)))
            table[name] = hands + 1, total + result
    return tables
