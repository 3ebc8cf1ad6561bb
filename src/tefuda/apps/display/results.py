"""Reports of solutions, for `consoles.show`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tefuda.apps.display.colours import file_link
from tefuda.apps.display.consoles import out, terminal_width, text_of
from tefuda.apps.display.curves import curve_plot
from tefuda.apps.grids import strategy_grid
from tefuda.evaluating.profile import Profile
from tefuda.games.parameters import own_name
from tefuda.solvers.runs.evaluators import NashConv
from tefuda.solvers.runs.methods import unit_of
from tefuda.solvers.runs.solution import Solution
from tefuda.words import count, non_negative, signed, significant

_ITERATES = {
    "average": "average strategies",
    "current": "last iterate",
    "uniform": "uniform strategy: there is no average yet",
}


def strategy_text(profile: Profile) -> str:
    """Return the table of the infosets that are reached most often."""
    return text_of(strategy_grid(profile, width=80))


def solution_report(solution: Solution) -> Iterator[Any]:
    """Yield the strategy, the curve, the values and the folder of a solution."""
    name, evaluator = str(solution.method["name"]), solution.evaluator
    unit = unit_of(solution.method)
    if solution.form.tree is not None:
        yield strategy_grid(solution.strategy, width=terminal_width())
    if plot := curve_plot({name: solution.curve}, unit=unit, evaluator=evaluator):
        yield plot
    nodes = [f"{solution.nodes:,} nodes"] if solution.nodes else []
    steps = f"{count(solution.iterations, unit)} of {name} in {significant(solution.seconds)} s"
    values = [f"{signed(value, 7)} to player {player}" for player, value in enumerate(solution.evaluation.values)]
    if values:
        yield from _labelled("value", *values, "in the game's unit per game")
    if isinstance(evaluator, NashConv):
        players = count(solution.form.players, "players")
        figure = f"{non_negative(solution.nash_conv)} of the {_ITERATES[solution.iterate]}"
        share = f"exploitability {non_negative(solution.exploitability)} (NashConv / {players})"
        yield from _labelled("NashConv", figure, share)
    else:
        figure = evaluator.describe(solution.evaluation)
        unit = "" if evaluator.unit in figure else evaluator.unit
        yield from _labelled("evaluated", f"{figure} of the {evaluator.evaluated or _ITERATES[solution.iterate]}", unit)
    if getattr(solution.form, "reason", ""):
        yield from _labelled("no tree", solution.form.reason)
    yield from _labelled("done", steps, *nodes, f"stopped: {solution.stop}")
    if solution.run:
        named = f" --game {own}" if (own := own_name(solution.form.game)) else ""
        yield file_link(f"saved in   {solution.run}", solution.run)
        yield f"show it    tefuda show {solution.run}{named}"


def _labelled(label: str, *parts: str) -> Iterator[str]:
    """Yield lines of a label and its parts; lines break between parts only."""
    line, parts = f"{label:10}", tuple(filter(None, parts))
    for index, part in enumerate(parts):
        end = "" if index == len(parts) - 1 else ","
        if line.strip() and len(line) + len(part) + len(end) + 1 > out.width and len(line) > 10:
            yield line
            line = " " * 10
        line += f" {part}{end}"
    yield line
