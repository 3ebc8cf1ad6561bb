"""The parts of Koi-Koi's search in duels on the same deals, with intervals and CPU time.

`python -m bench.koikoi NAME ...` runs experiments by name; without a name it lists them. Each
result is saved in bench/results/koikoi.json at once. `--render` writes the table of docs/results/koikoi.md
from the saved results.
"""

from __future__ import annotations

import json
import math
import sys
import time
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from bench.pairs import RESULTS, Sections, dated, read_results, stamp, write_sections
from tefuda.koikoi.match_state import MatchValue
from tefuda.koikoi.players.archive import load_tables
from tefuda.koikoi.players.ladder import PlayerConfiguration, duel, flat, play_matches
from tefuda.koikoi.players.tables import count_outcomes
from tefuda.koikoi.rules import find_rules

TABLES, SEARCH = (
    PlayerConfiguration("tables"),
    PlayerConfiguration("search", 300),
)  # as strong as with the default's 1,000, in a third of the time
TREE = replace(SEARCH, determinizations=180, allocation="tree")  # in the same time


@dataclass(frozen=True)
class Duels:
    """Duel of two players; the first turns are played by value tables."""

    one: PlayerConfiguration
    two: PlayerConfiguration
    deals: int
    opening: int = 0

    def run(self, seed: int) -> dict[str, Any]:
        """Return the figures: points of each pair of rounds, and CPU time of a searched decision."""
        rules = find_rules("standard")
        tables, started = load_tables(rules), time.process_time()
        found = duel(rules, self.one, self.two, self.deals, seed=seed, tables=tables, opening=self.opening)
        spent = time.process_time() - started
        return {
            "points": found.mean,
            "half_width": 1.96 * found.error,
            "milliseconds": 1e3 * spent / max(found.searched, 1),
            "pairs": [] if self.opening else found.points.mean(axis=1).tolist(),
        }


@dataclass(frozen=True)
class Matches:
    """Matches of a player that maximizes match wins against itself maximizing points."""

    configuration: PlayerConfiguration
    rounds: int
    matches: int

    def run(self, seed: int) -> dict[str, Any]:
        """Return the share of matches won; draws count half."""
        rules = find_rules("standard", rounds=self.rounds)
        tables = load_tables(rules)
        value = MatchValue(rules, count_outcomes(rules, tables, 1_000_000, seed=seed))
        found = play_matches(
            rules, self.configuration, self.configuration, self.matches, tables=tables, value=value, seed=seed
        ).mean(axis=1)
        return {"won": float(found.mean()), "half_width": _half_width(found)}


def against_tables(**fields: Any) -> Duels:
    """Return a duel of a search with changed settings against its value tables."""
    return Duels(replace(SEARCH, **fields), TABLES, 500)


def endings(first: int) -> dict[str, Duels]:
    """Return duels of searches that start at a turn."""
    before, behind = first - 1, f"from turn {first}"
    return {
        f"search against tables {behind}": Duels(SEARCH, TABLES, 3000, before),
        f"tree to the end against search {behind}": Duels(replace(TREE, depth=0), SEARCH, 3000, before),
        f"5,000 worlds to the end against search {behind}": Duels(
            replace(SEARCH, determinizations=5000, depth=0), SEARCH, 1000, before
        ),
    }


#: Parts that are removed or added, with determinizations for equal time. The first is the reference.
PARTS = {
    "300 determinizations, halving, two turns by tables": against_tables(),
    "without halving": against_tables(allocation="evenly"),
    "a tree, 180 determinizations": against_tables(allocation="tree", determinizations=180),
    "40 weighted hands, 150 determinizations": against_tables(hands=40, determinizations=150),
    "one turn, 450 determinizations": against_tables(depth=1, determinizations=450),
    "three turns, 220 determinizations": against_tables(depth=3, determinizations=220),
    "four turns, 180 determinizations": against_tables(depth=4, determinizations=180),
    "tables to the end, 100 determinizations": against_tables(depth=0, determinizations=100),
    "greedy playouts to the end, 400 determinizations": against_tables(depth=0, rollout="greedy", determinizations=400),
    "random playouts to the end, 600 determinizations": against_tables(depth=0, rollout="random", determinizations=600),
    "the same without halving (flat Monte Carlo)": Duels(flat(600), TABLES, 500),
}
EXPERIMENTS: dict[str, Duels | Matches] = {
    **PARTS,
    **{f"tables, matches of {rounds}": Matches(TABLES, rounds, 6000) for rounds in (12, 6, 3)},
    "search, matches of 3": Matches(replace(SEARCH, determinizations=50), 3, 1000),
    "tree against search": Duels(TREE, SEARCH, 1000),
    "tree against greedy": Duels(TREE, PlayerConfiguration("greedy"), 500),
    "tree against flat": Duels(TREE, flat(400), 500),
    "every world against search from turn 14": Duels(
        replace(SEARCH, determinizations=12_000, depth=0), SEARCH, 2000, 13
    ),
    **endings(13),
    **endings(9),
}


def _half_width(pairs: np.ndarray) -> float:
    return 1.96 * float(pairs.std(ddof=1)) / math.sqrt(len(pairs))


def keep(name: str, found: dict[str, Any]) -> None:
    """Save the result of an experiment, one a line."""
    lines = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in {**read_results("koikoi"), name: found}.items()]
    (RESULTS / "koikoi.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def sections(kept: dict[str, Any]) -> Sections:
    """Return the table of parts: points against tables, difference from the first part, CPU time."""
    first = next(iter(PARTS))
    lines = ["| search with | against tables | difference from the first | ms per decision |", "|---|---|---|---|"]
    for name in PARTS:
        row = kept[name]
        more = np.array(row["pairs"]) - np.array(kept[first]["pairs"])
        against = "" if name == first else f"{more.mean():+.2f} ± {_half_width(more):.2f}"
        told = f"{row['points']:+.2f} ± {row['half_width']:.2f} | {against} | {row['milliseconds']:.1f}"
        lines.append(f"| {name} | {told} |")
    text = dated("\n".join(lines), *(kept[name] for name in PARTS))
    return {("docs/results/koikoi.md", "bench koikoi"): text}


def main(names: list[str]) -> None:
    """Run experiments by name and save their results."""
    if names == ["--render"]:
        write_sections(sections(read_results("koikoi")))
        return
    if not names:
        print(*EXPERIMENTS, sep="\n")
    for name in names:
        found = {**asdict(EXPERIMENTS[name]), **EXPERIMENTS[name].run(seed=1)}
        keep(name, found | stamp())
        told = {key: value for key, value in found.items() if isinstance(value, float)}
        print(name, *(f"{key} {np.round(value, 4)}" for key, value in told.items()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
