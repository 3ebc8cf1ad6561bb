"""Combined options of a spot: locks, rake, precision, threads, isomorphic suits, resuming.

Other tests check each alone (test_solver, test_locks); these check combinations: the same bits by threads and after
resuming, and the same figures as the generic tree of the same game.
"""

from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.cards import CLASS_OF, CLASSES
from tefuda.holdem.kernels import arrays
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.depth_limited import depth_limited
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.solver import DEFAULT, HandSolver, evaluate_strategy
from tefuda.holdem.spots.subgame import resolve_street
from tests.holdem.known_spots import tiny

TURN = {"board": "2c 3c 4c 2d", "turn_bet": "100%"}
#: By isomorphism of suits: d and h of the ten cards are isomorphic until a lock names one of them.
LOCKS = {
    "alike": ("Check = Bet(10) 44:0.5; Check 44:0.5", "Check/Check/5c/Check = Check 3h3d"),
    "apart": ("Check = Check 4h4d", "Check/Check/3d/Check = Check 44"),
}
RAKE = {"rake_rate": 0.1, "rake_cap": 3}


def spot_with(locks=(), rake=False, **changes):
    return tiny(**{**TURN, **changes}, locks=list(locks), **(RAKE if rake else {}))


@pytest.mark.parametrize("precision", ["single", "half", pytest.param("double", marks=pytest.mark.slow)])
@pytest.mark.parametrize("rake", [False, True])
@pytest.mark.parametrize("locks", LOCKS)
def test_together_as_trees(locks, rake, precision):
    """Figures equal those of the generic tree; two threads and resuming give the same bits."""
    game = SpotGame(spot_with(LOCKS[locks], rake))
    one, two = (
        HandSolver(compile_spot(game.spot), replace(DEFAULT, precision=precision), threads=number) for number in (1, 2)
    )
    one.advance(20)
    two.advance(9)
    again = HandSolver(compile_spot(game.spot), replace(DEFAULT, precision=precision), threads=2)
    again.restore(two.state())
    again.advance(11)
    for solver in (two, again):
        solver.close()
    for name, array in one.state().items():
        assert array.dtype == again.state()[name].dtype and np.array_equal(array, again.state()[name]), name
    strategy, tree = one.average(), td.compile_game(game)
    profile = td.Profile.from_function(tree, strategy.strategy)
    values, best = td.values(profile), [td.best_response(profile, player).value for player in (0, 1)]
    assert evaluate_strategy(strategy)[0] == pytest.approx([value + 5 for value in values], abs=1e-9)
    assert [strategy.value(player, arrays.BEST) for player in (0, 1)] == pytest.approx(best, abs=1e-9)
    assert (
        evaluate_strategy(strategy, threads=2)
        == evaluate_strategy(strategy)
        == (
            pytest.approx([value + 5 for value in values]),
            pytest.approx(sum(best) - sum(values)),
        )
    )
    assert (sum(values) < -0.1) == rake


@pytest.mark.parametrize("rake", [False, True])
@pytest.mark.parametrize("locks", LOCKS)
def test_isomorphic_suits_change_nothing(locks, rake):
    """Boards of isomorphic suits are solved once, others separately, to the same value."""
    game = SpotGame(spot_with(LOCKS[locks], rake, board="2c 3c 4c", flop_bet="100%"))
    alike, apart = (compile_spot(game.spot, isomorphism=one) for one in (True, False))
    assert (len(alike.contexts) < len(apart.contexts)) == (locks == "alike")
    found = []
    for compiled in (alike, apart):
        solver = HandSolver(compiled)
        solver.advance(60)
        found.append(evaluate_strategy(solver.average()))
    assert found[0][0] == pytest.approx(found[1][0], abs=found[0][1] + found[1][1] + 1e-9)


@pytest.mark.parametrize("precision", ["single", "half"])
def test_runs_with_all_options_resume(tmp_path, precision):
    """A run saved by one thread and resumed by two has the same bits as an uninterrupted one."""
    spot = spot_with(LOCKS["alike"], True)
    whole = td.solve(spot, replace(DEFAULT, precision=precision), iterations=24, workers=2)
    td.solve(spot, replace(DEFAULT, precision=precision), iterations=11, checkpoint=tmp_path / "run")
    again = td.resume(tmp_path / "run", iterations=24, workers=2)
    assert again.values == whole.values and again.evaluation.figure == whole.evaluation.figure
    assert np.array_equal(again.strategy.sums, whole.strategy.sums)
    saved = again.strategy.compiled.spot
    assert (saved.rake_rate, saved.rake_cap) == (0.1, 3) and [str(lock) for lock in saved.locks] == list(LOCKS["alike"])
    fours = CLASSES.index("44") == CLASS_OF
    assert np.nanmax(abs(again.strategy.probabilities("Check")["Check"][fours] - 0.5)) < 1e-9


def test_locks_bind_resolved_streets():
    """Re-solving and depth-limited solving play the locks and optimise all other hands."""
    spot = spot_with(LOCKS["alike"])
    rough = td.solve(spot, iterations=3).strategy
    again = resolve_street(rough, "Check/Check/5c", player=0, iterations=100)
    assert [str(lock) for lock in again.strategy.compiled.spot.locks] == ["Check = Check 3h3d"]
    for found, line in (
        (again.strategy, "Check"),
        (depth_limited(spot, iterations=20, below=20), "Check/Check/5c/Check"),
    ):
        shares = found.probabilities(line)["Check"]
        threes = CLASSES.index("33") == CLASS_OF
        assert np.nanmin(shares[threes]) == np.nanmax(shares[threes]) == 1.0


def test_incompatible_options_are_refused():
    """Safe gadgets need a zero-sum game, threads need later boards; errors name the alternative."""
    raked = spot_with(rake=True)
    rough = td.solve(raked, iterations=3).strategy
    for gadget in ("cfr-d", "max-margin"):
        with pytest.raises(td.errors.ParameterError, match="unsafe"):
            resolve_street(rough, "Check/Check/5c", player=0, gadget=gadget)
    with pytest.raises(td.errors.ParameterError, match="safe=False"):
        depth_limited(raked)
    with pytest.raises(td.errors.ParameterError, match="workers must be 1"):
        td.solve(spot_with(board="2c 3c 4c 2d 3h"), workers=2)
