"""Results as tables of text, for terminals and notebooks."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
from rich.box import HEAVY_HEAD, SIMPLE_HEAD
from rich.console import Console, ConsoleOptions
from rich.table import Table
from rich.text import Text

from tefuda.apps.display.colours import action_bar, colourful
from tefuda.correlating.gaps import CONVENTIONS, Gaps
from tefuda.evaluating.explorer import Position
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import ProfileEvaluation, infoset_sums, reach
from tefuda.figure import ink_on
from tefuda.forms.tree import Tree
from tefuda.games.kit import kit_of
from tefuda.games.legend import legend, legend_text
from tefuda.games.protocol import CHANCE
from tefuda.solvers.runs.solution import Solution
from tefuda.words import UNKNOWN, count, fixed, non_negative, percent, signed, significant

if TYPE_CHECKING:
    from tefuda.abstracting.study import AbstractionResult
    from tefuda.exploiting.fitting import FittedOpponent
    from tefuda.playing.match import CrossTable, Match
    from tefuda.playing.rating import Ratings
    from tefuda.resolving.resolution import Resolution
    from tefuda.solvers.exact.equilibria import Equilibria
    from tefuda.solvers.exact.ranges import Ranges
    from tefuda.solvers.exact.rational import ExactSolution
    from tefuda.solvers.populations.plans import PopulationSolver
    from tefuda.solvers.quantal.path import QuantalPath
    from tefuda.solvers.runs.listing import RunSummary
    from tefuda.solvers.runs.sweep import Group


_PLANS = 8  # of a population in a table
_BAR = 20  # width of a bar of shares in characters


@dataclass(frozen=True)
class Grid:
    """A table: column names, rows of texts, a title, and the indices of columns of text.

    Attributes:
        columns: names of the columns.
        rows: texts of the cells.
        title: title above the table.
        text_columns: indices of columns of text.
        bars: for each row the actions with their shares, drawn as a bar in a terminal with colours.
        fills: background colours of cells by (row, column), in a terminal with colours.
        faint: cells by (row, column) that are grey in a terminal with colours.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    text_columns: tuple[int, ...] = (0,)
    bars: tuple[tuple[tuple[str, float], ...], ...] = ()
    fills: Mapping[tuple[int, int], str] = field(default_factory=dict)
    faint: frozenset[tuple[int, int]] = frozenset()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text | Table]:
        """Yield the title and the table: text is aligned left, numbers right.

        Tables of text only, and tables that are too wide with a frame, have no frame.
        """
        columns = zip(self.columns, *self.rows, strict=True)
        sizes = [max(len(line) for cell in column for line in cell.split("\n")) for column in columns]
        framed = sum(sizes) + 3 * len(sizes) + 1 <= options.max_width and len(self.text_columns) < len(sizes)
        numbers = sum(size + 1 for index, size in enumerate(sizes) if index not in self.text_columns)
        roomy = numbers + 12 * len(self.text_columns) <= options.max_width
        table = Table(box=HEAVY_HEAD if framed else SIMPLE_HEAD, show_edge=framed, padding=(0, int(framed)))
        for index, name in enumerate(self.columns):
            words = index in self.text_columns
            width = None if words or not roomy else sizes[index]
            # fold: nothing is cut off
            table.add_column(Text(name), justify="left" if words else "right", overflow="fold", min_width=width)
        coloured = colourful(console)
        bars = coloured and self.bars and sum(sizes) + 3 * len(sizes) + _BAR + 4 <= options.max_width
        if bars:
            table.add_column(Text("shares"), min_width=_BAR, no_wrap=True)
        for number, row in enumerate(self.rows):
            fills = [self.fills.get((number, column), "") if coloured else "" for column in range(len(row))]
            cells = [
                Text(text, f"{ink_on(fill)} on {fill}" if fill else self._ink(number, column, coloured))
                for column, (text, fill) in enumerate(zip(row, fills, strict=True))
            ]
            table.add_row(*cells, *([action_bar(self.bars[number], _BAR)] if bars else []))
        if self.title:
            yield Text(self.title)
        yield table

    def _ink(self, row: int, column: int, coloured: bool) -> str:
        """Return the style of a cell without a fill."""
        return "bright_black" if coloured and (row, column) in self.faint else ""


