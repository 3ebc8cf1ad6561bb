"""The reports of solutions and of published claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tefuda.apps.display.consoles import out, show, wide
from tefuda.apps.display.curves import curve_plot
from tefuda.apps.grids import claims_grid, published_grid, strategy_grid
from tefuda.forms.tree import Tree
from tefuda.games.parameters import own_name
from tefuda.solvers.runs.judges import NashConv
from tefuda.solvers.runs.methods import unit_of
from tefuda.solvers.runs.solution import Solution
from tefuda.words import brief, count, distance, signed

if TYPE_CHECKING:
    from tefuda.papers.claims import ClaimTable

_ITERATES = {
    "average": "average strategies",
    "current": "last iterate",
    "uniform": "uniform play: there is no average yet",
}


def show_solution(solution: Solution) -> None:
    """Print what solving gave: strategy, value, curve, and where the run is."""
    name, judge = str(solution.method["name"]), solution.judge
    unit = unit_of(solution.method)
    if isinstance(solution.game, Tree):
        out.print(strategy_grid(solution.strategy, width=wide()))
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
        show(f"saved in   {solution.run}", f"look again tefuda show {solution.run}{named}")


def _say(what: str, *parts: str) -> None:
    """A label and its parts, broken between parts only."""
    line, parts = f"{what:10}", tuple(filter(None, parts))
    for place, part in enumerate(parts):
        end = "" if place == len(parts) - 1 else ","
        if line.strip() and len(line) + len(part) + len(end) + 1 > out.width and len(line) > 10:
            show(line)
            line = " " * 10
        line += f" {part}{end}"
    show(line)


def show_claims(table: ClaimTable) -> None:
    """Print a source's tables beside ours, its claims with our verdicts, and notes about them."""
    if table.source is not None:
        out.print(f"{table.source.key}: {table.source.cite}\n")
    for one in table.tables:
        out.print(published_grid(one))
        out.print(f"{one.score}{f'; ± {one.error_is}' if one.error_is else ''}\n")
    out.print(claims_grid(table), *[f"- {note}" for note in table.notes], table.score, sep="\n")
