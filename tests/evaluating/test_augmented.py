"""Reach and counterfactual values at the roots of a subgame, against sums over histories."""

from itertools import product

import numpy as np
import pytest

import tefuda as td
from tefuda.evaluating.augmented import augmented_values, best_response_values, entrance_reach
from tefuda.forms.subgame import subgame, subgames
from tests.conftest import compiled, refused


def reached(sub, profile, player):
    """Return the counterfactual reach of each of a player's augmented infosets."""
    return sub.summed(player, entrance_reach(sub, profile).counterfactual(player))


def test_entrance_is_the_reach_of_the_roots():
    tree, rng = compiled("leduc"), np.random.default_rng(0)
    profile = td.Profile.random(tree, rng)
    whole = td.evaluating.reach(profile)
    sub = subgames(tree)[30]
    found = entrance_reach(sub, profile)
    assert np.array_equal(found.own, whole.own[sub.roots]) and np.array_equal(found.chance, whole.chance[sub.roots])


@pytest.mark.parametrize("player", [0, 1])
def test_best_response_values_are_the_best_of_all_plans(player):
    """Kuhn poker after a check: the maximum over every pure plan of the second player."""
    tree, rng = compiled("kuhn"), np.random.default_rng(player)
    profile = td.Profile.random(tree, rng)
    sub = subgame(tree, "1: K|p")
    mine = [number for number in sub.infosets.tolist() if tree.infoset_player[number] == player]
    plans = []
    for choice in product(range(2), repeat=len(mine)):
        weights = profile.probabilities.copy()
        for number, place in zip(mine, choice, strict=True):
            weights[tree.rows_of(number)] = np.eye(2)[place]
        plans.append(augmented_values(sub, td.Profile(tree, weights), player))
    assert np.max(plans, axis=0) == pytest.approx(best_response_values(sub, profile, player), abs=1e-15)


def test_augmented_values_add_up_to_the_value_of_the_game():
    """At the root of the whole game, the counterfactual reach is chance alone."""
    tree = compiled("leduc")
    profile = td.Profile.random(tree, np.random.default_rng(3))
    sub = subgame(tree, 0)
    for player in (0, 1):
        assert reached(sub, profile, player).sum() == pytest.approx(1.0)
        assert augmented_values(sub, profile, player).sum() == pytest.approx(td.values(profile)[player])
        best = td.best_response(profile, player).value
        assert best_response_values(sub, profile, player).sum() == pytest.approx(best)


def test_an_augmented_infoset_that_the_opponents_never_reach_has_value_0():
    tree = compiled("kuhn")
    never = td.Profile.from_function(tree, lambda player, key, actions: {"p": 1.0})  # never bets
    sub = subgame(tree, "1: K|b")
    assert augmented_values(sub, never, 1).tolist() == [0, 0, 0] == best_response_values(sub, never, 1).tolist()
    assert reached(sub, never, 0) == pytest.approx([1 / 3] * 3)
    assert best_response_values(sub, never, 0) == pytest.approx([1 / 3] * 3)  # all fold


def test_mismatched_arguments_are_refused():
    tree = compiled("kuhn")
    sub = subgame(tree, 0)
    with pytest.raises(td.errors.ProfileError, match="leduc"):
        augmented_values(sub, td.Profile.uniform(compiled("leduc")), 0)
    with refused(td.errors.ParameterError, key="player", value=2):
        best_response_values(sub, td.Profile.uniform(tree), 2)
