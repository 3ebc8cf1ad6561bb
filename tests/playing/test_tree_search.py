"""IS-MCTS: equal to minimax with open cards, and another program's figures on Kuhn."""

import random
from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.playing import IsmctsAgent, TreeSearch, coach
from tefuda.playing.agents import Decision
from tests.conftest import compiled, rules
from tests.open_games import Nim, TicTacToe, minimax

#: NashConv of shares of visits on Kuhn poker by iterations, computed by another program.
KUHN = {"single": {100: 0.306, 1000: 0.297, 10000: 0.327}, "multiple": {100: 0.316, 1000: 0.288, 10000: 0.325}}


def profile_of(search, tree):
    return td.Profile.from_function(tree, search.strategy)


@pytest.mark.parametrize("observer", KUHN)
def test_kuhn_poker_does_not_converge(observer):
    tree = compiled("kuhn")
    for iterations, figure in KUHN[observer].items():
        found = [td.nash_conv(profile_of(TreeSearch(tree, iterations, observer, seed=seed), tree)) for seed in range(5)]
        assert np.mean(found) == pytest.approx(figure, abs=0.03)
    search = TreeSearch(tree, 10000, observer)
    assert search.strategy(1, "Q|b", "pb")[1] == pytest.approx(0.988, abs=0.005)  # an equilibrium calls with 1/3


@pytest.mark.parametrize("game", ["tree", "rules"])
def test_certain_decisions_of_kuhn_poker(game):
    search = TreeSearch(compiled("kuhn") if game == "tree" else rules("kuhn"), 2000)
    assert search.strategy(1, "J|b", "pb")[0] > 0.95 < search.strategy(1, "K|b", "pb")[1]


def test_rules_and_their_tree_have_equal_figures():
    """Without a tree root histories are drawn, so the figures agree but for chance."""
    tree = compiled("kuhn")
    for observer in KUHN:
        exact, drawn = (profile_of(TreeSearch(game, 300, observer), tree) for game in (tree, rules("kuhn")))
        assert td.nash_conv(drawn) == pytest.approx(td.nash_conv(exact), abs=0.05)


@pytest.mark.parametrize("observer", KUHN)
def test_nim_is_won_by_minimax(observer):
    """At every decision from which one action wins, of the tree and of the rules."""
    game = Nim(7)
    tree, value = td.compile_game(game), minimax(game)
    assert value(game.root()) == -1
    for number, key in enumerate(tree.keys):
        mover, actions = int(tree.infoset_player[number]), tree.labels(number)
        values = [(1 - 2 * mover) * value(game.child((int(key), mover), action)) for action in actions]
        if len(set(values)) > 1:
            chosen = TreeSearch(tree, 2000, observer, answer="most").strategy(mover, key, actions)
            assert values[chosen.index(1)] == 1


@pytest.mark.slow
def test_tic_tac_toe_is_never_lost():
    """Positions of random play with an error to avoid; 20,000 iterations each."""
    game, draw, checked = TicTacToe(), random.Random(1), 0
    value = minimax(game)
    assert value(game.root()) == 0
    while checked < 4:
        states = [game.root()]
        for _ in range(draw.randrange(2, 5)):
            states.append(game.child(states[-1], draw.choice(game.actions(states[-1]))))
        mover, actions = states[-1][1], game.actions(states[-1])
        values = [(1 - 2 * mover) * value(game.child(states[-1], action)) for action in actions] if mover >= 0 else [0]
        if min(values) < max(values):
            trace = [game.view(state, mover) for state in states]
            chosen = TreeSearch(game, 20_000, answer="most").search(trace, mover, actions)
            assert values[chosen.index(1)] == max(values)
            checked += 1


def test_a_model_weights_the_root_histories():
    """If only a king bets, a queen folds, on a tree and without; if only a jack bets, it calls."""
    tree = compiled("kuhn")
    for bluffs, reply in ((False, 0), (True, 1)):
        model = td.Profile.from_function(
            tree, lambda player, key, actions, bluffs=bluffs: (0, 1) if (key[0] == "J") == bluffs else (1, 0)
        )
        for game in (tree, rules("kuhn")):
            assert TreeSearch(game, 300, model=model, answer="most").strategy(1, "Q|b", ("p", "b"))[reply] == 1
    never = td.Profile.from_function(tree, lambda player, key, actions: (1, 0))
    assert sum(TreeSearch(tree, 300, model=never).strategy(1, "Q|b", ("p", "b"))) == pytest.approx(1)


def test_importance_of_drawn_histories():
    """A trace leads draws from fitting deals to the view; weights restore the probabilities."""
    from tefuda.playing.tree_search import _RulesSearch

    model = td.Profile.from_function(
        compiled("kuhn"), lambda player, key, actions: (0.9, 0.1) if key[0] == "J" else (0.5, 0.5)
    )
    search = TreeSearch(rules("kuhn"), model=model)
    drawn, trace = _RulesSearch(search, search.game, 1, 3), [None, "Q|", "Q|b"]
    fitting = sum(drawn._draw_root(trace)[1] > 0 for _ in range(300)) / 300
    assert fitting == pytest.approx(1 / 3, abs=0.1)  # the deals are drawn, and a third of them gives the queen
    roots, weights = drawn._roots(trace)
    jack = sum(weight for state, weight in zip(roots, weights, strict=True) if "J" in str(state))
    assert len(roots) == 1000 and jack / sum(weights) == pytest.approx(0.1 / 0.6, abs=0.03)


