"""Buckets by values: the items of games, their values at all nodes, and a published size."""

import numpy as np
import pytest

import tefuda as td
from tefuda.abstracting.item_values import FEATURES, items, vectors
from tests.conftest import compiled
from tests.duel import Duel

sklearn = pytest.importorskip("sklearn")


def test_items_of_leduc():
    """An item is a card, or a card with a board, at all nodes of its round, as names of infosets say."""
    tree, found = compiled("leduc", ranks=4), items(compiled("leduc", ranks=4))
    names = []
    for number in range(tree.infosets):
        cards = [part for part in tree.name_of(number).replace(":", " ").replace("|", " ").split() if part.isupper()]
        names.append((int(tree.infoset_player[number]), int(found.kind[found.item[number], 0]), *cards))
    pairs = {(int(item), name) for item, name in zip(found.item, names, strict=True)}
    assert len(pairs) == len(found.mass) == len(set(names)) == 2 * (4 + 16)
    assert np.bincount(found.kind[:, 0], found.mass).tolist() == pytest.approx([2, 2])
    assert ((found.before >= 0) == (found.kind[:, 0] == 1)).all()


def test_values_of_kuhn():
    """Values of uniform play by hand: a jack that calls a bet loses 2, one that folds 1."""
    tree = compiled("kuhn")
    found, table = items(tree), vectors(tree, 0, "action")
    jack = table[found.item[tree.number("1: J|b")]]
    # After a check: check -1; bet (1 - 2) / 2, as half of all bets are called. After a bet: fold -1, call -2.
    assert sorted(jack[jack != 0].tolist()) == pytest.approx([-2, -1, -1, -0.5])
    means = vectors(tree, 0, "conditional")[found.item[tree.number("1: J|b")]]
    assert sorted(means[means != 0].tolist()) == pytest.approx([-1.5, -0.75])


def test_least_exploitable_of_nine_ranks():
    """288 classes: at most .10; plain buckets have .140 with 324 classes (computed by another program)."""
    tree = compiled("leduc", ranks=9)
    partition = td.abstracting.buckets(tree, 3, by="values")
    assert partition.size == 6 * 3 + 30 * 9 == 288
    assert td.nash_conv(td.least_exploitable(partition)) <= 0.10


@pytest.mark.parametrize("feature", FEATURES)
def test_each_item_alone_loses_nothing(feature):
    tree = td.compile_game(Duel())
    assert td.abstracting.buckets(tree, 12, by="values", feature=feature, warm_up=2).size == tree.infosets
    few = td.abstracting.buckets(tree, 4, by="values", feature=feature, warm_up=2)
    assert few.size == 7 * 4
    assert np.array_equal(few.classes, td.abstracting.buckets(tree, 4, by="values", feature=feature, warm_up=2).classes)


def test_values_on_the_command_line_and_faults():
    from tefuda.abstracting.named import check_named

    named = check_named("values=3:5,warm-up=3,feature=advantage,forgetful")
    assert (named.counts, named.warm_up, named.feature, named.recall) == ((3, 5), 3, "advantage", "imperfect")
    for text in ("values=3,warm-up=-1", "values=3,warm-up", "values=3,feature=", "strength=3,warm-up=2"):
        with pytest.raises(td.errors.InputError):
            check_named(text)
    for fault in ({"warm_up": -1}, {"warm_up": 1.5}, {"feature": "depth"}, {"by": "rank", "warm_up": 3}):
        with pytest.raises(td.errors.ParameterError):
            td.abstracting.buckets(compiled("kuhn"), 2, **{"by": "values", **fault})
