"""What networks are told of an infoset."""

import numpy as np
import pytest

import tefuda as tf
from tefuda.forms.features import infoset_features
from tests.conftest import compiled, rules


def test_features():
    """Leduc's 30 inputs: 1 to 9 on, 6.06 on average, all 144 infosets of a player distinct (released code)."""
    for name, width in (("leduc", 30), ("kuhn", 3 + 6), ("rps", 1), ("goofspiel", 44), ("liars_dice", 18),
                        ("nolimit_leduc", 46)):  # fmt: skip
        tree = compiled(name)
        features = infoset_features(tree)
        assert features.shape == (tree.infosets, width) and set(np.unique(features)) <= {0.0, 1.0}
        for player in range(tree.players):
            mine = features[tree.infoset_player == player]
            assert len(np.unique(mine, axis=0)) == len(mine)
    leduc = infoset_features(compiled("leduc"))
    on = leduc.sum(axis=1)
    assert (on.min(), on.max()) == (1, 9) and on.mean() == pytest.approx(6.06, abs=0.01)


def test_games_without_features_get_one_input_an_infoset():
    tree = compiled("sampled")
    assert np.array_equal(infoset_features(tree), np.eye(tree.infosets))
    bad = type("Bad", (type(rules("kuhn")),), {"features": lambda self, state, player: [1.0] * (1 + len(state[1]))})
    with pytest.raises(tf.GameError, match="always as many"):
        infoset_features(tf.compile_game(bad()))
