"""Figures of docs/answers.md about the table of CFR methods: endgames, last iterates, battleship.

A part of `bench.answers`. The figures asked for come from another run of tefuda or another program ("computed").
"""

from __future__ import annotations

import time
from typing import Any

import tefuda as td
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.solver import METHODS, Exploitability, HandSolver

MARKS = (11, 31, 104, 304, 1000)
#: Endgames with the iterations to run and between evaluations, the target in percent of the pot, and the CPU seconds
#: allowed for it.
ENDGAMES = {4: (1000, 10, 0.1, 2), 3: (1100, 10, 0.1, 2), 2: (304, 10, 0.1, 15), 1: (104, 104, 5.0, 120)}
#: Exploitability in percent of the pot after `MARKS`, computed.
ASKED = {
    (3, "dcfr-3"): (27.5, 27.4, 2.63, 0.571, 0.102), (3, "dcfr"): (30.2, 20.8, 2.65, 0.623, 0.110),
    (3, "lcfr"): (43.9, 7.45, 1.42, 0.349, 0.0505), (3, "cfr+quadratic"): (42.2, 14.4, 4.28, 1.39, 0.384),
    (3, "cfr+"): (51.4, 17.3, 4.78, 1.53, 0.447), (3, "cfr"): (124, 46.9, 16.1, 5.64, 1.87),
    (4, "dcfr-3"): (16.8, 3.03, 0.277, 0.0422, 0.0072), (4, "dcfr"): (16.4, 2.93, 0.322, 0.0440, 0.0068),
    (4, "lcfr"): (14.9, 2.43, 0.380, 0.0777, 0.0137), (4, "cfr+"): (14.5, 4.43, 0.681, 0.114, 0.0170),
    (2, "dcfr-3"): (19.7, 3.52, 0.374, 0.0692), (2, "lcfr"): (19.2, 4.91, 0.785, 0.165),
    (1, "dcfr-3"): (89.7, 31.8, 4.82),
}  # fmt: skip
#: Methods of an endgame.
CHOSEN = {4: tuple(METHODS), 3: tuple(METHODS), 2: ("dcfr-3", "lcfr", "pcfr+", "pdcfr+", "ema"), 1: ("dcfr-3",)}
#: NashConv of the last iterate after 100, 1,000 and 5,000 iterations, computed by an independent program.
LAST = {
    ("Kuhn", "kuhn", "rtcfr+"): (6.4e-2, 7.9e-3, 9.6e-6), ("Kuhn", "kuhn", "rtpcfr+"): (1.6e-3, 1.2e-13, 4e-17),
    ("Leduc", "leduc", "rtcfr+"): (9.1e-2, 2.2e-3, 1.8e-6), ("Leduc", "leduc", "rtpcfr+"): (0.24, 4.1e-2, 1.1e-2),
    ("battleship_22_3", "battleship_22_3", "rtcfr+"): (0.50, 0.21, 6.5e-2),
    ("battleship_22_3", "battleship_22_3", "rtpcfr+"): (6.5e-3, 2.3e-7, 9e-16),
    ("liar's dice 4", "LiarsDice4", "rtcfr+"): (2.6e-2, 4.8e-9, 7e-17),
    ("liar's dice 4", "LiarsDice4", "rtpcfr+"): (2.9e-2, 3.1e-9, 4e-17),
}  # fmt: skip
LAST_MARKS = (100, 1000, 5000)
#: Games with iterations, and NashConv of the reported strategy, computed.
BATTLESHIP = {
    "battleship_22_3": (1000, {"cfr+": 4.0e-3, "dcfr": 5.0e-3, "pcfr+": 1.9e-5, "pdcfr+": 5.1e-6, "ema": 1.7e-4}),
    "battleship_32_3": (300, {"cfr+": 1.1e-2, "dcfr": 1.0e-2, "pcfr+": 3.7e-4, "pdcfr+": 2.2e-4, "ema": 3.9e-4}),
}


def endgame_curve(number: int, name: str) -> dict[str, Any]:
    """Return figures at `MARKS`, CPU seconds of solving, and those until the target was met, or None."""
    most, step, target, _ = ENDGAMES[number]
    spot = td.load_game(f"subgame{number}").spot
    solver, evaluator = HandSolver(compile_spot(spot), METHODS[name]), Exploitability()
    marks = [mark for mark in MARKS if mark <= most]
    spent, reached, figures = 0.0, None, []
    for count in sorted({*range(1 + step, most + 1, step), *marks}):
        start = time.process_time()
        solver.advance(count - solver.iterations)
        spent += time.process_time() - start
        figure = evaluator.evaluate(solver).figure
        if reached is None and figure <= target:
            reached = [spent, count]
        if count in marks:
            figures.append(figure)
    print(number, name, figures, reached, f"{spent:.3g} s", flush=True)
    return {"figures": figures, "seconds": spent, "reached": reached}


def measure() -> dict[str, Any]:
    """Return all figures of this module."""
    endgames = {str(number): {name: endgame_curve(number, name) for name in CHOSEN[number]} for number in ENDGAMES}
    last = []
    for _, game, name in LAST:
        solver, row = td.make_solver(td.compile_game(td.load_game(game)), name), []
        for mark in LAST_MARKS:
            solver.advance(mark - solver.iterations)
            row.append(td.nash_conv(solver.current()))
        last.append(row)
    battleship = {
        game: [td.solve(td.load_game(game), name, iterations=count).nash_conv for name in asked]
        for game, (count, asked) in BATTLESHIP.items()
    }
    return {"endgames": endgames, "last": last, "battleship": battleship}


def _endgames(found: dict[str, dict[str, Any]]) -> str:
    lines = [
        "| endgame, method | " + " | ".join(f"{mark:,}" for mark in MARKS) + " | target | asked | ours |",
        "|---" * (len(MARKS) + 4) + "|",
    ]
    for number, curves in found.items():
        _, _, target, allowed = ENDGAMES[int(number)]
        for name, curve in curves.items():
            asked = ASKED.get((int(number), name), ())
            cells = [f"{ours:.3g}" for ours in curve["figures"]] + [""] * (len(MARKS) - len(curve["figures"]))
            cells = [f"{ours}; asked {asked[k]:g}" if k < len(asked) else ours for k, ours in enumerate(cells)]
            reached = curve["reached"]
            ours = f"{reached[0]:.2g} s, {reached[1]:,} iterations" if reached else f"not in {curve['seconds']:.2g} s"
            lines.append(
                f"| {number}, `{name}` | " + " | ".join([*cells, f"{target:g} %", f"{allowed} s", ours]) + " |"
            )
    return "\n".join(lines)


def _last(rows: list[list[float]]) -> str:
    lines = ["| game, method | " + " | ".join(f"{mark:,}" for mark in LAST_MARKS) + " |", "|---" * 4 + "|"]
    for (title, _, name), row in zip(LAST, rows, strict=True):
        pairs = zip(row, LAST[title, _, name], strict=True)
        cells = (f"{max(ours, 0):.2g}; asked {asked:.2g}" for ours, asked in pairs)
        lines.append(f"| {title}, `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _battleship(found: dict[str, list[float]]) -> str:
    names = BATTLESHIP["battleship_22_3"][1]
    lines = ["| game, iterations | " + " | ".join(f"`{name}`" for name in names) + " |", "|---" * 6 + "|"]
    for game, (count, asked) in BATTLESHIP.items():
        cells = (f"{ours:.2g}; asked {asked[name]:.2g}" for name, ours in zip(names, found[game], strict=True))
        lines.append(f"| {game}, {count:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


WRITERS = {"endgames": _endgames, "last": _last, "battleship": _battleship}
