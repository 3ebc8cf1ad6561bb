"""Timing of two programs against each other in one run, and the tables of pages.

Machines are shared and noisy, so programs are timed in pairs: each round runs a block of each
program on the same core, in CPU time. The figure is the median of the rounds' ratios, without warm-
up.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tefuda as td

Work = Callable[[int], object]  # runs this number of repetitions
RESULTS = Path(__file__).parent / "results"


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


#: Texts of sections, by page and marker.
Sections = dict[tuple[str, str], str]


def readable(value: float) -> str:
    """Return seconds as text in a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def table(heads: str, rows: list[tuple[Any, ...]]) -> str:
    """Return rows as a table of Markdown; heads: separated by ``|``."""
    names = heads.split("|")
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def met(holds: bool) -> str:
    """Return the word for an oracle that is met or not."""
    return "yes" if holds else "no"


def markdown(rows: list[Row], names: Sequence[str]) -> str:
    """Return the rows as a table of Markdown."""
    lines = [f"| | {names[0]} | {names[1]} | ratio |", "|---|---|---|---|"]
    for row in rows:
        ratio = f"{row.ratio:.3g}" if row.ratio < 100 else f"{float(f'{row.ratio:.3g}'):,.0f}"
        lines.append(f"| {row.what} | {readable(row.theirs)} | {readable(row.ours)} | **{ratio}** |")
    return "\n".join(lines)


def rows_of(results: dict[str, Any]) -> list[Row]:
    """Return the rows of a file of results."""
    return [Row(**row) for row in results["rows"]]


def dated(text: str, *measured: Mapping[str, Any]) -> str:
    """Return a text with a line that says when and with which versions it was measured; see `stamp`."""
    when = dict.fromkeys(f"tefuda {one['tefuda']} on {one['date']}" for one in measured)
    return f"{text}\n\nMeasured with {' and '.join(when)}."


def stamp() -> dict[str, str]:
    """Return version, date and machine of a measurement."""
    return {
        "tefuda": td.__version__,
        "date": datetime.date.today().isoformat(),
        "machine": platform.processor() or platform.machine(),
        "python": platform.python_version(),
    }


def read_results(name: str) -> dict[str, Any]:
    """Return the figures in bench/results."""
    return json.loads((RESULTS / f"{name}.json").read_text())


def write_results(name: str, results: dict[str, Any]) -> None:
    """Write the figures as JSON in bench/results."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(results, indent=2) + "\n")


def write_section(marker: str, text: str, page: str) -> None:
    """Replace the text between ``<!-- marker -->`` and ``<!-- /marker -->`` in a page."""
    path = Path(page)
    start, end = f"<!-- {marker} -->", f"<!-- /{marker} -->"
    before, rest = path.read_text().split(start)
    path.write_text(f"{before}{start}\n{text}\n{end}{rest.split(end)[1]}")


def write_sections(texts: Sections) -> None:
    """Replace sections of pages."""
    for (page, marker), text in texts.items():
        write_section(marker, text, page)


def publish(
    name: str,
    measure: Callable[[], dict[str, Any]],
    sections: Callable[[dict[str, Any]], Sections],
    draw: Callable[[dict[str, Any]], None] | None = None,
) -> None:
    """Measure and print tables; the command line decides about files.

    ``--write`` saves the figures in bench/results and the tables in the pages; ``--render`` measures nothing and
    writes the tables of the saved figures.

    Args:
        name: name of the file of results.
        measure: returns the figures as JSON values, with `Row` as a dictionary.
        sections: returns the texts of sections of pages from the figures.
        draw: draws a picture of the figures, wherever tables are written.
    """
    render = "--render" in sys.argv
    results = read_results(name) if render else json.loads(json.dumps({**stamp(), **measure()}))
    texts = sections(results)
    print("\n\n".join(texts.values()))
    if "--write" in sys.argv and not render:
        write_results(name, results)
    if "--write" in sys.argv or render:
        write_sections(texts)
        if draw is not None:
            draw(results)
