"""Quasi-perfect equilibria in fractions, in games whose plain equilibria play nonsense."""

import random
from fractions import Fraction

import numpy as np
import pytest

import tefuda as td
from tefuda.solvers.exact import rational
from tefuda.solvers.exact.polynomials import Polynomial
from tests.conftest import compiled, refused, rules

#: Values with trembles, from the lowest power on, computed by another program for the notes on these games.
VALUES = {
    "gift_pennies": ["-1/2", "1"],
    "guess_the_ace": ["0", "-12750/13", "12500/13"],
    "kuhn": ["-1/18", "7/18", "0", "-1/3"],
    "kuhn_raise": ["-1/18", "8/9", "-4/3"],
}
GAMES = [("liars_dice", {"sides": 3}), ("goofspiel", {"cards": 4}), *((name, {}) for name in VALUES)]


@pytest.mark.parametrize("name, parameters", GAMES)
def test_refined_answers(name, parameters):
    """Refining never changes the value, and no infoset plays a dominated action."""
    solution = td.exact_solution(rules(name, **parameters))
    plain = td.exact_solution(rules(name, **parameters), "none")
    assert solution.refined and solution.certified and solution.values == plain.values and not plain.refined
    assert solution.polynomial.coefficient(0) == solution.values[0]
    expected = VALUES.get(name, [])
    assert list(map(str, solution.polynomial.coefficients[: len(expected)])) == expected
    profile = td.solve(solution.tree, "lp").strategy
    for answer in (solution.strategy, profile):
        regrets = td.evaluating.off_path_regret(answer)
        assert regrets.dominated_count == 0 and regrets.largest <= 1e-3 and td.nash_conv(answer) < 1e-12


def both(name):
    """The refined answer in fractions, and the default of `lp`."""
    yield td.exact_solution(rules(name)).strategy
    yield td.solve(compiled(name), "lp").strategy


def test_guess_the_ace():
    for answer in both("guess_the_ace"):
        assert answer["1: guess"]["other"] == 1 and answer["0: "]["stop"] == 1


def test_gift_pennies():
    for answer in both("gift_pennies"):
        assert answer["1: gift"] == answer["0: gift"] == {"H": 0.5, "T": 0.5} and answer["1: start"]["keep"] == 1


def test_kuhn_with_a_raise():
    for answer in both("kuhn_raise"):
        assert [answer[f"0: {card}|br"]["b"] for card in "JQK"] == [0, 0, 1]
        assert answer["1: K|b"]["r"] == 1 and answer["1: J|b"]["p"] == 1
        assert answer["1: Q|b"]["b"] == pytest.approx(1 / 3) == answer["0: J|"]["b"]


def test_the_certificate_without_arrays():
    """For eps = 1e-9 as a fraction, no plan above the floors gains, by brute force over tables."""
    draw, eps = random.Random(3), Fraction(1, 10**9)
    for _ in range(5):
        table = [[Fraction(draw.randint(-2, 2)) for _ in range(draw.choice([3]))] for _ in range(3)]
        tree = td.compile_game(td.load_game("matrix", payoffs=table))
        form = td.forms.sequence_form(tree)
        plans, value = rational.quasi_perfect_plans(form, rational.simple_payoffs(form), 10)
        x, y = ([sum(c * eps**k for k, c in enumerate(plan.coefficients)) for plan in part]
                for part in (plans[1:4], plans[5:]))  # fmt: skip
        gains = [sum(q * amount for q, amount in zip(y, line, strict=True)) for line in table]
        losses = [sum(p * line[j] for p, line in zip(x, table, strict=True)) for j in range(3)]
        worth = sum(c * eps**k for k, c in enumerate(value.coefficients))
        assert min(*x, *y) >= eps and sum(x) == sum(y) == 1
        assert max(gains) * (1 - 3 * eps) + eps * sum(gains) == worth == min(losses) * (1 - 3 * eps) + eps * sum(losses)


def test_a_time_limit_of_zero_is_a_plain_answer_with_a_reason():
    solution = td.exact_solution(td.load_game("kuhn"), seconds=0)
    assert solution.certified and not solution.refined and solution.polynomial is None and "0 s" in solution.reason


@pytest.mark.parametrize("changes, key", [({"refine": "best"}, "refine"), ({"seconds": -1}, "seconds")])
def test_wrong_options(changes, key):
    with refused(td.errors.ParameterError, key=key):
        td.exact_solution(td.load_game("kuhn"), **changes)
    with refused(td.errors.ParameterError, key="off_path"):
        td.solvers.LinearProgram(off_path="best")


@pytest.mark.slow
def test_leduc_poker_in_fractions():
    """An exact quasi-perfect equilibrium of Leduc poker: 674 sequences, a minute."""
    solution = td.exact_solution(td.load_game("leduc"), seconds=600)
    regrets = td.evaluating.off_path_regret(solution.strategy)
    assert solution.refined and regrets.dominated_count == 0 and td.nash_conv(solution.strategy) < 1e-12


def test_pivots_where_no_proposed_basis_is_certified(monkeypatch):
    def refuse(*_):
        raise td.errors.SolverError("refused")

    value = td.exact_solution(rules("kuhn_raise")).polynomial
    monkeypatch.setattr(rational, "_solve_basis", refuse)
    assert td.exact_solution(rules("kuhn_raise")).polynomial == value
    monkeypatch.setattr(rational, "_proposed_basis", lambda *_: rational._Basis([], []))
    assert td.exact_solution(rules("kuhn_raise")).polynomial == value


@pytest.mark.parametrize("name", ["kuhn", "kuhn_raise", "guess_the_ace", "leduc"])
def test_floors(name):
    """Evaluated with the same trembles; the strategy has none. Regret on Leduc: 0.00187."""
    profile = td.solve(compiled(name), td.find_method("lp", {"off_path": "floors"})).strategy
    regrets = td.evaluating.off_path_regret(profile)
    assert regrets.largest <= 2e-3 and regrets.dominated_count == 0
    assert td.nash_conv(profile) < (4e-3 if name == "leduc" else 1e-3)


def test_payoffs_that_are_no_simple_fractions():
    """Floats next to a third are thirds; others keep all their digits."""
    assert rational.simple_fraction(1 / 3) == Fraction(1, 3) and rational.simple_fraction(-40 / 90) == Fraction(-4, 9)
    assert rational.simple_fraction(np.pi) == Fraction(np.pi) and rational.simple_fraction(1e-30) == Fraction(1e-30)


def test_polynomials_order_and_print():
    eps = Polynomial([0, 1])
    numbers = [-eps, Polynomial(), eps * eps, 2 * eps, 1 - eps, Polynomial([1]), Fraction(1) + eps]
    assert sorted([*numbers[3:], *numbers[:3]]) == numbers and Polynomial([3, 0]) == 3 == Polynomial([Fraction(3)])
    assert (1 + eps) * (1 - eps) == 1 - eps * eps and (eps / 2).coefficient(1) == Fraction(1, 2)
    assert list(map(str, [Polynomial(), -eps, Fraction(1, 2) - eps * eps])) == ["0", "-eps", "1/2 - eps^2"]
    assert max(eps, eps * eps, Fraction(0)) is eps or max(eps, eps * eps) == eps
    assert np.sum([eps, eps]) == 2 * eps
