"""Spots that tests share: those of other programs if their files are present, and small ones."""

import json
from functools import cache
from pathlib import Path

import pytest

import tefuda as td
from tefuda.holdem.betting import Betting, Street, read_sizes
from tefuda.holdem.kernels import arrays
from tefuda.holdem.spots.solver import HandSolver, evaluate_strategy
from tefuda.holdem.spots.spot import make_spot, read_spot

DATA = Path(__file__).parents[3] / "shared" / "data" / "holdem"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the spots of other programs are not beside this checkout")
RIVERS = ("river_std", "river_std_rake", "river_any")


def spot_of(name):
    return read_spot(DATA / f"{name}.txt")


@cache
def result_of(name):
    return json.loads((DATA / f"{name}.json").read_text())


#: A deck of ten cards: from the flop, 210 pairs of hands, and two isomorphic suits.
TINY = {
    "board": "2c 3c 4c", "deck": "2c3c4c5c2d3d4d2h3h4h", "pot": 10, "stack": 20, "oop": "2d2h,43,5c4d:0.5,5c4h:0.5",
    "ip": "3d3h,44,5c2d,5c2h,3d2d:0.3,3h2h:0.3", "bets": "a", "raises": "", "flop_bet": "50%,a", "river_bet": "50%",
}  # fmt: skip
#: A textbook river as options of the command line: 75 chips to OOP.
TOY = ("--board", "Ts3h2h5c9s", "--pot", 100, "--stack", 100, "--oop", "AA,QQ", "--ip", "KK", "--bets", "a")


def tiny(**changes):
    given = {**TINY, **changes}
    board = {given["board"].replace(" ", "")[place : place + 2] for place in range(0, 10, 2)} - {""}
    for name in ("oop", "ip"):  # hands that share a card with the board must not be named
        parts = given[name].split(",")
        given[name] = ",".join(one for one in parts if not {one[:2], one[2:4]} & board)
    return make_spot(**given)


def limit_betting(pot, stack, cap=4):
    """Return limit hold'em with bets of 10 on the flop and 20 later."""
    streets = tuple(Street(read_sizes(chips), read_sizes(chips)) for chips in ("10c", "20c", "20c"))
    return Betting(pot, stack, streets, cap)


def check_as_tree(game, solver):
    """Check values, best responses and NashConv after 30 iterations on the generic tree."""
    solver.advance(30)
    strategy = solver.average()
    tree = td.compile_game(game)
    profile = td.Profile.from_function(tree, strategy.strategy)
    best = [td.best_response(profile, player).value for player in (0, 1)]
    pot = game.spot.betting.pot
    assert evaluate_strategy(strategy)[0] == pytest.approx([value + pot / 2 for value in td.values(profile)], abs=1e-9)
    assert [strategy.value(player, arrays.BEST) for player in (0, 1)] == pytest.approx(best, abs=1e-9)
    assert -best[1] - 1e-9 <= td.solve(tree, "lp").values[0] <= best[0] + 1e-9
    assert evaluate_strategy(strategy)[1] < evaluate_strategy(HandSolver(solver.compiled).average_so_far())[1] / 2
