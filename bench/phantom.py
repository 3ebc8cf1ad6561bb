"""Figures of phantom games in docs/answers.md: evaluation, solving, and learners after many steps.

``--write`` saves them in bench/results/phantom.json and writes the tables, ``--render`` only the tables of the saved
ones. The learners' runs are in runs/phantom and are resumed until they have the steps asked for. CPU times of one core.
The figures asked for come from another program ("computed").
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

import tefuda as td
from bench.pairs import Sections, dated, publish
from tefuda import phantom
from tefuda.forms.simulate import deal_decisions

PAGE, RUNS = "docs/answers.md", Path("runs/phantom")
#: Games: infosets, uniform value, gains and seconds of an evaluation that another program computed.
BOARDS = {
    "dark_hex": ((3_720_850, 2_352_067), 1 / 3, (2 / 3, 1.166137566), 5.3),
    "phantom_ttt": ((3_683_314, 2_307_355), 187 / 630, (0.656299603, 0.921164021), 5.4),
    "abrupt dark_hex": ((16_497_034, 10_828_243), 0.266925705, (0.641104497, 0.884104938), 159),
    "abrupt phantom_ttt": ((14_482_810, 8_827_459), 0.316274828, (0.530864722, 0.707803708), 120),
}
#: Games: exploitability of the average after iterations, and CPU seconds of all, that another program computed.
CURVES = {
    "dark_hex": ({1: 0.916, 3: 0.162, 10: 0.0059, 30: 0.00024}, 163),
    "phantom_ttt": ({1: 0.789, 3: 0.403, 10: 0.102, 30: 0.0183, 60: 0.008089}, 338),
}
_COMMON = {"games": 390, "minibatches": 4, "momentum": 0.9, "layers": 3, "hidden": 128, "decay": 0.0,
           "gae_lambda": 0.95, "discount": 0.99}  # fmt: skip
#: Learners on dark hex: settings (Rudolph et al. 2026, but for the width of 512), and decisions asked for.
LEARNERS: dict[str, tuple[dict[str, Any], int]] = {
    "ppo": ({**_COMMON, "rate": 2e-3, "entropy": 0.05, "clip": 0.025, "epochs": 8}, 10_000_000),
    "mmd": ({**_COMMON, "rate": 6.25e-5, "entropy": 0.2, "kl": 0.025, "epochs": 1}, 1_000_000),
    "nfsp": ({"hidden": 128}, 1_000_000),
}
_GAMES = 2000  # games that measure the decisions of a game


def boards() -> dict[str, Any]:
    """Return the evaluation of uniform play on each board."""
    rows = {}
    for name in BOARDS:
        start = time.process_time()
        form = phantom.referee(name.split()[-1], abrupt=name.startswith("abrupt"))
        numbered = time.process_time()
        found = form.evaluate()
        spent = [numbered - start, time.process_time() - numbered]
        rows[name] = {
            "infosets": form.infosets,
            "value": found.values[0],
            "gains": found.gains.tolist(),
            "seconds": spent,
        }
    return rows


def solving() -> dict[str, Any]:
    """Return rows (iterations, exploitability of average and last iterate, CPU seconds) of each game."""
    rows = {}
    for name, (curve, _) in CURVES.items():
        form, spent = phantom.referee(name), 0.0
        solver, rows[name] = phantom.RefereeMethod().solver(form), []
        for iterations in curve:
            start = time.process_time()
            solver.advance(iterations - solver.iterations)
            spent += time.process_time() - start
            figures = [form.evaluate(strategy).exploitability for strategy in (solver.average(), solver.current())]
            rows[name].append([iterations, *figures, spent])
    return rows


def decisions(policy: Any) -> float:
    """Return the mean number of decisions of a game of dark hex under a policy of networks."""
    simulator, rng, total = phantom.BoardSimulator(td.load_game("dark_hex")), np.random.default_rng(0), 0
    games = deal_decisions(simulator, _GAMES, rng)
    while len(games):
        mover, legal, inputs = simulator.player(games), simulator.legal(games), simulator.observe(games)
        chances = np.zeros(legal.shape)
        for player in np.unique(mover).tolist():
            rows = mover == player
            chances[rows] = policy.function(player, inputs[rows], legal[rows])
        units = (chances.cumsum(axis=1) > rng.random(len(games))[:, None] * chances.sum(axis=1)[:, None]).argmax(axis=1)
        total += len(games)
        games = simulator.step(games, units, rng)
        games = games[simulator.player(games) >= 0]
    return total / _GAMES


def learned(folder: Path) -> dict[str, Any]:
    """Return a learner's iterations and decisions, and the exact evaluation of its policy."""
    solution = td.load(folder)
    steps = solution.iterations * solution.method.get("games", 1) * decisions(solution.strategy)
    found = phantom.referee("dark_hex").evaluate(solution.strategy)
    return {
        "steps": steps, "iterations": solution.iterations, "value": found.values[0], "gains": found.gains.tolist(),
        "exploitability": found.exploitability, "seconds": solution.seconds,
    }  # fmt: skip


