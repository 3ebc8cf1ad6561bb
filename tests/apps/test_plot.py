"""Pictures drawn by matplotlib."""

import importlib.util
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tefuda as td
from tefuda.apps.plot import curve_of, require_matplotlib
from tefuda.figure import COLOURS, DASHES, Panel, spread
from tefuda.solvers.runs.points import EstimatedPoint, Point
from tefuda.solvers.runs.sweep import sweep
from tests.conftest import compiled, preset

pytest.importorskip("matplotlib", reason="pictures need matplotlib")


@pytest.mark.parametrize("covers", [(), (0.0, 100.0)])
def test_axes_cover_the_requested_range(covers):
    from matplotlib.figure import Figure

    from tefuda.apps.plot import _draw

    axes = Figure().subplots()
    _draw(
        axes, Panel("", "boards", {"EV": [(0, 40.0), (1, 45.0)]}, {"mean": 42.0}, "%", ("linear",) * 2, covers=covers)
    )
    low, high = axes.get_ylim()
    assert (low <= 0 and high >= 100) == bool(covers) and low <= 40 and high >= 45
    assert [line.get_label() for line in axes.get_lines()][-1] == "mean"
    assert [text.get_text() for text in axes.texts] == ["EV", "mean"] and axes.get_legend() is None
    assert axes.get_xlim()[1] < 2


def exact(*figures, first=1):
    """Return points at iterations first, first + 1, ..., one second apart."""
    return [Point(first + k, float(first + k), figure, figure, 9.0) for k, figure in enumerate(figures)]


def test_the_median_and_the_range_of_several_runs():
    """Runs are compared at the iterations at which all of them were evaluated."""
    runs = [exact(5, 4, 3), exact(9, 1, 2, 8), exact(6, 7, first=2)]
    curve = curve_of("m", runs, td.NashConv())
    assert (curve.iterations, curve.seconds) == ([2, 3], [2.0, 3.0])
    assert (curve.low, curve.middle, curve.high) == ([1, 2], [4, 3], [6, 7])
    alone = curve_of("m", runs[:1], td.NashConv())
    assert (alone.label, alone.band, alone.middle) == ("m", "", [5, 4, 3]) and "3 runs" in curve.label
    with pytest.raises(td.errors.ParameterError, match="no figures"):
        curve_of("m", [exact(1), exact(1, first=2)], td.NashConv())


def test_an_interval_is_a_band():
    points = [EstimatedPoint(1, 0.1, 2.0, 1.0, 4.0), EstimatedPoint(2, 0.2, float("nan"), 0, 0)]
    curve = curve_of("m", [points], td.NoEvaluation())
    assert (curve.iterations, curve.low, curve.middle, curve.high, curve.band != "") == ([1], [1.0], [2.0], [4.0], True)


def test_a_sweep_is_a_line_and_a_band_for_each_method(tmp_path, in_threads):
    groups = sweep(compiled("kuhn"), ["external", "cfr+"], seeds=[1, 2, 3], iterations=40, folder=tmp_path)
    figure = td.plot(groups, tmp_path / "sweep.png")
    left, right = figure.axes
    middle = np.median([[point.nash_conv for point in one.curve] for one in groups[0].solutions], axis=0)
    assert left.lines[0].get_ydata() == pytest.approx(middle) == right.lines[0].get_ydata()
    assert [line.get_label() for line in left.lines] == ["external (3 runs)", "cfr+ (3 runs)"]
    high = max(one.curve[0].nash_conv for one in groups[0].solutions)
    assert left.collections[0].get_paths()[0].vertices[:, 1].max() >= high and len(left.collections) == 2
    assert (tmp_path / "sweep.png").read_bytes()[:4] == b"\x89PNG"
    assert left.get_xlabel() == "iterations" and figure.get_suptitle() == "kuhn: NashConv, lower is better"


@pytest.mark.parametrize("method", ["cfr+", "lp", "external", "oos", "fsp", "nfsp", "nfsp-a-neural"])
def test_solutions_of_every_family_are_drawn(method):
    """A single point is a mark, and a figure below round-off is on the logarithmic axis."""
    solution = td.solve(compiled("kuhn"), preset(method), iterations=1 if method == "lp" else 30)
    figure = solution.plot(title="mine")
    line = figure.axes[0].lines[0]
    assert line.get_ydata().tolist() == [max(point.nash_conv, 1e-16) for point in solution.curve]
    assert line.get_xdata().tolist() == [point.iteration for point in solution.curve]
    assert (line.get_marker() == "o") == (len(solution.curve) == 1)
    assert figure.get_suptitle() == "mine"
    assert figure.axes[0].get_xlabel() == preset(method).unit


