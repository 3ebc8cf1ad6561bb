"""Depth-limited solving of the first street: evaluated exactly as a whole, value by value."""

from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.cards import cards_text
from tefuda.holdem.equities import equity
from tefuda.holdem.kernels import arrays
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.depth_limited import SolvedValues, StreetTrunk, TrunkSolver, depth_limited, equity_values
from tefuda.holdem.spots.solver import DEFAULT, METHODS, HandSolver, evaluate_strategy
from tefuda.holdem.spots.spot import make_spot
from tefuda.holdem.spots.subgame import RangeSolver
from tefuda.holdem.spots.traversal import Traversal
from tests.conftest import refused
from tests.holdem.known_spots import tiny

#: From the turn on, with a deck of twelve cards.
SPOT = {
    "board": "2c 3c 4d 2h", "deck": "2c3c4c5c2d3d4d5d2h3h4h5h", "pot": 10, "stack": 20, "oop": "55,54:0.5",
    "ip": "44:0.7,53,43", "bets": "50%,a", "raises": "a",
}  # fmt: skip


#: The same, without bets on the river.
NOBODY = {**SPOT, "river_bet": "", "river_raise": ""}


def percent(strategy):
    return 100 * evaluate_strategy(strategy)[1] / 2 / strategy.compiled.spot.betting.pot


def test_exact_values_lose_nothing():
    """Solved leaf values converge to an equilibrium of the whole spot; all-in equities do not."""
    spot = make_spot(**SPOT)
    exact, rough = depth_limited(spot, SolvedValues(10), iterations=300, below=300), depth_limited(spot, iterations=100)
    assert percent(exact) < 0.005 and 0.1 < percent(rough) < 5
    assert evaluate_strategy(exact)[0][0] == pytest.approx(7.65748, abs=2e-3)  # as solved whole


LOCKS = ["Check/Bet(5) = Fold 54", "root = Bet(5) 55:0.5; Check 55:0.5"]


@pytest.mark.parametrize("changes", [{}, {"rake_rate": 0.1, "rake_cap": 3}, {"locks": LOCKS}])
def test_equities_are_exact_without_later_bets(changes):
    """With a rake and with locks the street equals CFR over the rules, and so does the whole."""
    spot = make_spot(**NOBODY, **changes)
    found = depth_limited(spot, equity_values, iterations=600, below=1, safe="rake_rate" not in changes)
    assert percent(found) < 0.05
    solver = HandSolver(compile_spot(spot))
    solver.advance(600)
    whole = solver.average()
    assert evaluate_strategy(found)[0] == pytest.approx(evaluate_strategy(whole)[0], abs=0.02)
    assert not changes or abs(evaluate_strategy(found)[0][0] - 7.65748) > 0.1


def test_locks_behind_the_street_are_played():
    """IP checks and folds to every bet on the river: depth-limited solving exploits it with any hand."""
    cards = ["3d", "4c", "5c", "5d", "3h", "4h", "5h", "2d"]
    bets = ("Bet(5)", "AllIn(20)")
    locks = ["Check = Check", *(f"Check/Check/{card}/{bet} = Fold" for card in cards for bet in bets)]
    spot = make_spot(**SPOT, locks=locks)
    found = depth_limited(spot, SolvedValues(10), iterations=250, below=200)
    assert percent(found) < 0.2
    solver = HandSolver(compile_spot(spot))
    solver.advance(800)
    assert evaluate_strategy(found)[0][0] == pytest.approx(evaluate_strategy(solver.average())[0][0], abs=0.02)
    assert evaluate_strategy(found)[0][0] > 9.9  # 7.66 without locks
    for card in cards:
        assert found.frequencies(f"Check/Check/{card}/Bet(5)")["Fold"] == pytest.approx(1)
    assert found.frequencies("Check/Check/3d")["Check"] < 0.02


