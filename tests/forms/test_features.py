"""Input features of infosets for neural networks."""

import dataclasses

import numpy as np
import pytest

import tefuda as td
from tefuda.forms import features
from tefuda.forms.features import encode_view, features_of_all_players, infoset_features, tokens
from tefuda.solvers.learned.encoders import make_encoder
from tests.conftest import compiled, marked, rules
from tests.edge_games import Named

#: Views that differ only in order, nesting and types.
NESTED = [
    (("K",), ()), ((), ("K",)), ("K",), "K", (("K",),), ("", "K"), ("K", ""), ((), "K"), (), "", ("",), ((),), None,
    "1", 1, (1,), ("1",), ((1,),), "KQ", ("K", "Q"), ("KQ",), (("K", "Q"),), ("K", ("Q",)), frozenset("KQ"),
    frozenset({"KQ"}), frozenset({frozenset("KQ")}), (frozenset(),), "None", ("KQ", "c"), ("K", "Qc"), "(", ("(",),
]  # fmt: skip


def test_features():
    """Leduc has 30 inputs, 1 to 9 of them nonzero; all 144 infosets of a player are distinct."""
    for name, width in (("leduc", 30), ("kuhn", 3 + 6), ("rps", 1), ("goofspiel", 44), ("liars_dice", 18),
                        ("nolimit_leduc", 46)):  # fmt: skip
        tree = compiled(name)
        rows = infoset_features(tree)
        assert rows.shape == (tree.infosets, width) and set(np.unique(rows)) <= {0.0, 1.0}
        for player in range(tree.players):
            mine = rows[tree.infoset_player == player]
            assert len(np.unique(mine, axis=0)) == len(mine)
    leduc = infoset_features(compiled("leduc"))
    on = leduc.sum(axis=1)
    assert (on.min(), on.max()) == (1, 9) and on.mean() == pytest.approx(6.06, abs=0.01)


def test_games_without_features_get_one_input_an_infoset():
    tree = compiled("sampled")
    assert np.array_equal(infoset_features(tree), np.eye(tree.infosets))
    bad = type("Bad", (type(rules("kuhn")),), {"features": lambda self, state, player: [1.0] * (1 + len(state[1]))})
    with pytest.raises(td.errors.GameError, match="fixed"):
        infoset_features(td.compile_game(bad()))


def test_tokens_have_positions_and_nesting():
    """The parts in order distinguish any two views; so does the set of tokens without ends."""
    sequences = {tuple(token.part for token in tokens(view)) for view in NESTED}
    sets = {frozenset(token for token in tokens(view) if token.part[0] != "end") for view in NESTED}
    assert len(sequences) == len(sets) == len(NESTED)
    rows = set()
    for view in NESTED:
        row = np.zeros(256, np.float32)
        encode_view(view, row)
        rows.add(row.tobytes())
    assert len(rows) == len(NESTED)


def test_members_of_sets_have_one_order():
    """The order of Python's hashes is irrelevant."""
    members = [frozenset({f"{a}{b}", b}) for a in "abc" for b in "xyz"]
    assert [*tokens(frozenset(members))] == [*tokens(frozenset(reversed(members)))]
    inner = [token.part[1] for token in tokens(frozenset({frozenset({"b", "a"})})) if token.part[0] == "letter"]
    assert inner == ["a", "b"]


def test_infosets_have_distinct_inputs():
    """Every kind of network reads different rows for different views."""
    printed = {str(view): view for view in NESTED}  # views with equal text are no game
    tree = td.compile_game(Named(tuple(printed.values())))
    simulator = td.forms.TreeSimulator(tree)
    for rows in (make_encoder(simulator, True).table, infoset_features(tree), features_of_all_players(tree)):
        assert len(np.unique(rows, axis=0)) == tree.infosets == len(printed)


def test_histories_have_distinct_inputs():
    """More views than 128 random inputs can distinguish; histories of equal views share a row."""
    views = tuple(f"{number:05b}" * 12 for number in range(32)) * 2
    rows = features_of_all_players(td.compile_game(Named(views)))
    assert len(np.unique(rows, axis=0)) == 32 and np.array_equal(rows[:32], rows[32:])


class Silent:
    """An item with an uninformative text."""

    def __repr__(self):
        return "it"


@pytest.mark.parametrize("method", marked(["nfsp", "deep-cfr", "ppo"]))
def test_features_must_be_distinct(method):
    blind = type("Blind", (type(rules("kuhn")),), {"features": lambda self, state, player: [1.0, float(player)]})
    with pytest.raises(td.errors.GameError, match="numbers"):
        td.make_solver(td.compile_game(blind()), method)


def test_views_with_the_same_tokens_are_refused():
    """Networks that read tokens refuse them, and so do networks of histories."""
    tree = td.compile_game(Named(("a", "b")))
    alike = dataclasses.replace(tree, keys=(Silent(), Silent()))
    with pytest.raises(td.errors.GameError, match="letters"):
        make_encoder(td.forms.TreeSimulator(alike), True)
    with pytest.raises(td.errors.GameError, match="equal"):
        features._encode_distinct("silent", [[Silent()], [Silent()]])
