"""Sampling, side by side with OpenSpiel's C++ external and outcome sampling (extra ``openspiel``).

Figures are iterations per CPU second (one traversal for every player), and NashConv after the same
number of visited nodes. ``--write`` writes bench/results/sampling.json and the table of
docs/results/sampling.md.
"""

from __future__ import annotations

import statistics
import sys
from importlib.metadata import version

import pyspiel

import tefuda as td
from bench.pairs import Row, compare, markdown, pin_to_one_core, write_results, write_section
from bench.tabular import APART, Game, compiled, loaded, repeat

GAMES = (
    Game("Leduc", "leduc_poker", "leduc", APART),
    Game("Liar's dice 6", "liars_dice", "liars_dice", {}),
    Game("Goofspiel 4", "goofspiel(imp_info=True,num_cards=4,points_order=descending)", "goofspiel", {}),
)
SCHEMES = (
    ("external", pyspiel.ExternalSamplingMCCFRSolver, 15),
    ("outcome", pyspiel.OutcomeSamplingMCCFRSolver, 10),
)


def speed(game: Game, tree: td.Tree) -> list[Row]:
    rows = []
    for name, kind, asked in SCHEMES:
        theirs = repeat(kind(loaded(game)).run_iteration)
        ours = td.make_solver(tree, name)
        rows.append(compare(f"{game.title}: iteration of {name} sampling", theirs, ours.advance, asked=f">= {asked}"))
    return rows


def quality(game: Game, tree: td.Tree, iterations: int, runs: int) -> list[dict]:
    """Return NashConv of OpenSpiel's average policy, and of tefuda's after as many nodes.

    Both traverse the same tree, but OpenSpiel deals card by card and visits one more chance
    node.
    """
    found = []
    for name, kind, _ in SCHEMES:
        theirs, ours = [], []
        for seed in range(runs):
            solver = kind(loaded(game), seed=seed)
            for _ in range(iterations):
                solver.run_iteration()
            theirs.append(pyspiel.nash_conv(loaded(game), solver.average_policy(), True))
            mine = td.make_solver(tree, name, seed=seed)
            mine.advance(iterations)
            mine.advance(round(iterations * tree.players * iterations / mine.nodes))
            ours.append(td.nash_conv(mine.average()))
        what = f"{game.title}: {name} sampling"
        found.append({"what": what, "iterations": iterations, "nodes": mine.nodes, "theirs": theirs, "ours": ours})
    return found


def main() -> None:
    pin_to_one_core()
    rows, qualities = [], []
    for game in GAMES:
        rows += speed(game, compiled(game.name, **game.parameters))
    qualities += quality(GAMES[0], compiled(GAMES[0].name, **GAMES[0].parameters), 100_000, 15)
    names = (f"OpenSpiel {version('open_spiel')} (C++)", f"tefuda {td.__version__}")
    lines = [f"| NashConv, median of runs | iterations | {names[0]} | {names[1]} |", "|---|---|---|---|"]
    for one in qualities:
        medians = [statistics.median(one[side]) for side in ("theirs", "ours")]
        lines.append(f"| {one['what']} | {one['iterations']:,} | {medians[0]:.3g} | {medians[1]:.3g} |")
    text = markdown(rows, names) + "\n\n" + "\n".join(lines)
    print(text)
    if "--write" in sys.argv:
        write_results("sampling", {"quality": qualities}, rows)
        write_section("bench sampling", text, "docs/results/sampling.md")


if __name__ == "__main__":
    main()
