"""No-limit Leduc by hand: legal bets, and the winner of each pot."""

import numpy as np
import pytest

import tefuda as td
from tests.conftest import compiled, rules
from tests.small_games import end_of

ENDS = [  # cards, moves, board, moves, payoff of player 0. Ante 1, stack 5.
    (("K", "Q"), ["c", "c"], "J", ["c", "c"], 1),
    (("K", "Q"), ["c", "r3", "c"], "Q", ["c", "c"], -3),  # a pair beats the higher rank
    (("Q", "J"), ["r2", "c"], "K", ["c", "r5", "c"], 5),
    (("Q", "Q"), ["r5", "c"], "K", [], 0),  # all-in: no second round, and here a tie
    (("J", "K"), ["r2", "r3", "c"], "J", ["r4", "f"], 3),
]


@pytest.mark.parametrize("cards, first, board, second, won", ENDS)
def test_winnings_by_hand(cards, first, board, second, won):
    assert end_of(rules("nolimit_leduc"), cards, *first, board, *second) == (won, -won)


BETS = [  # moves so far, stack, and legal totals of a raise
    ("", 5, "2 3 4 5"),
    ("r2", 5, "3 4 5"),  # by 1, as the bet was
    ("r3", 5, "5"),  # by 2
    ("r4", 5, "5"),  # 1 is less than the last raise, but it is the rest of the stack
    ("r5", 5, ""),
    ("cr2r4", 10, "6 7 8 9 10"),
    ("r2r3c/", 5, "4 5"),  # a new round: from the ante again
    ("r3c/cr6", 10, "9 10"),
]


@pytest.mark.parametrize("history, stack, sizes", BETS)
def test_raises(history, stack, sizes):
    game = rules("nolimit_leduc", stack=stack)
    actions = game.actions((("K", "Q"), "J" if "/" in history else "", history))
    assert [action[1:] for action in actions if action[0] == "r"] == sizes.split()


def test_three_players_all_in():
    """Player 2 calls a raise that all but player 1 answer; players without chips do not move again."""
    game = rules("nolimit_leduc", players=3, stack=3)
    state, movers = game.child(game.root(), ("T", "J", "Q")), []
    for action in ("c", "r3", "c", "f"):
        movers.append(game.player(state))
        state = game.child(state, action)
    assert movers == [0, 1, 2, 0] and game.player(state) == td.CHANCE
    state = game.child(state, "J")
    assert game.player(state) == td.TERMINAL and game.payoffs(state) == (-1, 4, -3)


@pytest.mark.slow
def test_larger_stacks():
    """Infosets agree with a count over betting rounds, and the value with CFR+."""
    tree = compiled("nolimit_leduc", stack=10)
    assert (tree.infosets, len(tree.player)) == (29_640, 231_538)
    solution = td.solve(tree, "cfr+", until=2e-3)
    assert solution.values[0] == pytest.approx(
        -0.0694303367107, abs=1e-3
    )  # -0.069430336710672 by linear programming (13 s)


def test_inputs_of_networks_distinguish_infosets():
    game, rng = rules("nolimit_leduc", stack=15), np.random.default_rng(0)
    seen = {}
    for _ in range(300):
        state = game.root()
        while (mover := game.player(state)) != td.TERMINAL:
            if mover == td.CHANCE:
                labels = [label for label, _ in game.chances(state)]
            else:
                labels, view = game.actions(state), game.view(state, mover)
                row = tuple(game.features(state, mover))
                assert len(row) == 126 and seen.setdefault((mover, row), view) == view
            state = game.child(state, labels[rng.integers(len(labels))])
    assert len(seen) > 400


WRONG = [{"players": 1}, {"ranks": 1, "suits": 1}, {"stack": 1}, {"ante": 0}, {"stack": 1001}]


@pytest.mark.parametrize("wrong", WRONG)
def test_parameters_out_of_range(wrong):
    with pytest.raises(td.errors.ParameterError):
        td.load_game("nolimit_leduc", **wrong)
