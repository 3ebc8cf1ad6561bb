"""Drawn tables: best responses, pure equilibria, strictly dominated actions."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from scipy.optimize import linprog

import tefuda as td
from tefuda.solvers.exact.bimatrix import dominating_mixture
from tests.conftest import refused

DILEMMA = [[[2, 2], [0, 3]], [[3, 0], [1, 1]]]
# B is worse than half T, half M, but than neither alone.
MIXED = [[[4, 1], [0, "3/2"]], [[0, 2], [4, 0]], [[1, 1], [1, "1/3"]]]


def test_the_prisoners_dilemma_in_the_terminal():
    """Confessing (D) dominates; both confess in the only equilibrium."""
    text = td.apps.draw(td.load_game("matrix", payoffs=DILEMMA, labels=["C", "D"]))
    assert re.findall(r"\(C\)|\[1\*, 1\*\]|3\*", text) == ["(C)", "(C)", "3*", "3*", "[1*, 1*]"]
    assert "C of player 0 is strictly dominated by D." in text and "C of player 1" in text


def test_a_mixture_dominates(tmp_path):
    game = td.load_game("matrix", payoffs=MIXED, labels=[["T", "M", "B<"], ["L", "R"]])
    sentence = "of player 0 is strictly dominated by 1/2 T + 1/2 M."
    text = td.apps.draw(game, tmp_path / "mixed.html")
    assert (tmp_path / "mixed.html").read_text() == text and sentence in text
    root = ElementTree.fromstring(f"<body>{text}</body>")
    assert ["".join(each.itertext()) for each in root.iter("tr")][3] == "B<1, 11, 1/3"
    assert [each.text for each in root.iter("u")] == ["4", "3/2", "2", "4", "1"]  # no pair: no pure equilibrium
    latex = td.apps.draw(game, tmp_path / "mixed.tex")
    assert r"\underline{4}, 1 & 0, \underline{3/2} \\" in latex and r"\textcolor{gray}{B\textless{}}" in latex
    assert r"\fbox" not in latex and "xcolor" in latex


def test_three_players_have_a_table_for_each_action_of_the_third():
    text = td.apps.draw(td.load_game("matching_pennies", players=3))
    assert re.findall("player 2: (heads|tails)", text) == ["heads", "tails"]
    assert "[" not in text.split("* best")[0]  # a player always gains by another action
    joint = [[[[1, 1, 1], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]]], [[[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [2, 2, 2]]]]
    cells = re.findall(r"\[([^]]+)\]", td.apps.draw(td.load_game("matrix", payoffs=joint)).split("* best")[0])
    assert cells == ["1*, 1*, 1*", "2*, 2*, 2*"]


@pytest.mark.parametrize("seed", range(40))
def test_mixtures_equal_those_of_a_program_in_floats(seed):
    """The largest least gain of a mixture over the action is positive if the action is dominated."""
    rng = np.random.default_rng(seed)
    table = rng.integers(-4, 5, (rng.integers(2, 6), rng.integers(1, 5)))
    actions, plays = table.shape
    for action in range(actions):
        gains = table - table[action]
        best = linprog(
            [0] * actions + [-1], np.column_stack([-gains.T, np.ones(plays)]), np.zeros(plays),
            [[1] * actions + [0]], [1], [(0, None)] * actions + [(None, None)],
        )  # fmt: skip
        found = dominating_mixture(table.tolist(), action)
        assert (found is not None) == (-best.fun > 1e-9)
        if found is not None:
            shares = np.array(found)
            assert shares.sum() == 1 and shares[action] == 0 and ((shares @ table) > table[action]).all()


def test_large_tables_are_refused():
    with refused(td.errors.SizeError):
        td.apps.draw(td.load_game("matrix", payoffs=np.zeros((51, 50)).tolist()))
