"""Graph of results: running sums of net, all-in adjusted, showdown and non-showdown results."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tefuda.errors import ParameterError, check_choice
from tefuda.figure import Panel
from tefuda.holdem.reports.statistics import Z
from tefuda.holdem.reports.table import SeatTable
from tefuda.lazy import load_reference
from tefuda.views import short_repr

#: Choices of the x axis: number of hands, or number of days (UTC) on which hands were played.
OVER = ("hands", "days")
_POINTS = 1000  # of each line in a picture
_DAY = 86_400  # seconds


@dataclass(frozen=True, eq=False, repr=False)
class ResultGraph:
    """Running sums over cash hands in order of time, in big blinds.

    Attributes:
        net: `[N]` results.
        adjusted: `[N]` all-in adjusted results.
        showdown: `[N]` results with showdown (blue line).
        no_showdown: `[N]` results without showdown (red line).
        half_width: `[N]` half-width of the 95 % band of `net`, by the standard deviation of a hand.
        days: `[N]` numbers of the days (UTC) on which hands were played, from 1; 0 for hands of unknown time.
    """

    net: np.ndarray  # [N]
    adjusted: np.ndarray  # [N]
    showdown: np.ndarray  # [N]
    no_showdown: np.ndarray  # [N]
    half_width: np.ndarray  # [N]
    days: np.ndarray  # [N]

    __repr__ = short_repr

    def points(self, most: int, over: str = OVER[0]) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of at most `most` hands or days on the x axis, and the places of the hands.

        The point of a day is that of its last hand.

        Raises:
            ParameterError: `over` is not in `OVER`, or no hand has a day.
        """
        check_choice("over", over, OVER)
        places = np.arange(len(self.net))
        if over == "days":
            places = np.flatnonzero(self.days * np.diff(self.days, append=0))
            if not len(places):
                raise ParameterError("no hand has a time; draw the graph over hands.", key="over", value=over)
        chosen = places[np.unique(np.linspace(0, len(places) - 1, most).round().astype(int))]
        return (self.days[chosen] if over == "days" else chosen + 1), chosen

    def panel(self, over: str = OVER[0]) -> Panel:
        """Return the graph as a plot of at most 1,000 points a line; see `points`."""
        numbers, chosen = self.points(_POINTS, over)
        lines = {
            "net": self.net, "all-in adjusted": self.adjusted, "showdown": self.showdown,
            "no showdown": self.no_showdown,
        }  # fmt: skip
        points = {name: list(zip(numbers.tolist(), line[chosen].tolist(), strict=True)) for name, line in lines.items()}
        return Panel(
            "results of cash hands; band: 95 %", over, points, y_label="big blinds", scales=("linear", "linear"),
            bands={"net": self.half_width[chosen].tolist()},
        )  # fmt: skip

    def plot(self, path: str | Path, over: str = OVER[0]) -> None:
        """Draw the graph over hands or days into a file; its ending is the format (extra ``plot``)."""
        load_reference("tefuda.apps.plot:plot_panels")([self.panel(over)], path)


def result_graph(table: SeatTable) -> ResultGraph:
    """Return the graph of a player's rows; raise ParameterError without a cash hand of known result."""
    cash = table.take(table.is_cash)
    if not len(cash):
        raise ParameterError("a graph needs cash hands with a known result; there are none.")
    cash = cash.take(np.argsort(cash["start"], kind="stable"))  # nan comes last
    net = cash.bb
    deviation = float(net.std(ddof=1)) if len(net) > 1 else math.nan
    half_width = Z * deviation * np.sqrt(1 + np.arange(len(net)))
    red = np.where(cash["showdown"], 0.0, net)
    dates = np.floor(cash["start"] / _DAY)
    days = np.where(np.isnan(dates), 0, np.searchsorted(np.unique(dates), dates) + 1)
    net_sum, adjusted, blue = np.cumsum(net), np.cumsum(cash.adjusted()), np.cumsum(net - red)
    return ResultGraph(net_sum, adjusted, blue, np.cumsum(red), half_width, days)
