"""Double neural CFR on Leduc: networks instead of tables (takizawa2020, sections 6, 9 to 11).

The published figures are from Li et al. 2019, no-limit Leduc with a stack of 5: a 0.06-equilibrium after 200 iterations
of 5,000 traversals with k = 3, and 0.02 after 1,000. We read them as exploitability, NashConv / 2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from tefuda.figure import Panel
from tefuda.forms.compile import compile_game
from tefuda.forms.rules_simulator import RulesSimulator
from tefuda.forms.simulate import Simulator, TreeSimulator
from tefuda.forms.tree import Tree
from tefuda.games.catalogue import load_game
from tefuda.settings import with_options
from tefuda.solvers.learned.neural import DOUBLE_NEURAL_FIXED, DeepCFR
from tefuda.solvers.runs.solving import make_solver
from tefuda.solvers.runs.sweep import Group, sweep
from tefuda.words import Notify
from tefuda_reproductions.claims import (
    Claim,
    ClaimTable,
    PublishedTable,
    below,
    mean_and_half,
    table,
    verdict,
)
from tefuda_reproductions.papers.nfsp_exploration import p_value
from tefuda_reproductions.papers.sources import TAKIZAWA

#: Exploitability by number of iterations (Li et al. 2019, section 5).
PUBLISHED = {200: 0.06, 1000: 0.02}
GAMES = {"Leduc": ("leduc", {}), "no-limit Leduc": ("nolimit_leduc", {"stack": 5})}
#: Traversals an iteration, and widths of both networks.
WALKS, WIDTHS = (100, 500, 2500), (8, 32, 128)
_ENOUGH = 100  # iterations of the longest runs from which claims are evaluated
KINDS = ("connected", "lstm", "lstm+attention")


def variant(name: str, **changes: Any) -> DeepCFR:
    """Return a variant of double neural CFR that stores and fits all rows."""
    return with_options(DOUBLE_NEURAL_FIXED, {"name": name, **changes})


TABLES = variant("tables", network="table")
NETWORKS = variant("networks")
BOTH = (TABLES, NETWORKS)
ALONE = (
    variant("regrets-alone", average_network="table"),
    variant("average-alone", network="table", average_network="connected"),
)  # fmt: skip
TITLES = {
    "tables": "tables", "networks": "two networks", "regrets-alone": "regrets in a network, average in a table",
    "average-alone": "regrets in a table, average in a network",
}  # fmt: skip
#: As published, trained by few steps of Adam, to compare how fast kinds of networks learn.
ENCODERS = tuple(
    variant(
        f"reads-{kind}", network=kind, last_layer_fit="adam", traversals=500, hidden=32, average_hidden=32, steps=30,
        average_steps=30, layers=2,
    )
    for kind in KINDS
)  # fmt: skip
SIZES = {
    (traversals, width): variant(
        f"size-{traversals}-{width}", traversals=traversals, hidden=width, average_hidden=width
    )
    for traversals in WALKS
    for width in WIDTHS
} | {
    (traversals, 0): variant(f"size-{traversals}-tables", traversals=traversals, network="table")
    for traversals in WALKS
}
#: Variants by k and by the regret of actions that were not sampled; with tables, to exclude other errors.
DRAWN = {
    (k, undrawn): variant(f"k{k}-{undrawn}", network="table", traversals=1000, k=k, unsampled=undrawn)
    for k in (1, 2)
    for undrawn in ("nothing", "share")
}
WARM = {"cold": variant("cold"), "warm": variant("warm", warm_start=10)}


@dataclass(frozen=True)
class RunFolder:
    """Folder of the runs, iterations of the longest runs, and number of seeds."""

    folder: Path
    iterations: int
    seeds: int
    notify: Notify

    def of(self, game: str, tree: Tree, methods: Sequence[DeepCFR], share: float = 1.0, seeds: int = 1) -> list[Group]:
        """Return groups of runs with a share of the iterations."""
        return sweep(
            tree, methods, seeds=range(1, seeds + 1), iterations=self.part(share), folder=self.folder / GAMES[game][0],
            progress=lambda text: self.notify(f"{game}, {methods[0].name} ...: {text}"),
        )  # fmt: skip

    def means(self, game: str, tree: Tree, methods: Mapping[Any, DeepCFR], share: float) -> dict[Any, float]:
        """Return the mean NashConv of methods, by key."""
        groups = self.of(game, tree, list(methods.values()), share)
        return dict(zip(methods, (one.mean for one in groups), strict=True))

    def part(self, share: float) -> int:
        """Return a share of the iterations."""
        return max(2, round(self.iterations * share))

    @property
    def whole(self) -> bool:
        """True if the runs are long enough to evaluate claims."""
        return self.iterations >= _ENOUGH and self.seeds >= 5


class Measurements(NamedTuple):
    """Groups of runs, and mean NashConv by network size and by the treatment of unsampled actions."""

    main: Mapping[str, Sequence[Group]]
    alone: Sequence[Group]
    read: Sequence[Group]
    sizes: Mapping[tuple[int, int], float]
    drawn: Mapping[tuple[int, str], float]
    warm: Sequence[Group]


def figures(found: Mapping[str, Sequence[Group]], iterations: int) -> PublishedTable:
    """Return figures of both games, with tables and networks, and the source's figure."""
    rows = [(game, TITLES[one.method]) for game, groups in found.items() for one in groups]
    ours = [(one.mean / 2, one.mean) for groups in found.values() for one in groups]
    count = min((one for one in PUBLISHED if one >= iterations), default=max(PUBLISHED))
    both = ("no-limit Leduc", TITLES["networks"])
    published = [(PUBLISHED[count] if row == both else math.nan, math.nan) for row in rows]
    return table(
        "figures", f"Exploitability (NashConv / 2) and NashConv after {iterations:,} iterations of 5,000 traversals, "
        f"chips; published: after {count:,}", ("game", "in what"), rows, ("exploitability", "NashConv"),
        ours, published,
    )  # fmt: skip


