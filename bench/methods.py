"""Iterations that each CFR method needs.

``--write`` saves them and writes the table of docs/benchmarks.md, ``--render`` only the table of the saved ones.
"""

from __future__ import annotations

import time
from typing import Any

import tefuda as td
from bench.pairs import Sections, dated, pin_to_one_core, publish
from tefuda.solvers.exact.cfr import FAMILY

GAMES = {
    "Kuhn": ("kuhn", {}),
    "Leduc": ("leduc", {}),
    "goofspiel 5": ("goofspiel", {"cards": 5}),
    "liar's dice 4": ("liars_dice", {"sides": 4}),
}
MARKS = (1e-3, 1e-6, 1e-9)
LIMIT = 30_000  # iterations


def reach_marks(tree: td.Tree, method: td.CFRMethod) -> list[int | None]:
    """Return the iteration at which the better of average and last iterate first reaches each mark."""
    solution = td.solve(tree, method, iterations=LIMIT, until=MARKS[-1])
    best = [(point.iteration, point.nash_conv) for point in solution.curve]
    return [next((iteration for iteration, conv in best if conv <= mark), None) for mark in MARKS]


def measure() -> dict[str, Any]:
    pin_to_one_core()
    trees = {name: td.compile_game(td.load_game(game, **options)) for name, (game, options) in GAMES.items()}
    found = {}
    for method in FAMILY:
        start = time.process_time()
        found[method.name] = {name: reach_marks(tree, method) for name, tree in trees.items()}
        print(method.name, found[method.name], f"{time.process_time() - start:.1f} s", flush=True)
    return {"marks": MARKS, "limit": LIMIT, "iterations": found}


def sections(results: dict[str, Any]) -> Sections:
    lines = ["| method | " + " | ".join(GAMES) + " |", "|---" * (len(GAMES) + 1) + "|"]
    for name, row in results["iterations"].items():
        cells = (" / ".join(f"{count:,}" if count else "–" for count in row[game]) for game in GAMES)
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return {("docs/benchmarks.md", "bench methods"): dated("\n".join(lines), results)}


def main() -> None:
    publish("methods", measure, sections)


if __name__ == "__main__":
    main()
