"""Timing of two programs against each other in one run.

Machines are shared and noisy, so programs are timed in pairs: each round runs a block of each
program on the same core, in CPU time. The figure is the median of the rounds' ratios, without warm-
up.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

Work = Callable[[int], object]  # runs this number of repetitions


@dataclass(frozen=True)
class Row:
    """Comparison: seconds a repetition of each program, and the median of the paired ratios."""

    what: str
    theirs: float
    ours: float
    ratio: float
    asked: str = ""


def pin_to_one_core() -> None:
    """Pin this process to one core, if the system supports it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def seconds(work: Work, count: int) -> float:
    """Return CPU seconds a repetition in a block of `count`."""
    start = time.process_time()
    work(count)
    return (time.process_time() - start) / count


def block(work: Work, budget: float) -> int:
    """Return the number of repetitions in about `budget` seconds; also warms up."""
    count = 1
    while (spent := seconds(work, count) * count) < budget / 4:
        count = max(count * 2, int(count * budget / 4 / max(spent, 1e-6)))
    return max(1, int(count * budget / max(spent, 1e-9)))


def compare(what: str, theirs: Work, ours: Work, *, rounds: int = 5, budget: float = 0.3, asked: str = "") -> Row:
    """Time two programs in alternating blocks."""
    counts = block(theirs, budget), block(ours, budget)
    pairs = [(seconds(theirs, counts[0]), seconds(ours, counts[1])) for _ in range(rounds)]
    ratio = statistics.median(one / two for one, two in pairs)
    return Row(what, *(statistics.median(column) for column in zip(*pairs, strict=True)), ratio, asked)


def readable(value: float) -> str:
    """Return seconds as text in a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def markdown(rows: list[Row], names: tuple[str, str]) -> str:
    """Return the rows as a table of Markdown."""
    lines = [f"| | {names[0]} | {names[1]} | ratio |", "|---|---|---|---|"]
    for row in rows:
        ratio = f"{row.ratio:.3g}" if row.ratio < 100 else f"{float(f'{row.ratio:.3g}'):,.0f}"
        lines.append(f"| {row.what} | {readable(row.theirs)} | {readable(row.ours)} | **{ratio}** |")
    return "\n".join(lines)


def write_results(name: str, content: dict[str, Any], rows: list[Row]) -> None:
    """Write the figures as JSON in bench/results."""
    machine = {"machine": platform.processor() or platform.machine(), "python": platform.python_version()}
    path = Path(__file__).parent / "results" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**machine, **content, "rows": [asdict(row) for row in rows]}, indent=2) + "\n")


def write_section(marker: str, text: str, page: str) -> None:
    """Replace the text between ``<!-- marker -->`` and ``<!-- /marker -->`` in a page."""
    path = Path(page)
    start, end = f"<!-- {marker} -->", f"<!-- /{marker} -->"
    before, rest = path.read_text().split(start)
    path.write_text(f"{before}{start}\n{text}\n{end}{rest.split(end)[1]}")
