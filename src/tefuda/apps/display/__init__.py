"""What people look at in a terminal: progress bars, tables and curves. Only the command line imports this."""

from tefuda.apps.display.claims import show_claims
from tefuda.apps.display.consoles import err, out
from tefuda.apps.display.curves import curve_plot, frontier_plot
from tefuda.apps.display.progress import building, done, preparing, solving, telling
from tefuda.apps.display.tables import (
    comparison_table,
    cross_table_of,
    exact_table,
    frontier_table,
    known_table,
    match_tables,
    show_solution,
    strategy_table,
    study_table,
    sweep_table,
    table_of,
    values_table,
)

__all__ = [
    "building",
    "comparison_table",
    "cross_table_of",
    "curve_plot",
    "done",
    "err",
    "exact_table",
    "frontier_plot",
    "frontier_table",
    "known_table",
    "match_tables",
    "out",
    "preparing",
    "show_claims",
    "show_solution",
    "solving",
    "strategy_table",
    "study_table",
    "sweep_table",
    "table_of",
    "telling",
    "values_table",
]
