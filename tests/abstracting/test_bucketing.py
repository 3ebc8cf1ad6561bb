"""Buckets: cuts of groups, numbers of classes, and the loss in exploitability."""

import importlib.util
from itertools import combinations

import numpy as np
import pytest

import tefuda as td
from tefuda.abstracting import bucketing as module
from tefuda.abstracting.bucketing import CLUSTERED, Buckets, _equal_parts, _least_squares
from tests.conftest import compiled, refused

needs_sklearn = pytest.mark.skipif(
    importlib.util.find_spec("sklearn") is None, reason="scikit-learn is not installed (extra abstract)"
)


def squares(levels, weights, cuts):
    """Return the weighted squares of distances to the means of the parts that end before each cut."""
    total = 0.0
    for start, end in zip((0, *cuts), (*cuts, len(levels)), strict=True):
        part, mass = levels[start:end], weights[start:end]
        total += float((mass * (part - np.average(part, weights=mass)) ** 2).sum())
    return total


def test_least_squares_are_those_of_all_cuts_tried():
    rng = np.random.default_rng(1)
    for n in (1, 2, 5, 8):
        levels, weights = np.sort(rng.random(n)), rng.random(n) + 0.1
        for count in (1, 2, 3, 4, 9):
            bucket = _least_squares(levels, weights, count)
            assert (np.diff(bucket) >= 0).all() and len(set(bucket.tolist())) == min(count, n)
            least = min(squares(levels, weights, cuts) for cuts in combinations(range(1, n), min(count, n) - 1))
            assert squares(levels, weights, tuple(np.flatnonzero(np.diff(bucket)) + 1)) == pytest.approx(least)


def test_ties_between_cuts_are_broken_by_order():
    """Three equal distances in two parts: the first of the equal cuts, regardless of round-off."""
    for noise in (0.0, 1e-15, -1e-15):
        levels = np.array([0.0, 0.5 + noise, 1.0])
        assert _least_squares(levels, np.ones(3), 2).tolist() == [0, 1, 1]


def test_equal_parts():
    assert _equal_parts(np.arange(6), np.ones(6), 3).tolist() == [0, 0, 1, 1, 2, 2]
    assert _equal_parts(np.arange(3), np.array([8.0, 1.0, 1.0]), 2).tolist() == [0, 1, 1]
    assert _equal_parts(np.arange(2), np.ones(2), 5).tolist() == [1, 3]  # at most one level a part


@pytest.mark.parametrize("by", ["strength", "rank", *(pytest.param(by, marks=needs_sklearn) for by in CLUSTERED)])
def test_sizes_in_leduc(by):
    """k buckets before the board, k after it: perfect recall has 6 k + 30 k^2, imperfect 6 k + 30 m."""
    tree = compiled("leduc", ranks=5)
    assert tree.infosets == 6 * 5 + 30 * 25
    whole = td.abstracting.buckets(tree, 2, by=by)
    assert whole.forgotten is None and whole.size == 6 * 2 + 30 * (
        3 if by == "future" else 4
    )  # one pair does not occur
    whole = td.abstracting.buckets(tree, (2, 4), by=by, recall="imperfect")
    assert whole.size == 6 * 2 + 30 * 4 and whole.forgotten
    assert td.abstracting.buckets(tree, 1, by=by).size == 36
    if by != "future":
        assert td.abstracting.buckets(tree, (5, 1000), by=by, apart="public states").size == tree.infosets


def test_ranks_of_leduc():
    """9 ranks: 6 * 9 + 30 * 81 infosets; 13 ranks: the ace stands below the two."""
    assert compiled("leduc", ranks=9).infosets == 2484
    game = td.load_game("leduc", ranks=13)
    deals = game.chances(game.root())
    assert len(deals) == 169 and {cards[0] for cards, _ in deals} == set("A23456789TJQK")
    ends = {board: game.payoffs((("A", "2"), board, "cc/cc")) for board in "A2K"}
    assert ends == {"A": (1, -1), "2": (-1, 1), "K": (-1, 1)}
    with refused(td.errors.ParameterError, key="ranks", value=14):
        td.load_game("leduc", ranks=14)


@pytest.fixture(scope="module")
def nine():
    return compiled("leduc", ranks=9)


def test_exploitability_falls_with_buckets_and_cfr_br_is_below(nine):
    """More buckets are less exploitable; CFR-BR lies between the optimum and the equilibrium."""
    last = np.inf
    for count in (1, 2, 3):
        whole = td.abstracting.buckets(nine, count)
        equilibrium, least = td.solve(whole, "lp").nash_conv, td.nash_conv(td.least_exploitable(whole))
        best = td.solve(whole, "cfr-br", iterations=300).nash_conv
        assert least - 1e-9 <= best < equilibrium < last
        last = equilibrium
    assert least == pytest.approx(0.16263, abs=1e-4)


def test_forgetting_leaves_room_for_finer_buckets(nine):
    """At equal size imperfect recall is less exploitable: .28 instead of .42 (Waugh et al. 2009)."""
    whole, forgetful = td.abstracting.buckets(nine, 3), td.abstracting.buckets(nine, (3, 7), recall="imperfect")
    assert whole.size == forgetful.size
    assert td.solve(forgetful, "cfr+", iterations=300).nash_conv < td.solve(whole, "lp").nash_conv


def test_as_many_buckets_as_hands_lose_nothing():
    whole = td.abstracting.buckets(compiled("leduc"), 9, apart="public states")
    assert whole.size == 288 and td.solve(whole, "lp").nash_conv < 1e-9


def test_other_games():
    """Buckets of liar's dice depend on the bid; imperfect recall of goofspiel forgets the order of bids."""
    dice = compiled("liars_dice", sides=3)
    whole = td.abstracting.buckets(dice, 2, recall="imperfect")
    assert whole.size * 3 == dice.infosets * 2 and whole.forgotten and td.abstracting.buckets(dice, 2).size > whole.size
    bids = compiled("goofspiel")
    assert td.abstracting.buckets(bids, 1).size == bids.infosets  # perfect recall of own bids merges nothing
    assert td.abstracting.buckets(bids, 1, recall="imperfect").size < bids.infosets


@needs_sklearn
def test_means_are_the_same_with_the_same_seed(nine):
    one, two = (td.abstracting.buckets(nine, (3, 4), by="future", seed=seed) for seed in (5, 5))
    assert one.classes.tolist() == two.classes.tolist()
    assert td.nash_conv(td.least_exploitable(one)) < 0.3


def test_without_scikit_learn_the_error_names_the_extra(monkeypatch):
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(td.errors.MissingExtraError, match=r"k-means .* Install"):
        td.abstracting.buckets(compiled("kuhn"), 2, by="future")


@pytest.mark.parametrize("options", [
    {"counts": ()}, {"counts": (0,)}, {"counts": (2.5,)}, {"counts": (True,)}, {"counts": "3"},
    {"counts": (3,), "by": "luck"}, {"counts": (3,), "recall": "none"}, {"counts": (3,), "apart": ""},
    {"counts": (3,), "seed": -1}, {"counts": (float("nan"),)}, {"counts": (1e17,)},
])  # fmt: skip
def test_refused(options):
    with pytest.raises(td.InputError):
        Buckets(**options)
