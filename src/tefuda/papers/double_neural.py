"""Double neural CFR: what takizawa2020 says of networks in place of tables (sections 6, 9 to 11), on Leduc.

The published figures it goes by are those of Li et al. 2019 on no-limit Leduc with a stack of 5: a .06-equilibrium
after 200 iterations of 5,000 walks with k = 3, .02 after 1,000. They are taken for exploitability, NashConv / 2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tefuda.figure import Panel
from tefuda.forms.compile import compile_game
from tefuda.forms.rules_simulator import RulesSimulator
from tefuda.forms.simulate import Simulator, TreeSimulator
from tefuda.forms.tree import Tree
from tefuda.games.catalogue import load_game
from tefuda.papers.claims import Claim, ClaimTable, PublishedTable, below, blank, grid, unjudged, verdict
from tefuda.papers.nfsp_exploration import p_value
from tefuda.papers.sources import TAKIZAWA
from tefuda.settings import changed
from tefuda.solvers.learned.neural import DOUBLE_NEURAL_HELD, DeepCFR
from tefuda.solvers.runs.methods import make_solver
from tefuda.solvers.runs.sweep import Group, sweep
from tefuda.words import Tell

#: Exploitability after so many iterations (Li et al. 2019, section 5).
PUBLISHED = {200: 0.06, 1000: 0.02}
GAMES = {"Leduc": ("leduc", {}), "no-limit Leduc": ("nolimit_leduc", {"stack": 5})}
#: Walks an iteration, and width of both networks.
WALKS, WIDTHS = (100, 500, 2500), (8, 32, 128)
_ENOUGH = 100  # iterations of the longest runs from which claims are judged
KINDS = ("connected", "lstm", "lstm+attention")


def named(name: str, **changes: Any) -> DeepCFR:
    """Double neural CFR with all rows held and solved for, changed."""
    return changed(DOUBLE_NEURAL_HELD, {"name": name, **changes})


TABLES = named("tables", network="table")
NETWORKS = named("networks")
BOTH = (TABLES, NETWORKS)
ALONE = (
    named("regrets-alone", average_network="table"),
    named("average-alone", network="table", average_network="connected"),
)  # fmt: skip
CALLED = {
    "tables": "tables", "networks": "two networks", "regrets-alone": "regrets in a network, average in a table",
    "average-alone": "regrets in a table, average in a network",
}  # fmt: skip
#: As published: Adam alone, cut short, so that it shows what a kind of network learns fast.
READERS = tuple(
    named(
        f"reads-{kind}", network=kind, readout="descended", walks=500, hidden=32, average_hidden=32, steps=30,
        average_steps=30, layers=2,
    )
    for kind in KINDS
)  # fmt: skip
SIZES = {
    (walks, width): named(f"size-{walks}-{width}", walks=walks, hidden=width, average_hidden=width)
    for walks in WALKS
    for width in WIDTHS
} | {(walks, 0): named(f"size-{walks}-tables", walks=walks, network="table") for walks in WALKS}
#: What actions that were not drawn get, by how many are; tables, so that nothing else errs.
DRAWN = {
    (k, undrawn): named(f"k{k}-{undrawn}", network="table", walks=1000, k=k, undrawn=undrawn)
    for k in (1, 2)
    for undrawn in ("nothing", "share")
}
WARM = {"cold": named("cold"), "warm": named("warm", warm=10)}


@dataclass(frozen=True)
class Runs:
    """Where runs are kept, how many iterations the longest have, and how many seeds comparisons."""

    folder: Path
    iterations: int
    seeds: int
    tell: Tell

    def of(self, game: str, tree: Tree, methods: Sequence[DeepCFR], share: float = 1.0, seeds: int = 1) -> list[Group]:
        """Groups of runs of a part of the iterations."""
        return sweep(
            tree, methods, seeds=range(1, seeds + 1), iterations=self.part(share), folder=self.folder / GAMES[game][0],
            progress=lambda done, of: self.tell(f"{game}, {methods[0].name} ...: {done:,} of {of:,} iterations"),
        )  # fmt: skip

    def part(self, share: float) -> int:
        """A part of the iterations."""
        return max(2, round(self.iterations * share))

    @property
    def whole(self) -> bool:
        """Whether claims can be judged."""
        return self.iterations >= _ENOUGH and self.seeds >= 5


def interval(group: Group) -> float:
    """Half of a 95 % interval of a group's mean NashConv; nan of one run."""
    from scipy.stats import t

    runs = len(group.solutions)
    return math.nan if runs < 2 else float(t.ppf(0.975, runs - 1)) * group.deviation / math.sqrt(runs)


