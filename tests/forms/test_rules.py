"""Rules with the interface of a tree."""

import pytest

import tefuda as td
from tests.conftest import rules


def test_names_are_those_of_a_tree():
    game = rules("leduc", players=3)
    tree, bare = td.compile_game(rules("kuhn", players=3)), td.RulesForm(rules("kuhn", players=3))
    assert (bare.name, bare.players, bare.parameters, bare.title) == (
        tree.name, tree.players, tree.parameters, tree.title,
    )  # fmt: skip
    assert td.RulesForm(game).title.startswith("leduc(players=3") and repr(bare) == f"RulesForm({bare.title})"


def changed(name, function, **parameters):
    """Return a game with one function replaced."""
    game = rules(name, **parameters)
    return type("Changed", (type(game),), {function.__name__: function})(**parameters)


def payoffs(self, state):
    return tuple(2 * won for won in rules("kuhn").payoffs(state))


def view(self, state, player):
    return rules("kuhn").view(state, player).lower()


def test_fingerprints_distinguish_games():
    """Over a hundred games, equal rules have equal fingerprints, and any change gives another."""
    own = td.RulesForm(rules("kuhn")).fingerprint
    assert own == td.RulesForm(rules("kuhn")).fingerprint and len(own) == 64
    others = [rules("kuhn", cards=4), rules("kuhn", players=3), changed("kuhn", payoffs), changed("kuhn", view)]
    assert len({own, *(td.RulesForm(game).fingerprint for game in others)}) == 5


def test_errors_of_rules_are_reported(kuhn):
    broken = changed("kuhn", view)
    type(broken).payoffs = lambda self, state: 1 / 0
    with pytest.raises(td.errors.GameError, match="ZeroDivisionError"):
        td.RulesForm(broken).fingerprint  # noqa: B018
