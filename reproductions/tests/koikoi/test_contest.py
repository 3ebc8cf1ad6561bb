"""Matches of strategies learned in an abstraction."""

import random

import numpy as np
import pytest

import tefuda as td
from tefuda.koikoi.kernels.state import CALL, STOP
from tefuda.koikoi.reduced import koikoi, mini8
from tefuda.koikoi.simulator import RoundsSimulator, compile_rules
from tefuda.koikoi.view import state_array
from tefuda.settings import with_options
from tefuda_reproductions.koikoi.contest import Contestant, contest, contest_players, network_contest
from tefuda_reproductions.koikoi.kernels import contest as kernels
from tefuda_reproductions.koikoi.keys import Keys, abstract_koikoi
from tefuda_reproductions.koikoi.sampler import KeyedRounds, RoundSampler, RoundSampling
from tests.koikoi.random_rounds import redeal_hidden, wander


def test_contests_as_published():
    """Greedy wins 2.566 +- .009 against random, and loses 1.08 +- .08 to flat Monte Carlo with 100."""
    rules = koikoi().rules
    for one, two, deals, mean, error in (
        ("greedy", "random", 20_000, 2.566, 0.009),
        ("flat", "greedy", 400, 1.08, 0.08),
    ):
        found = contest(rules, Contestant(one), Contestant(two), deals, seed=1)
        assert abs(found.mean - mean) < 4 * np.hypot(found.error, error)
    alike = contest(rules, Contestant("greedy"), Contestant("greedy"), 50)
    assert alike.mean == 0 and np.array_equal(alike.points[:, 0], -alike.points[:, 1])


def test_learned_strategies_beat_untrained_ones():
    """After one second of traversals with small keys, the strategy beats random play."""
    game = koikoi()
    sampler = RoundSampler(
        KeyedRounds(game, Keys(("turns", "called", "points"))), RoundSampling("probe", k=1, every=500), seed=1
    )
    nothing = RoundSampler(KeyedRounds(game))
    sampler.advance(6000)
    players = Contestant("average", cut=0.3), Contestant("random")
    learnt, knowing_nothing = (contest(game.rules, *players, 2000, samplers=(one, None)) for one in (sampler, nothing))
    assert learnt.mean > knowing_nothing.mean + 4 * np.hypot(learnt.error, knowing_nothing.error)
    mirrored = contest(game.rules, players[1], players[0], 2000, samplers=(None, sampler))
    assert mirrored.mean < 0 < learnt.mean
    with pytest.raises(td.errors.ParameterError, match="sampler"):
        contest(game.rules, *players, 10)
    with pytest.raises(td.errors.ParameterError, match="sampler"):
        contest(game.rules, *players, 10, samplers=(RoundSampler(KeyedRounds(mini8())), None))
    for given in ({"kind": "nobody"}, {"kind": "flat", "determinizations": 0}, {"kind": "average", "cut": 2}):
        with pytest.raises(td.errors.ParameterError):
            Contestant(**given)


@pytest.mark.parametrize(
    "changes",
    [
        {"double_at": 0}, {"opponent_called": 1}, {"own_bonus": "add"}, {"bright_factor": 2}, {"max_koikoi": 1},
        {"teyaku": 0}, {"redeal": ()}, {"exhaustion": 6}, {"exhaustion_yaku": True}, {"both_teyaku": "play"},
        {"kasu_from": 9}, {"tsukifuda": 4}, {"goko": 15},
    ],
)  # fmt: skip
def test_a_sampler_of_other_rules_is_refused(changes):
    """Doubling, bonuses and deals must be equal; options of matches may differ."""
    rules, players = koikoi().rules, (Contestant("average"), Contestant("random"))
    sampler = RoundSampler(KeyedRounds(koikoi()))
    with pytest.raises(td.errors.ParameterError, match=next(iter(changes))):
        contest(with_options(rules, changes), *players, 2, samplers=(sampler, None))
    longer = with_options(rules, {"rounds": 6, "start": 30, "draw_dealer": "keep"})
    assert contest(longer, *players, 2, samplers=(sampler, None)).points.shape == (2, 2)


def test_networks_refuse_an_average_opponent():
    with pytest.raises(td.errors.ParameterError, match="average"):
        network_contest(RoundsSimulator(koikoi()), lambda *_: None, Contestant("average"), 2)


def test_flat_monte_carlo_sees_no_hidden_cards():
    """Redealt hidden cards do not change its decisions."""
    game, rng = koikoi(), random.Random(5)
    compiled = compile_rules(game.rules)
    players = contest_players((Contestant("flat", determinizations=5),) * 2, (None, None))[0]
    for _ in range(3):
        for state in wander(game, rng):
            if game.player(state) < 0:
                continue
            deals = (state, *(redeal_hidden(state, state.mover, rng) for _ in range(2)))
            found = [
                kernels.next_single_action(compiled, players, 0, state_array(game, one), np.uint64(7)) for one in deals
            ]
            assert found[0] == found[1] == found[2]


def test_learned_strategies_play_in_any_match():
    """The lifted strategy by views has the mean of the compiled match, within both errors."""
    game = koikoi()
    keys = Keys(("turns", "called", "points"))
    sampler = RoundSampler(KeyedRounds(game, keys), RoundSampling("probe", k=1, every=500), seed=1)
    sampler.advance(6000)
    lifted = td.StrategyAgent("lifted", abstract_koikoi(game, keys).lift(sampler.average().at_key))
    match = td.duplicate_match(game, [lifted, td.RandomAgent()], deals=40, seed=3)
    fast = contest(game.rules, Contestant("average"), Contestant("random"), 3000, samplers=(sampler, None))
    assert match.agents == ("lifted", "random")
    # Random play of that table calls koi-koi half the time; the other always stops.
    assert abs(match.mean[0] - fast.mean) < 4 * np.hypot(11 / np.sqrt(80), fast.error)
    rng = random.Random(1)
    for state in wander(game, rng):
        if game.player(state) >= 0:
            chances = lifted.strategy(state.mover, game.view(state, state.mover), game.actions(state))
            assert sum(chances.values()) == pytest.approx(1) and set(chances) == set(game.actions(state))


def test_networks_play_the_seats_of_their_simulator():
    """Random play that always stops loses 2.566 +- .009 to greedy play; the dealer wins .279 in self-play."""
    simulator = RoundsSimulator(koikoi())

    def stopping(player, seen, legal):
        legal = legal & ~(legal[:, [STOP]] & (np.arange(50) == CALL))
        return legal / legal.sum(axis=1, keepdims=True)

    against = network_contest(simulator, stopping, Contestant("greedy"), 1500, seed=1)
    assert abs(against.mean + 2.566) < 4 * np.hypot(against.error, 0.009) < 0.8
    alike = network_contest(simulator, stopping, Contestant("random"), 1500, seed=2)
    dealing = (alike.points[:, 0] - alike.points[:, 1]) / 2
    assert abs(alike.mean) < 4 * alike.error and abs(dealing.mean() - 0.2792) < 4 * dealing.std() / np.sqrt(1500)
    assert np.array_equal(alike.points, network_contest(simulator, stopping, Contestant("random"), 1500, seed=2).points)
