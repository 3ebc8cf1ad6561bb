"""Graph of results: running sums of net, all-in adjusted, showdown and non-showdown results."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tefuda.errors import ParameterError
from tefuda.figure import Panel
from tefuda.holdem.reports.statistics import Z
from tefuda.holdem.reports.table import SeatTable
from tefuda.lazy import load_reference
from tefuda.views import short_repr

_POINTS = 1000  # of each line in a picture


@dataclass(frozen=True, eq=False, repr=False)
class ResultGraph:
    """Running sums over cash hands in order of time, in big blinds.

    Attributes:
        net: `[N]` results.
        adjusted: `[N]` all-in adjusted results.
        showdown: `[N]` results with showdown (blue line).
        no_showdown: `[N]` results without showdown (red line).
        half_width: `[N]` half-width of the 95 % band of `net`, by the standard deviation of a hand.
    """

    net: np.ndarray  # [N]
    adjusted: np.ndarray  # [N]
    showdown: np.ndarray  # [N]
    no_showdown: np.ndarray  # [N]
    half_width: np.ndarray  # [N]

    __repr__ = short_repr

    @property
    def panel(self) -> Panel:
        """The graph as a plot of at most 1,000 points a line."""
        chosen = np.unique(np.linspace(0, len(self.net) - 1, _POINTS).round().astype(int))
        lines = {
            "net": self.net, "all-in adjusted": self.adjusted, "showdown": self.showdown,
            "no showdown": self.no_showdown,
        }  # fmt: skip
        points = {
            name: list(zip((chosen + 1).tolist(), line[chosen].tolist(), strict=True)) for name, line in lines.items()
        }
        return Panel(
            "results of cash hands; band: 95 %", "hands", points, y_label="big blinds", scales=("linear", "linear"),
            bands={"net": self.half_width[chosen].tolist()},
        )  # fmt: skip

    def plot(self, path: str | Path) -> None:
        """Draw the graph into a file; its ending is the format (extra ``plot``)."""
        load_reference("tefuda.apps.plot:plot_panels")([self.panel], path)


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
    return ResultGraph(np.cumsum(net), np.cumsum(cash.adjusted()), np.cumsum(net - red), np.cumsum(red), half_width)
