"""The least exploitable strategies of a partition, by linear programming."""

import numpy as np
import pytest

import tefuda as td
from tests.conftest import compiled
from tests.small_games import forgetful


def test_nothing_merged_is_an_equilibrium():
    tree = compiled("leduc")
    assert td.nash_conv(td.least_exploitable(td.forms.partition(tree, lambda view, player: view))) < 1e-9


def test_shared_actions_count_with_their_share():
    """Lossless merging of goofspiel has 260 rows for 348; wrong shares would change its value of 0."""
    whole = td.lossless(compiled("goofspiel"))
    assert td.nash_conv(td.least_exploitable(whole)) < 1e-9


def test_no_profile_of_the_classes_is_less_exploitable():
    """Kuhn with merged kings and queens: random profiles stay above the optimum; CFR-BR approaches it."""
    tree = compiled("kuhn")
    whole = td.forms.partition(tree, lambda view, player: view.replace("K", "Q"))
    least = td.nash_conv(td.least_exploitable(whole))
    rng = np.random.default_rng(1)
    for _ in range(200):
        profile = td.Profile.random(whole.small, rng)
        assert td.nash_conv(td.Profile(tree, whole.spread(profile.probabilities))) >= least - 1e-9
    assert least - 1e-9 <= td.solve(whole, "cfr-br", iterations=20_000).nash_conv < least + 0.01
    assert td.solve(whole, "lp").nash_conv > least + 0.1


def test_refused():
    with pytest.raises(td.InputError, match="Partition"):
        td.least_exploitable(compiled("kuhn"))
    for make in (td.lossless, lambda tree: td.abstracting.buckets(tree, 2)):
        with pytest.raises(td.InputError, match="expected"):
            make("leduc")
    with pytest.raises(td.errors.GameError, match="imperfect"):
        td.least_exploitable(td.forms.partition(compiled("leduc"), forgetful))
    with pytest.raises(td.errors.GameError, match="players"):
        td.least_exploitable(td.forms.partition(compiled("kuhn", players=3), lambda view, player: view))
