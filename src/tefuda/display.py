"""What people look at in a terminal: progress bars, tables and curves. Only the command line imports this."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from tefuda.driver import Goal
from tefuda.driver import Progress as Report
from tefuda.exact import ExactSolution
from tefuda.games import own_name
from tefuda.match import CrossTable, Match
from tefuda.papers.claims import ClaimTable
from tefuda.profile import Profile
from tefuda.response import Judgement, reach
from tefuda.solution import Point, Solution
from tefuda.sweep import Group
from tefuda.tree import Tree

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

_COLOURS = ("cyan", "yellow", "magenta", "green", "red", "blue", "white")


@contextmanager
def building(name: str) -> Iterator[Callable[[int], None] | None]:
    """Show how many histories of a game have been compiled."""
    if not err.is_terminal:
        yield None
        return
    columns = (TextColumn("compiling {task.description}"), BarColumn(), TextColumn("{task.fields[count]:,} histories"))
    with Progress(*columns, TimeElapsedColumn(), console=err, transient=True) as bar:
        task = bar.add_task(name, total=None, count=0)
        yield lambda count: bar.update(task, count=count)


@contextmanager
def solving(name: str, unit: str) -> Iterator[Callable[[Report], None]]:
    """Show iteration, NashConv and time left: a bar in a terminal, else a line every ten seconds."""
    if not err.is_terminal:
        yield _lines(name, unit)
        return
    figures = TextColumn("{task.fields[count]:,} " + unit + "  NashConv {task.fields[conv]}")
    columns = (TextColumn("{task.description}"), BarColumn(), figures, TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err) as bar:
        task = bar.add_task(name, total=1.0, count=0, conv="")

        def show(report: Report) -> None:
            conv = f"{best_conv(report.point):.3g}" if report.point else "-"
            bar.update(task, completed=done(report), count=report.iterations, conv=conv)

        yield show
        bar.update(task, completed=1.0)


@contextmanager
def telling(name: str) -> Iterator[Callable[[str], None]]:
    """Show what is being done now: a line that changes in a terminal, else a line every ten seconds at most."""
    if err.is_terminal:
        with err.status(name) as status:
            yield lambda text: status.update(f"{name}: {text}")
        return
    last = -math.inf

    def tell(text: str) -> None:
        nonlocal last
        if time.monotonic() - last >= 10:
            last = time.monotonic()
            print(f"{name}: {text}", file=sys.stderr, flush=True)

    yield tell


def _lines(name: str, unit: str) -> Callable[[Report], None]:
    last = time.monotonic()

    def show(report: Report) -> None:
        nonlocal last
        if time.monotonic() - last >= 10:
            last = time.monotonic()
            conv = f", NashConv {best_conv(report.point):.3g}" if report.point else ""
            print(f"{name}: {report.iterations:,} {unit}{conv}, {done(report):.0%} done", file=sys.stderr, flush=True)

    return show


def best_conv(point: Point) -> float:
    """The smaller NashConv of the average and the last iterate."""
    return min(point.nash_conv, point.current_nash_conv)


def done(report: Report) -> float:
    """How much of the goal is reached, 0..1: by iterations, seconds, or the logarithm of NashConv."""
    goal: Goal = report.goal
    shares = [0.0]
    if goal.iterations:
        shares.append(report.iterations / goal.iterations)
    if goal.seconds:
        shares.append(report.seconds / goal.seconds)
    if goal.nodes and report.point:
        shares.append(report.point.nodes / goal.nodes)
    if goal.until and report.point and best_conv(report.point) > 0:
        shares.append(math.log(10 / best_conv(report.point)) / math.log(10 / goal.until))
    return min(max(shares), 1.0)


def strategy_table(profile: Profile, *, limit: int | None = 12, player: int | None = None, only: str = "") -> Table:
    """Infosets with the probabilities of their actions, those reached most often first.

    Args:
        profile: what to show.
        limit: how many infosets; None: all.
        player: only this player's.
        only: only infosets whose name contains this text.
    """
    tree = profile.tree
    weight = np.bincount(
        tree.infoset[tree.infoset >= 0], reach(tree, profile).total[tree.infoset >= 0], minlength=tree.infosets
    )
    chosen = [
        number
        for number in np.argsort(-weight, kind="stable").tolist()
        if (player is None or tree.infoset_player[number] == player) and only in tree.name_of(number)
    ]
    labels = list(dict.fromkeys(label for number in chosen for label in tree.labels(number)))
    wide = len(labels) > 8
    table = Table("infoset", "reached", title=_shown(len(chosen), limit), title_justify="left", title_style="")
    for label in ["strategy"] if wide else labels:
        table.add_column(str(label), justify="left" if wide else "right")
    for number in chosen[:limit]:
        strategy = profile[number]
        cells = [f"{strategy[label]:.4f}" if label in strategy else "" for label in labels]
        if wide:
            ranked = sorted(strategy.items(), key=lambda item: -item[1])[:5]
            cells = ["  ".join(f"{label} {chance:.3f}" for label, chance in ranked)]
        table.add_row(tree.name_of(number), f"{weight[number]:.2%}", *cells)
    return table


def _shown(count: int, limit: int | None) -> str:
    if limit is None or count <= limit:
        return f"strategy at {count:,} infosets"
    return f"strategy at the {limit} infosets reached most often, of {count:,} (tefuda show RUN --all)"


def values_table(tree: Tree, judgement: Judgement) -> Table:
    """Each player's value, best-response value and gain."""
    table = Table("player", "value", "best response", "gain", title="in the game's unit per game", title_style="")
    for column in table.columns[1:]:
        column.justify = "right"
    for player in range(tree.players):
        numbers = (judgement.values[player], judgement.best[player], judgement.gains[player])
        table.add_row(str(player), *(f"{number:+.7f}" for number in numbers))
    return table


