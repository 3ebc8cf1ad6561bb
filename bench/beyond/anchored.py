"""Parts of `bench.beyond`: last iterates of anchored methods."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import tefuda as td
from bench.pairs import compare, markdown, met, rows_of, table
from tefuda.solvers import Mirror

#: Methods of `last`, with the passes (gathers of one player's leaves) of an iteration for each player.
LAST = {
    "cfr+": 1, "ema": 1, "rtcfr+": 1, "rtpcfr+": 1, "mmd-exact": 2, "omd": 1, "omd-euclid": 1, "oomd": 1, "r-nad": 3,
    "neurd": 1,
}  # fmt: skip
PASSES = (100, 1000, 5000)  # of each player
STANDARD = {
    "Kuhn": ("kuhn", {}), "Leduc": ("leduc", {}), "battleship_22_3": ("battleship_22_3", {}),
    "liar's dice 4": ("liars_dice", {"sides": 4}),
}  # fmt: skip
#: Fixed points of mirror descent: title, values, magnet, reference, (value to player 0, NashConv, bet with the jack).
FIXED = [
    ("agent form, rationality 5", "conditional", 0.2, 0, (-0.046036554972, 0.0871473964, 0.1922143025)),
    ("agent form, rationality 20", "conditional", 0.05, 0, (-0.056969023069, 0.0144020758, 0.1951368501)),
    ("reduced form, rationality 5", "dilated", 0.2, 0, (0.013461375066, 0.3184506079, 0.3380626066)),
    ("reduced form, rationality 20", "dilated", 0.05, 0, (-0.028715083346, 0.0924545637, 0.1868016237)),
    ("plans, uniform reference, magnet .2", "dilated", 0.2, 10**9, (-0.012695646339, None, 0.448448986674)),
]


def measure_anchored() -> dict[str, Any]:
    """Return fixed points of mirror descent on Kuhn, and NashConv of last iterates and averages by passes."""
    kuhn, points = td.compile_game(td.load_game("kuhn")), []
    for _, values, magnet, every, _ in FIXED:  # half the range of payoffs is 2
        rule = Mirror(0.5, values=values)
        solver = td.make_solver(kuhn, replace(td.METHODS["mmd-exact"], rule=rule, magnet=magnet / 2, every=every))
        solver.advance(20_000)
        profile = solver.current()
        points.append([td.evaluate(profile).values[0], td.nash_conv(profile), profile["0: J|"]["b"]])
    results: dict[str, Any] = {}
    for name, (game, parameters) in STANDARD.items():
        tree, results[name] = td.compile_game(td.load_game(game, **parameters)), {}
        for method, cost in LAST.items():
            solver, results[name][method] = td.make_solver(tree, method), []
            for passes in PASSES:
                solver.advance(passes // cost - solver.iterations)
                results[name][method].append([td.nash_conv(solver.current()), td.nash_conv(solver.average())])
    return {"points": points, "games": results, "rows": [measure_mirror(kuhn)]}


def measure_mirror(kuhn: td.Tree) -> dict[str, Any]:
    """Return paired timings of iterations of mirror descent over plans, beside OpenSpiel."""
    import pyspiel
    from open_spiel.python.algorithms import exploitability, mmd_dilated

    game, method = pyspiel.load_game("kuhn_poker"), replace(td.METHODS["mmd-exact"], rule=Mirror(1.0), magnet=0.1)
    theirs, ours = mmd_dilated.MMDDilatedEnt(game, alpha=0.2, stepsize=0.5), td.make_solver(kuhn, method)
    for _ in range(20):
        theirs.update_sequences()
    ours.advance(20)
    gap = 2 * exploitability.exploitability(game, theirs.get_policies())
    assert abs(gap - td.nash_conv(ours.current())) < 1e-12
    return vars(
        compare(
            "Iteration of mirror descent over plans, Kuhn",
            lambda count: [theirs.update_sequences() for _ in range(count)],
            ours.advance,
        )
    )


def anchored_table(results: dict[str, Any]) -> str:
    rows: list[tuple[Any, ...]] = []
    kinds = (("value to player 0", 12), ("NashConv", 10), ("0 bets with the jack", 10))
    for (title, *_, asked), found in zip(FIXED, results["points"], strict=True):
        for (kind, digits), want, ours in zip(kinds, asked, found, strict=True):
            if want is not None:
                shown = f"{want:.{digits}f}", f"{ours:.{digits}f}"
                rows.append((title, kind, *shown, met(abs(want - ours) < 0.6 * 10.0**-digits)))
    fixed = table("fixed point on Kuhn|figure|asked (computed)|ours|met", rows)
    rows = []
    for game in STANDARD:
        for method, pairs in results["games"][game].items():
            rows.append((game, f"`{method}`", *(f"{last:.1e}, {average:.1e}" for last, average in pairs)))
    heads = "|".join(f"{passes:,} passes" for passes in PASSES)
    times = markdown(rows_of(results), ("OpenSpiel", "tefuda"))
    return f"{fixed}\n\n{table(f'game|method|{heads}', rows)}\n\n{times}"