def test_a_rake_believes_the_ranges():
    """Solved later streets come nearer to the whole spot's values than equities."""
    spot = make_spot(**SPOT, rake_rate=0.1, rake_cap=3)
    solver = HandSolver(compile_spot(spot))
    solver.advance(800)
    values = evaluate_strategy(solver.average())[0]
    exact, rough = (
        depth_limited(spot, one, iterations=120, below=150, safe=False) for one in (SolvedValues(10), equity_values)
    )
    assert evaluate_strategy(exact)[0] == pytest.approx(values, abs=0.05) and sum(values) < 10
    assert percent(exact) < percent(rough)


@pytest.mark.parametrize("board", ["Ts 3h 2h", "Ts 3h 2h 5c"])
def test_values_won_all_in(board):
    spot = make_spot(board, 100, 100, "AA,T9s:0.5", "KK,66", "a", "a")
    trunk = StreetTrunk(compile_spot(spot))
    one, two = trunk.compiled.weights
    found = equity(*spot.ranges, cards_text(spot.board))
    assert one @ trunk.compatible @ two == pytest.approx(spot.pairs)
    assert one @ trunk.advantage @ two / spot.pairs == pytest.approx(2 * found.first - 1, abs=1e-9)
    by_hand = (trunk.advantage @ two) / (trunk.compatible @ two)
    hands = trunk.compiled.contexts[0].hands[0]
    assert by_hand == pytest.approx(2 * found.hands[0][hands] - 1, abs=1e-9)


@pytest.mark.parametrize("changes", [{}, {"rake_rate": 0.1, "rake_cap": 3}])
@pytest.mark.parametrize("given, equities", [(SPOT, False), (NOBODY, True)])
def test_values_are_those_of_the_whole(given, equities, changes):
    """A uniform trunk with values of the whole spot's strategies has the whole spot's value at the root.

    Without bets on the river these values are all-in equities.
    """
    solver = HandSolver(compile_spot(make_spot(**given, **changes)))
    uniform = solver.average_so_far()
    trunk = StreetTrunk(solver.compiled)

    def values(node, ranges, player):
        below = trunk.spot_below(node)
        traversal = Traversal(below, "float64")
        traversal.set_ranges(ranges)
        traversal.evaluate(player, arrays.AVERAGE, np.zeros(below.stored))
        return traversal.work.value[0, : len(ranges[player])].copy()

    search = TrunkSolver(trunk, equity_values(trunk) if equities else values)
    chosen = search.average()
    for player in (0, 1):
        worth = search.node_values(chosen, search.reach(chosen), player)[0]
        assert worth == pytest.approx(uniform.root_values(player), abs=1e-12)


def test_learning_in_turns_equals_the_solver():
    """Below an end each player learns in turn; with the spot's ranges that is an iteration of the solver."""
    compiled = compile_spot(make_spot(**{**SPOT, "board": "2c 3c 4d 2h 5c"}))
    with_ranges, solver = RangeSolver(compiled, DEFAULT), HandSolver(compiled)
    for _ in range(6):
        for player in (0, 1):
            with_ranges.learn(player, compiled.weights, 1)
    solver.advance(6)
    for name, own in solver.state().items():
        assert name == "iterations" or np.array_equal(with_ranges.state()[name], own)


#: Weights for which no two actions of a hand have equal values.
UNEVEN = {**SPOT, "oop": "55:0.91,54:0.53,53:0.37", "ip": "44:0.71,53:0.83,43:0.47"}


