"""Sampling, side by side with OpenSpiel's C++ external and outcome sampling (extra ``openspiel``).

Figures are iterations per CPU second (one traversal for every player), and NashConv after the same
number of visited nodes. ``--write`` writes bench/results/sampling.json and the tables of
docs/results/sampling.md, ``--render`` the tables alone.
"""

from __future__ import annotations

import statistics
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import pyspiel

import tefuda as td
from bench.pairs import Row, Sections, compare, dated, markdown, pin_to_one_core, publish, rows_of
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


def measure() -> dict[str, Any]:
    pin_to_one_core()
    rows = [row for game in GAMES for row in speed(game, compiled(game.name, **game.parameters))]
    found = quality(GAMES[0], compiled(GAMES[0].name, **GAMES[0].parameters), 100_000, 15)
    return {
        "programs": [f"OpenSpiel {version('open_spiel')} (C++)", f"tefuda {td.__version__}"],
        "quality": found,
        "rows": [asdict(row) for row in rows],
    }


def sections(results: dict[str, Any]) -> Sections:
    names = results["programs"]
    lines = [f"| NashConv, median of runs | iterations | {names[0]} | {names[1]} |", "|---|---|---|---|"]
    for one in results["quality"]:
        medians = [statistics.median(one[side]) for side in ("theirs", "ours")]
        lines.append(f"| {one['what']} | {one['iterations']:,} | {medians[0]:.3g} | {medians[1]:.3g} |")
    text = markdown(rows_of(results), names) + "\n\n" + "\n".join(lines)
    return {("docs/results/sampling.md", "bench sampling"): dated(text, results)}


def main() -> None:
    publish("sampling", measure, sections)


if __name__ == "__main__":
    main()
