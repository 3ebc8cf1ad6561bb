"""Kuhn poker with more cards."""

import pytest

import tefuda as td
from tests.conftest import compiled


@pytest.mark.parametrize("cards, value", [(3, -1 / 18), (4, None), (6, None)])
def test_kuhn_with_more_cards(cards, value):
    """Values agree with linear programs, and with three cards with Kuhn's."""
    solution = td.solve(compiled("kuhn", cards=cards), "lp")
    assert solution.nash_conv < 1e-12 and solution.values[0] < 0
    assert value is None or solution.values[0] == pytest.approx(value, abs=1e-12)
