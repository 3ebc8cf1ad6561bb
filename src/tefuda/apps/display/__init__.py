"""What people look at in a terminal: progress bars, tables and curves. Only the command line imports this."""

from tefuda.apps.display.claims import show_claims
from tefuda.apps.display.consoles import err, out
from tefuda.apps.display.curves import curve_plot, frontier_plot
from tefuda.apps.display.progress import building, done, solving, telling
from tefuda.apps.display.tables import (
    comparison_table,
    cross_table_of,
    exact_table,
    frontier_table,
    match_tables,
    show_solution,
    strategy_table,
    sweep_table,
    table_of,
    values_table,
)

__all__ = [
    "out",
    "err",
    "building",
    "solving",
    "telling",
    "done",
    "curve_plot",
    "frontier_plot",
    "strategy_table",
    "values_table",
    "show_claims",
    "show_solution",
    "exact_table",
    "comparison_table",
    "sweep_table",
    "table_of",
    "match_tables",
    "cross_table_of",
    "frontier_table",
]
