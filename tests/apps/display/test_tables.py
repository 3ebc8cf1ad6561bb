"""Printed results: readable numbers, complete tables, and curves that fit the terminal."""

import re

import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps import grids
from tefuda.apps.cli import app
from tefuda.apps.display import consoles
from tefuda.apps.display.results import solution_report
from tests.conftest import compiled

WIDTHS = (60, 80, 140, 200)


ENCODINGS = ("utf-8", "ascii", "cp1252", "latin-1")


def test_a_strategy_of_many_actions_adds_up():
    """21 ways to place troops: omitted ones are counted with their share; an option lists all."""
    tree = td.compile_game(td.load_game("matrix", payoffs=[[float(i * j % 7) for j in range(21)] for i in range(21)]))
    profile = td.Profile.uniform(tree)
    (_, _, told), _ = grids.strategy_grid(profile).rows
    assert told.count("0.048") == 8 and told.endswith("and 13 more: 61.90 %")
    (_, _, whole), _ = grids.strategy_grid(profile, actions=None).rows
    assert whole.count("0.048") == 21 and "more" not in whole
    pure = grids.strategy_text({"a": 1.0, "b": 0.0, "c": 0.0}, 8)
    assert pure == "a=1.000  and 2 more: 0.00 %"


def test_columns_of_actions_depend_on_the_width():
    """Leduc's three actions have columns; the thirteen of liar's dice only in a wide terminal."""
    leduc = grids.strategy_grid(td.Profile.uniform(compiled("leduc")), width=60)
    assert leduc.columns == ("infoset", "reached", "c", "r", "f") and len(leduc.rows) == 12
    profile = td.Profile.uniform(compiled("liars_dice", sides=3))
    assert len(grids.strategy_grid(profile, width=200).columns) == 2 + 7
    assert grids.strategy_grid(profile, width=60).columns == ("infoset", "reached", "strategy")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_solution_fits(width, encoding, printed):
    """No line is wider than the terminal, no figure is broken, no count has a wrong plural."""
    solution = td.solve(compiled("kuhn", players=3), "cfr", iterations=1)
    text = "\n".join(lines := printed(lambda: consoles.show(*solution_report(solution)), width, encoding))
    assert max(map(len, lines)) <= width
    figures = re.findall(r"[+-]\d\.\d{7}(?= to player)", text)
    assert [float(figure) for figure in figures] == pytest.approx(list(solution.values), abs=1e-7)
    assert "done       1 iteration of cfr" in text and "1 iterations of" not in text


def test_narrow_tables_break_no_number(printed):
    rows = tuple((name, *[f"{n:,}" for n in (73_473, 1_000_000, 9_999_999)], "0.000943") for name in ("cfr", "ema"))
    grid = grids.Grid(("method", "to 1e-3", "to 1e-6", "iterations", "NashConv"), rows)
    text = "\n".join(printed(lambda: consoles.out.print(grid), 45))
    assert all(figure in text for figure in ("73,473", "1,000,000", "9,999,999", "0.000943"))


def test_requested_infosets_show_all_actions(tmp_path):
    """`show --infoset` lists every action, however unlikely."""
    td.solve(compiled("liars_dice", sides=5), "cfr+", iterations=1, checkpoint=tmp_path / "run")
    words = ["show", str(tmp_path / "run"), "--infoset", "0: 1|"]
    told = CliRunner().invoke(app, words).stdout
    row = told[told.index("0: 1| ") : told.index("0: 1|1-")]
    assert row.count("=") == 10 and "more" not in row and "more" in CliRunner().invoke(app, words[:2]).stdout
