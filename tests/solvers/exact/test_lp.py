"""Linear programming, in floats and in rational numbers."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import tefuda as td
from tefuda.solvers.exact import lp
from tests.conftest import compiled

LEDUC = Fraction(-1454920850547486749701863871533, 16995463438839962469905132501930)


VALUES = [
    ("rps", {}, 0, 1e-12),
    ("kuhn", {}, -1 / 18, 1e-12),
    ("leduc", {}, float(LEDUC), 1e-12),
    ("leduc", {"distinct_suits": True}, float(LEDUC), 1e-12),
    ("nolimit_leduc", {}, -0.080417285228, 1e-12),
    ("liars_dice", {"sides": 3}, 1 / 9, 1e-12),
    ("liars_dice", {"sides": 4}, 1 / 16, 1e-12),
    ("goofspiel", {"cards": 3}, 0, 1e-12),
    ("goofspiel", {"cards": 4}, 0, 1e-12),
    ("goofspiel", {"cards": 5}, 0, 1e-12),
]


@pytest.mark.parametrize("name, parameters, value, bar", VALUES)
def test_values(name, parameters, value, bar):
    """Evaluated by the independent best response."""
    solution = td.solve(compiled(name, **parameters), "lp")
    assert solution.nash_conv <= bar and solution.iterations == 1
    assert solution.values == pytest.approx((value, -value), abs=1e-12)


@pytest.mark.slow
def test_liars_dice_with_six_sides():
    solution = td.solve(td.load_game("liars_dice"), "lp")
    assert solution.nash_conv <= 1e-12 and solution.values[0] == pytest.approx(-7 / 258, abs=1e-12)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(2, 5))
def test_value_is_that_of_cfr(seed, depth):
    tree = td.compile_game(td.load_game("sampled", seed=seed, depth=depth))
    by_lp, by_cfr = td.solve(tree, "lp"), td.solve(tree, "cfr+", iterations=300)
    assert by_lp.nash_conv <= 1e-9
    assert by_lp.values[0] == pytest.approx(by_cfr.values[0], abs=by_cfr.nash_conv + 1e-9)


def test_constraints_hold_for_every_plan(leduc):
    """E x = e for realisation plans, and x' A y is the payoff."""
    form, profile = td.forms.sequence_form(leduc), td.Profile.random(leduc, np.random.default_rng(0))
    plans = form.spread(profile.probabilities)
    for player in (0, 1):
        for group in form.groups[form.group_span[player] : form.group_span[player + 1]].astype(int).tolist():
            first, m, k, base = group
            for j in range(m):
                for a in range(k):
                    plans[base + a * m + j] *= plans[form.parent[first + j]]
    x, y = plans[: form.span[1]], plans[form.span[1] :]
    for player, plan in enumerate((x, y)):
        matrix = lp.treeplex_constraints(form, player)
        sums = np.bincount(matrix.row, matrix.data * plan[matrix.col], minlength=matrix.shape[0])
        assert sums == pytest.approx([1] + [0] * (len(sums) - 1), abs=1e-12)
    values = td.values(profile)
    for player, (own, other) in enumerate(((x, y), (y, x))):
        matrix = lp.payoff_matrix(form, player)
        payoff = (own[matrix.row] * matrix.data * other[matrix.col]).sum()
        assert payoff == pytest.approx(values[player], abs=1e-12)


def test_matrices_are_built_once_for_each_player():
    """All programs share the matrices without changing them, and pickled representations omit them."""
    form = td.forms.sequence_form(td.compile_game(td.load_game("kuhn")))
    size = len(pickle.dumps(form))

    def rows(player, **objective):
        matrix = lp.plan_program(form, player, **objective).model.a_matrix_
        return [list(part) for part in (matrix.start_, matrix.index_, matrix.value_)]

    before = [rows(player) for player in (0, 1)]
    half = 0.5 * sparse.eye_array(int(form.span[2] - form.span[1]))
    assert rows(0, mixing=half) != before[0] != before[1]
    assert [rows(player, floor=-1.0) for player in (0, 1)] == before
    assert lp.payoff_matrix(form) is lp.payoff_matrix(form, 0) is not lp.payoff_matrix(form, 1)
    assert len(pickle.dumps(form)) == size
    with pytest.raises(ValueError, match="read-only"):
        lp.payoff_matrix(form).data[0] = 1.0


def test_other_games_are_refused():
    with pytest.raises(td.errors.GameError, match="players"):
        td.solve(compiled("kuhn", players=3), "lp")
    with pytest.raises(td.errors.GameError, match="constant-sum"):
        td.solve(td.load_game("sampled", zero_sum=False), "lp")
    with pytest.raises(td.errors.SolverError, match="average is empty"):
        td.make_solver(compiled("kuhn"), "lp").average()


def test_constant_sum_need_not_be_zero():
    """Two players split a prize of 10: matching pennies for 10 or 0 has value 5 for each."""
    game = td.load_game("matrix", payoffs=[[[10, 0], [0, 10]], [[0, 10], [10, 0]]])
    solution = td.solve(game, "lp")
    assert solution.values == pytest.approx((5, 5)) and solution.nash_conv == pytest.approx(0, abs=1e-12)
