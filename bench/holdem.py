"""Times of hold'em spots, compared with a single-threaded Rust solver.

``python -m bench.holdem FOLDER [PART ...] [--write]`` takes the folder of spots (`river_std.txt`,
...); ``--render`` alone writes the tables of saved figures.
Parts are the spots, `start`, `half`, `threads` and `hands`; the default is all of them. Times
are CPU time of solving alone.

The Rust program's figures (postflop-solver, commit 9d1509f, 32 bit) come from another machine, on
which counting all seven-card hands took 1.0 s. The same count is timed here before and after every
round, and its time is the unit of both programs. Each round gives one ratio; the tables show the
median and the quartiles of the ratios. There are no such figures for flops; docs/results/holdem.md compares
all spots on one machine.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import tefuda as td
from bench.pairs import Sections, block, dated, pin_to_one_core, publish, read_results, readable, seconds, stamp
from tefuda.holdem.hands.simulator import HandsSimulator
from tefuda.holdem.rank import count_categories
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.size import size_of
from tefuda.holdem.spots.solver import DEFAULT, Exploitability, HandSolver
from tefuda.holdem.spots.spot import Spot, make_spot, read_spot

#: Rust solver: seconds of an iteration, to 0.5 % and to 0.1 % of the pot, if known.
RUST = {
    "river_std": (0.088e-3, 8.1e-3, 19e-3),
    "river_any": (0.169e-3, 9.9e-3, 24e-3),
    "turn_std": (16.7e-3, 1.55, None),
}
FLOP = "flop_small"
TARGETS = (0.5, 0.1)
YARDSTICK = 1.0  # seconds of the seven-card count on the Rust figures' machine
ROUNDS = {FLOP: 5}
USUAL_ROUNDS = 15
PAGE = "docs/results/holdem.md"


def flop_small() -> Spot:
    """A flop in two suits: 180 x 265 hands, 1,466 boards that represent 2,402, 110 MB."""
    oop = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
    ip = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
    return make_spot("Td 9d 6h", 200, 400, oop, ip, bets="75%", raises="a", name=FLOP)


def spot_of(folder: Path, name: str) -> Spot:
    """Return a spot by name."""
    return flop_small() if name == FLOP else read_spot(folder / f"{name}.txt")


def rust(name: str) -> tuple[float | None, ...]:
    """Return the Rust solver's times of an iteration and to the targets; None if not measured."""
    return RUST.get(name, (None, None, None))


def yardstick() -> float:
    """Return the time of counting all seven-card hands, relative to the other machine."""
    start = time.process_time()
    count_categories(7)
    return (time.process_time() - start) / YARDSTICK


def between_yardsticks(rounds: int, work: Callable[[], Any]) -> Iterator[tuple[float, Any]]:
    """Yield the unit of each round, from yardsticks before and after it, and the result of the round."""
    before = yardstick()
    for _ in range(rounds):
        found, after = work(), yardstick()
        yield (before + after) / 2, found
        before = after


def quartiles(values: list[float]) -> list[float]:
    """Return the three quartiles; the second is the median."""
    return statistics.quantiles(values, n=4, method="inclusive")


def to_targets(spot: Spot) -> tuple[list[float], list[int]]:
    """Return CPU seconds and iterations to each target, evaluated every ten iterations."""
    solver, evaluator, spent = HandSolver(compile_spot(spot), DEFAULT), Exploitability(), 0.0
    found, iterations = [], []
    for target in TARGETS:
        while evaluator.evaluate(solver).figure > target:
            start = time.process_time()
            solver.advance(10)
            spent += time.process_time() - start
        found.append(spent)
        iterations.append(solver.iterations)
    return found, iterations


