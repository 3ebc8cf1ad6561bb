"""Koi-Koi at the table of any match: views read back, agents that see only what they may."""

import json
import random
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import tefuda as tf
from tefuda.exploiting.roster import roster_of
from tefuda.koikoi import agents
from tefuda.koikoi.advice import Adviser
from tefuda.koikoi.agents import GreedyAgent
from tefuda.koikoi.game import DRAW
from tefuda.koikoi.league import AGENTS
from tefuda.koikoi.records import deal
from tefuda.koikoi.reduced import koikoi, mini8, mini12
from tefuda.koikoi.sight import read_sight
from tefuda.koikoi.worth import Learning, learn
from tefuda.playing.agents import Turn
from tests.koikoi.worlds import hidden_apart, states

DATA = Path(__file__).parents[3] / "shared" / "data" / "koikoi"
needs_data = pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not there")
GAMES = {"koikoi": koikoi(), "japan": koikoi("koikoi_japan"), "mini8": mini8(), "merged": mini12(merged=True)}


@pytest.mark.parametrize("game", [mini8(merged=True), mini12(merged=True)], ids=str)
def test_views_of_merged_cards_tell_what_is_known_by_kinds(game):
    """All that is open is as it is; what was not seen is in the stock. (Other games: test_koikoi_sampler.)"""
    for seed in range(20):
        for state in states(game, seed):
            if (player := game.player(state)) >= 0:
                seen = read_sight(game, game.view(state, player), player)
                assert (seen.phase, seen.turn, seen.calls) == (state.phase, state.turn, state.calls)
                found = (seen.field, *seen.piles, *seen.called, seen.hands[player], seen.stock)
                hidden = state.stock | state.hands[1 - player]
                real = (state.field, *state.piles, *state.called, state.hands[player], hidden)
                assert [game.text(cards) for cards in found] == [game.text(cards) for cards in real]
                assert game.actions(seen) == game.actions(state) and seen.hands[1 - player] == 0


def test_what_is_no_view_is_refused():
    for view in ("", "1B|2A", "1B|2A| 9X", "1Z|2A|", "1B|1B|", None, 7):
        with pytest.raises(tf.ParameterError, match="no view"):
            read_sight(GAMES["koikoi"], view, 0)


@pytest.mark.parametrize("name", GAMES)
def test_draws_come_as_often_as_chances_say(name):
    """At the deal and at a draw, and with the probability that is told; forced moves take no luck."""
    game = GAMES[name]
    some = {state.phase: state for state in states(game, 1) if game.player(state) == tf.CHANCE}
    for state in some.values():
        known, rng = dict(game.chances(state)), random.Random(1)
        found = [game.draw(state, rng.random) for _ in range(400)]
        assert all(known[label] == chance for label, chance in found)
        if len(known) == 1:
            game.draw(state, lambda: 1 / 0) if state.phase != DRAW else None
        elif len(known) < 60:
            for label, chance in known.items():
                count, p = sum(one == label for one, _ in found), float(chance)
                assert abs(count - 400 * p) < 5 * (400 * p * (1 - p)) ** 0.5 + 1


def play_deck(game, deck, agents):
    """A round with this deck; return its last state."""
    state, drawn = deal(game, deck), iter(deck[24:])
    for seat, agent in enumerate(agents):
        agent.start(game, seat)
    while (mover := game.player(state)) != tf.TERMINAL:
        if state.phase == DRAW:
            label = game.codes[next(drawn)]
        elif mover == tf.CHANCE:
            label = game.actions(state)[0]
        else:
            turn = Turn(-1, game.view(state, mover), game.actions(state), 0.5, mover)
            label = turn.actions[agents[mover].act(turn)]
        state = game.child(state, label)
    return state


@needs_data
def test_greedy_agents_play_the_known_deals():
    """Points and turns of the 100 deals that fix what greedy play is."""
    game = GAMES["koikoi"]
    for row in json.loads((DATA / "greedy-deals.json").read_text()):
        end = play_deck(game, row["deck"], [GreedyAgent(), GreedyAgent()])
        assert (end.points, end.turn) == (row["dealer_points"], row["turns"])


class Stopping(tf.RandomAgent):
    """Random play that stops at the first yaku."""

    def act(self, turn):
        return turn.actions.index("stop") if "stop" in turn.actions else super().act(turn)


def test_greedy_beats_random():
    """By 2.566 points a round (measured on 400,000 rounds, elsewhere); 4 standard errors of pairs of rounds."""
    found = tf.duplicate_match(GAMES["koikoi"], [GreedyAgent(), Stopping()], deals=150)
    assert abs(found.mean[0] - 2.566) < 4 * found.error[0] < 2.5