@pytest.mark.parametrize("changes", [{}, {"locks": ["Check/Bet(5) = Fold 54"]}, {"rake_rate": 0.1, "rake_cap": 3}])
def test_a_trunk_and_its_subgames_are_the_whole(changes):
    """With one iteration below each end in each trunk iteration, results equal the solver of whole spots.

    Two iterations agree exactly. Later ones differ where two actions on a river have equal values up to rounding.
    """
    spot, method = make_spot(**UNEVEN, **changes), replace(DEFAULT, precision="double")
    trunk = StreetTrunk(compile_spot(spot))
    search, solver = TrunkSolver(trunk, SolvedValues(1, method)(trunk), method), HandSolver(compile_spot(spot), method)
    search.advance(2)
    solver.advance(2)
    chosen, whole = search.average(), solver.average()
    assert len(chosen) > 3
    reach = search.reach(chosen)
    for node, shares in chosen.items():
        player = int(trunk.street.kind[node])
        comes, hands = reach[node][player] > 1e-6, trunk.compiled.contexts[0].hands[player]
        found = np.stack(list(whole.probabilities("/".join(trunk.street.line_of(node))).values()))
        assert comes.any() and shares[:, comes] == pytest.approx(found[:, hands[comes]], abs=1e-9)


@pytest.mark.parametrize("method", ["dcfr-3", "cfr+quadratic"])
def test_values_of_ends_are_their_mean_over_iterations(method):
    """All-in values are linear in the opponent's range: their mean is the value of the mean range."""
    trunk = StreetTrunk(compile_spot(make_spot(**SPOT)))
    values = equity_values(trunk)
    search = TrunkSolver(trunk, values, METHODS[method])
    search.advance(7)
    search.advance(6)
    reach = search.reach(search.average())
    for node in trunk.ends:
        for player in (0, 1):
            assert search.mean_values(node, player) == pytest.approx(values(node, reach[node], player), abs=1e-12)


#: Both stayed far from equilibrium while both players learned at once.
SWINGING = [("2c Kc 3c Jc", "AsKs,JJ", "AA,QQ"), ("Ad 9c 5s 6d", "TT-99,A5s", "AsKs,JJ")]


@pytest.mark.parametrize("board, oop, ip", SWINGING)
def test_learning_below_the_cut_loses_nothing(board, oop, ip):
    """Exploitability is .0088 and .025 % of the pot; if both players learn at once it is .75 and 1.34 %."""
    spot = make_spot(board, 100, 80, oop, ip, "a", "a")
    assert percent(depth_limited(spot, SolvedValues(10), iterations=200)) < 0.06


def test_a_solver_that_believes_the_ranges_loses_more():
    """Exploitability is .12 % of the pot with trusted ranges, and .0088 % with max-margin."""
    spot = make_spot(SWINGING[0][0], 100, 80, *SWINGING[0][1:], "a", "a")
    assert percent(depth_limited(spot, SolvedValues(10), iterations=200, safe=False)) > 0.06


def test_from_the_flop_and_with_a_user_function():
    """Leaf values of zero provoke immediate bets; solved values do not."""
    asked = []

    def nothing(trunk):
        def values(node, ranges, player):
            asked.append(node)
            return 0 * ranges[player]

        return values

    spot = tiny(stack=5, oop="43,42,5c4d:0.5", ip="3d3h,44,52", flop_bet="50%")
    found = depth_limited(spot, SolvedValues(3), iterations=60, below=60)
    own = depth_limited(spot, nothing, iterations=60, below=60)
    uniform = type(found)(found.compiled, np.zeros(found.compiled.stored))
    assert percent(found) < percent(own) < percent(uniform)
    trunk = StreetTrunk(own.compiled)
    assert {*asked} <= {*trunk.ends} and all(trunk.street.half[node] < 5 + 5 for node in asked)  # not all-in


def test_refused():
    for changes, why in (({"board": "2c 3c 4d 2h 3h"}, "flop or the turn"), ({"rake_rate": 0.1}, "safe=False")):
        with pytest.raises(td.errors.ParameterError, match=why):
            depth_limited(make_spot(**{**SPOT, **changes}))
    with refused(td.errors.ParameterError, key="iterations", value=0):
        depth_limited(make_spot(**SPOT), iterations=0)
    with refused(td.errors.ParameterError, key="iterations", value=0):
        SolvedValues(0)