def figures(found: Mapping[str, Sequence[Group]], iterations: int) -> PublishedTable:
    """Both games, tables and networks; the source's figure stands where it has one."""
    rows = [(game, CALLED[one.method]) for game, groups in found.items() for one in groups]
    ours = [(one.mean / 2, one.mean) for groups in found.values() for one in groups]
    count = min((one for one in PUBLISHED if one >= iterations), default=max(PUBLISHED))
    both = ("no-limit Leduc", CALLED["networks"])
    published = [(PUBLISHED[count] if row == both else math.nan, math.nan) for row in rows]
    return PublishedTable(
        "figures", f"Exploitability (NashConv / 2) and NashConv after {iterations:,} iterations of 5,000 walks, chips; "
        f"published: after {count:,}",
        ("game", "in what"), tuple(rows), ("exploitability", "NashConv"), grid(published), grid(ours), form=".4f",
    )  # fmt: skip


def at(group: Group, iterations: int) -> float:
    """NashConv on the way: the last point of the first seed's curve up to an iteration."""
    return [point.nash_conv for point in group.solutions[0].curve if 0 < point.iteration <= iterations][-1]


def contributions(both: Sequence[Group], alone: Sequence[Group], iterations: int) -> PublishedTable:
    """Either network alone beside a table, between tables and both."""
    groups = (both[0], *alone, both[1])
    return PublishedTable(
        "either alone", f"NashConv on Leduc after {iterations} iterations (of runs that went on, the last look before)",
        ("in what",), tuple((CALLED[one.method],) for one in groups), ("NashConv",), blank(4, 1),
        grid([at(one, iterations)] for one in groups), form=".4f",
    )  # fmt: skip


def readers(groups: Sequence[Group], iterations: int) -> PublishedTable:
    """Kinds of networks, with intervals over seeds."""
    return PublishedTable(
        "attention", f"NashConv on Leduc by kind of network, {iterations} iterations of 500 walks, 30 steps of Adam "
        "a fit", ("network",), tuple((kind,) for kind in KINDS), ("NashConv",), blank(len(KINDS), 1),
        grid([one.mean] for one in groups), error=grid([interval(one)] for one in groups),
        error_is=f"half of a 95 % interval, {len(groups[0].solutions)} seeds", form=".4f",
    )  # fmt: skip


def sizes(found: Mapping[tuple[int, int], float], iterations: int) -> PublishedTable:
    """The grid of walks and widths, and exact tables behind the same walks."""
    return PublishedTable(
        "sizes", f"NashConv on Leduc by walks an iteration (b) and width of networks (n), {iterations} iterations",
        ("b",), tuple((f"{walks:,}",) for walks in WALKS), (*(f"n = {width}" for width in WIDTHS), "tables"),
        blank(len(WALKS), len(WIDTHS) + 1), grid([found[walks, width] for width in (*WIDTHS, 0)] for walks in WALKS),
        form=".4f",
    )  # fmt: skip


def drawn(found: Mapping[tuple[int, str], float], iterations: int) -> PublishedTable:
    """What the published listing's line costs."""
    return PublishedTable(
        "undrawn", f"NashConv on no-limit Leduc, tables, {iterations} iterations of 1,000 walks, by what actions get "
        "that were not drawn", ("k",), (("1",), ("2",)), ("nothing, as listed", "-u / q"), blank(2, 2),
        grid([found[k, undrawn] for undrawn in ("nothing", "share")] for k in (1, 2)), form=".4f",
    )  # fmt: skip


def seconds(simulator: Simulator, method: DeepCFR, iterations: int) -> list[float]:
    """Seconds an iteration: sampling, inference, retraining; the first iteration left out."""
    solver: Any = method.solver(simulator, seed=1)
    solver.advance(1 + iterations)
    rows = solver.log()[1:]
    return [sum(row[f"{what}_seconds"] for row in rows) / iterations for what in ("walking", "asking", "fitting")]


