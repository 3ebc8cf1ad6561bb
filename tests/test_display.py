"""What is printed: numbers as people read them, tables that keep nothing back, curves that fit the terminal."""

import io
import math
import re

import pytest
from typer.testing import CliRunner

import tefuda as tf
from tefuda import words
from tefuda.apps import grids
from tefuda.apps.cli import app
from tefuda.apps.display import consoles, cross_table_of, curve_plot, frontier_plot, show_solution
from tefuda.apps.display.tables import table_of
from tefuda.playing import agents
from tefuda.solvers.points import Point
from tests.conftest import compiled

WIDTHS = (60, 80, 140, 200)
ENCODINGS = ("utf-8", "ascii", "cp1252", "latin-1")


@pytest.fixture
def printed(monkeypatch):
    """What a function prints in a terminal of some width and encoding, as lines."""

    def run(show, width=80, encoding="utf-8"):
        file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)  # strict: what cannot be written raises
        monkeypatch.setattr(consoles.out, "_width", width)
        monkeypatch.setattr(consoles.out, "_file", file)
        show()
        file.flush()
        return file.buffer.getvalue().decode(encoding).splitlines()

    return run


NUMBERS = (
    (words.fixed(-1e-9), "0.0000"),
    (words.fixed(-0.25, 2), "-0.25"),
    (words.fixed(math.nan), "-"),
    (words.signed(-1e-9), "0.0000"),
    (words.signed(1e-9), "0.0000"),
    (words.signed(-0.5), "-0.5000"),
    (words.signed(0.5), "+0.5000"),
    (words.signed(math.nan), "-"),
    (words.signed(2e17), "+2e+17"),
    (words.brief(-0.0), "0"),
    (words.brief(1.5), "1.5"),
    (words.brief(math.nan), "-"),
    (words.distance(-8.33e-17), "0"),
    (words.distance(1.234e-5), "1.23e-05"),
    (words.distance(math.nan), "-"),
    (words.percent(0.0), "0.00 %"),
    (words.percent(1e-7), "< 0.01 %"),
    (words.percent(0.25), "25.00 %"),
    (words.count(1, "iterations"), "1 iteration"),
    (words.count(0, "games"), "0 games"),
    (words.count(1000, "hands"), "1,000 hands"),
    (words.count(1, "histories"), "1 history"),
)


def test_numbers_and_counts():
    assert [found for found, _ in NUMBERS] == [wanted for _, wanted in NUMBERS]


def test_a_strategy_of_many_actions_is_told_whole():
    """21 ways to place troops: those not named are counted, with their share; asked for, all are named."""
    tree = tf.compile_game(tf.load_game("matrix", payoffs=[[float(i * j % 7) for j in range(21)] for i in range(21)]))
    profile = tf.Profile.uniform(tree)
    (_, _, told), _ = grids.strategy_grid(profile).rows
    assert told.count("0.048") == 8 and told.endswith("and 13 more: 61.90 %")
    (_, _, whole), _ = grids.strategy_grid(profile, actions=None).rows
    assert whole.count("0.048") == 21 and "more" not in whole
    pure = grids.in_words({"a": 1.0, "b": 0.0, "c": 0.0}, 8)
    assert pure == "a=1.000  and 2 more: 0.00 %"


def test_columns_of_actions_where_they_fit():
    """Leduc's three actions have columns; liar's dice's thirteen only in a wide terminal."""
    leduc = grids.strategy_grid(tf.Profile.uniform(compiled("leduc")), width=60)
    assert leduc.columns == ("infoset", "reached", "c", "r", "f") and len(leduc.rows) == 12
    profile = tf.Profile.uniform(compiled("liars_dice", sides=3))
    assert len(grids.strategy_grid(profile, width=200).columns) == 2 + 7
    assert grids.strategy_grid(profile, width=60).columns == ("infoset", "reached", "strategy")


def curve(top, steps, power=1.0):
    return [Point.judged("average", 10**n, 0.0, top * 10 ** (-power * n), 1.0) for n in range(steps)]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("width", WIDTHS)
