"""Results as HTML for notebooks: tables, and curves as SVG. All text is escaped."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import singledispatch
from html import escape
from typing import Any

from tefuda.apps import grids
from tefuda.apps.display.curves import plot_title, scaled_series
from tefuda.apps.drawing.part import tree_part
from tefuda.apps.drawing.picture import tree_drawing
from tefuda.apps.drawing.svg import svg_text
from tefuda.apps.drawing.tables import table_text
from tefuda.apps.grids import Grid
from tefuda.evaluating.profile import Profile
from tefuda.figure import COLOURS, DASHES, spread
from tefuda.forms.tree import Tree
from tefuda.games.small.matrix import Matrix
from tefuda.playing.match import CrossTable, Match
from tefuda.playing.rating import Ratings
from tefuda.resolving.resolution import Resolution
from tefuda.solvers.exact.rational import ExactSolution
from tefuda.solvers.runs.evaluators import Evaluator, NashConv
from tefuda.solvers.runs.methods import unit_of
from tefuda.solvers.runs.points import AnyPoint
from tefuda.solvers.runs.solution import Solution
from tefuda.words import count

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 316, 56, 110, 26, 36
_DRAWN = 60  # ends of the largest tree that a notebook draws
_LINE = 13  # pixels between two names of curves


@singledispatch
def html_of(thing: Any) -> str:
    """Return the HTML of a result."""
    return f"<pre>{escape(repr(thing))}</pre>"


@html_of.register
def _(tree: Tree) -> str:
    return table(grids.tree_grid(tree)) + (svg_of(tree) or "")


@html_of.register
def _(game: Matrix) -> str:
    return table_text(game, ".html")


def svg_of(tree: Tree) -> str | None:
    """Return a drawing of a tree of at most 60 ends; None for larger ones."""
    return svg_text(tree_drawing(tree, tree_part(tree))) if len(tree.terminals) <= _DRAWN else None


@html_of.register
def _(profile: Profile) -> str:
    return table(grids.strategy_grid(profile, width=200))


@html_of.register
def _(solution: Solution) -> str:
    name = str(solution.method["name"])
    unit = unit_of(solution.method)
    values = [table(grids.game_values_grid(solution))] if solution.evaluation.values else []
    parts = [*values, curve({name: solution.curve}, unit, solution.evaluator)]
    figure = solution.evaluator.describe(solution.evaluation)
    line = f"{solution.form.name}, {name}: {count(solution.iterations, unit)}, {figure}"
    strategy = html_of(solution.strategy) if solution.form.tree is not None else ""
    return f"<p>{escape(line)}</p>" + "".join(parts) + strategy


@html_of.register
def _(match: Match) -> str:
    return "".join(map(table, grids.match_grids(match, {})))


@html_of.register
def _(cross: CrossTable) -> str:
    return table(grids.cross_grid(cross))


@html_of.register
def _(rated: Ratings) -> str:
    return table(grids.ratings_grid(rated))


@html_of.register
def _(solution: ExactSolution) -> str:
    return table(grids.exact_grid(solution))


@html_of.register
def _(found: Resolution) -> str:
    return table(grids.resolution_grid(found))


def table(grid: Grid) -> str:
    """Return a grid as an HTML table."""
    sides = ["left" if index in grid.text_columns else "right" for index in range(len(grid.columns))]

    def row(cells: Sequence[str], kind: str) -> str:
        pairs = zip(cells, sides, strict=True)
        inside = (f'<{kind} style="text-align:{side}">{escape(cell)}</{kind}>' for cell, side in pairs)
        return f"<tr>{''.join(inside)}</tr>"

    title = f'<caption style="text-align:left">{escape(grid.title)}</caption>' if grid.title else ""
    body = "".join(row(cells, "td") for cells in grid.rows)
    return f"<table>{title}<thead>{row(grid.columns, 'th')}</thead><tbody>{body}</tbody></table>"


def curve(
    curves: Mapping[str, Sequence[AnyPoint]], unit: str = "iterations", evaluator: Evaluator | None = None
) -> str:
    """Return curves as an SVG picture; "" for fewer than two points."""
    evaluator = evaluator or NashConv()
    if (drawn := scaled_series(curves, evaluator)) is None:
        return ""
    series, across, up = drawn

    def x(value: float) -> float:
        return _LEFT + (value - across.low) / (across.high - across.low) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (up.high - value) / (up.high - up.low) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [_tick(x(number), label) for number, label in across.marks]
    parts += [_level(y(number), label) for number, label in up.marks]
    curves_drawn = {name: [(x(a), y(b)) for a, b in pairs] for name, pairs in series.items() if pairs}
    heights = spread([points[-1][1] for points in curves_drawn.values()], _LINE)
    for index, ((name, points), height) in enumerate(zip(curves_drawn.items(), heights, strict=True)):
        parts.append(_line(index, name, points, height))
    above = f'<text x="{_LEFT}" y="{_TOP - 12}">{escape(plot_title(evaluator))}</text>'
    below = (
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}" y="{_HEIGHT - 4}" text-anchor="middle">{escape(unit)}</text>'
    )
    style = 'style="max-width:100%;font:11px sans-serif" fill="currentColor" role="img"'
    style += f' aria-label="{escape(evaluator.title)}"'
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" {style}>{above}{"".join(parts)}{below}</svg>'


def _tick(x: float, label: str) -> str:
    foot = _HEIGHT - _BOTTOM
    return (
        f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{foot}" stroke="currentColor" stroke-opacity=".15"/>'
        f'<text x="{x:.1f}" y="{foot + 14}" text-anchor="middle">{escape(label)}</text>'
    )


def _level(y: float, label: str) -> str:
    end = _WIDTH - _RIGHT
    return (
        f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{end}" y2="{y:.1f}" stroke="currentColor" stroke-opacity=".15"/>'
        f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{escape(label)}</text>'
    )


def _line(index: int, name: str, points: Sequence[tuple[float, float]], height: float) -> str:
    """Return a curve with its name beside the last point, at a height that no other name has."""
    colour, (x, y) = COLOURS[index % len(COLOURS)], points[-1]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points if math.isfinite(a + b))
    dashes = " ".join(map(str, DASHES[index % len(DASHES)])) or "none"
    return (
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dashes}"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>'
        f'<text x="{x + 6:.1f}" y="{height + 4:.1f}" fill="{colour}">{escape(name)}</text>'
    )
