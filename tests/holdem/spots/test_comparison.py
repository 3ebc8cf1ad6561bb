"""Strategies compared from a root on, against the generic tree and against the whole spot."""

from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.ranges import Range, compatible_weights
from tefuda.holdem.spots.comparison import compare_strategies
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.solver import HandSolver, evaluate_strategy
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.subgame import insert_streets, resolve_street, translate_solution
from tests.conftest import refused
from tests.holdem.known_spots import tiny

TURN = "2c 3c 4c 4h"


def solved(spot, iterations, isomorphism=True):
    solver = HandSolver(compile_spot(spot, isomorphism))
    solver.advance(iterations)
    return solver.average()


@pytest.mark.parametrize("rake", [0.0, 0.05])
def test_as_in_the_generic_tree(rake):
    """Mixed profiles and best responses of the tree have the same values."""
    root = tiny(board=TURN, rake_rate=rake)
    own = [solved(root, 2), solved(root, 20, isomorphism=False)]
    mine = compare_strategies(root, *own, big_blind=4)
    tree = td.compile_game(SpotGame(root))
    profiles = [td.Profile.from_function(tree, strategy.strategy) for strategy in own]
    half = root.betting.pot / 2
    for first in (0, 1):
        for second in (0, 1):
            values = td.values(profiles[first].replace(1, profiles[second]))
            assert mine.values[:, first, second] - half == pytest.approx(values, abs=1e-9)
        best = [td.best_response(profiles[first], player).value for player in (0, 1)]
        assert mine.best_responses[first] - half == pytest.approx(best, abs=1e-9)
        assert mine.exploitability[first] == pytest.approx(td.nash_conv(profiles[first]) / 2, abs=1e-9)
    gains = mine.values[0, 1, 0] - mine.values[0, 0, 0], mine.values[1, 0, 1] - mine.values[1, 0, 0]
    assert mine.gain == pytest.approx(np.mean(gains), abs=1e-12) and mine.mbb(mine.gain) == 250 * mine.gain
    assert mine.summary()["mbb"]["gain"] == 250 * mine.gain


def test_streets_of_a_larger_spot():
    """Two re-solved streets against their blueprint: the ranges are those that reach the street."""
    whole = solved(tiny(), 3)
    line = "Check/Check/4h"
    root = whole.spot_after(line)
    before = translate_solution(whole, compile_spot(root), line)
    streets = [resolve_street(whole, line, player, iterations=100) for player in (0, 1)]
    mine = compare_strategies(root, before, (streets[0].strategy, streets[1].strategy))
    reach, fell = whole.reach(line), mine.best_responses[0] - mine.best_responses[1]
    games = reach[0] @ compatible_weights(reach[1]) / (whole.compiled.spot.pairs)
    games /= len(whole.compiled.spot.deck) - 3 - 4  # cards that may be dealt
    for player in (0, 1):
        share = reach[1 - player] / np.maximum(whole.compiled.spot.weights[1 - player], 1e-300)
        lost = np.nansum(share * (streets[player].before - streets[player].after))
        assert fell[1 - player] * games == pytest.approx(lost, abs=1e-9) and lost > 0.01
    both = insert_streets(whole, streets)
    later = compare_strategies(root, translate_solution(both, compile_spot(root), line), before)
    assert later.values[:, 0, 0] == pytest.approx(mine.values[:, 1, 1], abs=1e-9)


def test_suits_hands_and_sizes():
    """A root may have fewer hands, and suits that differ; other sizes are translated."""
    root = tiny()
    known = solved(root, 5)
    weights = root.weights[0] * np.linspace(0.2, 1, 1326)  # the suits differ
    weights[np.flatnonzero(weights)[0]] = 0.0
    smaller = replace(root, ranges=(Range(weights), root.ranges[1]))
    assert len(compile_spot(smaller).contexts) > len(known.compiled.contexts)
    mine = compare_strategies(smaller, known, known)
    plain = translate_solution(known, compile_spot(smaller, isomorphism=False))
    values, gain = evaluate_strategy(plain)
    assert mine.values[:, 0, 1] == pytest.approx(values, abs=1e-12) and mine.gain == pytest.approx(0, abs=1e-12)
    assert mine.exploitability == pytest.approx((gain / 2, gain / 2), abs=1e-12)
    finer = tiny(bets="50%,a")
    mine = compare_strategies(finer, known, solved(finer, 30))
    assert mine.exploitability[0] == pytest.approx(
        evaluate_strategy(translate_solution(known, compile_spot(finer)))[1] / 2, abs=1e-12
    )


def test_bad_strategies():
    root = tiny(board=TURN)
    known = solved(root, 1)
    for wrong in (solved(tiny(), 1), solved(tiny(board="2c 3c 4c 3d"), 1)):
        with pytest.raises(td.errors.ParameterError):
            compare_strategies(root, known, wrong)
    with refused(td.errors.ParameterError, key="oop"):
        compare_strategies(tiny(board=TURN, oop="*"), known, known)
    for wrong in (0, -1, float("nan")):
        with refused(td.errors.ParameterError, key="big_blind"):
            compare_strategies(root, known, known, big_blind=wrong)
    uniform = SpotStrategy(known.compiled, np.zeros(known.compiled.stored))
    assert compare_strategies(root, uniform, known).exploitability[0] > 0