def test_curves_fit_and_have_every_decade(width, encoding, printed):
    lines = printed(lambda: consoles.out.print(curve_plot({"cfr": curve(3.0, 7, 2.0)})), width, encoding)
    assert max(map(len, lines)) <= width and max(map(len, lines)) >= width - 1
    marked = [line.split()[0] for line in lines[1:-2] if line[:8].strip()]
    assert marked == "10 1 0.1 0.01 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8 1e-9 1e-10 1e-11 1e-12".split()
    assert lines[-1].split() == ["1", "10", "100", "1,000", "1e4", "1e5", "1e6"]
    assert not any("A" in line[8:] for line in lines[1:]), "a single line needs no letters"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_lines_are_told_apart_without_colour(encoding, printed):
    """Each line carries its letter and ends in it, even where two are the same."""
    many = {name: curve(3.0, 4, power) for name, power in (("a", 1.0), ("b", 1.0), ("c", 2.0))}
    lines = printed(lambda: consoles.out.print(curve_plot(many)), 60, encoding)
    drawn = "".join(line[9:] for line in lines[1:-2])
    assert all(letter in drawn for letter in "ABC") and lines[-1].split() == "A a B b C c".split()
    steep = [line for line in lines[1:-3] if "C" in line[9:]]
    assert steep[-1].rstrip().endswith("C")


def test_little_to_draw():
    assert not curve_plot({"lp": [Point.judged("current", 1, 0.0, 1e-15, 1e-15)]})
    assert curve_plot({"lp": [Point.judged("current", 1, 0.0, 1e-15, 1e-15)], "cfr": curve(1.0, 2)})
    assert "games" in curve_plot({"nfsp": curve(1.0, 3)}, unit="games").plain.splitlines()[0]


@pytest.mark.parametrize("rows", [[(0.0, 0.0)], [(0.0, -1.0), (0.1, 2.0)], [(0.0, 1e-9), (3e5, 4e5)]])
def test_frontiers_of_any_size(rows, printed):
    lines = printed(lambda: consoles.out.print(frontier_plot(rows)), 60)
    assert max(map(len, lines)) <= 60 and sum(bool(line[:8].strip()) for line in lines[1:-2]) <= 15


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_solution_fits(width, encoding, printed):
    """No line is wider than the terminal, no figure is broken, no count has a wrong plural."""
    solution = tf.solve(compiled("kuhn", players=3), "cfr", iterations=1)
    text = "\n".join(lines := printed(lambda: show_solution(solution), width, encoding))
    assert max(map(len, lines)) <= width
    figures = re.findall(r"[+-]\d\.\d{7}(?= to player)", text)
    assert [float(figure) for figure in figures] == pytest.approx(list(solution.values), abs=1e-7)
    assert "done       1 iteration of cfr" in text and "1 iterations of" not in text


def test_narrow_tables_break_no_number(printed):
    rows = tuple((name, *[f"{n:,}" for n in (73_473, 1_000_000, 9_999_999)], "0.000943") for name in ("cfr", "ema"))
    grid = grids.Grid(("method", "to 1e-3", "to 1e-6", "iterations", "NashConv"), rows)
    text = "\n".join(printed(lambda: consoles.out.print(table_of(grid)), 45))
    assert all(figure in text for figure in ("73,473", "1,000,000", "9,999,999", "0.000943"))


def test_brackets_in_names_are_no_markup(printed):
    grid = grids.Grid(("[red]agent", "won"), (("[/x] [link=y]", "1"),), "[bold]title")
    text = "\n".join(printed(lambda: consoles.out.print(table_of(grid))))
    assert all(part in text for part in ("[red]agent", "[/x] [link=y]", "[bold]title"))


def test_cross_tables_stay_narrow(printed):
    """Six agents with long names fit 60 columns, no name broken."""
    names = tuple(f"{letter}-plays-long" for letter in "abcdef")
    cross = tf.cross_table(tree := compiled("kuhn"), [agents.ProfileAgent(n, tf.Profile.uniform(tree)) for n in names])
    lines = printed(lambda: consoles.out.print(cross_table_of(cross)), 66)
    assert max(map(len, lines)) <= 66 and all(f"{n} {name} " in "\n".join(lines) for n, name in enumerate(names, 1))


def test_all_actions_where_one_asks_for_some_infosets(tmp_path):
    """`show --infoset` tells every action, however unlikely."""
    tf.solve(compiled("liars_dice", sides=5), "cfr+", iterations=1, checkpoint=tmp_path / "run")
    words = ["show", str(tmp_path / "run"), "--infoset", "0: 1|"]
    told = CliRunner().invoke(app, words).stdout
    row = told[told.index("0: 1| ") : told.index("0: 1|1-")]
    assert row.count("=") == 10 and "more" not in row and "more" in CliRunner().invoke(app, words[:2]).stdout
