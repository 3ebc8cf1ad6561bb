"""The average play of a search over determinizations (bench/worlds.py)."""

import numpy as np
from bench.worlds import search_profile

import tefuda as td
from tests.conftest import refused


def test_kuhn_by_hand(kuhn):
    """Played on uniformly, facing a bet: king calls, jack folds, queen calls (jack or king: 0 on average)."""
    found = search_profile(td.Profile.uniform(kuhn), np.random.default_rng(0), worlds=2000, times=5)
    assert found["1: K|b"]["b"] == 1 and found["1: J|b"]["p"] == 1
    assert found["1: Q|b"]["b"] == 1  # (2 - 2) / 2 = 0 is more than -1


def test_belief_changes_what_worlds_are_drawn(kuhn):
    """If only kings bet, the queen folds."""
    bluffless = td.Profile.from_function(
        kuhn, lambda player, key, actions: {a: float(a == actions[1 if "K" in str(key) else 0]) for a in actions}
    )
    uniform = td.Profile.uniform(kuhn)
    found = search_profile(uniform, np.random.default_rng(0), worlds=50, times=5, belief=bluffless)
    assert found["1: Q|b"]["p"] == 1


def test_search_on_mini8_is_better_than_what_it_plays_on_by():
    """NashConv of uniform play 4205/1008 = 4.17 (exact); of flat search over it far less."""
    tree = td.compile_game(td.load_game("mini8", merged=True))
    uniform = td.Profile.uniform(tree)
    found = search_profile(uniform, np.random.default_rng(1), worlds=30, times=4)
    assert td.nash_conv(found) < 1.6 < td.nash_conv(uniform)
    again = search_profile(uniform, np.random.default_rng(1), worlds=30, times=4)
    assert np.array_equal(found.probabilities, again.probabilities)


def test_numbers_refused(kuhn):
    with refused(td.errors.ParameterError, key="worlds", value=0):
        search_profile(td.Profile.uniform(kuhn), np.random.default_rng(0), worlds=0, times=1)
