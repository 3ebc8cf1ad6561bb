"""Our exploiter of any number of opponents, and source 004's tables beside it."""

from itertools import permutations

import numpy as np
import pytest

import tefuda as tf
from tefuda import agents, match
from tefuda.adaptive import PLAYERS, AdaptiveExploiter, named_agents
from tefuda.histogram import Histogram, state_rows
from tefuda.opponents import Evidence
from tefuda.papers import three_players as paper
from tefuda.perturbed import trembling
from tests.conftest import compiled


@pytest.fixture(scope="module")
def three():
    tree = compiled("leduc", players=3)
    return tree, agents.equilibrium(tree)


@pytest.mark.parametrize("pair", ["ED", "FD", "GD", "EE", "EF", "EG", "FF", "FG", "GG"])
def test_nearly_all_that_can_be_won(three, pair):
    """At least 85 % of the exact best response within 1,500 hands a seating (93 to 99 % within 5,000)."""
    tree, table = three
    found = match.duplicate_match(tree, paper.seated(tree, table, f"I{pair}"), deals=1500, seed=1)
    best = paper.most(tree, table, f"I{pair}", list(permutations(range(3))))
    assert found.mean[0] >= 0.85 * best - 2 * found.error[0]


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["ED", "FD", "GD", "EE", "EF", "EG", "FF", "FG", "GG"])
def test_nine_tenths_after_five_thousand_hands(three, pair):
    """{E, F, G} beside {E, F, G, D}: 90 % of the exact best response over 5,000 hands a seating."""
    tree, table = three
    found = match.duplicate_match(tree, paper.seated(tree, table, f"I{pair}"), deals=5000, seed=1)
    assert found.mean[0] >= 0.9 * paper.most(tree, table, f"I{pair}", list(permutations(range(3))))


def test_nobody_weak_nothing_lost(three):
    """Beside two equilibrium players it plays the equilibrium, and wins exactly what they do."""
    tree, table = three
    found = match.duplicate_match(tree, paper.seated(tree, table, "IDD"), deals=600, seed=2)
    assert np.abs(found.mean).max() <= 0.05 + 3 * found.error.max()
    player = AdaptiveExploiter("I", table)
    match.play_seating(match.Task(tree, [player, *paper.seated(tree, table, "DD")], (0, 1, 2), match.Plan(600, seed=2)))
    assert not player.weak(1) and not player.weak(2)


#: Deviations of what the first agent, D and the third win on a deal (the mean of six hands), 60,000 deals.
PAIRED = {
    ("BDF", "nothing"): (1.82, 1.81, 1.98), ("BDF", "cards"): (1.19, 1.20, 1.66), ("BDF", "luck"): (1.00, 1.00, 2.00),
    ("CDG", "nothing"): (2.34, 2.24, 2.35), ("CDG", "cards"): (2.15, 2.13, 2.13), ("CDG", "luck"): (1.38, 2.76, 1.38),
}  # fmt: skip


@pytest.mark.parametrize("line_up, shared", PAIRED)
def test_what_pairing_buys(three, line_up, shared):
    """Common cards and common luck reduce the deviation by deal as measured with another table of D."""
    tree, table = three
    found = match.duplicate_match(
        tree, paper.seated(tree, table, line_up), deals=4000, seed=5, play=True, shared=shared
    )
    assert found.by_deal.std(axis=0, ddof=1) == pytest.approx(PAIRED[line_up, shared], rel=0.06)


def test_states_of_rows(three):
    """60 states of 20 cards and 3 numbers of raises; rows of one state and letter share a place."""
    tree, _ = three
    states = Histogram(tree.rules, unseen=True)
    place = state_rows(tree, states)
    assert states.counts.shape[:4] == (2, 3, 5, 4) and place.max() < states.counts.size
    number = tree.number("1: KQ|ccc/r")
    row = int(tree.first_row[number]) + tree.labels(number).index("f")
    assert np.unravel_index(place[row], states.counts.shape) == (
        1,
        1,
        states.ranks.index("Q"),
        states.ranks.index("K"),
        0,
    )


