"""Rules of phantom games, against plain searches, trees and the sizes of the literature."""

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError, SizeError
from tefuda.phantom.boards import hex_wins, line_wins


def joins(stones, rows, columns, starts, ends):
    """Return whether a path of stones leads from one set of cells to another, by a plain search."""
    reached = [cell for cell in starts if stones >> cell & 1]
    for cell in reached:
        r, c = divmod(cell, columns)
        for dr, dc in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
            near = (r + dr) * columns + c + dc
            if 0 <= r + dr < rows and 0 <= c + dc < columns and stones >> near & 1 and near not in reached:
                reached.append(near)
    return bool({*reached} & {*ends})


@pytest.mark.parametrize("rows, columns", [(2, 2), (2, 4), (3, 2), (3, 3)])
def test_hex_wins_are_those_of_a_search(rows, columns):
    cells = np.arange(rows * columns).reshape(rows, columns)
    wins, whole = hex_wins(rows, columns), (1 << rows * columns) - 1
    for stones in range(whole + 1):
        assert wins[0, stones] == joins(stones, rows, columns, cells[0].tolist(), cells[-1].tolist())
        assert wins[1, stones] == joins(stones, rows, columns, cells[:, 0].tolist(), cells[:, -1].tolist())
        assert wins[0, stones] != wins[1, whole ^ stones]  # a full board has one winner


def test_boards_of_the_literature():
    """84 of the 126 sets of five cells join top and bottom; a plain search finds the sets with a line."""
    five = [stones for stones in range(512) if stones.bit_count() == 5]
    assert hex_wins(3, 3)[0, five].sum() == 84
    assert line_wins(3)[0, [0b111, 0b001001001, 0b100010001, 0b001010100]].all()
    assert line_wins(3)[0].sum() == sum(
        any(stones & line == line for line in (7, 56, 448, 73, 146, 292, 273, 84)) for stones in range(512)
    )


#: Histories, ends, infosets, sequences, uniform value and gains of dark hex 2x2 in OpenSpiel 2.0.2.
SMALL = {
    False: (441, 216, (17, 53), (41, 93), 0, (1, 0.25)),
    True: (471, 234, (59, 35), (89, 81), 0.458333333, (0.375, 0.458333333)),
}


@pytest.mark.parametrize("abrupt", SMALL)
def test_small_trees(abrupt):
    tree = td.compile_game(td.load_game("dark_hex", rows=2, columns=2, abrupt=abrupt))
    histories, ends, infosets, sequences, value, gains = SMALL[abrupt]
    found = td.evaluate(td.Profile.uniform(tree))
    assert (len(tree.player), len(tree.terminals)) == (histories, ends)
    assert tuple(np.bincount(tree.infoset_player)) == infosets
    assert tuple(1 + np.bincount(tree.player_of_row)) == sequences
    assert found.values[0] == pytest.approx(value, abs=1e-9)
    assert tuple(found.best - found.values) == pytest.approx(gains, abs=1e-9)
    assert td.exact_solution(tree.game).values[0] == (0.5 if abrupt else 1)


def test_large_boards_name_what_to_call():
    game = td.load_game("dark_hex")
    with pytest.raises(SizeError, match=r"td\.solve\(game\)"):
        td.compile_game(game)
    for wrong in ({"rows": 1}, {"rows": 5, "columns": 5}, {"columns": 2.5}):
        with pytest.raises(ParameterError):
            td.load_game("dark_hex", **wrong)


def test_views_that_are_none():
    game = td.load_game("phantom_ttt")
    assert game.tries("b2 a1:taken") == [(4, False), (0, True)]
    for view in ("z9", "a1 a1", "a1:hit"):
        with pytest.raises(ParameterError):
            game.tries(view)
