"""Matrix games by hand."""

import pytest

import tefuda as td
from tefuda.games.small.matrix import Matrix, rock_paper_scissors
from tests.small_games import end_of


def test_a_table_of_two_is_zero_sum():
    game = Matrix([[3, -1], [-2, 1]], labels=["up", "down"])
    assert end_of(game, "up", "down") == (-1, 1) and end_of(game, "down", "up") == (-2, 2)
    assert game.view(("up",), 1) == "move"  # not visible
    assert td.load_game("matrix", **game.parameters) == game


def test_payoffs_of_all_players():
    """Tucker's prisoners' dilemma: defecting dominates, and both players lose by it."""
    years = [[(-1, -1), (-3, 0)], [(0, -3), (-2, -2)]]
    game = Matrix(years, labels=["silent", "tells"])
    assert end_of(game, "tells", "silent") == (0, -3)
    tree = td.compile_game(game)
    found = td.solve(tree, "cfr", iterations=200, evaluator=td.NoEvaluation())
    assert found.strategy["0: move"]["tells"] > 0.99 and found.strategy["1: move"]["tells"] > 0.99


def test_rock_paper_scissors():
    """Losers pay 1, and the winners share it; three different signs are a draw."""
    two, three = rock_paper_scissors(), rock_paper_scissors(3)
    assert end_of(two, "paper", "rock") == (1, -1) and end_of(two, "rock", "rock") == (0, 0)
    assert end_of(three, "rock", "rock", "scissors") == (0.5, 0.5, -1)
    assert end_of(three, "rock", "scissors", "scissors") == (2, -1, -1)
    assert end_of(three, "rock", "paper", "scissors") == (0, 0, 0)


@pytest.mark.parametrize(
    "payoffs, labels",
    [([[1, 2], [3]], ()), ([], ()), ([[float("nan"), 1], [1, 1]], ()), ([1, 2], ()), ([[1, 2], [3, 4]], ["a"]),
     ([[[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [1, 2, 3]]], ()), ([[10**400, 1], [1, 1]], ()),
     ([["1/0", 1], [1, 1]], ()), ([["a half", 1], [1, 1]], ()), ([["1e999999999", 1], [1, 1]], ()), ("12", ())],
)  # fmt: skip
def test_invalid_tables_are_refused(payoffs, labels):
    with pytest.raises(td.errors.ParameterError):
        Matrix(payoffs, labels)


def test_tables_are_rounded_to_floats_only_where_that_is_said():
    """A tree has floats: it refuses integers that it would round, and rounds fractions."""
    game = Matrix([[2**53 + 1, 0], [0, 1]])
    assert end_of(game, "0", "0") == (2**53 + 1, -(2**53) - 1)
    with pytest.raises(td.errors.GameError, match="2\\*\\*53"):
        td.compile_game(game)
    assert td.compile_game(Matrix([["1/3"]])).payoffs.tolist() == [[1 / 3, -1 / 3]]
