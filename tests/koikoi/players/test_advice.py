"""Players' knowledge of Koi-Koi, and the advice from it."""

import random
from itertools import pairwise

import pytest

import tefuda as td
from tefuda.koikoi.cards import mask_of
from tefuda.koikoi.game import PICK_HAND, PLAY
from tefuda.koikoi.kernels.state import DRAWN
from tefuda.koikoi.players.advice import Adviser, read_knowledge
from tefuda.koikoi.players.ladder import PlayerConfiguration
from tefuda.koikoi.reduced import koikoi
from tests.koikoi.random_rounds import states, turns


def test_knowledge_matches_the_round():
    game, rng, count = koikoi(), random.Random(3), 0
    for _ in range(20):
        for state in turns(game, rng.sample(range(48), 48), rng):
            knowledge = read_knowledge(game, game.view(state, state.mover), state.mover)
            for name in ("phase", "turn", "field", "piles", "calls", "shown"):
                assert getattr(knowledge.state, name) == getattr(state, name), name
            assert knowledge.state.hands[state.mover] == state.hands[state.mover]
            assert mask_of(knowledge.unseen.tolist()) == state.hands[1 - state.mover] | state.stock
            assert len(knowledge.past_plays) == state.turn // 2
            count += 1
    assert count > 100
    with pytest.raises(td.errors.ParameterError, match="view"):
        read_knowledge(game, "1B 1R", 0)
    with pytest.raises(td.errors.ParameterError, match=r"not a view|not to move"):
        read_knowledge(game, game.view(state, state.mover), 1 - state.mover)


def test_knowledge_contains_the_plays_of_the_opponent():
    """Field and piles before a play, the phase of the tables, the card, and its capture match the kernels."""
    game, rows = koikoi(), 0
    for seed in range(12):
        path, plays = states(game, seed), {0: [], 1: []}
        for before, after in pairwise(path):
            if before.phase == PLAY:
                left, (calls, theirs) = (
                    before.hands[before.mover].bit_count() - 1,
                    before.calls[:: 1 - 2 * before.mover],
                )
                laid = before.hands[before.mover] & ~after.hands[before.mover]
                phase = left * 3 + (2 if theirs else 1 if calls else 0)
                piles = before.piles[:: 1 - 2 * before.mover]
                plays[before.mover].append([before.field, *piles, phase, laid, 0])
            if before.phase in (PLAY, PICK_HAND):
                plays[before.mover][-1][-1] = before.field & ~after.field
            if game.player(after) >= 0:
                knowledge = read_knowledge(game, game.view(after, after.mover), after.mover)
                assert knowledge.past_plays.tolist() == plays[1 - after.mover]
                assert knowledge.known[DRAWN] == 24 - after.stock.bit_count()
                rows += len(knowledge.past_plays)
    assert rows > 100


def test_the_last_turns_try_all_determinizations(learned):
    """From turn 14 on, after the card is laid, there are at most 11 * 10 * 9: the seed does not matter."""
    game, rng, exact = koikoi(), random.Random(12), 0
    adviser = Adviser(game, PlayerConfiguration("search", 1000, depth=4), learned)
    for _ in range(16):
        for state in turns(game, rng.sample(range(48), 48), rng):
            if state.turn < 14 or (state.turn == 14 and state.phase == PLAY):
                continue
            view = game.view(state, state.mover)
            one, two = (adviser.advise(view, state.mover, seed) for seed in (1, 2))
            assert one == two
            exact += 1
    assert exact > 3


def test_time_limits(learned):
    game = koikoi()
    state = next(turns(game, random.Random(4).sample(range(48), 48), random.Random(1)))
    adviser = Adviser(game, PlayerConfiguration("search", 10), learned)
    found = adviser.advise(game.view(state, state.mover), state.mover, 1, seconds=0.02)
    assert len(found) == len({candidate[:2] for candidate in found}) >= 8
    with pytest.raises(td.errors.ParameterError):
        adviser.advise(game.view(state, state.mover), state.mover, 1, seconds=-1)
