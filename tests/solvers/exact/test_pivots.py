"""Exact pivots, from good bases, wrong ones and none."""

import random
from fractions import Fraction

import pytest

import tefuda as td
from tefuda.solvers.exact import pivots, rational
from tefuda.solvers.exact.pivots import Tableau
from tefuda.solvers.exact.polynomials import Polynomial

#: 5 * 10^13 against 3: floats end at NashConv 1.5. By hand: both (in, y) and (in, x) give 3 to player 0.
HUGE = """EFG 2 R "huge stakes" { "Ann" "Ben" } ""
c "" 1 "" { "L" 1/2 "R" 1/2 } 0
p "" 1 1 "" { "in" "out" } 0
p "" 2 1 "" { "x" "y" } 0
t "" 1 "" { 50000000000000, -50000000000000 }
t "" 2 "" { 3, -3 }
p "" 2 2 "" { "x" "y" } 0
t "" 3 "" { -3, 3 }
t "" 4 "" { 0, 0 }
p "" 1 2 "" { "in" "out" } 0
p "" 2 1 "" { "x" "y" } 0
t "" 5 "" { -3, 3 }
t "" 6 "" { 3, -3 }
p "" 2 2 "" { "x" "y" } 0
t "" 7 "" { 0, 0 }
t "" 8 "" { 50000000000000, -50000000000000 }
"""


def row(*amounts):
    return {j: Fraction(amount) for j, amount in enumerate(amounts) if amount}


def test_huge_payoffs_are_certified_in_fractions_and_named_in_floats(tmp_path):
    (tmp_path / "huge.efg").write_text(HUGE)
    game = td.load_game(str(tmp_path / "huge.efg"))
    assert td.exact_solution(game).values == (3, -3)
    with pytest.warns(RuntimeWarning, match=r"3 and 5e\+13"):
        td.solve(game, "cfr+", iterations=10)
    with pytest.raises(td.errors.GameError, match="exact_solution"):
        td.solve(game, "lp")


@pytest.mark.parametrize(
    "name, parameters", [("kuhn", {}), ("leduc", {"ranks": 2, "cap": 1}), ("goofspiel", {"cards": 3})]
)
@pytest.mark.parametrize("start", ["basis", "nothing", "wrong"])
def test_pivots_end_at_the_value_from_any_basis(monkeypatch, name, parameters, start):
    game, proposed = td.load_game(name, **parameters), rational._proposed_basis
    value = td.exact_solution(game).values

    def refused(*_):
        raise td.errors.SolverError("no basis")

    def another(form, payoffs):
        basis, draw = proposed(form, payoffs), random.Random(1)
        if start == "wrong":
            return rational._Basis(draw.sample(range(10), 5), draw.sample(range(10), 3))
        return basis if start == "basis" else rational._Basis([], [])

    monkeypatch.setattr(rational, "_solve_basis", refused)
    monkeypatch.setattr(rational, "_proposed_basis", another)
    assert td.exact_solution(game, refine="none").values == value


def test_random_tables_of_all_sizes_of_payoffs():
    """The strategies are an equilibrium by the definition, in fractions."""
    draw = random.Random(4)
    for _ in range(12):
        rows, columns = draw.randint(2, 5), draw.randint(2, 5)
        table = [
            [draw.randint(-9, 9) * Fraction(10) ** draw.randint(-30, 30) for _ in range(columns)] for _ in range(rows)
        ]
        solution = td.exact_solution(td.load_game("matrix", payoffs=table))
        x, y = (list(solution.strategies[f"{player}: move"].values()) for player in (0, 1))
        gains = [sum(q * amount for q, amount in zip(y, line, strict=True)) for line in table]
        losses = [sum(p * line[j] for p, line in zip(x, table, strict=True)) for j in range(columns)]
        assert max(gains) == min(losses) == solution.values[0]


def test_no_optimum_is_an_error(monkeypatch):
    """Maximise a free z1 <= z0 with z0 >= 0 unbounded; and z0 <= -1 has no solution."""
    profit = {1: Fraction(1)}
    unbounded = Tableau([row(-1, 1)], [Fraction(0)], 2, range(1, 2), 0, profit)
    infeasible = Tableau([row(-1, 1), row(1)], [Fraction(0), Fraction(-1)], 2, range(1, 2), 0, profit)
    for program in (unbounded, infeasible):
        program.start([])
        with pytest.raises(td.errors.SolverError):
            program.solve()
    monkeypatch.setattr(pivots, "_MOST", 0)
    with pytest.raises(td.errors.SolverError):
        infeasible.solve()


EPS = Polynomial([0, 1])


def test_a_program_with_polynomials():
    """By hand: maximise z0 + eps z1; z0 + 2 z1 <= 1 - eps; z1 <= 3 eps, which would cost 6 eps of z0."""
    rows, right = [row(1, 2), row(0, Fraction(1, 3))], [1 - EPS, EPS]
    program = Tableau(rows, right, 2, profit={0: Fraction(1), 1: EPS})
    program.solve()
    assert program.values() == {0: 1 - EPS, 3: EPS} and program.prices() == {2: -1, 1: EPS - 2}
    program.aim({1: Fraction(1)})
    program.solve()
    assert program.values() == {0: 1 - 7 * EPS, 1: 3 * EPS} and program.prices() == {2: 0, 3: -3}


def test_the_time_limit_of_pivots():
    program = Tableau([row(1)], [Fraction(1)], 1, profit={0: Fraction(1)}, until=0.0)
    with pytest.raises(td.errors.SolverError):
        program.solve()
