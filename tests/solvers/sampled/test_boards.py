"""Boards: the outcomes of public chance, and utilities that are right on average over them."""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pytest

import tefuda as td
from tefuda.solvers.sampled.boards import board_form, boards
from tests.conftest import compiled


@dataclass(frozen=True)
class Streets:
    """Private cards, and a decision before, between and after two public cards of unequal probability."""

    order: tuple = (td.CHANCE, 0, 1, td.CHANCE, 0, td.CHANCE, 1, td.TERMINAL)
    name = "streets"
    players = 2

    def root(self):
        return ()

    def player(self, state):
        return self.order[-1 if "f" in state else len(state)]

    def actions(self, state):
        return ("c", "f") if len(state) == 1 else ("c", "r")

    def chances(self, state):
        if not state:
            return tuple((deal, 1 / 20) for deal in permutations(range(5), 2))
        left = [card for card in range(5) if card not in (*state[0], *state[3:4])]
        return tuple(zip(left, (0.5, 0.3, 0.2) if len(left) == 3 else (0.7, 0.3), strict=True))

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        gain = 1 if "f" in state else (state[0][0] - state[0][1]) * (1 + state.count("r")) * (1 + state[3])
        return (gain, -gain)

    def view(self, state, player):
        return f"{state[0][player] if state else ''}|{''.join(map(str, state[1:]))}"


GAMES = {
    "kuhn": lambda: compiled("kuhn"),
    "leduc": lambda: compiled("leduc", distinct_suits=True),
    "3-player leduc": lambda: compiled("leduc", players=3, ranks=2),
    "goofspiel": lambda: compiled("goofspiel", cards=3),
    "streets": lambda: td.compile_game(Streets()),
    "flop": lambda: td.compile_game(Streets((td.CHANCE, 0, 1, td.CHANCE, td.CHANCE, 0, 1, td.TERMINAL))),
}


def utilities(form, plan):
    """The sum over all leaves of value times the opponents' realisation probabilities, by sequence."""
    found = np.zeros(form.sequences)
    for player in range(form.players):
        leaves = form.leaves(player)
        np.add.at(found, leaves.own, leaves.value * plan[leaves.others].prod(axis=1))
    return found


@pytest.mark.parametrize("name", GAMES)
def test_utilities_are_right_on_average(name):
    tree = GAMES[name]()
    form, found = td.forms.sequence_form(tree), boards(tree)
    plan = np.append(np.random.default_rng(0).random(tree.rows), 1.0)  # by row; empty sequences: 1
    mean, reached = np.zeros(tree.rows + 1), np.zeros(tree.rows + 1)
    for board in found.complete.tolist():
        part = board_form(tree, board)
        np.add.at(mean, part.rows, found.probability[board] * utilities(part.form, plan[part.rows]))
        reached[part.rows] += found.probability[board]
    whole = utilities(form, form.spread(plan[:-1]))
    assert np.abs(mean[:-1] - whole[form.sequence]).max() <= 1e-12 * np.abs(whole).max()
    assert found.probability[found.complete].sum() == pytest.approx(1, abs=1e-12)
    assert reached[:-1].min() > 0


@pytest.mark.parametrize(
    "name, count, histories, sequences",
    [
        ("kuhn", 1, 55, 26),
        ("leduc", 6, 1951, 436),
        ("goofspiel", 1, 67, 36),
        ("streets", 20, 245, 62),
        ("flop", 5, 557, 166),
    ],
)
def test_only_public_chance_is_drawn(name, count, histories, sequences):
    """Leduc has six cards; streets deal two of five in order; of the flop's two cards the second is drawn."""
    tree = GAMES[name]()
    complete = boards(tree).complete
    assert len(complete) == count
    first = board_form(tree, int(complete[0]))
    assert (first.histories, first.form.sequences) == (histories, sequences)


def test_boards_of_leduc_are_equally_likely():
    found = boards(compiled("leduc", distinct_suits=True))
    assert found.probability[found.complete] == pytest.approx(np.full(6, 1 / 6), abs=1e-12)
