"""Figures of docs/answers.md: sensible answers, ranges over all equilibria, all equilibria of tables.

``--write`` saves them in bench/results/answers.json and writes the tables, ``--render`` only the tables of the saved
ones. CPU times of one core. The figures asked for come from another program ("computed") or from papers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import tefuda as td
from bench import endgames
from bench.pairs import Sections, dated, pin_to_one_core, publish
from tests.small_games import GiftPennies, GuessTheAce, KuhnRaise
from tests.solvers.exact.test_equilibria import von_stengel

PAGE = "docs/answers.md"
#: Games, and the value with trembles of size eps that another program computed.
REFINED: dict[str, tuple[Callable[[], Any], str]] = {
    "gift pennies": (GiftPennies, "-1/2 + eps"),
    "guess the ace": (GuessTheAce, "-(12750/13) eps + (12500/13) eps^2"),
    "Kuhn": (lambda: td.load_game("kuhn"), "-1/18 + (7/18) eps - (1/3) eps^3"),
    "Kuhn with raises": (KuhnRaise, "-1/18 + (8/9) eps - (4/3) eps^2 ..."),
    "liar's dice, 3 sides": (lambda: td.load_game("liars_dice", sides=3), "1/9 - (8/9) eps ..."),
    "goofspiel 4": (lambda: td.load_game("goofspiel", cards=4), "0"),
    "Leduc": (lambda: td.load_game("leduc"), "not found"),
}
#: Answers: method, its options, iterations; computed figures on Kuhn with raises, guess the ace and Leduc.
ANSWERS = (
    ("lp", {"off_path": "any"}, 1, ("2.5 (6)", "961.5 (1)", "11.0 (129)")),
    ("lp", {"off_path": "auto"}, 1, ("", "", "")),
    ("lp", {"off_path": "floors"}, 1, ("", "", "at most .002")),
    ("cfr+", {}, 1000, (".845 (3)", "480.8 (1)", "3.82 (117)")),
    ("ema", {}, 1000, (".097 (1)", "480.8 (1)", "6.72 (84)")),
    ("pcfr+", {}, 1000, ("7e-4 (0)", "480.8 (1)", "4.38 (100)")),
    ("dcfr", {"floor": 1e-3}, 100_000, ("", "", "at most .002")),
)
#: Games, and the computed numbers of sequences that are fixed for players 0 and 1.
RANGES = (
    ("Kuhn", "kuhn", {}, (5, 13)),
    ("Kuhn, 13 cards", "kuhn", {"cards": 13}, (17, 45)),
    ("Leduc", "leduc", {}, (128, 101)),
    ("goofspiel 4", "goofspiel", {"cards": 4}, (137, 137)),
)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    return work(), time.process_time() - start


def shown(solution: td.solvers.ExactSolution) -> str:
    """Return the value with trembles, or the first three coefficients of a long one."""
    if solution.polynomial is None:
        return solution.reason
    text, parts = str(solution.polynomial), solution.polynomial.coefficients[:3]
    if len(text) <= 75:
        return text
    first = " ".join(f"{float(part):+.6g}{' eps' * (k > 0)}{f'^{k}' * (k > 1)}" for k, part in enumerate(parts))
    return f"about {first} ..."


def refined(make: Callable[[], Any]) -> dict[str, Any]:
    """Return the refined answer of a game, its value with trembles, and its off-path figures."""
    solution, spent = timed(lambda: td.exact_solution(make(), seconds=900))
    judged = td.evaluating.off_path_regret(solution.strategy)
    return {"value": shown(solution), "regret": judged.largest, "dominated": judged.dominated_count, "seconds": spent}


def solved(tree: td.Tree, method: td.Method, iterations: int) -> td.Profile:
    return td.solve(tree, method, iterations=iterations).strategy


def off_path() -> list[list[Any]]:
    trees = [td.compile_game(game) for game in (KuhnRaise(), GuessTheAce(), td.load_game("leduc"))]
    rows = []
    for name, options, iterations, _ in ANSWERS:
        method, cells = td.find_method(name, options), []
        for tree in trees:
            strategy, spent = timed(partial(solved, tree, method, iterations))
            judged = td.evaluating.off_path_regret(strategy)
            cells.append([judged.largest, judged.count, td.nash_conv(strategy), spent])
        rows.append(cells)
    return rows


def ranges() -> list[list[Any]]:
    rows = []
    for _, name, options, _ in RANGES:
        tree, cells = td.compile_game(td.load_game(name, **options)), []
        for player in (0, 1):
            found, spent = timed(partial(td.solvers.ranges, tree, player))
            cells.append([found.plans.shape[1], found.fixed, found.never, str(found.widest), spent])
        rows.append(cells)
    return rows


def measure() -> dict[str, Any]:
    pin_to_one_core()
    games = {name: refined(make) for name, (make, _) in REFINED.items()}
    every, spent = timed(lambda: td.solvers.equilibria(von_stengel()))
    some, along = timed(lambda: td.solvers.equilibria(von_stengel(), "lemke-howson"))
    tables = {"all": [len(every.extreme), *every.vertices, spent], "some": [len(some.extreme), along]}
    return {"refined": games, "off_path": off_path(), "ranges": ranges(), "tables": tables, **endgames.measure()}


def sections(results: dict[str, Any]) -> Sections:
    texts = {name: write(results[name]) for name, write in WRITERS.items()}
    return {(PAGE, f"answers {name}"): dated(text, results) for name, text in texts.items()}


def _refined(found: dict[str, Any]) -> str:
    lines = ["| game | value asked (computed) | ours | regret | dominated | CPU |", "|---|---|---|---|---|---|"]
    for name, (_, asked) in REFINED.items():
        one = found[name]
        cells = (name, asked, one["value"], f"{one['regret']:.2g}", one["dominated"], f"{one['seconds']:.2g} s")
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def _off_path(rows: list[list[Any]]) -> str:
    head = (
        "| answer | Kuhn with raises (15 infosets) | guess the ace (2) | Leduc (288) | NashConv on Leduc | CPU there |"
    )
    lines = [head, "|---" * 6 + "|"]
    for (name, options, iterations, asked), cells in zip(ANSWERS, rows, strict=True):
        given = "".join(f", `{key}={value}`" for key, value in options.items())
        count = f", {iterations:,} iterations" if iterations > 1 else ""
        shown = [
            f"{regret:.3g} ({number})" + (f"; asked {wanted}" if wanted else "")
            for (regret, number, _, _), wanted in zip(cells, asked, strict=True)
        ]
        last = f"{max(cells[-1][2], 0):.1e}", f"{cells[-1][3]:.2g} s"
        lines.append("| " + " | ".join((f"`{name}`{given}{count}", *shown, *last)) + " |")
    return "\n".join(lines)


def _ranges(rows: list[list[Any]]) -> str:
    lines = ["| game, player | sequences | fixed (computed) | ours | never played | widest | CPU |", "|---" * 7 + "|"]
    for (name, _, _, asked), cells in zip(RANGES, rows, strict=True):
        for player, (sequences, fixed, never, widest, spent) in enumerate(cells):
            wide = widest if "/" in widest else f"{float(widest):.3g}"
            parts = (f"{name}, {player}", sequences, asked[player], fixed, never, wide, f"{spent:.2g} s")
            lines.append("| " + " | ".join(map(str, parts)) + " |")
    return "\n".join(lines)


def _tables(found: dict[str, list[Any]]) -> str:
    count, one, two, spent = found["all"]
    some, along = found["some"]
    return "\n".join(
        [
            "| program | equilibria | time |",
            "|---|---|---|",
            "| published (von Stengel 1999) | 75 | |",
            "| Gambit, `enummixed` (computed) | 75 | .3 s |",
            f"| tefuda, `equilibria` ({one} and {two} vertices) | {count} | {spent:.2g} s |",
            "| Nashpy 0.0.43, vertex enumeration (computed) | 505 | |",
            "| Nashpy 0.0.43, support enumeration (computed) | 10 | |",
            f'| tefuda, `equilibria(..., "lemke-howson")`, 12 labels | {some} | {along:.2g} s |',
            "| Lemke-Howson from 12 labels (computed) | 2 | |",
        ]
    )


WRITERS = {"refined": _refined, "off_path": _off_path, "ranges": _ranges, "tables": _tables, **endgames.WRITERS}


def main() -> None:
    publish("answers", measure, sections)


if __name__ == "__main__":
    main()
