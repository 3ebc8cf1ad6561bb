"""Costs in spots whose optimal faces are known exactly, and their intervals."""

import numpy as np
import pytest

from tefuda.errors import ParameterError
from tefuda.holdem import make_spot
from tefuda.holdem.reviews import pricing
from tefuda.holdem.reviews.pricing import Decision, goal_of, price
from tefuda.holdem.spots.size import size_of
from tefuda.holdem.spots.solver import METHODS
from tests.holdem.reviews.cases import SPOTS


def figures(name, *decisions, **options):
    spot = SPOTS[name]
    until = goal_of(spot.street, size_of(spot))
    return price(spot, [Decision(*decision) for decision in decisions], until, **options)


@pytest.mark.parametrize(
    "name, line, action, hand, cost",
    [
        ("R4", "Check/Bet(25)", "Call", "9s9d", 34.4595), ("R4", "Check/Bet(25)", "Fold", "9s9d", 109.4595),
        ("R4", "Check", "Check", "6d6h", 2.9707), ("T1", "AllIn(120)", "Call", "AsKs", 20.2797),
        ("T1", "AllIn(120)", "Fold", "KcQd", 19.3007), ("T1", "Check/AllIn(120)", "Call", "JhTh", 52.7273),
    ],
)  # fmt: skip
def test_unique_costs(name, line, action, hand, cost, monkeypatch):
    """The cost is that of the linear program, and the shifts of the hand leave it alone."""
    monkeypatch.setattr(pricing, "_RESIZED", ())
    (found,) = figures(name, (line, action, hand))
    assert found["cost"] == pytest.approx(cost, abs=0.01)
    assert found["interval"] == pytest.approx([cost, cost], abs=0.03) and found["frequency"] < 0.01
    assert not found["forced"] and found["best"] != action and found["evs"].get("Fold", 0) == 0


@pytest.mark.parametrize(
    "name, line, action, hand, low, high",
    [
        ("R1", "", "Check", "AhAd", 0, 50), ("R3", "Check", "AllIn(90)", "AdKd", 0, 26.0870),
        ("R3", "Check", "Check", "KcQc", 28.9286, 29.3478),
    ],
)  # fmt: skip
def test_exact_intervals_lie_inside(name, line, action, hand, low, high):
    (found,) = figures(name, (line, action, hand))
    first, last = found["interval"]
    assert first <= low and high <= last
    assert (first > pricing.CERTAIN * found["pot"]) == (low > 0)  # AA and AdKd are never certain


def test_one_solution_is_not_an_interval():
    """DCFR says 50 for the check with aces, which costs anything between 0 and 50."""
    (found,) = figures("R1", ("", "Check", "AhAd"))
    assert found["cost"] == pytest.approx(50, abs=0.05) and found["interval"][0] == 0


def test_indifferent_hands_cost_nothing():
    for line, action, hand in (("", "Check", "QhQd"), ("", "AllIn(100)", "QhQd"), ("AllIn(100)", "Call", "KhKd"),
                               ("AllIn(100)", "Fold", "KhKd")):  # fmt: skip
        (found,) = figures("R1", (line, action, hand))
        assert found["cost"] == pytest.approx(0, abs=0.01) and found["interval"] is None


def test_a_shift_of_all_isomorphic_hands():
    """Isomorphic hands get the same numbers, so their strategies stay equal."""
    compiled = pricing.compile_spot(make_spot("Ts 3s 2s 5s 9s", 100, 100, "AA,QQ", "KK", "a", "a"))
    assert len(compiled.contexts[0].group) == 6
    added = np.zeros((2, 1326))
    added[0, pricing._hand(Decision("", "Check", "AhAd"))] = 0.25
    moved = pricing.with_forced(compiled, {"": (np.ones(1326), added)})
    hands = compiled.contexts[0].hands[0].tolist()
    rows = moved.form.locked.reshape(3, -1)
    images = [pricing._hand(Decision("", "", hand)) for hand in ("AhAd", "AhAc", "AdAc")]
    assert {hand for hand, number in zip(hands, rows[1], strict=True) if number} == set(images)
    assert pricing.with_forced(compiled, {}) is compiled


def test_a_line_that_the_solution_does_not_play():
    """After a bet of the whole stack into a tiny pot, the reply is that to a range, not an accident."""
    spot = make_spot("Ts3h2h5c9s", 100, 5000, "QQ,JJ", "KK,TT", "50%", "a", at={"root": "5000c"})
    (found,) = price(spot, [Decision("AllIn(5000)", "Fold", "KhKd")], 0.01)
    assert found["forced"]
    # against QQ and JJ, all in the range, a call with kings always wins
    assert found["cost"] == pytest.approx(5100, rel=1e-3)


def test_other_methods_agree():
    (found,) = figures("R4", ("Check", "Check", "6d6h"), method=METHODS["cfr+"])
    assert found["cost"] == pytest.approx(2.9707, abs=0.05)


@pytest.mark.parametrize(
    "decision",
    [("Check/Bet(26)", "Call", "9s9d"), ("Check/Bet(25)", "Bet(25)", "9s9d"), ("", "Check", "AsQs")],
)  # fmt: skip
def test_impossible_decisions(decision):
    with pytest.raises(ParameterError):
        price(SPOTS["R4"], [Decision(*decision)], 1.0)
