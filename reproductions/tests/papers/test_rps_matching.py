"""Three-player rock-paper-scissors."""

import pytest

import tefuda as td
from tefuda_reproductions.papers import three_players
from tests.conftest import compiled


def test_rock_paper_scissors_of_three():
    """Against uniform play and rock, always paper wins (2 + .5 + 0) / 3; uniform play loses a sixth."""
    assert three_players.three_signs() == pytest.approx((-1 / 6, 5 / 6))
    assert three_players.two_signs() == pytest.approx(0)
    tree = compiled("rps", players=3)
    assert td.nash_conv(td.Profile.uniform(tree)) == pytest.approx(0) and td.check_game(tree.game).ok
    assert tree.parameters == {"players": 3} and compiled("rps").parameters == {}
