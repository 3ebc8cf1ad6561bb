"""Compiling rules to a tree: sizes, payoffs by hand, and invariants of every tree."""

import numpy as np
import pytest

import tefuda as td
from tefuda.forms import builder
from tefuda.forms import plan as planning
from tefuda.forms.builder import Builder
from tefuda.games import answers
from tefuda.games.answers import InvalidAnswer
from tefuda.games.protocol import TERMINAL
from tefuda.games.size import Estimate
from tests.conftest import compiled, rules
from tests.oracle import tree_of
from tests.same_tree import assert_same_tree
from tests.small_games import CATALOGUE, ForgetfulKuhn, Good, Nonlocal, SharedAnswers, Torn, Unseen, Wild, broken

SIZES = [  # histories with one chance node for all private cards; terminals; infosets
    ("rps", {}, 13, 9, 2),
    ("kuhn", {}, 55, 30, 12),
    ("kuhn", {"players": 3}, 601, 312, 48),
    ("leduc", {}, 1936, 1116, 288),
    ("leduc", {"distinct_suits": True}, 9451, 5520, 936),
    ("leduc", {"ranks": 2, "cap": 1}, 199, 98, 56),
    ("leduc", {"players": 3}, 223_861, 126_996, 7428),
]


@pytest.mark.parametrize("name, parameters, histories, terminals, infosets", SIZES)
def test_sizes(name, parameters, histories, terminals, infosets):
    """Sizes agree with the engine page's table."""
    tree = compiled(name, **parameters)
    assert (len(tree.player), len(tree.terminals), tree.infosets) == (histories, terminals, infosets)


def test_kuhn_tree_and_payoffs():
    """1 chance, 24 decision and 30 terminal histories, 6 deals of 1/6, and all payoffs by the rule."""
    tree = compiled("kuhn")
    assert [(tree.player == kind).sum() for kind in (-1, -2)] == [1, 30] and (tree.player >= 0).sum() == 24
    assert np.array_equal(tree.chance[1:7], np.full(6, 1 / 6)) and np.all(tree.action_counts == 2)
    assert np.bincount(tree.infoset_player).tolist() == [6, 6]
    for node, payoffs in zip(tree.terminals, tree.payoffs, strict=True):
        (mine, theirs), *moves = tree.history(node)
        sign = 1 if "JQK".index(mine) > "JQK".index(theirs) else -1
        expected = {"pp": sign, "bp": 1, "pbp": -1, "bb": 2 * sign, "pbb": 2 * sign}["".join(moves)]
        assert payoffs.tolist() == [expected, -expected]


@pytest.mark.parametrize("name", ["rps", "kuhn", "leduc", "nonlocal"])
def test_structure(name):
    """Histories are prefix-closed; an infoset's actions are constant; chances sum to 1."""
    tree = compiled(name)
    nodes = np.arange(1, len(tree.player))
    assert np.all(tree.parent[nodes] < nodes)
    assert np.array_equal(tree.infoset >= 0, tree.player >= 0)
    decisions = np.flatnonzero(tree.player >= 0)
    assert np.array_equal(tree.infoset_player[tree.infoset[decisions]], tree.player[decisions])
    assert np.array_equal(tree.action_counts[tree.infoset[decisions]], tree.child_count[decisions])
    for node in np.flatnonzero(tree.player == -1):
        first = tree.first_child[node]
        assert tree.chance[first : first + tree.child_count[node]].sum() == pytest.approx(1, abs=1e-12)


def test_progress_counts_histories(monkeypatch):
    """Progress reports rising numbers of histories, at most the 1,077 of goofspiel with four cards."""
    monkeypatch.setattr(builder, "REPORT_EVERY", 300)
    reports = []
    tree = td.compile_game(rules("goofspiel"), progress=reports.append)
    assert (
        reports == sorted(set(reports))
        and len(reports) == 3
        and reports[0] >= 300
        and reports[-1] <= len(tree.player) == 1077
    )


@pytest.mark.parametrize("name, parameters", CATALOGUE)
def test_catalogue_agrees_with_plain_lists(name, parameters):
    """Catalogue games have the arrays, keys and labels of a traversal with plain lists."""
    game = rules(name, **parameters)
    assert_same_tree(td.compile_game(game, cache=False), tree_of(game))


@pytest.mark.parametrize("seed", range(12))
def test_random_games_agree_with_plain_lists(seed):
    """So have random games of 1 to 5 players, with and without perfect recall, zero-sum and general-sum."""
    players = 1 + seed % 5
    games = [
        td.load_game("sampled", seed=seed, players=players, depth=3 + seed % 4, zero_sum=seed % 2 == 0),
        Wild(seed, players=players, depth=5),
    ]
    for game in games:
        assert_same_tree(td.compile_game(game, cache=False), tree_of(game))


@pytest.mark.parametrize(
    "game",
    [Nonlocal(), ForgetfulKuhn(), Torn(), Unseen(), Good(), SharedAnswers()],
    ids=lambda game: type(game).__name__,
)
def test_shapes_agree_with_plain_lists(game):
    """So have games with shared, renewed and unusual answers."""
    assert_same_tree(td.compile_game(game), tree_of(game))


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_remembered_answers_change_nothing(limit, monkeypatch):
    """The arrays do not depend on the number of remembered conversions."""
    monkeypatch.setattr(answers, "_REMEMBERED", limit)
    for game in (rules("leduc"), SharedAnswers(), rules("goofspiel", cards=4)):
        assert_same_tree(td.compile_game(game), tree_of(game))


def test_game_over_at_the_root():
    """A terminal root makes a tree of one history."""
    functions = {"player": lambda self, state: TERMINAL, "payoffs": lambda self, state: (1, 2.5)}
    game = type("Over", (SharedAnswers,), functions)()
    tree = td.compile_game(game)
    assert len(tree.player) == 1
    assert_same_tree(tree, tree_of(game))


class Late(Good):
    """A payoff late in a large game is not repeatable."""

    asked = 0

    def player(self, state):
        return TERMINAL if len(state) == 14 else 0

    def actions(self, state):
        return (0, 1)

    def view(self, state, player):
        return state

    def payoffs(self, state):
        self.asked += state == (0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0)
        return (self.asked, -self.asked)


@pytest.mark.parametrize("estimated", [32_767, 0])
def test_faults_of_a_late_history(estimated, monkeypatch):
    """About one history in 200 of a large game is checked twice, even if its size was estimated too low."""
    estimate = Estimate(32_767, 32_767 - estimated, 1e6, 1.0)
    monkeypatch.setattr(planning, "refuse_if_too_large", lambda game, force: estimate)
    assert td.check_game(Late(), limit=50, samples=5).ok
    with pytest.raises(td.errors.GameError):
        td.compile_game(Late())


@pytest.mark.parametrize("mover", [True, 0.0, None, 2, -3])
def test_a_mover_that_no_check_sees_is_refused(mover):
    """The builder validates every answer itself."""
    with pytest.raises(InvalidAnswer, match="player"):
        Builder(broken(player=lambda self, state: mover if state == ("hl", "bet") else Good().player(state))).build()
