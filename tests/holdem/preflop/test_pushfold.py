"""Push or fold, heads-up: values of an independent exact program (to 1e-6), and stored equilibria."""

import json

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.cards import CLASSES
from tefuda.holdem.preflop.pushfold import PushFoldNode, pushfold
from tefuda.holdem.preflop.tree import replies_of, value_bounds
from tests.conftest import refused
from tests.holdem.known_spots import DATA, needs_data

#: stack -> value to the small blind in big blinds, percent pushed, percent called
VALUES = {
    1: (0.0, 100, 100), 1.5: (0.000316, 98.19, 100), 2: (0.009549, 89.44, 100), 3: (0.051592, 77.99, 92.27),
    4: (0.066031, 73.76, 74.06), 5: (0.056201, 71.48, 62.07), 6: (0.038159, 68.32, 54.45), 8: (-0.004137, 61.86, 44.97),
    9: (-0.025227, 59.88, 40.57), 10: (-0.045371, 58.28, 37.38), 15: (-0.127227, 45.65, 28.55),
    20: (-0.183190, 40.24, 21.73), 50: (-0.360169, 20.13, 8.82), 100: (-0.434500, 9.99, 4.03),
}  # fmt: skip


@pytest.mark.parametrize("stack", VALUES)
def test_values(stack):
    found = pushfold(stack)
    value, push, call = VALUES[stack]
    assert found.value == pytest.approx(value, abs=1e-6) and abs(found.nash_conv) < 1e-6
    assert [100 * share for share in found.shares] == pytest.approx([push, call], abs=1.5)  # not unique at some stacks


@pytest.mark.parametrize("name, who, last", [("K2o", 0, 11.6), ("T3s", 0, 7.7), ("K2o", 1, 8.1), ("72o", 1, 2.6)])
def test_largest_stack_of_a_class(name, who, last):
    """Thresholds on a grid of 0.1 big blinds equal the page and a published chart."""
    often = [(one.push, one.call)[who][CLASSES.index(name)] for one in (pushfold(last), pushfold(round(last + 0.1, 1)))]
    assert often[0] > 0.5 > often[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, who, last",
    [
        ("Q7o", 0, 10.3),
        ("J2o", 0, 4.6),
        ("72o", 0, 1.6),
        ("32o", 0, 1.4),
        ("A2o", 1, 15.8),
        ("22", 1, 15.0),
        ("Q2o", 1, 5.6),
    ],
)
def test_largest_stack_of_further_classes(name, who, last):
    test_largest_stack_of_a_class(name, who, last)


@pytest.mark.parametrize("first, last", [(None, 2.3), (5.1, 7.1)])
def test_a_class_that_is_pushed_at_two_spans_of_stacks(first, last):
    """63s is pushed up to 2.3 big blinds and from 5.1 to 7.1, as published; not in between."""
    stacks = [(last, True), (round(last + 0.1, 1), False)]
    stacks += [] if first is None else [(first, True), (round(first - 0.1, 1), False)]
    for stack, pushed in stacks:
        assert (pushfold(stack).push[CLASSES.index("63s")] > 0.5) == pushed, stack


@needs_data
def test_stored_equilibria():
    """Equilibria of another program have zero NashConv up to their three decimals."""
    given = json.loads((DATA / "pushfold.json").read_text())["stacks"]
    assert len(given) >= 14
    for stack, one in given.items():
        push, call = (
            np.array(
                [dict(one[f"mixed_{do}"]).get(name, name in one[f"{do}_range"].split()) for name in CLASSES], float
            )
            for do in ("push", "call")
        )
        game, replies = {"AllIn": replies_of("AllIn", float(stack), float(stack), 0)}, {"Fold": 1 - call, "Call": call}
        best, least = value_bounds(
            game, 0.5, {"AllIn": push}, {("AllIn", name): share for name, share in replies.items()}
        )
        assert [best, least] == pytest.approx([one["value_sb_bb"]] * 2, abs=1e-6) and -1e-15 <= best - least <= 1e-6


def test_antes_make_pushes_wider():
    plain, ante = pushfold(10), pushfold(10, ante=0.25)
    assert ante.shares[0] > plain.shares[0] + 0.05 and ante.shares[1] > plain.shares[1] + 0.05
    payoffs = {reply: rows["AllIn"].sum() for reply, rows in replies_of("AllIn", 9.75, 10, 0.25).items()}
    assert payoffs == {"Fold": pytest.approx(1.25), "Call": pytest.approx(0, abs=1e-12)}
    nobody = {"AllIn": np.zeros(169)}, {("AllIn", "Fold"): np.zeros(169), ("AllIn", "Call"): np.ones(169)}
    assert value_bounds({"AllIn": replies_of("AllIn", 9.75, 10, 0.25)}, 0.65, *nobody)[1] == pytest.approx(-0.65)
    assert ante.nash_conv < 1e-6 and str(plain.ranges[1]).startswith("22+") and plain.ranges[0].hands > 700


REFUSED = [((0.5,), "stack"), ((10, 2.0), "small"), ((10, 0.5, -1), "ante"), ((float("nan"),), "stack")]


@pytest.mark.parametrize("arguments, key", REFUSED)
def test_refused(arguments, key):
    with refused(td.errors.ParameterError, key=key):
        pushfold(*arguments)


@pytest.mark.parametrize("stack, ante", [(5, 0.0), (10, 0.0), (12.5, 0.1)])
def test_evs_of_the_ranges_are_the_value(stack, ante):
    """Both players' EVs give the value, and no class loses by its action."""
    solution = pushfold(stack, ante=ante)
    first, second = PushFoldNode(solution).hands(0), PushFoldNode(solution, "AllIn").hands(1)
    assert first.mean(first.ev) - 0.5 - ante == pytest.approx(solution.value, abs=1e-9)
    pushed = first.mean(first.shares[1])
    won = (1 - pushed) * (0.5 + ante) + pushed * (second.mean(second.ev) - 1 - ante)
    assert won == pytest.approx(-solution.value, abs=1e-9)
    assert first.mean(first.equity) == pytest.approx(0.5, abs=1e-9)
    for view in (first, second):
        assert (view.shares * view.losses) @ view.weights == pytest.approx(0, abs=1e-6) and (view.losses <= 1e-12).all()


@pytest.mark.parametrize("payouts", [(), (65, 35), (7,)])
def test_prizes_of_two_players_change_no_range(payouts):
    """ICM values are linear in chips; the smaller stack, ten big blinds, is at stake."""
    plain, found = pushfold(10), pushfold(stacks=[3000, 2000], blinds=[100, 200], payouts=payouts)
    assert (found.push == plain.push).all() and (found.call == plain.call).all() and found.value == plain.value
    chips = 3000 + 200 * plain.value
    first, second = (*payouts, 0)[:2] if payouts else (0, 0)
    wanted = second + (first - second) * chips / 5000 if payouts else plain.value
    assert found.values == pytest.approx((wanted, first + second - wanted))
    assert pushfold(10, payouts=(3, 1)).values == pytest.approx((2 + plain.value / 10, 2 - plain.value / 10))