def strategy_grid(
    profile: Profile,
    *,
    limit: int | None = 12,
    player: int | None = None,
    only: str = "",
    actions: int | None = 8,
    width: int = 80,
) -> Grid:
    """Return infosets with their action probabilities, the most often reached first.

    Args:
        profile: the profile.
        limit: largest number of infosets; None: all.
        player: show only the infosets of this player; None: all players.
        only: show only infosets whose name contains this text.
        actions: largest number of actions in a cell, if actions have no columns; None: all.
        width: width in characters; actions have columns if these fit.
    """
    tree, weight = profile.tree, infoset_reach(profile)
    chosen = [
        number
        for number in np.argsort(-weight, kind="stable").tolist()
        if (player is None or tree.infoset_player[number] == player) and (not only or only in tree.name_of(number))
    ]
    shown = chosen[:limit]
    labels = list(dict.fromkeys(label for number in shown for label in tree.labels(number)))
    names = [tree.name_of(number) for number in shown]
    needed = max(map(len, ("infoset", *names))) + 18 + sum(max(6, len(str(label))) + 3 for label in labels)
    columns = needed <= width and len(labels) <= 16
    rows, bars = [], []
    for number, name in zip(shown, names, strict=True):
        strategy = profile[number]
        words = kit_of(tree.game).observe(tree.keys[number], int(tree.infoset_player[number])).actions
        bars.append(tuple((words.get(label, str(label)), share) for label, share in strategy.items()))
        each = [fixed(strategy[label]) if label in strategy else "" for label in labels]
        rows.append((name, percent(weight[number]), *(each if columns else [strategy_text(strategy, actions)])))
    heads = map(str, labels) if columns else ["strategy"]
    labelled = legend_text(legend(tree.game, [(int(tree.infoset_player[n]), tree.keys[n]) for n in shown]))
    title = _shown(len(chosen), limit) + (f"; {labelled}" if labelled else "")
    return Grid(("infoset", "reached", *heads), tuple(rows), title, (0,) if columns else (0, 2), tuple(bars))


def strategy_text(strategy: Mapping[Hashable, float], most: int | None) -> str:
    """Return the most probable actions: ``a=0.500  b=0.250  and 16 more: 25.00 %``."""
    ranked = sorted(strategy.items(), key=lambda item: -item[1])
    named = ranked if most is None else [pair for pair in ranked[:most] if pair[1] >= 0.0005]
    parts = [f"{label}={fixed(chance, 3)}" for label, chance in named]
    if rest := ranked[len(named) :]:
        parts.append(f"and {len(rest):,} more: {percent(sum(chance for _, chance in rest))}")
    return "  ".join(parts)


def infoset_reach(profile: Profile) -> np.ndarray:
    """Return the reach `[I]` of each infoset."""
    return infoset_sums(profile.tree, reach(profile).total)


def _shown(number: int, limit: int | None) -> str:
    if limit is None or number <= limit:
        return f"strategy at {count(number, 'infosets')}"
    return f"strategy at the {limit} infosets reached most often, of {number:,} (all: --all; in Python, items())"


def runs_grid(runs: Sequence[RunSummary]) -> Grid:
    """Return the runs of a folder with their method, status and figure."""
    rows = []
    for run in runs:
        value = run.figure.get("value")
        figure = "" if value is None else f"{run.figure['title']} {significant(value)}"
        done = "" if run.error else f"{run.iterations:,}"
        rows.append((run.id, run.title, run.game, run.method, run.status, done, figure))
    heads = ("run", "title", "game", "method", "status", "iterations", "figure")
    titled = any(run.title for run in runs)
    keep = [column for column in range(len(heads)) if column != 1 or titled]
    cells = tuple(tuple(row[column] for column in keep) for row in rows)
    return Grid(tuple(heads[column] for column in keep), cells, text_columns=tuple(range(len(keep) - 2)))


