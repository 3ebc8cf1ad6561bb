"""Limit hold'em in buckets: winnings of a local best response by number of buckets.

``python -m bench.limit FOLDER [--write]`` saves runs and matches in a folder and resumes them; it
takes about 95 minutes on one core. ``--write`` writes the table of docs/results/holdem.md and the picture,
``--render`` (without FOLDER) does so from the saved figures.
Figures are thousandths of a big blind a hand, with intervals of 95 %.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tefuda as td
from bench.pairs import Sections, dated, publish
from tefuda.apps.plot import plot_panels
from tefuda.figure import Panel
from tefuda.holdem.buckets.clusters import Buckets
from tefuda.holdem.buckets.graph import betting_graph, limit_rules
from tefuda.holdem.buckets.local import LocalResponse
from tefuda.holdem.buckets.response import board_response
from tefuda.holdem.buckets.sampler import BucketPolicy
from tefuda.holdem.buckets.solver import BucketMethod
from tefuda_reproductions.papers.limit_nfsp import sample_strategy

_MILLION = 1_000_000
_TREMBLE = 0.05


@dataclass(frozen=True)
class Run:
    """Run with its buckets on each later street, its textures, iterations and trembling."""

    size: int
    textures: int
    iterations: int
    tremble: float = 0.0

    @property
    def method(self) -> BucketMethod:
        """Method of the run."""
        return BucketMethod(tremble=self.tremble)

    @property
    def buckets(self) -> Buckets:
        """Buckets of the run."""
        return Buckets((169, self.size, self.size, self.size), textures=(self.textures, self.textures))

    @property
    def name(self) -> str:
        """Name of the folder."""
        return f"hu-{self.size}x{self.textures}-{self.tremble:g}-{self.iterations}"


#: Buckets on each street after the first, and textures of turns and rivers among them.
_SIZES = ((2, 1), (5, 1), (20, 1), (100, 5), (500, 20))


def _trembling(millions: int, sizes: tuple[tuple[int, int], ...]) -> tuple[Run, ...]:
    return tuple(Run(size, textures, millions * _MILLION, _TREMBLE) for size, textures in sizes)


#: Runs by kind of training, in order of size. Runs of one kind are compared.
RUNS = {
    "strength alone": tuple(
        Run(size, 1, millions * _MILLION) for size, millions in ((2, 1), (5, 4), (20, 10), (100, 40))
    ),
    "trembling, 4 million": _trembling(4, _SIZES),
    "trembling, 8 million": _trembling(8, _SIZES[:-1]),
    "trembling, 20 million": _trembling(20, _SIZES),
}
BOARDS = 250
PICTURE = "bench/results/limit.png"


def trained(folder: Path, run: Run) -> BucketPolicy:
    """Return the heads-up strategy of a run, which is resumed if it was saved."""
    return sample_strategy(
        td.load_game("holdem", limit=True), run.buckets, run.iterations, 0, folder / run.name, print, run.method
    )


def evaluate(folder: Path, run: Run) -> dict[str, Any]:
    """Return the winnings of a local best response against a run, by board."""
    path, rules = folder / f"won-{run.name}-{BOARDS}.npy", limit_rules()
    if not path.exists():
        np.save(path, board_response(trained(folder, run), BOARDS, seed=1).winnings)
    response = LocalResponse(max(rules.blinds), np.load(path))
    value, half = response.milliblinds
    rows = betting_graph(rules).rows(run.buckets.counts)
    print(run, f"{value:.1f} ± {half:.1f}", flush=True)
    return {"run": run, "rows": rows, "value": value, "half": half, "won": response.winnings.mean(axis=0)}


def decrease(before: dict[str, Any], after: dict[str, Any]) -> tuple[float, float]:
    """Return the decrease of winnings from one run to the next, and its half-width, over boards."""
    gap = 100 * (before["won"] - after["won"])
    return gap.mean(), 1.96 * gap.std(ddof=1) / len(gap) ** 0.5


def size_table(sizes: dict[str, list[dict[str, Any]]]) -> str:
    """Return the table of runs, with the decrease from the previous size on the same boards."""
    heads = ("training", "buckets", "textures", "infoset-action pairs", "iterations", "winnings", "decrease")
    lines = [f"| {' | '.join(heads)} |", "|---|---|---|---|---|---|---|"]
    for training, ones in sizes.items():
        for one in ones:
            gap = f"{one['less']:.0f} ± {one['less_half']:.0f}" if "less" in one else ""
            figure, spent = f"{one['value']:.0f} ± {one['half']:.0f}", f"{one['iterations'] / 1e6:.0f} million"
            cells = training, one["size"], one["textures"], f"{one['rows']:,}", spent, figure, gap
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def draw(results: dict[str, Any]) -> None:
    """Plot winnings by size."""
    sizes = results["sizes"]
    points = {told: [(float(one["size"]), one["value"]) for one in ones] for told, ones in sizes.items()}
    bars = {told: [one["half"] for one in ones] for told, ones in sizes.items()}
    panel = Panel(
        "Heads-up limit hold'em: winnings of a local best response", "buckets a street", points, {},
        "thousandths of a big blind a hand", ("log", "linear"), bars,
    )  # fmt: skip
    plot_panels((panel,), PICTURE)


def plain(found: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return the figures without the winnings on each board."""
    return {
        told: [
            {**one["run"].__dict__, **{name: one[name] for name in ("rows", "value", "half")}}
            | ({} if before is None else dict(zip(("less", "less_half"), decrease(before, one), strict=True)))
            for before, one in zip((None, *ones), ones, strict=False)
        ]
        for told, ones in found.items()
    }


def measure() -> dict[str, Any]:
    """Train and evaluate all runs."""
    folder = Path(next(text for text in sys.argv[1:] if not text.startswith("--")))
    folder.mkdir(parents=True, exist_ok=True)
    found = {training: [evaluate(folder, run) for run in runs] for training, runs in RUNS.items()}
    return {"boards": BOARDS, "sizes": plain(found)}


def sections(results: dict[str, Any]) -> Sections:
    """Return the table of the page."""
    return {("docs/results/holdem.md", "limit"): dated(size_table(results["sizes"]), results)}


def main() -> None:
    """Measure and print, or render."""
    publish("limit", measure, sections, draw)


if __name__ == "__main__":
    main()
