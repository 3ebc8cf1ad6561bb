"""Outcomes of chance of probability 0 have reach 0 and change nothing."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.simulate import cumulative_probabilities
from tefuda.games.plays import draw_outcome
from tefuda.playing.table import RulesTable
from tests.conftest import compiled, rules
from tests.edge_games import small
from tests.impossible import Impossible

GAMES = {"kuhn": {}, "leduc": {"ranks": 2, "cap": 1}}
#: Methods whose random numbers do not depend on the numbers of infosets and boards.
OTHERS = ("nfsp", "public-", "correlated", "commitment")  # the last two refuse poker
#: Methods whose choices among equal optima, or lengths of steps, depend on the size or payoffs of the whole game.
CHOOSING = ("double-oracle", "sdo", "xdo", "psro", "team", "quantal")
ANCHORED = [name for name, method in td.METHODS.items() if isinstance(method, td.solvers.Anchored)]
SAME = [
    name
    for name, method in td.METHODS.items()
    if not name.startswith((*OTHERS, *CHOOSING)) and name not in ANCHORED and not method.extra
]

#: Gambit's toy game with a third outcome, of probability 0: 1/3 for the first player.
TOY = """EFG 2 R "toy" { "Ann" "Ben" } ""
c "" 1 "" { "up" 1/2 "down" 1/2 "edge" 0 } 0
p "" 1 1 "u" { "bet" "pass" } 0
p "" 2 1 "" { "call" "fold" } 0
t "" 1 "" { 2, -2 }
t "" 2 "" { 1, -1 }
t "" 3 "" { 1, -1 }
p "" 1 2 "d" { "bet" "pass" } 0
p "" 2 1 "" { "call" "fold" } 0
t "" 4 "" { -2, 2 }
t "" 2 ""
t "" 5 "" { -1, 1 }
t "" 6 "" { 7, -7 }
"""


def pair(name):
    return compiled(name, **GAMES[name]), td.compile_game(Impossible(rules(name, **GAMES[name])))


def real_rows(tree, larger):
    """Return the rows of the larger game at the infosets of the real one, in its order."""
    numbers = [larger.number((int(p), key)) for p, key in zip(tree.infoset_player, tree.keys, strict=True)]
    return np.concatenate([np.arange(larger.rows)[larger.rows_of(number)] for number in numbers])


def test_a_file_with_an_impossible_outcome(tmp_path):
    (tmp_path / "toy.efg").write_text(TOY)
    game = td.games.read_efg(tmp_path / "toy.efg")
    assert td.exact_solution(game).values == (Fraction(1, 3), Fraction(-1, 3))
    assert td.solve(game, "lp").values == pytest.approx((1 / 3, -1 / 3), abs=1e-12)
    td.games.write_efg(game, tmp_path / "again.efg")
    again = td.compile_game(td.games.read_efg(tmp_path / "again.efg"))
    assert again.labels_at(0) == ("up", "down", "edge")
    assert again.chance.tobytes() == td.compile_game(game).chance.tobytes()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("method", SAME)
def test_methods_do_the_same_without_the_impossible(method, game):
    tree, larger = pair(game)
    rows, results, settings = real_rows(tree, larger), [], td.METHODS[method]
    if method == "lp":  # which sensible equilibrium it is depends on the number of sequences
        settings = replace(settings, off_path="any")
    for form in (tree, larger):
        solver = td.make_solver(form, small(settings), seed=1)
        solver.advance(20)
        results.append(solver.average())
    assert results[1].probabilities[rows] == pytest.approx(results[0].probabilities, abs=1e-12)
    assert td.nash_conv(results[1]) == pytest.approx(td.nash_conv(results[0]), abs=1e-12)
    assert results[1].game_values() == pytest.approx(results[0].game_values(), abs=1e-12)


@pytest.mark.parametrize("method", ANCHORED)
def test_methods_that_weigh_all_infosets_refuse_the_impossible(method):
    tree, larger = pair("leduc")
    td.make_solver(tree, method)
    with pytest.raises(td.errors.GameError, match="probability 0"):
        td.make_solver(larger, method)


@pytest.mark.parametrize("method", ["double-oracle", "sdo", "xdo", "quantal"])
def test_answers_are_the_same_without_the_impossible(method):
    """At the end: the value of the game, and the only quantal response equilibrium."""
    tree, larger = pair("kuhn")
    one, two = (td.solve(form, method, iterations=300) for form in (tree, larger))
    assert two.values == pytest.approx(one.values, abs=1e-6)
    if method == "quantal":
        found = two.strategy.probabilities[real_rows(tree, larger)]
        assert found == pytest.approx(one.strategy.probabilities, abs=1e-5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("game", GAMES)
def test_other_figures_are_the_same(game):
    tree, larger = pair(game)
    rows = real_rows(tree, larger)
    assert td.exact_solution(larger.game).values == td.exact_solution(tree.game).values
    solved = [td.solve(form, "public-chance", iterations=2000, seed=1).nash_conv for form in (tree, larger)]
    assert max(solved) < 0.1
    first, second = td.Profile.uniform(tree), td.Profile.uniform(larger)
    assert td.evaluating.action_values(second)[rows] == pytest.approx(td.evaluating.action_values(first), nan_ok=True)
    assert np.isnan(np.delete(td.evaluating.action_values(second), rows)).all()
    possible = td.evaluating.reach(second).chance[larger.terminals] > 0
    for estimates in (td.playing.estimates(second, 0), td.playing.estimates_against(second, 0)):
        assert np.isfinite(estimates.aivat).all()
    real = td.playing.estimates(first, 0)
    assert td.playing.estimates(second, 0).aivat[possible] == pytest.approx(real.aivat)


@pytest.mark.parametrize("point", [0.0, 0.3, 1 - 2**-53])
def test_impossible_outcomes_are_never_drawn(point):
    """The probabilities of nine outcomes of 1/9 sum to less than 1 in floats."""

    class Ninths:
        name, players = "ninths", 1

        def root(self):
            return ""

        def player(self, state):
            return td.TERMINAL if state else td.CHANCE

        def chances(self, state):
            return (("x", 0.0), *((str(number), 1 / 9 - 1e-12) for number in range(9)), ("y", -0.0), ("z", 0))

        def actions(self, state):
            return ()

        def child(self, state, action):
            return state + action

        def payoffs(self, state):
            return (1.0,)

        def view(self, state, player):
            return state

    game = Ninths()
    tree = td.compile_game(game)
    assert draw_outcome(game, "", lambda: point)[0] not in "xyz"
    ends = cumulative_probabilities(tree)
    assert np.searchsorted(ends[1:], point, side="right") in range(1, 10)
    table = RulesTable(game)
    assert table._outcome("", lambda: point) not in "xyz"
