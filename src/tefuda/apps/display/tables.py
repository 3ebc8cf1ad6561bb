"""Tables in a terminal, and the reports of solving and of claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import HEAVY_HEAD, SIMPLE_HEAD
from rich.console import Group as Stack
from rich.table import Table
from rich.text import Text

from tefuda.apps import grids
from tefuda.apps.display.consoles import out, wide
from tefuda.apps.display.curves import curve_plot
from tefuda.apps.grids import Grid
from tefuda.forms.tree import Tree
from tefuda.games.parameters import own_name
from tefuda.judging.profile import Profile
from tefuda.judging.values import Judgement
from tefuda.solvers.runs.judges import NashConv
from tefuda.solvers.runs.methods import unit_of
from tefuda.solvers.runs.solution import Solution
from tefuda.words import brief, count, distance, signed

if TYPE_CHECKING:  # none of these is needed to start
    from tefuda.abstracting.study import Trial
    from tefuda.exploiting.fitting import FittedOpponent
    from tefuda.playing.match import Match
    from tefuda.playing.tournament import CrossTable
    from tefuda.solvers.exact.rational import ExactSolution
    from tefuda.solvers.runs.sweep import Group


def table_of(grid: Grid) -> Stack:
    """A grid in a terminal: its title on a line of its own, words to the left, numbers to the right and never broken.

    Lists of words, and tables for which a frame leaves too little room, have none.
    """
    columns = zip(grid.columns, *grid.rows, strict=True)
    sizes = [max(len(line) for cell in column for line in cell.split("\n")) for column in columns]
    framed = sum(sizes) + 3 * len(sizes) + 1 <= out.width and len(grid.words) < len(sizes)
    numbers = sum(size + 1 for place, size in enumerate(sizes) if place not in grid.words)
    roomy = numbers + 12 * len(grid.words) <= out.width
    table = Table(box=HEAVY_HEAD if framed else SIMPLE_HEAD, show_edge=framed, padding=(0, int(framed)))
    for place, name in enumerate(grid.columns):
        words = place in grid.words
        table.add_column(
            Text(name),
            justify="left" if words else "right",
            overflow="fold",  # nothing is cut off
            min_width=None if words or not roomy else sizes[place],
        )
    for row in grid.rows:
        table.add_row(*map(Text, row))  # Text: brackets in names are no markup
    return Stack(Text(grid.title), table) if grid.title else Stack(table)


def strategy_table(profile: Profile, **which: Any) -> Stack:
    """Infosets with the probabilities of their actions; `which` as in `grids.strategy_grid`."""
    return table_of(grids.strategy_grid(profile, width=wide(), **which))


def values_table(tree: Tree, judgement: Judgement) -> Stack:
    """Each player's value, best-response value and gain."""
    return table_of(grids.values_grid(tree, judgement))


def exact_table(solution: ExactSolution) -> Stack:
    """Every infoset with the fractions of its actions."""
    return table_of(grids.exact_grid(solution))


def comparison_table(solutions: Sequence[Solution]) -> Stack:
    """When each method first reached some NashConvs, and where it ended."""
    return table_of(grids.comparison_grid(solutions))


def study_table(tree: Tree, trials: Sequence[Trial]) -> Stack:
    """NashConv in the real game of what is found in buckets."""
    return table_of(grids.study_grid(tree, trials))


def sweep_table(groups: Sequence[Group]) -> Stack:
    """NashConv of each method's runs."""
    return table_of(grids.sweep_grid(groups))


def match_tables(match: Match, less: Mapping[int, tuple[float, float]]) -> tuple[Stack, Stack]:
    """What each agent won a hand, and by seating; `less` names mean and error of some agents with less luck."""
    means, seatings = grids.match_grids(match, less)
    return table_of(means), table_of(seatings)


def cross_table_of(cross: CrossTable) -> Stack:
    """What each agent wins a hand from each other."""
    return table_of(grids.cross_grid(cross))


def frontier_table(title: str, knob: str, value: float, rows: Sequence[tuple[float, float, float]]) -> Stack:
    """What is won from a model, and what is risked below the game's value."""
    return table_of(grids.frontier_grid(title, knob, value, rows))


def known_table(fitted: FittedOpponent, player: int, most: int | None) -> Stack:
    """The infosets of a fitted opponent that are known best and least; `most` of each kind, None: all."""
    return table_of(grids.known_grid(fitted, player, most))


def show_solution(solution: Solution) -> None:
    """Print what solving gave: strategy, value, curve, and where the run is."""
    name, judge = str(solution.method["name"]), solution.judge
    unit = unit_of(solution.method)
    if isinstance(solution.game, Tree):
        out.print(strategy_table(solution.strategy))
    if plot := curve_plot({name: solution.curve}, unit=unit, judge=judge):
        out.print(plot)
    nodes = [f"{solution.nodes:,} nodes"] if solution.nodes else []
    steps = f"{count(solution.iterations, unit)} of {name} in {brief(solution.seconds)} s"
    worth = [f"{signed(value, 7)} to player {player}" for player, value in enumerate(solution.verdict.values)]
    if worth:
        _say("value", *worth, "in the game's unit per game")
    if isinstance(judge, NashConv):
        players = count(solution.game.players, "players")
        _say(
            "NashConv", f"{distance(solution.nash_conv)} of the {_ITERATES[solution.iterate]}",
            f"exploitability {distance(solution.exploitability)} (NashConv / {players})",
        )  # fmt: skip
    else:
        _say("judged", f"{judge.told(solution.verdict)} of the {_ITERATES[solution.iterate]}", judge.unit)
    _say("done", steps, *nodes, f"stopped: {solution.stop}")
    if solution.run:
        named = f" --game {own}" if (own := own_name(solution.game.rules)) else ""
        out.print(Text(f"saved in   {solution.run}"), soft_wrap=True)
        out.print(Text(f"look again tefuda show {solution.run}{named}"), soft_wrap=True)


def _say(what: str, *parts: str) -> None:
    """A label and its parts, broken between parts only."""
    line, parts = f"{what:10}", tuple(filter(None, parts))
    for place, part in enumerate(parts):
        end = "" if place == len(parts) - 1 else ","
        if line.strip() and len(line) + len(part) + len(end) + 1 > out.width and len(line) > 10:
            out.print(Text(line), soft_wrap=True)
            line = " " * 10
        line += f" {part}{end}"
    out.print(Text(line), soft_wrap=True)


_ITERATES = {
    "average": "average strategies",
    "current": "last iterate",
    "uniform": "uniform play: there is no average yet",
}