def values_grid(evaluation: ProfileEvaluation) -> Grid:
    """Return the value, the best-response value and the gain of each player."""
    figures = zip(evaluation.values, evaluation.best, evaluation.gains, strict=True)
    rows = tuple(
        (str(player), signed(value, 7), *(("", "") if np.isnan(best) else (signed(best, 7), signed(max(gain, 0.0), 7))))
        for player, (value, best, gain) in enumerate(figures)
    )
    return Grid(("player", "value", "best response", "gain"), rows, "in the game's unit per game")


def gaps_grid(gaps: Gaps) -> Grid:
    """Return the gaps of a device by concept, and the signed total gain of each player."""
    rows = tuple(
        (
            concept.upper(),
            *(non_negative(gaps.gap(concept, how), 9) for how in CONVENTIONS),
            *(signed(gain, 7) for gain in gains),
        )
        for concept, gains in gaps.totals.items()
    )
    players = tuple(f"gain of {player}" for player in range(len(gaps.values)))
    title = "gaps of the device, in the game's unit per game; a gain below 0 is a margin"
    return Grid(("concept", *CONVENTIONS, *players), rows, title)


_POINTS = 12  # rows of a path


def path_grid(path: QuantalPath) -> Grid:
    """Return some points of a path of quantal response, with the values of the players."""
    numbers = np.unique(np.linspace(0, len(path.points) - 1, _POINTS).astype(int))
    rows = tuple(
        (
            significant(float(path.rationality[number]), 5),
            *(signed(float(value), 7) for value in path.values[number]),
            non_negative(float(path.regrets[number])),
        )
        for number in numbers.tolist()
    )
    players = tuple(f"value of {player}" for player in range(path.tree.players))
    title = f"{path.tree.name}, quantal response in {path.form} form, {len(path.points)} points"
    return Grid(("rationality", *players, "largest gain"), rows, title)


def population_grids(solver: PopulationSolver) -> list[Grid]:
    """Return the likeliest plans with their payoffs for two players, or the numbers of sequences."""
    found = solver.summary()
    if "sequences" in found:
        rows = [(str(p), f"{used:,}", f"{of:,}") for p, (used, of) in enumerate(zip(*found.values(), strict=True))]
        return [Grid(("player", "sequences used", "of"), tuple(rows), "restricted game")]
    best = [np.argsort(-np.array(own), kind="stable")[:_PLANS].tolist() for own in found["weights"]]
    rows = [
        (str(player), count(len(own), "plans"), ", ".join(f"{k} {own[k]:.4f}" for k in chosen if own[k] > 0))
        for player, (own, chosen) in enumerate(zip(found["weights"], best, strict=True))
    ]
    grids = [Grid(("player", "population", "likeliest plans with their probability"), tuple(rows), "", (0, 1, 2))]
    if len(best) == 2:
        table, columns = found["payoffs"][0], best[1]
        cells = tuple((str(k), *(signed(table[k][other], 4) for other in columns)) for k in best[0])
        grids.append(Grid(("plan", *map(str, columns)), cells, "payoffs to player 0 of these plans"))
    return grids


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
    """Return the numbers of histories, of each kind of history, and of infosets."""
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
    """Return every infoset with its action probabilities as fractions."""
    rows = tuple(
        (name, "   ".join(f"{action} {chance}" for action, chance in strategy.items() if chance))
        for name, strategy in solution.strategies.items()
    )
    return Grid(("infoset", "strategy"), rows, text_columns=(0, 1))


def ranges_grid(found: Ranges) -> Grid:
    """Return every infoset with the least and largest probability of each action over all equilibria."""
    by_infoset: dict[str, list[str]] = {}
    for (name, action), ends in found.probabilities.items():
        low, high = ends or (None, None)
        one = _end(low) if low == high or _end(low) == _end(high) else f"{_end(low)} to {_end(high)}"
        by_infoset.setdefault(name, []).append(f"{action} {one}" if ends else "")
    rows = [
        (name, "   ".join(filter(None, parts)) or "reached in no equilibrium") for name, parts in by_infoset.items()
    ]
    return Grid(("infoset", "probabilities"), tuple(rows), text_columns=(0, 1))


