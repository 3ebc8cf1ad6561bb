"""Partitions: classes of infosets, their small game, and invalid input."""

from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.partitions import merge
from tests.conftest import compiled, refused, rules
from tests.small_games import forgetful, suitless


def same_arrays(one, two):
    assert one.fingerprint == two.fingerprint  # of arrays, keys and labels


def test_the_small_game_is_the_one_compiled_from_the_keys():
    whole = td.forms.partition(compiled("leduc", distinct_suits=True), suitless)
    assert (whole.size, whole.forgotten) == (288, None)
    same_arrays(whole.small, td.compile_game(td.abstract(rules("leduc", distinct_suits=True), key=suitless)))
    assert whole.share.tolist() == [1.0] * 2184


def test_one_key_for_each_player():
    keys = (lambda view, player: view, lambda view, player: view.replace("K", "Q"))
    assert td.forms.partition(compiled("kuhn"), keys).size == 10


def test_imperfect_recall_is_reported_and_refined():
    tree = compiled("leduc")
    whole = td.forms.partition(tree, forgetful)
    one, two = whole.forgotten
    assert {tree.name_of(one), tree.name_of(two)} == {"0: JQ|crc/", "0: JQ|rc/"}
    assert "imperfect recall" in whole.guarantee and "'0: JQ|rc/'" in whole.guarantee
    again = whole.with_perfect_recall()
    assert again.forgotten is None and again.size == 288 and again.with_perfect_recall() is again
    with pytest.raises(td.errors.GameError, match="imperfect"):
        td.forms.sequence_form(whole.small)


def test_refinement_with_perfect_recall_is_coarsest():
    """Queens and kings are merged before the board alone: the second round splits by the first card."""
    tree = compiled("leduc")
    coarse = td.forms.partition(tree, lambda view, player: view if "/" in view else view.replace("K", "Q"))
    assert coarse.forgotten is None and coarse.with_perfect_recall() is coarse
    late = td.forms.partition(tree, lambda view, player: view.replace("K", "Q") if "/" in view else view)
    # Cards of the player distinguish infosets before the board, boards Q and K do not:
    # 6 of 9 pairs at each of 30 positions, and 18 infosets before the board.
    assert late.forgotten is not None and late.with_perfect_recall().size == 18 + 30 * 6


def test_recall_distinguishes_actions():
    """Check and bet at the same infoset before the board are recalled."""
    whole = td.forms.partition(compiled("leduc"), lambda view, player: view.replace("cc/", "rc/"))
    assert whole.size < 288 and whole.with_perfect_recall().size == 288


def rolled(tree, by):
    """Return the rows of each infoset shifted by `by`, at every second infoset."""
    owner, count = tree.infoset_of_row, tree.action_counts
    place = np.arange(tree.rows) - tree.first_row[owner]
    return (place + by * (owner % 2)) % count[owner]


def test_actions_in_another_order_are_laid_out_in_their_class_order():
    """The game stays the same although the children of half its histories change order."""
    tree = compiled("leduc")
    whole = merge(tree, range(tree.infosets), rolled(tree, 1))
    small = whole.small
    assert len(small.player) == len(tree.player) and small.label_sets != tree.label_sets
    profile = td.Profile.random(small, np.random.default_rng(1))
    real = td.Profile(tree, whole.spread(profile.probabilities))
    assert td.evaluate(profile).values == pytest.approx(td.evaluate(real).values, abs=1e-12)
    assert td.evaluate(profile).best == pytest.approx(td.evaluate(real).best, abs=1e-12)
    name = "1: K|c"
    assert profile[name] == pytest.approx(real[name])


def test_rows_of_one_infoset_that_share_an_abstract_row():
    """Rock and paper become one action with the first label; a hidden chance move chooses between them."""
    tree = compiled("rps")
    whole = merge(tree, range(2), np.array([0, 0, 1, 0, 0, 1]))
    assert whole.share.tolist() == [0.5, 0.5, 1.0] * 2
    small = whole.small
    ends = {small.history(end): small.payoffs_at(end) for end in small.terminals.tolist()}
    assert ends["rock", "paper", "rock", "rock"] == (1, -1) and ends["scissors", "scissors"] == (0, 0)
    assert len(ends) == 9 and small.chance[small.child(small.child(0, "rock"), "paper")] == 0.5
    assert small.labels(0) == small.labels(1) == ("rock", "scissors")
    assert whole.spread(np.array([0.6, 0.4, 1, 0])).tolist() == [0.3, 0.3, 0.4, 0.5, 0.5, 0.0]


def test_a_game_without_decisions_has_no_classes():
    tree = compiled("kuhn")
    ends = replace(
        tree, player=np.full(1, -2, np.int8), parent=np.full(1, -1, np.int32), first_child=np.zeros(1, np.int32),
        child_count=np.zeros(1, np.int16), infoset=np.full(1, -1, np.int32), chance=np.ones(1), keys=(),
        label_set=np.full(1, -1, np.int32), terminals=np.zeros(1, np.int32), payoffs=np.zeros((1, 2)),
        infoset_player=np.zeros(0, np.int8), infoset_labels=np.zeros(0, np.int32), first_row=np.zeros(1, np.int32),
    )  # fmt: skip
    whole = merge(ends, [])
    assert (whole.size, whole.small.infosets, whole.forgotten) == (0, 0, None)


def test_refused():
    tree = compiled("kuhn")
    with pytest.raises(td.InputError, match="compile_game"):
        td.forms.partition("kuhn", suitless)
    with pytest.raises(td.errors.ParameterError, match="players"):
        td.forms.partition(tree, [suitless])
    with refused(td.errors.ParameterError, key="key", value="K"):
        td.forms.partition(tree, "K")
    with pytest.raises(td.errors.GameError, match="hashable"):
        td.forms.partition(tree, lambda view, player: [view])
    with pytest.raises(td.errors.GameError, match=r"'0: J' .*same actions|'0: J\|' .*same actions"):
        td.forms.partition(compiled("leduc"), lambda view, player: "any")
    with pytest.raises(td.InputError, match="labels"):
        merge(tree, [0, 1, 2])
    with pytest.raises(td.errors.GameError, match="same player"):
        merge(tree, [0] * 12)
    with pytest.raises(td.errors.GameError, match="action"):
        merge(compiled("rps"), [0, 1], np.array([0, 1, 3, 0, 1, 2]))
