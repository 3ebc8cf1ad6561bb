"""Games of papers: the table of sizes and values, and rules by hand."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import tefuda as td
from tefuda.games.plays import play
from tests.conftest import compiled, refused, rules
from tests.literature import BOARD32, ROWS, Row


def named(row):
    return f"{row.name} {row.parameters}" if isinstance(row, Row) else None


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_sizes_and_uniform_play(row):
    tree = compiled(row.name, **row.parameters)
    assert (len(tree.player), len(tree.terminals)) == (row.histories - row.dealing, row.ends)
    players = range(tree.players)
    owners = [tree.infoset_player == player for player in players]
    assert tuple(int(own.sum()) for own in owners) == row.infosets
    assert tuple(int(np.diff(tree.first_row)[own].sum()) + 1 for own in owners) == row.sequences
    evaluated = td.evaluate(td.Profile.uniform(tree))
    assert evaluated.values == pytest.approx(row.uniform, abs=5e-7)
    assert np.subtract(evaluated.best, evaluated.values) == pytest.approx(row.gains, abs=5e-7)


@pytest.mark.parametrize("row", [row for row in ROWS if isinstance(row, Row) and row.value is not None], ids=named)
def test_exact_values(row):
    assert td.exact_solution(rules(row.name, **row.parameters)).values == (row.value, -row.value)


@pytest.mark.slow
def test_the_larger_battleship_is_worth_ten_forty_ninths():
    """A NashConv of 1e-9 bounds the distance from the value."""
    solution = td.solve(compiled("battleship", **BOARD32), "pdcfr+", until=1e-9, iterations=10_000)
    assert solution.nash_conv <= 1e-9 and solution.values[0] == pytest.approx(10 / 49, abs=1e-9)


SHERIFFS = [((3, 3, 2), 437), ((5, 3, 2), 655), ((2, 2, 2), 193)]  # items, bribe, rounds; histories of OpenSpiel


@pytest.mark.parametrize("size, histories", SHERIFFS)
def test_sizes_of_sheriff(size, histories):
    items, bribe, rounds = size
    assert len(compiled("sheriff", items=items, bribe=bribe, rounds=rounds).player) == histories


def test_chsh_is_worth_three_quarters():
    """The best of all pairs of plans, each an answer for each bit."""
    game = rules("chsh")
    plans = [dict(zip("01", answers, strict=True)) for answers in product("01", repeat=2)]
    deals = [bits for bits, _ in game.chances(game.root())]
    won = [
        sum(game.payoffs((bits, (own[bits[0]], other[bits[1]])))[0] for bits in deals)
        for own in plans
        for other in plans
    ]
    assert max(won) == 3 and len(deals) == 4


def test_tiny_hanabi_is_worth_ten():
    """Player 1 plays the best action for each own card and each signal of player 0."""
    game, plans = rules("tiny_hanabi"), list(product("012", repeat=2))

    def mean(plan):
        won = 0
        for card, signal in product("01", sorted(set(plan))):
            sent = [own for own in "01" if plan[int(own)] == signal]
            won += max(sum(game.payoffs(((own, card), (signal, answer)))[0] for own in sent) for answer in "012")
        return won / 4

    assert max(map(mean, plans)) == 10


def test_the_payoffs_of_repeated_games_are_discounted():
    game = rules("repeated", payoffs=[[1, 0], [0, 2]], rounds=3, discount="1/2")
    state = ("0", "0", "1", "1", "1", "1")
    assert game.payoffs(state) == (Fraction(5, 2), Fraction(-5, 2))
    assert [game.view(state[:4], player) for player in (0, 1)] == ["0-0 1-1"] * 2
    hidden = rules("repeated", payoffs=[[1, 0], [0, 2]], labels=[["u", "d"], ["l", "r"]], monitoring=False)
    assert [hidden.view(("u", "r"), player) for player in (0, 1)] == ["u", "r"]


def test_large_games_are_estimated_and_played():
    """The fleet of the board game, hands of ten digits, two coins on forty fields."""
    fleet = {"width": 10, "height": 10, "ships": (2, 3, 3, 4, 5), "values": (1,) * 5, "shots": 50}
    hands = {"hand": 10, "digits": 9, "ordered": True}
    for name, parameters in (("battleship", fleet), ("liars_poker", hands)):
        game = rules(name, **parameters)
        assert td.games.estimate_game(game).histories > 1e12
        assert sum(game.payoffs(play(game, np.random.default_rng(0))[1])) == 0
    assert len(rules("blotto", coins=2, fields=40).labels[0]) == 820


def test_three_players_of_liars_poker():
    """A claim that all challenge may be raised once; then two challenges end the game."""
    game, state = rules("liars_poker", players=3, hand=1), (("1", "1", "2"), -1, -1, False, 0, "", 0)
    for action in ("1-1", "challenge", "challenge"):
        state = game.child(state, action)
    assert game.player(state) == 0 and game.actions(state) == ("challenge", "1-2", "2-1", "2-2", "3-1", "3-2")
    assert game.payoffs(game.child(state, "challenge")) == (2, -1, -1)
    for action in ("3-1", "challenge", "challenge"):
        state = game.child(state, action)
    assert game.player(state) == td.TERMINAL and game.payoffs(state) == (-2, 1, 1)


BAD = [
    ("battleship", {"ships": (3,), "values": (1,)}, "ships"),
    ("battleship", {"ships": (2, 2, 2), "values": (1, 1, 1)}, "ships"),
    ("battleship", {"shots": 5}, "shots"),
    ("battleship", {"ships": 2}, "ships"),
    ("bargaining", {"pool": 3}, "pool"),
    ("rhode_island", {"raises": 10}, "raises"),
    ("leduc", {"raises": 10}, "raises"),
    ("blotto", {"fields": 10**9, "coins": 0}, "fields"),
    ("sheriff", {"items": 10**9}, "items"),
    ("battleship", {"loss": float("nan")}, "loss"),
    ("sheriff", {"rounds": 0}, "rounds"),
    ("trade_comm", {"items": 0}, "items"),
    ("first_price_auction", {"values": 0}, "values"),
    ("blotto", {"coins": 100, "fields": 9}, "coins"),
    ("oshi_zumo", {"coins": -1}, "coins"),
    ("matching_pennies", {"players": 4}, "players"),
    ("repeated", {"discount": 2}, "discount"),
    ("repeated", {"payoffs": [[1, 2], [3]]}, "payoffs"),
    ("liars_poker", {"digits": 1}, "digits"),
    ("bargaining", {"pool": (2, 2), "worth": 3}, "worth"),
]


@pytest.mark.parametrize("name, parameters, key", BAD)
def test_other_parameters_are_refused(name, parameters, key):
    with refused(td.errors.ParameterError, key=key):
        td.load_game(name, **parameters)
