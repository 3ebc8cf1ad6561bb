"""A compiled game: its queries, and the values derived from it once."""

import pickle

import pytest

import tefuda as td
from tefuda.exploiting.leduc_states import state_indices
from tefuda.exploiting.models import explanations
from tefuda.forms.public import public_states
from tefuda.forms.sequence import has_perfect_recall
from tefuda.forms.simulate import longest_history, traversal_histories
from tefuda.forms.tree import states
from tefuda.playing.agents import Move
from tests.conftest import compiled
from tests.edge_games import Forgets
from tests.small_games import ForgetfulKuhn


def test_histories(tree):
    """Labels lead from each parent to its child; labels, children, depths and states agree."""
    found = states(tree)
    for node in range(0, len(tree.player), 7):
        labels = tree.labels_at(node)
        assert [tree.child(node, label) for label in labels] == list(tree.children(node))
        assert all(tree.parent[child] == node for child in tree.children(node))
        assert all(tree.history(tree.child(node, label)) == (*tree.history(node), label) for label in labels)
        assert tree.depth[node] == len(tree.history(node)) and tree.state(node) == found[node]
        assert (tree.player[node] == td.TERMINAL) == (not labels)
        if not labels:
            assert tree.payoffs_at(node) == tuple(map(float, tree.game.payoffs(found[node])))
    assert longest_history(tree) == max(len(tree.history(end)) for end in tree.terminals.tolist())


def test_infosets_and_rows(tree):
    """Histories, the first history, rows and player of every infoset."""
    for number in range(tree.infosets):
        histories, rows = tree.histories_of(number), tree.rows_of(number)
        assert tree.first_history[number] == histories.min() and (tree.infoset[histories] == number).all()
        assert rows.stop - rows.start == tree.action_counts[number] == len(tree.labels(number))
        assert [tree.row_of(number, label) for label in tree.labels(number)] == list(range(rows.start, rows.stop))
        assert (tree.infoset_of_row[rows] == number).all()
        assert (tree.player_of_row[rows] == tree.player[histories[0]]).all()
        assert number in tree.infosets_of(tree.player[histories[0]])
    assert sum(len(tree.infosets_of(player)) for player in range(tree.players)) == tree.infosets


def made(tree, *arguments):
    """Return a new object for each call, and raise an error for "never"."""
    CALLS.append(arguments)
    if arguments == ("never",):
        raise td.errors.GameError("never")
    return object()


CALLS = []


def test_derived_values_are_computed_once():
    tree = td.compile_game(td.load_game("kuhn"))
    CALLS.clear()
    one, two = tree.derived(made), tree.derived(made, 1)
    assert tree.derived(made) is one and tree.derived(made, 1) is two and one is not two
    assert CALLS == [(), (1,)]
    other = td.compile_game(td.load_game("kuhn"))
    assert other.derived(made) is not one
    for _ in range(2):
        with pytest.raises(td.errors.GameError, match="never") as caught:
            tree.derived(made, "never")
        assert caught.value.__context__ is None
    assert CALLS[3:] == [("never",), ("never",)]  # a failure is not cached


def test_a_pickled_tree_does_not_grow():
    """Workers receive the game without derived values, complete and read-only."""
    tree = td.compile_game(td.load_game("leduc"))
    before = len(pickle.dumps(tree))
    flat = td.Profile.uniform(tree)
    agent = td.ProfileAgent("flat", flat)
    found = td.duplicate_match(tree, [agent, agent], deals=2, play=True, record=True)
    td.exploiting.game_value(tree, 0)
    moves = [Move(0, tree.number("0: K|"), "c"), Move(1, -1, "r"), Move(0, tree.number("0: K|cr"), "f")]
    cases = explanations(tree, 0, tuple(moves))
    assert cases and explanations(tree, 0, tuple(moves)) is cases and found.hands
    for use in (td.forms.sequence_form, traversal_histories, public_states, has_perfect_recall):
        assert use(tree) is use(tree)
    assert tree.names and tree.fingerprint and tree.depth.any() and tree.derived(state_indices).any()
    data = pickle.dumps(tree)
    assert len(data) == before
    again = pickle.loads(data)
    assert again.fingerprint == tree.fingerprint and again.names == tree.names and not again.chance.flags.writeable
    assert td.nash_conv(td.Profile.uniform(again)) == td.nash_conv(flat)
    form = td.forms.sequence_form(tree)
    size = len(pickle.dumps(form))
    td.make_solver(tree, "lp").advance(1)
    assert len(pickle.dumps(form)) == size


def test_recall():
    assert has_perfect_recall(compiled("leduc")) and not has_perfect_recall(td.compile_game(ForgetfulKuhn()))
    assert len(public_states(td.compile_game(ForgetfulKuhn()))) == td.compile_game(ForgetfulKuhn()).infosets


def test_perfect_recall():
    """Forgotten actions are refused with two histories, an infoset that comes twice with one."""
    for name in ("rps", "kuhn", "leduc"):
        td.forms.sequence_form(compiled(name))
    with pytest.raises(td.errors.GameError, match="imperfect") as caught:
        td.solve(td.compile_game(Forgets()))
    assert "a x" in str(caught.value) and "b x" in str(caught.value)
    with pytest.raises(td.errors.GameError, match="J Q~p~b"):
        td.solve(compiled("forgetful"))
