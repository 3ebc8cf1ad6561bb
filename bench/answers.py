"""Figures of docs/answers.md: sensible answers, ranges over all equilibria, all equilibria of tables.

``--write`` saves them in bench/results/answers.json and writes the tables, ``--render`` only the tables of the saved
ones. CPU times of one core. The figures asked for come from another program ("computed") or from papers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import tefuda as td
from bench import endgames
from bench.pairs import Sections, dated, pin_to_one_core, publish
from tefuda.forms.sequence import sequence_form
from tefuda.solvers.exact.lp import payoff_matrix, plan_of
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
#: Games, and numbers of sequences that are fixed for players 0 and 1, computed with a slack of 1e-9 of the value.
RANGES = (
    ("Kuhn", "kuhn", {}, (5, 13)),
    ("Kuhn, 13 cards", "kuhn", {"cards": 13}, (17, 45)),
    ("Leduc", "leduc", {}, (128, 101)),
    ("goofspiel 4", "goofspiel", {"cards": 4}, (137, 137)),
    ("liar's dice 4", "liars_dice", {"sides": 4}, (993, 96)),
)
SLACK = 1e-9


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


FALLING = 1e-2, 1e-6  # the first and the last floor
FIXED = (14_000, 56_000, 400_000)  # iterations of DCFR with the last floor


def perturbed_gap(profile: td.Profile, floor: float) -> float:
    """Return the sum of both players' gains in the game with trembles, by best responses that tremble too."""
    tree, gap = profile.tree, 0.0
    form, matrix = sequence_form(tree), payoff_matrix(sequence_form(tree))
    x, y = (plan_of(profile.mixed(td.Profile.uniform(tree), floor), player) for player in (0, 1))
    for player, utility in enumerate((matrix @ y, -(matrix.T @ x))):
        gap -= float(utility @ (x, y)[player])
        for parents, actions in reversed(form.groups_of(player)):
            after = utility[actions]
            np.add.at(utility, parents, (1 - floor) * after.max(axis=0) + floor * after.mean(axis=0))
        gap += float(utility[0])
    return gap


def halved_floors(tree: td.Tree, every: int) -> tuple[td.Profile, int]:
    """Return the answer and the iterations of DCFR whose floor is halved when the gap is small."""
    floor, last = FALLING
    solver, total = td.make_solver(tree, replace(td.METHODS["dcfr"], floor=floor)), 0
    while True:
        solver.advance(every)
        total += every
        answer = solver.average()
        if perturbed_gap(answer, floor) < floor * np.ptp(tree.payoffs):
            if floor <= last:
                return answer, total
            floor = max(floor / 2, last)
            following = td.make_solver(tree, replace(td.METHODS["dcfr"], floor=floor))
            following.restore(solver.state())
            solver = following


def falling() -> list[list[Any]]:
    tree, rows = td.compile_game(td.load_game("leduc")), list[list[Any]]()
    method = replace(td.METHODS["dcfr"], floor=FALLING[1])
    works: list[Callable[[], tuple[td.Profile, int]]] = [partial(halved_floors, tree, every) for every in (500, 2000)]
    works += [lambda count=count: (solved(tree, method, count), count) for count in FIXED]
    for work, name in zip(works, ("halved", "halved", "fixed", "fixed", "fixed"), strict=True):
        (profile, count), spent = timed(work)
        judged = td.evaluating.off_path_regret(profile, FALLING[1])
        rows.append([name, count, td.nash_conv(profile), judged.largest, spent])
    return rows


def ranges() -> list[list[Any]]:
    rows = []
    for _, name, options, _ in RANGES:
        tree, cells = td.compile_game(td.load_game(name, **options)), []
        for player in (0, 1):
            found, spent = timed(partial(td.solvers.ranges, tree, player))
            loose = td.solvers.ranges(tree, player, exact=False, slack=SLACK).fixed
            cells.append([found.plans.shape[1], loose, found.fixed, found.never, str(found.widest), spent])
        rows.append(cells)
    return rows


def measure() -> dict[str, Any]:
    pin_to_one_core()
    games = {name: refined(make) for name, (make, _) in REFINED.items()}
    every, spent = timed(lambda: td.solvers.equilibria(von_stengel()))
    some, along = timed(lambda: td.solvers.equilibria(von_stengel(), "lemke-howson"))
    tables = {"all": [len(every.extreme), *every.vertices, spent], "some": [len(some.extreme), along]}
    rest = {"off_path": off_path(), "falling": falling(), "ranges": ranges(), "tables": tables}
    return {"refined": games, **rest, **endgames.measure()}


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


def _falling(rows: list[list[Any]]) -> str:
    lines = ["| floor of `dcfr` | iterations | NashConv | largest regret at trembles of 1e-6 | CPU |", "|---" * 5 + "|"]
    names = {"halved": "0.01, halved to 1e-6", "fixed": "1e-6"}
    for name, count, conv, regret, spent in rows:
        lines.append(f"| {names[name]} | {count:,} | {conv:.1e} | {regret:.2g} | {spent:.2g} s |")
    return "\n".join(lines)


def _ranges(rows: list[list[Any]]) -> str:
    names = "game, player", "sequences", "fixed to 1e-9 (computed)", "ours", "fixed", "never played", "widest", "CPU"
    lines = ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]
    for (name, _, _, asked), cells in zip(RANGES, rows, strict=True):
        for player, (sequences, loose, fixed, never, widest, spent) in enumerate(cells):
            wide = widest if "/" in widest else f"{float(widest):.3g}"
            parts = (f"{name}, {player}", sequences, asked[player], loose, fixed, never, wide, f"{spent:.2g} s")
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


WRITERS = {
    "refined": _refined, "off_path": _off_path, "falling": _falling, "ranges": _ranges, "tables": _tables,
    **endgames.WRITERS,
}  # fmt: skip


def main() -> None:
    publish("answers", measure, sections)


if __name__ == "__main__":
    main()
