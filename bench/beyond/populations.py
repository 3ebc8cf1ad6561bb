"""Parts of `bench.beyond`: rounds of double oracle beside known ones, and a race to NashConv 1e-3."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import tefuda as td
from bench.pairs import met, table

_GOAL = 1e-3
_ROUNDS = 400  # at most, as in the computed figures
_PEER_SECONDS = 60.0  # of OpenSpiel's PSRO
_PRINTED = 1e-6  # the asked NashConvs have six digits after the point


class Oracle(NamedTuple):
    """Computed figures of a game: its value, rounds of both methods, and first NashConvs over plans."""

    title: str
    game: str
    parameters: dict[str, Any]
    value: float
    plans: str
    sequences: str
    first: tuple[float, ...] = ()


ORACLES = (
    Oracle("Kuhn", "kuhn", {}, -1 / 18, "8", "5", (2, 2.5, 1, 1 / 3, 0.23, 2 / 9, 0.135417)),
    Oracle(
        "Kuhn, 13 cards", "kuhn", {"cards": 13}, -5 / 78, "12", "4 or 5",
        (2, 1.538462, 0.544872, 0.310566, 0.207106, 0.145466),
    ),
    Oracle(
        "battleship 1×3", "battleship", {"width": 3, "height": 1, "ships": [1], "values": [1], "shots": 2}, 2 / 9,
        "29 or 31", "24 or 30", (2, 2, 2, 2, 2, 2, 1.5, 2),
    ),
    Oracle("goofspiel 4", "goofspiel", {"cards": 4}, 0, "42", "34"),
    Oracle("Leduc", "leduc", {}, -0.0856064, "380", "24"),
    Oracle("liar's dice 4", "liars_dice", {"sides": 4}, 1 / 16, ".060 after 400", "59"),
    Oracle("battleship_22_3", "battleship_22_3", {}, 5 / 8, ".57 after 400", "286"),
)  # fmt: skip
#: Games of the race, by title.
RACED = {
    "goofspiel 4": ("goofspiel", {"cards": 4}),
    "Leduc": ("leduc", {}),
    "battleship_22_3": ("battleship_22_3", {}),
    "generalised matching pennies": ("generalised_matching_pennies", {}),
}
RACERS = (
    td.METHODS["double-oracle"], td.METHODS["sdo"], td.METHODS["xdo"], td.METHODS["cfr+"],
    replace(td.METHODS["lp"], off_path="any"),
)  # fmt: skip


def solved(tree: td.Tree, method: td.Method, until: float, iterations: int) -> dict[str, Any]:
    """Return a solve as JSON values: rounds, NashConv, value, curve, and CPU seconds."""
    start = time.process_time()
    solution = td.solve(tree, method, until=until, iterations=iterations)
    seconds = time.process_time() - start
    curve = [point.figure for point in solution.curve]
    figures = {"rounds": solution.iterations, "conv": solution.nash_conv, "value": solution.values[0]}
    return {**figures, "seconds": seconds, "curve": curve[:10]}


def measure_oracles() -> dict[str, Any]:
    """Return rounds to NashConv 1e-9 by game and method."""
    found: dict[str, Any] = {}
    for oracle in ORACLES:
        tree = td.compile_game(td.load_game(oracle.game, **oracle.parameters))
        found[oracle.title] = {name: solved(tree, td.METHODS[name], 1e-9, _ROUNDS) for name in ("double-oracle", "sdo")}
    return found


def oracles_table(found: dict[str, Any]) -> str:
    rows = []
    for oracle in ORACLES:
        for name, asked in (("double-oracle", oracle.plans), ("sdo", oracle.sequences)):
            ours = found[oracle.title][name]
            ended = ours["conv"] <= 1e-9
            first = _same(oracle.first, ours["curve"]) if name == "double-oracle" and oracle.first else ""
            rounds = f"{ours['rounds']}" if ended else f"{ours['conv']:.3f} after {ours['rounds']}"
            value = met(abs(ours["value"] - oracle.value) < _PRINTED) if ended else ""
            rows.append((oracle.title, f"`{name}`", asked, rounds, value, first, f"{ours['seconds']:.2g} s"))
    return table("game|method|rounds, computed|ours|value met|first NashConvs met|CPU", rows)


def _same(asked: Sequence[float], ours: Sequence[float]) -> str:
    """Return the number of first figures that are equal, of those asked."""
    equal = [abs(want - got) < _PRINTED for want, got in zip(asked, ours, strict=False)]
    return f"{([*equal, False]).index(False)} of {len(asked)}"


def measure_race() -> dict[str, Any]:
    """Return rounds and CPU seconds to NashConv 1e-3 by game and method."""
    found: dict[str, Any] = {}
    for title, (game, parameters) in RACED.items():
        tree = td.compile_game(td.load_game(game, **parameters))
        for method in RACERS:
            td.solve(tree, method, iterations=2)  # loads kernels and libraries
        found[title] = {
            method.name: solved(tree, method, _GOAL, 100_000 if method.name == "cfr+" else _ROUNDS) for method in RACERS
        }
    return found


def measure_psro() -> dict[str, Any]:
    """Return PSRO's rounds and CPU seconds on Leduc, to NashConv .1 or a number of rounds, by meta-solver."""
    tree = td.compile_game(td.load_game("leduc"))
    limits = {"nash": 400, "uniform": 100, "prd": 20, "regret-matching": 30, "alpha-rank": 10}
    return {meta: solved(tree, td.solvers.PSRO(meta=meta), 0.1, rounds) for meta, rounds in limits.items()}


