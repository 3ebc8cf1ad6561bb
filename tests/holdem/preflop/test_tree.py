"""The heads-up preflop tree: measured values of another program, push or fold, and its best responses."""

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.preflop.pushfold import pushfold
from tefuda.holdem.preflop.tree import preflop_tree
from tests.conftest import refused

#: Sizes, limps, value of ten big blinds, and percents of the first actions.
VALUES = [
    ((2,), False, -0.044747, {"Fold": 41.69, "Raise(2)": 2.88, "AllIn": 55.43}),
    ((), True, -0.025673, {"Fold": 26.31, "Limp": 24.48, "AllIn": 49.21}),
    ((2,), True, -0.025673, {"Fold": 26.31, "Limp": 24.48, "Raise(2)": 0, "AllIn": 49.21}),
]


@pytest.mark.parametrize("sizes, limp, value, percents", VALUES)
def test_values(sizes, limp, value, percents):
    found = preflop_tree(10, sizes, limp)
    assert found.value == pytest.approx(value, abs=1e-6) and abs(found.nash_conv) < 1e-9
    shares = {name: 100 * share for name, share in found.decisions[""].frequencies.items()}
    assert shares == pytest.approx(percents, abs=0.01)


@pytest.mark.parametrize("stack, small, ante", [(3, 0.5, 0.0), (10, 0.5, 0.0), (12, 0.4, 0.1)])
def test_without_limps_and_raises_it_is_push_or_fold(stack, small, ante):
    found, wanted = preflop_tree(stack, small=small, ante=ante), pushfold(stack, small, ante)
    assert found.value == pytest.approx(wanted.value, abs=1e-9) and abs(found.nash_conv) < 1e-9
    assert list(found.decisions) == ["", "AllIn"]
    assert found.decisions[""].ranges["AllIn"].hands == pytest.approx(wanted.ranges[0].hands, abs=1)


def test_decisions():
    """Shares sum to 1, ranges to all hands; a raise to the stack is all-in, and more choices lose nothing."""
    found = preflop_tree(6, [2, 6, 2], True)
    lines = ["", "Limp", "Limp/AllIn", "Raise(2)", "Raise(2)/AllIn", "AllIn"]
    assert list(found.decisions) == lines and [node.player for node in found.decisions.values()] == [0, 1, 0, 1, 0, 1]
    assert found.decisions["Limp"].actions == ("Check", "AllIn")
    assert found.decisions["Raise(2)"].actions == ("Fold", "Call", "AllIn")
    for node in found.decisions.values():
        assert node.shares.sum(axis=0) == pytest.approx(1) and node.shares.min() >= 0
        parent = node.line.rpartition("/")[0]
        if node.line in ("Limp/AllIn", "Raise(2)/AllIn"):
            before = found.decisions[""].ranges[parent].hands
            assert sum(each.hands for each in node.ranges.values()) == pytest.approx(before, abs=1e-3)
    assert sum(each.hands for each in found.decisions[""].ranges.values()) == pytest.approx(1326)
    assert found.value >= pushfold(6).value - 1e-9


def test_limps_against_a_walk():
    """At two big blinds a raise to 2 is all-in, and a limp can be checked down."""
    found = preflop_tree(2, [2], True)
    assert list(found.decisions) == ["", "Limp", "Limp/AllIn", "AllIn"]
    assert np.isfinite(found.value) and abs(found.nash_conv) < 1e-9


REFUSED = [
    ((15.1,), "stack"), ((0.9,), "stack"), ((float("nan"),), "stack"), ((1e17,), "stack"), ((10, [1.5]), "sizes"),
    ((10, [11]), "sizes"), ((10, [2, 3, 4, 5]), "number of sizes"), ((10, [float("nan")]), "sizes"),
    ((10, [], True, 2), "small"), ((10, [], True, 0.5, -1), "ante"),
]  # fmt: skip


@pytest.mark.parametrize("arguments, key", REFUSED)
def test_refused(arguments, key):
    with refused(td.errors.ParameterError, key=key):
        preflop_tree(*arguments)
