"""Simple strategies by their actions, derived ones by their values."""

import numpy as np
import pytest

import tefuda as td
from tefuda.playing import stereotypes
from tests.conftest import compiled


def test_actions_of_simple_strategies():
    """Leduc: raise if legal, else call; fold to every bet; call every bet."""
    tree = compiled("leduc")
    raises, passes, calls = stereotypes.always_raise(tree), stereotypes.always_pass(tree), stereotypes.always_call(tree)
    assert raises["0: K|"] == {"c": 0, "r": 1} and raises["0: K|rr"] == {"f": 0, "c": 1}
    assert passes["1: K|r"] == {"f": 1, "c": 0, "r": 0} and passes["1: K|c"] == {"c": 1, "r": 0}
    assert calls["1: K|r"] == {"f": 0, "c": 1, "r": 0}
    with pytest.raises(td.errors.ParameterError, match="action"):
        stereotypes.always_call(compiled("goofspiel", cards=3))


def test_values_in_kuhn_by_hand():
    """Two constant bettors play for 2 chips with value 0; against constant passing a bettor wins 1 chip."""
    tree = compiled("kuhn")
    bets, passes = stereotypes.always_raise(tree), stereotypes.always_pass(tree)
    assert td.values(bets) == pytest.approx([0, 0], abs=1e-15)
    assert td.values(bets.replace(1, passes)) == pytest.approx([1, -1], abs=1e-15)


@pytest.mark.parametrize("name, parameters", [("kuhn", {}), ("kuhn", {"players": 3}), ("leduc", {})])
def test_answering_is_a_best_response_of_each_seat(name, parameters):
    tree = compiled(name, **parameters)
    base = td.Profile.random(tree, np.random.default_rng(4))
    answers = stereotypes.best_responses(base)
    for player in range(tree.players):
        worth = td.values(base.replace(player, answers))[player]
        assert worth == pytest.approx(td.best_response(base, player).value, abs=1e-12)


def test_tilted_is_a_quarter_raises():
    tree = compiled("kuhn")
    tilted, calm = stereotypes.NAMED_PROFILES["tilted"][1](tree), stereotypes.equilibrium(tree)
    expected = 0.75 * calm.probabilities + 0.25 * stereotypes.always_raise(tree).probabilities
    assert tilted.probabilities == pytest.approx(expected, abs=1e-15)
