"""Agents of Koi-Koi in matches, and their messages."""

import json
from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.exploiting.roster import roster_of
from tefuda.games.kit import kit_of
from tefuda.koikoi.game import CALL, DRAW, KOI, STOP
from tefuda.koikoi.match_state import MatchState
from tefuda.koikoi.players import archive
from tefuda.koikoi.players.advice import Adviser
from tefuda.koikoi.players.ladder import PlayerConfiguration
from tefuda.koikoi.playing import agents
from tefuda.koikoi.playing.agents import AdvisedAgent, GreedyAgent
from tefuda.koikoi.records import deal
from tefuda.koikoi.reduced import koikoi, mini8
from tefuda.koikoi.rules import PRESETS, find_rules
from tefuda.playing.agents import Decision
from tests.koikoi.random_rounds import DATA, needs_data, states

GAME = koikoi()
KINDS = ("tables", "search")


def play_deck(game, deck, agents):
    """Play a round with this deck; return its last state."""
    state, drawn = deal(game, deck), iter(deck[24:])
    for seat, agent in enumerate(agents):
        agent.start(game, seat)
    while (mover := game.player(state)) != td.TERMINAL:
        if state.phase == DRAW:
            label = game.codes[next(drawn)]
        elif mover == td.CHANCE:
            label = game.actions(state)[0]
        else:
            turn = Decision(-1, game.view(state, mover), game.actions(state), 0.5, mover)
            label = turn.actions[agents[mover].act(turn)]
        state = game.child(state, label)
    return state


@needs_data
def test_greedy_agents_play_the_known_deals():
    """The 100 deals that define greedy play have known points and turns."""
    for row in json.loads((DATA / "greedy-deals.json").read_text()):
        end = play_deck(GAME, row["deck"], [GreedyAgent(), GreedyAgent()])
        assert (end.points, end.turn) == (row["dealer_points"], row["turns"])


class Stopping(td.RandomAgent):
    """Random play that stops at the first yaku."""

    def act(self, turn):
        return turn.actions.index("stop") if "stop" in turn.actions else super().act(turn)


def test_greedy_beats_random():
    """The gain is 2.566 points a round, as measured on 400,000 rounds.

    4 standard errors of pairs of rounds.
    """
    found = td.duplicate_match(GAME, [GreedyAgent(), Stopping()], deals=150)
    assert abs(found.mean[0] - 2.566) < 4 * found.error[0] < 2.5


def test_progress_of_learning_is_reported(little_learned):
    """Every report of the learner reaches the callback."""
    said = []
    td.named_agents(GAME, ["greedy", "flat-100"], notify=said.append)
    assert said == []
    td.named_agents(GAME, ["search"], notify=said.append)
    assert len(said) == 21 and said[1].startswith("learning value tables, round 100 of 2,000")


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_need_no_learning(preset, monkeypatch):
    """The default opponent has tables, outcome counts and compiled kernels before the first round."""
    monkeypatch.setattr(archive, "learn_tables", lambda *_, **__: pytest.fail("tables are learned"))
    monkeypatch.setattr(agents, "count_outcomes", lambda *_, **__: pytest.fail("rounds are surveyed"))
    game = koikoi(preset)
    assert next(iter(kit_of(game).agents())) == next(iter(roster_of(game))) == "search"
    (agent,) = td.named_agents(game, ["search"], notify=pytest.fail)
    agent.stand(MatchState(game.rules), 1)
    assert agent._utility.shape == (2, 301)


def test_the_default_opponent_needs_no_learning():
    """It is the network for rules without shipped tables, and greedy play for reduced games."""
    first = [next(iter(kit_of(game).agents())) for game in (koikoi(double_at=9), mini8())]
    assert first == ["neural", "greedy"]


def test_advised_agents_follow_their_adviser(little_learned):
    """A search in any match is reproducible and beats random play; reduced games are refused."""
    found = [duplicate(["tables", "random"], 40) for _ in range(2)]
    assert np.array_equal(found[0].payoffs, found[1].payoffs) and found[0].mean[0] > 2 * found[0].error[0]
    (search,) = td.named_agents(GAME, ["search"])
    search.configuration = replace(search.configuration, determinizations=20)
    adviser = Adviser(GAME, search.configuration, little_learned)
    search.start(GAME, 0)
    for state in states(GAME, 2):
        if GAME.player(state) == 0:
            view, actions = GAME.view(state, 0), GAME.actions(state)
            place = search.act(Decision(-1, view, actions, 0.25, 0))
            assert actions[place] == adviser.advise(view, 0, int(0.25 * 2**53))[0].action
    with pytest.raises(td.errors.ParameterError, match="whole"):
        search.start(mini8(), 0)
    assert set(roster_of(mini8())) & {"tables", "flat-100"} == set()


def duplicate(names, deals):
    return td.duplicate_match(GAME, td.named_agents(GAME, names), deals=deals)


def test_an_agent_ahead_in_the_last_round_stops(learned):
    """If it would call koi-koi for points, it stops if that wins the match."""
    rules, agents = find_rules(rounds=1), [AdvisedAgent(kind, PlayerConfiguration(kind, 50), learned) for kind in KINDS]
    told, points = MatchState(rules, 0, 0, 1), dict.fromkeys(KINDS, 0)
    for way in (states(GAME, seed) for seed in range(60)):
        for state in way:
            seat, actions = state.mover, GAME.actions(state)
            if state.phase != KOI or len(actions) < 2:
                continue
            turn = Decision(-1, GAME.view(state, seat), actions, 0.5, seat)
            for agent in agents:
                agent.start(GAME, seat)
                agent._utility = None
                calls = actions[agent.act(turn)] == CALL
                agent.stand(replace(told, dealer=seat), 0)
                assert actions[agent.act(turn)] == STOP
                points[agent.name] += calls
    assert min(points.values()) > 3
