"""An iteration of CFR+ by one thread and by two, on a quiet machine and with all other cores busy.

``python -m bench.threads --write`` also writes bench/results/threads.json and the table of docs/benchmarks.md,
``--render`` only the table.
Unlike the other programs it measures wall time, in short blocks that alternate. Run it while the machine does nothing
else.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import tefuda as td
from bench.pairs import Row, Sections, Work, dated, markdown, publish, rows_of
from tefuda.solvers.exact.teams import Pace, Team

GAMES = (
    ("3-player Leduc, suits apart", "leduc", {"players": 3, "distinct_suits": True}),
    ("goofspiel 6", "goofspiel", {"cards": 6}),
)
PAGE = "docs/benchmarks.md"
_BLOCK = 0.05  # seconds
_ROUNDS = 60
_BUSY = 3.0  # seconds of a block while other cores are busy: longer than `Pace` waits between two measurements
_BUSY_ROUNDS = 5


class Together(Pace):
    """A pace that always chooses the team."""

    def choose(self, now: float) -> tuple[bool, int]:
        """Return that the team runs next."""
        return True, 10**6

    def record(self, together: bool, iterations: int, seconds: float, now: float) -> None:
        """Ignore the time."""


def wall(work: Work, count: int) -> float:
    """Return seconds an iteration."""
    start = time.perf_counter()
    work(count)
    return (time.perf_counter() - start) / count


def compare_wall(what: str, one: Work, two: Work, seconds: float, rounds: int, asked: str) -> Row:
    """Return the lower quartiles of alternating blocks, because other programs only make them longer."""
    count = max(1, int(seconds / min(wall(one, 20) for _ in range(3))))
    two(count)
    pairs = [(wall(one, count), wall(two, count)) for _ in range(rounds)]
    low = [statistics.quantiles(column, n=4)[0] for column in zip(*pairs, strict=True)]
    return Row(what, *low, low[0] / low[1], asked)


def _spin() -> None:
    while True:
        pass


@contextlib.contextmanager
def other_cores_busy() -> Iterator[None]:
    """Keep all cores but one busy."""
    context = multiprocessing.get_context("spawn")
    busy = [context.Process(target=_spin, daemon=True) for _ in range(len(os.sched_getaffinity(0)) - 1)]
    for process in busy:
        process.start()
    try:
        time.sleep(1.0)  # they import Python first
        yield
    finally:
        for process in busy:
            process.kill()


def measured_rows(title: str, name: str, options: dict) -> list[Row]:
    """Return the rows of a game."""
    tree = td.compile_game(td.load_game(name, **options))
    one, two = td.make_solver(tree, td.METHODS["cfr+"]), td.make_solver(tree, td.METHODS["cfr+"], workers=2)
    adaptive = two._team
    two._team = Team(two._work, two._program, 2)
    two._team._pace = Together()
    rows = [compare_wall(title, one.advance, two.advance, _BLOCK, _ROUNDS, ">= 1.6")]
    two._team = adaptive
    with other_cores_busy():
        what = f"{title}, other cores busy"
        rows.append(compare_wall(what, one.advance, two.advance, _BUSY, _BUSY_ROUNDS, ">= 0.95"))
    return rows


def measure() -> dict[str, Any]:
    return {"rows": [asdict(row) for game in GAMES for row in measured_rows(*game)]}


def sections(results: dict[str, Any]) -> Sections:
    text = markdown(rows_of(results), ("one thread", "two threads"))
    return {(PAGE, "bench threads"): dated(text, results)}


def main() -> None:
    publish("threads", measure, sections)


if __name__ == "__main__":
    main()
