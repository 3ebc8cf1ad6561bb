"""Linear programs in rational numbers, with certificates."""

import dataclasses
import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import tefuda as td
from tefuda.games.parameters import json_parameters
from tefuda.solvers.exact import pivots, rational
from tests import oracle
from tests.conftest import compiled

LEDUC = Fraction(-1454920850547486749701863871533, 16995463438839962469905132501930)


EXACT = [
    ("rps", {}, 0),
    ("kuhn", {}, Fraction(-1, 18)),
    ("liars_dice", {"sides": 3}, Fraction(1, 9)),
    ("liars_dice", {"sides": 4}, Fraction(1, 16)),
    ("goofspiel", {"cards": 4}, 0),
    ("leduc", {}, LEDUC),
]


@pytest.mark.parametrize("name, parameters, value", EXACT)
def test_exact_values(name, parameters, value):
    refine = "none" if name == "leduc" or parameters == {"sides": 4} else "quasi"  # these take up to a minute
    solution = td.exact_solution(td.load_game(name, **parameters), refine)
    assert solution.certified and solution.values == (value, -value) and solution.refined == (refine == "quasi")
    assert td.nash_conv(solution.strategy) <= 1e-12


def test_exact_kuhn_checked_without_arrays():
    """Check the certificate by brute force over all pure strategies in Fractions."""
    game = td.load_game("kuhn")
    solution = td.exact_solution(game)

    def strategy(player, key):
        return solution.strategies[f"{player}: {key}"]

    assert oracle.value(game, strategy) == [Fraction(-1, 18), Fraction(1, 18)]
    assert [oracle.best_by_brute_force(game, strategy, p) for p in (0, 1)] == [Fraction(-1, 18), Fraction(1, 18)]


def test_exact_strategies_of_small_leduc():
    """Probabilities of shared terminal states add up, and the mixed strategy is a distribution."""
    solution = td.exact_solution(td.load_game("leduc", ranks=3, cap=1), "none")
    by_floats = td.solve(solution.tree, "lp")
    assert float(solution.values[0]) == pytest.approx(by_floats.values[0], abs=1e-12) and solution.values[0] != 0
    assert {sum(row.values()) for row in solution.strategies.values()} == {1}
    assert td.nash_conv(solution.strategy) <= 1e-12


COIN = """EFG 2 R "coin" { "Alice" "Bob" }
c "" 1 "" { "heads" 1/3 "tails" 2/3 } 0
p "" 1 1 "" { "left" "right" } 0
t "" 1 "" { 3, -3 }
t "" 2 "" { 1, -1 }
p "" 1 1 "" { "left" "right" } 0
t "" 2 ""
t "" 1 ""
"""


def test_exact_terminals_that_no_player_distinguishes(tmp_path):
    """No player sees the coin: the value of left is (3 + 2) / 3, of right (1 + 2 * 3) / 3."""
    (tmp_path / "coin.efg").write_text(COIN)
    solution = td.exact_solution(td.games.read_efg(tmp_path / "coin.efg"))
    assert solution.values == (Fraction(7, 3), Fraction(-7, 3))


@pytest.mark.parametrize("plan", [[1, 2, -1, 0], [1, 1, 1, 0], [2, 1, 1, 0]])
def test_wrong_plans_are_refused(plan):
    """Weights may not be negative, exceed their parent's weight, or sum to more than 1."""
    form = td.forms.sequence_form(compiled("rps"))
    whole = [Fraction(1, 3)] * form.sequences
    whole[0] = whole[int(form.span[1])] = Fraction(1)
    floors = rational.no_floors(form)
    rational._check_plan(form, whole, 0, floors)
    with pytest.raises(td.errors.SolverError, match="feasible"):
        rational._check_plan(form, [*map(Fraction, plan), *whole[4:]], 0, floors)


def test_a_certificate_is_three_equal_numbers():
    solution, other = td.exact_solution(td.load_game("rps")), Fraction(1, 100)
    assert solution.certified
    for changes in ({"lower": -other}, {"upper": other}, {"values": (other, -other)}):
        assert not dataclasses.replace(solution, **changes).certified


@pytest.mark.parametrize("rock", [[1, 1, 0, 0], [1, 1, 1, -1]])
def test_wrong_plans_are_never_certified(monkeypatch, rock):
    """Pivots replace a plan that is not optimal, or none; if theirs is wrong too, there is no solution."""

    def wrong(form, rows, basis, floors, until=None):
        return list(map(Fraction, [*rock, 1, "1/3", "1/3", "1/3"]))

    monkeypatch.setattr(rational, "_solve_basis", wrong)
    assert td.exact_solution(td.load_game("rps"), "none").values[0] == 0
    monkeypatch.setattr(rational, "_pivot", wrong)
    with pytest.raises(td.errors.SolverError):
        td.exact_solution(td.load_game("rps"), "none")


TABLES = {
    "fractions": ([[Fraction(1, 3), 0], [0, Fraction(2, 3)]], Fraction(2, 9)),
    "texts": ([["2/5", "0"], [0, " 0.1"]], Fraction(2, 25)),
    "decimals": ([[0.1, 0], [0, 0.2]], Fraction(1, 15)),
    "long decimals": ([["0.10000000000000000000000001", 0], [0, 10**30]], None),
    "decimals of Python": ([[Decimal("0.1"), 0], [0, Decimal("0.2")]], Fraction(1, 15)),
    "large integers": ([[2**53 + 1, 0], [0, 10**40 + 1]], None),
    "exponents": ([[1e17, 0], [0, "1e-5"]], None),
    "negative zero": ([[-0.0, 1], [1, -0.0]], Fraction(1, 2)),
}


