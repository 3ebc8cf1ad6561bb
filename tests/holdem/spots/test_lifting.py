"""Solutions translated to other sizes: each amount to the nearest known share of the pot, by hand."""

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.spot import make_spot
from tefuda.holdem.spots.subgame import translate_solution

GIVEN = {"board": "Ts 3h 2h 5c 9s", "pot": 100, "stack": 400, "oop": "AA,QQ,76s", "ip": "KK,JJ"}


def read(known, wanted):
    """Return a solution with some sizes, and its translation to others."""
    found = td.solve(make_spot(**GIVEN, **known), iterations=20).strategy
    return found, translate_solution(found, compile_spot(make_spot(**GIVEN, **wanted)))


def same(one, two):
    held = np.isfinite(one)
    assert held.any() and (held == np.isfinite(two)).all()
    assert two[held] == pytest.approx(one[held], abs=1e-12)


def test_amounts_become_the_nearest():
    """With 50 and 400 known for a pot of 100, 60 becomes 50; 33 becomes 50, 150, 200 all-in."""
    known, wanted = {"bets": "50%,a", "raises": "a"}, {"bets": "33%,60%,150%,200%,a", "raises": "a"}
    found, now = read(known, wanted)
    before, after = found.probabilities(""), now.probabilities("")
    assert list(after) == ["Check", "Bet(33)", "Bet(60)", "Bet(150)", "Bet(200)", "AllIn(400)"]
    for name, other in (("Check", "Check"), ("Bet(60)", "Bet(50)"), ("AllIn(400)", "AllIn(400)")):
        same(before[other], after[name])
    for name in ("Bet(33)", "Bet(150)", "Bet(200)"):
        assert np.nanmax(after[name]) == 0
    for line, other in (("Bet(33)", "Bet(50)"), ("Bet(150)", "AllIn(400)"), ("Bet(200)", "AllIn(400)")):
        same(found.probabilities(other)["Fold"], now.probabilities(line)["Fold"])


def test_raises_are_parts_of_the_pot_after_a_call():
    """The known raise of half the pot of 300 becomes half of 166 after a bet of 33, not the nearer 166."""
    found, now = read({"bets": "100%", "raises": "50%"}, {"bets": "33%", "raises": "50%,100%"})
    before, after = found.probabilities("Bet(100)"), now.probabilities("Bet(33)")
    assert list(before)[2] == "Raise(250)" and list(after)[2:] == ["Raise(116)", "Raise(199)"]
    same(before["Raise(250)"], after["Raise(116)"])
    assert np.nanmax(after["Raise(199)"]) == 0


def test_equal_names_are_equal_actions():
    """All-in stays all-in, although after 200 it is 0.4 of the pot, like a known raise after 50 (0.5)."""
    found, now = read({"bets": "50%", "raises": "50%,a"}, {"bets": "200%", "raises": "a"})
    assert list(found.probabilities("Bet(50)"))[2:] == ["Raise(150)", "AllIn(400)"]
    wanted, other = (found.probabilities(f"Bet(50)/{raised}")["Fold"] for raised in ("AllIn(400)", "Raise(150)"))
    same(wanted, now.probabilities("Bet(200)/AllIn(400)")["Fold"])
    assert np.nanmax(abs(wanted - other)) > 0.05