def learning() -> dict[str, Any]:
    """Return the figures of all learners; their runs are resumed or begun."""
    for name, (settings, steps) in LEARNERS.items():
        folder, iterations = RUNS / name, steps // (10 * settings.get("games", 1))
        if (folder / "run.json").exists():
            td.resume(folder, iterations=iterations)
        else:
            simulator, method = phantom.BoardSimulator(td.load_game("dark_hex")), td.find_method(name, settings)
            td.solve(simulator, method, iterations=iterations, evaluator=td.NoEvaluation(), checkpoint=folder)
    return {name: learned(RUNS / name) for name in LEARNERS}


def measure() -> dict[str, Any]:
    return {"boards": boards(), "solving": solving(), "learning": learning()}


def sections(results: dict[str, Any]) -> Sections:
    texts = {name: write(results[name]) for name, write in WRITERS.items()}
    return {(PAGE, f"phantom {name}"): dated(text, results) for name, text in texts.items()}


def _boards(rows: dict[str, Any]) -> str:
    head = (
        "| game | infosets | uniform value (computed) | ours | gains (computed) | ours | CPU, numbering + evaluation |"
    )
    lines = [head, "|---" * 7 + "|"]
    for name, row in rows.items():
        infosets, value, gains, seconds = BOARDS[name]
        same = tuple(row["infosets"]) == infosets
        counted = " + ".join(f"{count:,}" for count in row["infosets"]) + (" (as computed)" if same else " (differs)")
        asked, ours = ("; ".join(f"{gain:.9f}" for gain in both) for both in (gains, row["gains"]))
        spent = " + ".join(f"{part:.2g}" for part in row["seconds"])
        cells = (name, counted, f"{value:.9f}", f"{row['value']:.9f}", asked, ours, f"{spent} s; theirs {seconds:g} s")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _solving(rows: dict[str, Any]) -> str:
    lines = [
        "| game | iterations | average (computed) | ours | last iterate | CPU (computed: in all) |",
        "|---" * 6 + "|",
    ]
    for name, curve in rows.items():
        asked, total = CURVES[name]
        for iterations, average, current, spent in curve:
            bound = f"{spent:.3g} s" + (f" ({total} s)" if iterations == max(asked) else "")
            cells = (name, str(iterations), f"{asked[iterations]:g}", f"{average:.3g}", f"{max(current, 0):.2g}", bound)
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _learning(rows: dict[str, Any]) -> str:
    lines = [
        "| method | steps asked | steps reached | exploitability | value | gains | time on a shared core |",
        "|---" * 7 + "|",
    ]
    for name, row in rows.items():
        gains = "; ".join(f"{gain:.3f}" for gain in row["gains"])
        reached, spent = f"about {row['steps'] / 1e6:.2g} million", f"{row['seconds']:.0f} s"
        asked = f"{LEARNERS[name][1] / 1e6:g} million"
        cells = (f"`{name}`", asked, reached, f"{row['exploitability']:.3f}", f"{row['value']:.3f}", gains, spent)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


WRITERS = {"boards": _boards, "solving": _solving, "learning": _learning}


def main() -> None:
    publish("phantom", measure, sections)


if __name__ == "__main__":
    main()
