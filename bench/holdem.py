"""Hold'em spots: time an iteration, time and memory to 0.5 and 0.1 % of the pot, beside a single-threaded Rust solver.

``python -m bench.holdem FOLDER [SPOT ...] [--write]`` takes the folder of spots (`river_std.txt`, ...). The Rust
program's figures (postflop-solver, commit 9d1509f, 32 bit) were measured on another machine, on which counting all
seven-card hands took 1.0 s; the same count is timed here in the same run, before and after every spot, and its time is
the unit of both. CPU time of solving alone, medians. On flops the Rust program's time is inferred, see `RUST_FLOP`.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

from bench.pairs import block, pin_to_one_core, readable, seconds, write_results, write_section
from tefuda.holdem.game import game_of
from tefuda.holdem.rank import count_categories
from tefuda.holdem.size import size_of
from tefuda.holdem.solver import DEFAULT, Exploitability, HandSolver
from tefuda.holdem.spot import Spot, make_spot, read_spot

#: Rust: seconds an iteration; to 0.5 % and to 0.1 % of the pot, where they are known.
RUST = {
    "river_std": (0.088e-3, 8.1e-3, 19e-3),
    "river_any": (0.169e-3, 9.9e-3, 24e-3),
    "turn_std": (16.7e-3, 1.55, None),
}
#: Seconds an iteration of the Rust program on a flop, for each byte stored with isomorphism. No such time is known, but
#: that a program without isomorphism took 17.4 ms for the 15.63 MB of turn_std, and on a flop, where it stored 1.36
#: times as much, 1.7 times what the Rust program took.
RUST_FLOP = 17.4e-3 / 15.63e6 * 1.36 / 1.7
FLOP = "flop_small"
TARGETS = (0.5, 0.1)
YARDSTICK = 1.0  # seconds of the seven-card count on the Rust figures' machine
ROUNDS = 3


def flop_small() -> Spot:
    """A flop in two suits: 180 x 265 hands, 1,466 boards that stand for 2,402, 110 MB."""
    oop = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
    ip = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
    return make_spot("Td 9d 6h", 200, 400, oop, ip, bets="75%", raises="a", name=FLOP)


def yardstick() -> float:
    """Seconds that counting all seven-card hands takes here."""
    start = time.process_time()
    count_categories(7)
    return time.process_time() - start


def to_targets(spot: Spot) -> tuple[list[float], list[int]]:
    """CPU seconds and iterations of solving to each target, looked at every ten iterations."""
    solver, judge, spent = HandSolver(game_of(spot), DEFAULT), Exploitability(), 0.0
    found, iterations = [], []
    for target in TARGETS:
        while judge.judge(solver).figure > target:
            start = time.process_time()
            solver.advance(10)
            spent += time.process_time() - start
        found.append(spent)
        iterations.append(solver.iterations)
    return found, iterations


def measure(spot: Spot) -> dict[str, object]:
    """Medians of rounds, with the yardstick of each."""
    units, found, solver = [yardstick()], [], HandSolver(game_of(spot))
    count, single = block(solver.advance, 0.3), []
    for _ in range(ROUNDS):
        single.append(seconds(solver.advance, count))
        spent, iterations = to_targets(spot)
        found.append(spent)
        units.append(yardstick())
    middle = [statistics.median(one[i] for one in found) for i in range(len(TARGETS))]
    return {
        "unit": statistics.median(units), "iteration": statistics.median(single), "to": middle, "after": iterations,
        "bytes": size_of(spot).bytes(),
    }  # fmt: skip


def main() -> None:
    """Measure and print; with --write into docs/holdem.md too."""
    pin_to_one_core()
    folder, *chosen = (text for text in sys.argv[1:] if not text.startswith("--"))
    lines = [
        "| spot | an iteration | of Rust's | to 0.5 % | of Rust's | to 0.1 % | of Rust's | regrets and sums |",
        "|---|---|---|---|---|---|---|---|",
    ]
    results = {}
    known = {**RUST, FLOP: (RUST_FLOP * size_of(flop_small()).bytes(), None, None)}
    for name, rust in known.items():
        if chosen and name not in chosen:
            continue
        results[name] = one = measure(flop_small() if name == FLOP else read_spot(Path(folder) / f"{name}.txt"))
        scale = one["unit"] / YARDSTICK
        cells = [f"{name}"]
        for ours, theirs, after in zip((one["iteration"], *one["to"]), rust, (None, *one["after"]), strict=True):
            cells.append(readable(ours) + (f" ({after})" if after else ""))
            cells.append(f"**{ours / (theirs * scale):.2f}**" if theirs else "")
        lines.append("| " + " | ".join([*cells, f"{one['bytes'] / 1e6:.2f} MB"]) + " |")
        print(lines[-1], flush=True)
    text = "\n".join(lines)
    print(text)
    if "--write" in sys.argv:
        write_results("holdem", results, [])
        write_section("holdem", text, "docs/holdem.md")


if __name__ == "__main__":
    main()
