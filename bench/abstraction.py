"""Exploitability of abstract strategies; ``--write`` writes the results into docs/results/abstraction.md.

Nothing is timed: the figures are NashConv in the full game, the same on every machine up to round-
off.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import tefuda as td
from bench.pairs import write_results, write_section
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


def merged_row(name: str, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the row of a losslessly merged game: sizes before and after, NashConv in both games."""
    tree = td.compile_game(td.load_game(name, **options))
    whole = td.lossless(tree)
    small, real = whole.small, tree
    exact = td.solve(whole, "lp")
    solver = td.make_solver(whole, "cfr+")
    solver.advance(1_000)
    gaps = td.nash_conv(solver.inner.average()), td.nash_conv(solver.average())
    said = " ".join(f"{key}={value}" for key, value in options.items())
    pairs = [(tree.infosets, small.infosets), (tree.rows, small.rows), (len(real.player), len(small.player))]
    cells = " | ".join(f"{before:,} → {after:,}" for before, after in pairs)
    figures = f"{exact.values[0]:+.12f} | {max(0.0, exact.nash_conv):.0e} | {gaps[0]:.6f}, {gaps[1]:.6f}"
    return f"| {name} {said}".rstrip() + f" | {cells} | {figures} |", {"game": name, "options": options, "sizes": pairs}


def lossless_table() -> tuple[str, list[dict[str, Any]]]:
    """Return the table of losslessly merged games, and its sizes."""
    heads = heading(
        "game",
        "infosets",
        "infoset-action pairs",
        "histories",
        "value to player 0",
        "LP",
        "CFR+: small game, real game",
    )
    rows, sizes = zip(*(merged_row(name, options) for name, options in LOSSLESS), strict=True)
    return "\n".join([heads, *rows]), list(sizes)


def shown(figure: float) -> str:
    """Return a NashConv as text; round-off is 0."""
    if figure != figure:
        return "–"
    return non_negative(figure) if figure > 1e-12 else "0"


def lines_of(case: Case, tree: td.Tree, trials: tuple[AbstractionResult, ...]) -> list[str]:
    """Return the rows of a game."""
    found = []
    for number, trial in enumerate(trials):
        figures = map(shown, (trial.equilibrium, trial.cfr_br, trial.least))
        title = f"{case.title}, {tree.infosets:,} infosets" if number == 0 else ""
        counts = ", then ".join(map(str, trial.counts))
        found.append(f"| {title} | {counts} | {trial.recall} | {trial.classes:,} | " + " | ".join(figures) + " |")
    return found


def main() -> None:
    merged, sizes = lossless_table()
    print(merged, flush=True)
    heads = heading("game", "buckets", "recall", "classes", "equilibrium (LP; CFR+)", "CFR-BR", "least (LP)")
    lines, panels, content = [heads], [], []
    for case in CASES:
        tree = td.compile_game(td.load_game(case.game, **case.options))
        trials = study(tree, case.counts, apart=case.apart, iterations=ITERATIONS)
        above = [trial for trial in trials if trial.cfr_br > trial.equilibrium]
        print(case.title, "CFR-BR is above the equilibrium in", above, file=sys.stderr, flush=True)
        lines += lines_of(case, tree, trials)
        if case.title in DRAWN:
            panels.append(panel(f"{case.title}, {tree.infosets:,} infosets", trials))
        content.append({"title": case.title, "trials": [trial.summary() for trial in trials]})
        print("\n".join(lines_of(case, tree, trials)), flush=True)
    if "--write" in sys.argv:
        plot_panels(panels, PICTURE)
        write_results("abstraction", {"iterations": ITERATIONS, "lossless": sizes, "cases": content}, [])
        write_section("lossless", merged, "docs/results/abstraction.md")
        write_section("buckets", "\n".join(lines), "docs/results/abstraction.md")


if __name__ == "__main__":
    main()
