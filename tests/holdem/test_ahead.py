"""Looking ahead to the end of a street: judged exactly as a whole, value by value."""

import numpy as np
import pytest

import tefuda as tf
from tefuda._kernels import holdem_arrays as arrays
from tefuda.holdem.ahead import Solved, Trunk, TrunkSolver, checked_down, look_ahead
from tefuda.holdem.cards import cards_text
from tefuda.holdem.compiled import compile_spot
from tefuda.holdem.equity import equity
from tefuda.holdem.game import game_of
from tefuda.holdem.solver import HandSolver, judged
from tefuda.holdem.spot import make_spot
from tests.holdem.spots import tiny

#: From the turn on, with a deck of twelve cards.
SPOT = {
    "board": "2c 3c 4d 2h", "deck": "2c3c4c5c2d3d4d5d2h3h4h5h", "pot": 10, "stack": 20, "oop": "55,54:0.5",
    "ip": "44:0.7,53,43", "bets": "50%,a", "raises": "a",
}  # fmt: skip


#: The same, and nobody bets on the river.
NOBODY = {**SPOT, "river_bet": "", "river_raise": ""}


def percent(strategy):
    return 100 * judged(strategy)[1] / 2 / strategy.compiled.spot.betting.pot


def test_exact_values_lose_nothing():
    """With what is below solved in every iteration the whole comes to an equilibrium; all-in equities do not."""
    spot = make_spot(**SPOT)
    exact, rough = look_ahead(spot, Solved(10), iterations=500, below=300), look_ahead(spot, iterations=100)
    assert percent(exact) < 0.05 and 0.1 < percent(rough) < 5
    assert judged(exact)[0][0] == pytest.approx(7.65748, abs=2e-3)  # as solved whole
    believing = look_ahead(spot, iterations=100, safe=False)
    assert percent(believing) > percent(rough)


LOCKS = ["Check/Bet(5) = Fold 54", "root = Bet(5) 55:0.5; Check 55:0.5"]


@pytest.mark.parametrize("changes", [{}, {"rake_rate": 0.1, "rake_cap": 3}, {"locks": LOCKS}])
def test_equities_are_exact_where_nobody_bets_later(changes):
    """With a rake and with locks as without: the street is solved by CFR over the rules, so is the whole."""
    spot = make_spot(**NOBODY, **changes)
    found = look_ahead(spot, checked_down, iterations=600, below=1, safe="rake_rate" not in changes)
    assert percent(found) < 0.05
    solver = HandSolver(game_of(spot))
    solver.advance(600)
    whole = solver.average()
    assert judged(found)[0] == pytest.approx(judged(whole)[0], abs=0.02)
    assert not changes or abs(judged(found)[0][0] - 7.65748) > 0.1


def test_what_is_locked_behind_the_street_is_done():
    """IP checks and gives up to every bet on the river: who looks ahead knows, and wins the pot with anything."""
    cards = ["3d", "4c", "5c", "5d", "3h", "4h", "5h", "2d"]
    bets = ("Bet(5)", "AllIn(20)")
    locks = ["Check = Check", *(f"Check/Check/{card}/{bet} = Fold" for card in cards for bet in bets)]
    spot = make_spot(**SPOT, locks=locks)
    found = look_ahead(spot, Solved(10), iterations=250, below=200)
    assert percent(found) < 0.2
    solver = HandSolver(game_of(spot))
    solver.advance(800)
    assert judged(found)[0][0] == pytest.approx(judged(solver.average())[0][0], abs=0.02)
    assert judged(found)[0][0] > 9.9  # 7.66 without
    for card in cards:
        assert found.frequencies(f"Check/Check/{card}/Bet(5)")["Fold"] == pytest.approx(1)
    assert found.frequencies("Check/Check/3d")["Check"] < 0.02