def test_seats_of_different_runs_do_not_belong_together(three):
    """Profiles mixed from runs of .002 to .006 have a NashConv of .041 to .217: equilibria are not interchangeable."""
    tree, table = three
    other = tf.solve(tree, "ema", until=1e-3, iterations=5000).profile
    assert max(tf.nash_conv(tree, one) for one in (table, other)) <= 1.01e-3
    assert max(tf.nash_conv(tree, table.replace(seat, other)) for seat in range(3)) > 5e-3


def hands(tree, seat):
    """What a seat sees of every end of a game, with the end's history."""
    table = match.table_of(tree)
    for end in tree.terminals.tolist():
        moves, node = [], 0
        for label in tree.history(end):
            place = tree.label_sets[tree.label_set[node]].index(label)
            if tree.player[node] >= 0:
                moves.append(agents.Move(int(tree.player[node]), int(tree.infoset[node]), label))
            node = int(tree.first_child[node]) + place
        yield end, table.sight(end, moves, seat)


@pytest.mark.parametrize("name, players", [("leduc", 2), ("kuhn", 3)])
def test_evidence_beside_an_equilibrium_has_a_mean_of_one(name, players):
    """Summed over all hands, hidden cards and all: the ratio's expectation is 1 whatever the models say."""
    tree = compiled(name, players=players)
    rng = np.random.default_rng(3)
    equilibrium, models = tf.Profile.random(tree, rng), {p: tf.Profile.random(tree, rng) for p in range(1, players)}
    played = trembling(equilibrium, 1e-3)
    chance = tf.reach(tree, played).total
    total = np.zeros(players)
    for end, sight in hands(tree, 0):
        evidence = Evidence(equilibrium, 0)
        evidence.see(sight, models)
        total += chance[end] * np.exp(evidence.log_ratio)
    assert total == pytest.approx(np.ones(players), abs=1e-12)


@pytest.mark.parametrize(
    "name, always, least",
    [
        ("kuhn", agents.always_raise, 0.9), ("kuhn", agents.always_pass, 0.9), ("liars_dice", agents.always_raise, 0.9),
        ("goofspiel", agents.always_raise, 0.3), ("goofspiel", agents.always_pass, 0.9),
        ("leduc", agents.always_raise, 0.9), ("leduc", agents.always_pass, 0.9), ("leduc", tf.Profile.uniform, 0.8),
    ],
)  # fmt: skip
def test_it_finds_who_always_does_the_same(name, always, least):
    """Always the last action is good in goofspiel now and then, and less surprising than the equilibrium itself; who
    always folds never shows a card."""
    tree = compiled(name, **{"goofspiel": {"cards": 4}, "liars_dice": {"sides": 3}}.get(name, {}))
    table, bold = agents.equilibrium(tree), always(tree)
    best = np.mean([tf.best_response(tree, bold, seat).value for seat in (0, 1)])
    players = [AdaptiveExploiter("I", table), agents.ProfileAgent("bold", bold)]
    found = match.duplicate_match(tree, players, deals=2000, seed=1)
    assert found.mean[0] >= least * best - 2 * found.error[0]
    alone = match.duplicate_match(tree, [players[0], agents.ProfileAgent("table", table)], deals=500, seed=1)
    assert np.abs(alone.mean).max() <= 0.02 + 3 * alone.error.max()


def test_named_agents():
    """Every name makes an agent; the table is made once."""
    tree = compiled("leduc")
    made = named_agents(tree, [*PLAYERS, "equilibrium", "uniform"])
    assert [agent.name for agent in made] == [*PLAYERS, "equilibrium", "uniform"]
    assert made[0].equilibrium is made[-2].profile
    with pytest.raises(tf.UnknownNameError, match="exploiter"):
        named_agents(tree, ["exploitr"])
