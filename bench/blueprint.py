"""Blueprints of no-limit hold'em: sizes of menus, and iterations of the sampler beside limit.

``python -m bench.blueprint [--write]`` takes about three minutes of one core; ``--write`` writes the table of
docs/no-limit.md, ``--render`` does so from the saved figures. Tables are measured in turns, in processor time.
"""

from __future__ import annotations

import resource
from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import Any

import numpy as np

import tefuda as td
from bench.pairs import Sections, dated, publish, table
from tefuda.holdem.buckets.clusters import Buckets
from tefuda.holdem.buckets.size import betting_size
from tefuda.holdem.buckets.solver import BucketMethod, BucketSolver, in_buckets
from tefuda.holdem.hands.whole import Holdem

_PREFLOP = {"opens": "2x,2.5x,3x,a", "reraises": "3x,a"}
_USUAL = {**_PREFLOP, "bets": "50%,100%,a", "raises": "100%,a"}
_BUCKETS = Buckets((169, 200, 200, 200), textures=(5, 5))
_METHOD = BucketMethod(tremble=0.05)
_WARM, _ROUNDS, _ITERATIONS = 60_000, 7, 20_000
_BYTES = 8  # per infoset-action pair


@dataclass(frozen=True)
class Menu:
    """Stacks in big blinds and sizes of a table; `runs`: whether it is solved, not only counted."""

    stack: int
    sizes: dict[str, str]
    runs: bool = True

    @property
    def game(self) -> Holdem:
        """The table."""
        return td.load_game("holdem", stack=100 * self.stack, blinds=(50, 100), **self.sizes)


MENUS = (
    Menu(20, _USUAL),
    Menu(100, _USUAL),
    Menu(200, _USUAL),
    Menu(200, {"bets": "50%,100%,a"}),
    Menu(200, {**_PREFLOP, "bets": "33%,75%,150%,a", "raises": "50%,100%,a"}, runs=False),
)


def _speeds(solvers: list[BucketSolver]) -> list[float]:
    """Return the median of the iterations a processor second of each solver, measured in turns."""
    for solver in solvers:
        solver.advance(_WARM)
    rounds: list[list[float]] = [[] for _ in solvers]
    for _ in range(_ROUNDS):
        for solver, speeds in zip(solvers, rounds, strict=True):
            start = process_time()
            solver.advance(_ITERATIONS)
            speeds.append(_ITERATIONS / (process_time() - start))
    return [median(speeds) for speeds in rounds]


def measure() -> dict[str, Any]:
    """Count all menus, and measure those that run beside limit."""
    limit = in_buckets(td.load_game("holdem", limit=True), Buckets((169, 20, 20, 20)))
    forms = [limit, *(in_buckets(menu.game, _BUCKETS) for menu in MENUS if menu.runs)]
    speeds = _speeds([BucketSolver(form, _METHOD) for form in forms])
    decisions = np.bincount(limit.abstraction.graph.arrays.street).tolist()
    rows = [("limit", "", decisions, limit.abstraction.rows, speeds[0])]
    measured = iter(speeds[1:])
    for menu in MENUS:
        size, later = betting_size(menu.game.rules, menu.game.menu), menu.sizes
        sizes = f"{later['bets']} / {later.get('raises', later['bets'])}"
        rows.append(
            (f"{menu.stack} bb", sizes, [*size.nodes], size.rows(_BUCKETS.counts), next(measured) if menu.runs else 0)
        )
    return {"rows": rows, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6}


def sections(results: dict[str, Any]) -> Sections:
    """Return the table of the page."""
    limit = results["rows"][0][-1]
    lines = [
        (
            name, sizes.replace("%", ""), ", ".join(f"{each:,}" for each in decisions), f"{pairs / 1e6:,.2f} M",
            f"{_BYTES * pairs / 1e6:,.0f} MB", f"{round(speed, -2):,.0f}" if speed else "not run",
            f"{speed / limit:.2f}" if speed else "",
        )
        for name, sizes, decisions, pairs, speed in results["rows"]
    ]  # fmt: skip
    heads = "table|later bets / raises|decisions by street|pairs|memory|iterations a second|of limit"
    return {("docs/no-limit.md", "bench blueprint"): dated(table(heads, lines), results)}


if __name__ == "__main__":
    publish("blueprint", measure, sections)