def _end(value: object) -> str:
    return f"{round(value, 6):g}" if isinstance(value, float) else str(value)


def equilibria_grid(found: Equilibria) -> Grid:
    """Return the values and strategies of all equilibria found; a strategy lists actions that are played."""
    sets = {number: str(k) for k, component in enumerate(found.components, 1) for number in component}
    rows = tuple(
        (
            str(number + 1),
            sets.get(number, ""),
            *map(str, each.values),
            "   ".join(
                f"{name} {' '.join(f'{action} {chance}' for action, chance in row.items() if chance)}"
                for name, row in each.strategies.items()
            ),
        )
        for number, each in enumerate(found.extreme)
    )
    players = range(found.tree.players)
    head = ("", "component", *(f"value to {player}" for player in players), "strategies")
    return Grid(head, rows, text_columns=(len(head) - 1,))


def position_grid(position: Position) -> Grid:
    """Return the figures of the actions at a history, as its observer knows them."""
    observer = position.observer or 0
    rows = tuple(
        (
            action.name,
            UNKNOWN if action.share is None else percent(action.share),
            UNKNOWN if action.values is None else signed(action.values[observer], 4),
            UNKNOWN if action.regret is None else signed(action.regret, 4),
            {None: "", True: "as good as any", False: ""}[action.as_good],
        )
        for action in position.actions
    )
    return Grid(("action", "share", f"value to {observer}", "regret", "mark"), rows, text_columns=(0, 4))


def comparison_grid(groups: Sequence[Group]) -> Grid:
    """Return medians over runs: iterations to a NashConv, work, and NashConv with its range.

    The game has a column if there are several, the range if a method has several runs. A NashConv that no method
    reaches has none.
    """
    rows = [
        {
            "game": group.game,
            "method": group.method,
            **{f"to 1e-{digits}": _iterations_to(group, 10.0**-digits) for digits in (3, 6, 9)},
            "iterations": f"{median(run.iterations for run in group.solutions):,.0f}",
            "seconds": significant(median(run.seconds for run in group.solutions)),
            "NashConv": non_negative(group.median),
            "least": non_negative(min(group.nash_conv)),
            "largest": non_negative(max(group.nash_conv)),
        }
        for group in groups
    ]
    one_game, runs = len({group.game for group in groups}) == 1, len(groups[0].solutions)
    left_out = {name for name in rows[0] if all(row[name] == UNKNOWN for row in rows)}
    left_out |= {"game"} if one_game else set()
    left_out |= {"least", "largest"} if runs == 1 else set()
    heads = tuple(name for name in rows[0] if name not in left_out)
    cells = tuple(tuple(row[name] for name in heads) for row in rows)
    title = "" if runs == 1 else f"medians of {runs} runs, and the range of NashConv"
    return Grid(heads, cells, title, (0,) if one_game else (0, 1))


def _iterations_to(group: Group, nash_conv: float) -> str:
    """Return the median of the iterations to a NashConv; `UNKNOWN` if half of the runs do not reach it."""
    firsts = [
        next((point.iteration for point in run.curve if point.nash_conv <= nash_conv), math.inf)
        for run in group.solutions
    ]
    return UNKNOWN if math.isinf(middle := median(firsts)) else f"{middle:,.0f}"


#: Characters that LaTeX does not print as they are.
_LATEX = str.maketrans({
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "\u2212": "$-$", "\u2026": r"\ldots{}",
    "\u2660": r"$\spadesuit$", "\u2665": r"$\heartsuit$", "\u2666": r"$\diamondsuit$", "\u2663": r"$\clubsuit$",
})  # fmt: skip


def latex_text(text: str) -> str:
    """Return a text for LaTeX, with its special characters escaped."""
    return text.translate(_LATEX)


def latex_table(grid: Grid) -> str:
    """Return a table as a ``tabular`` of LaTeX, which needs no package."""
    heads, *rows = (" & ".join(map(latex_text, row)) + r" \\" for row in (grid.columns, *grid.rows))
    sides = "".join("l" if column in grid.text_columns else "r" for column in range(len(grid.columns)))
    return "\n".join((rf"\begin{{tabular}}{{{sides}}}", heads, r"\hline", *rows, r"\end{tabular}", ""))


