"""Strengths, levels and futures of infosets under uniform play."""

import numpy as np
import pytest

import tefuda as td
from tefuda.abstracting.strength import (
    _quantiles,
    chance_moves,
    comparison_groups,
    futures,
    relative_strengths,
    strengths,
    weights,
)
from tests.conftest import compiled


def at(tree, values, *names):
    return [float(np.round(values[tree.number(name)], 9)) for name in names]


def test_strengths_of_kuhn_by_hand():
    """A jack averages -1 after a pass and -2 or +1 after a bet: -7/8; a king has the opposite signs."""
    tree = compiled("kuhn")
    assert at(tree, strengths(tree), "0: J|", "0: Q|", "0: K|") == [-0.875, 0.125, 1.125]
    assert at(tree, strengths(tree), "1: K|b", "1: J|b") == [0.5, -1.5]  # folding loses 1, calling wins or loses 2
    assert at(tree, weights(tree), "0: J|", "1: J|b", "0: J|pb") == [0.333333333, 0.166666667, 0.166666667]


def test_rounds_are_counted_by_chance_moves():
    tree = compiled("leduc")
    assert at(tree, chance_moves(tree), "0: J|", "1: J|r", "0: JQ|cc/", "1: KK|crc/r") == [0, 0, 1, 1]
    assert not chance_moves(compiled("goofspiel")).any()


@pytest.mark.parametrize("apart, groups", [("actions", 36), ("public states", 6 + 3 * 30)])
def test_comparison_groups_of_leduc(apart, groups):
    """6 positions before the board and 30 after it, counted for each board if boards are cut too."""
    tree = compiled("leduc")
    group = comparison_groups(tree, apart)
    assert len(set(group.tolist())) == groups
    assert len(set(at(tree, group, "0: J|cr", "0: K|cr"))) == 1 < len(set(at(tree, group, "0: J|cr", "1: J|c")))
    assert (len(set(at(tree, group, "0: JQ|cc/", "0: JK|cc/"))) == 1) == (apart == "actions")


def test_hidden_bids_share_a_comparison_group_in_goofspiel():
    """Hidden bids share a group by the public winner of the round; other hands have other groups."""
    tree = compiled("goofspiel")
    group = comparison_groups(tree, "actions")
    same = at(tree, group, "0: 4.3.2| 2 3| 1 0", "0: 4.3.2| 3 2| 1 0")
    assert same[0] == same[1] != at(tree, group, "0: 4.3.2| 2 3| 0 0")[0]
    assert same[0] != at(tree, group, "0: 4.3.2| 2 4| 1 0")[0]  # all know as much, but other bids are left


def test_levels_do_not_depend_on_the_betting():
    """Under uniform play a hand's strength is linear in its winning chance, for each betting history."""
    tree = compiled("leduc")
    for name in ("J", "Q", "K"):
        assert (
            len(set(at(tree, relative_strengths(tree, "actions"), *(f"0: {name}|{line}" for line in ("", "cr"))))) == 1
        )
    after = [f"KJ|{line}" for line in ("cc/", "crc/", "crrc/cr", "rc/rr")]
    assert len(set(at(tree, relative_strengths(tree, "actions"), *(f"0: {name}" for name in after)))) == 1
    assert at(tree, relative_strengths(tree, "public states"), "0: JQ|cc/", "0: KQ|cc/", "0: QQ|cc/")[::2] == [0.0, 1.0]


def test_futures_are_quantiles_after_the_next_card():
    """A king meets boards J, Q, K with 2/5, 2/5, 1/5: a pair, level 1, in a fifth of its quantiles."""
    tree = compiled("leduc")
    level, found = relative_strengths(tree, "actions"), futures(tree, "actions")
    king = found[tree.number("0: K|")]
    assert (king == 1).sum() == 6 and king[-1] == 1 and (np.diff(king) >= 0).all()  # 6.4 of 32
    assert set(king.tolist()) == set(at(tree, level, "0: KJ|cc/", "0: KQ|cc/", "0: KK|cc/"))
    assert np.array_equal(king, found[tree.number("0: K|cr")])
    assert set(found[tree.number("0: JQ|cc/")].tolist()) == set(at(tree, level, "0: JQ|cc/"))


def test_quantiles_are_at_the_middles_of_equal_parts():
    found = _quantiles(np.array([1.0, 0.0]), np.array([3.0, 1.0]))
    assert found.tolist() == [0.0] * 8 + [1.0] * 24
    assert _quantiles(np.array([1.0, 0.0]), np.zeros(2)).tolist() == [0.5] * 32  # reach zero


def test_a_tree_without_rules_is_refused():
    from dataclasses import replace

    with pytest.raises(td.errors.GameError, match="compiled"):
        td.abstracting.buckets(replace(compiled("kuhn"), game=None), 2)
