"""What players of Koi-Koi see, and what they are advised by it."""

import random

import pytest

import tefuda as tf
from tefuda.koikoi.advice import Adviser, see
from tefuda.koikoi.cards import mask_of
from tefuda.koikoi.game import PLAY
from tefuda.koikoi.ladder import Player
from tefuda.koikoi.reduced import koikoi
from tests.koikoi.worlds import turns


def test_a_view_says_where_the_round_stands():
    game, rng, count = koikoi(), random.Random(3), 0
    for _ in range(20):
        for state in turns(game, rng.sample(range(48), 48), rng):
            sight = see(game, game.view(state, state.mover), state.mover)
            for name in ("phase", "turn", "field", "piles", "calls", "shown"):
                assert getattr(sight.state, name) == getattr(state, name), name
            assert sight.state.hands[state.mover] == state.hands[state.mover]
            assert mask_of(sight.unseen.tolist()) == state.hands[1 - state.mover] | state.stock
            assert len(sight.past) == state.turn // 2
            count += 1
    assert count > 100
    with pytest.raises(tf.ParameterError, match="no view"):
        see(game, "1B 1R", 0)
    with pytest.raises(tf.ParameterError, match=r"no view|not in turn"):
        see(game, game.view(state, state.mover), 1 - state.mover)


def test_last_turns_are_looked_at_in_every_world(learned):
    """From turn 14 on, its card laid, there are at most 11 * 10 * 9 worlds: no luck is left, whatever the seed."""
    game, rng, exact = koikoi(), random.Random(12), 0
    adviser = Adviser(game, Player("search", 1000, depth=4), learned)
    for _ in range(40):
        for state in turns(game, rng.sample(range(48), 48), rng):
            if state.turn < 14 or (state.turn == 14 and state.phase == PLAY):
                continue
            view = game.view(state, state.mover)
            one, two = (adviser.advise(view, state.mover, seed) for seed in (1, 2))
            assert one == two
            exact += 1
    assert exact > 3


def test_a_limit_of_time_is_kept(learned):
    game = koikoi()
    state = next(turns(game, random.Random(4).sample(range(48), 48), random.Random(1)))
    adviser = Adviser(game, Player("search", 10), learned)
    found = adviser.advise(game.view(state, state.mover), state.mover, 1, seconds=0.02)
    assert len(found) == len({candidate[:2] for candidate in found}) >= 8
    with pytest.raises(tf.ParameterError):
        adviser.advise(game.view(state, state.mover), state.mover, 1, seconds=-1)
