"""Games of OpenSpiel and ours agree history by history; games and policies convert both ways."""

import numpy as np
import pytest

import tefuda as td
from tests.conftest import compiled, rules

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")


exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")


@pytest.mark.parametrize("name, parameters", [("kuhn", {}), ("leduc", {}), ("kuhn", {"players": 3}), ("rps", {})])
def test_exported_games(name, parameters):
    """OpenSpiel's algorithms on our rules: NashConv of the same strategies, and CFR."""
    tree = compiled(name, **parameters)
    theirs = td.to_openspiel(rules(name, **parameters))
    profile = td.Profile.random(tree, np.random.default_rng(2))
    policy = td.to_tabular_policy(profile, theirs)
    assert exploitability.nash_conv(theirs, policy) == pytest.approx(td.nash_conv(profile), abs=1e-12)


def test_a_custom_game_under_openspiels_cfr():
    """OpenSpiel's C++ CFR on Kuhn poker written in Python gives our digits."""
    from open_spiel.python.algorithms.cfr import CFRSolver

    theirs = td.to_openspiel(rules("kuhn"))
    solver = CFRSolver(theirs)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    ours = td.make_solver(compiled("kuhn"), "cfr")
    ours.advance(20)
    expected = exploitability.nash_conv(theirs, solver.average_policy())
    assert td.nash_conv(ours.average()) == pytest.approx(expected, abs=1e-12)


def test_policies_convert_both_ways():
    theirs = pyspiel.load_game("leduc_poker")
    tree = td.compile_game(td.from_openspiel(theirs))
    profile = td.Profile.random(tree, np.random.default_rng(3))
    policy = td.to_tabular_policy(profile, theirs)
    assert exploitability.nash_conv(theirs, policy) == pytest.approx(td.nash_conv(profile), abs=1e-12)
    assert np.array_equal(td.from_policy(tree, theirs, policy).probabilities, profile.probabilities)