def curve_plot(curves: Mapping[str, Sequence[Point]], *, width: int = 64, height: int = 14) -> str:
    """NashConv against iterations, both on logarithmic axes, drawn with braille dots (2 x 4 a character)."""
    series = {
        name: [(math.log10(point.iteration), math.log10(point.nash_conv)) for point in points if point.nash_conv > 0]
        for name, points in curves.items()
    }
    flat = [pair for pairs in series.values() for pair in pairs]
    if len(flat) < 2:
        return ""
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*flat, strict=True))
    low, high = math.floor(low), max(math.ceil(high), math.floor(low) + 1)
    marks = {(high - decade) / (high - low): f"1e{decade:+03d}" for decade in range(low, high + 1)}
    ends = (f"{10**left:,.0f}", f"{10**right:,.0f} iterations")
    drawn = _dot_plot(series, (left, right, low, high), marks, ends, width=width, height=height)
    if len(series) > 1:
        names = (f"[{_COLOURS[n % len(_COLOURS)]}]━ {name}[/]" for n, name in enumerate(series))
        drawn += "\n" + " " * 8 + "  ".join(names)
    return "NashConv\n" + drawn


def frontier_plot(rows: Sequence[tuple[float, float]], *, width: int = 64, height: int = 14) -> str:
    """What is won, upwards, against what is risked."""
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*rows, strict=True))
    high = max(high, low + 1e-9)
    ends = (f"{left:.2f}", f"{right:.2f} risked")
    marks = {0.0: f"{high:+.2f}", 1.0: f"{low:+.2f}"}
    return "won\n" + _dot_plot({"": rows}, (left, right, low, high), marks, ends, width=width, height=height)


