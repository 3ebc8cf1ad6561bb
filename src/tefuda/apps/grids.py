"""Results as tables of text, for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from rich.box import HEAVY_HEAD, SIMPLE_HEAD
from rich.console import Console, ConsoleOptions
from rich.table import Table
from rich.text import Text

from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import ProfileEvaluation, reach
from tefuda.forms.tree import Tree
from tefuda.games.legend import legend, legend_text
from tefuda.games.protocol import CHANCE
from tefuda.solvers.runs.solution import Solution
from tefuda.words import count, fixed, non_negative, percent, signed, significant

if TYPE_CHECKING:
    from tefuda.abstracting.study import AbstractionResult
    from tefuda.exploiting.fitting import FittedOpponent
    from tefuda.papers.claims import ClaimTable, PublishedTable
    from tefuda.playing.match import CrossTable, Match
    from tefuda.resolving.resolution import Resolution
    from tefuda.solvers.exact.rational import ExactSolution
    from tefuda.solvers.runs.sweep import Group


@dataclass(frozen=True)
class Grid:
    """A table: names of columns, rows of texts, and the places of columns of words."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    text_columns: tuple[int, ...] = (0,)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text | Table]:
        """Yield the title and the table: words to the left, numbers to the right.

        Lists of words, and tables for which a frame leaves too little room, have no frame.
        """
        columns = zip(self.columns, *self.rows, strict=True)
        sizes = [max(len(line) for cell in column for line in cell.split("\n")) for column in columns]
        framed = sum(sizes) + 3 * len(sizes) + 1 <= options.max_width and len(self.text_columns) < len(sizes)
        numbers = sum(size + 1 for place, size in enumerate(sizes) if place not in self.text_columns)
        roomy = numbers + 12 * len(self.text_columns) <= options.max_width
        table = Table(box=HEAVY_HEAD if framed else SIMPLE_HEAD, show_edge=framed, padding=(0, int(framed)))
        for place, name in enumerate(self.columns):
            words = place in self.text_columns
            width = None if words or not roomy else sizes[place]
            # fold: nothing is cut off
            table.add_column(Text(name), justify="left" if words else "right", overflow="fold", min_width=width)
        for row in self.rows:
            table.add_row(*map(Text, row))  # Text: brackets in names are no markup
        if self.title:
            yield Text(self.title)
        yield table


def strategy_grid(
    profile: Profile,
    *,
    limit: int | None = 12,
    player: int | None = None,
    only: str = "",
    actions: int | None = 8,
    width: int = 80,
) -> Grid:
    """Return infosets with the probabilities of their actions, those reached most often first.

    Args:
        profile: the profile.
        limit: largest number of infosets; None: all.
        player: the only player to show.
        only: text in the names of the infosets to show.
        actions: largest number of actions, where they have no column each; None: all.
        width: width in characters; actions have a column each if they fit.
    """
    tree, weight = profile.tree, infoset_reach(profile)
    chosen = [
        number
        for number in np.argsort(-weight, kind="stable").tolist()
        if (player is None or tree.infoset_player[number] == player) and only in tree.name_of(number)
    ]
    shown = chosen[:limit]
    labels = list(dict.fromkeys(label for number in shown for label in tree.labels(number)))
    names = [tree.name_of(number) for number in shown]
    taken = max(map(len, ("infoset", *names))) + 18 + sum(max(6, len(str(label))) + 3 for label in labels)
    columns = taken <= width and len(labels) <= 16
    rows = []
    for number, name in zip(shown, names, strict=True):
        strategy = profile[number]
        each = [fixed(strategy[label]) if label in strategy else "" for label in labels]
        rows.append((name, percent(weight[number]), *(each if columns else [strategy_text(strategy, actions)])))
    heads = map(str, labels) if columns else ["strategy"]
    words = legend_text(legend(tree.rules, [(int(tree.infoset_player[n]), tree.keys[n]) for n in shown]))
    title = _shown(len(chosen), limit) + (f"; {words}" if words else "")
    return Grid(("infoset", "reached", *heads), tuple(rows), title, (0,) if columns else (0, 2))


def strategy_text(strategy: Mapping[Hashable, float], most: int | None) -> str:
    """Return ``a=0.500  b=0.250  and 16 more: 25.00 %``, the likeliest actions."""
    ranked = sorted(strategy.items(), key=lambda item: -item[1])
    told = ranked if most is None else [pair for pair in ranked[:most] if pair[1] >= 0.0005]
    parts = [f"{label}={fixed(chance, 3)}" for label, chance in told]
    if rest := ranked[len(told) :]:
        parts.append(f"and {len(rest):,} more: {percent(sum(chance for _, chance in rest))}")
    return "  ".join(parts)


def infoset_reach(profile: Profile) -> np.ndarray:
    """Return the reach `[I]` of each infoset."""
    tree = profile.tree
    inside = tree.infoset >= 0
    return np.bincount(tree.infoset[inside], reach(profile).total[inside], minlength=tree.infosets)


