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
    theirs = td.exchange.to_openspiel(rules(name, **parameters))
    profile = td.Profile.random(tree, np.random.default_rng(2))
    policy = td.exchange.to_tabular_policy(profile, theirs)
    assert exploitability.nash_conv(theirs, policy) == pytest.approx(td.nash_conv(profile), abs=1e-12)


def test_a_custom_game_under_openspiels_cfr():
    """OpenSpiel's C++ CFR on Kuhn poker written in Python gives our digits."""
    from open_spiel.python.algorithms.cfr import CFRSolver

    theirs = td.exchange.to_openspiel(rules("kuhn"))
    solver = CFRSolver(theirs)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    ours = td.make_solver(compiled("kuhn"), "cfr")
    ours.advance(20)
    expected = exploitability.nash_conv(theirs, solver.average_policy())
    assert td.nash_conv(ours.average()) == pytest.approx(expected, abs=1e-12)


def test_policies_convert_both_ways():
    theirs = pyspiel.load_game("leduc_poker")
    tree = td.compile_game(td.exchange.from_openspiel(theirs))
    profile = td.Profile.random(tree, np.random.default_rng(3))
    policy = td.exchange.to_tabular_policy(profile, theirs)
    assert exploitability.nash_conv(theirs, policy) == pytest.approx(td.nash_conv(profile), abs=1e-12)
    assert np.array_equal(td.exchange.from_policy(tree, theirs, policy).probabilities, profile.probabilities)


@pytest.mark.parametrize("text", ["matrix_rps", "goofspiel(imp_info=True,num_cards=3,points_order=descending)"])
def test_policies_of_simultaneous_games_are_for_the_game_in_turns(text):
    """OpenSpiel's NashConv of its own conversion is ours, and the policy converts back."""
    theirs = pyspiel.load_game(text)
    tree = td.compile_game(td.exchange.from_openspiel(theirs))
    profile = td.Profile.random(tree, np.random.default_rng(4))
    policy = td.exchange.to_tabular_policy(profile, theirs)
    expected = exploitability.nash_conv(pyspiel.convert_to_turn_based(theirs), policy)
    assert td.nash_conv(profile) == pytest.approx(expected, abs=1e-12)
    assert np.array_equal(td.exchange.from_policy(tree, theirs, policy).probabilities, profile.probabilities)


def test_policies_of_a_simultaneous_game_itself_convert():
    from open_spiel.python.policy import UniformRandomPolicy

    theirs = pyspiel.load_game("matrix_mp")
    tree = td.compile_game(td.exchange.from_openspiel(theirs))
    assert td.exchange.from_policy(tree, theirs, UniformRandomPolicy(theirs)).probabilities.tolist() == [0.5] * 4


def test_other_objects_than_games_and_policies_are_refused(kuhn):
    theirs, profile = pyspiel.load_game("kuhn_poker"), td.Profile.uniform(kuhn)
    with pytest.raises(td.errors.ParameterError):
        td.exchange.to_tabular_policy(profile, "kuhn_poker")
    with pytest.raises(td.errors.ProfileError):
        td.exchange.to_tabular_policy(kuhn, theirs)
    with pytest.raises(td.errors.ParameterError):
        td.exchange.from_policy(kuhn, theirs, profile)
    with pytest.raises(td.errors.ParameterError):
        td.exchange.from_policy(theirs, theirs, profile)


def test_a_profile_of_another_game_is_refused_in_a_few_lines():
    """Infosets of OpenSpiel have names of a hundred letters; all of them are in `known`."""
    tree = td.compile_game(td.exchange.from_openspiel("goofspiel(imp_info=True,num_cards=4,points_order=descending)"))
    with pytest.raises(td.errors.UnknownNameError) as caught:
        td.exchange.to_tabular_policy(td.Profile.uniform(tree), pyspiel.load_game("kuhn_poker"))
    assert len(caught.value.known) == tree.infosets and len(str(caught.value)) < 2_300
