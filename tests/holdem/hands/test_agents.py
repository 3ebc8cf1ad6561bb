"""Agents of whole hands: their actions, and winnings against weaker agents."""

import pytest

import tefuda as td
from tefuda.holdem.hands.agents import CallingAgent, EquityAgent
from tefuda.holdem.hands.whole import holdem
from tefuda.playing.agents import Decision


def decided(game, cards, done, point=0.7):
    """Return the equity player's action heads-up on the button after some labels."""
    state = game.root()
    for label in f"{cards} {done}".split():
        state = game.child(state, label)
    agent, seat = EquityAgent(), game.player(state)
    agent.start(game, seat)
    actions = game.actions(state)
    return actions[agent.act(Decision(-1, game.view(state, seat), actions, point, seat))]


#: The button's cards, the actions so far, and the expected action.
DECISIONS = [
    ("As Ah", "", "100%"),  # more than 1.5 times as strong as a random hand
    ("7h 2c", "", "c"),  # 35 % of the pot, for a quarter of it
    ("7h 2c", "c a", "f"),
    ("7h 2c", "c c Ad Kd Qd c", "c"),  # a check costs nothing
    ("As Ah", "c a", "c"),  # no raise is possible
]


@pytest.mark.parametrize("cards, done, action", DECISIONS)
def test_equity_bets_by_the_strength_of_its_hand(cards, done, action):
    assert decided(holdem(), f"Jc 4d {cards}", done) == action


def test_equity_counts_the_remaining_players():
    """J5 offsuit wins 47 % against one random hand, 29 % against two; the pot odds are 33 and 40 %."""
    assert decided(holdem(players=3), "As Ks Jd 5c Qc Qd", "a c") == "f"
    assert decided(holdem(players=3, stacks=[1000, 1000, 60]), "As Ks Jd 5c Qc Qd", "a f") == "c"


def test_equity_bluffs_one_time_in_ten():
    found = [decided(holdem(), "Jc 4d 7h 2c", "c c Ad Kd Qd c", point / 40) for point in range(40)]
    assert found.count("50%") == 4 and found.count("c") == 36
    assert decided(holdem(bets="any"), "Jc 4d 7h 2c", "c c Ad Kd Qd c", 0.01) == "r10"
    assert decided(holdem(limit=True), "Jc 4d As Ah", "") == "r"


def test_callers_call():
    agent = CallingAgent()
    assert agent.act(Decision(-1, "", ("f", "c", "a"), 0.9)) == 1 and agent.act(Decision(-1, "", ("c", "a"), 0.9)) == 0


@pytest.mark.parametrize("given", [dict(limit=True), dict(players=3)])
def test_equity_wins(given):
    """Callers and random players lose more than the interval; chips sum to 0."""
    game = td.load_game("holdem", **given)
    agents = [EquityAgent(samples=40), *(CallingAgent(f"caller {number}") for number in range(1, game.players))]
    match = td.duplicate_match(game, agents, deals=60, seed=2)
    assert match.interval()[0, 0] > 0 and match.mean.sum() == pytest.approx(0)
    again = td.duplicate_match(td.playing.RulesTable(game), agents, deals=5, seed=2)
    assert again.mean.tolist() == td.duplicate_match(game, agents, deals=5, seed=2).mean.tolist()


def test_agents_by_name():
    named = td.named_agents(td.load_game("holdem"), ["equity", "caller", "random"])
    assert [agent.name for agent in named] == ["equity", "caller", "random"]
    with pytest.raises(td.errors.ParameterError, match="load_game"):
        EquityAgent().start(td.load_game("kuhn"), 0)