@pytest.fixture
def little_learned(monkeypatch):
    """Tables of a few rounds instead of those that take two minutes."""
    worth = learn(GAMES["koikoi"].rules, Learning(rounds=2000))

    def known(rules, *, progress):
        for done in range(0, 2001, 100):
            progress(done, 2000)
        return worth

    monkeypatch.setattr(agents, "known", known)
    return worth


def test_it_is_told_how_far_tables_are(little_learned):
    """By whoever makes agents, at every report; to a person who asks for a hint, at every tenth."""
    game, said, lines = GAMES["koikoi"], [], []
    tf.named_agents(game, ["greedy", "flat-100"], tell=said.append)
    assert said == []
    tf.named_agents(game, ["search"], tell=said.append)
    assert len(said) == 21 and said[1] == "learning tables, round 100 of 2,000; they are kept afterwards"
    (person,) = tf.named_agents(game, ["human"], tell=said.append)
    person.tell = lines.append
    person.start(game, 0)
    state = next(state for state in states(game, 2) if game.player(state) == 0)
    answer = person.help(Turn(-1, game.view(state, 0), game.actions(state), 0.5, 0))
    waited = [line for line in lines if line.startswith("What hints need is learned")]
    assert len(waited) == 11 and waited[3].endswith("round 600 of 2,000.") and "worth, as the searcher" in answer
    assert len(said) == 21


def test_advised_agents_do_what_their_adviser_says(little_learned):
    """A search at the table of any match: reproducible, better than random play; and reduced games are refused."""
    game = GAMES["koikoi"]
    found = [duplicate(game, ["tables", "random"], 40) for _ in range(2)]
    assert np.array_equal(found[0].payoffs, found[1].payoffs) and found[0].mean[0] > 2 * found[0].error[0]
    (search,) = tf.named_agents(game, ["search"])
    search.player = replace(search.player, worlds=20)
    adviser = Adviser(game, search.player, little_learned)
    search.start(game, 0)
    for state in states(game, 2):
        if game.player(state) == 0:
            view, actions = game.view(state, 0), game.actions(state)
            place = search.act(Turn(-1, view, actions, 0.25, 0))
            assert actions[place] == adviser.advise(view, 0, int(0.25 * 2**53))[0].action
    with pytest.raises(tf.ParameterError, match="whole game"):
        search.start(mini8(), 0)
    assert set(roster_of(mini8())) & {"tables", "flat-100"} == set()


def duplicate(game, names, deals):
    return tf.duplicate_match(game, tf.named_agents(game, names), deals=deals)


def test_hints_are_the_searchers_values(little_learned):
    """One for each action, the best first, though what was dropped early was tried in fewer worlds."""
    game = GAMES["koikoi"]
    (person,) = tf.named_agents(game, ["human"])
    person.tell, early = str, 0
    for state in states(game, 2):
        if game.player(state) != 0:
            continue
        view = game.view(state, 0)
        found = person.hints(game, view, 0)
        assert {label for label, _ in found} == set(game.actions(state))
        values = [value for _, value in found]
        assert values == sorted(values, reverse=True) and np.isfinite(values).all()
        advised = Adviser(game, AGENTS["search"], little_learned).advise(view, 0, 0)
        assert dict(found) == {one.action: max(o.value for o in advised if o.action == one.action) for one in advised}
        early += [label for label, _ in found] != list(dict.fromkeys(one.action for one in advised))
    assert early > 0


@pytest.mark.parametrize("name", ["koikoi", "mini12"])
def test_no_agent_sees_hidden_cards(name, little_learned):
    """Hidden cards dealt differently change neither view, words nor actions, nor what any agent of the roster does."""
    game, rng = (mini12() if name == "mini12" else GAMES[name]), random.Random(1)
    able = [
        agent for agent, entry in roster_of(game).items() if entry.tree != "needs" and agent not in ("human", "oos")
    ]
    able = [agent for agent in able if agent != "search" or roster_of(game)["search"].tree == "ignores"]
    assert "greedy" in able
    decided = [
        (state, player) for seed in range(3) for state in states(game, seed) if (player := game.player(state)) >= 0
    ]
    made = dict(zip(able, tf.named_agents(game, able), strict=True))
    for state, player in islice(decided, 0, None, 5):
        twin = hidden_apart(state, player, rng)
        assert game.view(twin, player) == game.view(state, player) and game.actions(twin) == game.actions(state)
        for agent in able:
            chosen = []
            for one in (state, twin):
                made[agent].start(game, player)
                turns = [Turn(-1, game.view(one, player), game.actions(one), point, player) for point in (0.1, 0.6)]
                chosen.append([made[agent].act(turn) for turn in turns])
            assert chosen[0] == chosen[1], agent