def _shown(number: int, limit: int | None) -> str:
    if limit is None or number <= limit:
        return f"strategy at {count(number, 'infosets')}"
    return f"strategy at the {limit} infosets reached most often, of {number:,} (tefuda show RUN --all)"


def values_grid(tree: Tree, evaluation: ProfileEvaluation) -> Grid:
    """Return the value, the best-response value and the gain of each player."""
    figures = zip(evaluation.values, evaluation.best, evaluation.gains, strict=True)
    rows = tuple(
        (str(player), signed(value, 7), signed(best, 7), signed(max(gain, 0.0), 7))
        for player, (value, best, gain) in enumerate(figures)
    )
    return Grid(("player", "value", "best response", "gain"), rows, "in the game's unit per game")


def resolution_grid(resolution: Resolution) -> Grid:
    """Return the values of the opponent in a re-solved subgame, before and after."""
    columns = (resolution.reach, resolution.before, resolution.limits, resolution.after)
    rows = tuple(
        (infoset, fixed(reach, 6), *(signed(value, 6) for value in values))
        for infoset, reach, *values in zip(resolution.augmented_infosets, *columns, strict=True)
    )
    sub, margin = resolution.sub, signed(resolution.margin, 6)
    title = f"{sub.tree.name}, public state {sub.public_state} re-solved for player {resolution.player}: "
    title += f"{resolution.gadget.name}, margin {margin}"
    return Grid(("opponent's infoset", "reach", "before", "limit", "after"), rows, title)


def game_values_grid(solution: Solution) -> Grid:
    """Return the value of each player."""
    rows = tuple((str(player), signed(value, 7)) for player, value in enumerate(solution.values))
    return Grid(("player", "value"), rows, "in the game's unit per game")


def tree_sizes(tree: Tree) -> dict[str, int]:
    """Return the numbers of histories, of their kinds, and of infosets."""
    decisions, chance = int((tree.player >= 0).sum()), int((tree.player == CHANCE).sum())
    kinds = {"decisions": decisions, "chance": chance, "terminals": len(tree.terminals)}
    return {"histories": len(tree.player), **kinds, "infosets": tree.infosets}


def tree_grid(tree: Tree) -> Grid:
    """Return the size of a game."""
    sizes = {"players": tree.players, **tree_sizes(tree), "infoset-action pairs": tree.rows}
    parameters = ", ".join(f"{name} {value}" for name, value in tree.parameters.items())
    rows = tuple((name, f"{size:,}") for name, size in sizes.items())
    return Grid(("", "count"), rows, f"{tree.name} ({parameters})" if parameters else tree.name)


def exact_grid(solution: ExactSolution) -> Grid:
    """Return every infoset with the fractions of its actions."""
    rows = tuple(
        (name, "   ".join(f"{action} {chance}" for action, chance in strategy.items() if chance))
        for name, strategy in solution.strategies.items()
    )
    return Grid(("infoset", "strategy"), rows, text_columns=(0, 1))


def comparison_grid(solutions: Sequence[Solution]) -> Grid:
    """Return the iterations of each method to NashConvs of 1e-3, 1e-6, 1e-9."""
    marks, rows = (1e-3, 1e-6, 1e-9), []
    for solution in solutions:
        first = [next((p for p in solution.curve if p.nash_conv <= mark), None) for mark in marks]
        cells = [f"{point.iteration:,}" if point else "-" for point in first]
        end = (f"{solution.iterations:,}", significant(solution.seconds), non_negative(solution.nash_conv))
        rows.append((solution.method["name"], *cells, *end))
    heads = ("method", *(f"to 1e-{3 * place}" for place in (1, 2, 3)), "iterations", "seconds", "NashConv")
    return Grid(heads, tuple(rows))


def study_grid(tree: Tree, trials: Sequence[AbstractionResult]) -> Grid:
    """Return NashConv in the real game of strategies in buckets."""
    rows = []
    for trial in trials:
        figures = (
            non_negative(number) if number == number else "-"
            for number in (trial.equilibrium, trial.cfr_br, trial.least)
        )
        rows.append((":".join(map(str, trial.counts)), trial.recall, f"{trial.classes:,}", *figures))
    heads = ("buckets", "recall", "classes", "equilibrium", "CFR-BR", "least (LP)")
    title = f"{tree.title}, {tree.infosets:,} infosets: NashConv in the real game"
    return Grid(heads, tuple(rows), title, (0, 1))


def sweep_grid(groups: Sequence[Group]) -> Grid:
    """Return NashConv of each method's runs."""
    heads, rows = ("method", "runs", "mean", "deviation", "least", "largest", "seconds a run"), []
    for group in groups:
        spent = sum(solution.seconds for solution in group.solutions) / len(group.solutions)
        figures = (group.mean, group.deviation, min(group.nash_conv), max(group.nash_conv), spent)
        rows.append((group.method, str(len(group.solutions)), *(non_negative(figure, 4) for figure in figures)))
    return Grid(heads, tuple(rows), "NashConv over seeds")


