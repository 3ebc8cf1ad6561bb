"""What the parts of Koi-Koi's searcher are worth: duels on the same deals, with intervals and CPU time a decision.

`python -m bench.koikoi NAME ...` runs experiments by name (none: lists them); each is kept in bench/results/koikoi.json
as soon as it is over. Figures of docs/koikoi.md come from there.
"""

from __future__ import annotations

import json
import math
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.koikoi.ladder import Player, contest, duel, flat
from tefuda.koikoi.rules import find_rules
from tefuda.koikoi.standing import MatchValue
from tefuda.koikoi.worth import known, survey

RESULTS = Path(__file__).parent / "results" / "koikoi.json"
TABLES, SEARCH = (
    Player("tables"),
    Player("search", 300),
)  # as strong as with the default's 1,000, in a third of the time
TREE = replace(SEARCH, worlds=180, way="tree")  # in the same time


@dataclass(frozen=True)
class Duels:
    """One player against another on so many deals, the first turns by tables."""

    one: Player
    two: Player
    deals: int
    opening: int = 0

    def run(self, seed: int) -> dict[str, object]:
        """Its figures; CPU time a searched decision, of both where both search."""
        rules = find_rules("standard")
        started = time.process_time()
        found = duel(rules, self.one, self.two, self.deals, seed=seed, worth=known(rules), opening=self.opening)
        spent = time.process_time() - started
        return {
            "points": found.mean,
            "half_width": 1.96 * found.error,
            "milliseconds": 1e3 * spent / max(found.searched, 1),
            "pairs": found.won.mean(axis=1).round(2).tolist(),
        }


@dataclass(frozen=True)
class Matches:
    """Whole matches of a player that decides by the match against itself deciding by points."""

    player: Player
    rounds: int
    matches: int

    def run(self, seed: int) -> dict[str, object]:
        """The part of matches won, drawn ones half."""
        rules = find_rules("standard", rounds=self.rounds)
        worth = known(rules)
        value = MatchValue(rules, survey(rules, worth, 1_000_000, seed=seed))
        found = contest(rules, self.player, self.player, self.matches, worth=worth, value=value, seed=seed).mean(axis=1)
        return {"won": float(found.mean()), "half_width": 1.96 * float(found.std(ddof=1)) / math.sqrt(len(found))}


def against_tables(**fields: Any) -> Duels:
    """A searcher set otherwise than the default, against the tables it searches with."""
    return Duels(replace(SEARCH, **fields), TABLES, 500)


def endings(first: int) -> dict[str, Duels]:
    """What searching from a turn on is worth, and what more of it is."""
    before, behind = first - 1, f"from turn {first}"
    return {
        f"search against tables {behind}": Duels(SEARCH, TABLES, 3000, before),
        f"tree to the end against search {behind}": Duels(replace(TREE, depth=0), SEARCH, 3000, before),
        f"5,000 worlds to the end against search {behind}": Duels(
            replace(SEARCH, worlds=5000, depth=0), SEARCH, 1000, before
        ),
    }


EXPERIMENTS: dict[str, Duels | Matches] = {
    **{f"tables, matches of {rounds}": Matches(TABLES, rounds, 6000) for rounds in (12, 6, 3)},
    **endings(13),
    "every world against search from turn 14": Duels(replace(SEARCH, worlds=12_000, depth=0), SEARCH, 2000, 13),
    "search": against_tables(),
    "tree": against_tables(way="tree", worlds=180),
    "evenly": against_tables(way="evenly"),
    "weighed": against_tables(hands=40, worlds=150),
    "depth 1": against_tables(depth=1, worlds=450),
    "depth 3": against_tables(depth=3, worlds=220),
    "depth 4": against_tables(depth=4, worlds=180),
    "to the end": against_tables(depth=0, worlds=100),
    "greedy rollouts": against_tables(depth=0, rollout="greedy", worlds=400),
    "random rollouts": against_tables(depth=0, rollout="random", worlds=600),
    "flat": Duels(flat(600), TABLES, 500),
    "tree against search": Duels(TREE, SEARCH, 1000),
    "tree against greedy": Duels(TREE, Player("greedy"), 500),
    "tree against flat": Duels(TREE, flat(400), 500),
    "search against greedy": Duels(SEARCH, Player("greedy"), 500),
    "search against flat": Duels(SEARCH, flat(400), 500),
    "search, matches of 3": Matches(replace(SEARCH, worlds=50), 3, 1000),
    **endings(9),
    "weighed, longer": against_tables(hands=300),
}


def main(names: list[str]) -> None:
    """Run experiments by name, and keep each."""
    for name in names or [f"# {name}" for name in EXPERIMENTS]:
        if name.startswith("# "):
            print(name[2:])
            continue
        found = {**asdict(EXPERIMENTS[name]), **EXPERIMENTS[name].run(seed=1)}
        kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        RESULTS.write_text(json.dumps({**kept, name: found}, indent=1) + "\n")
        told = {key: value for key, value in found.items() if isinstance(value, float)}
        print(name, *(f"{key} {np.round(value, 4)}" for key, value in told.items()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
