"""Tables, and the reports of solving and of claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from rich.table import Table

from tefuda.display.consoles import out
from tefuda.display.curves import curve_plot
from tefuda.display.progress import best_conv
from tefuda.exact import ExactSolution
from tefuda.games import own_name
from tefuda.match import CrossTable, Match
from tefuda.papers.claims import ClaimTable
from tefuda.profile import Profile
from tefuda.response import Judgement, reach
from tefuda.solution import Solution
from tefuda.sweep import Group
from tefuda.tree import Tree


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