def study_grid(tree: Tree, trials: Sequence[AbstractionResult]) -> Grid:
    """Return the NashConv in the real game of strategies in buckets."""
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


def match_grids(match: Match, reduced: Mapping[int, tuple[float, float]]) -> tuple[Grid, Grid]:
    """Return the winnings of each agent, and by seat order; `less` has means and errors by AIVAT."""
    exact, rows = match.exact is not None, []
    for agent, (name, mean, (low, high)) in enumerate(zip(match.agents, match.mean, match.interval(), strict=True)):
        cells = [name, signed(mean), "exact" if exact else f"{signed(low)} .. {signed(high)}"]
        if reduced:
            cells.append(f"{signed(reduced[agent][0])} +- {fixed(reduced[agent][1])}" if agent in reduced else "")
        rows.append(tuple(cells))
    heads = ("agent", "won per hand", "95 % interval", *(["AIVAT, +- standard error"] if reduced else []))
    seatings = [
        tuple(f"{match.agents[agent]} {signed(row[agent])}" for agent in order)
        for order, row in zip(match.seatings, match.by_seating, strict=True)
    ]
    seats = tuple(f"seat {seat}" for seat in range(len(match.agents)))
    means = Grid(heads, tuple(rows), f"in the game's unit: {played(match)}")
    return means, Grid(seats, tuple(seatings), "by seat order", tuple(range(len(seats))))


def played(match: Match) -> str:
    """Return the length of a match: ``exact``, or ``4 replicates of 100 deals in 2 seat orders``."""
    if match.exact is not None:
        return "exact"
    times = f"{match.replicates} replicates of " if match.replicates > 1 else ""
    deals = count(match.payoffs.shape[1] // match.replicates, "deals")
    return f"{times}{deals} in {count(len(match.seatings), 'seat orders')}"


def cross_grid(cross: CrossTable) -> Grid:
    """Return the winnings per hand of each agent from each opponent."""
    lines = []
    for row, name in enumerate(cross.agents):
        cells = [
            "" if row == column else signed(cross.won[row, column], 3) + (f" +- {fixed(error, 3)}" if error else "")
            for column, error in enumerate(cross.error[row])
        ]
        lines.append((f"{row + 1} {name}", *cells, signed(cross.mean[row], 3)))
    numbers = [str(index + 1) for index in range(len(cross.agents))]
    return Grid(("wins from", *numbers, "mean"), tuple(lines), "in the game's unit per hand, +- standard error")


def ratings_grid(rated: Ratings) -> Grid:
    """Return the ratings with their intervals, the best first, and the remarks as the title."""
    rows = [
        (rated.agents[agent], *(signed(ends[agent], 3) for ends in (rated.rating, rated.low, rated.high)))
        for agent in np.argsort(-rated.rating, kind="stable").tolist()
    ]
    title = "; ".join((f"{rated.system}, 95 % intervals", *rated.notes))
    return Grid((rated.system, "rating", "low", "high"), tuple(rows), title)


def frontier_grid(title: str, knob: str, value: float, rows: Sequence[tuple[float, float, float]]) -> Grid:
    """Return the gain against a model, and the risk below the value of the game."""
    cells = tuple((significant(number, 6), signed(won), fixed(max(risk, 0.0))) for number, won, risk in rows)
    heads = (knob, "gain from the model", "risk")
    return Grid(heads, cells, f"{title}; value of the game {signed(value)}", ())


def fitted_grid(fitted: FittedOpponent, player: int, most: int | None) -> Grid:
    """Return the `most` best known and least known infosets of a fitted opponent."""
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
        f"{fitted.agent} in seat {player}: {count(int(fitted.hands[player]), 'hands')}. Cards stayed hidden in "
        f"{fitted.hidden:,} of {int(fitted.hands.sum()):,} hands in all seats; they are weighted by probability. "
        f"{unknown} of {len(order)} infosets have less than one hand: there the model is mostly the prior."
    )
    return Grid(("infoset", "hands", "strategy"), rows, title, (0, 2))
