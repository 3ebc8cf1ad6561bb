"""Cost by game size: time of an iteration, memory of a leaf, compile time of a history.

``python -m bench.scaling --write`` draws bench/results/scaling.png and writes the figures beside it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

import tefuda as td
from bench.pairs import block, pin_to_one_core, seconds, write_results

GAMES = (
    ("kuhn", {}),
    ("kuhn", {"cards": 12}),
    ("kuhn", {"players": 3}),
    ("kuhn", {"players": 4}),
    ("leduc", {}),
    ("leduc", {"distinct_suits": True}),
    ("leduc", {"ranks": 10}),
    ("leduc", {"ranks": 12, "suits": 4, "cap": 3}),
    ("goofspiel", {"cards": 4}),
    ("goofspiel", {"cards": 5}),
    ("liars_dice", {"sides": 4}),
    ("liars_dice", {"sides": 6}),
    ("leduc", {"players": 3}),
    ("leduc", {"players": 3, "distinct_suits": True}),
)


def measure(name: str, options: dict) -> dict[str, float | str]:
    """Return the figures of a game."""
    game = td.load_game(name, **options)
    td.compile_game(game, cache=False)  # loads kernels, fills the rules' caches
    start = time.process_time()
    tree = td.compile_game(game, cache=False)
    compiling = time.process_time() - start
    form = td.sequence_form(tree)
    solver = td.make_solver(tree, td.CFR_PLUS)
    iteration = min(seconds(solver.advance, block(solver.advance, 0.3)) for _ in range(3))
    leaves = form.leaf_count
    size = sum(array.nbytes for array in (form.index, form.values, form.infoset, form.sequence))
    return {
        "game": f"{name} {options or ''}".strip(),
        "histories": len(tree.player),
        "leaves": leaves,
        "us an iteration": iteration * 1e6,
        "ns a leaf": iteration / leaves * 1e9,
        "bytes a leaf": size / leaves,
        "compile us a history": compiling / len(tree.player) * 1e6,
    }


def draw(rows: list[dict], path: Path) -> None:
    """Draw the time of an iteration by leaves, with a line of slope one."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    leaves = np.array([row["leaves"] for row in rows])
    times = np.array([row["us an iteration"] for row in rows])
    ends = np.array([leaves.min(), leaves.max()])
    axes.loglog(ends, ends * np.median(times / leaves), "-", alpha=0.5, label="proportional to leaves")
    for row in sorted(rows, key=lambda row: row["leaves"]):
        axes.loglog(row["leaves"], row["us an iteration"], "o", label=row["game"])  # in order from left to right
    axes.set(xlabel="leaves (all players)", ylabel="microseconds a CFR+ iteration")
    figure.legend(loc="outside right upper", fontsize=7)
    figure.savefig(path, dpi=150)


def main() -> None:
    pin_to_one_core()
    rows = []
    for name, options in GAMES:
        rows.append(measure(name, options))
        print({key: round(value, 2) if isinstance(value, float) else value for key, value in rows[-1].items()})
    # Below a thousand leaves loops are too short to count.
    logs = np.log([[row["leaves"], row["us an iteration"]] for row in rows if row["leaves"] > 1000])
    slope = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
    print(f"time grows with leaves to the power {slope:.2f}")
    if "--write" in sys.argv:
        write_results("scaling", {"power": slope, "figures": rows}, [])
        draw(rows, Path(__file__).parent / "results" / "scaling.png")


if __name__ == "__main__":
    main()
