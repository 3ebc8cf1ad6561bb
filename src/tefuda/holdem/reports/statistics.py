"""Statistics of a player: counts with opportunities and intervals, results in big blinds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tefuda.holdem.reports.counting import BIT, COUNTED
from tefuda.holdem.reports.groups import grouped
from tefuda.holdem.reports.table import SeatTable
from tefuda.holdem.reports.variance import Variance, variance

Z = 1.96  # standard errors of a 95 % interval
FEW = 10  # opportunities below which a percentage says little
_AIM = 5.0  # half-width in big blinds for 100 hands, for which the number of hands is given


class Share(NamedTuple):
    """Number of times that a player did something, and could do it.

    >>> from tefuda.holdem.reports.statistics import Share
    >>> [round(end, 4) for end in Share(10, 14).interval]
    [0.4535, 0.8828]
    """

    made: int
    chances: int

    @property
    def share(self) -> float:
        """Made / chances; nan without a chance."""
        return self.made / self.chances if self.chances else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """95 % Wilson interval of the share; 0 to 1 without a chance."""
        n = self.chances
        if not n:
            return 0.0, 1.0
        middle, scale = self.share + Z**2 / (2 * n), 1 + Z**2 / n
        half = Z * math.sqrt(self.share * (1 - self.share) / n + Z**2 / (4 * n * n))
        return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


@dataclass(frozen=True)
class Statistics:
    """Statistics of a player, or of a group of its hands. Results are those of cash hands, in big blinds.

    Attributes:
        name: name of the group.
        hands: number of hands.
        walks: hands in which all others folded to the player's blind.
        cash_hands: hands that are no tournament and have a known result.
        counts: made and chances of each statistic in `COUNTED`.
        bets: bets and raises after the flop.
        calls: calls after the flop.
        folds: folds after the flop.
        net: sum of the results.
        adjusted: sum of the all-in adjusted results.
        red: sum of the results without showdown.
        rake: fees, by contribution to the pots.
        deviation: standard deviation of a result; nan with fewer than two hands.
    """

    name: str
    hands: int
    walks: int
    cash_hands: int
    counts: Mapping[str, Share]
    bets: int
    calls: int
    folds: int
    net: float
    adjusted: float
    red: float
    rake: float
    deviation: float

    @property
    def blue(self) -> float:
        """Sum of the results with showdown."""
        return self.net - self.red

    @property
    def per_100(self) -> float:
        """Result for 100 hands."""
        return 100 * self.net / self.cash_hands if self.cash_hands else math.nan

    @property
    def half_width(self) -> float:
        """Half-width of the 95 % interval of `per_100`."""
        return 100 * Z * self.deviation / math.sqrt(self.cash_hands) if self.cash_hands else math.nan

    @property
    def hands_needed(self) -> float:
        """Number of hands for an interval of +- 5 big blinds for 100 hands."""
        return (100 * Z * self.deviation / _AIM) ** 2

    @property
    def af(self) -> float:
        """Aggression factor: (bets + raises) / calls after the flop."""
        return self.bets / self.calls if self.calls else math.nan

    @property
    def afq(self) -> Share:
        """Aggression frequency: (bets + raises) / (bets + raises + calls + folds) after the flop."""
        return Share(self.bets, self.bets + self.calls + self.folds)

    def summary(self) -> dict[str, Any]:
        """Return the statistics as JSON values."""
        counts = {
            name: {"made": each.made, "opportunities": each.chances, "share": each.share, "interval": each.interval}
            for name, each in (*self.counts.items(), ("afq", self.afq))
        }
        names = ("hands", "walks", "cash_hands", "bets", "calls", "folds", "af")
        return {
            "name": self.name, **{name: getattr(self, name) for name in names}, "counts": counts, "net_bb": self.net,
            "adjusted_bb": self.adjusted, "red_bb": self.red, "blue_bb": self.blue, "rake_bb": self.rake,
            "bb_per_100": self.per_100, "half_width": self.half_width, "deviation": self.deviation,
            "hands_needed": self.hands_needed,
        }  # fmt: skip


@dataclass(frozen=True)
class Report:
    """Statistics of a player, in total and by group.

    Attributes:
        player: name of the player; empty for the hero, ``*`` for all players.
        by: name of the grouping; empty for none.
        total: statistics of all hands.
        groups: statistics of each group, in order.
        variance: variance of all results; None without cash hands.
    """

    player: str
    by: str
    total: Statistics
    groups: tuple[Statistics, ...] = ()
    variance: Variance | None = None

    def summary(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        groups = [group.summary() for group in self.groups]
        spread = self.variance and self.variance.summary()
        total = self.total.summary()
        return {"player": self.player, "by": self.by, "total": total, "groups": groups, "variance": spread}


def report(table: SeatTable, player: str = "", by: str = "") -> Report:
    """Return the report of all rows of a table.

    Args:
        table: rows of a player.
        player: name of the player.
        by: name in `groups.GROUPS`; empty for no groups.

    Raises:
        UnknownNameError: the grouping is unknown.
    """
    (total,) = _statistics(table, np.zeros(len(table), dtype=np.int64), ["total"])
    groups = _statistics(table, *grouped(table, by)) if by else []
    return Report(player, by, total, tuple(groups), variance(table))


def _statistics(table: SeatTable, numbers: np.ndarray, names: list[str]) -> list[Statistics]:
    """Return the statistics of each group; `numbers` `[R]` are the groups of the rows."""

    def sums(values: np.ndarray) -> list[Any]:
        return np.bincount(numbers, values, minlength=len(names)).tolist()

    def counts(mask: np.ndarray) -> list[int]:
        return np.bincount(numbers[mask != 0], minlength=len(names)).tolist()

    is_cash = table.is_cash
    cash = np.where(is_cash, table.bb, 0.0)
    made = {name: counts(table["made"] & BIT[name]) for name in COUNTED}
    chances = {name: counts(table["chances"] & BIT[name]) for name in COUNTED}
    columns: dict[str, list[Any]] = {
        "name": names,
        "hands": counts(np.ones(len(table))),
        "walks": counts((table["chances"] & BIT["vpip"]) == 0),
        "cash_hands": counts(is_cash),
        "counts": [
            {name: Share(made[name][place], chances[name][place]) for name in COUNTED} for place in range(len(names))
        ],
        "net": sums(cash),
        "adjusted": sums(np.where(is_cash, table.adjusted(), 0.0)),
        "red": sums(np.where(table["showdown"], 0.0, cash)),
        "rake": sums(np.where(is_cash, table["rake"] / table["big"], 0.0)),
    }
    columns |= {name: [int(number) for number in sums(table[name])] for name in ("bets", "calls", "folds")}
    columns["deviation"] = [*map(_deviation, columns["cash_hands"], columns["net"], sums(cash**2))]
    return [Statistics(**dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]


def _deviation(number: int, total: float, squares: float) -> float:
    """Return the standard deviation of numbers by their sum and their sum of squares."""
    return math.sqrt(max(squares - total**2 / number, 0.0) / (number - 1)) if number > 1 else math.nan
