"""Random playthroughs: repeatable, with chance drawn by its probabilities."""

import numpy as np
import pytest

import tefuda as td
from tefuda.games.plays import draw_outcome, play
from tests.conftest import rules
from tests.small_games import broken


@pytest.mark.parametrize("seed", range(3))
def test_playthrough_is_repeatable(seed):
    lines = [list(td.games.playthrough(rules("goofspiel"), np.random.default_rng(seed))) for _ in range(2)]
    assert lines[0] == lines[1] and lines[0][-1].startswith("end: ")


def test_outcomes_are_drawn_by_their_probabilities():
    """Each point of [0, 1) selects the outcome whose interval holds it; sums may be slightly below 1."""
    game = broken(chances=lambda s, _: (("a", 0.5), ("b", 0.25), ("c", 0.25 - 1e-12)))
    for point, label in ((0.0, "a"), (0.49, "a"), (0.5, "b"), (0.7499, "b"), (0.75, "c"), (1 - 1e-13, "c")):
        assert draw_outcome(game, (), lambda point=point: point)[0] == label


def test_steps_lead_from_the_root_to_the_end():
    game = rules("kuhn")
    steps, end = play(game, np.random.default_rng(3))
    states = [step.state for step in steps] + [end]
    assert states[0] == game.root() and game.player(end) == td.TERMINAL
    for step, after in zip(steps, states[1:], strict=True):
        assert game.child(step.state, step.action) == after and step.player == game.player(step.state)
        assert step.probability == pytest.approx(1 / 6 if step.player == td.CHANCE else 1 / 2)
