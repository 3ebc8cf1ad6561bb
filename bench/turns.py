"""Predicted and measured cost of turns and rivers with full ranges, and of Libratus's endgames.

``python -m bench.turns`` prints the tables of docs/no-limit.md. Times are CPU seconds of solving; evaluations are not
counted. Spots and endgames are solved to a figure in percent of the pot, evaluated every ten iterations.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

import tefuda as td
from tefuda.holdem.betting import read_sizes
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.size import predict, size_of
from tefuda.holdem.spots.solver import Exploitability, HandSolver
from tefuda.holdem.spots.spot import Spot, make_spot

TURN, RIVER = "Ks 9h 6h 5d", "Ks 9h 6h 5d 2c"
#: Board, pot and stack in big blinds of 100 chips, bets, raises; all hands for both players.
SPOTS = (
    (TURN, 10, 95, "50,100,a", "100,a"),
    (TURN, 10, 95, "50,100,a", "a"),
    (TURN, 10, 195, "100,a", "100,a"),
    (TURN, 40, 80, "50,100,a", "100,a"),
    (RIVER, 20, 90, "50,100,a", "100,a"),
    (RIVER, 20, 90, "33,75,150,a", "50,100,a"),
)
#: Endgames with the target in percent of the pot and the CPU seconds allowed, twice those of an earlier measurement.
ENDGAMES = ((3, 0.1, 3.6), (4, 0.1, 0.068), (2, 0.1, 15.6))
#: Menus of endgame 1, the richest first, with seconds and memory to choose by, and the target and seconds allowed.
MENUS = (("50,100,a", "50,100,a"), ("100,a", "100,a"), ("100,a", "a"))
BUDGET, MEMORY, LARGE_TARGET, ALLOWED = 30.0, 1e9, 5.0, 120.0


class Cost(NamedTuple):
    """CPU seconds and iterations to a target."""

    seconds: float
    iterations: int


def cost(spot: Spot, target: float, most: int = 1500) -> Cost:
    """Return the cost of solving a spot to a target; after `most` iterations, raise."""
    solver, evaluator, spent = HandSolver(compile_spot(spot)), Exploitability(), 0.0
    while solver.iterations < most:
        start = time.process_time()
        solver.advance(10)
        spent += time.process_time() - start
        if evaluator.evaluate(solver).figure <= target:
            return Cost(spent, solver.iterations)
    raise RuntimeError(f"{spot.name}: {target} % of the pot was not reached in {most} iterations")


def menu_of_budget(spot: Spot) -> tuple[Spot, tuple[str, str]]:
    """Return the spot with the richest of `MENUS` whose prediction fits the budget, and the menu."""
    for bets, raises in MENUS:
        sizes = read_sizes(bets, "bets", False, 2), read_sizes(raises, "raises", True, 2)
        streets = tuple(replace(street, bets=sizes[0], raises=sizes[1]) for street in spot.betting.streets)
        sized = replace(spot, betting=replace(spot.betting, streets=streets))
        found = predict(sized)
        if found.seconds <= BUDGET and found.bytes <= MEMORY:
            return sized, (bets, raises)
    raise RuntimeError("no menu fits the budget")


def main() -> None:
    """Print both tables."""
    print("| board, pot, behind | bets / raises | nodes, MB | predicted to 1 % | measured |\n|---|---|---|---|---|")
    for board, pot, stack, bets, raises in SPOTS:
        spot = make_spot(board, 100 * pot, 100 * stack, "*", "*", bets, raises)
        size, before, after = size_of(spot), predict(spot), cost(spot, 1.0)
        print(
            f"| {'turn' if board == TURN else 'river'} {pot}, {stack} | {bets} / {raises} | {size.decisions:,}, "
            f"{size.bytes() / 1e6:.1f} | {before.seconds:.2g} s ({before.iterations}) | {after.seconds:.2g} s "
            f"({after.iterations}) |",
            flush=True,
        )
    print("| endgame | target | allowed | measured |\n|---|---|---|---|")
    for number, target, allowed in ENDGAMES:
        after = cost(td.load_game(f"subgame{number}").spot, target)
        print(f"| {number} | {target} % | {allowed} s | {after.seconds:.2g} s ({after.iterations:,}) |", flush=True)
    spot, menu = menu_of_budget(td.load_game("subgame1").spot)
    after = cost(spot, LARGE_TARGET)
    menu_text = " / ".join(menu)
    print(f"| 1, {menu_text} | {LARGE_TARGET} % | {ALLOWED:.0f} s | {after.seconds:.2g} s ({after.iterations}) |")


if __name__ == "__main__":
    main()
