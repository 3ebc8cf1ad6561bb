"""Agents of whole hands: their actions, and winnings against weaker agents."""

import pytest

import tefuda as td
from tefuda.holdem.hands.agents import CallingAgent, EquityAgent
from tefuda.holdem.hands.whole import holdem
from tefuda.playing.agents import Decision


def decided(game, cards, done, point=0.7):
    """What the equity player does, heads-up on the button, after labels."""
    state = game.root()
    for label in f"{cards} {done}".split():
        state = game.child(state, label)
    agent, seat = EquityAgent(), game.player(state)
    agent.start(game, seat)
    actions = game.actions(state)
    return actions[agent.act(Decision(-1, game.view(state, seat), actions, point, seat))]


#: The button's cards and what came before: what it does.
DECISIONS = [
    ("As Ah", "", "100%"),  # worth more than 1.5 times a random hand
    ("7h 2c", "", "c"),  # 35 % of the pot, for a quarter of it
    ("7h 2c", "c a", "f"),
    ("7h 2c", "c c Ad Kd Qd c", "c"),  # a check costs nothing
    ("As Ah", "c a", "c"),  # nothing is left to raise
]


@pytest.mark.parametrize("cards, done, action", DECISIONS)
def test_equity_bets_what_its_hand_is_worth(cards, done, action):
    assert decided(holdem(), f"Jc 4d {cards}", done) == action


def test_equity_counts_who_is_left():
    """J5 offsuit wins 47 % from one random hand, 29 % from two; 990 into 2,010 ask for 33 %, 50 into 75 for 40."""
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
    """From callers and random players, by more than the interval; chips add up."""
    game = td.load_game("holdem", **given)
    agents = [EquityAgent(samples=40), *(CallingAgent(f"caller {number}") for number in range(1, game.players))]
    match = td.duplicate_match(game, agents, deals=60, seed=2)
    assert match.interval()[0, 0] > 0 and match.mean.sum() == pytest.approx(0)
    again = td.duplicate_match(td.RulesTable(game), agents, deals=5, seed=2)
    assert again.mean.tolist() == td.duplicate_match(game, agents, deals=5, seed=2).mean.tolist()


def test_agents_by_name():
    named = td.named_agents(td.load_game("holdem"), ["equity", "caller", "random"])
    assert [agent.name for agent in named] == ["equity", "caller", "random"]
    with pytest.raises(td.ParameterError, match="load_game"):
        EquityAgent().start(td.load_game("kuhn"), 0)
