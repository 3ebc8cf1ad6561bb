"""No registered player of Koi-Koi uses hidden cards.

Redealt hidden cards must not change any observation or action.
"""

import random
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import tefuda as td
from tefuda.exploiting.roster import roster_of
from tefuda.koikoi.players.advice import Adviser
from tefuda.koikoi.players.ladder import AGENTS, PlayerConfiguration
from tefuda.koikoi.reduced import koikoi, mini12
from tefuda.playing.agents import Decision
from tefuda.solvers.sampled.search import trace_entry
from tests.koikoi.random_rounds import redeal_hidden_along, states

GAMES = {"koikoi": koikoi(), "japan": koikoi("koikoi_japan"), "mini12": mini12(), "merged": mini12(merged=True)}
POINTS = (0.1, 0.6)  # random numbers of agents
#: Tested elsewhere: test_terminal checks that a person sees no hidden cards.
ELSEWHERE = {"human"}


def decisions(game, rounds, every=1):
    """Yield some decisions of random rounds, with the true hidden cards and with redealt ones."""
    rng = random.Random(5)
    paths = [states(game, seed) for seed in range(rounds)]
    ways = [path[: at + 1] for path in paths for at, state in enumerate(path) if game.player(state) >= 0]
    for way in islice(ways, 0, None, every):
        yield way, redeal_hidden_along(way, way[-1].mover, rng)


@pytest.mark.parametrize("name", GAMES)
def test_observations_reveal_no_hidden_cards(name):
    """Views, texts, actions and network inputs are equal, at every decision and on the path to it."""
    game, count = GAMES[name], 0
    simulator = td.forms.RulesSimulator(game)
    for way, twin in decisions(game, 2):
        player, ends = way[-1].mover, (way[-1], twin[-1])
        assert [game.view(state, player) for state in way] == [game.view(state, player) for state in twin]
        assert game.actions(ends[0]) == game.actions(ends[1]) and ends[0].field == ends[1].field
        stepped = np.empty(2, dtype=object)
        stepped[:] = [simulator._at(state, None, 0) for state in ends]
        given = simulator.observe(stepped)
        assert np.array_equal(*given) and given.any()
        count += ends[0].hands[1 - player] != ends[1].hands[1 - player]
    assert count > 5


def done(agent, game, way):
    """Return the actions of an agent at the last state of a path, for several random numbers."""
    player, found = way[-1].mover, []
    for point in POINTS:
        agent.start(game, player)
        if hasattr(agent, "observe"):
            for state in way:
                agent.observe(trace_entry(game, state, player))
        found.append(agent.act(Decision(-1, game.view(way[-1], player), game.actions(way[-1]), point, player)))
    return found


@pytest.mark.parametrize("name", ["koikoi", "mini12"])
def test_no_agent_sees_hidden_cards(name, little_learned):
    """The test covers every agent of the roster for these games.

    Agents that need a tree know only the number of the infoset.
    """
    game = GAMES[name]
    able = [agent for agent, entry in roster_of(game).items() if entry.tree != "needs" and agent not in ELSEWHERE]
    made = dict(zip(able, td.named_agents(game, able), strict=True))
    assert {"greedy", "oos", "random", "search"} <= set(made)
    for agent in made.values():
        if isinstance(agent, td.playing.SearchAgent):
            agent.iterations = 2
        elif hasattr(agent, "configuration") and agent.configuration.kind == "search":
            agent.configuration = replace(agent.configuration, determinizations=50)
    for way, twin in decisions(game, 2, every=9):
        for agent in made.values():
            assert done(agent, game, way) == done(agent, game, twin), agent.name


VARIANTS = {
    "weighing": PlayerConfiguration("search", 20, hands=30),
    "four turns": PlayerConfiguration("search", 2000, depth=4),
    "tree": PlayerConfiguration("search", 200, allocation="tree", depth=4),
}


@pytest.mark.parametrize("name", [*AGENTS, *VARIANTS])
def test_no_adviser_sees_hidden_cards(name, little_learned):
    """Redealt hidden cards do not change a candidate's value for any agent of the league or searcher."""
    game, player = koikoi(), (AGENTS | VARIANTS)[name]
    adviser = Adviser(game, player, little_learned)
    for way, twin in decisions(game, 1, every=3):
        one, two = (adviser.advise(game.view(at[-1], at[-1].mover), at[-1].mover, 5) for at in (way, twin))
        assert repr(one) == repr(two) and one[0].action in game.actions(way[-1])