def _dot_plot(
    series: Mapping[str, Sequence[tuple[float, float]]],
    box: tuple[float, float, float, float],
    marks: Mapping[float, str],
    ends: tuple[str, str],
    *,
    width: int,
    height: int,
) -> str:
    """Lines through points, left to right, in braille dots.

    Args:
        series: points of each line, x increasing.
        box: left, right, low, high.
        marks: what stands beside the axis, by the part of the way down.
        ends: what stands below it, left and right.
        width: in characters.
        height: in characters.
    """
    left, right, low, high = box
    right = max(right, left + 1e-9)
    cells = [[(0, 0)] * width for _ in range(height)]
    for number, pairs in enumerate(series.values()):
        for x, y in _dense(list(pairs), left, right, 2 * width):
            row = min(4 * height - 1, round((high - y) / (high - low) * (4 * height - 1)))
            column = min(2 * width - 1, round((x - left) / (right - left) * (2 * width - 1)))
            dots, _ = cells[row // 4][column // 2]
            cells[row // 4][column // 2] = (dots | _BRAILLE[row % 4][column % 2], number)
    named = {round(part * (height - 1)): text for part, text in marks.items()}
    lines = [
        f"{named.get(index, ''):>6} │" + "".join(_cell(dots, number) for dots, number in row)
        for index, row in enumerate(cells)
    ]
    lines.append(" " * 7 + "└" + "─" * width)
    lines.append(" " * 8 + ends[0].ljust(width - len(ends[1])) + ends[1])
    return "\n".join(lines)


_BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def _cell(dots: int, number: int) -> str:
    return f"[{_COLOURS[number % len(_COLOURS)]}]{chr(0x2800 + dots)}[/]" if dots else " "


def _dense(pairs: list[tuple[float, float]], left: float, right: float, steps: int) -> list[tuple[float, float]]:
    """The points and those of the straight lines between them."""
    if len(pairs) < 2:
        return pairs
    xs, ys = zip(*pairs, strict=True)
    grid = np.linspace(left, right, steps)
    grid = grid[(grid >= xs[0]) & (grid <= xs[-1])]
    return [*pairs, *zip(grid.tolist(), np.interp(grid, xs, ys).tolist(), strict=True)]


def show_claims(table: ClaimTable) -> None:
    """Print published figures beside ours."""
    grid = Table("claim", "published", "ours", "met if", "met", title=table.title, title_style="")
    for claim in table.claims:
        verdict = "[green]yes[/]" if claim.met else "[red]no[/]"
        grid.add_row(claim.what, claim.published, claim.ours, claim.condition, verdict)
    out.print(grid)
    for note in table.notes:
        out.print(f"- {note}")
    met = sum(claim.met for claim in table.claims)
    out.print(f"{met} of {len(table.claims)} claims met")


def show_solution(solution: Solution) -> None:
    """Print what solving gave: strategy, value, curve, and where the run is."""
    tree = solution.tree
    out.print(strategy_table(solution.profile))
    out.print(curve_plot({solution.method["name"]: solution.curve}))
    worth = ", ".join(f"{value:+.7f} to player {player}" for player, value in enumerate(solution.values))
    out.print(f"value      {worth}  (game's unit per game)")
    out.print(
        f"NashConv   {solution.nash_conv:.3g}  (exploitability = NashConv / {tree.players} = "
        f"{solution.exploitability:.3g}; of the {_ITERATES[solution.iterate]})"
    )
    out.print(
        f"done       {solution.iterations:,} iterations of {solution.method['name']} in {solution.seconds:.3g} s"
        f"{f', {solution.nodes:,} nodes' if solution.nodes else ''}; "
        f"stopped: {solution.stop}"
    )
    if solution.run:
        named = f" --game {own}" if (own := own_name(tree.rules)) else ""
        out.print(f"saved in   {solution.run}   (look again: tefuda show {solution.run}{named})", soft_wrap=True)


def exact_table(solution: ExactSolution) -> Table:
    """Every infoset with the fractions of its actions."""
    table = Table("infoset", "strategy")
    for name, strategy in solution.strategies.items():
        table.add_row(name, "   ".join(f"{action} {chance}" for action, chance in strategy.items() if chance))
    return table


def comparison_table(solutions: Sequence[Solution]) -> Table:
    """When each method first reached a NashConv of 1e-3, 1e-6, 1e-9, and where it ended."""
    marks = (1e-3, 1e-6, 1e-9)
    table = Table("method", *(f"to {mark:g}" for mark in marks), "iterations", "seconds", "NashConv")
    for column in table.columns[1:]:
        column.justify = "right"
    for solution in solutions:
        first = [next((p for p in solution.curve if best_conv(p) <= mark), None) for mark in marks]
        cells = [f"{point.iteration:,}" if point else "-" for point in first]
        end = (f"{solution.iterations:,}", f"{solution.seconds:.3g}", f"{solution.nash_conv:.3g}")
        table.add_row(solution.method["name"], *cells, *end)
    return table


def sweep_table(groups: Sequence[Group]) -> Table:
    """NashConv of each method's runs."""
    names = ("method", "runs", "mean", "deviation", "least", "largest", "seconds a run")
    table = Table(*names, title="NashConv over seeds", title_style="")
    for column in table.columns[1:]:
        column.justify = "right"
    for group in groups:
        spent = sum(solution.seconds for solution in group.solutions) / len(group.solutions)
        figures = (group.mean, group.deviation, min(group.nash_conv), max(group.nash_conv), spent)
        table.add_row(group.method, str(len(group.solutions)), *(f"{figure:.4g}" for figure in figures))
    return table


def match_tables(match: Match, less: Mapping[int, tuple[float, float]]) -> tuple[Table, Table]:
    """What each agent won a hand, and by seating; `less` names mean and error of some agents with less luck."""
    exact = match.exact is not None
    times = f"{match.replicates} replicates of " if match.replicates > 1 else ""
    deals = match.payoffs.shape[1] // match.replicates
    title = "exact" if exact else f"{times}{deals:,} deals in {len(match.seatings)} seatings"
    columns = ["agent", "won a hand", "95 % interval", *(["AIVAT, +- standard error"] if less else [])]
    means = Table(*columns, title=f"in the game's unit: {title}", title_style="")
    for place, (name, mean, (low, high)) in enumerate(zip(match.agents, match.mean, match.interval(), strict=True)):
        cells = [name, f"{mean:+.4f}", "exact" if exact else f"{low:+.4f} .. {high:+.4f}"]
        if place in less:
            cells.append("{:+.4f} +- {:.4f}".format(*less[place]))
        means.add_row(*cells)
    seatings = Table(*(f"seat {seat}" for seat in range(len(match.agents))), title="by seating", title_style="")
    for order, row in zip(match.seatings, match.by_seating, strict=True):
        seatings.add_row(*(f"{match.agents[agent]} {row[agent]:+.4f}" for agent in order))
    return means, seatings


def cross_table_of(cross: CrossTable) -> Table:
    """What each agent wins a hand from each other."""
    table = Table(
        "wins from", *cross.agents, "mean", title="in the game's unit a hand, +- a standard error", title_style=""
    )
    for one, name in enumerate(cross.agents):
        cells = [
            "" if one == two else f"{cross.won[one, two]:+.3f}" + (f" +- {error:.3f}" if error else "")
            for two, error in enumerate(cross.error[one])
        ]
        table.add_row(name, *cells, f"{cross.mean[one]:+.3f}")
    return table


def frontier_table(title: str, knob: str, value: float, rows: Sequence[tuple[float, float, float]]) -> Table:
    """What is won from a model, and what is risked below the game's value."""
    table = Table(
        knob, "won from the model", "risked", title=f"{title}; value of the game {value:+.4f}", title_style=""
    )
    for number, won, risk in rows:
        table.add_row(f"{number:g}", f"{won:+.4f}", f"{risk:.4f}")
    return table


_ITERATES = {"average": "average strategies", "current": "last iterate"}
