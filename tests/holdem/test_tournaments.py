"""ICM: fractions computed by hand and by enumeration of all orders, published calls, identities."""

from fractions import Fraction
from itertools import permutations
from math import prod

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem import tournaments
from tefuda.holdem.tournaments import bubble_factor, icm
from tests.conftest import refused

#: (stacks, payouts) and the values as fractions or decimals
VALUES = [
    ((5000, 3000, 2000), (50, 30, 20), (Fraction(1075, 28), Fraction(131, 4), Fraction(202, 7))),
    (
        (4000, 3000, 2000, 1000),
        (50, 30, 20),
        (Fraction(2117, 63), Fraction(2477, 84), Fraction(1486, 63), Fraction(373, 28)),
    ),
    ((1500, 1000, 500), (65, 35), (Fraction(179, 4), Fraction(107, 3), Fraction(235, 12))),
    ((2400, 2200, 3600, 1800), (50, 30, 20), (24.909601692, 23.536260616, 31.204655814, 20.349481878)),
    (
        (10000, 7000, 5000, 3000, 2000, 1000),
        (40, 25, 15, 10, 6, 4),
        (25.670347478, 21.923096665, 18.628398525, 14.291467707, 11.485476981, 8.001212644),
    ),
]


@pytest.mark.parametrize("stacks, payouts, values", VALUES)
def test_values(stacks, payouts, values):
    exact = icm(stacks, payouts, exact=True).values
    assert icm(stacks, payouts).values == pytest.approx([float(value) for value in exact], abs=1e-12)
    assert exact == values or [float(value) for value in exact] == pytest.approx(values, abs=1e-9)
    assert sum(exact) == sum(payouts)


def by_orders(stacks, payouts):
    """The slow twin: all orders of the players, each with its probability."""
    values = [Fraction(0)] * len(stacks)
    for order in permutations(range(len(stacks))):
        left = [sum(stacks[player] for player in order[place:]) for place in range(len(order))]
        probability = prod(Fraction(stacks[player], chips) for player, chips in zip(order, left, strict=True))
        for player, payout in zip(order, payouts, strict=False):
            values[player] += probability * payout
    return tuple(values)


def test_random_tables():
    rng = np.random.default_rng(0)
    for _ in range(20):
        players = int(rng.integers(2, 7))
        stacks = rng.integers(1, 100, players).tolist()
        payouts = sorted(rng.integers(1, 50, int(rng.integers(1, players + 1))).tolist(), reverse=True)
        values = icm(stacks, payouts, exact=True).values
        assert values == by_orders(stacks, payouts)
        order = sorted(range(players), key=stacks.__getitem__)
        assert [values[player] for player in order] == sorted(values)  # more chips, more value
        assert icm(stacks[::-1], payouts, exact=True).values == values[::-1]
        assert icm([3] * players, payouts, exact=True).values == (Fraction(sum(payouts), players),) * players
        assert icm(stacks, [7], exact=True).values == tuple(Fraction(7 * stack, sum(stacks)) for stack in stacks)


def test_numbers_of_other_kinds():
    """Decimals are exact as written; sizes far apart lose nothing by cancellation."""
    assert icm([0.1, 0.2], [1], exact=True).values == (Fraction(1, 3), Fraction(2, 3))
    assert icm(np.array([1, 2]), [Fraction(3)]).values == pytest.approx([1, 2])
    assert icm([1e15, 1e-15, 1e-15], [5, 3, 1]).values == pytest.approx([5, 2, 2])


def test_twenty_players():
    assert sum(icm(range(1, 21), range(20, 0, -1)).values) == pytest.approx(210)


def test_players_without_chips_take_the_last_places():
    """The larger stack before the hand is placed higher; equal ones share."""
    assert icm([8, 0, 0], [50, 30, 20], before=[4, 3, 1]).values == (50, 30, 20)
    assert icm([8, 0, 0], [50, 30, 20], before=[4, 2, 2]).values == (50, 25, 25) == icm([8, 0, 0], [50, 30, 20]).values
    assert icm([6, 2, 0], [5, 3, 2], True, before=[4, 2, 2]).values == (Fraction(9, 2), Fraction(7, 2), 2)


def test_bubble_factors():
    stacks, payouts = [4000, 3000, 2000, 1000], [50, 30, 20]
    assert bubble_factor(stacks, payouts, 2, 0, exact=True) == Fraction(1486, 631)
    assert bubble_factor(stacks, payouts, 0, 2, exact=True) == Fraction(631, 481)
    assert bubble_factor(stacks, payouts, 2, 0) == pytest.approx(2.35499, abs=1e-5)
    assert bubble_factor([5, 3], [10], 0, 1) == pytest.approx(1)  # one prize: chips
    assert np.isnan(bubble_factor([5, 3], [10, 10], 0, 1))
    assert bubble_factor([5, 5, 5], [10, 10], 0, 1) == pytest.approx(2)  # 20/3 at stake for 10/3


def test_the_equity_of_a_call():
    """Four stacks of 3,375, blinds 200/400: a published call of the big blind needs 60.07 %."""
    folded, won = (
        icm(stacks, [50, 30, 20], exact=True).values[0] for stacks in ([2975, 3775, 3375, 3375], [6750, 0, 3375, 3375])
    )
    assert folded / won == Fraction(18428935, 30679263)


def test_more_players_are_sampled(monkeypatch):
    """Intervals of 95 % cover the exact values, and a seed repeats its bits."""
    stacks, payouts = [*range(1, 16)], [50, 30, 20]
    exact = np.array(icm(stacks, payouts).values)
    monkeypatch.setattr(tournaments, "EXACT_PLAYERS", 3)
    sampled = icm(stacks, payouts, samples=4000, seed=1)
    errors = np.abs(np.array(sampled.values) - exact) / sampled.half_widths
    assert (errors < 2).all() and (errors < 1).sum() >= 10 and max(sampled.half_widths) < 0.1
    assert sum(sampled.values) == pytest.approx(100)
    assert sampled == icm(stacks, payouts, samples=4000, seed=1) != icm(stacks, payouts, samples=4000, seed=2)
    assert icm([5, *[0] * 29], [3, 2, 1], samples=2).values[0] == pytest.approx(3)


REFUSED = [
    (([], [1]), {}, "stacks"), (([1, -1], [1]), {}, "stacks"), (([0, 0], [1]), {}, "stacks"),
    (([1, float("nan")], [1]), {}, "stacks"), (([1, 1e17], [1]), {}, "stacks"), (("12", [1]), {}, "stacks"),
    (([1, 2], [1, 2]), {}, "payouts"), (([1, 2], [3, 2, 1]), {}, "payouts"), (([1, 2], [0, 0]), {}, "payouts"),
    (([1] * 13, [1]), {"exact": True}, "exact"), (([1] * 21, [1]), {"samples": 1}, "samples"),
    (([1] * 21, [1]), {"seed": -1}, "seed"), (([1, 2], [1]), {"before": [1]}, "before"),
    (([1, "2"], [1]), {}, "stacks"),
]  # fmt: skip


@pytest.mark.parametrize("arguments, options, key", REFUSED)
def test_refused(arguments, options, key):
    with refused(td.errors.ParameterError, key=key):
        icm(*arguments, **options)


@pytest.mark.parametrize("players, key", [((0, 0), "opponent"), ((0, 3), "opponent"), ((2, 0), "player")])
def test_refused_bubble_factors(players, key):
    with refused(td.errors.ParameterError, key=key):
        bubble_factor([3, 2, 0], [5, 3], *players)