def test_a_rake_believes_the_ranges():
    """Behind the street each side's best is solved: about the values of the whole, nearer than equities come."""
    spot = make_spot(**SPOT, rake_rate=0.1, rake_cap=3)
    solver = HandSolver(game_of(spot))
    solver.advance(800)
    values = judged(solver.average())[0]
    exact, rough = (look_ahead(spot, one, iterations=120, below=150, safe=False) for one in (Solved(10), checked_down))
    assert judged(exact)[0] == pytest.approx(values, abs=0.05) and sum(values) < 10
    assert percent(exact) < percent(rough)


@pytest.mark.parametrize("board", ["Ts 3h 2h", "Ts 3h 2h 5c"])
def test_what_is_won_all_in(board):
    spot = make_spot(board, 100, 100, "AA,T9s:0.5", "KK,66", "a", "a")
    trunk = Trunk(compile_spot(spot))
    one, two = trunk.compiled.weights
    found = equity(*spot.ranges, cards_text(spot.board))
    assert one @ trunk.meets @ two == pytest.approx(spot.pairs)
    assert one @ trunk.won @ two / spot.pairs == pytest.approx(2 * found.first - 1, abs=1e-9)
    by_hand = (trunk.won @ two) / (trunk.meets @ two)
    hands = trunk.compiled.contexts[0].hands[0]
    assert by_hand == pytest.approx(2 * found.hands[0][hands] - 1, abs=1e-9)


def test_values_are_those_of_the_whole():
    """A trunk played uniformly, its ends valued by the whole's own strategies below: the root is worth what it is."""
    solver = HandSolver(game_of(make_spot(**SPOT)))
    uniform = solver.found()
    trunk = Trunk(solver.compiled)

    def values(node, ranges):
        below = trunk.below(node)
        strategy = type(uniform)(below, np.zeros(below.stored))
        return strategy.root_values(0, ranges=ranges), strategy.root_values(1, ranges=ranges)

    search = TrunkSolver(trunk, values)
    chosen = search.average()
    worth = search.worth(chosen, search.reach(chosen))[0]
    for player in (0, 1):
        assert worth[player] == pytest.approx(uniform.root_values(player), abs=1e-12)
    search.advance(1)
    weight = search.method.rules(1, 1)[0, arrays.WEIGHT]
    for line, player, before in (("", 0, 1), ("Check", 1, 1), ("Check/Bet(5)", 0, len(uniform.probabilities("")))):
        sums = search.sums[uniform.find(line).node].sum(axis=0)  # weighed by the own reach, not by the other's
        assert sums == pytest.approx(weight * trunk.compiled.weights[player] / before)


def test_from_the_flop_and_with_a_function_of_ones_own():
    """Worthless ends make one bet at once; what is solved does not."""
    asked = []

    def nothing(trunk):
        def values(node, ranges):
            asked.append(node)
            return 0 * ranges[0], 0 * ranges[1]

        return values

    spot = tiny(stack=5, oop="43,42,5c4d:0.5", ip="3d3h,44,52", flop_bet="50%")
    found = look_ahead(spot, Solved(3), iterations=60, below=60)
    own = look_ahead(spot, nothing, iterations=60, below=60)
    uniform = type(found)(found.compiled, np.zeros(found.compiled.stored))
    assert percent(found) < percent(own) < percent(uniform)
    trunk = Trunk(own.compiled)
    assert {*asked} <= {*trunk.ends} and all(trunk.street.half[node] < 5 + 5 for node in asked)  # not where all is in


def test_refused():
    for changes, why in (({"board": "2c 3c 4d 2h 3h"}, "no street behind"), ({"rake_rate": 0.1}, "safe=False")):
        with pytest.raises(tf.ParameterError, match=why):
            look_ahead(make_spot(**{**SPOT, **changes}))
    with pytest.raises(tf.ParameterError, match="iterations is 0"):
        look_ahead(make_spot(**SPOT), iterations=0)
    with pytest.raises(tf.ParameterError, match="iterations is 0"):
        Solved(0)