def costs(tree: Tree) -> PublishedTable:
    """Where the time goes: looked up over a tree, asked at every decision over rules."""
    rows, ours = [], []
    for held in ("tree", "rules"):
        for kind in ("connected", "lstm+attention"):
            simulator: Simulator = TreeSimulator(tree) if held == "tree" else RulesSimulator(tree.rules, encoded=True)
            method = named(
                "timed", network=kind, unmet="free", readout="descended", walks=500, batch=256,
                average_batch=256, steps=20, average_steps=20,
            )  # fmt: skip
            parts = seconds(simulator, method, 2)
            rows.append((held, kind))
            ours.append((*(1000 * part for part in parts), 1 - parts[0] / sum(parts)))
    return PublishedTable(
        "costs", "Milliseconds of an iteration on no-limit Leduc: 500 walks a player, 20 steps of 256 rows a network",
        ("held as", "network"), tuple(rows), ("sampling", "inference", "retraining", "share of the latter two"),
        blank(4, 4), grid(ours), form=".3g",
    )  # fmt: skip


def judged(
    runs: Runs, main: Mapping[str, Sequence[Group]], read: Sequence[Group], found: Mapping[tuple[int, int], float],
    listed: Mapping[tuple[int, str], float], cost: PublishedTable,
) -> tuple[Claim, ...]:  # fmt: skip
    """What we found about the source's claims and questions; nothing of it is judged in small."""
    table, both = main["no-limit Leduc"][0].mean, main["no-limit Leduc"][1].mean
    verdicts = {"c25": verdict(both <= 2 * table, f"no-limit Leduc: NashConv {both:.4f}, tables {table:.4f}",
                               "at most twice that of tables at equal iterations")}  # fmt: skip
    plain, attends = read[KINDS.index("connected")], read[KINDS.index("lstm+attention")]
    p = p_value(plain, attends)
    verdicts["c26"] = verdict(
        attends.mean < plain.mean and p < 0.05,
        f"NashConv {attends.mean:.4f} with LSTM and attention, {plain.mean:.4f} connected (p = {p:.2g})",
        "below, p < .05",
    )
    rest: list[tuple[str, str, str, str, bool | None]] = [
        ("q5", "the listing's leaving out of actions that were not drawn is a bug (6.7, memo)",
         ", ".join(f"k = {k}: {listed[k, 'nothing']:.3f}, corrected {listed[k, 'share']:.3f}" for k in (1, 2)),
         "NashConv more than twice the corrected one's",
         all(listed[k, "nothing"] > 2 * listed[k, "share"] for k in (1, 2))),
        ("q9", "retraining and inference are what neural CFR costs (10.2)",
         ", ".join(f"{row[3]:.0%}" for row in cost.ours if row[3] is not None) + " (tree, rules; connected, LSTM)",
         "more than half over rules", all((row[3] or 0) > 0.5 for row in cost.ours[2:])),
        ("q10", "for every error some batch and size of network reach it (11, conjecture)", *grown(found)),
    ]  # fmt: skip
    if not runs.whole:
        small = unjudged(f"judged from {_ENOUGH} iterations and 5 seeds")
        verdicts = dict.fromkeys(verdicts, small)
        rest = [(name, what, "-", small.condition, None) for name, what, *_ in rest]
    questions = [Claim(what, "-", ours, condition, met, f"003-{name}") for name, what, ours, condition, met in rest]
    return (*TAKIZAWA.judged(verdicts), *questions, *(against_published(runs, main) if runs.whole else ()))


def grown(found: Mapping[tuple[int, int], float]) -> tuple[str, str, bool]:
    """Whether both more walks and wider networks help, down to what tables reach."""
    least, most = found[WALKS[0], WIDTHS[0]], found[WALKS[-1], WIDTHS[-1]]
    widest = [found[walks, WIDTHS[-1]] for walks in WALKS]
    at_most = [found[WALKS[-1], width] for width in WIDTHS]
    falls = widest == sorted(widest, reverse=True) and at_most == sorted(at_most, reverse=True)
    table = found[WALKS[-1], 0]
    return (
        f"{least:.3f} to {most:.3f}, tables {table:.3f}",
        "falls in b at the largest n, in n at the largest b, to at most 1.5 times tables",
        bool(falls and most <= 1.5 * table),
    )


