"""Games as environments of PettingZoo: its own tests, and equality with the rules."""

import sys
import warnings

import numpy as np
import pytest

import tefuda as td
from tests.conftest import compiled, rules

pytest.importorskip("pettingzoo")
from pettingzoo.test import api_test, seed_test

#: PettingZoo's warnings for environments with action masks in observations, except those that it knows by name; at the
#: end of a game there is nothing to observe.
KNOWN = ("should be gymnasium.spaces.box", "Observation is not a NumPy array", "all zeros", "is a single number")


@pytest.mark.parametrize("name, parameters", [("kuhn", {}), ("leduc", {"players": 3}), ("koikoi", {}), ("rps", {})])
@pytest.mark.parametrize("encoded", [False, True])
def test_pettingzoo_accepts_the_environment(name, parameters, encoded, capsys):
    game = td.load_game(name, **parameters)
    game = compiled(name, **parameters) if name == "rps" else game
    with warnings.catch_warnings():
        for words in KNOWN:
            warnings.filterwarnings("ignore", message=f".*{words}")
        api_test(td.exchange.to_pettingzoo(game, encoded=encoded), num_cycles=50)
        seed_test(lambda: td.exchange.to_pettingzoo(game, encoded=encoded), num_cycles=50)
    assert "Passed" in capsys.readouterr().out


def play(env, rng, seed=None):
    """Play random actions; return (agent, view, observation, mask, label) of decisions, and rewards."""
    env.reset(seed=seed)
    done, rewards = [], {}
    for agent in env.agent_iter():
        observation, reward, over, cut, info = env.last()
        assert not cut and info == {}
        if over:
            rewards[agent] = reward
            assert not observation["action_mask"].any()
            env.step(None)
            continue
        assert reward == 0
        action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        others = [env.observe(other) for other in env.possible_agents if other != agent]
        assert not any(other["action_mask"].any() for other in others)
        done.append(
            (agent, env.view(agent), observation["observation"], observation["action_mask"], env.labels[action])
        )
        env.step(action)
    return done, rewards


@pytest.mark.parametrize("name, parameters", [("kuhn", {"players": 3}), ("leduc", {}), ("goofspiel", {"cards": 4})])
def test_games_are_those_of_the_rules(name, parameters):
    """Views are infosets, masks their actions, observations the features, rewards the payoffs."""
    game, tree, rng = rules(name, **parameters), compiled(name, **parameters), np.random.default_rng(1)
    env = td.exchange.to_pettingzoo(game)
    for _ in range(60):
        done, rewards = play(env, rng)
        for agent, view, observation, mask, label in done:
            player = int(agent[-1])
            number = tree.number((player, view))
            assert {env.labels[unit] for unit in np.flatnonzero(mask)} == set(tree.labels(number))
            state = tree.state(int(tree.first_history[number]))
            assert label in tree.labels(number)
            if hasattr(game, "features"):
                assert observation.tolist() == np.float32(game.features(state, player)).tolist()
        agent, view, _, _, label = done[-1]
        infoset = tree.number((int(agent[-1]), view))
        paid = [tree.payoffs_at(tree.child(node, label)) for node in tree.histories_of(infoset).tolist()]
        assert tuple(rewards[agent] for agent in env.possible_agents) in paid


def test_chance_and_rewards_have_their_means(kuhn):
    """In 3,000 uniform games of Kuhn poker player 0 wins 1/8 (exact) within four errors."""
    env, rng = td.exchange.to_pettingzoo(kuhn), np.random.default_rng(2)
    won = np.array([[rewards["player_0"], rewards["player_1"]] for _, rewards in (play(env, rng) for _ in range(3000))])
    assert np.array_equal(won[:, 0], -won[:, 1])
    assert abs(won[:, 0].mean() - 0.125) < 4 * won[:, 0].std() / np.sqrt(3000)


def test_seeds_determine_chance(kuhn):
    """The environment's seed, then that of `reset`, determines chance; without one, chance continues."""

    def views(env, *seeds):
        found = []
        for seed in seeds:
            env.reset(seed=seed)
            found.append(env.view("player_0") + env.view("player_1"))
        return found

    deals = [None] * 12
    first = views(td.exchange.to_pettingzoo(kuhn, seed=5), *deals)
    assert (
        first
        == views(td.exchange.to_pettingzoo(kuhn, seed=5), *deals)
        == views(td.exchange.to_pettingzoo(kuhn), 5, *deals[1:])
    )
    assert len(set(first)) > 2 and first != views(td.exchange.to_pettingzoo(kuhn, seed=6), *deals)


def test_labels_of_games_without_declared_labels(leduc):
    """A small game has its labels, a tree in the tree's order; Koi-Koi has its 50 actions."""
    assert td.exchange.to_pettingzoo(leduc.game).labels == td.exchange.to_pettingzoo(leduc).labels == ("c", "r", "f")
    env = td.exchange.to_pettingzoo(td.load_game("koikoi"))
    assert env.action_space("player_0").n == 50 == len(env.labels) and env.labels[48:] == ("stop", "koi-koi")


def test_encoded_views_in_place_of_features(leduc):
    own, encoded = td.exchange.to_pettingzoo(leduc), td.exchange.to_pettingzoo(leduc, encoded=True)
    for env in (own, encoded):
        env.reset(seed=1)
    assert own.view("player_1") == encoded.view("player_1")
    seen = encoded.observe("player_1")["observation"]
    assert set(seen.tolist()) == {0, 1} and seen.shape != own.observe("player_1")["observation"].shape
    assert own.observe("player_1")["observation"].tolist() == list(np.float32(leduc.game.features(own._game.state, 1)))


@pytest.mark.parametrize("action", [2, 3, -1, None, 0.0, "c"])
def test_illegal_actions_are_refused(leduc, action):
    """Fold is action 2, and the first player has no bet to fold to."""
    env = td.exchange.to_pettingzoo(leduc)
    env.reset()
    before = env.observe("player_0")
    with pytest.raises(td.errors.ParameterError, match=r"0 \(c\), 1 \(r\)"):
        env.step(action)
    assert np.array_equal(env.observe("player_0")["action_mask"], before["action_mask"])
    env.step(np.int64(1))
    assert env.agent_selection == "player_1" and isinstance(env.render(), str)


def test_before_a_game_and_without_players():
    env = td.exchange.to_pettingzoo(td.load_game("kuhn"))
    for ask in (lambda: env.step(0), lambda: env.observe("player_0"), env.render):
        with pytest.raises(td.errors.ParameterError, match="reset"):
            ask()
    env.reset()
    with pytest.raises(td.errors.UnknownNameError):
        env.observe("player_2")
    for wrong in ("kuhn", 5):
        with pytest.raises(td.errors.GameError):
            td.exchange.to_pettingzoo(wrong)
    with pytest.raises(td.errors.ParameterError):
        td.exchange.to_pettingzoo(td.load_game("kuhn"), seed=-1)
    env.close()


def test_missing_pettingzoo_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "tefuda.exchange.environment", raising=False)
    with pytest.raises(td.errors.MissingExtraError, match=r"pettingzoo|\[rl\]"):
        td.exchange.to_pettingzoo(td.load_game("kuhn"))
