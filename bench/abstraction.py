"""Exploitability of abstract strategies.

``--write`` saves the figures and writes them into docs/results/abstraction.md, ``--render`` writes the saved ones.

Nothing is timed: the figures are NashConv in the full game, the same on every machine up to round-
off.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import tefuda as td
from bench.pairs import Sections, dated, publish
from tefuda.abstracting.study import AbstractionResult, panel, study
from tefuda.apps.plot import plot_panels
from tefuda.words import non_negative

ITERATIONS = 5_000
DRAWN = ("Leduc, 9 ranks", "Leduc, 13 ranks", "liar's dice, 4 sides")
PICTURE = "bench/results/abstraction.png"


@dataclass(frozen=True)
class Case:
    """Game and the numbers of buckets to try."""

    title: str
    game: str
    options: dict[str, Any]
    counts: tuple[int, ...]
    apart: str = "actions"


CASES = (
    Case("Leduc, suits apart", "leduc", {"distinct_suits": True}, (1, 2, 3)),
    Case("Leduc, suits apart, the board known", "leduc", {"distinct_suits": True}, (1, 2, 3), "public states"),
    Case("Leduc, 9 ranks", "leduc", {"ranks": 9}, (1, 2, 3, 4, 5, 9)),
    Case("Leduc, 9 ranks, the board known", "leduc", {"ranks": 9}, (1, 2, 3, 4, 5, 9), "public states"),
    Case("Leduc, 13 ranks", "leduc", {"ranks": 13}, (1, 2, 3, 5, 8)),
    Case("liar's dice, 4 sides", "liars_dice", {"sides": 4}, (1, 2, 3)),
    Case("goofspiel, 5 cards", "goofspiel", {"cards": 5}, (1, 2, 3)),
)
LOSSLESS = (
    ("leduc", {"distinct_suits": True}),
    ("leduc", {"ranks": 9, "distinct_suits": True}),
    ("goofspiel", {"cards": 5}),
    ("liars_dice", {}),
    ("mini8", {}),
    ("mini8", {"merged": True}),
)


def heading(*names: str) -> str:
    """Return the first two lines of a table."""
    return f"| {' | '.join(names)} |\n" + "|---" * len(names) + "|"


def merged(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of a losslessly merged game: sizes before and after, NashConv in both games."""
    tree = td.compile_game(td.load_game(name, **options))
    whole = td.lossless(tree)
    small = whole.small
    exact = td.solve(whole, "lp")
    solver = td.make_solver(whole, "cfr+")
    solver.advance(1_000)
    return {
        "game": name,
        "options": options,
        "sizes": [(tree.infosets, small.infosets), (tree.rows, small.rows), (len(tree.player), len(small.player))],
        "value": exact.values[0],
        "lp": max(0.0, exact.nash_conv),
        "cfr+": [td.nash_conv(solver.inner.average()), td.nash_conv(solver.average())],
    }


def lossless_table(found: list[dict[str, Any]]) -> str:
    """Return the table of losslessly merged games."""
    lines = [
        heading(
            "game", "infosets", "infoset-action pairs", "histories", "value to player 0", "LP",
            "CFR+: small game, real game",
        )
    ]  # fmt: skip
    for one in found:
        options = " ".join(f"{key}={value}" for key, value in one["options"].items())
        cells = " | ".join(f"{before:,} → {after:,}" for before, after in one["sizes"])
        gaps = ", ".join(f"{gap:.6f}" for gap in one["cfr+"])
        game = f"{one['game']} {options}".rstrip()
        lines.append(f"| {game} | {cells} | {one['value']:+.12f} | {one['lp']:.0e} | {gaps} |")
    return "\n".join(lines)


def shown(figure: float) -> str:
    """Return a NashConv as text; round-off is 0."""
    if figure != figure:
        return "–"
    return non_negative(figure) if figure > 1e-12 else "0"


def lines_of(case: dict[str, Any]) -> list[str]:
    """Return the rows of a game."""
    found = []
    for number, trial in enumerate(case["trials"]):
        figures = map(shown, (trial["equilibrium"], trial["cfr_br"], trial["least"]))
        title = f"{case['title']}, {case['infosets']:,} infosets" if number == 0 else ""
        counts = ", then ".join(map(str, trial["counts"]))
        found.append(f"| {title} | {counts} | {trial['recall']} | {trial['classes']:,} | " + " | ".join(figures) + " |")
    return found


def measure_case(case: Case) -> dict[str, Any]:
    """Return the figures of a game in buckets."""
    tree = td.compile_game(td.load_game(case.game, **case.options))
    trials = study(tree, case.counts, apart=case.apart, iterations=ITERATIONS)
    above = [trial for trial in trials if trial.cfr_br > trial.equilibrium]
    print(case.title, "CFR-BR is above the equilibrium in", above, file=sys.stderr, flush=True)
    return {"title": case.title, "infosets": tree.infosets, "trials": [trial.summary() for trial in trials]}


def measure() -> dict[str, Any]:
    """Merge games without loss and solve games in buckets."""
    return {
        "iterations": ITERATIONS,
        "lossless": [merged(name, options) for name, options in LOSSLESS],
        "cases": [measure_case(case) for case in CASES],
    }


def sections(results: dict[str, Any]) -> Sections:
    """Return the tables of the page."""
    heads = heading("game", "buckets", "recall", "classes", "equilibrium (LP; CFR+)", "CFR-BR", "least (LP)")
    lines = [heads, *(line for case in results["cases"] for line in lines_of(case))]
    return {
        ("docs/results/abstraction.md", "lossless"): dated(lossless_table(results["lossless"]), results),
        ("docs/results/abstraction.md", "buckets"): dated("\n".join(lines), results),
    }


def draw(results: dict[str, Any]) -> None:
    """Plot NashConv by number of classes."""
    panels = []
    for case in results["cases"]:
        if case["title"] in DRAWN:
            trials = tuple(AbstractionResult(**trial) for trial in case["trials"])
            panels.append(panel(f"{case['title']}, {case['infosets']:,} infosets", trials))
    plot_panels(panels, PICTURE)


def main() -> None:
    """Measure and print, or render."""
    publish("abstraction", measure, sections, draw)


if __name__ == "__main__":
    main()