def nash_conv_at(group: Group, iterations: int) -> float:
    """Return NashConv at an iteration: the last point of the first seed's curve up to it."""
    return [point.nash_conv for point in group.solutions[0].curve if 0 < point.iteration <= iterations][-1]


def tables_of(runs: RunFolder, found: Measurements) -> tuple[PublishedTable, ...]:
    """Return all tables except the table of costs."""
    half, some, few = (f"{runs.part(share)} iterations" for share in (0.5, 0.2, 0.1))
    quarter, kinds = runs.part(0.25), [mean_and_half(one.nash_conv) for one in found.read]
    parts = (found.main["Leduc"][0], *found.alone, found.main["Leduc"][1])
    return (
        figures(found.main, runs.iterations),
        table(
            "either alone", f"NashConv on Leduc after {half} (the last evaluation before it in longer runs)", "in what",
            [TITLES[one.method] for one in parts], ("NashConv",),
            [[nash_conv_at(one, runs.part(0.5))] for one in parts],
        ),
        table(
            "attention", f"NashConv on Leduc by kind of network, {few} of 500 traversals, 30 steps of Adam a fit",
            "network", KINDS, ("NashConv",), [[mean] for mean, _ in kinds], error=[[width] for _, width in kinds],
            error_is=f"half of a 95 % interval, {len(found.read[0].solutions)} seeds",
        ),
        table(
            "sizes", f"NashConv on Leduc by traversals an iteration (b) and width of networks (n), {some}", "b",
            [f"{traversals:,}" for traversals in WALKS], (*(f"n = {width}" for width in WIDTHS), "tables"),
            [[found.sizes[traversals, width] for width in (*WIDTHS, 0)] for traversals in WALKS],
        ),
        table(
            "undrawn", f"NashConv on no-limit Leduc, tables, {half} of 1,000 traversals, by the regret of "
            "unsampled actions", "k", ("1", "2"), ("nothing, as listed", "-u / q"),
            [[found.drawn[k, undrawn] for undrawn in ("nothing", "share")] for k in (1, 2)],
        ),
        table(
            "warm start", f"NashConv on Leduc half way and after {quarter} iterations", "begun",
            ("with networks", "with 10 iterations of tables"), ("half way", "at the end"),
            [(nash_conv_at(one, quarter // 2), one.mean) for one in found.warm],
        ),
    )  # fmt: skip


def seconds(simulator: Simulator, method: DeepCFR, iterations: int) -> list[float]:
    """Return seconds an iteration for sampling, inference and retraining, without the first iteration."""
    solver: Any = method.solver(simulator, seed=1)
    solver.advance(1 + iterations)
    rows = solver.log()[1:]
    return [sum(row[f"{what}_seconds"] for row in rows) / iterations for what in ("traversal", "inference", "fit")]


def costs(tree: Tree) -> PublishedTable:
    """Return the table of computing times, for a tree and for plain rules."""
    rows, ours = [], []
    for held in ("tree", "rules"):
        for kind in ("connected", "lstm+attention"):
            simulator: Simulator = TreeSimulator(tree) if held == "tree" else RulesSimulator(tree.game, encoded=True)
            method = variant(
                "timed", network=kind, unvisited="free", last_layer_fit="adam", traversals=500, batch=256,
                average_batch=256, steps=20, average_steps=20,
            )  # fmt: skip
            parts = seconds(simulator, method, 2)
            rows.append((held, kind))
            ours.append((*(1000 * part for part in parts), 1 - parts[0] / sum(parts)))
    return table(
        "costs", "Milliseconds of an iteration on no-limit Leduc: 500 traversals a player, 20 steps of 256 rows a "
        "network", ("held as", "network"), rows, ("sampling", "inference", "retraining", "share of the latter two"),
        ours, form=".3g",
    )  # fmt: skip


def evaluated(runs: RunFolder, found: Measurements, cost: PublishedTable) -> tuple[Claim, ...]:
    """Return verdicts on the source's claims and questions; short runs are not evaluated."""
    read, listed = found.read, found.drawn
    exact, both = (group.mean for group in found.main["no-limit Leduc"])
    plain, attends = read[KINDS.index("connected")], read[KINDS.index("lstm+attention")]
    p = p_value(plain, attends)
    verdicts = {
        "c25": verdict(both <= 2 * exact, f"no-limit Leduc: NashConv {both:.4f}, tables {exact:.4f}",
                       "at most twice that of tables at equal iterations"),
        "c26": verdict(attends.mean < plain.mean and p < 0.05, f"NashConv {attends.mean:.4f} with LSTM and attention, "
                       f"{plain.mean:.4f} connected (p = {p:.2g})", "below, p < 0.05"),
    }  # fmt: skip
    questions = (
        Claim("it is a bug that the listing ignores unsampled actions (6.7, memo)", "-",
              ", ".join(f"k = {k}: {listed[k, 'nothing']:.3f}, corrected {listed[k, 'share']:.3f}" for k in (1, 2)),
              "NashConv more than twice the corrected one's",
              all(listed[k, "nothing"] > 2 * listed[k, "share"] for k in (1, 2)), "003-q5"),
        Claim("retraining and inference are the main cost of neural CFR (10.2)", "-",
              ", ".join(f"{row[3]:.0%}" for row in cost.ours if row[3] is not None) + " (tree, rules; connected, LSTM)",
              "more than half over rules", all((row[3] or 0) > 0.5 for row in cost.ours[2:]), "003-q9"),
        Claim("for every error some batch and size of network reach it (11, conjecture)", "-",
              *network_size_finding(found.sizes), "003-q10"),
    )  # fmt: skip
    claims = (*TAKIZAWA.evaluated(verdicts), *questions)
    if runs.whole:
        return (*claims, *against_published(runs, found.main))
    reason = f"evaluated from {_ENOUGH} iterations and 5 seeds"
    return tuple(replace(one, published="-", ours="-", condition=reason, met=None) for one in claims)


def network_size_finding(found: Mapping[tuple[int, int], float]) -> tuple[str, str, bool]:
    """Return the finding on network size: figures, condition, and True if it is met."""
    least, most = found[WALKS[0], WIDTHS[0]], found[WALKS[-1], WIDTHS[-1]]
    widest = [found[traversals, WIDTHS[-1]] for traversals in WALKS]
    at_most = [found[WALKS[-1], width] for width in WIDTHS]
    falls = widest == sorted(widest, reverse=True) and at_most == sorted(at_most, reverse=True)
    tables = found[WALKS[-1], 0]
    return (
        f"{least:.3f} to {most:.3f}, tables {tables:.3f}",
        "falls in b at the largest n, in n at the largest b, to at most 1.5 times tables",
        bool(falls and most <= 1.5 * tables),
    )


def against_published(runs: RunFolder, main: Mapping[str, Sequence[Group]]) -> list[Claim]:
    """Evaluate the published figures on both games; shorter runs than published can only meet them."""
    claims = []
    for game, groups in main.items():
        for count, printed in PUBLISHED.items():
            what = f"{game}: exploitability of two networks after {runs.iterations:,} iterations, published: {count:,}"
            one = below(what, f"{printed:g}", groups[1].mean / 2, 2 * printed)
            early = one.met is False and runs.iterations < count
            claims.append(replace(one, met=None) if early else one)
    return claims


def lines(groups: Sequence[Group], names: Mapping[str, str] | None = None) -> dict[str, list[tuple[float, float]]]:
    """Return the first seeds' NashConv over iterations, by method."""
    return {
        (names or {}).get(one.method, one.method): [
            (float(point.iteration), point.nash_conv) for point in one.solutions[0].curve if point.iteration > 0
        ]
        for one in groups
    }


NOTES = (
    "Two networks: connected, of 128 and 256 units (the paper's read views by LSTM with attention, at ten times the "
    "time a step); infosets without traversals keep their sums, the last layer is fitted exactly after 30 steps of "
    "Adam on all rows, averages have linear weights t (docs/neural.md).",
    "The paper does not define 'epsilon-Nash' and 'exploitability'; we read both as NashConv / 2. Its averages "
    "weight all iterations equally. It does not print its rules of no-limit Leduc; ours are in docs/games.md.",
    "On Leduc at most three actions are legal, so k = 3 samples all of them.",
)


def run(notify: Notify, iterations: int, seeds: int, folder: str) -> ClaimTable:
    """Run the experiment; runs in `folder` are reused.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """
    runs = RunFolder(Path(folder), iterations, seeds, notify)
    trees = {game: compile_game(load_game(name, **given)) for game, (name, given) in GAMES.items()}
    for tree in trees.values():
        make_solver(tree, NETWORKS)  # without PyTorch this says so before any work
    leduc, wide = trees["Leduc"], trees["no-limit Leduc"]
    found = Measurements(
        {game: runs.of(game, tree, BOTH) for game, tree in trees.items()},
        runs.of("Leduc", leduc, ALONE, 0.5),
        runs.of("Leduc", leduc, ENCODERS, 0.1, seeds),
        runs.means("Leduc", leduc, SIZES, 0.2),
        runs.means("no-limit Leduc", wide, DRAWN, 0.5),
        runs.of("Leduc", leduc, list(WARM.values()), 0.25),
    )
    notify("costs")
    cost = costs(wide)
    panels = (
        Panel("Leduc", "iterations", lines((*found.main["Leduc"], *found.alone), TITLES)),
        Panel("No-limit Leduc", "iterations", lines(found.main["no-limit Leduc"], TITLES)),
        Panel("Leduc: begun with 10 iterations of tables", "iterations", lines(found.warm)),
        Panel("Leduc: walks an iteration and width", "walks an iteration", {
            f"n = {width}" if width else "tables": [(float(count), found.sizes[count, width]) for count in WALKS]
            for width in (*WIDTHS, 0)
        }),
    )  # fmt: skip
    claims, tables = evaluated(runs, found, cost), (*tables_of(runs, found), cost)
    title = f"Double neural CFR (sections 6, 9 to 11), {iterations:,} iterations"
    return ClaimTable(title, claims, NOTES, panels, tables, TAKIZAWA)
