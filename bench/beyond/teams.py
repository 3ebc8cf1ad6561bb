"""Parts of `bench.beyond`: values of teams against an adversary, each oracle beside ours."""

from __future__ import annotations

import time
from typing import Any

import tefuda as td
from bench.pairs import met, table
from tefuda.correlating.teams import Team, TeamSolver
from tests.known_teams import VALUES

_SECONDS = 20.0  # of a row
#: Game, parameters, adversary, and the asked team value; the last ones are of arXiv 2109.05284 to three digits.
ROWS: list[tuple[str, dict[str, int], int | None, float]] = [
    *(
        ("kuhn", {"cards": cards}, seat, float(value))
        for (cards, seat), value in VALUES.items()
        if value is not None and cards > 3
    ),
    ("kuhn", {"cards": 3}, 2, 0.0),
    ("chsh", {}, None, 1.5),
    ("tiny_hanabi", {}, None, 20.0),
]
BELIEVED: list[tuple[str, dict[str, int], int | None, float]] = [
    *(("kuhn", {"cards": cards}, 2, value) for cards, value in ((6, -0.024), (8, -0.019), (12, -0.014))),
    *(
        ("leduc", {"cap": bets, "ranks": ranks, "suits": suits}, 2, value)
        for bets, ranks, suits, value in (
            (1, 3, 3, 0.215), (1, 4, 3, 0.107), (1, 5, 1, -0.019), (1, 5, 3, 0.024), (2, 2, 3, 0.516),
            (5, 2, 3, 0.953),
        )
    ),
    *(("liars_dice", {"sides": sides}, 2, value) for sides, value in ((2, 0.250), (3, 0.284), (4, 0.284))),
]  # fmt: skip


def measure_teams() -> list[list[Any]]:
    """Return lower and upper bound, number of joint plans and seconds of each row, by column generation."""
    rows = []
    for number, (name, parameters, adversary, _) in enumerate([*ROWS, *BELIEVED]):
        players = {"players": 3} if adversary is not None else {}
        tree = td.compile_game(td.load_game(name, **players, **parameters))
        for pricing in ("plans", "milp") if number < len(ROWS) else ("auto",):
            start = time.perf_counter()
            solver = TeamSolver(tree, Team(adversary=adversary, pricing=pricing))
            while not solver.finished and time.perf_counter() - start < _SECONDS:
                solver.advance(1)
            rows.append([pricing, *solver.bounds, len(solver.joint_plans()), time.perf_counter() - start])
    return rows


def teams_table(results: list[list[Any]]) -> str:
    named = [(row, way) for row in ROWS for way in ("plans", "milp")] + [(row, "auto") for row in BELIEVED]
    shown = []
    for ((name, parameters, adversary, asked), _), (way, low, high, plans, seconds) in zip(named, results, strict=True):
        believed, exact = way == "auto", low == high
        places = 3 if believed else 12
        game = f"{name} {', '.join(f'{key} {value}' for key, value in parameters.items())}".strip()
        near = abs(low - asked) < 0.51 * 10.0**-places if exact else low - 5e-4 <= asked <= high + 5e-4
        holds = met(near) if exact else "inside" if near else "no"
        seat = "none" if adversary is None else adversary
        shown.append(
            (game, seat, way, f"{asked:.{places}f}", f"{low:.9f}", f"{high:.9f}", plans, f"{seconds:.2g}", holds)
        )
    heads = "game|adversary|pricing|asked|device guarantees|upper bound|plans in the device|seconds|met"
    return table(heads, shown)