def test_equal_seeds_give_equal_bits():
    """An infoset's answer depends on the seed alone, not on earlier searches."""
    for game in (compiled("leduc"), rules("liars_dice")):
        tree = compiled(game.name)
        short = sorted(range(tree.infosets), key=lambda number, tree=tree: len(tree.keys[number]))[:9:4]
        keys = [(int(tree.infoset_player[number]), tree.keys[number]) for number in short]
        labels = [tree.labels(number) for number in short]
        search = TreeSearch(game, 50)
        first = [search.strategy(*key, actions) for key, actions in zip(keys, labels, strict=True)]
        again = [search.strategy(*key, actions) for key, actions in zip(keys[::-1], labels[::-1], strict=True)]
        assert first == again[::-1] and all(sum(shares) == pytest.approx(1) for shares in first)
        assert first != [
            replace(search, seed=1).strategy(*key, actions) for key, actions in zip(keys, labels, strict=True)
        ]


class Moody(Nim):
    """Nim whose legal actions depend on a hidden coin that player 0 sees."""

    name = "moody"

    def root(self):
        return ("coin", 1)

    def player(self, state):
        return -1 if state[0] == "coin" else state[1]

    def chances(self, state):
        return (("odd", 0.5), ("even", 0.5))

    def view(self, state, player):
        return f"{state[0][0]}{state[0][1] if player == 0 else ''}"

    def actions(self, state):
        (left, coin) = state[0]
        return ("1",) if state[1] == 0 and coin == "odd" else tuple("12"[: min(2, left)])

    def child(self, state, action):
        if state[0] == "coin":
            return ((5, action), 1)
        (left, coin), mover = state
        assert action in self.actions(state)
        left -= int(action)
        return ((left, coin, mover), -2) if left == 0 else ((left, coin), 1 - mover)

    def payoffs(self, state):
        return (1, -1) if state[0][2] == 0 else (-1, 1)


def test_no_action_is_illegal_in_a_history():
    """Equal views have different legal actions; those of the history are chosen (Moody asserts)."""
    for observer in KUHN:
        shares = TreeSearch(Moody(5), 500, observer).search([None, "5"], 1, ("1", "2"))
        assert sum(shares) == pytest.approx(1)


def test_availability_is_of_legal_and_known_actions():
    """It is counted by action: neither for those that are new, nor for those that this history lacks."""
    from tefuda._kernels import oos as kernels
    from tefuda.playing.tree_search import _RulesSearch

    numbers = np.array([[2, 1, 3], [0, 0, 0], [5, 1, 9.0]])
    chosen, new, _ = kernels.chosen_action(np.arange(3), numbers, 0, 2, 1.0, np.uint64(1))
    assert (chosen, new) == (1, True) and numbers[:, 2].tolist() == [4, 0, 9]
    numbers = np.array([[4, 3, 9], [1, 0, 2], [1, 0, 9.0]])  # after this visit: bounds .75 + .76, 1.05, 1.52
    chosen, new, _ = kernels.chosen_action(np.arange(3), numbers, 0, 3, 1.0, np.uint64(1))
    assert (chosen, new) == (2, False) and numbers[:, 2].tolist() == [10, 3, 10]
    search = _RulesSearch(TreeSearch(rules("kuhn")), rules("kuhn"), 0, 1)
    search.low, search.high = [0.0, 0.0], [1.0, 1.0]
    table = {"a": [4.0, 3.0, 9.0], "b": [1.0, 0.0, 2.0], "c": [1.0, 0.0, 9.0], "d": [1.0, 1.0, 1.0]}
    assert search._choose(table, ["a", "b", "c"], 0) == ("c", False)
    assert [numbers[2] for numbers in table.values()] == [10, 3, 10, 1]
    assert search._choose(table, ["a", "e"], 0) == ("e", True) and table["e"] == [0, 0, 1] and table["a"][2] == 11


def test_agents_in_matches_and_as_coach():
    """Searches play hands on a tree and without one, and advise without values."""
    tree = compiled("kuhn")
    search = TreeSearch(tree, 200, answer="most")
    agents = [IsmctsAgent("i", search), td.RandomAgent()]
    result = td.duplicate_match(tree, agents, deals=200)
    assert result.exact is None and result.mean[0] > 0.2
    plain = td.named_agents(rules("leduc"), ["ismcts", "random"])
    plain[0].policy = replace(plain[0].policy, iterations=30)
    assert td.duplicate_match(rules("leduc"), plain, deals=5).mean[0] > -3
    advice = coach.coach_of(agents[0], tree).advise(Decision(-1, "J|b", ("p", "b"), 0.5, 1))
    assert advice.shares == (1.0, 0.0)


@pytest.mark.parametrize("fault", [{"iterations": 0}, {"observer": "all"}, {"exploration": -1}, {"seed": -1}])
def test_bad_options(fault):
    with pytest.raises(td.errors.ParameterError, match=next(iter(fault))):
        TreeSearch(compiled("kuhn"), **fault)


def test_bad_games_and_views():
    with pytest.raises(td.errors.GameError, match="load_game"):
        TreeSearch("kuhn")
    with pytest.raises(td.errors.GameError, match="fits"):
        TreeSearch(rules("kuhn")).strategy(0, "A|", ("p", "b"))
    with pytest.raises(td.errors.ProfileError):
        TreeSearch(compiled("kuhn"), model=td.Profile.uniform(compiled("leduc")))