def test_names_of_the_caller_and_a_picture_in_a_notebook():
    tree = compiled("kuhn")
    solutions = [td.solve(tree, "external", iterations=20, seed=seed) for seed in range(2)]
    figure = td.plot({"ours": solutions, "theirs": td.solve(tree, "nfsp", iterations=20)})
    assert [line.get_label() for line in figure.axes[0].lines] == ["ours (2 runs)", "theirs"]
    assert figure.axes[0].get_xlabel() == "iterations or games"
    picture, size = figure._repr_png_()
    assert picture[:4] == b"\x89PNG" and size == {"width": 1100, "height": 450}
    assert int.from_bytes(picture[16:20], "big") == 2 * size["width"], "two pixels for each of a screen"
    assert [line.get_label() for line in td.plot(solutions).axes[0].lines] == ["external (2 runs)"]


def test_lines_have_names_beside_them_and_the_house_colours():
    """Names replace the legend, do not overlap, and have the colours of their lines."""
    tree = compiled("kuhn")
    solution = td.solve(tree, "cfr", iterations=50)
    left, right = td.plot(dict.fromkeys("abcde", solution)).axes
    assert [text.get_text() for text in right.texts] == list("abcde") and left.get_legend() is None
    assert [text.get_color() for text in right.texts] == [line.get_color() for line in right.lines]
    assert [line.get_color() for line in right.lines] == list(COLOURS[:5])
    assert len({line.get_linestyle() for line in right.lines}) > 1
    right.figure.draw_without_rendering()
    boxes = sorted((text.get_window_extent() for text in right.texts), key=lambda box: box.y0)
    assert all(upper.y0 > lower.y0 + 8 for lower, upper in pairwise(boxes))
    many = td.plot({str(name): solution for name in range(9)}).axes[1]
    assert len(many.get_legend().get_texts()) == 9


def test_colours_are_defined_once():
    root = Path(__file__).parents[2]
    places = [*(root / "src").rglob("*.py"), *(root / "docs").rglob("*.py"), *(root / "bench").glob("*.py")]
    coloured = {path.name for path in places if re.search(r"#[0-9a-f]{6}\b", path.read_text())}
    assert coloured == {"figure.py"} and len(set(COLOURS)) == len(DASHES) == len(COLOURS)


def test_the_style_applies_to_pictures_of_tefuda_only():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    td.plot(td.solve(compiled("kuhn"), "cfr", iterations=5))
    assert dict(mpl.rcParams) == before


@given(st.lists(st.floats(-100, 100), max_size=12), st.floats(0.1, 20))
def test_positions_are_spread(positions, gap):
    """Positions have the same order and at least the gap; if they had it before, they do not change."""
    moved = spread(positions, gap)
    order = sorted(range(len(positions)), key=positions.__getitem__)
    assert all(moved[b] - moved[a] >= gap - 1e-9 for a, b in pairwise(order))
    assert sum(moved) == pytest.approx(sum(positions), abs=1e-6)
    assert spread(moved, gap) == pytest.approx(moved)


def test_pictures_refused(tmp_path, monkeypatch):
    tree = compiled("kuhn")
    solution = td.solve(tree, "cfr", iterations=10)
    blind = td.solve(tree, "cfr", iterations=10, evaluator=td.NoEvaluation())
    other = replace(solution, evaluator=td.NoEvaluation())  # its points have other figures
    for wrong in (blind, [solution, other], [], {}, ["cfr"], {"cfr": [3]}, 3):
        with pytest.raises(td.errors.ParameterError):
            td.plot(wrong)
    for place in ("picture.xyz", "picture", "nowhere/picture.png"):
        with pytest.raises(td.errors.ParameterError):
            solution.plot(tmp_path / place)
    require_matplotlib(tmp_path / "picture.PNG")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(td.errors.MissingExtraError, match="pip install"):
        solution.plot()