def against_published(runs: Runs, main: Mapping[str, Sequence[Group]]) -> list[Claim]:
    """The published figures, on both games; what took 1,000 iterations may be reached earlier, or is not judged."""
    claims = []
    for game, groups in main.items():
        for count, printed in PUBLISHED.items():
            what = f"{game}: exploitability of two networks after {runs.iterations:,} iterations, published: {count:,}"
            one = below(what, f"{printed:g}", groups[1].mean / 2, 2 * printed)
            early = one.met is False and runs.iterations < count
            claims.append(replace(one, met=None) if early else one)
    return claims


def lines(groups: Sequence[Group], names: Mapping[str, str] | None = None) -> dict[str, list[tuple[float, float]]]:
    """NashConv over iterations, first seeds."""
    return {
        (names or {}).get(one.method, one.method): [
            (float(point.iteration), point.nash_conv) for point in one.solutions[0].curve if point.iteration > 0
        ]
        for one in groups
    }


NOTES = (
    "Two networks: connected, of 128 and 256 units (the paper's read views by LSTM with attention, at ten times the "
    "time a step); infosets that walks did not meet hold their sums, the last layer is solved for after 30 steps of "
    "Adam on all rows, averages count iterations by t (docs/neural.md).",
    "The paper's unit is not said beyond 'epsilon-Nash' and 'exploitability': taken for NashConv / 2. Its averages "
    "count all iterations alike; its rules of no-limit Leduc are not printed: ours are those of docs/games.md.",
    "On Leduc at most three actions are legal, so k = 3 draws all of them.",
)


def run(
    tell: Tell, *, iterations: int = 100, seeds: int = 5, folder: str = "runs/double-neural"
) -> ClaimTable:  # fmt: skip
    """Run all of it; runs already in `folder` are not run again.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """
    runs = Runs(Path(folder), iterations, seeds, tell)
    trees = {game: compile_game(load_game(name, **given)) for game, (name, given) in GAMES.items()}
    for tree in trees.values():
        make_solver(tree, NETWORKS)  # without PyTorch this says so before any work
    leduc, wide = trees["Leduc"], trees["no-limit Leduc"]
    main = {game: runs.of(game, tree, BOTH) for game, tree in trees.items()}
    alone = runs.of("Leduc", leduc, ALONE, 0.5)
    read = runs.of("Leduc", leduc, READERS, 0.1, seeds)
    found = dict(zip(SIZES, (one.mean for one in runs.of("Leduc", leduc, list(SIZES.values()), 0.2)), strict=True))
    listed = dict(
        zip(DRAWN, (one.mean for one in runs.of("no-limit Leduc", wide, list(DRAWN.values()), 0.5)), strict=True)
    )
    begun = runs.of("Leduc", leduc, list(WARM.values()), 0.25)
    tell("costs")
    cost = costs(wide)
    tables = (
        figures(main, iterations),
        contributions(main["Leduc"], alone, runs.part(0.5)),
        readers(read, runs.part(0.1)),
        sizes(found, runs.part(0.2)),
        drawn(listed, runs.part(0.5)),
        warm_table(begun, runs.part(0.25)),
        cost,
    )
    panels = (
        Panel("Leduc", "iterations", lines((*main["Leduc"], *alone), CALLED)),
        Panel("No-limit Leduc", "iterations", lines(main["no-limit Leduc"], CALLED)),
        Panel("Leduc: begun with 10 iterations of tables", "iterations", lines(begun)),
        Panel("Leduc: walks an iteration and width", "walks an iteration", {
            f"n = {width}" if width else "tables": [(float(walks), found[walks, width]) for walks in WALKS]
            for width in (*WIDTHS, 0)
        }),
    )  # fmt: skip
    claims = judged(runs, main, read, found, listed, cost)
    title = f"Double neural CFR (sections 6, 9 to 11), {iterations:,} iterations"
    return ClaimTable(title, claims, NOTES, panels, tables, TAKIZAWA)


def warm_table(groups: Sequence[Group], iterations: int) -> PublishedTable:
    """Networks from the start, and after ten iterations of tables: at the ends, and half way."""
    return PublishedTable(
        "warm start", f"NashConv on Leduc half way and after {iterations} iterations", ("begun",),
        (("with networks",), ("with 10 iterations of tables",)), ("half way", "at the end"), blank(2, 2),
        grid([at(one, iterations // 2), one.mean] for one in groups), form=".4f",
    )  # fmt: skip