def psro_table(found: dict[str, Any]) -> str:
    rows = [
        (f"`{meta}`", f"{ours['rounds']}", f"{ours['conv']:.3f}", f"{ours['seconds']:.2g} s", met(ours["conv"] <= 0.1))
        for meta, ours in found.items()
    ]
    return table("meta-solver|rounds|NashConv|CPU|below .1", rows)


def measure_peer() -> list[list[Any]]:
    """Return simulations of a payoff, rounds, NashConv and CPU seconds of PSRO on Leduc, beside OpenSpiel."""
    import pyspiel
    from open_spiel.python.algorithms import exploitability, policy_aggregator
    from open_spiel.python.algorithms.psro_v2 import best_response_oracle, psro_v2

    _use_highs()
    game, rows = pyspiel.load_game("leduc_poker"), list[list[Any]]()
    for simulations in (1000, 100):
        start, rounds = time.process_time(), 0
        oracle = best_response_oracle.BestResponseOracle(game=game)
        solver = psro_v2.PSROSolver(
            game, oracle, simulations, meta_strategy_method="nash", training_strategy_selector="probabilistic",
            sample_from_marginals=True,
        )  # fmt: skip
        while time.process_time() - start < _PEER_SECONDS:
            solver.iteration()
            rounds += 1
        spent, policies = time.process_time() - start, (solver.get_policies(), solver.get_meta_strategies())
        mixed = policy_aggregator.PolicyAggregator(game).aggregate(range(2), *policies)
        rows.append(["OpenSpiel", f"{simulations:,}", rounds, exploitability.nash_conv(game, mixed), spent])
    ours = solved(td.compile_game(td.load_game("leduc")), td.solvers.PSRO(), 0.1, _ROUNDS)
    return [*rows, ["tefuda", "exact", ours["rounds"], ours["conv"], ours["seconds"]]]


def _use_highs() -> None:
    """Let OpenSpiel solve its tables by HiGHS in place of ECOS."""
    import cvxpy
    from open_spiel.python.algorithms.lp_solver import LinearProgram

    LinearProgram.solve.__defaults__ = (cvxpy.HIGHS, {})


def peer_table(rows: list[list[Any]]) -> str:
    shown = [(*names, f"{conv:.3f}", f"{spent:.2g} s", met(conv <= 0.1)) for *names, conv, spent in rows]
    return table("program|simulations of a payoff|rounds|NashConv|CPU|below .1", shown)


def race_table(found: dict[str, Any]) -> str:
    rows = []
    for title, methods in found.items():
        cells = [
            f"{ours['seconds']:.2g} s ({ours['rounds']:,})" if ours["conv"] <= _GOAL else
            f"{ours['conv']:.2g} after {ours['rounds']} ({ours['seconds']:.2g} s)"
            for ours in methods.values()
        ]  # fmt: skip
        rows.append((title, *cells))
    return table("game|" + "|".join(f"`{method.name}`" for method in RACERS), rows)
