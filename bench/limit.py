"""Limit hold'em in buckets: what a local best response wins by size, a table of three, neural self-play.

``python -m bench.limit FOLDER [--write]`` keeps runs and matches in a folder and goes on from them: about 95 minutes of
one core for the sizes, 8 for the table of three, 10 for neural self-play (with PyTorch). ``--write`` writes the tables
of docs/holdem.md and the picture. Thousandths of a big blind a hand, intervals of 95 %.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tefuda as tf
from bench.pairs import write_results, write_section
from tefuda.apps.plot import plot_panels
from tefuda.figure import Panel
from tefuda.holdem.limit import betting_graph, limit_rules
from tefuda.holdem.limit_solver import BucketMethod
from tefuda.holdem.local import LocalResponse
from tefuda.holdem.response import board_response
from tefuda.holdem.sampler import LimitPolicy
from tefuda.papers.limit_nfsp import sampled
from tefuda.papers.limit_three import BUCKETS, FIRST, LINE_UPS, SIMPLE, seated

_MILLION = 1_000_000
_TREMBLE = 0.05


@dataclass(frozen=True)
class Run:
    """A run: buckets on each street after the first, textures of turns and of rivers, iterations, trembling."""

    size: int
    textures: int
    iterations: int
    tremble: float = 0.0

    @property
    def method(self) -> BucketMethod:
        """How it learns."""
        sizes, textures = (169, self.size, self.size, self.size), (self.textures, self.textures)
        return BucketMethod(buckets=sizes, textures=textures, tremble=self.tremble)

    @property
    def name(self) -> str:
        """Of its folder."""
        return f"hu-{self.size}x{self.textures}-{self.tremble:g}-{self.iterations}"


#: Buckets on each street after the first, and textures of turns and rivers among them.
_SIZES = ((2, 1), (5, 1), (20, 1), (100, 5), (500, 20))


def _trembling(millions: int, sizes: tuple[tuple[int, int], ...]) -> tuple[Run, ...]:
    return tuple(Run(size, textures, millions * _MILLION, _TREMBLE) for size, textures in sizes)


#: By how they learn, the runs by size. Rows of one kind are compared.
RUNS = {
    "strength alone": tuple(
        Run(size, 1, millions * _MILLION) for size, millions in ((2, 1), (5, 4), (20, 10), (100, 40))
    ),
    "trembling, 4 million": _trembling(4, _SIZES),
    "trembling, 8 million": _trembling(8, _SIZES[:-1]),
    "trembling, 20 million": _trembling(20, _SIZES),
}
BOARDS = 250
#: At the table of three: iterations, deals of a replicate, replicates.
THREE = (1_500_000, 120, 4)
PICTURE = "bench/results/limit.png"


def trained(folder: Path, run: Run) -> LimitPolicy:
    """What a run found heads-up, gone on with from where it was kept."""
    return sampled(tf.load_game("holdem", limit=True), run.method, run.iterations, 0, folder / run.name, print)


def met(folder: Path, run: Run) -> dict[str, Any]:
    """What a local best response wins from what a run found, board by board."""
    path, rules = folder / f"won-{run.name}-{BOARDS}.npy", limit_rules()
    if not path.exists():
        np.save(path, board_response(trained(folder, run), BOARDS, seed=1).won)
    response = LocalResponse(max(rules.blinds), np.load(path))
    value, half = response.millis
    rows = betting_graph(rules).rows(run.method.buckets)
    print(run, f"{value:.1f} ± {half:.1f}", flush=True)
    return {"run": run, "rows": rows, "value": value, "half": half, "won": response.won.mean(axis=0)}


def less(before: dict[str, Any], after: dict[str, Any]) -> tuple[float, float]:
    """How much less is won from the second, and the half width, by boards."""
    gap = 100 * (before["won"] - after["won"])
    return gap.mean(), 1.96 * gap.std(ddof=1) / len(gap) ** 0.5


def size_table(found: dict[str, list[dict[str, Any]]]) -> str:
    """Runs and what is won from them, with the difference from the size before on the same boards."""
    heads = ("learned", "buckets", "textures", "actions at infosets", "iterations", "it wins", "less than before")
    lines = [f"| {' | '.join(heads)} |", "|---|---|---|---|---|---|---|"]
    for told, ones in found.items():
        for before, one in zip((None, *ones), ones, strict=False):
            run, gap = one["run"], "" if before is None else "{:.0f} ± {:.0f}".format(*less(before, one))
            figure, spent = f"{one['value']:.0f} ± {one['half']:.0f}", f"{run.iterations / 1e6:.0f} million"
            lines.append(f"| {told} | {run.size} | {run.textures} | {one['rows']:,} | {spent} | {figure} | {gap} |")
    return "\n".join(lines)


def table_of_three(folder: Path) -> dict[str, Any]:
    """Means and half widths by line-up, thousandths of a big blind a hand."""
    iterations, deals, replicates = THREE
    path, game = folder / "three.json", tf.load_game("holdem", players=3, limit=True)
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    for name in LINE_UPS:
        if name in found:
            continue
        table = sampled(game, BUCKETS, iterations, 0, folder / "three", print)
        agents = [seated(letter, table) for letter in name]
        match = tf.duplicate_match(game, agents, deals=deals, replicates=replicates, play=True)
        found[name] = [(100 * match.mean).tolist(), (100 * (match.interval()[:, 1] - match.mean)).tolist()]
        path.write_text(json.dumps(found))
        print(name, np.round(found[name]), flush=True)
    return found


def three_table(found: dict[str, Any]) -> str:
    """A row a line-up."""
    lines = ["| line-up | first | D | third |", "|---|---|---|---|"]
    for name in LINE_UPS:
        cells = [f"{mean:+.0f} ± {half:.0f}" for mean, half in zip(*found[name], strict=True)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def pictures(found: dict[str, list[dict[str, Any]]], three: dict[str, Any]) -> tuple[Panel, Panel]:
    """What is won by size, and by the three players of each table."""
    points = {told: [(float(one["run"].size), one["value"]) for one in ones] for told, ones in found.items()}
    bars = {told: [one["half"] for one in ones] for told, ones in found.items()}
    first = Panel(
        "Heads-up limit hold'em: won by a local best response", "buckets a street", points, {},
        "thousandths of a big blind a hand", ("log", "linear"), bars,
    )  # fmt: skip
    lines: dict[str, list[tuple[float, float]]] = {}
    errors: dict[str, list[float]] = {}
    for letter, name in FIRST.items():
        for place, third in enumerate(SIMPLE):
            mean, half = found_of(three, f"{letter}D{third}")
            lines.setdefault(name, []).append((float(place), mean))
            errors.setdefault(name, []).append(half)
    second = Panel(
        "Won at a table of three, beside the sampled strategy", "", lines, {}, "thousandths of a big blind a hand",
        ("linear", "linear"), errors, list(SIMPLE.values()),
    )  # fmt: skip
    return first, second


def found_of(three: dict[str, Any], name: str) -> tuple[float, float]:
    """What the first of a line-up won, and the half width."""
    return three[name][0][0], three[name][1][0]


def plain(found: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Figures without what was won on each board."""
    return {
        told: [
            {**one["run"].__dict__, **{name: one[name] for name in ("rows", "value", "half")}}
            | ({} if before is None else dict(zip(("less", "less_half"), less(before, one), strict=True)))
            for before, one in zip((None, *ones), ones, strict=False)
        ]
        for told, ones in found.items()
    }


def main() -> None:
    """Measure and print; with --write into docs/holdem.md and the picture too."""
    folder = Path(next(text for text in sys.argv[1:] if not text.startswith("--")))
    folder.mkdir(parents=True, exist_ok=True)
    found = {told: [met(folder, run) for run in runs] for told, runs in RUNS.items()}
    three = table_of_three(folder)
    texts = {"limit": size_table(found), "limit-three": three_table(three)}
    print("\n\n".join(texts.values()))
    if "--write" in sys.argv:
        write_results("limit", {"boards": BOARDS, "sizes": plain(found), "three": three}, [])
        for name, text in texts.items():
            write_section(name, text, "docs/holdem.md")
        plot_panels(pictures(found, three), PICTURE)


if __name__ == "__main__":
    main()
