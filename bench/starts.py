"""CPU time of commands in fresh processes: with compiled kernels, and at their first use.

``python -m bench.starts`` prints the table. With ``--write`` it also writes bench/results/starts.json and the table of
docs/benchmarks.md, with ``--render`` only the table. Rounds alternate between all commands and the reference,
``import numba``.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.pairs import Sections, dated, pin_to_one_core, publish

ROUNDS = 5
PAGE = "docs/benchmarks.md"
#: Commands whose kernels are compiled, and the CPU seconds asked of them by those of ``import numba``.
WARM = {
    "tefuda --help": lambda numba: 0.3,
    "tefuda games": None,
    "tefuda inspect leduc": None,
    "tefuda show runs/kuhn": None,
    "tefuda solve kuhn": lambda numba: 2 * numba + 0.2,
}
#: Commands with an empty cache of kernels, and the CPU seconds asked of them.
COLD = {
    "tefuda solve kuhn": 4.0,
    "tefuda solve leduc --iterations 1000": 4.0,
    "tefuda play leduc --coach equilibrium": 10.0,
    "tefuda compare kuhn": 10.0,
    "tefuda exploit leduc": 10.0,
    "tefuda resolve leduc --cut deal": 10.0,
    "tefuda solve kuhn --method external --iterations 1000": 10.0,
    "tefuda solve kuhn --method nfsp --iterations 100": 12.0,
}


@dataclass(frozen=True)
class Start:
    """CPU seconds of a command in a fresh process, the limit asked (None: none), and whether it compiled."""

    what: str
    seconds: float
    asked: float | None
    cold: bool


def cpu_seconds(words: list[str], folder: Path, cache: Path) -> float:
    """Return the CPU seconds of one process and its children that ran a command in a folder."""
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "TEFUDA_CACHE": str(cache)}
    settings.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, *words]
    before = os.times()
    subprocess.run(command, cwd=folder, env=settings, input=b"q\n", capture_output=True, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def words_of(command: str, run: str = "") -> list[str]:
    """Return the arguments of Python for a command; a solve saves its run in a new folder."""
    words = ["-m", *command.split()]
    return [*words, "--out", run] if "solve" in words else words


def measure_starts(rounds: int) -> tuple[float, list[Start]]:
    """Return the CPU seconds of ``import numba``, and the figures of all commands."""
    with tempfile.TemporaryDirectory() as name:
        folder, cache = Path(name), Path(name) / "cache"
        cpu_seconds(words_of("tefuda solve kuhn", "runs/kuhn"), folder, cache)
        for command in WARM:  # writes compiled modules and kernels
            cpu_seconds(words_of(command, "runs/first"), folder, cache)
        reference, warm = [], {command: [] for command in WARM}
        for number in range(rounds):
            reference.append(cpu_seconds(["-c", "import numba"], folder, cache))
            for command, figures in warm.items():
                figures.append(cpu_seconds(words_of(command, f"runs/warm-{number}"), folder, cache))
        cold = {command: [] for command in COLD}
        for number in range(max(1, rounds // 2)):
            for index, (command, figures) in enumerate(cold.items()):
                run = f"runs/cold-{number}-{index}"
                figures.append(cpu_seconds(words_of(command, run), folder, Path(name) / f"cold-{number}-{index}"))
    numba = statistics.median(reference)
    starts = [
        Start(command, statistics.median(figures), limit(numba) if (limit := WARM[command]) else None, False)
        for command, figures in warm.items()
    ]
    starts += [Start(command, statistics.median(figures), COLD[command], True) for command, figures in cold.items()]
    return numba, starts


def table(numba: float, starts: list[Start]) -> str:
    """Return the figures as a table of Markdown."""
    lines = ["| command | kernels | CPU | asked |", "|---|---|---|---|"]
    lines.append(f'| `python -c "import numba"` | | {numba:.2f} s | |')
    for start in starts:
        asked = "" if start.asked is None else f"{start.asked:.2g} s"
        kernels = "compiled now" if start.cold else "in the cache"
        lines.append(f"| `{start.what}` | {kernels} | **{start.seconds:.2f} s** | {asked} |")
    return "\n".join(lines)


def measure() -> dict[str, Any]:
    pin_to_one_core()
    numba, starts = measure_starts(ROUNDS)
    return {"import numba": numba, "starts": [asdict(start) for start in starts]}


def sections(results: dict[str, Any]) -> Sections:
    text = table(results["import numba"], [Start(**start) for start in results["starts"]])
    return {(PAGE, "bench starts"): dated(text, results)}


def main() -> None:
    publish("starts", measure, sections)


if __name__ == "__main__":
    main()