@pytest.mark.parametrize("what", TABLES)
@pytest.mark.parametrize("way", ["rules", "file", "saved"])
def test_numbers_are_kept_as_written(tmp_path, what, way):
    """The value of diag(a, b) is ab / (a + b)."""
    table, value = TABLES[what]
    game = td.load_game("matrix", payoffs=table)
    if value is None:
        a, b = Fraction(table[0][0]), Fraction(table[1][1])
        value = a * b / (a + b)
    if way == "file":
        td.games.write_efg(game, tmp_path / "table.efg")
        game = td.load_game(str(tmp_path / "table.efg"))
    if way == "saved":
        game = td.load_game("matrix", **json.loads(json.dumps(json_parameters(game))))
    assert td.exact_solution(game).values == (value, -value)


class Offer:
    """Player 0 takes `share` from player 1, with probability `share` if it is below 1."""

    name, players = "offer", 2

    def __init__(self, share: float):
        self.share = share

    def root(self):
        return ""

    def player(self, state):
        return (td.CHANCE, 0, td.TERMINAL)[len(state)]

    def chances(self, state):
        return (("y", self.share), ("n", 1 - self.share)) if self.share < 1 else (("y", 1),)

    def actions(self, state):
        return ("t", "l")

    def child(self, state, label):
        return state + label

    def payoffs(self, state):
        return (self.share, -self.share) if state == "yt" else (0, 0)

    def view(self, state, player):
        return state


@pytest.mark.parametrize("share", [0.1, 0.3, Fraction(1, 3), 2**60 + 1, 1e17, np.float64(0.1)], ids=str)
def test_numbers_of_own_games_are_kept(share):
    exact = Fraction(share) if isinstance(share, (int, Fraction)) else Fraction(str(float(share)))
    assert td.exact_solution(Offer(share)).values[0] == exact * min(exact, 1)


def test_probabilities_that_sum_to_one_as_binary_fractions():
    """0.7 and 1 - 0.7 do, but their decimals 0.7 and 0.30000000000000004 do not; so with payoffs."""
    assert td.exact_solution(Offer(0.7)).values[0] == Fraction(0.7) ** 2
    sums = td.load_game("matrix", payoffs=[[[0.7, 1 - 0.7], [1, 0]]])
    assert td.exact_solution(sums).values == (Fraction(0.7), 1 - Fraction(0.7))


def test_decimals_of_own_games_are_refused():
    """Products of a Decimal and a float are errors, so it must be a Fraction."""
    with pytest.raises(td.errors.GameError, match="Fraction"):
        td.exact_solution(Offer(Decimal(2)))


def test_own_parameters_are_fractions_again():
    game = td.load_game(f"{__name__}:Offer", share="1/3")
    assert game.share == Fraction(1, 3)
    with pytest.raises(td.errors.ParameterError):
        td.load_game(f"{__name__}:Offer", share="a third")


def test_a_run_keeps_fractions(tmp_path):
    td.solve(td.load_game("matrix", payoffs=[["1/3", 0], [0, "2/3"]]), iterations=5, checkpoint=tmp_path / "run")
    assert td.exact_solution(td.load(tmp_path / "run").form.game).values[0] == Fraction(2, 9)


def test_tables_with_other_sums_are_refused_exactly():
    """10^20 + 1 and -10^20 have a sum of 0 in floats only."""
    with pytest.raises(td.errors.GameError, match="constant"):
        td.exact_solution(td.load_game("matrix", payoffs=[[[10**20 + 1, -(10**20)], [1, -1]]]))


def test_floats_that_do_not_sum_to_one_are_refused():
    class Floats(type(td.load_game("kuhn"))):
        """Kuhn poker with its six deals as floats; their binary fractions sum to 1 - 2^-54."""

        def chances(self, state):
            return tuple((deal, float(chance)) for deal, chance in super().chances(state))

    game = Floats()
    with pytest.raises(td.errors.GameError, match="exactly"):
        td.exact_solution(game)


def test_exact_refuses_sums_that_are_equal_only_as_floats():
    """Payoffs 1 and -1, and 1 and -1 - 10^-15, have a constant sum in floats but not exactly."""
    near = -1 - Fraction(1, 10**15)
    game = td.load_game("matrix", payoffs=[[[1, -1], [1, near]], [[1, -1], [1, -1]]])
    with pytest.raises(td.errors.GameError, match="constant"):
        td.exact_solution(game)


def test_sparse_systems():
    """Compare with NumPy on random sparse systems of integers."""
    rng = np.random.default_rng(3)
    for size in (1, 5, 30):
        matrix = np.where(rng.random((size, size)) < 0.2, rng.integers(-3, 4, (size, size)), 0) + 5 * np.eye(
            size, dtype=int
        )
        right = rng.integers(-5, 6, size)
        rows = [{j: Fraction(int(v)) for j, v in enumerate(row) if v} for row in matrix]
        found = pivots.solve_sparse(rows, [Fraction(int(b)) for b in right])
        assert [float(found[j]) for j in range(size)] == pytest.approx(np.linalg.solve(matrix, right))
    with pytest.raises(td.errors.SolverError, match="singular"):
        pivots.solve_sparse([{0: Fraction(1), 1: Fraction(1)}] * 2, [Fraction(1)] * 2)
