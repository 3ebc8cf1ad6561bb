"""Searching during play in games too large to compile."""

import tefuda as tf
from tests.conftest import rules


def test_a_game_too_large_to_compile():
    """Liar's dice with two dice of six sides each has 2^24 bidding histories; a search plays it at once."""
    game = rules("liars_dice", dice=2)
    agent = tf.OosAgent(game, iterations=30, seed=1)
    agent.start(0)
    agent.observe(None)
    agent.observe("16|")
    assert agent.act(game.actions((("16", "23"), -1, ""))) in game.actions((("16", "23"), -1, ""))
    assert 0 < len(agent.search.memory) <= 60