def match_grids(match: Match, less: Mapping[int, tuple[float, float]]) -> tuple[Grid, Grid]:
    """Return what each agent won, and by seating; `less` are means and errors by AIVAT."""
    exact, rows = match.exact is not None, []
    for place, (name, mean, (low, high)) in enumerate(zip(match.agents, match.mean, match.interval(), strict=True)):
        cells = [name, signed(mean), "exact" if exact else f"{signed(low)} .. {signed(high)}"]
        if less:
            cells.append(f"{signed(less[place][0])} +- {fixed(less[place][1])}" if place in less else "")
        rows.append(tuple(cells))
    heads = ("agent", "won a hand", "95 % interval", *(["AIVAT, +- standard error"] if less else []))
    seatings = [
        tuple(f"{match.agents[agent]} {signed(row[agent])}" for agent in order)
        for order, row in zip(match.seatings, match.by_seating, strict=True)
    ]
    seats = tuple(f"seat {seat}" for seat in range(len(match.agents)))
    means = Grid(heads, tuple(rows), f"in the game's unit: {played(match)}")
    return means, Grid(seats, tuple(seatings), "by seating", tuple(range(len(seats))))


def played(match: Match) -> str:
    """Return the length of a match: ``exact``, or ``4 replicates of 100 deals in 2 seatings``."""
    if match.exact is not None:
        return "exact"
    times = f"{match.replicates} replicates of " if match.replicates > 1 else ""
    deals = count(match.payoffs.shape[1] // match.replicates, "deals")
    return f"{times}{deals} in {count(len(match.seatings), 'seatings')}"


def cross_grid(cross: CrossTable) -> Grid:
    """Return what each agent wins a hand from each other."""
    rows = []
    for one, name in enumerate(cross.agents):
        cells = [
            "" if one == two else signed(cross.won[one, two], 3) + (f" +- {fixed(error, 3)}" if error else "")
            for two, error in enumerate(cross.error[one])
        ]
        rows.append((f"{one + 1} {name}", *cells, signed(cross.mean[one], 3)))
    numbers = [str(place + 1) for place in range(len(cross.agents))]
    return Grid(("wins from", *numbers, "mean"), tuple(rows), "in the game's unit a hand, +- a standard error")


def frontier_grid(title: str, knob: str, value: float, rows: Sequence[tuple[float, float, float]]) -> Grid:
    """Return what is won from a model, and what is risked below the game's value."""
    cells = tuple((significant(number, 6), signed(won), fixed(max(risk, 0.0))) for number, won, risk in rows)
    heads = (knob, "won from the model", "risked")
    return Grid(heads, cells, f"{title}; value of the game {signed(value)}", ())


def fitted_grid(fitted: FittedOpponent, player: int, most: int | None) -> Grid:
    """Return the `most` best and least known infosets of a fitted opponent."""
    tree, visits = fitted.profile.tree, fitted.visits
    own = tree.infosets_of(player)
    order = own[np.argsort(-visits[own], kind="stable")].tolist()
    whole = most is None or len(order) <= 2 * most
    shown = order if whole else [*order[:most], None, *order[-most:]]  # type: ignore[operator]
    rows = tuple(
        (tree.name_of(number), fixed(visits[number], 1), strategy_text(fitted.profile[number], None if whole else 4))
        if number is not None
        else ("...", "", f"{count(len(order) - 2 * most, 'infosets')} between")  # type: ignore[operator]
        for number in shown
    )
    unknown = int((visits[own] < 1).sum())
    title = (
        f"{fitted.agent} in seat {player}: {count(int(fitted.hands[player]), 'hands')}; in {fitted.hidden:,} of "
        f"{int(fitted.hands.sum()):,} in all seats its cards stayed hidden and are weighed. {unknown} of {len(order)} "
        "infosets rest on less than one hand: there the model is mostly the prior."
    )
    return Grid(("infoset", "hands", "strategy"), rows, title, (0, 2))


def claims_grid(table: ClaimTable) -> Grid:
    """Return a source's claims beside our figures, with our verdicts."""
    rows = tuple(
        (claim.name, claim.what, claim.published, claim.ours, claim.condition, claim.status) for claim in table.claims
    )
    named = int(not any(claim.name for claim in table.claims))  # without names no column for them
    columns = ("", "claim", "published", "ours", "met if", "status")
    return Grid(columns[named:], tuple(row[named:] for row in rows), table.title, tuple(range(6 - named)))


def published_grid(table: PublishedTable) -> Grid:
    """Return a published table with our figures beside its own."""
    heads, rows = table.shown()
    title = f"{table.name}: {table.title}"
    return Grid(tuple(heads), tuple(map(tuple, rows)), title, tuple(range(len(table.heads))))
