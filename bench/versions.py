"""Speed of two versions of the source, side by side.

``python -m bench.versions BEFORE/src AFTER/src [--rounds N] [--processes N] [WORDS]`` runs each
version in its own process, in alternating blocks on one core, and restarts both several times. It
prints medians of CPU seconds and of the paired ratios; WORDS select rows. A ratio of 0.97 means that
the second version takes 1 / 0.97 of the first one's time. Both versions need compiled kernels, so run
the command twice.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.digests import RIVER, TURN, found
from bench.pairs import Row, Work, markdown, pin_to_one_core

APART = {"distinct_suits": True}
GAMES = {
    "Kuhn": ("kuhn", {}),
    "Leduc": ("leduc", APART),
    "Goofspiel 4": ("goofspiel", {}),
    "Goofspiel 5": ("goofspiel", {"cards": 5}),
    "Liar's dice 6": ("liars_dice", {}),
    "3-player Leduc": ("leduc", {"players": 3}),
}
ALIKE = "Leduc, suits alike"  # its features do not distinguish suits
METHODS = {"cfr": tuple(GAMES), "cfr+": tuple(GAMES)}
METHODS |= dict.fromkeys(("external", "outcome"), ("Leduc", "Liar's dice 6", "Goofspiel 4"))
METHODS |= {"nfsp": (ALIKE,)}
COMPILED = ("Leduc", "Goofspiel 5", "Liar's dice 6")
SOLVED = ("Kuhn", "Leduc")  # whole calls of `solve`: the cost of driver and evaluations beside the iterations
ROWS = (
    [f"{game}: NashConv" for game in GAMES]
    + [f"{game}: solve" for game in SOLVED]
    + [f"{game}: compile" for game in COMPILED]
    + [f"{game}: {name}" for name, games in METHODS.items() for game in games]
    + ["Hold'em: river", "Hold'em: turn", "Koi-Koi: search duel"]
)


def work_of(row: str) -> Work:
    """Return the timed work of a row, in a process with one version."""
    import tefuda as td

    game, _, what = row.partition(": ")
    if what in ("river", "turn"):
        return hands(RIVER if what == "river" else TURN)
    if what == "search duel":
        return search_duel
    name, parameters = {**GAMES, ALIKE: ("leduc", {})}[game]
    rules = td.load_game(name, **parameters)
    tree = td.compile_game(rules)
    if what == "compile":
        return lambda count: [td.compile_game(rules, cache=False) for _ in range(count)]
    if what not in ("NashConv", "solve"):
        solver = td.make_solver(tree, what)
        solver.advance(100_000 if what == "nfsp" else 1)  # as with full memories
        return solver.advance
    profile = td.Profile.uniform(tree)

    def repeat(count: int) -> None:
        for _ in range(count):
            td.nash_conv(profile) if what == "NashConv" else td.solve(tree, "cfr+", iterations=2000)

    return repeat


def hands(values: dict[str, Any]) -> Work:
    """Return iterations of a spot of hold'em."""
    spot = found("holdem.spots.spot:make_spot")(**values)
    solver = found("holdem.spots.solver:HandSolver")(found("holdem.spots.compiled:compile_spot")(spot))
    solver.advance(1)
    return solver.advance


def search_duel(count: int) -> None:
    """Play two pairs of rounds of a search against its value tables, `count` times."""
    rules = found("koikoi.rules:find_rules")("standard")
    player = found("koikoi.players.ladder:PlayerConfiguration")
    tables = found("koikoi.players.archive:load_tables")(rules)
    pair = player("search", 100), player("tables")
    found("koikoi.players.ladder:duel")(rules, *pair, 2 * count, seed=1, tables=tables)


def serve() -> None:
    """Reply to lines "COUNT ROW" with the CPU seconds a repetition."""
    pin_to_one_core()
    works: dict[str, Work] = {}
    for line in sys.stdin:
        count, _, row = line.strip().partition(" ")
        work = works.get(row) or works.setdefault(row, work_of(row))
        start = time.process_time()
        work(int(count))
        print((time.process_time() - start) / int(count), flush=True)


def version(source: str) -> Callable[[str, int], float]:
    """Start a process on a source folder and return a function that measures seconds a repetition."""
    child = subprocess.Popen(
        [sys.executable, "-m", "bench.versions", "--serve"], env={**os.environ, "PYTHONPATH": source}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent,
    )  # fmt: skip

    def ask(row: str, count: int) -> float:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(f"{count} {row}\n")
        child.stdin.flush()
        return float(child.stdout.readline())

    return ask


def compare(row: str, versions: tuple[Callable[[str, int], float], ...], rounds: int, budget: float = 0.1) -> Row:
    """Time blocks of a row in turn, of about `budget` seconds each."""
    counts = []
    for ask in versions:
        ask(row, count := 1)
        while (spent := ask(row, count) * count) < budget / 4:
            count *= 2
        counts.append(max(1, int(count * budget / spent)))
    pairs = []
    for number in range(rounds):
        order = (0, 1) if number % 2 else (1, 0)  # so that a slowing machine favours neither version
        found = {place: versions[place](row, counts[place]) for place in order}
        pairs.append((found[0], found[1]))
    before, after = (statistics.median(column) for column in zip(*pairs, strict=True))
    return Row(row, before, after, statistics.median(one / two for one, two in pairs))


def middle(row: str, found: list[Row]) -> Row:
    """Return the median over pairs of processes; the memory layout alone changes times by 6 %."""
    before, after, ratio = (
        statistics.median(getattr(one, name) for one in found) for name in ("theirs", "ours", "ratio")
    )
    return Row(row, before, after, ratio)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs=2, metavar="SRC")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--processes", type=int, default=5)
    chosen = parser.parse_args()
    rows = [row for row in ROWS if all(word in row for word in chosen.words)]
    found: dict[str, list[Row]] = {row: [] for row in rows}
    for number in range(chosen.processes):
        versions = tuple(version(str(Path(source).resolve())) for source in chosen.sources)
        for row in rows:
            found[row].append(compare(row, versions, chosen.rounds))
            print(f"{number + 1}: {row}: {found[row][-1].ratio:.3f}", flush=True)
    print(markdown([middle(row, found[row]) for row in rows], ("before", "after")))


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main()
