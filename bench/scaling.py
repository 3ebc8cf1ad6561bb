"""Cost by game size: time of an iteration, memory of a leaf, compile time of a history, large games.

``python -m bench.scaling --write`` draws bench/results/scaling.png, and writes the figures beside it and the tables of
docs/benchmarks.md, ``--render`` only picture and tables. ``--large`` measures the large games alone.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from dataclasses import asdict
from typing import Any

import numpy as np

import tefuda as td
from bench.pairs import (
    RESULTS,
    Row,
    Sections,
    block,
    compare,
    dated,
    markdown,
    pin_to_one_core,
    publish,
    rows_of,
    seconds,
)
from tefuda.forms.builder import Builder

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

PAGE = "docs/benchmarks.md"
COMPILED = (  # games with public actions, compiled for all deals at once
    ("Leduc", "leduc", {}),
    ("Leduc, suits apart", "leduc", {"distinct_suits": True}),
    ("liar's dice, 6 sides", "liars_dice", {}),
    ("no-limit Leduc, stack 10", "nolimit_leduc", {"stack": 10}),
    ("3-player Leduc, suits apart", "leduc", {"players": 3, "distinct_suits": True}),
)
LARGE = (
    ("liar's dice, 2 dice of 4 sides against 1", "liars_dice", {"dice": (2, 1), "sides": 4}),
    ("liar's dice, 2 dice of 4 sides each", "liars_dice", {"dice": 2, "sides": 4}),
    ("Leduc, 13 ranks", "leduc", {"ranks": 13}),
    ("Leduc, 13 ranks, suits apart", "leduc", {"ranks": 13, "distinct_suits": True}),
    ("no-limit Leduc, stack 12", "nolimit_leduc", {"stack": 12}),
    ("no-limit Leduc, stack 15", "nolimit_leduc", {"stack": 15}),
    ("no-limit Leduc, stack 20", "nolimit_leduc", {"stack": 20}),
    ("no-limit Leduc, stack 25", "nolimit_leduc", {"stack": 25}),
)
TARGET = 1e-3  # NashConv
MEMORY = 8e9  # bytes
LIMIT = 3600  # seconds


def measure_game(name: str, options: dict) -> dict[str, float | str]:
    """Return the figures of a game."""
    game = td.load_game(name, **options)
    td.compile_game(game, cache=False)  # loads kernels, fills the rules' caches
    start = time.process_time()
    tree = td.compile_game(game, cache=False)
    compiling = time.process_time() - start
    form = td.forms.sequence_form(tree)
    solver = td.make_solver(tree, td.METHODS["cfr+"])
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


def compile_rows() -> list[Row]:
    """Return the times of compiling history by history, and of compiling for all deals at once."""
    rows = []
    for what, name, options in COMPILED:
        game = td.load_game(name, **options)

        def all_histories(count: int, game=game) -> None:
            for _ in range(count):
                Builder(game).build()

        def bundled(count: int, game=game) -> None:
            for _ in range(count):
                td.compile_game(game, cache=False)

        rows.append(compare(what, all_histories, bundled, rounds=3))
    return rows


def peak_memory() -> int:
    """Return the peak memory of this process in bytes; `getrusage` would count its parent, too."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


def solve_large(name: str, options: dict) -> tuple[int, int, float, int, float, float]:
    """Return histories, infosets, seconds to compile, iterations, seconds to solve, and bytes of memory."""
    resource.setrlimit(resource.RLIMIT_AS, (int(MEMORY), int(MEMORY)))
    td.solve(td.load_game("kuhn"), iterations=10)  # loads kernels
    game, start = td.load_game(name, **options), time.process_time()
    tree, compiled = td.compile_game(game, cache=False, force=True), time.process_time()
    solution = td.solve(tree, until=TARGET)
    times = compiled - start, time.process_time() - compiled
    return len(tree.player), tree.infosets, times[0], solution.iterations, times[1], peak_memory()


def large_figures(name: str, options: dict) -> str:
    """Return the cells of a large game, solved in a process of its own, or why it is not solved."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        try:
            figures = pool.apply_async(solve_large, (name, options)).get(LIMIT)
        except (MemoryError, multiprocessing.TimeoutError) as error:
            reason = f"{MEMORY / 1e9:.0f} GB" if isinstance(error, MemoryError) else f"{LIMIT / 60:.0f} min"
            return f"- | - | - | - | needs more than {reason} | -"
    histories, infosets, compiled, iterations, solved, peak = figures
    times = [f"{float(f'{time:.2g}'):g} s" for time in (compiled, solved)]
    return f"{histories:,} | {infosets:,} | {times[0]} | {iterations:,} | {times[1]} | {peak / 1e9:.2g} GB"


def measure_large() -> dict[str, Any]:
    """Return the cells of each large game."""
    pin_to_one_core()
    found = {}
    for what, name, options in LARGE:
        found[what] = large_figures(name, options)
        print(f"| {what} | {found[what]} |", flush=True)
    return {"games": found}


def large_sections(results: dict[str, Any]) -> Sections:
    lines = [
        "| game | histories | infosets | compiled | iterations | solved | memory |",
        "|---|---|---|---|---|---|---|",
        *(f"| {what} | {cells} |" for what, cells in results["games"].items()),
    ]
    return {(PAGE, "bench large"): dated("\n".join(lines), results)}


def draw(results: dict[str, Any]) -> None:
    """Draw the time of an iteration by leaves, with a line of slope one."""
    from matplotlib.figure import Figure

    rows, figure = results["figures"], Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    leaves = np.array([row["leaves"] for row in rows])
    times = np.array([row["us an iteration"] for row in rows])
    ends = np.array([leaves.min(), leaves.max()])
    axes.loglog(ends, ends * np.median(times / leaves), "-", alpha=0.5, label="proportional to leaves")
    for row in sorted(rows, key=lambda row: row["leaves"]):
        axes.loglog(row["leaves"], row["us an iteration"], "o", label=row["game"])  # in order from left to right
    axes.set(xlabel="leaves (all players)", ylabel="microseconds a CFR+ iteration")
    figure.legend(loc="outside right upper", fontsize=7)
    figure.savefig(RESULTS / "scaling.png", dpi=150)


def measure() -> dict[str, Any]:
    pin_to_one_core()
    figures = []
    for name, options in GAMES:
        figures.append(measure_game(name, options))
        print({key: round(value, 2) if isinstance(value, float) else value for key, value in figures[-1].items()})
    # Below a thousand leaves loops are too short to count.
    logs = np.log([[row["leaves"], row["us an iteration"]] for row in figures if row["leaves"] > 1000])
    slope = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
    print(f"time grows with leaves to the power {slope:.2f}")
    return {"power": slope, "figures": figures, "rows": [asdict(row) for row in compile_rows()]}


def sections(results: dict[str, Any]) -> Sections:
    text = markdown(rows_of(results), ("history by history", "all deals at once"))
    return {(PAGE, "bench compile"): dated(text, results)}


def main() -> None:
    if "--large" not in sys.argv:
        publish("scaling", measure, sections, draw)
    publish("large", measure_large, large_sections)


if __name__ == "__main__":
    main()
