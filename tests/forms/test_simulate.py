"""The simulator that steps many games over a tree at once, and the records of traversals."""

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.rules_simulator import RulesSimulator
from tefuda.forms.simulate import TreeSimulator, cumulative_probabilities, traversal_histories
from tefuda.games.protocol import CHANCE
from tefuda.holdem.hands.simulator import HandsSimulator
from tefuda.koikoi.simulator import RoundsSimulator
from tefuda.solvers.sampled.levels import sample_each
from tests.conftest import compiled


@pytest.mark.parametrize("name", ["kuhn", "leduc", "rps"])
def test_simulated_games_are_games(name):
    """The mean payoffs of uniform play agree with exact evaluation, and games stay in the tree."""
    tree, rng = compiled(name), np.random.default_rng(1)
    simulator, total, count = TreeSimulator(tree), np.zeros(tree.players), 0
    games = simulator.deal(20_000, rng)
    while len(games):
        legal = simulator.legal(games)
        assert np.array_equal(legal.sum(axis=1), tree.child_count[games])
        games = simulator.step(games, sample_each(legal / legal.sum(axis=1, keepdims=True), rng), rng)
        over = simulator.player(games) < 0
        total, count = total + simulator.payoffs(games[over]).sum(axis=0), count + over.sum()
        games = games[~over]
    exact = td.values(td.Profile.uniform(tree))
    assert count == 20_000 and total / count == pytest.approx(exact, abs=4.5 * 6 / np.sqrt(count))


@pytest.mark.parametrize("name", ["kuhn", "leduc", "nonlocal"])
def test_chance_draws_by_its_probabilities(name):
    """Frequencies after the deal are within five standard deviations of the probabilities."""
    tree = compiled(name)
    first = tree.children(0)
    assert tree.player[0] == CHANCE
    dealt = TreeSimulator(tree).deal(30_000, np.random.default_rng(2))
    while not np.isin(dealt, first).all():
        dealt = np.where(np.isin(dealt, first), dealt, tree.parent[dealt])
    chances = tree.chance[first]
    found = np.array([(dealt == node).mean() for node in first])
    assert np.abs(found - chances).max() < 5 * np.sqrt(0.25 / 30_000)


def test_a_step_is_an_action_and_chance_moves():
    """The last decision before the new game is the previous game."""
    tree, rng = compiled("leduc"), np.random.default_rng(5)
    simulator = TreeSimulator(tree)
    games, boards = simulator.deal(500, rng), 0
    while len(games):
        legal = simulator.legal(games)
        after = simulator.step(games, sample_each(legal / legal.sum(axis=1, keepdims=True), rng), rng)
        above = tree.parent[after]
        drawn = tree.player[above] == CHANCE
        assert np.array_equal(np.where(drawn, tree.parent[above], above), games)
        games, boards = after[simulator.player(after) >= 0], boards + drawn.sum()
    assert boards > 100


def test_positions_of_a_checkpoint_are_checked():
    tree, rng = compiled("kuhn"), np.random.default_rng(3)
    simulator = TreeSimulator(tree)
    games = simulator.deal(5, rng)
    assert np.array_equal(simulator.load_games(simulator.save_games(games), 5), games)
    for wrong in (games[:4], np.full(5, len(tree.player)), np.full(5, -1), tree.terminals[:5].astype(np.int64)):
        with pytest.raises(td.errors.RunError):
            simulator.load_games(wrong, 5)


SIMULATORS = {
    "tree": lambda: TreeSimulator(compiled("leduc")),
    "rules": lambda: RulesSimulator(td.load_game("leduc")),
    "hands": lambda: HandsSimulator(td.load_game("holdem", limit=True)),
    "rounds": lambda: RoundsSimulator(td.load_game("koikoi")),
}


@pytest.mark.parametrize("name", SIMULATORS)
def test_only_games_in_play_are_stepped(name):
    """Finished games and invalid action ids are refused; the given games do not change."""
    simulator, rng = SIMULATORS[name](), np.random.default_rng(4)
    games, over = simulator.deal(20, rng), None
    while over is None:
        units = simulator.legal(games).argmax(axis=1)  # the first legal action ends games soon
        before = simulator.player(games).tolist()
        after = simulator.step(games, units, rng)
        assert simulator.player(games).tolist() == before
        ended = simulator.player(after) < 0
        over, games = (after if ended.any() else None), after
    ended = simulator.player(over) < 0
    units = np.where(ended, 0, simulator.legal(over).argmax(axis=1))
    with pytest.raises(td.errors.ParameterError, match=f"game {int(ended.argmax())} has ended"):
        simulator.step(over, units, rng)
    games = simulator.deal(3, rng)
    for wrong in ([0, -1, 0], [0, 0, simulator.units], [0, 0], [[0], [0], [0]], [0.0, 0.0, 0.0]):
        with pytest.raises(td.errors.ParameterError, match="units"):
            simulator.step(games, np.array(wrong), rng)


def test_traversal_records(tree):
    """Records hold the player, the children, the row or the payoffs; chances sum to 1."""
    found, sums = traversal_histories(tree), cumulative_probabilities(tree)
    assert traversal_histories(tree) is found and np.array_equal(found.nodes[:, 0], tree.player + 2)
    for node in range(0, len(tree.player), 5):
        mover, first, place, count = found.nodes[node].tolist()
        assert (first if count else 0, count) == (tree.first_child[node], tree.child_count[node])
        if mover >= 2:
            assert place == tree.rows_of(tree.infoset[node]).start
        elif mover == 0:
            assert tuple(found.payoffs[place]) == tree.payoffs_at(node)
        else:
            assert sums[tree.children(node)] == pytest.approx(np.cumsum(tree.chance[tree.children(node)]))
    dealt = traversal_histories(compiled("kuhn"), (0.5, 0.1, 0.1, 0.1, 0.1, 0.1))
    assert dealt.deal.tolist() == pytest.approx([0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    with pytest.raises(td.errors.ParameterError, match="deal"):
        traversal_histories(compiled("kuhn"), (0.5, 0.5))