def measured_spot(folder: Path, name: str) -> dict[str, Any]:
    """Return medians over rounds, and ratios to the Rust solver's times in each round's unit."""
    spot = spot_of(folder, name)
    solver = HandSolver(compile_spot(spot))
    count = block(solver.advance, 0.3)

    def work() -> tuple[list[float], list[int]]:
        one = seconds(solver.advance, count)
        spent, after = to_targets(spot)
        return [one, *spent], after

    found = list(between_yardsticks(ROUNDS.get(name, USUAL_ROUNDS), work))
    columns = list(zip(*(spent for _, (spent, _) in found), strict=True))
    units = [unit for unit, _ in found]
    return {
        "unit": statistics.median(units),
        "times": [statistics.median(column) for column in columns],
        "after": found[-1][1][1],
        "ratios": [
            quartiles([ours / unit / theirs for ours, unit in zip(column, units, strict=True)]) if theirs else None
            for column, theirs in zip(columns, rust(name), strict=True)
        ],
        "bytes": size_of(spot).bytes(),
    }


def spots_table(results: dict[str, Any]) -> str:
    """Return the table of all measured spots."""
    lines = [
        "| spot | an iteration | of Rust's | to 0.5 % | of Rust's | to 0.1 % | of Rust's | regrets and sums |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in (*RUST, FLOP):
        if one := results.get(name):
            cells = [name]
            for ours, ratio, after in zip(one["times"], one["ratios"], (None, *one["after"]), strict=True):
                cells.append(readable(ours) + (f" ({after})" if after else ""))
                cells.append(f"**{ratio[1]:.2f}** ({ratio[0]:.2f} to {ratio[2]:.2f})" if ratio else "")
            lines.append("| " + " | ".join([*cells, f"{one['bytes'] / 1e6:.2f} MB"]) + " |")
    return "\n".join(lines)


def start(folder: Path) -> dict[str, Any]:
    """Return CPU seconds of `tefuda solve spot` in a new process, without and with compiled kernels."""
    with tempfile.TemporaryDirectory() as place:
        source = Path(td.__file__).parent
        shutil.copytree(source, Path(place) / "tefuda", ignore=shutil.ignore_patterns("__pycache__"))
        known = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
        environment = {**known, "PYTHONPATH": place, "TEFUDA_CACHE": str(Path(place) / "cache")}
        spot = folder.resolve() / "river_std.txt"
        command = [sys.executable, "-m", "tefuda", "solve", "spot", "--json", "--spot", spot]
        spent = []
        for _ in range(6):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, env=environment, cwd=place, check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {"cold": spent[0], "warm": statistics.median(spent[1:]), "unit": yardstick()}


def half(folder: Path) -> dict[str, Any]:
    """Compare 16-bit with 32-bit numbers: memory, and time of an iteration.

    Each round has its own solvers, because the memory layout changes times on rivers by up to a
    tenth.
    """
    found = {}
    for name in ("river_std", "turn_std"):
        spot = spot_of(folder, name)
        methods = [replace(DEFAULT, precision=one) for one in ("half", "single")]
        rounds = [[HandSolver(compile_spot(spot), one) for one in methods] for _ in range(USUAL_ROUNDS)]
        count = max(block(solver.advance, 0.3) for solver in rounds[0])
        for solver in (one for pair in rounds[1:] for one in pair):
            solver.advance(count // 4)
        ratios = [seconds(two.advance, count) / seconds(four.advance, count) for two, four in rounds]
        sizes = [size_of(spot).bytes(one) for one in ("half", "single")]
        found[name] = {"memory": sizes[0] / sizes[1], "time": quartiles(ratios)}
    return found


def threads(folder: Path) -> dict[str, Any]:
    """Return wall and CPU time of two threads, relative to one."""
    found = {}
    for name in ("turn_std", FLOP):
        solvers = [HandSolver(compile_spot(spot_of(folder, name)), threads=number) for number in (1, 2)]
        count, pairs = block(solvers[0].advance, 0.5), []
        for _ in range(USUAL_ROUNDS):
            times = []
            for solver in solvers:
                wall, cpu = time.perf_counter(), time.process_time()
                solver.advance(count)
                times.append((time.perf_counter() - wall, time.process_time() - cpu))
            pairs.append(times)
        for solver in solvers:
            solver.close()
        wall, cpu = ([two[i] / one[i] for one, two in pairs] for i in (0, 1))
        found[name] = {
            "wall": quartiles(wall),
            "cpu": quartiles(cpu),
            "alone": quartiles([one[1] / one[0] for one, _ in pairs]),
        }
    return {**found, "cores": os.cpu_count()}


def hands(folder: Path) -> dict[str, Any]:
    """Return whole heads-up hands a second with random play on one core."""
    found = {}
    for name, parameters in (("limit", {"limit": True}), ("no limit", {"bets": "50%,100%,a"})):
        simulator, luck = HandsSimulator(td.load_game("holdem", **parameters)), np.random.default_rng(0)
        play_hands(simulator, 10, luck)

        def play(count: int, of: HandsSimulator = simulator, rng: np.random.Generator = luck) -> None:
            play_hands(of, count, rng)

        found[name] = quartiles([1 / seconds(play, 50_000) for _ in range(USUAL_ROUNDS)])
    return found


def play_hands(simulator: HandsSimulator, count: int, luck: np.random.Generator) -> None:
    """Play a number of hands to the end with uniformly random actions."""
    games = simulator.deal(count, luck)
    while len(games):
        scores = luck.random((len(games), simulator.units), dtype=np.float32)
        games = simulator.step(games, np.argmax(scores * simulator.legal(games), axis=1), luck)
        games = games[simulator.player(games) >= 0]


def more_table(results: dict[str, Any]) -> str:
    """Return the table of other measurements and their targets."""
    lines = ["| figure | measured | target |", "|---|---|---|"]
    if one := results.get("start"):
        lines += [
            f"| first start of `tefuda solve spot` (river_std), CPU time | {one['cold']:.1f} s | 15 s |",
            f"| each start after it | {one['warm']:.2f} s | 2 s |",
        ]
    for name, one in results.get("half", {}).items():
        lines += [
            f'| `precision="half"`, {name}: memory, of `"single"` | {one["memory"]:.2f} | 0.52 |',
            f"| its time an iteration | {spread(one['time'])} | 1.0 |",
        ]
    for name, one in results.get("threads", {}).items():
        if isinstance(one, dict):
            lines += [
                f"| `threads=2`, {name}: wall time, of one thread's | {spread(one['wall'])} | |",
                f"| CPU time of both, of one thread's | {spread(one['cpu'])} | |",
            ]
    for name, one in results.get("hands", {}).items():
        lines.append(f"| whole hands a second, two players at random, {name} | {spread(one, 1e3, ',.0f')} thousand | |")
    return "\n".join(lines)


def spread(of: list[float], unit: float = 1.0, form: str = ".2f") -> str:
    """Return a median with its quartiles as text."""
    low, middle, high = (format(value / unit, form) for value in of)
    return f"**{middle}** ({low} to {high})"


OTHERS = {"start": start, "half": half, "threads": threads, "hands": hands}


def measure() -> dict[str, Any]:
    """Measure the chosen parts; the others are those of the last run."""
    folder, *chosen = (text for text in sys.argv[1:] if not text.startswith("--"))
    saved = read_results("holdem")
    parts = [name for name in (*RUST, FLOP, *OTHERS) if not chosen or name in chosen]
    found = {}
    if "threads" in parts:  # before this process is pinned to one core
        found["threads"] = threads(Path(folder))
    pin_to_one_core()
    for name in parts:
        if name != "threads":
            work = OTHERS.get(name)
            found[name] = work(Path(folder)) if work else measured_spot(Path(folder), name)
        print(name, json.dumps(found[name]), flush=True)
    when = saved["measured"] | dict.fromkeys(parts, stamp())
    return {name: found.get(name, saved.get(name)) for name in (*RUST, FLOP, *OTHERS)} | {"measured": when}


def sections(results: dict[str, Any]) -> Sections:
    """Return the tables of the page."""
    when = results["measured"]
    return {
        (PAGE, "holdem"): dated(spots_table(results), *(when[name] for name in (*RUST, FLOP))),
        (PAGE, "holdem-more"): dated(more_table(results), *(when[name] for name in OTHERS)),
    }


def main() -> None:
    """Measure and print, or render."""
    publish("holdem", measure, sections)


if __name__ == "__main__":
    main()
