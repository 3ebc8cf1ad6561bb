"""Sampling and online search: the claims of source 003, sections 4 to 8, on Kuhn and Leduc poker.

Every scheme runs to the same number of nodes (histories visited); three seeds, the median counts.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

from tefuda.cfr import CFR, CFR_PLUS
from tefuda.games import load_game
from tefuda.mccfr import Sampling
from tefuda.methods import solve
from tefuda.oos import OnlineSampling, OosSolver
from tefuda.papers.claims import Claim, ClaimTable, Panel, above, below
from tefuda.response import nash_conv
from tefuda.solution import Point
from tefuda.tree import Tree, compile_game

NODES = {"kuhn": 1_000_000, "leduc": 10_000_000}
SEEDS = (1, 2, 3)
SCHEMES = (
    Sampling("chance", scheme="chance"),
    Sampling("external"),
    Sampling("outcome", scheme="outcome"),
    Sampling("robust k=1", scheme="uniform", k=1),
    Sampling("robust k=2", scheme="uniform", k=2),
    Sampling("successive k=2", scheme="successive", k=2),
    Sampling("systematic k=2", scheme="systematic", k=2),
    Sampling("external rm+", rule="rm+", averaging=0),
    Sampling("mccfr+ b=1000", rule="rm+", batch=1000),
)
Curves = dict[str, tuple[Point, ...]]


def measure(tree: Tree, nodes: int, tell: Callable[[str], None]) -> tuple[dict[str, float], Curves]:
    """The median NashConv of each scheme after `nodes`, and the first seed's curves."""
    found: dict[str, float] = {}
    curves: Curves = {}
    for method in SCHEMES:
        tell(f"{tree.name}: {method.name}, {nodes:,} nodes, {len(SEEDS)} seeds")
        runs = [solve(tree, method, nodes=nodes, seed=seed) for seed in SEEDS]
        found[method.name] = statistics.median(one.curve[-1].average_nash_conv for one in runs)
        curves[method.name] = runs[0].curve
    return found, curves


def full_sweeps(tree: Tree) -> tuple[Claim, ...]:
    """Section 4: CFR+ against CFR, and its current strategy."""
    plain, plus = (solve(tree, method, iterations=1000).curve for method in (CFR, CFR_PLUS))
    return (
        above(
            "CFR / CFR+, NashConv of the average on Leduc at T = 1000", "CFR+ is much faster", _ratio(plain, plus), 20
        ),
        below("CFR+'s current strategy at T = 1000", "converges by itself", plus[-1].current_nash_conv, 0.03),
        below("... but slower than the average by", "-", plus[-1].average_nash_conv / plus[-1].current_nash_conv, 0.5),
    )


def _ratio(one: tuple[Point, ...], other: tuple[Point, ...]) -> float:
    return one[-1].average_nash_conv / other[-1].average_nash_conv


def nonlocal_play(tell: Callable[[str], None]) -> tuple[Claim, ...]:
    """Section 8: search from the root, a part of it aimed; with all of it aimed nothing converges."""
    tell("online outcome sampling on Kuhn poker")
    tree, found = compile_game(load_game("kuhn")), {}
    target = tree.number("0: Q|pb")
    for delta in (0.0, 0.9, 1.0):
        solver = OosSolver(tree, OnlineSampling(delta=delta), seed=1)
        solver.aim_at(target)
        solver.advance(300_000)
        found[delta] = nash_conv(tree, solver.average())
    return (
        below("online search from the root, nothing aimed, Kuhn", "converges", found[0.0], 0.03),
        below("nine tenths aimed at one infoset", "converges", found[0.9], 0.15),
        above("all aimed: parts of the game are never seen again", "does not converge", found[1.0], 0.2),
    )


def schemes(found: dict[str, float]) -> tuple[Claim, ...]:
    """Sections 6 and 7, on Leduc at equal nodes."""
    external, plus = found["external"], found["external rm+"]
    return (
        below("external sampling / best other without a batch", "external is best overall", _lead(found), 1.15),
        below("robust k = 2 / external", "small k is as good as external", found["robust k=2"] / external, 1.6),
        above(
            "robust k = 1 / external", "small k is as good as external: not k = 1", found["robust k=1"] / external, 1.6
        ),
        above("outcome / external", "outcome sampling has more variance", found["outcome"] / external, 1.6),
        below("successive / systematic, k = 2", "-", found["successive k=2"] / found["systematic k=2"], 1.4),
        above("RM+ without a batch / RM", "MCCFR+ is faster: not without a batch", plus / external, 1.2),
        below("RM+ with batches of 1000 / without", "mini-batches help MCCFR+", found["mccfr+ b=1000"] / plus, 0.9),
    )


def _lead(found: dict[str, float]) -> float:
    return found["external"] / min(value for name, value in found.items() if name not in ("external", "mccfr+ b=1000"))


def run(progress: Callable[[str], None] | None = None) -> ClaimTable:
    """Run every scheme on both games, and the claims around them."""
    tell = progress or (lambda text: None)
    trees = {name: compile_game(load_game(name)) for name in NODES}
    measured = {name: measure(tree, NODES[name], tell) for name, tree in trees.items()}
    figures = {name: found for name, (found, _) in measured.items()}
    panels = tuple(
        Panel(
            name,
            "nodes (histories visited)",
            {key: [(p.nodes, p.average_nash_conv) for p in points] for key, points in lines.items()},
        )
        for name, (_, lines) in measured.items()
    )
    claims = (*full_sweeps(trees["leduc"]), *schemes(figures["leduc"]), *nonlocal_play(tell))
    notes = tuple(
        f"{name}, NashConv after {NODES[name]:,} nodes: "
        + ", ".join(f"{scheme} {value:.3g}" for scheme, value in found.items())
        for name, found in figures.items()
    ) + (
        "The source's algorithm 5 is biased where it takes more than one action, divides 0 by 0, and averages at the "
        "walker's own nodes; these are the corrected forms (docs/methods.md).",
    )
    return ClaimTable("Monte Carlo CFR and online search (source 003, sections 4-8)", claims, notes, panels)
