"""Profiles: what is refused, and what comes back from disk."""

import numpy as np
import pytest

import tefuda as tf


def test_uniform_and_lookup(kuhn):
    uniform = tf.Profile.uniform(kuhn)
    assert uniform["0: Q|pb"] == uniform[0, "Q|pb"] == {"p": 0.5, "b": 0.5}
    assert len(dict(uniform.items())) == 12 and len(dict(uniform.items(player=1))) == 6
    with pytest.raises(tf.UnknownNameError, match=r"Did you mean '0: Q\|pb'"):
        uniform["0: Q|pbb"]


def test_from_function_takes_sequences_and_mappings(kuhn):
    sure = tf.Profile.from_function(kuhn, lambda player, key, actions: {"b": 1})
    same = tf.Profile.from_function(kuhn, lambda player, key, actions: (0, 1))
    assert np.array_equal(sure.probabilities, same.probabilities) and sure["1: J|b"]["b"] == 1
    with pytest.raises(tf.ProfileError, match="got 3 probabilities"):
        tf.Profile.from_function(kuhn, lambda player, key, actions: (0, 1, 0))


@pytest.mark.parametrize("bad", [(0.5, 0.6), (0.5, 0.4), (-0.1, 1.1), (float("nan"), 1.0)])
def test_what_is_no_distribution_is_refused(kuhn, bad):
    with pytest.raises(tf.ProfileError, match=r"0: J\|"):
        tf.Profile.from_function(kuhn, lambda p, key, actions: bad if (p, key) == (0, "J|") else (1, 0))
    with pytest.raises(tf.ProfileError, match="24 rows"):
        tf.Profile(kuhn, np.ones(3))


def test_what_is_given_is_copied_and_must_sum_to_one(kuhn):
    """To 1e-9; the caller's array stays its own."""
    given = np.full(24, 0.5)
    profile = tf.Profile(kuhn, given)
    given[:2] = 1.0, 0.0
    assert profile.probabilities[0] == 0.5
    tf.Profile(kuhn, given + np.repeat([1e-11, 0], 12))
    with pytest.raises(tf.ProfileError, match="sum to 1"):
        tf.Profile(kuhn, given + np.repeat([1e-6, 0], 12))


def test_mixed_profiles(kuhn):
    one, two = (tf.Profile.from_function(kuhn, lambda p, key, actions, row=row: row) for row in ((1, 0), (0, 1)))
    assert one.mixed(two, 0.25)["0: K|"] == {"p": 0.75, "b": 0.25}
    for part in (-0.1, 1.1):
        with pytest.raises(tf.ParameterError, match="part is"):
            one.mixed(two, part)


def test_replace_takes_one_player(kuhn):
    rng = np.random.default_rng(0)
    one, two = tf.Profile.random(kuhn, rng), tf.Profile.random(kuhn, rng)
    mixed = one.replace(1, two)
    assert mixed["0: K|"] == one["0: K|"] and mixed["1: K|b"] == two["1: K|b"]


def test_save_and_load(kuhn, leduc, tmp_path):
    profile = tf.Profile.random(kuhn, np.random.default_rng(1))
    profile.save(tmp_path / "p.npz")
    assert np.array_equal(tf.Profile.load(tmp_path / "p.npz", kuhn).probabilities, profile.probabilities)
    assert np.array_equal(np.load(tmp_path / "p.npz")["probabilities"], profile.probabilities)  # NumPy reads it too
    with pytest.raises(tf.ProfileError, match="of 'kuhn'"):
        tf.Profile.load(tmp_path / "p.npz", leduc)
    with pytest.raises(tf.RunError, match="cannot read"):
        tf.Profile.load(tmp_path / "nothing.npz", kuhn)


def test_weights_that_sum_to_nothing_give_uniform(kuhn):
    profile = tf.Profile.from_weights(kuhn, np.zeros(kuhn.rows))
    assert np.array_equal(profile.probabilities, np.full(24, 0.5))
