"""Curves and frontiers drawn in a terminal."""

import pytest

from tefuda.apps.display import consoles
from tefuda.apps.display.curves import curve_plot, frontier_plot
from tefuda.solvers.runs.points import Point

WIDTHS = (60, 80, 140, 200)


ENCODINGS = ("utf-8", "ascii", "cp1252", "latin-1")


def curve(top, steps, power=1.0):
    return [Point(10**n, 0.0, top * 10 ** (-power * n), top * 10 ** (-power * n), 1.0) for n in range(steps)]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("width", WIDTHS)
def test_curves_fit_and_have_every_decade(width, encoding, printed):
    lines = printed(lambda: consoles.out.print(curve_plot({"cfr": curve(3.0, 7, 2.0)})), width, encoding)
    assert max(map(len, lines)) <= width and max(map(len, lines)) >= width - 1
    marked = [line.split()[0] for line in lines[1:-3] if line[:8].strip()]
    assert marked == "10 1 0.1 0.01 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8 1e-9 1e-10 1e-11 1e-12".split()
    assert lines[-2].split() == ["1", "10", "100", "1,000", "1e4", "1e5", "1e6"]
    assert lines[0] == "NashConv (game's unit per game), lower is better" and lines[-1].split() == ["iterations"]
    assert not any("A" in line[8:] for line in lines[1:-1]), "a single line needs no letters"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_lines_are_distinct_without_colour(encoding, printed):
    """Each line is drawn and ends with its letter, even where two coincide."""
    many = {name: curve(3.0, 4, power) for name, power in (("a", 1.0), ("b", 1.0), ("c", 2.0))}
    lines = printed(lambda: consoles.out.print(curve_plot(many)), 60, encoding)
    drawn = "".join(line[9:] for line in lines[1:-4])
    assert all(letter in drawn for letter in "ABC") and lines[-1].split() == "A a B b C c".split()
    steep = [line for line in lines[1:-4] if "C" in line[9:]]
    assert steep[-1].rstrip().endswith("C")


def test_curves_with_few_points():
    assert not curve_plot({"lp": [Point(1, 0.0, 1e-15, 1e-15, 1e-15)]})
    assert curve_plot({"lp": [Point(1, 0.0, 1e-15, 1e-15, 1e-15)], "cfr": curve(1.0, 2)})
    assert "games" in curve_plot({"nfsp": curve(1.0, 3)}, unit="games").plain.splitlines()[-1]


@pytest.mark.parametrize("rows", [[(0.0, 0.0)], [(0.0, -1.0), (0.1, 2.0)], [(0.0, 1e-9), (3e5, 4e5)]])
def test_frontiers_of_any_size(rows, printed):
    lines = printed(lambda: consoles.out.print(frontier_plot(rows)), 60)
    assert max(map(len, lines)) <= 60 and sum(bool(line[:8].strip()) for line in lines[1:-3]) <= 15
