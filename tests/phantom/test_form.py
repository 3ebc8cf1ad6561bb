"""The referee's walk, against trees and the figures of the literature."""

from fractions import Fraction

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError, SizeError
from tefuda.phantom import RefereePolicy, referee


def random_policy(form, seed):
    rng = np.random.default_rng(seed)
    return RefereePolicy(form, tuple(rng.random(count) ** 3 for count in form.sequences))


@pytest.mark.parametrize("abrupt", [False, True])
@pytest.mark.parametrize("columns", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_evaluation_is_that_of_the_tree(columns, abrupt):
    """Infosets agree, and to 1e-12 value and best responses of random strategies, asked for in any way."""
    form = referee("dark_hex", rows=2, columns=columns, abrupt=abrupt)
    tree = td.compile_game(form.game)
    assert form.infosets == tuple(np.bincount(tree.infoset_player))
    for seed in range(3):
        policy = random_policy(form, seed)
        profile = td.Profile.from_function(tree, policy.strategy)
        found, expected = form.evaluate(policy), td.evaluate(profile)
        assert found.values[0] == pytest.approx(expected.values[0], abs=1e-12)
        assert tuple(found.best) == pytest.approx(tuple(expected.best), abs=1e-12)
        assert form.evaluate(profile).nash_conv == pytest.approx(found.nash_conv, abs=1e-12)  # by its views


@pytest.mark.parametrize("abrupt", [False, True])
def test_utilities_have_the_value_of_both_players(abrupt):
    """The sum of g x is the value, for both players; its bits do not depend on threads."""
    form = referee("dark_hex", rows=2, columns=3, abrupt=abrupt)
    plans = form.plans(form.probabilities(random_policy(form, 1)))
    found = form.utilities(plans)
    assert plans[0] @ found[0] == pytest.approx(-(plans[1] @ found[1]), abs=1e-14)
    for threads in (2, 5):
        other = form.utilities(plans, threads=threads)
        assert all(own.tobytes() == its.tobytes() for own, its in zip(found, other, strict=True))


#: Infosets, sequences, pairs, infosets in lists, uniform value, best responses: another program, 9 digits.
BOARDS = {
    "dark_hex": ((3_720_850, 2_352_067), (6_598_594, 5_857_570), 290_890, Fraction(1, 3), (1, 0.832804233)),
    "phantom_ttt": ((3_683_314, 2_307_355), (6_384_802, 5_772_466), 294_778, Fraction(187, 630),
                    (61 / 64, 0.624338624)),
}  # fmt: skip
ABRUPT = {
    "dark_hex": ((16_497_034, 10_828_243), (24_634_738, 24_925_186), 585_793_291, 0.266925705,
                 (0.908030203, 0.617179233)),
    "phantom_ttt": ((14_482_810, 8_827_459), (21_802_018, 20_608_066), 533_838_331, 0.316274828,
                    (0.847139550, 0.391528880)),
}  # fmt: skip


def check_board(name, abrupt, figures):
    infosets, sequences, pairs, value, responses = figures
    form = referee(name, abrupt=abrupt)
    assert (form.infosets, form.sequences, form.pairs) == (infosets, sequences, pairs)
    found = form.evaluate()
    assert found.values[0] == pytest.approx(float(value), abs=6e-10)
    assert tuple(found.best) == pytest.approx(responses, abs=6e-10)
    return found


def test_boards_of_nine_cells():
    """Uniform play on dark hex 3 is random hex, 2 * 84 / 126 - 1; the published .333684 is round-off."""
    gains = check_board("dark_hex", False, BOARDS["dark_hex"]).gains.tolist()
    assert gains == pytest.approx((2 / 3, 1.166137566), abs=6e-10)


@pytest.mark.slow
def test_tic_tac_toe():
    """Random tic-tac-toe: 737 wins and 363 losses of 1,260 give 187/630."""
    gains = check_board("phantom_ttt", False, BOARDS["phantom_ttt"]).gains.tolist()
    assert gains == pytest.approx((0.656299603, 0.921164021), abs=6e-10)


@pytest.mark.slow
@pytest.mark.parametrize("name", ABRUPT)
def test_abrupt_boards(name):
    check_board(name, True, ABRUPT[name])


def test_policies_that_are_none():
    form = referee("dark_hex", rows=2, columns=2)
    good = form.zeros()
    for wrong in (np.nan, -1.0, np.inf):
        bad = good[0].copy()
        bad[3] = wrong
        with pytest.raises(ParameterError):
            form.evaluate((bad, good[1]))
    for wrong in ((good[1], good[0]), (good[0],), 5, lambda player, tries, legal: legal[:, :2]):
        with pytest.raises(ParameterError):
            form.evaluate(wrong)
    with pytest.raises(SizeError, match="outcome"):
        referee("dark_hex", rows=3, columns=4)
    with pytest.raises(ParameterError):
        referee("kuhn")
    assert form.evaluate(lambda player, tries, legal: legal).best.tolist() == form.evaluate().best.tolist()
