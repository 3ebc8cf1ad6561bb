"""Limit hold'em in buckets: what a local best response wins by size, a table of three, neural self-play.

``python -m bench.limit FOLDER [--write]`` keeps runs and matches in a folder and goes on from them: about 12 minutes of
one core for the sizes, 8 for the table of three, 10 for neural self-play (with PyTorch). ``--write`` writes the tables
of docs/holdem.md and the picture. Thousandths of a big blind a hand, intervals of 95 %.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import tefuda as tf
from bench.pairs import write_results, write_section
from tefuda.apps.plot import plot_panels
from tefuda.figure import Panel
from tefuda.holdem.buckets import Buckets
from tefuda.holdem.exploiters import TableReader, VirtualReader
from tefuda.holdem.limit import betting_graph, limit_rules
from tefuda.holdem.local import LocalResponse, local_response
from tefuda.holdem.reading import stereotype
from tefuda.holdem.sampler import LimitPolicy, LimitSampler, abstraction

#: Buckets on each street after the first, and iterations.
SIZES = {2: 1_000_000, 5: 4_000_000, 20: 10_000_000, 100: 40_000_000}
HANDS = 60_000
#: At the table of three: eight buckets a street, iterations, deals of a replicate, replicates.
THREE = (8, 1_500_000, 120, 4)
LINE_UPS = ("BDE", "ADE", "IDE", "BDF", "ADF", "IDF", "BDG", "ADG", "IDG")
SIMPLE = {"E": "raiser", "F": "caller", "G": "random"}
PICTURE = "bench/results/limit.png"
_PIECE = 250_000


def trained(path: Path, players: int, counts: tuple[int, int, int, int], iterations: int) -> LimitSampler:
    """A sampler after so many iterations, gone on with from where it was kept."""
    sampler = LimitSampler(abstraction(betting_graph(limit_rules(players)), Buckets(counts)))
    if path.exists():
        sampler.load(path)
    while sampler.iterations < iterations:
        sampler.advance(min(_PIECE, iterations - sampler.iterations))
        sampler.save(path)
    return sampler


def by_size(folder: Path) -> dict[int, dict[str, Any]]:
    """What a local best response wins from the strategies of each size."""
    found: dict[int, dict[str, Any]] = {}
    graph = betting_graph(limit_rules())
    for size, iterations in SIZES.items():
        counts, path = (169, size, size, size), folder / f"won-{size}-{iterations}-{HANDS}.npy"
        if not path.exists():
            sampler = trained(folder / f"hu-{size}.npz", 2, counts, iterations)
            np.save(path, local_response(sampler.average(), HANDS, seed=1).won)
        response = LocalResponse(max(graph.rules.blinds), np.load(path))
        value, half = response.millis
        found[size] = {
            "iterations": iterations, "rows": graph.rows(counts), "value": value, "half": half,
            "won": response.won.mean(axis=0),
        }  # fmt: skip
        print(size, {name: one for name, one in found[size].items() if name != "won"}, flush=True)
    return found


def size_table(found: dict[int, dict[str, Any]]) -> str:
    """Sizes and what is won from them, with the difference from the size before on the same cards."""
    lines = [
        "| buckets a street | actions at infosets | iterations | local best response | less than before |",
        "|---|---|---|---|---|",
    ]
    before = None
    for size, one in found.items():
        less = ""
        if before is not None:
            gap = 100 * (before["won"] - one["won"])
            less = f"{gap.mean():.0f} ± {1.96 * gap.std(ddof=1) / len(gap) ** 0.5:.0f}"
        figure, run = f"{one['value']:.0f} ± {one['half']:.0f}", f"{one['iterations'] / 1e6:.0f} million"
        lines.append(f"| {size} | {one['rows']:,} | {run} | {figure} | {less} |")
        before = one
    return "\n".join(lines)


def agent(letter: str, table: LimitPolicy) -> tf.Agent:
    """Who stands behind a letter: A furui2011's player, I ours, B and D the sampled strategy, others simple."""
    if letter == "A":
        return VirtualReader("A", table)
    if letter == "I":
        return TableReader("I", table)
    if letter in SIMPLE:
        return tf.PolicyAgent(letter, LimitPolicy(table.game, stereotype(table.game, SIMPLE[letter])))
    return tf.PolicyAgent(letter, table)


def table_of_three(folder: Path) -> dict[str, Any]:
    """Means and half widths by line-up, thousandths of a big blind a hand."""
    buckets, iterations, deals, replicates = THREE
    path, game = folder / "three.json", tf.load_game("holdem", players=3, limit=True)
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    for name in LINE_UPS:
        if name in found:
            continue
        table = trained(folder / "three.npz", 3, (buckets,) * 4, iterations).average()
        agents = [agent(letter, table) for letter in name]
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


def pictures(sizes: dict[int, dict[str, Any]], three: dict[str, Any]) -> tuple[Panel, Panel]:
    """What is won by size, and by the three players of each table."""
    points = [(float(size), one["value"]) for size, one in sizes.items()]
    bars = [one["half"] for one in sizes.values()]
    first = Panel(
        "Heads-up limit hold'em in buckets", "buckets a street", {"local best response": points}, {},
        "thousandths of a big blind a hand", ("log", "linear"), {"local best response": bars},
    )  # fmt: skip
    lines: dict[str, list[tuple[float, float]]] = {}
    errors: dict[str, list[float]] = {}
    names = {"B": "the sampled strategy", "A": "furui2011's player", "I": "ours"}
    for letter, name in names.items():
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


def main() -> None:
    """Measure and print; with --write into docs/holdem.md and the picture too."""
    folder = Path(next(text for text in sys.argv[1:] if not text.startswith("--")))
    folder.mkdir(parents=True, exist_ok=True)
    sizes, three = by_size(folder), table_of_three(folder)
    texts = {"limit": size_table(sizes), "limit-three": three_table(three)}
    print("\n\n".join(texts.values()))
    if "--write" in sys.argv:
        plain = {str(size): {name: one[name] for name in one if name != "won"} for size, one in sizes.items()}
        write_results("limit", {"sizes": plain, "three": three}, [])
        for name, text in texts.items():
            write_section(name, text, "docs/holdem.md")
        plot_panels(pictures(sizes, three), PICTURE)


if __name__ == "__main__":
    main()
